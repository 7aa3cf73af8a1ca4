"""Dense LU: factors, solutions, sign of the determinant, smallest singular value, against NumPy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from kernels.entrance import entrance
from multibody.kernels import lu

factor, solve, solve_transposed = entrance(lu.factor), entrance(lu.solve), entrance(lu.solve_transposed)
smallest_singular_value = entrance(lu.smallest_singular_value)

Floats = npt.NDArray[np.float64]
SIZES = [1, 2, 3, 5, 8, 13, 20, 30]


def random_matrix(n: int, seed: int, condition: float = 100.0) -> Floats:
    """Return a random matrix with singular values from 1 to 1/condition, the last one set apart from the others."""
    rng = np.random.default_rng([n, seed])
    left, right = (np.linalg.qr(rng.normal(size=(n, n)))[0] for _ in range(2))
    values = np.geomspace(1.0, 2.0 / condition, n) if n > 1 else np.array([1.0])
    values[-1] = 1.0 / condition
    left[:, 0] *= rng.choice([-1.0, 1.0])  # QR alone would give all of them the same sign of the determinant
    return np.asarray(left @ np.diag(values) @ right)


def factored(A: Floats) -> tuple[Floats, npt.NDArray[np.int64], float, float]:
    """Return factors, pivots, sign and pivot ratio."""
    n = len(A)
    LU, pivots = A.copy(), np.zeros(n, dtype=np.int64)
    sign, ratio = factor(LU, n, pivots)
    return LU, pivots, sign, ratio


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n", SIZES)
def test_factors_multiply_to_the_matrix(n: int, seed: int) -> None:
    A = random_matrix(n, seed)
    LU, pivots, _, ratio = factored(A)
    permuted = A.copy()
    for k, p in enumerate(pivots):
        permuted[[k, p]] = permuted[[p, k]]
    lower = np.tril(LU, -1)
    np.testing.assert_allclose((lower + np.eye(n)) @ np.triu(LU), permuted, atol=1e-14 * n)
    assert np.all(np.abs(lower) <= 1.0)  # the largest of a column is its pivot
    diagonal = np.abs(np.diag(LU))
    assert ratio == pytest.approx(diagonal.min() / diagonal.max(), rel=1e-14)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n", SIZES)
def test_solutions(n: int, seed: int) -> None:
    A, b = random_matrix(n, seed), np.random.default_rng([n, seed, 1]).normal(size=n)
    LU, pivots, _, _ = factored(A)
    x, y = b.copy(), b.copy()
    solve(LU, n, pivots, x)
    solve_transposed(LU, n, pivots, y)
    np.testing.assert_allclose(x, np.linalg.solve(A, b), rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(y, np.linalg.solve(A.T, b), rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("n", SIZES)
def test_sign_of_the_determinant(n: int) -> None:
    signs = []
    for seed in range(20):
        A = random_matrix(n, seed)
        signs.append(factored(A)[2])
        assert signs[-1] == np.sign(np.linalg.det(A))
        swapped = A[[1, 0, *range(2, n)]] if n > 1 else -A
        assert factored(swapped)[2] == -signs[-1]
    assert set(signs) == {1.0, -1.0}


@pytest.mark.parametrize("n", [n for n in SIZES if n > 1])
def test_smallest_singular_value(n: int) -> None:
    A = random_matrix(n, 0, condition=1e5)
    LU, pivots, _, _ = factored(A)
    exact = np.linalg.svd(A, compute_uv=False)[-1]
    x = np.random.default_rng(n).normal(size=n)
    assert smallest_singular_value(LU, n, pivots, x, 1) >= exact * (1.0 - 1e-10)  # from above, whatever the start
    found = smallest_singular_value(LU, n, pivots, x, 40)
    assert found == pytest.approx(exact, rel=1e-9)
    # The vector it leaves is the right singular one, of length 1: the direction that A hardly maps.
    assert np.linalg.norm(x) == pytest.approx(1.0, rel=1e-14)
    assert np.linalg.norm(A @ x) == pytest.approx(exact, rel=1e-9)


def test_only_the_leading_part_is_touched() -> None:
    whole = random_matrix(12, 3)
    A, pivots = whole.copy(), np.full(12, -7, dtype=np.int64)
    sign, _ = factor(A, 7, pivots)
    assert sign == np.sign(np.linalg.det(whole[:7, :7]))
    np.testing.assert_array_equal(A[7:], whole[7:])
    np.testing.assert_array_equal(A[:, 7:], whole[:, 7:])
    np.testing.assert_array_equal(pivots[7:], -7)
    b = np.arange(12.0)
    x, y = b.copy(), b.copy()
    solve(A, 7, pivots, x)
    solve_transposed(A, 7, pivots, y)
    np.testing.assert_allclose(x[:7], np.linalg.solve(whole[:7, :7], b[:7]), rtol=1e-10)
    np.testing.assert_allclose(y[:7], np.linalg.solve(whole[:7, :7].T, b[:7]), rtol=1e-10)
    np.testing.assert_array_equal(x[7:], b[7:])
    np.testing.assert_array_equal(y[7:], b[7:])


@pytest.mark.parametrize("A", [np.zeros((3, 3)), np.array([[1.0, 2.0], [2.0, 4.0]]), np.diag([1.0, 0.0, 2.0])])
def test_an_exactly_singular_matrix_has_no_sign(A: Floats) -> None:
    assert factored(A)[2:] == (0.0, 0.0)


def test_nearly_singular_matrices_show_in_the_ratio_of_the_pivots() -> None:
    A = random_matrix(10, 1, condition=1e13)
    assert factored(A)[3] < 1e-9
    assert factored(np.eye(10))[3] == 1.0


def test_a_system_without_unknowns() -> None:
    assert factored(np.zeros((0, 0)))[2:] == (1.0, 1.0)


def test_a_matrix_that_is_not_a_number_is_never_taken_for_regular() -> None:
    A = random_matrix(4, 0)
    A[2, 1] = np.nan
    ratio = factored(A)[3]
    assert not ratio > 0.0
