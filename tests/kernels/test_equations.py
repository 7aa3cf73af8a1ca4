"""How many equations each kind of joint has, and that each of them removes one freedom at a generic satisfying pose."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.mechanisms import CASES, VARIANTS, Case, Floats, catalog, random_state
from multibody.state.system import System

REMOVED = {
    ("fixed", 2): 3, ("revolute", 2): 2, ("translational", 2): 2, ("free", 2): 0, ("distance", 2): 1,
    ("point_on_line", 2): 1, ("parallel", 2): 1, ("gear", 2): 1, ("rack", 2): 1, ("cam", 2): 2, ("coupler", 2): 1,
    ("fixed", 3): 6, ("revolute", 3): 5, ("translational", 3): 5, ("cylindrical", 3): 4, ("screw", 3): 5,
    ("universal", 3): 4, ("spherical", 3): 3, ("planar", 3): 3, ("free", 3): 0, ("distance", 3): 1,
    ("point_on_line", 3): 2, ("point_on_plane", 3): 1, ("parallel", 3): 2, ("gear", 3): 1, ("rack", 3): 1,
    ("cam", 3): 2, ("coupler", 3): 1,
}  # fmt: skip
COUNTED = [case for case in CASES if case.kind in {kind for kind, _ in VARIANTS}]


def satisfying(system: System, case: Case) -> Floats:
    """Return a pose that satisfies the joint, found by Newton steps of minimum norm from random starts."""
    rng = case.rng("rank")
    for _ in range(40):
        q = random_state(system, rng).q
        for _ in range(60):
            phi = system.phi(q, 0.0)
            if np.max(np.abs(phi), initial=0.0) < 1e-13:
                return q
            step = -np.asarray(np.linalg.lstsq(system.jacobian(q, 0.0), phi, rcond=None)[0], dtype=np.float64)
            q = system.displaced(q, step, min(1.0, 0.5 / float(np.max(np.abs(step)))))
    raise AssertionError("no pose found")


def rank_of(matrix: Floats) -> int:
    """Return the number of singular values that are clearly not zero."""
    if matrix.size == 0:
        return 0
    values = np.linalg.svd(matrix, compute_uv=False)
    assert np.all((values > 1e-4) | (values < 1e-12))
    return int(np.sum(values > 1e-4))


def test_the_count_of_equations_is_stated_for_every_kind() -> None:
    assert set(REMOVED) == catalog()


@pytest.mark.parametrize("case", COUNTED, ids=lambda case: case.name)
def test_each_equation_removes_one_freedom(case: Case) -> None:
    system = case.world(driven=False).system()
    expected = REMOVED[case.kind, case.dimension]
    assert system.all_rows == expected
    matrix = system.jacobian(satisfying(system, case), 0.0)
    assert rank_of(matrix) == expected
    if case.kind == "cam":  # two equations, one of which determines the contact
        assert len(system.tables.extras) == 1
        assert rank_of(matrix[:, -1:]) == 1


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_coupler_removes_one_freedom(dimension: int) -> None:
    case = next(case for case in CASES if case.name == f"coupler-{dimension}d")
    system = case.world().system()
    rows = system.tables.joint_rows["X"]
    assert len(rows) == REMOVED["coupler", dimension]
    x = random_state(system, case.rng("rank"))
    assert rank_of(system.jacobian(x.q, x.t, rows.start, rows.stop)) == 1
