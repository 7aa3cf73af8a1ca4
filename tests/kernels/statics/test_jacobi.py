"""Jacobi's method against LAPACK, and what LAPACK does not give: small eigenvalues beside large ones."""

from __future__ import annotations

import numpy as np
import pytest

from multibody.kernels.compile import kernel
from multibody.kernels.statics.jacobi import jacobi


@kernel
def spectrum(A, n, values, U):  # type: ignore[no-untyped-def]
    """Enter Jacobi's method."""
    jacobi(A, n, values, U)


@pytest.mark.parametrize("n", [0, 1, 2, 7, 20])
def test_eigenvalues_and_vectors(n: int) -> None:
    random = np.random.default_rng(n)
    A = random.normal(size=(n, n))
    A = A + A.T
    values, U = np.zeros(n), np.zeros(n * n)
    spectrum(A.copy().reshape(-1), n, values, U)
    np.testing.assert_allclose(np.sort(values), np.linalg.eigvalsh(A), atol=1e-13 * max(n, 1))
    U = U.reshape(n, n)
    np.testing.assert_allclose(U.T @ U, np.eye(n), atol=1e-14 * max(n, 1))
    np.testing.assert_allclose(A @ U, U * values, atol=1e-13 * max(n, 1))


def test_equal_and_vanishing_eigenvalues() -> None:
    values, U = np.zeros(3), np.zeros(9)
    spectrum(np.full(9, 2.0), 3, values, U)
    np.testing.assert_allclose(np.sort(values), [0.0, 0.0, 6.0], atol=1e-15)
    spectrum(np.zeros(9), 3, values, U)
    assert np.all(values == 0.0) and np.array_equal(U.reshape(3, 3), np.eye(3))


def test_small_eigenvalues_beside_large_ones() -> None:
    """D B D with D = (1e8, 1, 1e-8): the determinant is that of B, 5/2, and every eigenvalue has all its digits."""
    D, B = np.array([1e8, 1.0, 1e-8]), np.array([[2.0, 1.0, 0.5], [1.0, 2.0, 0.5], [0.5, 0.5, 1.0]])
    values, U = np.zeros(3), np.zeros(9)
    spectrum((D[:, None] * B * D).reshape(-1), 3, values, U)
    assert np.prod(values) == pytest.approx(np.linalg.det(B), rel=1e-14)
    assert values.min() == pytest.approx(1e-16 / np.linalg.inv(B)[2, 2], rel=1e-12)
