"""Dense LU with partial pivoting, in place."""

from __future__ import annotations

import math

from multibody.kernels.compile import inner_kernel


@inner_kernel
def exchange(A, n, k, best, pivots):
    """Exchange row k for the one with the best pivot; return whether they are two."""
    pivots[k] = best
    if best != k:
        for c in range(n):
            A[k, c], A[best, c] = A[best, c], A[k, c]
    return best != k


@inner_kernel
def factor(A, n, pivots):
    """Factor the leading n×n part of A in place; return (sign of the determinant, smallest over largest pivot)."""
    sign, low, high = 1.0, math.inf, 0.0
    for k in range(n):
        best = k
        for r in range(k + 1, n):
            if abs(A[r, k]) > abs(A[best, k]):
                best = r
        if exchange(A, n, k, best, pivots):
            sign = -sign
        pivot = A[k, k]
        low, high = min(low, abs(pivot)), max(high, abs(pivot))
        if pivot < 0.0:
            sign = -sign
        if not abs(pivot) > 0.0:  # zero, or not a number
            return (0.0, 0.0)
        for r in range(k + 1, n):
            if A[r, k] != 0.0:
                A[r, k] /= pivot
                m = A[r, k]
                for c in range(k + 1, n):
                    A[r, c] -= m * A[k, c]
    return (sign, low / high if n > 0 else 1.0)


@inner_kernel
def solve(A, n, pivots, x):
    """Solve with the factors in A; x is overwritten."""
    for k in range(n):
        p = pivots[k]
        if p != k:
            x[k], x[p] = x[p], x[k]
    for r in range(n):
        total = x[r]
        for c in range(r):
            total -= A[r, c] * x[c]
        x[r] = total
    for r in range(n - 1, -1, -1):
        total = x[r]
        for c in range(r + 1, n):
            total -= A[r, c] * x[c]
        x[r] = total / A[r, r]


@inner_kernel
def solve_transposed(A, n, pivots, x):
    """Solve with the transpose of the factored matrix; x is overwritten."""
    for r in range(n):
        total = x[r]
        for c in range(r):
            total -= A[c, r] * x[c]
        x[r] = total / A[r, r]
    for r in range(n - 1, -1, -1):
        total = x[r]
        for c in range(r + 1, n):
            total -= A[c, r] * x[c]
        x[r] = total
    for k in range(n - 1, -1, -1):
        p = pivots[k]
        if p != k:
            x[k], x[p] = x[p], x[k]
