"""Cholesky factors L D Lᵀ of a symmetric matrix stored by rows from its first entry on (skyline, envelope).

L has ones on its diagonal: in a small matrix the square roots of L Lᵀ, each waiting for the one before, would be felt. Row i
holds columns first[i] … i; entry (i, j) lies at W[base[i] + j]. Fill stays inside the envelope, so that a chain or a ladder
of loops costs an amount linear in its length, and a small dense matrix costs what dense Cholesky costs.
"""

from __future__ import annotations

from multibody.kernels.compile import inlined


@inlined
def cholesky(model, scratch, n, base, first, d, lift, skip):
    """Factor in place; 1/D_i goes to W[d + i]. Return the smallest pivot over its diagonal entry.

    Parameters
    ----------
    n : int
    base, first : int
        Where the lists of row bases and first columns begin in I.
    d : int
        Place in W of D⁻¹.
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
    I, W = model.I, scratch.W
    lowest = 1.0
    for i in range(n):
        at, fi = I[base + i], I[first + i]
        diagonal = W[at + i]
        pivot = diagonal * (1.0 + lift)
        for j in range(fi + 1, i):
            bj, total = I[base + j], W[at + j]
            for k in range(max(fi, I[first + j]), j):
                total -= W[at + k] * W[bj + k]
            W[at + j] = total
        for j in range(fi, i):
            total = W[at + j]  # L_ij D_j
            W[at + j] = total * W[d + j]
            pivot -= total * W[at + j]
        if pivot <= skip * diagonal and skip > 0.0:
            W[d + i] = 0.0
            continue
        if not pivot > 0.0:
            return -1.0
        lowest = min(lowest, pivot / diagonal)
        W[d + i] = 1.0 / pivot
    return lowest


@inlined
def cholesky_solve(model, scratch, n, base, first, d, x):
    """Solve L D Lᵀ x = b in place, b and x at W[x…]."""
    I, W = model.I, scratch.W
    for i in range(n):
        at = I[base + i]
        total = W[x + i]
        for k in range(I[first + i], i):
            total -= W[at + k] * W[x + k]
        W[x + i] = total
    for i in range(n):
        W[x + i] *= W[d + i]
    for i in range(n - 1, -1, -1):
        at, value = I[base + i], W[x + i]
        for k in range(I[first + i], i):
            W[x + k] -= W[at + k] * value
