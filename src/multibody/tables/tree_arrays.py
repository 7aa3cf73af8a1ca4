"""The tree in the arrays of the kernels: a header, records and places of scratch behind those of a model or a run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from multibody.kernels import layout as L
from multibody.kernels.tree import layout as T
from multibody.tables.columns import Columns, constants, pitches, records
from multibody.tables.lower import Tables
from multibody.tables.plain import plain_row
from multibody.tables.tree import Link

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def attach_tree(
    columns: Columns, I: Integers, start: int, method: int, loops: list[int], chosen: Sequence[int] = (), full: bool = False
) -> tuple[Integers, int]:
    """Return I with the tree's header and records appended, and the length of W with the tree's scratch from `start` on.

    Parameters
    ----------
    columns : Columns
    I : array
        A model's or a run's integers.
    start : int
        Where the tree's numbers and scratch may begin in W.
    method : int
        RECURSIVE, TRANSFORMATION or ARTICULATED; the last needs no mass matrix.
    loops : list of int
        Rows that the tree does not satisfy by itself.
    chosen : list of int
        Those of them that are independent, as places in `loops`, in ascending order.
    full : bool
        Whether the mass matrix may fill up: loops are added to it where it is singular by itself.
    """
    tables, tree, d = columns.tables, columns.tree, columns.tables.dimension
    w, n = (3 if d == 2 else 6), columns.nv
    links, rows = records(columns)
    number = {link.body: i for i, link in enumerate(tree.links)}
    first = envelope(columns) if method != T.ARTICULATED else np.zeros(0, dtype=np.int64)
    first = np.zeros_like(first) if full else first
    lengths = np.arange(len(first)) - first + 1
    given = [(k, c.motion) for k, c in enumerate(columns.columns) if c.motion >= 0]
    header = np.zeros(T.TREE_HEADER, dtype=np.int64)
    sizes = {
        T.W_CONSTANT: T.CONSTANTS[d] * len(tree.links), T.W_LINK: T.LINK_STATE[d] * len(tree.links),
        T.W_COLUMN: T.COLUMN_STATE[d] * len(columns.columns), T.W_PITCH: len(columns.columns), T.W_GIVEN: 3 * len(given),
        T.W_BASE: w, T.W_FORCE: tables.nv, T.W_WRENCH: w * len(tree.links), T.W_TAU: max(n, len(columns.columns)),
        T.W_ENTRIES: int(np.max(np.diff(tables.row_pointer), initial=0)), T.W_H: int(np.sum(lengths)), T.W_HD: n,
        T.W_B: w * n if method == T.TRANSFORMATION else 0, T.W_FIT: 2 * w * w + w,
        T.W_ROW_SIZE: len(chosen), T.W_RESULT: T.RESULTS, T.W_ACCEPTED: columns.nq,
    }  # fmt: skip
    for slot, size in sizes.items():
        header[slot] = start
        start += size
    base = np.concatenate([[0], np.cumsum(lengths)])[:-1] - first + header[T.W_H]
    sections = {
        T.LINKS: links, T.COLUMNS: rows, T.GIVEN: [x for pair in given for x in pair],
        T.QUATERNIONS: list(columns.quaternions.values()), T.H_BASE: base, T.H_FIRST: first, T.ROW_LIST: loops,
        T.SELECTED: np.zeros(len(tree.links)), T.PLAIN: [x for r in loops for x in plain_row(tables, r)],
        T.LINK_OF: [number[b + 1] for b in range(len(tree.links))],
        T.GROUP: _groups([tables.rows[loops[k]].owner for k in chosen]),
        T.JOINT_ROWS: [x for link in tree.links for x in _rows_of(tables, link)],
    }  # fmt: skip
    header[T.LINK_COUNT], header[T.COLUMN_COUNT] = len(tree.links), len(columns.columns)
    header[T.NQ], header[T.NV], header[T.METHOD] = columns.nq, n, method
    header[T.GIVEN_COUNT], header[T.QUATERNION_COUNT] = len(given), len(columns.quaternions)
    header[T.EXTRAS_AT], header[T.EXTRAS_RATE] = columns.extras_at, columns.extras_rate
    header[T.ACTED] = int(bool(tables.law_functions or tables.loads))
    header[T.SELECTED_COUNT] = -1
    header[T.COUNTED] = int(d == 3 and _counts_others(columns))
    header[T.POSED] = int(bool(header[T.ACTED] or loops))
    at, parts = len(I) + T.TREE_HEADER, []
    for slot, section in sections.items():
        header[slot] = at
        parts.append(np.asarray(section, dtype=np.int64))
        at += len(section)
    I = np.ascontiguousarray(np.concatenate([I, header, *parts]))
    I[T.TREE] = len(I) - sum(len(p) for p in parts) - T.TREE_HEADER
    return I, start


def _counts_others(columns: Columns) -> bool:
    """Return whether there are counted angles that are no coordinates of the tree."""
    tables, own = columns.tables, {column.function for column in columns.columns}
    first, count = int(tables.I[L.FUNCTIONS]), len(tables.function_is_length)
    kinds = tables.I[first : first + L.FUNCTION_STRIDE * count : L.FUNCTION_STRIDE]
    return any(kind == L.ANGLE and k not in own for k, kind in enumerate(kinds))


def _groups(owners: list[str]) -> list[int]:
    """Return for each chosen row the first one of the same owner in an unbroken run."""
    found: list[int] = []
    for k, owner in enumerate(owners):
        found.append(found[-1] if k and owner == owners[k - 1] else k)
    return found


def _rows_of(tables: Tables, link: Link) -> tuple[int, int]:
    """Return the first row of a link's joint and the row behind its last."""
    rows = tables.joint_rows[link.joint] if link.joint else range(0)
    return rows.start, rows.stop


def write_constants(columns: Columns, I: Integers, W: Floats) -> None:
    """Write the constants of links and columns, and the ground's acceleration, into W."""
    h, tables = int(I[T.TREE]), columns.tables
    values = constants(columns).ravel()
    W[I[h + T.W_ACCEPTED] : I[h + T.W_ACCEPTED] + columns.nq] = np.nan  # none yet
    W[I[h + T.W_CONSTANT] : I[h + T.W_CONSTANT] + len(values)] = values
    W[I[h + T.W_PITCH] : I[h + T.W_PITCH] + len(columns.columns)] = pitches(columns)
    g = int(I[L.GRAVITY])
    W[I[h + T.W_BASE] : I[h + T.W_BASE] + tables.dimension] = -tables.F[g : g + tables.dimension]


def envelope(columns: Columns) -> Integers:
    """Return for each unknown rate the first rate that it is coupled with: the outermost column that carries it."""
    first = np.arange(columns.nv, dtype=np.int64)
    number = {link.body: i for i, link in enumerate(columns.tree.links)}
    root = np.full(len(columns.tree.links), -1, dtype=np.int64)
    done = -1
    for k, column in enumerate(columns.columns):
        for i in range(done + 1, column.link + 1):  # links without columns pass on what carries them
            parent = columns.tree.links[i].parent
            root[i] = root[number[parent]] if parent else -1
        done = column.link
        if column.motion < 0:
            root[done] = columns.rates[k] if root[done] < 0 else root[done]
            first[columns.rates[k]] = root[done]
    return first
