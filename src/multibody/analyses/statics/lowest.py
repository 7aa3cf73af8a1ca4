"""The lowest eigenvalues of symmetric matrices along the constraints of a large model."""

from __future__ import annotations

from typing import Any

import numpy as np

from multibody.analyses.statics.balance import Balance
from multibody.state.system import Floats


def lowest_along(balance: Balance, q: Floats, K: Any, M: Any, shift: float, count: int) -> tuple[Floats, Floats]:
    """Return the eigenvalues of K d = x M d along the constraints that are nearest to zero, and the lowest one.

    The first are those of the inverse about −shift, made symmetric with the root R of M on both sides; the lowest one, which
    may be far below zero, is that of Rᵀ G K G R, where G is the inverse of M along the constraints.

    Parameters
    ----------
    balance : Balance
    q : array
        Pose.
    K, M : sparse arrays
        Symmetric, scaled; M ≥ 0 by blocks.
    shift : float
        Small and positive, so that directions without stiffness do no harm.
    count : int

    Returns
    -------
    values : array
        Lowest first.
    vectors : array (nv, values)
        Scaled directions.
    """
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

    n, root = balance.system.nv, _root(M)
    solve, weigh = balance.solver(q, K + shift * M), balance.solver(q, M)
    count = min(count, balance.freedom)
    start = root.T @ weigh(root @ np.random.default_rng(0).normal(size=n))[:n]
    inverse = LinearOperator((n, n), matvec=lambda x: root.T @ solve(root @ np.ravel(x))[:n], dtype=float)
    theta, vectors = eigsh(inverse, k=min(count, n - 2), which="LM", v0=start)
    found = [(1.0 / x - shift, weigh(root @ v)[:n]) for x, v in zip(theta, vectors.T, strict=True)]
    direct = LinearOperator((n, n), matvec=lambda x: root.T @ weigh(K @ weigh(root @ np.ravel(x))[:n])[:n], dtype=float)
    try:
        low, vectors = eigsh(direct, k=1, which="SA", v0=start, tol=1e-6, maxiter=100)
    except ArpackNoConvergence:  # it lies close to others: nothing is far below zero
        low = np.zeros(0)
    if len(low) and low[0] < min(0.0, *(x for x, _ in found)) - 1e-3 * abs(low[0]) and low[0] < -shift:
        found.append((float(low[0]), weigh(root @ vectors[:, 0])[:n]))
    found.sort(key=lambda item: item[0])
    return np.array([x for x, _ in found]), np.array([d for _, d in found]).reshape(len(found), n).T


def _root(M: Any) -> Any:
    """Return R with R Rᵀ = M for a block-diagonal M ≥ 0: of every connected block by its eigenvectors."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    count, label = connected_components(M, directed=False)
    order = np.argsort(label, kind="stable")
    ends = np.cumsum(np.bincount(label, minlength=count))
    rows, columns, values = [], [], []
    first = 0
    for end in ends:
        block = order[first:end]
        sizes, U = np.linalg.eigh(M[block][:, block].toarray())
        part = U * np.sqrt(np.maximum(sizes, 0.0))
        rows.append(np.repeat(block, len(block)))
        columns.append(np.tile(block, len(block)))
        values.append(part.ravel())
        first = end
    made = coo_array((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=M.shape)
    return made.tocsr()
