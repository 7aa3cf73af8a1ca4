"""Bodies of a spanning tree as functions of joint coordinates: poses, Jacobians, and what accelerations have at u̇ = 0.

With the speeds u of all joints every body has v = J u and v̇ = J u̇ + b. A pair says how its ends move:
p_j = p_i + C_i Σ a_k s_k, C_j = C_i R(φ₁) R(φ₂) (``model/structure.py``); the recursions follow from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy

from multibody.kernels.body_layout import LAYOUTS
from multibody.kernels.declared import PlanarNumbers
from multibody.kernels.rotations import matrix_of_quaternion
from multibody.model.structure import BALL, SCREW, SLIDE, Freedom, PairMotion, free
from multibody.symbolic.bodies import ZERO, Pose, ground, planar_pose
from multibody.symbolic.formulas import symbolic
from multibody.symbolic.names import Names, latex_name
from multibody.symbolic.written import lifted, plain, written
from multibody.tables.build import Builder
from multibody.tables.growing import Link
from multibody.tables.lower import Tables
from multibody.tables.pairs import pitch_formula
from multibody.tables.placement import End
from multibody.tables.tree import Tree

SHORT = 2  # links of a chain in space that is written without abbreviations
OFFSET = PlanarNumbers.fields["offset"].slot


@dataclass(frozen=True)
class Coordinate:
    """A coordinate of a tree with its speed; a ball has four Euler parameters and three speeds.

    Attributes
    ----------
    y, u : tuple of sympy.Symbol
    owner : str
        Joint, or body, that it belongs to.
    is_length : bool
    function : int
        The coordinate function that it is, −1 if it is none.
    place : int
        Where it lies in q, of a coordinate that is a body's own or an extra one, else −1.
    link : Link or None
        Of a ball.
    """

    y: tuple[Any, ...]
    u: tuple[Any, ...]
    owner: str
    is_length: bool
    function: int = -1
    place: int = -1
    link: Link | None = None


@dataclass
class TreeMotion:
    """Coordinates of a tree and the motion of its bodies.

    Attributes
    ----------
    coordinates : list of Coordinate
        Of all joints of the tree, then extra coordinates.
    poses : list of Pose
        Of all bodies, the ground first; velocities are J u.
    J, bias : sympy.Matrix
        Over the velocity columns of all bodies.
    definitions : list of (symbol, expression)
        Abbreviations, each of earlier ones.
    """

    coordinates: list[Coordinate] = field(default_factory=list)
    poses: list[Pose] = field(default_factory=list)
    J: Any = None
    bias: Any = None
    definitions: list[tuple[Any, Any]] = field(default_factory=list)

    @property
    def y(self) -> list[Any]:
        """All coordinates."""
        return [y for own in self.coordinates for y in own.y]

    @property
    def u(self) -> list[Any]:
        """All speeds."""
        return [u for own in self.coordinates for u in own.u]

    @property
    def own(self) -> dict[int, tuple[Any, Any, int]]:
        """Coordinate, speed and place among the speeds of each coordinate function that is a joint's own."""
        speeds = self.u
        return {c.function: (c.y[0], c.u[0], speeds.index(c.u[0])) for c in self.coordinates if c.function >= 0}


def tree_motion(
    builder: Builder, tables: Tables, tree: Tree, names: Names, by_path: Mapping[Any, Any], absolute: bool, q: list[Any],
    v: list[Any],
) -> TreeMotion:  # fmt: skip
    """Return the motion of a tree in joint coordinates, or, in the plane, in the angles of its bodies.

    Parameters
    ----------
    builder, tables : Builder, Tables
    tree : Tree
    names : Names
        Gets the new symbols.
    by_path : mapping
        Symbols of parameters and t.
    absolute : bool
        In the plane: whether the angles of bodies are coordinates, not those of joints.
    q, v : list of sympy.Symbol
        Coordinates and velocities of all bodies: some are coordinates of the tree too.
    """
    if builder.dimension == 2:
        return _Plane(builder, tables, tree, names, by_path, q, v).run(absolute)
    return _Space(builder, tables, tree, names, by_path, q, v).run()


class _Chain:
    """What both dimensions share: pairs of links, their ends, and symbols of their freedoms."""

    def __init__(
        self, builder: Builder, tables: Tables, tree: Tree, names: Names, by_path: Mapping[Any, Any], q: list[Any], v: list[Any]
    ) -> None:
        self.builder, self.tables, self.tree, self.by_path = builder, tables, tree, by_path
        self.names, self.q, self.v, self.motion = names, q, v, TreeMotion()
        units = builder.model.units.names
        self.length, self.time = units["length"], units["time"]

    def number(self, value: Any) -> Any:
        return symbolic(value, self.by_path)

    def vector(self, values: Any) -> Any:
        return sympy.Matrix([self.number(x) for x in values])

    def axes(self, end: End) -> Any:
        return sympy.Matrix([[self.number(x) for x in row] for row in end.axes])

    def pair(self, link: Link) -> tuple[PairMotion, End, End, tuple[int, ...]]:
        """Return motion, first end, second end and functions of a link's pair; a body without a pair moves freely."""
        if link.joint:
            pair = self.tables.pairs[link.joint]
            return (pair.motion, *self.builder.ends[link.joint], pair.functions)
        d, body = self.builder.dimension, self.tables.bodies[link.body]
        motion = PairMotion(d, free(d))
        ends = (self.builder.point_end("ground", "origin"), self.builder.point_end(body, "com"))
        return (motion, *ends, (-1,) * len(motion.freedoms))

    def body_coordinate(self, body: int, k: int) -> tuple[Any, Any]:
        """Take the k-th coordinate of a body as a coordinate of the tree."""
        layout = LAYOUTS[self.builder.dimension]
        place, column = layout.first(body) + k, layout.first_rate(body) + k
        own = Coordinate((self.q[place],), (self.v[column],), self.tables.bodies[body], k < layout.dimension, place=place)
        self.motion.coordinates.append(own)
        return own.y[0], own.u[0]

    def joint_coordinate(self, link: Link, freedom: Freedom, function: int, several: bool) -> tuple[Any, Any]:
        """Make coordinate and speed of a slide, turn or screw; those of a body on no joint are its own."""
        slides = freedom.how == SLIDE
        if not link.joint:
            return self.body_coordinate(link.body, freedom.number if slides else LAYOUTS[2].angle)
        owner = f"{link.joint}_{freedom.coordinate}" if several else link.joint
        base, unit, word = ("s", self.length, "displacement") if slides else ("theta", "rad", "angle")
        y = self.names.of(base, owner, unit, f"{word} of {owner}")
        u = self.names.of(base, owner, f"{unit}/{self.time}", f"its rate, of {owner}", dot=True)
        self.motion.coordinates.append(Coordinate((y,), (u,), link.joint, slides, function))
        return y, u


class _Plane(_Chain):
    """Motion of a planar tree: positions as functions of the coordinates, the rest by differentiation."""

    def run(self, absolute: bool) -> TreeMotion:
        """Return the motion."""
        self.absolute = absolute
        self.places: dict[int, tuple[Any, Any]] = {0: (sympy.zeros(2, 1), ZERO)}
        for link in self.tree.links:
            self.places[link.body] = self._placed(link)
        motion, y, u = self.motion, self.motion.y, self.motion.u
        place = sympy.Matrix([x for b in range(1, len(self.tables.bodies)) for x in (*self.places[b][0], self.places[b][1])])
        motion.J = sympy.Matrix([[sympy.diff(x, k) for k in y] for x in place]) if y else sympy.zeros(len(place), 0)
        velocity = motion.J * sympy.Matrix(u) if y else sympy.zeros(len(place), 1)
        motion.bias = velocity.applyfunc(lambda x: sum((sympy.diff(x, k) * rate for k, rate in zip(y, u, strict=True)), ZERO))
        motion.poses = [ground(2)]
        for b in range(1, len(self.tables.bodies)):
            r, angle = self.places[b]
            motion.poses.append(planar_pose(r[0], r[1], angle, velocity[LAYOUTS[2].motion(b)]))
        return motion

    def _placed(self, link: Link) -> tuple[Any, Any]:
        """Return center of mass and angle of a body."""
        own, first, second, functions = self.pair(link)
        base, angle = self.places[link.parent]
        sign = -1 if link.reversed else 1
        turned = self._angle(link, own, angle, functions, sign)
        mine, other = (first, second) if link.reversed else (second, first)
        slid = turned if link.reversed else angle  # the axes that slides are along are those of the first end
        point = base + _turn(angle) * self.vector(other.point)
        for freedom, function in zip(own.freedoms, functions, strict=True):
            if freedom.how == SLIDE:
                s, _ = self.joint_coordinate(link, freedom, function, len(own.slides) > 1)
                point += sign * s * _turn(slid) * self.axes(first)[:, freedom.number]
        return point - _turn(turned) * self.vector(mine.point), turned

    def _angle(self, link: Link, own: PairMotion, angle: Any, functions: tuple[int, ...], sign: int) -> Any:
        """Return the angle of a body: a coordinate itself, or that of its parent with that of the joint."""
        turns = [(f, k) for f, k in zip(own.freedoms, functions, strict=True) if f in own.turns]
        which = self.tables.pairs[link.joint].angle if link.joint else -1
        offset = self.number(self.builder.functions[which].numbers[OFFSET]) if which >= 0 else ZERO
        if not turns:
            return angle - sign * offset
        if self.absolute or not link.joint:
            return self.body_coordinate(link.body, LAYOUTS[2].angle)[0]
        c, _ = self.joint_coordinate(link, *turns[0], False)
        return angle + sign * (c - offset)


def _turn(angle: Any) -> Any:
    """Return the rotation matrix of an angle."""
    c, s = sympy.cos(angle), sympy.sin(angle)
    return sympy.Matrix([[c, -s], [s, c]])


@dataclass
class _Moving:
    """A body of a spatial tree: place, axes, Jacobians and biases, all in ground axes."""

    r: Any
    A: Any
    Jv: Any
    Jw: Any
    v: Any
    w: Any
    a: Any
    alpha: Any


class _Space(_Chain):
    """Motion of a spatial tree by recursion from body to body."""

    def run(self) -> TreeMotion:
        """Return the motion."""
        links = self.tree.links
        self.count = sum(len(self.pair(link)[0].freedoms) for link in links)
        self.short = len(links) <= SHORT and not self.tree.cut
        zero, none = sympy.zeros(3, 1), sympy.zeros(3, self.count)
        bodies = {0: _Moving(zero, sympy.eye(3), none, none, zero, zero, zero, zero)}
        for link in links:
            bodies[link.body] = self._moved(link, bodies[link.parent])
        motion, J, bias = self.motion, [], []
        motion.poses = [ground(3)]
        for b in range(1, len(self.tables.bodies)):
            own = bodies[b]
            spins, turning = own.A.T * own.Jw, own.A.T * own.alpha
            J += [own.Jv, self.kept(spins, f"H_{self.tables.bodies[b]}")]
            bias += [own.a, turning]
            spin = J[-1] * sympy.Matrix(motion.u)
            motion.poses.append(Pose(tuple(own.r), tuple(own.A), ZERO, tuple(own.v), tuple(spin)))
        motion.J, motion.bias = sympy.Matrix.vstack(*J), sympy.Matrix.vstack(*bias)
        return motion

    def kept(self, matrix: Any, text: str) -> Any:
        """Return a matrix with abbreviations in place of entries that are no plain terms, where the chain is long."""
        return matrix if self.short else abbreviated(matrix, text, self.names, self.motion.definitions)

    def _moved(self, link: Link, parent: _Moving) -> _Moving:
        """Return the motion of a body from that of its parent."""
        own, first, second, functions = self.pair(link)
        body, sign = self.tables.bodies[link.body], -1 if link.reversed else 1
        R, axes, slides = self._freedoms(link, own, functions)  # of the second end in the axes of the first
        other, mine = (second, first) if link.reversed else (first, second)
        Cp = parent.A * self.axes(other)
        turned = Cp * (R.T if link.reversed else R)
        A = self.kept(turned * self.axes(mine).T, f"A_{body}")
        C = A * self.axes(first) if link.reversed else Cp  # axes of the first end
        turns = [(C * axis, u, k, simultaneous) for axis, u, k, simultaneous in axes]
        Jw = parent.Jw.copy()
        for n, _, k, _ in turns:
            Jw[:, k] += sign * n
        Jw = self.kept(Jw, f"W_{body}")
        w = self.kept(Jw * self._speeds(), f"w_{body}")
        before = w if link.reversed else parent.w
        alpha, running = parent.alpha, before
        for n, u, _, simultaneous in turns:
            alpha = alpha + sign * running.cross(n) * u
            running = running if simultaneous else running + n * u
        alpha = self.kept(alpha, f"b_{body}")
        return self._placed(link, parent, A, Jw, w, alpha, C, slides, (other, mine), sign)

    def _placed(
        self, link: Link, parent: _Moving, A: Any, Jw: Any, w: Any, alpha: Any, C: Any, slides: Any,
        ends: tuple[End, End], sign: int,
    ) -> _Moving:  # fmt: skip
        """Return the motion of a body whose rotation is known."""
        other, mine = ends
        body = self.tables.bodies[link.body]
        arm, out = parent.A * self.vector(other.point), A * self.vector(mine.point)
        D, rate, Jd = sympy.zeros(3, 1), sympy.zeros(3, 1), sympy.zeros(3, self.count)
        for axis, s, u, k in slides:
            D, rate = D + C * axis * s, rate + C * axis * u
            Jd[:, k] += C * axis * (u.coeff(self.motion.u[k]))
        w1, a1, J1 = (w, alpha, Jw) if link.reversed else (parent.w, parent.alpha, parent.Jw)
        Jv = parent.Jv + _crossed(parent.Jw, arm) + sign * (_crossed(J1, D) + Jd) - _crossed(Jw, out)
        a = parent.a + _swung(parent.alpha, parent.w, arm) - _swung(alpha, w, out)
        a += sign * (_swung(a1, w1, D) + 2 * w1.cross(rate))
        Jv = self.kept(Jv, f"V_{body}")
        r = self.kept(parent.r + arm + sign * D - out, f"r_{body}")
        return _Moving(r, A, Jv, Jw, Jv * self._speeds(), w, self.kept(a, f"a_{body}"), alpha)

    def _speeds(self) -> Any:
        """Return all speeds made so far, zero for those to come."""
        return sympy.Matrix([*self.motion.u, *[ZERO] * (self.count - len(self.motion.u))])

    def _freedoms(self, link: Link, own: PairMotion, functions: tuple[int, ...]) -> tuple[Any, list[Any], list[Any]]:
        """Return R of the second end in the first, axes of its turns in the first with their speeds, and its slides."""
        R, turns, slides = sympy.eye(3), [], []
        for freedom, function in zip(own.freedoms, functions, strict=True):
            axis = sympy.eye(3)[:, freedom.number]
            if freedom.how == BALL:
                continue
            several = len(own.slides if freedom.how == SLIDE else own.turns) > 1
            y, u = self.joint_coordinate(link, freedom, function, several)
            k = len(self.motion.u) - 1
            if freedom.how == SLIDE:
                slides.append((axis, y, u, k))
                continue
            if freedom.how == SCREW:
                pitch = self.number(pitch_formula(self.builder, self.builder.model.joints[link.joint], freedom))
                slides.append((axis, pitch * y, pitch * u, k))
            turns.append((R * axis, u, k, False))
            R = R * _about(freedom.number, y)
        if own.ball:
            R, turns = self._ball(link)
        return R, turns, slides

    def _ball(self, link: Link) -> tuple[Any, list[Any]]:
        """Return R and the axes of a ball: Euler parameters, and ω of the second end relative to the first, its axes."""
        owner, motion = link.joint or self.tables.bodies[link.body], self.motion
        text = f"Euler parameter of {owner}, second end in first"
        e = tuple(self.names.of(f"e{k}", f"{owner}_rel", "", text) for k in range(4))
        word = f"relative angular velocity of {owner}, axes of its first end"
        u = tuple(self.names.of(f"omega{axis}", f"{owner}_rel", f"rad/{self.time}", word) for axis in "xyz")
        motion.coordinates.append(Coordinate(e, u, owner, False, link=link))
        R = sympy.Matrix(3, 3, list(plain(written(matrix_of_quaternion)(*(lifted(x) for x in e)))))
        k = len(motion.u) - 3
        return R, [(sympy.eye(3)[:, c], u[c], k + c, True) for c in range(3)]


def abbreviated(matrix: Any, text: str, names: Names, definitions: list[tuple[Any, Any]]) -> Any:
    """Return a matrix with symbols in place of entries that are no plain terms; what they stand for is added to a list."""
    found, (rows, columns) = matrix.copy(), matrix.shape
    for r in range(rows):
        for c in range(columns):
            x = matrix[r, c]
            if x.is_Atom or (x.is_Mul and len(x.args) == 2 and x.args[0].is_number and x.args[1].is_Atom):
                continue
            index = f"{r + 1}{c + 1}" if columns > 1 else f"{r + 1}"
            found[r, c] = names.new(f"{text}_{index}", latex_name(f"{text}_{index}"), "", "")
            definitions.append((found[r, c], x))
    return found


def _about(axis: int, angle: Any) -> Any:
    """Return the rotation matrix about a coordinate axis."""
    c, s = sympy.cos(angle), sympy.sin(angle)
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    R = sympy.eye(3)
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


def _crossed(J: Any, arm: Any) -> Any:
    """Return the columns of a Jacobian of angular velocity, each crossed with an arm."""
    found = sympy.zeros(3, J.shape[1])
    for k in range(J.shape[1]):
        if any(x != 0 for x in J[:, k]):
            found[:, k] = J[:, k].cross(arm)
    return found


def _swung(alpha: Any, w: Any, arm: Any) -> Any:
    """Return α × s + ω × (ω × s)."""
    return alpha.cross(arm) + w.cross(w.cross(arm))
