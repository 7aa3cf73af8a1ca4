"""The iteration matrix of implicit methods: block pattern, elimination, places of every number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from multibody.formulations.pattern import Pattern
from multibody.formulations.prepare import Bundle
from multibody.kernels.newton.declared import (
    Behind,
    Entry,
    Group,
    Meeting,
    Newton,
    NewtonBlocks,
    NewtonCalls,
    NewtonScratch,
    NewtonState,
    Node,
)
from multibody.kernels.newton.declared import Pattern as Nodes
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


def iteration_blocks(
    bundle: Bundle, pattern: Pattern, entries: Integers, *, complex_: bool, scaled: bool = True, room: int = 0
) -> NewtonBlocks:
    """Return the memory of an iteration matrix.

    Parameters
    ----------
    bundle : Bundle
    pattern : Pattern
    entries : array (·, 3)
        (which of the entries of Φ_q, chosen row, column) of the entries in the chosen rows.
    complex_ : bool
        Whether complex factors are kept beside the real ones.
    scaled : bool
        Whether the matrix is scaled by characteristic length and mass; otherwise what is put into it has no units already.
    room : int
        Number of entries of Φ_q that there is room for; by default up to the last one of the chosen rows.
    """
    n, m = bundle.velocities, len(bundle.chosen)
    factors, nodes = symbolic(pattern, entries[:, 1:], n), block_pattern(pattern)
    groups, behind, targets = _groups(factors)
    unknowns = np.array([u for group in factors.groups for u in group], dtype=np.int64)
    diagonals = [_positions(factors, k, k).item() for k in n + np.arange(m).reshape(-1, 1)]
    model = Newton(
        nq=bundle.size - n - 1, nv=n, unknowns=unknowns, pattern=nodes, entries=_entries(factors, entries, n),
        places=_places(pattern, factors), diagonals=np.array(diagonals, dtype=np.int64), groups=groups, behind=behind,
        targets=targets, calls=NewtonCalls(), **_units(bundle, pattern, entries, unknowns, scaled),
    )  # fmt: skip
    span, size = max(room, int(entries[:, 0].max(initial=-1)) + 1), int(nodes.numbers)
    state = NewtonState(M=size, C=size, K=size, P=span, V=span, factor=factors.size, pivots=n + m, scaled=n + m)
    if complex_:
        state.complex_factor, state.complex_pivots, state.complex_scaled = 2 * factors.size, n + m, n + m
    scratch = NewtonScratch(right=2 * (n + m), point=bundle.size, rates=bundle.size)
    return NewtonBlocks(model, state, scratch)


def sparse_entries(bundle: Bundle) -> Integers:
    """Return (which entry of Φ_q, chosen row, column) of the entries in the chosen rows of a run in Cartesian coordinates."""
    tables = bundle.tables
    found = [(e, k, int(tables.columns[e])) for k, r in enumerate(bundle.chosen) for e in tables.entries_of(r)]
    return np.array(found, dtype=np.int64).reshape(-1, 3)


def attach_newton(
    bundle: Bundle, pattern: Pattern, entries: Integers, *, complex_: bool, scaled: bool = True, room: int = 0
) -> None:
    """Give a run everything that an implicit method needs; see :func:`iteration_blocks`.

    In Cartesian coordinates the nodes of the matrix are those of derivatives of forces and rows too; in joint coordinates
    these have a pattern of their own.
    """
    bundle.newton = iteration_blocks(bundle, pattern, entries, complex_=complex_, scaled=scaled, room=room)
    if len(bundle.model.pattern.nodes) == 0:
        bundle.model.pattern = bundle.model.newton.pattern


def _units(bundle: Bundle, pattern: Pattern, entries: Integers, unknowns: Integers, scaled: bool) -> dict[str, Any]:
    """Return the scales of unknowns, of block matrices and of entries of Φ_q: L for lengths, 1/L for their rows, else 1."""
    model, n = bundle.model, bundle.velocities
    columns, rows = model.column_scale, model.row_scale[bundle.chosen]
    size = characteristic_mass(bundle.tables) * bundle.tables.length**2
    if not scaled:
        columns, rows, size = np.ones(n), np.ones(len(bundle.chosen)), 1.0
    units = matrix_units(columns, rows, unknowns, numbered(pattern), (entries[:, 1], entries[:, 2]))
    return {"unit": np.array([size]), **units}


def matrix_units(
    columns: Floats, rows: Floats, unknowns: Integers, numbers: tuple[Integers, Integers], entries: tuple[Integers, Integers]
) -> dict[str, Floats]:
    """Return what makes an iteration matrix one of plain numbers, (..., ·), by the names of ``Newton``.

    Parameters
    ----------
    columns, rows : arrays (..., ·)
        Scales of columns and of chosen rows, of one run or of many.
    unknowns : array of int
        In the order of elimination.
    numbers : tuple
        Row and column of every number of a block matrix, see :func:`numbered`.
    entries : tuple
        Chosen row and column of the entries of Φ_q.
    """
    first, second = numbers
    return {
        "units": np.concatenate([columns, rows], axis=-1)[..., unknowns],
        "matrix_units": columns[..., first] * columns[..., second],
        "entry_units": rows[..., entries[0]] * columns[..., entries[1]],
    }


def pattern_of(nodes: Nodes) -> Pattern:
    """Return the pattern of a block matrix in memory, without groups."""
    blocks = nodes.meetings
    meetings = [[int(q) for q in blocks.node[node["first"] : node["end"]]] for node in nodes.nodes]
    return Pattern([range(node["column"], node["column"] + node["size"]) for node in nodes.nodes], meetings, [])


def block_pattern(pattern: Pattern) -> Nodes:
    """Return where the blocks of a pattern lie in a matrix."""
    nodes, meetings, size = list[tuple[int, ...]](), list[tuple[int, ...]](), 0
    for p, others in enumerate(pattern.meetings):
        first, rows = len(meetings), pattern.nodes[p]
        for q in others:
            meetings.append((q, size, len(pattern.nodes[q])))
            size += len(rows) * len(pattern.nodes[q])
        nodes.append((rows.start, len(rows), first, len(meetings)))
    return Nodes(nodes=np.array(nodes, Node.dtype), meetings=np.array(meetings, Meeting.dtype), numbers=size)


def numbered(pattern: Pattern) -> tuple[Integers, Integers]:
    """Return row and column of every number of a block matrix."""
    rows, columns = [], []
    for p, others in enumerate(pattern.meetings):
        for q in others:
            rows.append(np.repeat(np.array(pattern.nodes[p]), len(pattern.nodes[q])))
            columns.append(np.tile(np.array(pattern.nodes[q]), len(pattern.nodes[p])))
    return np.concatenate(rows), np.concatenate(columns)


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


def _entries(factors: Factors, entries: Integers, n: int) -> npt.NDArray[Any]:
    """Return the records of the entries of Φ_q with their places below and above the diagonal."""
    first = np.array([factors.place[group[0]] for group in factors.groups], dtype=np.int64)
    width = np.array([len(group) for group in factors.groups], dtype=np.int64)
    found = []
    for entry, k, c in entries:
        a, b = factors.owner[n + k], factors.owner[c]
        da, db = factors.place[n + k] - first[a], factors.place[c] - first[b]
        below = factors.blocks[int(a), int(b)] + width[b] * da + db
        above = factors.blocks[int(b), int(a)] + width[a] * db + da
        found.append((entry, c, k, below, above))
    return np.array(found, dtype=Entry.dtype)


def _groups(factors: Factors) -> tuple[npt.NDArray[Any], npt.NDArray[Any], Integers]:
    """Return the records of the groups, of the groups behind each, and the blocks that products of these change."""
    groups: list[tuple[int, ...]] = []
    behind: list[tuple[int, ...]] = []
    targets: list[int] = []
    place = [int(factors.place[group[0]]) for group in factors.groups]
    for g, later in enumerate(factors.behind):
        groups.append((len(factors.groups[g]), place[g], factors.blocks[g, g], len(behind), len(later), len(targets)))
        behind += [(len(factors.groups[j]), place[j], factors.blocks[g, j], factors.blocks[j, g]) for j in later]
        targets += [factors.blocks[i, j] for i in later for j in later]
    return np.array(groups, Group.dtype), np.array(behind, Behind.dtype), np.array(targets, dtype=np.int64)
