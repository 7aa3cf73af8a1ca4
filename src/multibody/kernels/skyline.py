"""Cholesky factors L D Lᵀ of a symmetric matrix stored by rows from its first entry on (skyline, envelope).

L has ones on its diagonal: in a small matrix the square roots of L Lᵀ, each waiting for the one before, would be felt. Row i
holds columns first[i] … i; entry (i, j) lies at S[base[i] + j]. Fill stays inside the envelope, so that a chain or a ladder
of loops costs an amount linear in its length, and a small dense matrix costs what dense Cholesky costs.
"""

from __future__ import annotations

from multibody.kernels.compile import inlined


@inlined
def cholesky(S, base, first, D, n, lift, skip):
    """Factor the n rows of S in place; 1/D_i goes to D[i]. Return the smallest pivot over its diagonal entry.

    Parameters
    ----------
    S, base, first : arrays
        Entries, where column 0 of each row would lie, first column of each row.
    D : array (n,), written
    lift : float
        This part of a diagonal entry is added to it (regularization; 0 for none).
    skip : float
        A pivot below this part of its diagonal entry is left out, and its unknown is 0 (0: none is).

    Returns
    -------
    float
        sin² of the smallest angle between a row and those before it, in the metric of the matrix; ≤ 0 or NaN where the
        matrix is not positive definite (the factors are then useless).
    """
    lowest = 1.0
    for i in range(n):
        at, fi = base[i], first[i]
        diagonal = S[at + i]
        pivot = diagonal * (1.0 + lift)
        for j in range(fi + 1, i):
            bj, total = base[j], S[at + j]
            for k in range(max(fi, first[j]), j):
                total -= S[at + k] * S[bj + k]
            S[at + j] = total
        for j in range(fi, i):
            total = S[at + j]  # L_ij D_j
            S[at + j] = total * D[j]
            pivot -= total * S[at + j]
        if pivot <= skip * diagonal and skip > 0.0:
            D[i] = 0.0
            continue
        if not pivot > 0.0:
            return -1.0
        lowest = min(lowest, pivot / diagonal)
        D[i] = 1.0 / pivot
    return lowest


@inlined
def cholesky_solve(S, base, first, D, n, x):
    """Solve L D Lᵀ x = b in place."""
    for i in range(n):
        at = base[i]
        total = x[i]
        for k in range(first[i], i):
            total -= S[at + k] * x[k]
        x[i] = total
    for i in range(n):
        x[i] *= D[i]
    for i in range(n - 1, -1, -1):
        at, value = base[i], x[i]
        for k in range(first[i], i):
            x[k] -= S[at + k] * value
