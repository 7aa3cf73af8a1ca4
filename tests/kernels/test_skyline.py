"""Skyline factors L D Lᵀ: solutions, pivot ratio, lifted and left-out pivots, against NumPy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from kernels.entrance import entrance
from multibody.kernels import skyline

cholesky, cholesky_solve = entrance(skyline.cholesky), entrance(skyline.cholesky_solve)

Floats = npt.NDArray[np.float64]


class Stored:
    """A symmetric matrix in the skyline format, with room for D⁻¹ and a right side."""

    def __init__(self, A: Floats) -> None:
        """Store the rows from their first entry on."""
        self.n = n = len(A)
        first = np.array([int(np.flatnonzero(A[i])[0]) if np.any(A[i, : i + 1]) else i for i in range(n)])
        lengths = np.arange(n) - first + 1
        base = np.cumsum(lengths) - lengths - first
        self.base, self.first = base, first
        self.d, self.x = int(np.sum(lengths)), int(np.sum(lengths)) + n
        self.W = np.full(self.x + n, np.nan)
        for i in range(n):
            self.W[base[i] + first[i] : base[i] + i + 1] = A[i, first[i] : i + 1]

    def factor(self, lift: float = 0.0, skip: float = 0.0) -> float:
        """Factor in place; return the smallest pivot ratio."""
        return float(cholesky(self.W, self.base, self.first, self.W[self.d :], self.n, lift, skip))

    def solve(self, b: Floats) -> Floats:
        """Return the solution for a right side."""
        self.W[self.x :] = b
        cholesky_solve(self.W, self.base, self.first, self.W[self.d :], self.n, self.W[self.x :])
        return self.W[self.x :].copy()


def banded(n: int, seed: int) -> Floats:
    """Return a random positive definite matrix whose rows begin at random columns."""
    rng = np.random.default_rng([n, seed])
    L = np.tril(rng.normal(size=(n, n)))
    for i in range(n):
        L[i, : rng.integers(0, i + 1)] = 0.0
        L[i, i] = rng.uniform(0.5, 2.0)
    return np.asarray(L @ L.T)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n", [1, 2, 5, 8, 30])
def test_solutions_and_pivot_ratio(n: int, seed: int) -> None:
    A = banded(n, seed)
    b = np.random.default_rng(seed).normal(size=n)
    stored = Stored(A)
    ratio = stored.factor()
    assert ratio == pytest.approx(np.min(np.diag(np.linalg.cholesky(A)) ** 2 / np.diag(A)), rel=1e-9)
    np.testing.assert_allclose(A @ stored.solve(b), b, atol=1e-10 * np.linalg.cond(A))


def test_a_lifted_matrix_has_a_larger_diagonal() -> None:
    A = banded(6, 1)
    stored = Stored(A)
    stored.factor(lift=0.25)
    b = np.arange(1.0, 7.0)
    np.testing.assert_allclose((A + 0.25 * np.diag(np.diag(A))) @ stored.solve(b), b, atol=1e-11)


def test_a_matrix_that_is_not_positive_is_refused() -> None:
    A = banded(5, 2)
    A[3, 3] = -1.0
    assert Stored(A).factor() == -1.0


@pytest.mark.parametrize("k", range(4))
def test_a_pivot_that_is_left_out_leaves_its_unknown_zero(k: int) -> None:
    J = np.random.default_rng(3).normal(size=(4, 4))
    J[:, k] = 0.0 if k == 0 else J[:, :k] @ np.ones(k)  # column k depends on those before it
    A = J.T @ J
    stored = Stored(A)
    stored.factor(skip=1e-11)
    rest = [c for c in range(4) if c != k]
    b = A @ np.array([1.0, -2.0, 3.0, 0.5])
    x = stored.solve(b)
    assert x[k] == 0.0
    np.testing.assert_allclose(x[rest], np.linalg.solve(A[np.ix_(rest, rest)], b[rest]), rtol=1e-8)
