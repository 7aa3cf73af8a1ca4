"""Linear conditions level by level, against singular values."""

from __future__ import annotations

import numpy as np
import pytest

from multibody.kernels.assembly.declared import AssemblyScratch, room_at
from multibody.kernels.assembly.levels import solve_level, turn_back
from multibody.kernels.compile import kernel
from multibody.rank.leastnorm import least_norm


@kernel
def _solve(room, n, first, second, x):  # type: ignore[no-untyped-def]
    """Meet rows up to `first`, then those up to `second`; return how many unknowns each level fixed."""
    room = room_at(room)
    one = solve_level(room, n, 0, first, second, 0, 1e-9, 1e-300)
    two = solve_level(room, n, first, second, second, one, 1e-9, 1.0)
    turn_back(room, n, two, x)
    return one, two


def _levels(J: np.ndarray, b: np.ndarray, S: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, tuple[int, int]]:
    rows, n = len(J) + len(S), J.shape[1]
    room = AssemblyScratch(A=rows * n, right=rows, factor=n, diagonal=n, owner=n, order=rows, y=n, L=rows * n, rest=rows)
    room.A[:], room.right[:] = np.vstack([J, S]).ravel(), np.concatenate([b, c])
    x = np.zeros(n)
    return x, _solve(room.address, n, len(J), rows, x)


CASES = [(3, 3, 0, 7), (5, 3, 2, 7), (9, 4, 3, 6), (4, 4, 5, 4), (0, 0, 3, 5)]  # rows, rank, wishes, unknowns


@pytest.mark.parametrize("scale", [1.0, 1e-6, 1e8])
@pytest.mark.parametrize(("rows", "rank", "wishes", "n"), CASES)
def test_the_smallest_solution(rows: int, rank: int, wishes: int, n: int, scale: float) -> None:
    random = np.random.default_rng(rows + 10 * wishes)
    J = scale * random.normal(size=(rows, rank)) @ random.normal(size=(rank, n))
    S, b, c = random.normal(size=(wishes, n)), scale * random.normal(size=rows), random.normal(size=wishes)
    x, (one, two) = _levels(J, b, S, c)
    expected, Z = least_norm(J, b)
    assert one == rank == n - Z.shape[1]
    if wishes and Z.shape[1]:
        y, _ = least_norm(S @ Z, c - S @ expected, size=1.0)
        expected = expected + Z @ y
    assert two == min(n, rank + wishes)
    np.testing.assert_allclose(x, expected, rtol=1e-9, atol=1e-11)


def test_conditions_that_are_round_off_ask_for_nothing() -> None:
    J = np.array([[1.0, 2.0, 0.0]])
    x, (one, two) = _levels(J, np.array([5.0]), J * (1.0 + 1e-13), np.array([7.0]))
    assert (one, two) == (1, 1)
    np.testing.assert_allclose(x, [1.0, 2.0, 0.0], rtol=1e-12)
