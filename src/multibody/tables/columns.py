"""Joint coordinates of a tree: the columns of its joints, and their records and constants for the kernels.

A joint is a sequence of elementary motions (slides along, turns about the axes f, g, h of the first end, or a ball with a
quaternion), read off its row in the catalog; a joint that the tree walks backward has the reversed sequence with opposite
signs. Coordinates are those of the joint either way.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from multibody.kernels.declared import PlanarNumbers
from multibody.kernels.memory.declaration import numbers_of
from multibody.kernels.tree import declared as T
from multibody.tables.lower import Tables
from multibody.tables.tree import Link, Tree, driven_functions

Floats = npt.NDArray[np.float64]
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
        for kind, axis, coordinate in _motions_of(tables, link):
            function = tables.coordinates.get(("joint", link.joint, coordinate, 0), -1) if link.joint else -1
            sign = -1 if link.reversed and kind != T.BALL else 1
            motion = motions.get(function, -1) if function >= 0 else -1
            found.append(Column(i, kind, axis, sign, f"{name}.{coordinate}", function, kind == T.SLIDE, motion))
    return Columns(tables, tree, found, prescribed)


def _motions_of(tables: Tables, link: Link) -> list[tuple[int, int, str]]:
    """Return the elementary motions (kind, axis, coordinate) of a link's joint, from the carrier outward."""
    d = tables.dimension
    if not link.joint:
        names = [(T.SLIDE, k, "xyz"[k]) for k in range(d)]
        return names + ([(T.TURN, 2, "angle")] if d == 2 else [(T.BALL, k, f"omega.{'xyz'[k]}") for k in range(3)])
    kind = tables.model.joints[link.joint].kind
    structure = kind.structure(d)
    names_ = [name for name, _ in structure.coordinates]
    if kind.relation == "screw":
        found = [(T.SCREW, 2, names_[0])]
    else:
        slides = [(T.SLIDE, "fgh".index(axis), names_[k]) for k, axis in enumerate(structure.translations)]
        turns = names_[len(slides) :]
        if structure.rotation == 3:
            rest = [(T.BALL, k, f"omega.{'xyz'[k]}") for k in range(3)]
            slides = [(T.SLIDE, k, name) for (_, k, _), name in zip(slides, names_, strict=True)]
        else:
            rest = [(T.TURN, axis, name) for axis, name in zip((2, 0), turns, strict=False)]
        found = slides + rest
    return found[::-1] if link.reversed and structure.rotation != 3 else found


def constants(columns: Columns) -> npt.NDArray[Any]:
    """Return the constants of all links as records, see ``kernels/tree/declared.py``."""
    tables, tree = columns.tables, columns.tree
    planar = tables.dimension == 2
    out = np.zeros(len(tree.links), dtype=T.PlanarConstants.dtype if planar else T.SpatialConstants.dtype)
    origin: dict[int, tuple[Floats, Floats]] = {0: (np.zeros(tables.dimension), np.eye(tables.dimension))}
    for i, link in enumerate(tree.links):
        outer, axes, inner, carrier_axes = ends_of(tables, link)
        origin[link.body] = (outer, np.eye(2) if planar else axes)
        p, E = origin[link.parent]
        mass, inertia = tables.masses[link.body - 1]
        m = tables.F[mass] if mass >= 0 else 0.0
        if planar:
            J = tables.F[inertia] if inertia >= 0 else 0.0
            out[i] = (_planar_offset(tables, link), carrier_axes[:, 0], inner - p, m, -outer, J)
        else:
            J = axes.T @ (tables.matrix(inertia) if inertia >= 0 else np.zeros((3, 3))) @ axes
            six = [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]
            out[i] = ((E.T @ carrier_axes).ravel(), E.T @ (inner - p), m, -axes.T @ outer, six, axes.T.ravel())
    return out


def ends_of(tables: Tables, link: Link) -> tuple[Floats, Floats, Floats, Floats]:
    """Return point and axes of a link's joint on the link and on its carrier, from the centers of mass, body axes."""
    d = tables.dimension
    if not link.joint:
        return np.zeros(d), np.eye(d), np.zeros(d), np.eye(d)
    first, second = tables.ends[link.joint]
    own, other = (first, second) if link.reversed else (second, first)
    return tables.vector(own.point), tables.matrix(own.axes), tables.vector(other.point), tables.matrix(other.axes)


def _planar_offset(tables: Tables, link: Link) -> float:
    """Return the angle of a planar link beyond its carrier's where its joint's angle is zero, up to whole turns."""
    if not link.joint:
        return 0.0
    function = tables.coordinates.get(("joint", link.joint, "angle", 0), -1)
    if function >= 0:
        numbers = numbers_of(PlanarNumbers, tables.F, tables.packed.functions.numbers[function])
        return float(numbers.offset) * (1.0 if link.reversed else -1.0)
    _, own, _, other = ends_of(tables, link)
    return math.atan2(other[1, 0], other[0, 0]) - math.atan2(own[1, 0], own[0, 0])


def _pitch(columns: Columns, column: Column) -> float:
    """Return the advance a radian of a column, 0 but for screws."""
    if column.kind != T.SCREW:
        return 0.0
    return _lead(columns.tables, columns.tree.links[column.link].joint) / (2.0 * math.pi)


def _lead(tables: Tables, joint: str) -> float:
    """Return the lead of a screw from the weights of its row: position − lead/2π · angle = 0."""
    from multibody.tables.scope import Scope

    scope, where = Scope(tables.model), f"joints.{joint}"
    return float(scope.value(scope.scalar(tables.model.joints[joint].fields["lead"], where), where))


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
            place, pitch = columns.places[k], _pitch(columns, c)
            rows[k] = (i, c.kind, c.axis, c.sign, columns.rates[k], place, inner, c.function, pitch)
            inner = k
        age[i] = age[carrier] + 1 if carrier >= 0 else 0
        slides = any(columns.columns[k].kind == T.SLIDE for k in own)  # may go far
        rebased = carrier < 0 or slides or age[i] >= SPACING
        age[i] = 0 if rebased else age[i]
        places = [columns.places[k] for k in own if columns.places[k] >= 0]
        quaternion = columns.quaternions.get(i, -1)
        coordinate = places[0] if places else -1
        links[i] = (link.body, carrier, own.start, len(own), coordinate, quaternion, int(rebased), i + 1, inner)
    for i in range(len(tree.links) - 1, -1, -1):
        if links[i].carrier >= 0:
            outer = links[links[i].carrier]
            outer.end = max(outer.end, links[i].end)
    return links, rows
