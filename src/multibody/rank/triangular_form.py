"""Square patterns in triangular form: the smallest parts of a system of equations that are solved one after the other.

And the determinants of these parts, from the factors of a matrix in that form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from multibody.state.system import Floats, Integers


@dataclass(frozen=True)
class Parts:
    """The strongly connected parts of a square pattern.

    Attributes
    ----------
    match : array (n,)
        The column that is solved from each row.
    part : array (n,)
        The part of each row.
    order : array (parts,)
        The parts, each after those that it needs.
    """

    match: Integers
    part: Integers
    order: Integers


def split(pattern: Any, owners: Integers | None = None) -> Parts | None:
    """Return the parts of a square pattern, None where it is singular whatever its numbers are.

    Parameters
    ----------
    pattern : sparse array (n, n)
    owners : array (n,), optional
        Columns with the same owner (not negative) are kept in one part.
    """
    from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

    entries = sparse.coo_array(pattern)
    n = entries.shape[0]
    rows, columns = (np.asarray(part, dtype=np.int64) for part in entries.coords)
    graph: Any = sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(n, n))
    match = np.asarray(maximum_bipartite_matching(graph, perm_type="column"), dtype=np.int64)
    if np.any(match < 0):
        return None
    row_of = np.empty(n, dtype=np.int64)
    row_of[match] = np.arange(n)
    needed = row_of[columns]
    ring = _rings(owners[match]) if owners is not None else (rows[:0], rows[:0])
    edges = (np.concatenate([rows, ring[0]]), np.concatenate([needed, ring[1]]))
    graph = sparse.csr_matrix((np.ones(len(edges[0])), edges), shape=(n, n))
    count, labels = connected_components(graph, directed=True, connection="strong")
    part = np.asarray(labels, dtype=np.int64)
    return Parts(match, part, _levels(part[rows], part[needed], count))


def _rings(owners: Integers) -> tuple[Integers, Integers]:
    """Return edges that tie all rows of one owner into a ring, so that they end up in one part."""
    known = np.flatnonzero(owners >= 0)
    order = known[np.argsort(owners[known], kind="stable")]
    first = np.flatnonzero(np.diff(owners[order], prepend=-1))
    after = np.arange(1, len(order) + 1)
    after[np.append(first[1:], len(order)) - 1] = first
    return order, order[after]


def _levels(part: Integers, needs: Integers, count: int) -> Integers:
    """Return the parts level by level: first those that need no other, then those that need only these, and so on."""
    pairs = np.unique(np.stack([needs, part])[:, part != needs], axis=1)
    waiting = np.bincount(pairs[1], minlength=count)
    begin = np.searchsorted(pairs[0], np.arange(count + 1))
    level = np.flatnonzero(waiting == 0)
    order = []
    while len(level):
        order.append(level)
        users = np.concatenate([pairs[1, begin[k] : begin[k + 1]] for k in level])
        np.subtract.at(waiting, users, 1)
        level = np.unique(users[waiting[users] == 0])
    return np.concatenate(order).astype(np.int64) if order else np.zeros(0, dtype=np.int64)


def determinants(lu: Any, block: Integers, count: int) -> tuple[Floats, Floats]:
    """Return sign and logarithm of the determinant of every block of a factored block triangular matrix.

    Parameters
    ----------
    lu : SuperLU
        Its pivots stay in their blocks.
    block : array (n,)
        The block of each row and of each column.
    count : int
        Number of blocks.
    """
    from scipy.sparse.csgraph import connected_components

    n = len(block)
    column_at = np.empty(n, dtype=np.int64)
    column_at[lu.perm_c] = np.arange(n)
    permutation = column_at[lu.perm_r]  # the column in which each row has its pivot
    graph = sparse.csr_matrix((np.ones(n), permutation, np.arange(n + 1)), shape=(n, n))
    cycles, cycle = connected_components(graph)
    of_cycle = np.empty(cycles, dtype=np.int64)
    of_cycle[cycle] = block  # a cycle does not leave its block
    swaps = np.bincount(block, minlength=count) - np.bincount(of_cycle, minlength=count)
    at, pivots = block[column_at], np.asarray(lu.U.diagonal())
    negative = np.bincount(at, weights=pivots < 0.0, minlength=count)
    logarithm = np.bincount(at, weights=np.log(np.maximum(np.abs(pivots), 1e-300)), minlength=count)
    return np.asarray(1.0 - 2.0 * ((swaps + negative) % 2.0), dtype=float), np.asarray(logarithm, dtype=float)
