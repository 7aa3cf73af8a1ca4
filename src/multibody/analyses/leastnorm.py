"""Smallest steps that satisfy linear conditions of any rank, dense or sparse."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
DENSE_LIMIT = 400  # unknowns; beyond, the sparse path
CUT = 1e-9  # singular values below this part of the largest count as zero


def least_norm(J: Floats, b: Floats, cut: float = CUT) -> tuple[Floats, Floats]:
    """Return the smallest x with J x = b (least squares where that has no solution) and a basis of null(J)."""
    m, n = J.shape
    if m == 0:
        return np.zeros(n), np.eye(n)
    U, s, Vt = np.linalg.svd(J, full_matrices=True)
    rank = int(np.sum(s > cut * max(s[0], 1e-300)))
    x = Vt[:rank].T @ ((U[:, :rank].T @ b) / s[:rank])
    return x, Vt[rank:].T


def constrained_step(
    J: Floats, c: Floats, soft: Floats, rest: Floats, cut: float = CUT
) -> Floats:
    """Return the step with J δ = −c that brings soft δ nearest to −rest, smallest where that leaves freedom."""
    x, Z = least_norm(J, -c, cut)
    if len(rest) == 0 or Z.shape[1] == 0:
        return x
    y, *_ = np.linalg.lstsq(soft @ Z, -rest - soft @ x, rcond=1e-10)
    return np.asarray(x + Z @ y)


def sparse_step(
    entries: Floats, rows: npt.NDArray[np.int64], columns: npt.NDArray[np.int64], shape: tuple[int, int], c: Floats
) -> Floats:
    """Return the smallest δ with J δ = −c for a large sparse J, by the quasi-definite system [I Jᵀ; J −ε]."""
    from scipy.sparse import bmat, csr_matrix, identity
    from scipy.sparse.linalg import splu

    m, n = shape
    J = csr_matrix((entries, (rows, columns)), shape=shape)
    epsilon = 1e-10
    K = bmat([[identity(n), J.T], [J, -epsilon * identity(m)]], format="csc")
    factors = splu(K, permc_spec="COLAMD")
    x = np.zeros(n + m)
    right = np.concatenate([np.zeros(n), -c])
    for _ in range(3):  # proximal refinement removes the trace of ε
        residual = right - np.concatenate([x[:n] + J.T @ x[n:], J @ x[:n]])
        x = x + factors.solve(residual)
    return np.asarray(x[:n])
