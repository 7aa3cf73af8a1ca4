"""Eigenvalues and eigenvectors of a symmetric matrix: Jacobi's method, rotation by rotation.

For the few free directions of a mechanism; it is exact to rounding for small eigenvalues beside large ones too.
"""

from __future__ import annotations

import math

from multibody.kernels.compile import inner_kernel

SWEEPS = 60
NEGLIGIBLE = 1e-17  # part of the two diagonal numbers below which one beside them is none


@inner_kernel
def jacobi(A, n, values, U):
    """Write the eigenvalues of A (n×n by rows, destroyed) and their vectors as columns of U (by rows)."""
    for i in range(n):
        for j in range(n):
            U[i * n + j] = 1.0 if i == j else 0.0
    for _ in range(SWEEPS):
        turned = 0
        for i in range(n):
            for j in range(i + 1, n):
                turned += _rotate(A, U, n, i, j)
        if turned == 0:
            break
    for i in range(n):
        values[i] = A[i * n + i]


@inner_kernel
def _rotate(A, U, n, i, j):
    """Rotate rows and columns i, j so that the number between them vanishes; return 1, or 0 where there is none."""
    between, first, second = A[i * n + j], A[i * n + i], A[j * n + j]
    if not abs(between) > NEGLIGIBLE * math.sqrt(abs(first * second)) + 1e-300 or not abs(between) < math.inf:
        A[i * n + j] = A[j * n + i] = 0.0
        return 0
    ratio = (second - first) / (2.0 * between)
    t = math.copysign(1.0, ratio) / (abs(ratio) + math.hypot(1.0, ratio))
    c = 1.0 / math.sqrt(1.0 + t * t)
    s = t * c
    for k in range(n):
        x, y = A[k * n + i], A[k * n + j]
        A[k * n + i], A[k * n + j] = c * x - s * y, s * x + c * y
        x, y = U[k * n + i], U[k * n + j]
        U[k * n + i], U[k * n + j] = c * x - s * y, s * x + c * y
    for k in range(n):
        x, y = A[i * n + k], A[j * n + k]
        A[i * n + k], A[j * n + k] = c * x - s * y, s * x + c * y
    A[i * n + j] = A[j * n + i] = 0.0
    return 1
