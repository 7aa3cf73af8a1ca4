"""Rank decisions: which rows of a scaled Jacobian depend on others, block by block.

The rows of a mechanism fall into blocks, the biconnected parts of the graph whose vertices are bodies (ground among
them) and whose edges are joints. A row measures the motion of its bodies relative to each other, so a block does not
care whether the one body through which it hangs on the rest moves: the columns of this root are left out, ranks add up
and dependencies never reach across blocks. A small block is decided by its singular values, a large one by eliminating
body after body, with time and memory that grow like the number of bodies in chains, ladders and trees of small loops.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from multibody.rank.elimination import Circuits, Matrix, decide_dense, decide_frontal, doubt
from multibody.state.system import Floats, Integers, System, row_vertices

DENSE_COLUMNS = 400  # largest block that is decided by its singular values


@dataclass(frozen=True)
class Rank:
    """Rank of a Jacobian and the dependencies of its rows.

    Attributes
    ----------
    rank : int
    dropped : list of int
        Rows that depend on the others, one for each dependency.
    left : sparse array, shape (rows, len(dropped))
        Basis of null(Jᵀ), largest entry of a column 1; column k contains ``dropped[k]`` and no other dropped row.
    unclear : float
        The value that came nearest to the tolerance without being clearly above or below, 0 if there was none.
    """

    rank: int
    dropped: list[int]
    left: Matrix
    unclear: float

    @property
    def independent(self) -> Integers:
        """Rows that remain when the dropped ones are left out."""
        return np.setdiff1d(np.arange(self.left.shape[0]), np.array(self.dropped, dtype=np.int64))


def well_chosen(rank: Rank, factor: float = 2.0) -> Integers:
    """Return independent rows that stay clear of dependence: those dropped in their place carry the dependencies.

    A dependency can drop any of its rows, and the volume that the others span is proportional to the coefficient of the
    one that goes. Rows are exchanged while that gains more than `factor`, so that what is kept does not become singular
    soon after it was chosen. Dependencies are short, so this is cheap.
    """
    columns = rank.left.tocsc()
    spans = [slice(columns.indptr[k], columns.indptr[k + 1]) for k in range(len(rank.dropped))]
    circuits = [dict(zip(columns.indices[s].tolist(), columns.data[s].tolist(), strict=True)) for s in spans]
    users: dict[int, set[int]] = {}
    for k, circuit in enumerate(circuits):
        for r in circuit:
            users.setdefault(r, set()).add(k)
    dropped = list(rank.dropped)
    waiting = list(range(len(circuits)))
    for _ in range(20 * len(circuits)):
        if not waiting:
            break
        k = waiting.pop()
        best = max(circuits[k], key=lambda r: abs(circuits[k][r]))
        if abs(circuits[k][best]) <= factor * abs(circuits[k][dropped[k]]):
            continue
        dropped[k] = best
        for other in sorted(users[best] - {k}):
            _eliminate_row(circuits, users, other, k, best)
            waiting.append(other)
    return np.setdiff1d(np.arange(rank.left.shape[0]), np.array(dropped, dtype=np.int64))


def _eliminate_row(circuits: list[dict[int, float]], users: dict[int, set[int]], other: int, k: int, row: int) -> None:
    """Take so much of dependency k from another one that a row disappears from it."""
    part = circuits[other][row] / circuits[k][row]
    for r, value in circuits[k].items():
        left = circuits[other].get(r, 0.0) - part * value
        if r == row or abs(left) < 1e-12:
            circuits[other].pop(r, None)
            users[r].discard(other)
        else:
            circuits[other][r] = left
            users[r].add(other)


@dataclass(frozen=True)
class Block:
    """Rows that may depend on each other, and the vertices whose columns they are judged on."""

    rows: list[int]
    vertices: list[int]


class Decider:
    """Decides ranks of the Jacobian of one system, whose pattern never changes.

    Parameters
    ----------
    system : System
    count : int
        The first `count` rows of Φ are judged.
    relative : bool
        Whether every row is invariant under common motion of its bodies, as it is in an assembled pose; if not, blocks
        are the parts that only the ground connects.
    """

    def __init__(self, system: System, count: int, relative: bool = True) -> None:
        self.system, self.count = system, count
        tables = system.tables
        bodies = len(tables.bodies)
        widths = [0] + [tables.width] * (bodies - 1) + [1] * len(tables.extras)
        self.offsets = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
        pointer = tables.row_pointer[: count + 1]
        self.pattern = (pointer, tables.columns[: pointer[-1]])
        self.priority = row_priority(system)[:count]
        vertices = row_vertices(system)[:count]
        split = biconnected if relative else connected
        self.blocks = split(vertices, len(widths), bodies)

    def jacobian(self, q: Floats, t: float) -> Matrix:
        """Return the scaled Jacobian of the judged rows."""
        return scaled_rows(self.system, q, t, self.count)

    def decide(self, J: Matrix) -> Rank:
        """Return rank and dependencies of a scaled Jacobian."""
        norms = np.sqrt(np.asarray(J.multiply(J).sum(axis=1)).ravel())
        size = 1.0 / np.maximum(norms, 1.0)  # a coupler may have any factor; small rows stay small, they are singular
        unit = sparse.csr_array(sparse.diags_array(size) @ J)
        rank, dropped, parts, unclear = 0, [], [], [0.0]
        for block in self.blocks:
            found = self._block(unit, block)
            rank += found[0]
            unclear.append(found[2])
            for d, rows, values in found[1]:
                dropped.append(d)
                values = values * size[rows]
                parts.append((rows, values / np.max(np.abs(values))))
        order = np.argsort(np.array(dropped, dtype=np.int64), kind="stable")
        left = _columns([parts[k] for k in order], self.count)
        return Rank(rank, [dropped[k] for k in order], left, max(unclear, key=doubt))

    def _block(self, J: Matrix, block: Block) -> tuple[int, Circuits, float]:
        """Return rank, dependencies (dropped row, rows, coefficients) and unclear value of a block."""
        rows = np.array(block.rows, dtype=np.int64)
        columns = np.concatenate([np.arange(self.offsets[v], self.offsets[v + 1]) for v in block.vertices])
        part = sparse.csr_array(J[rows][:, columns])
        priority = self.priority[rows]
        if len(columns) <= DENSE_COLUMNS:
            rank, circuits, unclear = decide_dense(part.toarray(), priority)
        else:
            widths = [int(self.offsets[v + 1] - self.offsets[v]) for v in block.vertices]
            rank, circuits, unclear = decide_frontal(part, widths, priority)
        return rank, [(int(rows[d]), rows[local], values) for d, local, values in circuits], unclear


def scaled_rows(system: System, q: Floats, t: float, count: int) -> Matrix:
    """Return the first `count` rows of the scaled Jacobian as a sparse matrix."""
    pointer = system.tables.row_pointer[: count + 1]
    columns = system.tables.columns[: pointer[-1]]
    scale = np.repeat(system.scale_rows[:count], np.diff(pointer)) * system.scale_columns[columns]
    entries = system.entries(q, t, 0, count) * scale
    return sparse.csr_array((entries, columns, pointer), shape=(count, system.nv))


def row_priority(system: System) -> Floats:
    """Return how readily a row is dropped: points of pairs last, then their axes, then constraints, then motions."""
    tables = system.tables
    rank = np.empty(len(tables.rows))
    for r, row in enumerate(tables.rows):
        if row.group != "joint":
            rank[r] = 3.0
        elif not tables.model.joints[row.owner].kind.pair:
            rank[r] = 2.0
        else:
            rank[r] = 0.0 if row.is_length else 1.0
    return rank + np.arange(len(tables.rows)) / max(len(tables.rows), 1)


# --- blocks -----------------------------------------------------------------------------------------------------------
def neighbors(edges: Iterable[tuple[int, ...]], count: int) -> list[list[int]]:
    """Return the neighbors of every vertex; an edge may have more than two ends, which are all joined."""
    found: list[set[int]] = [set() for _ in range(count)]
    for edge in set(edges):
        for v in edge:
            found[v].update(edge)
    return [sorted(others - {v}) for v, others in enumerate(found)]


def connected(rows: Sequence[tuple[int, ...]], count: int, bodies: int) -> list[Block]:
    """Split rows into the parts that hang together without the ground."""
    moving = [tuple(v for v in row if v) for row in rows]
    label = list(range(count))

    def root(v: int) -> int:
        while label[v] != v:
            label[v] = label[label[v]]
            v = label[v]
        return v

    for row in set(moving):
        for v in row[1:]:
            label[root(v)] = root(row[0])
    blocks: dict[int, Block] = {}
    for r, row in enumerate(moving):
        blocks.setdefault(root(row[0]), Block([], [])).rows.append(r)
    for v in range(1, count):
        if root(v) in blocks:
            blocks[root(v)].vertices.append(v)
    return list(blocks.values())


def biconnected(rows: Sequence[tuple[int, ...]], count: int, bodies: int) -> list[Block]:
    """Split rows into biconnected parts; a block's vertices are without its root, which is the ground if it has it."""
    blocks: list[Block] = []
    owner: dict[tuple[int, ...], int] = {}
    for root, edges in biconnected_parts(neighbors(rows, count), bodies):
        vertices = sorted({v for edge in edges for v in edge} - {root})
        for a, b in edges:
            owner[min(a, b), max(a, b)] = len(blocks)
        for v in vertices:
            owner[(v,)] = len(blocks)  # a vertex is below the root in one block only
        blocks.append(Block([], vertices))
    for r, row in enumerate(rows):
        blocks[owner[row[:2]]].rows.append(r)
    return [block for block in blocks if block.rows]


def biconnected_parts(adjacent: list[list[int]], starts: int) -> list[tuple[int, list[tuple[int, int]]]]:
    """Return (root, edges) of every biconnected part (Hopcroft, Tarjan 1973); roots are vertices below `starts`."""
    depth, low = [-1] * len(adjacent), [0] * len(adjacent)
    parts: list[tuple[int, list[tuple[int, int]]]] = []
    for start in range(starts):
        if depth[start] >= 0:
            continue
        depth[start] = low[start] = 0
        edges: list[tuple[int, int]] = []
        path = [(start, -1, iter(adjacent[start]))]
        while path:
            v, parent, rest = path[-1]
            w = next(rest, None)
            if w is None:
                path.pop()
                if path:
                    low[parent] = min(low[parent], low[v])
                    if low[v] >= depth[parent]:
                        parts.append((parent, _pop_until(edges, (parent, v))))
            elif depth[w] < 0:
                edges.append((v, w))
                depth[w] = low[w] = depth[v] + 1
                path.append((w, v, iter(adjacent[w])))
            elif w != parent and depth[w] < depth[v]:
                edges.append((v, w))
                low[v] = min(low[v], depth[w])
    return parts


def _pop_until(edges: list[tuple[int, int]], edge: tuple[int, int]) -> list[tuple[int, int]]:
    """Take edges off the stack down to the given one."""
    taken = [edges.pop()]
    while taken[-1] != edge:
        taken.append(edges.pop())
    return taken


def _columns(parts: list[tuple[Integers, Floats]], count: int) -> Matrix:
    """Return sparse columns as a matrix."""
    pointer = np.concatenate([[0], np.cumsum([len(rows) for rows, _ in parts])]).astype(np.int64)
    rows = np.concatenate([rows for rows, _ in parts]) if parts else np.zeros(0, dtype=np.int64)
    values = np.concatenate([values for _, values in parts]) if parts else np.zeros(0)
    return sparse.csr_array(sparse.csc_array((values, rows, pointer), shape=(count, len(parts))))
