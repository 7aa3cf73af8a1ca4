"""LU, dense and with its zeros skipped: factors, solutions, sign of the determinant, smallest singular value, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from kernels.entrance import entrance
from multibody.kernels import gathered_lu, lu

Floats = npt.NDArray[np.float64]
SIZES = [1, 2, 3, 5, 8, 13, 20, 30]
smallest_singular_value = entrance(gathered_lu.smallest_singular_value)


class Dense:
    """Factors of the leading part of a matrix, with their sign and the ratio of their pivots."""

    kernels: Any = tuple(entrance(kernel) for kernel in (lu.factor, lu.solve, lu.solve_transposed))

    def __init__(self, A: Floats, n: int | None = None) -> None:
        self.n, self.LU, self.pivots = len(A) if n is None else n, A.copy(), np.full(len(A), -7, dtype=np.int64)
        self.sign, self.ratio = self.kernels[0](*self.factors)

    @property
    def factors(self) -> tuple[Any, ...]:
        """What kernels take."""
        return self.LU, self.n, self.pivots

    def solve(self, b: Floats) -> Floats:
        x = b.copy()
        self.kernels[1](*self.factors, x)
        return x

    def solve_transposed(self, b: Floats) -> Floats:
        x = b.copy()
        self.kernels[2](*self.factors, x)
        return x


class Gathered(Dense):
    """The same with the places of what is not zero."""

    kernels = tuple(entrance(kernel) for kernel in (gathered_lu.factor, gathered_lu.solve, gathered_lu.solve_transposed))

    def __init__(self, A: Floats, n: int | None = None) -> None:
        self.places, self.ends = np.zeros(A.shape, dtype=np.int64), np.zeros((2, len(A)), dtype=np.int64)
        super().__init__(A, n)

    @property
    def factors(self) -> tuple[Any, ...]:
        return self.LU, self.n, self.pivots, self.places, self.ends


@pytest.fixture(params=[Dense, Gathered])
def factored(request: pytest.FixtureRequest) -> Any:
    return request.param


def random_matrix(n: int, seed: int, condition: float = 100.0) -> Floats:
    """Return a random matrix with singular values from 1 to 1/condition, the last one set apart from the others."""
    rng = np.random.default_rng([n, seed])
    left, right = (np.linalg.qr(rng.normal(size=(n, n)))[0] for _ in range(2))
    values = np.geomspace(1.0, 2.0 / condition, n) if n > 1 else np.array([1.0])
    values[-1] = 1.0 / condition
    left[:, 0] *= rng.choice([-1.0, 1.0])  # QR alone would give all of them the same sign of the determinant
    return np.asarray(left @ np.diag(values) @ right)


def sparse_matrix(n: int, seed: int) -> Floats:
    """Return a random matrix of which most entries are zero, with no zero entry on a hidden diagonal."""
    rng = np.random.default_rng([n, seed])
    A = np.where(rng.uniform(size=(n, n)) < 2.0 / n, rng.normal(size=(n, n)), 0.0)
    return np.asarray((A + np.diag(rng.choice([-1.0, 1.0], n) * rng.uniform(1.0, 2.0, n)))[rng.permutation(n)])


MATRICES = pytest.mark.parametrize("matrix", [random_matrix, sparse_matrix])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n", SIZES)
@MATRICES
def test_factors_multiply_to_the_matrix(matrix: Any, n: int, seed: int, factored: Any) -> None:
    A = matrix(n, seed)
    found = factored(A)
    permuted = A.copy()
    for k, p in enumerate(found.pivots):
        permuted[[k, p]] = permuted[[p, k]]
    lower = np.tril(found.LU, -1)
    np.testing.assert_allclose((lower + np.eye(n)) @ np.triu(found.LU), permuted, atol=1e-14 * n)
    assert np.all(np.abs(lower) <= 1.0)  # the largest of a column is its pivot
    diagonal = np.abs(np.diag(found.LU))
    assert found.ratio == pytest.approx(diagonal.min() / diagonal.max(), rel=1e-14)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n", SIZES)
@MATRICES
def test_solutions(matrix: Any, n: int, seed: int, factored: Any) -> None:
    A, b = matrix(n, seed), np.random.default_rng([n, seed, 1]).normal(size=n)
    found, size = factored(A), 1e-11 * max(1.0, np.linalg.cond(A) / 100.0)
    np.testing.assert_allclose(found.solve(b), np.linalg.solve(A, b), rtol=1e-10, atol=size)
    np.testing.assert_allclose(found.solve_transposed(b), np.linalg.solve(A.T, b), rtol=1e-10, atol=size)


@pytest.mark.parametrize("seed", range(4))
@MATRICES
def test_skipping_zeros_changes_no_pivot(matrix: Any, seed: int) -> None:
    dense, gathered = Dense(matrix(20, seed)), Gathered(matrix(20, seed))
    np.testing.assert_array_equal(dense.pivots, gathered.pivots)
    assert (dense.sign, dense.ratio) == (gathered.sign, pytest.approx(gathered.ratio, rel=1e-12))
    np.testing.assert_allclose(dense.LU, gathered.LU, rtol=1e-12, atol=1e-15)


def test_the_places_are_those_of_all_entries_that_are_not_zero() -> None:
    found = Gathered(sparse_matrix(30, 2))
    for r in range(30):
        lower, upper = found.places[r, : found.ends[0, r]], found.places[r, r + 1 : found.ends[1, r]]
        np.testing.assert_array_equal(np.concatenate([lower, [r], upper]), np.flatnonzero(found.LU[r]))
    assert np.count_nonzero(found.LU) < 450  # of 900


@pytest.mark.parametrize("n", SIZES)
@MATRICES
def test_sign_of_the_determinant(matrix: Any, n: int, factored: Any) -> None:
    signs = []
    for seed in range(20):
        A = matrix(n, seed)
        signs.append(factored(A).sign)
        assert signs[-1] == np.sign(np.linalg.det(A))
        swapped = A[[1, 0, *range(2, n)]] if n > 1 else -A
        assert factored(swapped).sign == -signs[-1]
    assert set(signs) == {1.0, -1.0}


@pytest.mark.parametrize("n", [n for n in SIZES if n > 1])
def test_smallest_singular_value(n: int) -> None:
    A = random_matrix(n, 0, condition=1e5)
    found = Gathered(A)
    exact = np.linalg.svd(A, compute_uv=False)[-1]
    x = np.random.default_rng(n).normal(size=n)
    assert smallest_singular_value(*found.factors, x, 1) >= exact * (1.0 - 1e-10)  # from above, whatever the start
    assert smallest_singular_value(*found.factors, x, 40) == pytest.approx(exact, rel=1e-9)
    # The vector it leaves is the right singular one, of length 1: the direction that A hardly maps.
    assert np.linalg.norm(x) == pytest.approx(1.0, rel=1e-14)
    assert np.linalg.norm(A @ x) == pytest.approx(exact, rel=1e-9)


def test_only_the_leading_part_is_touched(factored: Any) -> None:
    whole = random_matrix(12, 3)
    found = factored(whole, 7)
    assert found.sign == np.sign(np.linalg.det(whole[:7, :7]))
    np.testing.assert_array_equal(found.LU[7:], whole[7:])
    np.testing.assert_array_equal(found.LU[:, 7:], whole[:, 7:])
    np.testing.assert_array_equal(found.pivots[7:], -7)
    b = np.arange(12.0)
    x, y = found.solve(b), found.solve_transposed(b)
    np.testing.assert_allclose(x[:7], np.linalg.solve(whole[:7, :7], b[:7]), rtol=1e-10)
    np.testing.assert_allclose(y[:7], np.linalg.solve(whole[:7, :7].T, b[:7]), rtol=1e-10)
    np.testing.assert_array_equal(x[7:], b[7:])
    np.testing.assert_array_equal(y[7:], b[7:])


@pytest.mark.parametrize("A", [np.zeros((3, 3)), np.array([[1.0, 2.0], [2.0, 4.0]]), np.diag([1.0, 0.0, 2.0])])
def test_an_exactly_singular_matrix_has_no_sign(A: Floats, factored: Any) -> None:
    found = factored(A)
    assert (found.sign, found.ratio) == (0.0, 0.0)


def test_nearly_singular_matrices_show_in_the_ratio_of_the_pivots(factored: Any) -> None:
    A = random_matrix(10, 1, condition=1e13)
    assert factored(A).ratio < 1e-9
    assert factored(np.eye(10)).ratio == 1.0


def test_a_system_without_unknowns(factored: Any) -> None:
    found = factored(np.zeros((0, 0)))
    assert (found.sign, found.ratio) == (1.0, 1.0)


@pytest.mark.parametrize("A", [random_matrix(4, 0), np.eye(4)])
def test_a_matrix_that_is_not_a_number_is_never_taken_for_regular(A: Floats, factored: Any) -> None:
    A = A.copy()
    A[2, 1] = np.nan
    assert not factored(A).ratio > 0.0
