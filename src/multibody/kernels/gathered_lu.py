"""LU with partial pivoting of a matrix that is mostly zeros, in place, with the places of its nonzero entries gathered.

The rows of joints touch two bodies each, and their factors fill in little: of an engine with 90 unknowns one entry in twelve is
not zero. Elimination and solutions go over these entries alone. Nothing is decided beforehand: pivots are those of dense LU,
and a position in which entries vanish is met as any other.

The places lie in a matrix of the same shape: row r has the columns of its entries in L from its begin on, those in U from
r + 1 on; ``ends`` says how far both go.
"""

from __future__ import annotations

import math

from multibody.kernels.compile import inner_kernel
from multibody.kernels.lu import exchange


@inner_kernel
def factor(A, n, pivots, places, ends):
    """Factor the leading n×n part of A in place; return (sign of the determinant, smallest over largest pivot).

    Parameters
    ----------
    A : array (n, n)
    pivots : array (n,), written
        Row exchanges.
    places : array of int (n, n), written
    ends : array of int (2, n), written
        Of the entries of L and of U in the rows of `places`.
    """
    sign, low, high, met = 1.0, math.inf, 0.0, ends[0]  # the rows of a column that are not zero: columns lie far apart
    for k in range(n):
        count, best = 0, k
        for r in range(k + 1, n):
            if A[r, k] != 0.0:
                met[count] = r
                count += 1
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
        end = ends[1, k] = _gather(A, places, k, k + 1, n)
        for i in range(count):
            r = met[i]
            if A[r, k] != 0.0:  # the row that was exchanged may have none
                m = A[r, k] = A[r, k] / pivot
                if math.isnan(m):  # it may meet zeros alone, and no pivot would show it
                    return (0.0, 0.0)
                for e in range(k + 1, end):
                    A[r, places[k, e]] -= m * A[k, places[k, e]]
    for r in range(n):  # later exchanges move the rows of L
        ends[0, r] = _gather(A, places, r, 0, r)
    return (sign, low / high if n > 0 else 1.0)


@inner_kernel
def _gather(A, places, r, begin, end):
    """Write the columns from begin to end in which row r is not zero; return where they end in its places."""
    at = begin
    for c in range(begin, end):
        if A[r, c] != 0.0:
            places[r, at] = c
            at += 1
    return at


@inner_kernel
def solve(A, n, pivots, places, ends, x):
    """Solve with the factors in A; x is overwritten."""
    for k in range(n):
        p = pivots[k]
        if p != k:
            x[k], x[p] = x[p], x[k]
    for r in range(n):
        total = x[r]
        for e in range(ends[0, r]):
            total -= A[r, places[r, e]] * x[places[r, e]]
        x[r] = total
    for r in range(n - 1, -1, -1):
        total = x[r]
        for e in range(r + 1, ends[1, r]):
            total -= A[r, places[r, e]] * x[places[r, e]]
        x[r] = total / A[r, r]


@inner_kernel
def solve_transposed(A, n, pivots, places, ends, x):
    """Solve with the transpose of the factored matrix; x is overwritten."""
    for r in range(n):
        found = x[r] = x[r] / A[r, r]
        for e in range(r + 1, ends[1, r]):
            x[places[r, e]] -= A[r, places[r, e]] * found
    for r in range(n - 1, -1, -1):
        found = x[r]
        for e in range(ends[0, r]):
            x[places[r, e]] -= A[r, places[r, e]] * found
    for k in range(n - 1, -1, -1):
        p = pivots[k]
        if p != k:
            x[k], x[p] = x[p], x[k]


@inner_kernel
def smallest_singular_value(A, n, pivots, places, ends, x, sweeps):
    """Return σ_min by inverse iteration on AᵀA from the vector x, which is left at the right singular vector."""
    sigma = 0.0
    for _ in range(sweeps):
        solve_transposed(A, n, pivots, places, ends, x)
        if not _normalize(n, x) > 0.0:
            return 0.0
        solve(A, n, pivots, places, ends, x)
        length = _normalize(n, x)
        if not length > 0.0:
            return 0.0
        sigma = 1.0 / length
    return sigma


@inner_kernel
def _normalize(n, x):
    """Give x the length 1; return the length that it had, 0 where that is none or not finite and x is left alone."""
    length = 0.0
    for k in range(n):
        length += x[k] * x[k]
    length = math.sqrt(length)
    if not length > 0.0 or length == math.inf:
        return 0.0
    for k in range(n):
        x[k] /= length
    return length
