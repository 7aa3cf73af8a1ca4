"""Derivatives of the generalized forces along positions and velocities against differences of eighth order."""

from __future__ import annotations

import numpy as np
import pytest

from kernels import differences
from kernels.differences import Floats, relative_error
from kernels.force_cases import CASES, STOPS, Bench, ForceCase, bench, stop_bench

TOLERANCE = 1e-10


def stiffness(b: Bench) -> Floats:
    """Return ∂Q/∂q along the velocity columns, from differences."""
    return differences.along_columns(b.system, b.q, lambda q: b.forces(q)[0])


def damping(b: Bench) -> Floats:
    """Return ∂Q/∂v from differences."""
    unit = np.eye(len(b.v))
    return np.stack([differences.derivative(lambda s, e=e: b.forces(v=b.v + s * e)[0]) for e in unit], axis=-1)  # type: ignore[misc]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.name}-{case.dimension}d")
def test_partials(case: ForceCase) -> None:
    b = bench(case)
    K, D = b.partials()
    assert relative_error(K, stiffness(b)) < TOLERANCE
    assert relative_error(D, damping(b)) < TOLERANCE


@pytest.mark.parametrize("path", ["J", "c.P.y"])
@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("name", STOPS)
def test_partials_of_stops(name: str, dimension: int, path: str) -> None:
    b = stop_bench(name, dimension, path)
    K, D = b.partials()
    assert relative_error(K, stiffness(b)) < TOLERANCE
    assert relative_error(D, damping(b)) < TOLERANCE


def test_partials_are_added() -> None:
    from multibody.kernels.force_partials import force_partials

    b = bench(next(case for case in CASES if case.name == "effort-law" and case.dimension == 3))
    K, D = b.partials()
    base = np.arange(K.size, dtype=float).reshape(K.shape)
    twice = base.copy(), -base
    force_partials(*b.place(b.q, b.v), b.t, *(matrix.reshape(-1) for matrix in twice))
    assert np.allclose(twice[0] - base, K, atol=1e-10) and np.allclose(twice[1] + base, D, atol=1e-10)
