"""Joint coordinates of a tree: the columns of its joints, and their records and constants for the kernels.

A joint is a sequence of elementary motions (slides along, turns about the axes f, g, h of the first end, or a ball with a
quaternion), those of its pair; a joint that the tree walks backward has the reversed sequence with opposite signs. Coordinates
are those of the joint either way.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from multibody.kernels.tree import declared as T
from multibody.model.structure import BALL, SCREW, SLIDE, TURN, Freedom, free
from multibody.tables.lower import Tables
from multibody.tables.pairs import offset_of, pitch_of
from multibody.tables.products import across, times, turned_back
from multibody.tables.rows import record
from multibody.tables.tree import Link, Tree, driven_functions

Floats = npt.NDArray[np.float64]
CODES = {SLIDE: T.SLIDE, TURN: T.TURN, SCREW: T.SCREW, BALL: T.BALL}
SPACING = 8  # links that share a reference point: few enough to lose no digits, many enough to cost nothing


@dataclass(frozen=True)
class Column:
    """One degree of freedom of a tree joint.

    Attributes
    ----------
    link : int
        Number of the link that it moves.
    kind, axis, sign : int
        Elementary motion, see ``kernels/tree/declared.py``.
    name : str
        ``joint.coordinate``; of balls and of bodies without a joint ``name.omega.x``, ``name.x``.
    function : int
        Coordinate function, −1 where there is none.
    is_length : bool
    motion : int
        Row of the motion that prescribes it, −1 where it is unknown.
    """

    link: int
    kind: int
    axis: int
    sign: int
    name: str
    function: int
    is_length: bool
    motion: int = -1


@dataclass
class Columns:
    """The joint coordinates of a tree.

    Attributes
    ----------
    columns : list of Column
    places, rates : list of int
        Place of each column's coordinate among the unknown ones (−1: within a quaternion, or prescribed) and of its rate
        (−1 − k: the k-th prescribed one).
    quaternions : dict
        Place of the quaternion of a link among the unknown coordinates.
    nq, nv : int
        Numbers of unknown coordinates and rates, extra coordinates of cams (last) included.
    """

    tables: Tables
    tree: Tree
    columns: list[Column]
    prescribed: bool = True
    places: list[int] = field(default_factory=list)
    rates: list[int] = field(default_factory=list)
    quaternions: dict[int, int] = field(default_factory=dict)
    nq: int = 0
    nv: int = 0

    def __post_init__(self) -> None:
        given = 0
        for column in self.columns:
            if column.motion >= 0:
                given += 1
                self.places.append(-1)
                self.rates.append(-given)
                continue
            if column.kind == T.BALL:
                self.places.append(-1)
                if column.axis == 0:
                    self.quaternions[column.link] = self.nq
                    self.nq += 4
            else:
                self.places.append(self.nq)
                self.nq += 1
            self.rates.append(self.nv)
            self.nv += 1
        self.extras_at, self.extras_rate = self.nq, self.nv
        self.nq += len(self.tables.extras)
        self.nv += len(self.tables.extras)

    @property
    def given(self) -> list[Column]:
        """The prescribed columns, in order."""
        return [column for column in self.columns if column.motion >= 0]

    @property
    def unknown(self) -> list[Column]:
        """The columns whose rates are unknown, in order."""
        return [column for column in self.columns if column.motion < 0]

    def loop_rows(self) -> list[int]:
        """Return the rows of joints and motions that the tree does not satisfy by itself."""
        tables = self.tables
        on_tree = {link.joint for link in self.tree.links}
        driven = {column.motion for column in self.columns}
        rows = [r for name, own in tables.joint_rows.items() if name not in on_tree for r in own]
        return sorted(rows) + [
            r for r in range(tables.count_joint, tables.count_joint + tables.count_motion) if r not in driven
        ]


def columns_of(tables: Tables, tree: Tree, prescribed: bool = True) -> Columns:
    """Return the joint coordinates of a tree.

    Parameters
    ----------
    tables : Tables
    tree : Tree
    prescribed : bool
        Whether motions on tree joints prescribe their coordinates (else all coordinates are unknown).
    """
    motions = {function: row for row, function in driven_functions(tables).items()} if prescribed else {}
    found: list[Column] = []
    for i, link in enumerate(tree.links):
        name = link.joint or tables.bodies[link.body]
        for freedom, function in _steps(tables, link):
            kind, words = CODES[freedom.how], f"{name}.{freedom.coordinate}"
            sign = -1 if link.reversed and kind != T.BALL else 1
            motion = motions.get(function, -1) if function >= 0 else -1
            found.append(Column(i, kind, freedom.number, sign, words, function, kind == T.SLIDE, motion))
    return Columns(tables, tree, found, prescribed)


def _steps(tables: Tables, link: Link) -> list[tuple[Freedom, int]]:
    """Return the elementary motions of a link, from the carrier outward, each with its coordinate function."""
    if not link.joint:
        return [(freedom, -1) for freedom in free(tables.dimension)]
    pair = tables.pairs[link.joint]
    return pair.steps[::-1] if link.reversed and not pair.motion.ball else pair.steps


def constants(columns: Columns, tables: Tables | None = None) -> npt.NDArray[Any]:
    """Return the constants of all links as records (..., links), see ``kernels/tree/declared.py``.

    Parameters
    ----------
    columns : Columns
    tables : Tables, optional
        Whose numbers are read, by default those of the columns; with numbers of many members the records are (members, links).
    """
    tables, tree = columns.tables if tables is None else tables, columns.tree
    planar = tables.dimension == 2
    kind = T.PlanarConstants.dtype if planar else T.SpatialConstants.dtype
    out = np.zeros((*np.shape(tables.length), len(tree.links)), dtype=kind)
    origin: dict[int, tuple[Floats, Floats]] = {0: (np.zeros(tables.dimension), np.eye(tables.dimension))}
    for i, link in enumerate(tree.links):
        outer, axes, inner, carrier_axes = ends_of(tables, link)
        origin[link.body] = (outer, np.eye(2) if planar else axes)
        p, E = origin[link.parent]
        mass, inertia = tables.masses[link.body - 1]
        m = tables.F[mass] if mass >= 0 else 0.0
        if planar:
            J = tables.F[inertia] if inertia >= 0 else 0.0
            values = {"angle": _planar_offset(tables, link), "axis": carrier_axes[..., 0], "s": inner - p, "c": -outer, "J": J}
        else:
            J = across(axes, times(tables.matrix(inertia) if inertia >= 0 else np.zeros((3, 3)), axes))
            values = {
                "C": _flat(across(E, carrier_axes)), "s": turned_back(E, inner - p), "c": -turned_back(axes, outer),
                "J": J[..., (0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)], "G": _flat(np.swapaxes(axes, -1, -2)),
            }  # fmt: skip
        for name, value in {"m": m, **values}.items():
            field = out[name]
            field[(..., i) if field.ndim == out.ndim else (..., i, slice(None))] = value
    return out


def _flat(A: Floats) -> Floats:
    """Return matrices (..., d, d) by rows (..., d²)."""
    return A.reshape(*A.shape[:-2], -1)


def ends_of(tables: Tables, link: Link) -> tuple[Floats, Floats, Floats, Floats]:
    """Return point and axes of a link's joint on the link and on its carrier, from the centers of mass, body axes."""
    d = tables.dimension
    if not link.joint:
        return np.zeros(d), np.eye(d), np.zeros(d), np.eye(d)
    first, second = tables.ends[link.joint]
    own, other = (first, second) if link.reversed else (second, first)
    return tables.vector(own.point), tables.matrix(own.axes), tables.vector(other.point), tables.matrix(other.axes)


def _planar_offset(tables: Tables, link: Link) -> Any:
    """Return the angle of a planar link beyond its carrier's where its joint's angle is zero, up to whole turns."""
    if not link.joint:
        return 0.0
    pair = tables.pairs[link.joint]
    if pair.motion.turns:
        return offset_of(tables, pair) * (1.0 if link.reversed else -1.0)
    _, own, _, other = ends_of(tables, link)
    return np.arctan2(other[..., 1, 0], other[..., 0, 0]) - np.arctan2(own[..., 1, 0], own[..., 0, 0])


def _pitch(columns: Columns, column: Column) -> float:
    """Return the advance a radian of a column [length], 0 but for screws."""
    if column.kind != T.SCREW:
        return 0.0
    return pitch_of(columns.tables, columns.tables.pairs[columns.tree.links[column.link].joint])


def records(columns: Columns) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the records of links and columns."""
    tree = columns.tree
    number = {link.body: i for i, link in enumerate(tree.links)}
    first = np.searchsorted([c.link for c in columns.columns], np.arange(len(tree.links) + 1))
    age = [0] * len(tree.links)
    links = np.zeros(len(tree.links), dtype=T.Link.dtype).view(np.recarray)
    rows = np.zeros(len(columns.columns), dtype=T.Column.dtype)
    for i, link in enumerate(tree.links):
        carrier = number[link.parent] if link.parent else -1
        own = range(first[i], first[i + 1])
        inner = int(links[carrier].last) if carrier >= 0 else -1
        for k in own:
            c = columns.columns[k]
            rows[k] = record(
                T.Column, link=i, kind=c.kind, axis=c.axis, sign=c.sign, rate=columns.rates[k], position=columns.places[k],
                inner=inner, function=c.function, pitch=_pitch(columns, c),
            )  # fmt: skip
            inner = k
        age[i] = age[carrier] + 1 if carrier >= 0 else 0
        slides = any(columns.columns[k].kind == T.SLIDE for k in own)  # may go far
        rebased = carrier < 0 or slides or age[i] >= SPACING
        age[i] = 0 if rebased else age[i]
        places = [columns.places[k] for k in own if columns.places[k] >= 0]
        links[i] = record(
            T.Link, body=link.body, carrier=carrier, first=own.start, count=len(own), coordinate=places[0] if places else -1,
            quaternion=columns.quaternions.get(i, -1), own_point=int(rebased), end=i + 1, last=inner,
        )  # fmt: skip
    for i in range(len(tree.links) - 1, -1, -1):
        if links[i].carrier >= 0:
            outer = links[links[i].carrier]
            outer.end = max(outer.end, links[i].end)
    return links, rows
