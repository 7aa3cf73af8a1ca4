"""Bodies welded together by fixed joints, as one body: composites, and the tables of the same model on composites.

A composite has the axes of its root body and its coordinates at the common center of mass. Every coordinate function, law,
load, wrench element and row keeps its number and its meaning; points and directions are told from the composite. Only the
rows of the welds are gone, which nothing moves against. The ground's composite does not move.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from multibody.kernels import codes as L
from multibody.kernels import declared as D
from multibody.kernels.body_layout import LAYOUTS
from multibody.kernels.memory.declaration import numbers_of
from multibody.tables.lower import Tables
from multibody.tables.lowered import EndSlots, MassSlots
from multibody.tables.rows import Rows, listed
from multibody.tables.wrench_elements import spread_frame

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Records = npt.NDArray[Any]
ALIGNED = 1e-14  # difference of two unit vectors that are the same


@dataclass(frozen=True)
class Weld:
    """A fixed joint between a body and one nearer to the root of its composite."""

    joint: str
    parent: int
    child: int


@dataclass
class Welds:
    """The composites of a model.

    Attributes
    ----------
    joints : list of Weld
        Inner ones before outer ones; a fixed joint that closes a loop of welds is none of them.
    composite : array of int (bodies + 1)
        Composite of each body; 0 is the ground's.
    roots : list of int
        The body whose axes each composite has.
    points : array (bodies + 1, d)
        Center of mass of each body, from the composite's center in its axes.
    turns : array (bodies + 1, d, d)
        Axes of each body in those of the composite.
    angles : array (bodies + 1)
        In the plane, the angle of each body less that of its composite, with whole turns.
    """

    joints: list[Weld]
    composite: Integers
    roots: list[int]
    points: Floats
    turns: Floats
    angles: Floats

    @property
    def owners(self) -> set[str]:
        """The names of the welds."""
        return {weld.joint for weld in self.joints}


def find_welds(tables: Tables) -> Welds | None:
    """Return the composites of a model, None where no joint is a weld.

    A body with a load in its own axes joins only a root with the same axes, and one with any load, or with an angular velocity
    that a force depends on, not the ground: the kernels find their components through the body. What does not join stays a
    body of its own with its fixed joint.
    """
    around = _fixed_joints(tables)
    if not around:
        return None
    own_axes, loaded = _loads(tables)
    count, d = len(tables.bodies), tables.dimension
    composite, points, turns = np.full(count, -1), np.zeros((count, d)), np.tile(np.eye(d), (count, 1, 1))
    joints: list[Weld] = []
    roots: list[int] = []
    for root in [0, *sorted(own_axes), *range(1, count)]:
        if composite[root] >= 0:
            continue
        composite[root] = len(roots)
        roots.append(root)
        members = [root]
        for parent in members:  # grows while it is walked
            for name, child in around.get(parent, []):
                if composite[child] >= 0 or (root == 0 and child in loaded):
                    continue
                point, turn = _relative(tables, name, parent)
                if child in own_axes and np.max(np.abs(turns[parent] @ turn - np.eye(d))) > ALIGNED:
                    continue
                points[child], turns[child] = points[parent] + turns[parent] @ point, turns[parent] @ turn
                composite[child] = composite[root]
                members.append(child)
                joints.append(Weld(name, parent, child))
        if root:
            points[members] -= _center(tables, members, points)
    if not joints:
        return None
    order = np.argsort(roots)  # composites in the order of their roots
    place = np.argsort(order)
    angles = np.arctan2(turns[:, 1, 0], turns[:, 0, 0]) if d == 2 else np.zeros(count)
    return Welds(joints, place[composite], [roots[k] for k in order], points, turns, angles)


def _fixed_joints(tables: Tables) -> dict[int, list[tuple[str, int]]]:
    """Return the fixed joints at each body: (name, other body)."""
    found: dict[int, list[tuple[str, int]]] = {}
    for name, pair in tables.pairs.items():
        if not pair.motion.freedoms:
            found.setdefault(pair.first, []).append((name, pair.second))
            found.setdefault(pair.second, []).append((name, pair.first))
    return found


def _loads(tables: Tables) -> tuple[set[int], set[int]]:
    """Return the bodies with loads in their own axes, and those with any loads or whose spin a force depends on."""
    loads, inputs = tables.packed.loads, tables.packed.inputs
    spinning = inputs.index[inputs.code >= L.INPUT_OMEGA].tolist()
    return set(loads.body[loads.follows == 1].tolist()), {*loads.body.tolist(), *spinning}


def _relative(tables: Tables, joint: str, parent: int) -> tuple[Floats, Floats]:
    """Return center of mass and axes of the other body of a weld in the parent, from its center of mass."""
    first, second = tables.ends[joint]
    inner, outer = (first, second) if first.body == parent else (second, first)
    turn = tables.matrix(inner.axes) @ tables.matrix(outer.axes).T
    return tables.vector(inner.point) - turn @ tables.vector(outer.point), turn


def _center(tables: Tables, members: list[int], points: Floats) -> Floats:
    """Return the common center of mass of a composite's bodies; the root's own where it has no mass."""
    masses = np.array([tables.F[tables.masses[b - 1].mass] for b in members])
    total = float(np.sum(masses))
    return np.asarray(masses @ points[members] / total if total > 0.0 else points[members[0]].copy())


def count_turns(welds: Welds, q: Floats) -> None:
    """Give the angles between planar bodies the whole turns that they have at q (nq)."""
    planar = LAYOUTS[2]
    theta = np.concatenate([[0.0], q[planar.each(planar.angle, len(welds.composite) - 1)]])
    base = theta[np.array(welds.roots)[welds.composite]]
    welds.angles = welds.angles + 2.0 * math.pi * np.round((theta - base - welds.angles) / (2.0 * math.pi))


def welded_tables(tables: Tables, welds: Welds) -> tuple[Tables, Integers]:
    """Return the tables on composites, and the rows of joints and motions that they keep.

    All numbers stay where they were, so that what names a number of a law or a program still finds it; changed ones stand
    behind them.
    """
    made = copy.copy(tables)
    nb, nx = len(welds.roots) - 1, len(tables.extras)
    made.bodies, made.cache = [tables.bodies[root] for root in welds.roots], {}
    numbers: list[Floats] = [tables.F]
    functions = _functions(tables, welds, numbers)
    gone = {r for name in welds.owners for r in tables.joint_rows[name]}
    kept = np.array([r for r in range(tables.count_joint + tables.count_motion) if r not in gone], dtype=np.int64)
    made_rows = Rows(tables.width, nb)
    made_rows.add_of(tables.packed, functions, kept)
    (rows, terms, columns), pointer = made_rows.packed(), made_rows.pointer
    made.rows = [tables.rows[r] for r in kept]
    made.count_joint = int(np.sum(kept < tables.count_joint))
    made.row_pointer, made.columns = pointer, columns
    made.joint_rows = _joint_rows(tables, welds, kept)
    made.ends = {name: _moved_ends(tables, welds, numbers, name) for name in made.joint_rows if name in tables.ends}
    made.pairs = {name: replace(pair, ends=made.ends[name]) for name, pair in tables.pairs.items() if name in made.ends}
    made.functions = [
        old._replace(first=int(f["first"]), second=int(f["second"])) for old, f in zip(tables.functions, functions, strict=True)
    ]
    made.loads = [load._replace(body=int(welds.composite[load.body])) for load in tables.loads]
    made.masses = _masses(tables, welds, numbers)
    loads, elements = _moved_loads(tables, welds, numbers), _moved_elements(tables, welds, numbers)
    made.packed = tables.packed.sharing(
        bodies=nb, coordinates=tables.layout.coordinates * nb + nx, velocities=tables.width * nb + nx,
        functions=functions, rows=rows, terms=terms, columns=columns, masses=listed(D.MassSlots, made.masses), loads=loads,
        wrench_elements=elements, inputs=_inputs(tables, welds), numbers=np.concatenate(numbers),
    )  # fmt: skip
    return made, kept


def _append(numbers: list[Floats], values: Iterable[float]) -> int:
    """Append numbers to F; return where they begin."""
    at = sum(len(part) for part in numbers)
    numbers.append(np.array(list(values), dtype=float))
    return at


def _functions(tables: Tables, welds: Welds, numbers: list[Floats]) -> Records:
    """Return the records of the coordinate functions, told from composites."""
    d, size = tables.dimension, D.FUNCTION_NUMBERS[tables.dimension].size
    records: Records = tables.packed.functions.copy()
    for record in records:
        if record.kind == L.EXTRA:
            continue
        own = tables.F[record.numbers : record.numbers + size]
        values = _told(own, int(record.kind), int(record.first), int(record.second), welds, d)
        record.first, record.second = welds.composite[record.first], welds.composite[record.second]
        if not np.array_equal(values, own):
            record.numbers = _append(numbers, values)
    return records


def _told(numbers: Floats, kind: int, i: int, j: int, welds: Welds, d: int) -> Floats:
    """Return the numbers of a function (points and directions on bodies i and j) in the axes of their composites."""
    out, fields = numbers.copy(), D.FUNCTION_NUMBERS[d].fields
    if d == 2 and kind in (L.ANGLE, L.ALIGNED):
        out[fields["offset"].slot] += welds.angles[j] - welds.angles[i]
        return out
    for name, body in (("s_i", i), ("s_j", j)):
        span = slice(fields[name].slot, fields[name].slot + d)
        out[span] = welds.points[body] + welds.turns[body] @ numbers[span]
    directions = {L.DOT1: "ab", L.DOT2: "a", L.ANGLE: "abcd"}.get(kind, "")
    for name, body in zip(directions, (i, j, i, j), strict=False):
        span = slice(fields[name].slot, fields[name].slot + d)
        out[span] = welds.turns[body] @ numbers[span]
    return out


def _joint_rows(tables: Tables, welds: Welds, kept: Integers) -> dict[str, range]:
    """Return the rows of each joint among those that are kept."""
    found = {}
    for name, rows in tables.joint_rows.items():
        if name not in welds.owners:
            at = int(np.searchsorted(kept, rows.start))
            found[name] = range(at, at + len(rows))
    return found


def _moved_ends(tables: Tables, welds: Welds, numbers: list[Floats], name: str) -> tuple[EndSlots, EndSlots]:
    """Return the frames of a joint on composites."""
    found = []
    for end in tables.ends[name]:
        turn = welds.turns[end.body]
        point = _append(numbers, welds.points[end.body] + turn @ tables.vector(end.point))
        axes = _append(numbers, (turn @ tables.matrix(end.axes)).ravel())
        found.append(replace(end, body=int(welds.composite[end.body]), point=point, axes=axes))
    return found[0], found[1]


def _masses(tables: Tables, welds: Welds, numbers: list[Floats]) -> list[MassSlots]:
    """Return the slots of mass and inertia of every composite, the latter about its center of mass."""
    found = []
    for k, root in enumerate(welds.roots[1:], 1):
        members = np.flatnonzero(welds.composite == k)
        if len(members) == 1:
            found.append(tables.masses[root - 1])
            continue
        mass, inertia = 0.0, np.zeros((1, 1) if tables.dimension == 2 else (3, 3))
        for b in members:
            slots, p = tables.masses[b - 1], welds.points[b]
            own, J = float(tables.F[slots.mass]), slots.inertia
            mass += own
            if tables.dimension == 2:
                inertia += tables.F[J] + own * p @ p
            else:
                inertia += welds.turns[b] @ tables.matrix(J) @ welds.turns[b].T + own * (p @ p * np.eye(3) - np.outer(p, p))
        found.append(MassSlots(_append(numbers, [mass]), _append(numbers, inertia.ravel())))
    return found


def _moved_loads(tables: Tables, welds: Welds, numbers: list[Floats]) -> Records:
    """Return the records of loads on composites."""
    records: Records = tables.packed.loads.copy()
    for record in records:
        body, own = int(record.body), tables.vector(record.point)
        record.body = welds.composite[body]
        record.point = _append(numbers, welds.points[body] + welds.turns[body] @ own)
    return records


def _moved_elements(tables: Tables, welds: Welds, numbers: list[Floats]) -> Records:
    """Return the records of wrench elements on composites."""
    records: Records = tables.packed.wrench_elements.copy()
    for record in records:
        own, moved = numbers_of(D.WrenchFrames, tables.F, record.frames), list[float]()
        for body, s, C in ((record.first, own.s_i, own.C_i), (record.second, own.s_j, own.C_j)):
            point, turn = spread_frame(welds.points[body], welds.turns[body])
            moved += [*(point + turn @ s), *(turn @ C.reshape(3, 3)).ravel()]
        record.frames = _append(numbers, moved)
        record.first, record.second = welds.composite[record.first], welds.composite[record.second]
    return records


def _inputs(tables: Tables, welds: Welds) -> Records:
    """Return the inputs of programs: angular velocities are those of composites."""
    records: Records = tables.packed.inputs.copy()
    spinning = records["code"] >= L.INPUT_OMEGA
    records["index"][spinning] = welds.composite[records["index"][spinning]]
    return records
