"""The tree in the memory of the kernels: its structure and numbers, what is remembered of it, and its scratch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from multibody.kernels import codes as L
from multibody.kernels.tree import declared as T
from multibody.tables.columns import Columns, constants, records
from multibody.tables.lower import Tables
from multibody.tables.plain_rows import plain_rows
from multibody.tables.rows import listed
from multibody.tables.tree import Link

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def tree_blocks(
    columns: Columns,
    loops: Sequence[int] = (),
    chosen: Sequence[int] = (),
    *,
    formed: bool = True,
    transformed: bool = False,
    full: bool = False,
) -> T.TreeBlocks:
    """Return the tree's parts of a model or a run: structure, state and scratch.

    Parameters
    ----------
    columns : Columns
    loops : list of int
        Rows that the tree does not satisfy by itself.
    chosen : list of int
        Those of them that are independent, as places in `loops`, in ascending order.
    formed : bool
        Whether there is room for a mass matrix.
    transformed : bool
        Whether there is room for the matrix B of a body.
    full : bool
        Whether the mass matrix may fill up: loops are added to it where it is singular by itself.
    """
    first = envelope(columns) if formed else np.zeros(0, dtype=np.int64)
    first = np.zeros_like(first) if full else first
    lengths = np.arange(len(first)) - first + 1
    base = np.concatenate([[0], np.cumsum(lengths)])[:-1] - first
    model = _structure(columns, loops, chosen)
    model.H_base, model.H_first = base, first
    state = T.TreeState(accepted=np.full(columns.nq, np.nan), row_size=len(chosen))  # no state is accepted yet
    return T.TreeBlocks(model, state, _scratch(columns, transformed, int(np.sum(lengths))))


def _structure(columns: Columns, loops: Sequence[int], chosen: Sequence[int]) -> T.Tree:
    """Return structure and numbers of a tree; the skyline of its mass matrix is left out."""
    tables, tree, planar = columns.tables, columns.tree, columns.tables.dimension == 2
    links, rows = records(columns)
    number = {link.body: i for i, link in enumerate(tree.links)}
    acted = int(bool(tables.laws or tables.loads or tables.wrenches))
    return T.Tree(
        nq=columns.nq, nv=columns.nv, extras_at=columns.extras_at, extras_rate=columns.extras_rate, acted=acted,
        posed=int(bool(acted or loops)), counted=int(not planar and _counts_others(columns)), all_joints=1,
        links=links, columns=rows, **{_named(planar, "constants"): constants(columns)}, base=ground_acceleration(tables),
        given=listed(T.Given, [(k, c.motion) for k, c in enumerate(columns.columns) if c.motion >= 0]),
        quaternions=np.array(list(columns.quaternions.values()), dtype=np.int64), row_list=np.array(loops, dtype=np.int64),
        plain=listed(T.LoopRow, plain_rows(tables)[["kind", "first", "second", "numbers"]][loops].tolist()),
        group=np.array(_groups([tables.rows[loops[k]].owner for k in chosen]), dtype=np.int64),
        joint_rows=listed(T.JointRows, [_rows_of(tables, link) for link in tree.links]),
        link_of=np.array([number[b + 1] for b in range(len(tree.links))], dtype=np.int64), calls=T.TreeCalls(),
    )  # fmt: skip


def _scratch(columns: Columns, transformed: bool, entries: int) -> T.TreeScratch:
    """Return the scratch of a tree whose mass matrix has so many entries."""
    tables, links, planar = columns.tables, len(columns.tree.links), columns.tables.dimension == 2
    sizes = {"links": links, "columns": len(columns.columns), "loads": links, "gradients": tables.width}
    sizes["B"] = columns.nv if transformed else 0
    return T.TreeScratch(
        **{_named(planar, name): size for name, size in sizes.items()}, given=len(columns.given), force=tables.nv,
        tau=max(columns.nv, len(columns.columns)), H=entries, HD=columns.nv,
        entries=int(np.max(np.diff(tables.row_pointer), initial=0)), normal=tables.width**2, fitted=tables.width,
    )  # fmt: skip


def add_partials(tree: T.TreeBlocks, tables: Tables, size: int, entries: int) -> None:
    """Give the scratch of a tree room for derivatives, see ``kernels/tree/partials.py``.

    Parameters
    ----------
    tree : TreeBlocks
    tables : Tables
    size : int
        Numbers of a block matrix over the velocity columns of the bodies.
    entries : int
        Cartesian entries of the chosen rows.
    """
    planar, work = tables.dimension == 2, tree.scratch
    setattr(work, _named(planar, "sums"), len(tree.model.links))
    setattr(work, _named(planar, "changes"), len(tree.model.columns))
    work.body_force, work.body_K, work.body_C, work.row_entries, work.row_changes = tables.nv, size, size, entries, entries


def tree_constants(tree: T.Tree) -> npt.NDArray[Any]:
    """Return the constants of the links of a tree, planar or spatial."""
    found: npt.NDArray[Any] = tree.planar_constants if len(tree.planar_constants) else tree.spatial_constants
    return found


def _named(planar: bool, name: str) -> str:
    """Return the name of a field that the plane and space have of their own."""
    return f"{'planar' if planar else 'spatial'}_{name}"


def _counts_others(columns: Columns) -> bool:
    """Return whether there are counted angles that are no coordinates of the tree."""
    tables, own = columns.tables, {column.function for column in columns.columns}
    return any(kind == L.ANGLE and k not in own for k, kind in enumerate(tables.packed.functions.kind))


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


def ground_acceleration(tables: Tables) -> Floats:
    """Return the acceleration of the ground as a motion, minus gravity; (members, ·) of tables with numbers of many members."""
    out = np.zeros((*np.shape(tables.length), tables.width))
    out[..., : tables.dimension] = -tables.gravity
    return out


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
