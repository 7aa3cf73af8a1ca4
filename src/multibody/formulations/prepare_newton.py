"""The iteration matrix of implicit methods in the arrays of a run: block pattern, elimination, places of every number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from multibody.formulations.pattern import Pattern
from multibody.formulations.prepare import Bundle
from multibody.kernels import block_lu as U
from multibody.kernels import blocks as B
from multibody.kernels import sections as R
from multibody.tables.scales import characteristic_mass

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass
class Factors:
    """Where the blocks of the factors lie: the symbolic factorization."""

    groups: list[list[int]]
    behind: list[list[int]]  # for every group the later groups that it meets
    blocks: dict[tuple[int, int], int]  # place of the block of (row group, column group)
    size: int
    place: Integers  # of every unknown in the order of elimination
    owner: Integers  # group of every unknown


def symbolic(pattern: Pattern, entries: Integers, n: int) -> Factors:
    """Return the fill of a pattern.

    Parameters
    ----------
    pattern : Pattern
    entries : array (·, 2)
        Pairs (chosen row, column) of Φ_q.
    n : int
        Number of columns.
    """
    groups = pattern.groups
    unknowns = np.array([u for group in groups for u in group], dtype=np.int64)
    owner, place = np.empty(len(unknowns), dtype=np.int64), np.empty(len(unknowns), dtype=np.int64)
    place[unknowns] = np.arange(len(unknowns))
    for g, members in enumerate(groups):
        owner[members] = g
    meets: list[set[int]] = [set() for _ in groups]
    for k, others in enumerate(pattern.meetings):
        for other in others:
            _join(meets, int(owner[pattern.nodes[k].start]), int(owner[pattern.nodes[other].start]))
    for row, column in {(int(owner[n + k]), int(owner[c])) for k, c in entries}:
        _join(meets, row, column)
    blocks, behind, at = {}, [], 0
    for g, members in enumerate(groups):
        later = sorted(meets[g])
        behind.append(later)
        blocks[g, g] = at
        at += len(members) ** 2
        for k, j in enumerate(later):
            blocks[g, j], blocks[j, g] = at, at + len(members) * len(groups[j])
            at += 2 * len(members) * len(groups[j])
            meets[j].update(later[k + 1 :])
    return Factors(groups, behind, blocks, at, place, owner)


def _join(meets: list[set[int]], a: int, b: int) -> None:
    """Note that two groups meet, at the one that is eliminated first."""
    if a != b:
        meets[min(a, b)].add(max(a, b))


def attach_newton(bundle: Bundle, pattern: Pattern, entries: Integers, complex_: bool, scaled: bool = True) -> None:
    """Append everything that an implicit method needs to the arrays of a run.

    Parameters
    ----------
    bundle : Bundle
        I and W are replaced by longer ones.
    pattern : Pattern
    entries : array (·, 3)
        (place in W_J, chosen row, column) of the entries of Φ_q.
    complex_ : bool
        Whether complex factors are kept beside the real ones.
    scaled : bool
        Whether the matrix is scaled by characteristic length and mass; otherwise what is put into it has no units already.
    """
    n, m, I = bundle.velocities, len(bundle.chosen), bundle.I
    factors = symbolic(pattern, entries[:, 1:], n)
    meetings, starts, size = _matrix(pattern)
    header = np.zeros(B.NEWTON_HEADER, dtype=np.int64)
    parts = {B.NODES: np.array([x for r in pattern.nodes for x in (r.start, len(r))], dtype=np.int64)}
    at = len(I) + B.NEWTON_HEADER
    header[B.NODES], at = at, at + len(parts[B.NODES])
    header[B.MEETINGS] = at
    parts[B.MEETINGS] = np.concatenate([starts + at + len(starts), meetings])
    at += len(parts[B.MEETINGS])
    parts[B.ENTRIES] = _entries(factors, entries, n)
    parts[B.PLACES] = _places(pattern, factors)
    parts[B.UNKNOWNS] = np.array([u for group in factors.groups for u in group], dtype=np.int64)
    parts[B.PIVOTS] = np.zeros(2 * (n + m), dtype=np.int64)
    parts[B.DIAGONALS] = np.array([_positions(factors, k, k).item() for k in n + np.arange(m).reshape(-1, 1)], dtype=np.int64)
    for slot in (B.ENTRIES, B.PLACES, B.UNKNOWNS, B.PIVOTS, B.DIAGONALS):
        header[slot], at = at, at + len(parts[slot])
    header[B.GROUPS] = at
    parts[B.GROUPS] = _groups(factors, at)
    header[B.NODE_COUNT], header[B.MATRIX_SIZE] = len(pattern.nodes), size
    header[B.ENTRY_COUNT], header[B.GROUP_COUNT], header[B.FACTOR_SIZE] = len(entries), len(factors.groups), factors.size
    header[B.NQ], header[B.NV] = bundle.size - n - 1, n
    nq, span = bundle.size - n - 1, int(entries[:, 0].max(initial=-1)) + 1
    sizes = {
        B.W_M: size, B.W_C: size, B.W_K: size, B.W_P: span, B.W_V: span, B.W_FACTOR: factors.size,
        B.W_COMPLEX: 2 * factors.size if complex_ else 0, B.W_RIGHT: 2 * (n + m), B.W_POINT: 2 * (nq + n + 1),
        B.W_UNIT: 1, B.W_UNITS: n + m, B.W_MATRIX_UNITS: size, B.W_ENTRY_UNITS: len(entries), B.W_SCALED: 2 * (n + m),
    }  # fmt: skip
    end = len(bundle.W)
    for slot, count in sizes.items():
        header[slot], end = end, end + count
    made = np.concatenate([I, header, *parts.values()])
    made[R.NEWTON] = len(I)
    if made[R.PATTERN] == 0:
        made[R.PATTERN] = len(I)
    bundle.I = np.ascontiguousarray(made)
    bundle.W = np.concatenate([bundle.W, np.zeros(end - len(bundle.W))])
    _write_units(bundle, pattern, entries, parts[B.UNKNOWNS], scaled)


def _write_units(bundle: Bundle, pattern: Pattern, entries: Integers, unknowns: Integers, scaled: bool) -> None:
    """Write the scales of unknowns, numbers of block matrices and entries of Φ_q: L for lengths, 1/L for their rows, else 1."""
    I, W, n = bundle.I, bundle.W, bundle.velocities
    h, at = int(I[R.NEWTON]), int(I[R.W_SCALE])
    count = int(I[R.ALL_COUNT])
    columns, rows = W[at + count : at + count + n], W[at + bundle.chosen]
    size = characteristic_mass(bundle.tables) * bundle.tables.length**2
    if not scaled:
        columns, rows, size = np.ones(n), np.ones(len(bundle.chosen)), 1.0
    first, second = numbered(pattern)
    values = {
        B.W_UNIT: np.array([size]), B.W_UNITS: np.concatenate([columns, rows])[unknowns],
        B.W_MATRIX_UNITS: columns[first] * columns[second], B.W_ENTRY_UNITS: rows[entries[:, 1]] * columns[entries[:, 2]],
    }  # fmt: skip
    for slot, numbers in values.items():
        W[I[h + slot] : I[h + slot] + len(numbers)] = numbers


def attach_pattern(bundle: Bundle, pattern: Pattern, entries: int) -> None:
    """Append the pattern of block matrices over the Cartesian velocity columns to the arrays of a run in joint coordinates.

    Parameters
    ----------
    bundle : Bundle
    pattern : Pattern
    entries : int
        Entries of the Cartesian rows that carry multipliers.
    """
    I, header = with_pattern(bundle.I, pattern)
    size, end = int(header[B.MATRIX_SIZE]), len(bundle.W)
    for slot, count in {B.W_C: size, B.W_K: size, B.W_V: 2 * entries, B.W_POINT: bundle.tables.nv}.items():
        header[slot], end = end, end + count
    bundle.I = I
    bundle.W = np.concatenate([bundle.W, np.zeros(end - len(bundle.W))])


def with_pattern(I: Integers, pattern: Pattern) -> tuple[Integers, Integers]:
    """Return I with the pattern of block matrices behind it, and a view of the header there."""
    header = np.zeros(B.NEWTON_HEADER, dtype=np.int64)
    meetings, starts, size = _matrix(pattern)
    nodes = np.array([x for r in pattern.nodes for x in (r.start, len(r))], dtype=np.int64)
    header[B.NODE_COUNT], header[B.MATRIX_SIZE], header[B.NODES] = len(pattern.nodes), size, len(I) + B.NEWTON_HEADER
    header[B.MEETINGS] = at = header[B.NODES] + len(nodes)
    made = np.ascontiguousarray(np.concatenate([I, header, nodes, starts + at + len(starts), meetings]))
    made[R.PATTERN] = len(I)
    return made, made[len(I) : len(I) + B.NEWTON_HEADER]


def numbered(pattern: Pattern) -> tuple[Integers, Integers]:
    """Return row and column of every number of a block matrix."""
    rows, columns = [], []
    for p, others in enumerate(pattern.meetings):
        for q in others:
            rows.append(np.repeat(np.array(pattern.nodes[p]), len(pattern.nodes[q])))
            columns.append(np.tile(np.array(pattern.nodes[q]), len(pattern.nodes[p])))
    return np.concatenate(rows), np.concatenate(columns)


def _matrix(pattern: Pattern) -> tuple[Integers, Integers, int]:
    """Return the meeting records, their starts, and the size of a matrix."""
    meetings: list[int] = []
    starts, size = [0], 0
    for p, others in enumerate(pattern.meetings):
        for q in others:
            meetings += [q, size]
            size += len(pattern.nodes[p]) * len(pattern.nodes[q])
        starts.append(len(meetings))
    return np.array(meetings, dtype=np.int64), np.array(starts, dtype=np.int64), size


def _places(pattern: Pattern, factors: Factors) -> Integers:
    """Return the place of every number of a block matrix in the factors."""
    found = []
    for p, others in enumerate(pattern.meetings):
        rows = np.array(pattern.nodes[p])[:, None]
        found += [_positions(factors, rows, np.array(pattern.nodes[q])[None, :]).ravel() for q in others]
    return np.concatenate(found)


def _positions(factors: Factors, rows: Integers, columns: Integers) -> Integers:
    """Return the places in the factors of unknowns (rows, columns) that all lie in one block."""
    a, b = int(factors.owner[rows.flat[0]]), int(factors.owner[columns.flat[0]])
    first_a = factors.place[factors.groups[a][0]]
    first_b = factors.place[factors.groups[b][0]]
    stride = len(factors.groups[b])
    found = factors.blocks[a, b] + stride * (factors.place[rows] - first_a) + factors.place[columns] - first_b
    return np.asarray(found, dtype=np.int64)


def _entries(factors: Factors, entries: Integers, n: int) -> Integers:
    """Return the records of the entries of Φ_q with their places below and above the diagonal."""
    found = np.zeros((len(entries), B.ENTRY_STRIDE), dtype=np.int64)
    first = np.array([factors.place[group[0]] for group in factors.groups], dtype=np.int64)
    width = np.array([len(group) for group in factors.groups], dtype=np.int64)
    for record, (entry, k, c) in zip(found, entries, strict=True):
        a, b = factors.owner[n + k], factors.owner[c]
        da, db = factors.place[n + k] - first[a], factors.place[c] - first[b]
        below = factors.blocks[int(a), int(b)] + width[b] * da + db
        above = factors.blocks[int(b), int(a)] + width[a] * db + da
        record[:] = entry, c, k, below, above
    return found.ravel()


def _groups(factors: Factors, at: int) -> Integers:
    """Return the records of the groups, then of their meetings and of the blocks that products change."""
    head: list[int] = []
    tail: list[int] = []
    behind_head = at + U.GROUP_STRIDE * len(factors.groups)
    for g, later in enumerate(factors.behind):
        first = behind_head + len(tail)
        for j in later:
            place = int(factors.place[factors.groups[j][0]])
            tail += [len(factors.groups[j]), place, factors.blocks[g, j], factors.blocks[j, g]]
        targets = behind_head + len(tail)
        tail += [factors.blocks[i, j] for i in later for j in later]
        size, place = len(factors.groups[g]), int(factors.place[factors.groups[g][0]])
        head += [size, place, factors.blocks[g, g], len(later), first, targets]
    return np.array(head + tail, dtype=np.int64)
