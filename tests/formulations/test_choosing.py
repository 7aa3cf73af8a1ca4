"""The choice of dependent columns against Gauss elimination with full pivoting by NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.analyses.dynamics.opening import opened
from multibody.analyses.dynamics.settling import tell_partition
from multibody.formulations import formulation_of

MODELS = ["four-bar", "spatial-four-bar-haug", "iftomm-andrews", "stewart-platform"]


def eliminated(A: Any) -> tuple[list[int], float]:
    """Return the columns of the pivots, and the least pivot over the largest of these columns alone, with row exchanges."""
    J, columns = A.copy(), np.arange(A.shape[1])
    for k in range(len(J)):
        i, j = np.unravel_index(np.argmax(np.abs(J[k:, k:])), J[k:, k:].shape)
        J[[k, k + i]] = J[[k + i, k]]
        J[:, [k, k + j]], columns[[k, k + j]] = J[:, [k + j, k]], columns[[k + j, k]]
        J[k + 1 :] -= np.outer(J[k + 1 :, k] / J[k, k], J[k])
    chosen = sorted(columns[: len(J)].tolist())
    from scipy.linalg import lu

    pivots = np.abs(np.diag(lu(A[:, chosen])[2]))
    return chosen, float(pivots.min() / pivots.max())


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("told", ["kane", "partitioning"])
def test_dependent_columns_in_the_coordinates_of_bodies(name: str, told: str) -> None:
    opening, formulation = opened(mb.load(name), None), formulation_of(told)
    space = formulation.space(opening.system, opening.state, opening.rows)
    y, b = space.start(opening.state), space.bundle
    active = np.full(len(y), np.nan)
    tell_partition(space, opening.state.t, y, active, known=False)
    s = opening.system
    J = s.scaled(s.jacobian(opening.state.q, opening.state.t))[b.chosen]
    columns, ratio = eliminated(J)
    dependent = np.array(b.state.dependent)
    pivots = np.linalg.svd(J[:, dependent], compute_uv=False)[-1], np.linalg.svd(J[:, columns], compute_uv=False)[-1]
    assert dependent.tolist() == columns or pivots[0] > 0.5 * pivots[1], "of equal pivots either is good"
    if dependent.tolist() == columns:
        assert float(b.state.settings.partition_ratio[0]) == pytest.approx(ratio, rel=1e-9)
    free = np.setdiff1d(np.arange(s.nv), dependent)
    assert b.state.independent[: len(free)].tolist() == free.tolist()
    assert active[s.nq : -1].tolist() == [float(c in free) for c in range(s.nv)] and active[-1] == 0.0
    assert np.all(np.isin(active, [0.0, 1.0]))


def test_dependent_columns_in_joint_coordinates() -> None:
    """Two loop equations of a four-bar: the columns whose minor is largest."""
    opening, formulation = opened(mb.load("four-bar"), None), formulation_of("transformation:loops=partitioned")
    space = formulation.space(opening.system, opening.state, opening.rows)
    y = space.start(opening.state)
    active = np.zeros(len(y))
    tell_partition(space, opening.state.t, y, active, known=False)
    space._probe(space.bundle, y, opening.state.t)
    columns, ratio = eliminated(space._scaled(space.bundle)[space.bundle.chosen])
    assert space.bundle.state.dependent.tolist() == columns
    assert float(space.bundle.state.settings.partition_ratio[0]) == pytest.approx(ratio, rel=1e-9)
