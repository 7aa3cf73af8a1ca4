"""Rank and dependencies of the rows of one matrix: by singular values, or vertex after vertex where it is large.

Both answer with circuits: each dropped row with the rows it depends on and the coefficients of their vanishing sum.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Matrix: TypeAlias = "sparse.csr_array[np.float64, tuple[int, int]]"
Circuits = list[tuple[int, Integers, Floats]]  # dropped row, rows of the dependency, their coefficients

CUT = 1e-9  # what is below this is zero; rows and columns are free of units and of size one
UNCLEAR = (1e-12, 1e-7)  # a value between these is neither clearly zero nor clearly not
CHUNK = 64  # dependencies that are recovered together


def decide_dense(A: Floats, priority: Floats) -> tuple[int, Circuits, float]:
    """Return rank, dependencies and unclear value by singular values; rows of high priority are dropped."""
    m = len(A)
    U, s, _ = np.linalg.svd(A, full_matrices=True)
    size = max(float(s[0]) if len(s) else 0.0, 1.0)
    rank = int(np.sum(s > CUT * size))
    unclear = most_unclear(s / size)
    N = U[:, rank:]
    if rank == m:
        return rank, [], unclear
    dropped = _choose(N, np.argsort(-priority, kind="stable"))
    C = np.linalg.solve(N[dropped].T, N.T).T
    return rank, [(d, *_support(C[:, k])) for k, d in enumerate(dropped)], unclear


def _choose(N: Floats, order: npt.NDArray[np.intp]) -> list[int]:
    """Return as many rows of N as it has columns, the first ones in the order that are clearly independent."""
    k = N.shape[1]
    for least in (1e-2, 1e-5, 1e-9):
        basis = np.zeros((0, k))
        chosen: list[int] = []
        for r in order:
            if len(chosen) == k:
                break
            row = N[r] - (basis @ N[r]) @ basis
            row = row - (basis @ row) @ basis
            norm = float(np.linalg.norm(row))
            if norm > least:
                basis = np.vstack([basis, row / norm])
                chosen.append(int(r))
        if len(chosen) == k:
            break
    return chosen


def _support(column: Floats) -> tuple[Integers, Floats]:
    """Return the entries of a dependency that are not zero."""
    rows = np.flatnonzero(np.abs(column) > 1e-8 * np.max(np.abs(column)))
    return rows.astype(np.int64), column[rows]


def most_unclear(values: Floats) -> float:
    """Return the value that is least clearly zero or not, 0 if all are clear."""
    inside = values[(values > UNCLEAR[0]) & (values < UNCLEAR[1])]
    return max((float(v) for v in inside), key=doubt, default=0.0)


def doubt(value: float) -> float:
    """Return how near a value is to the tolerance."""
    return -abs(float(np.log(value / CUT))) if value > 0.0 else -np.inf


# --- large and sparse -------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Front:
    """What the elimination of one vertex did: the rows `others` lost `factors` times the rows `pivots`."""

    pivots: Integers
    others: Integers
    factors: Floats


@dataclass(frozen=True)
class _Element:
    """Rows that are left, with their entries in the columns of the vertices that they touch."""

    rows: Integers
    vertices: list[int]
    entries: Floats


def decide_frontal(A: Matrix, widths: list[int], priority: Floats) -> tuple[int, Circuits, float]:
    """Return rank, dependencies and unclear value by eliminating the columns of one vertex after the other.

    A multifrontal Gaussian elimination with complete pivoting inside a vertex: unlike an orthogonal one it leaves every
    row its name, so that the rows that vanish are the redundant ones and their dependencies stay short.

    Parameters
    ----------
    A : sparse array
        Rows of at most unit size.
    widths : list of int
        Number of columns of each vertex, in their order.
    priority : array
        Rows of high priority are dropped where the pivots allow it.
    """
    work = _Frontal(A, widths, 0.5 ** np.floor(priority))
    work.run()
    return work.rank, _recover(work.fronts, work.zero, A.shape[0]), most_unclear(np.array([*work.doubtful, 0.0]))


class _Frontal:
    """Elements (groups of rows on a few vertices) are merged at each vertex, and what remains of them is passed on."""

    def __init__(self, A: Matrix, widths: list[int], weights: Floats) -> None:
        self.widths, self.weights = widths, weights
        self.fronts: list[_Front] = []
        self.zero: list[int] = []
        self.doubtful: list[float] = []
        self.rank = 0
        self.elements: dict[int, _Element] = {}
        self.made = 0
        self.touching: list[set[int]] = [set() for _ in widths]
        self._fill(A)

    def _fill(self, A: Matrix) -> None:
        """Make an element of all rows that touch the same vertices."""
        offsets = np.concatenate([[0], np.cumsum(self.widths)]).astype(np.int64)
        vertex = np.repeat(np.arange(len(self.widths)), self.widths)
        groups: dict[tuple[int, ...], list[int]] = {}
        for r in range(A.shape[0]):
            touched = vertex[A.indices[A.indptr[r] : A.indptr[r + 1]]]
            groups.setdefault(tuple(sorted(set(touched.tolist()))), []).append(r)
        for vertices, rows in groups.items():
            place = {int(c): k for k, c in enumerate(c for v in vertices for c in range(offsets[v], offsets[v + 1]))}
            entries = np.zeros((len(rows), len(place)))
            for k, r in enumerate(rows):
                span = slice(A.indptr[r], A.indptr[r + 1])
                entries[k, [place[int(c)] for c in A.indices[span]]] = A.data[span]
            self._add(_Element(np.array(rows, dtype=np.int64), list(vertices), entries))

    def _add(self, element: _Element) -> None:
        """Add an element without the rows that have become zero."""
        size = np.max(np.abs(element.entries), axis=1, initial=0.0)
        self.doubtful += [float(x) for x in size[(size > UNCLEAR[0]) & (size < UNCLEAR[1])]]
        self.zero += [int(r) for r in element.rows[size <= CUT]]
        keep = size > CUT
        if np.any(keep):
            self.elements[self.made] = _Element(element.rows[keep], element.vertices, element.entries[keep])
            for v in element.vertices:
                self.touching[v].add(self.made)
            self.made += 1

    def _degree(self, v: int) -> int:
        """Return how many vertices the front of v would have."""
        return len({w for key in self.touching[v] for w in self.elements[key].vertices})

    def run(self) -> None:
        """Eliminate all vertices, each time one of least degree."""
        queue = [(self._degree(v), v) for v in range(len(self.widths))]
        heapq.heapify(queue)
        done = [False] * len(self.widths)
        while queue:
            degree, v = heapq.heappop(queue)
            if done[v] or degree != self._degree(v):
                continue  # a newer entry of this vertex stands elsewhere in the queue
            done[v] = True
            for w in self._eliminate(v):
                heapq.heappush(queue, (self._degree(w), w))

    def _gather(self, v: int) -> _Element:
        """Merge the elements that touch v into one, v's columns first."""
        parts = [self.elements.pop(key) for key in sorted(self.touching[v])]
        vertices = [v, *sorted({w for part in parts for w in part.vertices} - {v})]
        place, at = {}, 0
        for w in vertices:
            place[w] = np.arange(at, at + self.widths[w])
            at += self.widths[w]
        entries = np.zeros((sum(len(part.rows) for part in parts), at))
        row = 0
        for part in parts:
            entries[row : row + len(part.rows), np.concatenate([place[w] for w in part.vertices])] = part.entries
            row += len(part.rows)
        rows = np.concatenate([part.rows for part in parts]) if parts else np.zeros(0, dtype=np.int64)
        return _Element(rows, vertices, entries)

    def _eliminate(self, v: int) -> list[int]:
        """Eliminate v; return the vertices whose degree may have changed."""
        keys = set(self.touching[v])
        front = self._gather(v)
        others = front.vertices[1:]
        for w in others:
            self.touching[w] -= keys
        self.touching[v] = set()
        width, F = self.widths[v], front.entries
        rows, columns = self._pivots(F[:, :width], self.weights[front.rows])
        self.rank += len(rows)
        keep = np.ones(len(F), dtype=bool)
        keep[rows] = False
        rest = np.flatnonzero(keep)
        own = F[:, columns]
        factors: Floats = np.linalg.solve(own[rows].T, own[rest].T).T.astype(np.float64, copy=False)
        if len(rows):
            self.fronts.append(_Front(front.rows[rows], front.rows[rest], factors))
        left = F[rest, width:] - factors @ F[rows, width:]
        self._add(_Element(front.rows[rest], others, left))
        return others

    def _pivots(self, entries: Floats, weights: Floats) -> tuple[list[int], list[int]]:
        """Return rows and columns of the pivots of complete pivoting, heavy rows preferred."""
        A = entries.copy()
        rows: list[int] = []
        columns: list[int] = []
        for _ in range(min(A.shape)):
            r, c = divmod(int(np.argmax(np.abs(A) * weights[:, None])), A.shape[1])
            size = abs(float(A[r, c]))
            if UNCLEAR[0] < size < UNCLEAR[1]:
                self.doubtful.append(size)
            if size <= CUT:
                break
            rows.append(r)
            columns.append(c)
            A -= np.outer(A[:, c] / A[r, c], A[r])
            A[r] = 0.0
            A[:, c] = 0.0
        return rows, columns


def _recover(fronts: list[_Front], zero: list[int], count: int) -> Circuits:
    """Return the dependencies that made rows vanish: the eliminations are undone from the last to the first."""
    found: Circuits = []
    for start in range(0, len(zero), CHUNK):
        chunk = zero[start : start + CHUNK]
        C = np.zeros((count, len(chunk)))
        C[chunk, np.arange(len(chunk))] = 1.0
        for front in reversed(fronts):
            C[front.pivots] = -front.factors.T @ C[front.others]
        for k, d in enumerate(chunk):
            found.append((d, *_support(C[:, k])))
    return found
