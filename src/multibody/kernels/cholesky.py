"""Cholesky factors L Lᵀ of a small full matrix, its lower half by rows; those of a run are in ``skyline``."""

from __future__ import annotations

import math

from multibody.kernels.compile import inner_kernel

ANY = -1.0  # least part of a diagonal entry that a pivot may be, where pivots are taken as they are


@inner_kernel
def factor_lower(A, n, least):
    """Factor the lower half of A (n×n by rows) in place; return whether no pivot is too small.

    One that is not above `least` of its diagonal entry is made infinite: its unknown will be 0.
    """
    whole = True
    for i in range(n):
        limit = least * A[n * i + i]
        for j in range(i + 1):
            total = A[n * i + j]
            for k in range(j):
                total -= A[n * i + k] * A[n * j + k]
            if i != j:
                A[n * i + j] = total / A[n * j + j]
            elif total > limit or least < 0.0:
                A[n * i + i] = math.sqrt(total)
            else:
                A[n * i + i], whole = math.inf, False
    return whole


@inner_kernel
def solve_lower(A, n, x):
    """Solve with these factors, in place."""
    for i in range(n):
        for k in range(i):
            x[i] -= A[n * i + k] * x[k]
        x[i] /= A[n * i + i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] -= A[n * k + i] * x[k]
        x[i] /= A[n * i + i]
