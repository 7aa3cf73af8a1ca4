"""Linear conditions of any rank: rows that are independent, and smallest steps that satisfy them, dense or sparse."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
DENSE_LIMIT = 400  # unknowns that are followed with dense factors; beyond, the sparse path
DENSE_ASSEMBLY = 150  # unknowns that are assembled with singular values
CUT = 1e-9  # singular values below this part of the largest count as zero


def is_large(unknowns: int) -> bool:
    """Return whether a mechanism with so many velocity coordinates is followed with sparse factors."""
    return unknowns > DENSE_LIMIT


def independent_rows(J: Floats, cut: float = 1e-9, floor: float = 0.0, most: int | None = None) -> Integers:
    """Return rows of J that are independent, earlier rows preferred where the pivots allow, in increasing order.

    A pivot counts if it is above `cut` times the largest one and above `floor`, and among the `most` largest.
    """
    if J.size == 0:
        return np.zeros(0, dtype=np.int64)
    if J.shape[0] <= J.shape[1] and (most is None or len(J) <= most):
        sizes = np.linalg.svd(J, compute_uv=False)
        # no pivot is below the least singular value, none above the largest: all rows stay
        if sizes[-1] > max(cut * sizes[0], floor):
            return np.arange(len(J), dtype=np.int64)
    from scipy.linalg import qr  # takes long to import, and most models have no redundant rows

    _, R, order = qr(J.T, mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(R))
    rank = int(np.sum(diagonal > max(cut * diagonal[0], floor, 1e-300)))
    return np.sort(order[: rank if most is None else min(rank, most)]).astype(np.int64)


def least_norm(J: Floats, b: Floats, cut: float = CUT) -> tuple[Floats, Floats]:
    """Return the smallest x with J x = b (least squares where that has no solution) and a basis of null(J)."""
    m, n = J.shape
    if m == 0:
        return np.zeros(n), np.eye(n)
    U, s, Vt = np.linalg.svd(J, full_matrices=True)
    rank = int(np.sum(s > cut * max(s[0], 1e-300)))
    x = Vt[:rank].T @ ((U[:, :rank].T @ b) / s[:rank])
    return x, Vt[rank:].T


def constrained_step(J: Floats, c: Floats, soft: Floats, rest: Floats, cut: float = CUT) -> Floats:
    """Return the step with J δ = −c that brings soft δ nearest to −rest, smallest where that leaves freedom."""
    x, Z = least_norm(J, -c, cut)
    if len(rest) == 0 or Z.shape[1] == 0:
        return x
    y, *_ = np.linalg.lstsq(soft @ Z, -rest - soft @ x, rcond=1e-10)
    return np.asarray(x + Z @ y)


def sparse_step(J: Any, c: Floats, soft: Any = None, rest: Floats | None = None, damping: float = 1e-10) -> Floats:
    """Return the same step for a large sparse J, by one quasi-definite system.

    ``[μ Jᵀ Sᵀ; J −ε 0; S 0 −1]``: the smallest δ with J δ = −c that brings S δ near −rest; a small μ lets the guesses rule
    over the norm, proximal refinement removes the trace of ε, and dependent rows do no harm.

    Parameters
    ----------
    J, soft : sparse matrices
    c, rest : arrays
    damping : float
        ε; directions whose singular values are below its root are left alone.
    """
    from scipy.sparse import bmat, csr_matrix, identity
    from scipy.sparse.linalg import splu

    m, n = J.shape
    S = csr_matrix((0, n)) if soft is None or soft.shape[0] == 0 else soft
    k = S.shape[0]
    mu = 1e-6 if k else 1.0
    weak = -identity(k) if k else None
    blocks = [[mu * identity(n), J.T, S.T], [J, -damping * identity(m), None], [S, None, weak]]
    factors = splu(bmat(blocks if k else [row[:2] for row in blocks[:2]], format="csc"))
    right = np.concatenate([np.zeros(n), -c, np.zeros(k) if rest is None else -rest])
    x = np.zeros(n + m + k)
    for _ in range(3):
        d, multipliers, pull = x[:n], x[n : n + m], x[n + m :]
        upper = mu * d + J.T @ multipliers + S.T @ pull
        x = x + factors.solve(right - np.concatenate([upper, J @ d, S @ d - pull]))
    return np.asarray(x[:n])
