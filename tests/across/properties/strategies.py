"""Random mechanisms in general position whose drawn pose is closed by construction, and what is known about them.

A mechanism is kept as plain numbers beside the model: drawn poses, frames, joints. Hypothesis draws the structure (kinds,
parents, ways to place a joint); the numbers come from a seed, so that nothing is aligned by chance. The same description
makes the model in another order, in other units, moved as a whole, or with the ends of a joint exchanged.

Mobility comes from the screws of the joints at the drawn pose, without the package: the rates of all joints are free but
for the loops, and each loop asks that six (planar: three) sums of twists vanish.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import multibody as mb

Floats = npt.NDArray[np.float64]
Random = np.random.Generator

PLANAR = ("revolute", "translational", "fixed", "free")
SPATIAL = ("fixed", "revolute", "translational", "cylindrical", "screw", "universal", "spherical", "planar", "free")
FREEDOM = {
    2: {"revolute": 1, "translational": 1, "fixed": 0, "free": 3},
    3: {"fixed": 0, "revolute": 1, "translational": 1, "cylindrical": 2, "screw": 1, "universal": 2, "spherical": 3,
        "planar": 3, "free": 6},
}  # fmt: skip
LENGTHS = ("position", "x", "y", "z")  # coordinates that are lengths; the others are angles


def examples(count: int) -> settings:
    """Return settings under which every run sees the same few examples."""
    checks = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
    return settings(max_examples=count, derandomize=True, deadline=None, database=None, suppress_health_check=checks)


# --- the description -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Frame:
    """A point and axes, in the components of its body."""

    point: Floats
    axes: Floats


@dataclass(frozen=True)
class Body:
    """A body with its drawn pose (origin and axes in ground)."""

    name: str
    at: Floats
    axes: Floats
    com: Floats
    frames: dict[str, Frame] = field(default_factory=dict)


@dataclass(frozen=True)
class Joint:
    """A joint by frames (``at`` None) or in place."""

    name: str
    kind: str
    first: str
    second: str
    at: Floats | None
    vectors: tuple[Floats, ...] = ()  # axis, or the two axes of a universal joint
    lead: float = 0.0
    drawn: dict[str, float] = field(default_factory=dict)  # coordinates at the drawn pose


@dataclass(frozen=True)
class Motion:
    """A coordinate driven about its drawn value: value + amplitude·sin(rate·t)."""

    coordinate: str
    is_length: bool
    value: float
    amplitude: float
    rate: float

    def text(self, scale: float) -> str:
        """Return the expression, lengths multiplied by `scale`."""
        factor = scale if self.is_length else 1.0
        return f"{factor * self.value!r} + {factor * self.amplitude!r}*sin({self.rate!r}*t)"


@dataclass(frozen=True)
class Mechanism:
    """Bodies, joints and motions in numbers; the drawn pose is closed."""

    dimension: int
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    ground: dict[str, Frame]
    loops: tuple[str, ...] = ()  # joints that close loops; the others form a tree
    motions: tuple[Motion, ...] = ()

    def model(self, scale: float = 1.0, units: dict[str, str] | None = None) -> mb.Model:
        """Return the model, all lengths multiplied by `scale`."""
        m = mb.Model("random", dimension=self.dimension, units=units)
        m.frames(**{name: _plain(frame, scale) for name, frame in self.ground.items()})
        for body in self.bodies:
            frames = {name: _plain(frame, scale) for name, frame in body.frames.items()}
            m.body(body.name, com=scale * body.com, frames=frames, at=scale * body.at, **orientation(body.axes))
        for joint in self.joints:
            at = None if joint.at is None else scale * joint.at
            m.joint(joint.kind, joint.name, joint.first, joint.second, at=at, **_fields(joint, scale))
        for motion in self.motions:
            m.motion(motion.coordinate, motion.text(scale))
        return m

    def pose(self, body: str) -> tuple[Floats, Floats]:
        """Return the drawn origin and axes of a body."""
        if body == "ground":
            return np.zeros(self.dimension), np.eye(self.dimension)
        found = next(b for b in self.bodies if b.name == body)
        return found.at, found.axes

    def reordered(self, bodies: Sequence[int], joints: Sequence[int]) -> Mechanism:
        """Return the same mechanism told in another order."""
        return replace(self, bodies=tuple(self.bodies[k] for k in bodies), joints=tuple(self.joints[k] for k in joints))

    def moved(self, shift: Floats, turn: Floats) -> Mechanism:
        """Return the whole drawing moved: poses, ground frames, places and axes of joints made in place."""
        bodies = tuple(replace(b, at=shift + turn @ b.at, axes=turn @ b.axes) for b in self.bodies)
        ground = {name: Frame(shift + turn @ f.point, turn @ f.axes) for name, f in self.ground.items()}
        joints = []
        for joint in self.joints:
            if joint.at is not None:
                vectors = tuple(turn @ v for v in joint.vectors)
                joint = replace(joint, at=shift + turn @ joint.at, vectors=vectors)
            joints.append(joint)
        return replace(self, bodies=bodies, ground=ground, joints=tuple(joints))

    def with_ends_exchanged(self) -> Mechanism:
        """Return the mechanism with first and second end of every joint exchanged (motions dropped)."""
        joints = tuple(replace(j, first=j.second, second=j.first, vectors=j.vectors[::-1]) for j in self.joints)
        return replace(self, joints=joints, motions=())

    def body_of(self, end: str) -> str:
        """Return the body of an end."""
        return end.partition(".")[0]

    # --- what is known -----------------------------------------------------------------------------------------------
    @property
    def freedom(self) -> int:
        """Sum of the degrees of freedom of all joints."""
        return sum(FREEDOM[self.dimension][j.kind] for j in self.joints)

    def mobility(self) -> int:
        """Degrees of freedom at the drawn pose, from the screws of the joints."""
        size = 6 if self.dimension == 3 else 3
        columns: dict[str, Floats] = {j.name: self._twists(j) for j in self.joints}
        starts = dict(zip(columns, np.cumsum([0, *(c.shape[1] for c in columns.values())]), strict=False))
        total = sum(c.shape[1] for c in columns.values())
        twist = {"ground": np.zeros((size, total))}
        tree = [j for j in self.joints if j.name not in self.loops]
        while tree:  # bodies may be told in any order
            for joint in list(tree):
                first, second = self.body_of(joint.first), self.body_of(joint.second)
                if (first in twist) == (second in twist):
                    continue
                own = np.zeros((size, total))
                own[:, starts[joint.name] : starts[joint.name] + columns[joint.name].shape[1]] = columns[joint.name]
                if first in twist:
                    twist[second] = twist[first] + own
                else:
                    twist[first] = twist[second] - own
                tree.remove(joint)
        rows = [np.zeros((0, total))]
        for name in self.loops:
            joint = next(j for j in self.joints if j.name == name)
            gap = twist[self.body_of(joint.second)] - twist[self.body_of(joint.first)]
            gap[:, starts[name] : starts[name] + columns[name].shape[1]] -= columns[name]
            rows.append(gap)
        return total - rank(np.vstack(rows))

    def _twists(self, joint: Joint) -> Floats:
        """Return the twists (ω, velocity at the ground's origin) of the joint's freedoms, one a column."""
        point, first, second = self._place(joint)
        if self.dimension == 2:
            turn = [1.0, point[1], -point[0]]
            shifts = [[0.0, *first[:, 0]], [0.0, *first[:, 1]]]
            kinds = {"revolute": [turn], "translational": shifts[:1], "fixed": [], "free": [turn, *shifts]}
            return np.array(kinds[joint.kind]).reshape(-1, 3).T
        f, g, h = first.T

        def about(axis: Floats, pitch: float = 0.0) -> list[float]:
            return [*axis, *(np.cross(point, axis) + pitch * axis)]

        def along(axis: Floats) -> list[float]:
            return [0.0, 0.0, 0.0, *axis]

        turns, shifts3 = [about(a) for a in np.eye(3)], [along(a) for a in np.eye(3)]
        kinds3: dict[str, list[list[float]]] = {
            "fixed": [],
            "revolute": [about(h)],
            "translational": [along(h)],
            "cylindrical": [along(h), about(h)],
            "screw": [about(h, joint.lead / (2.0 * math.pi))],
            "universal": [about(h), about(second[:, 0])],
            "spherical": turns,
            "planar": [along(f), along(g), about(h)],
            "free": [*turns, *shifts3],
        }
        return np.array(kinds3[joint.kind]).reshape(-1, 6).T

    def _place(self, joint: Joint) -> tuple[Floats, Floats, Floats]:
        """Return the second point and the joint axes of both ends in ground, as drawn."""
        own = basis(joint, self.dimension)
        if joint.at is not None:
            return joint.at, own, own
        ends = []
        for end in (joint.first, joint.second):
            body, _, name = end.partition(".")
            at, axes = self.pose(body)
            frames = self.ground if body == "ground" else next(b for b in self.bodies if b.name == body).frames
            ends.append((at + axes @ frames[name].point, axes @ frames[name].axes @ own))
        return ends[1][0], ends[0][1], ends[1][1]


def _plain(frame: Frame, scale: float) -> dict[str, Any]:
    """Return a frame as the model takes it."""
    return {"at": scale * frame.point, **orientation(frame.axes)}


def _fields(joint: Joint, scale: float) -> dict[str, Any]:
    """Return a joint's fields as the model takes them."""
    if joint.kind == "universal":
        return {"axes": list(joint.vectors)}
    fields: dict[str, Any] = {"axis": joint.vectors[0]} if joint.vectors else {}
    return fields | ({"lead": scale * joint.lead} if joint.kind == "screw" else {})


def orientation(axes: Floats) -> dict[str, Any]:
    """Return axes as the model takes them: an angle or a quaternion, scalar first."""
    if len(axes) == 2:
        return {"angle": math.atan2(axes[1, 0], axes[0, 0])}
    x, y, z, w = Rotation.from_matrix(axes).as_quat()
    return {"quaternion": [w, x, y, z]}


def rank(matrix: Floats) -> int:
    """Return the rank; mechanisms here have no singular values between 1e-9 and what is regular."""
    s = np.linalg.svd(matrix, compute_uv=False)
    return int(np.sum(s > 1e-9 * max(1.0, float(np.max(s, initial=0.0)))))


def regularity(matrix: Floats) -> float:
    """Return the smallest singular value that is not zero, over the largest."""
    s = np.linalg.svd(matrix, compute_uv=False)
    return float(s[rank(matrix) - 1] / s[0])


# --- geometry --------------------------------------------------------------------------------------------------------


def basis(joint: Joint, dimension: int) -> Floats:
    """Return the joint's axes f, g(, h) as columns, in the components of its frames."""
    if joint.kind == "universal":
        a, b = (v / np.linalg.norm(v) for v in joint.vectors)
        return np.column_stack([b, np.cross(a, b), a])
    if not joint.vectors:
        return np.eye(dimension)
    u = joint.vectors[0] / np.linalg.norm(joint.vectors[0])
    if dimension == 2:
        return np.column_stack([u, [-u[1], u[0]]])
    v = np.cross([0.0, 0.0, 1.0], u)  # the shortest turn that brings z onto the axis
    tilde = np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
    return np.eye(3) + tilde + tilde @ tilde / (1.0 + u[2])


def turn2(angle: float) -> Floats:
    """Return the planar rotation."""
    return np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])


def random_turn(rng: Random, dimension: int) -> Floats:
    """Return random axes."""
    if dimension == 2:
        return turn2(float(rng.uniform(-3.0, 3.0)))
    return Rotation.from_quat(rng.normal(size=4)).as_matrix()


def random_point(rng: Random, dimension: int) -> Floats:
    """Return a point in a box of size one, away from its center."""
    return rng.uniform(0.2, 1.0, size=dimension) * rng.choice([-1.0, 1.0], size=dimension)


def relative_pose(kind: str, dimension: int, lead: float, rng: Random) -> tuple[Floats, Floats, dict[str, float]]:
    """Return shift and turn in the joint's axes for random coordinates, and these coordinates."""
    shift, turn = np.zeros(dimension), np.eye(dimension)
    angles = rng.uniform(-1.4, 1.4, size=2)
    lengths = rng.uniform(-0.8, 0.8, size=3)
    z = turn2(float(angles[0])) if dimension == 2 else Rotation.from_rotvec([0.0, 0.0, angles[0]]).as_matrix()
    if kind == "revolute":
        return shift, z, {"angle": float(angles[0])}
    if kind == "translational":
        shift[0 if dimension == 2 else 2] = lengths[0]
        return shift, turn, {"position": float(lengths[0])}
    if kind == "cylindrical":
        shift[2] = lengths[0]
        return shift, z, {"position": float(lengths[0]), "angle": float(angles[0])}
    if kind == "screw":
        shift[2] = lead * angles[0] / (2.0 * math.pi)
        return shift, z, {"angle": float(angles[0])}
    if kind == "universal":
        x = Rotation.from_rotvec([angles[1], 0.0, 0.0]).as_matrix()
        return shift, z @ x, {"angle1": float(angles[0]), "angle2": float(angles[1])}
    if kind == "spherical":
        return shift, random_turn(rng, 3), {}
    if kind == "planar":
        shift[:2] = lengths[:2]
        return shift, z, {"x": float(lengths[0]), "y": float(lengths[1]), "angle": float(angles[0])}
    if kind == "free":
        shift[:] = lengths[:dimension]
        drawn = dict(zip("xyz", (float(c) for c in shift), strict=False))
        return (shift, z, drawn | {"angle": float(angles[0])}) if dimension == 2 else (shift, random_turn(rng, 3), drawn)
    return shift, turn, {}


def random_vectors(kind: str, dimension: int, rng: Random) -> tuple[Floats, ...]:
    """Return the axis or axes of a joint."""
    if kind == "universal":
        a = random_point(rng, 3)
        return a, np.cross(a, random_point(rng, 3))
    if kind in ("fixed", "spherical", "free") or (dimension == 2 and kind == "revolute"):
        return ()
    return (random_point(rng, dimension),)


class Maker:
    """Hangs bodies on each other; whatever it adds is closed as drawn."""

    def __init__(self, dimension: int, rng: Random) -> None:
        self.dimension, self.rng = dimension, rng
        self.bodies: dict[str, Body] = {}
        self.ground: dict[str, Frame] = {}
        self.joints: list[Joint] = []
        self.loops: list[str] = []

    def pose(self, body: str) -> tuple[Floats, Floats]:
        """Return the drawn pose of a body or the ground."""
        if body == "ground":
            return np.zeros(self.dimension), np.eye(self.dimension)
        return self.bodies[body].at, self.bodies[body].axes

    def hang(self, parent: str, kind: str, in_place: bool, swapped: bool) -> str:
        """Add a body jointed to `parent`; return its name."""
        d, rng = self.dimension, self.rng
        number = len(self.bodies) + 1
        child, name = f"b{number}", f"J{number}"
        lead = float(rng.uniform(0.5, 2.0)) * float(rng.choice([-1.0, 1.0]))
        vectors = random_vectors(kind, d, rng)
        frames = {key: Frame(random_point(rng, d), random_turn(rng, d)) for key in "PQ"}
        com = random_point(rng, d)
        if in_place and kind not in ("free", "planar"):  # their x and y lie along axes that a moved drawing turns
            at, axes = random_point(rng, d), random_turn(rng, d)
            self.bodies[child] = Body(child, at, axes, com, frames)
            drawn = dict.fromkeys(relative_pose(kind, d, lead, rng)[2], 0.0)
            ends = (child, parent) if swapped else (parent, child)
            self.joints.append(Joint(name, kind, *ends, random_point(rng, d), vectors, lead, drawn))
            return child
        near = Frame(random_point(rng, d), random_turn(rng, d))
        shift, turn, drawn = relative_pose(kind, d, lead, rng)
        ends = (f"{child}.P", f"{parent}.{name}") if swapped else (f"{parent}.{name}", f"{child}.P")
        joint = Joint(name, kind, *ends, None, vectors, lead, drawn)
        own = basis(joint, d)
        r, A = self.pose(parent)
        here, there = near.axes @ own, frames["P"].axes @ own
        if swapped:  # the child is the first end: the parent's frame is displaced relative to the child's
            axes = A @ here @ turn.T @ there.T
            at = r + A @ near.point - axes @ (frames["P"].point + there @ shift)
        else:
            axes = A @ here @ turn @ there.T
            at = r + A @ (near.point + here @ shift) - axes @ frames["P"].point
        (self.ground if parent == "ground" else self.bodies[parent].frames)[name] = near
        self.bodies[child] = Body(child, at, axes, com, frames)
        self.joints.append(joint)
        return child

    def close(self, first: str, second: str, kind: str) -> None:
        """Add a joint in place between two bodies that are there already."""
        name = f"L{len(self.loops) + 1}"
        lead = float(self.rng.uniform(0.5, 2.0))
        drawn = dict.fromkeys(relative_pose(kind, self.dimension, lead, self.rng)[2], 0.0)
        at, vectors = random_point(self.rng, self.dimension), random_vectors(kind, self.dimension, self.rng)
        self.joints.append(Joint(name, kind, first, second, at, vectors, lead, drawn))
        self.loops.append(name)

    def mechanism(self) -> Mechanism:
        """Return what was made."""
        return Mechanism(self.dimension, tuple(self.bodies.values()), tuple(self.joints), self.ground, tuple(self.loops))


# --- strategies ------------------------------------------------------------------------------------------------------

seeds = st.integers(0, 2**32 - 1)


@st.composite
def trees(draw: st.DrawFn, dimension: int, most: int = 6, kinds: Sequence[str] | None = None) -> Mechanism:
    """Random trees of mixed pairs."""
    kinds = kinds or (PLANAR if dimension == 2 else SPATIAL)
    maker = Maker(dimension, np.random.default_rng(draw(seeds)))
    for k in range(draw(st.integers(1, most))):
        parent = draw(st.sampled_from(["ground", *maker.bodies])) if k else "ground"
        maker.hang(parent, draw(st.sampled_from(kinds)), draw(st.booleans()), draw(st.booleans()))
    return maker.mechanism()


@st.composite
def single_loops(draw: st.DrawFn, dimension: int, kinds: Sequence[str], low: int, high: int) -> Mechanism:
    """Random single loops through the ground, with a sum of freedoms from `low` to `high`."""
    freedom = FREEDOM[dimension]
    chain = draw(st.lists(st.sampled_from(kinds), min_size=3, max_size=8).filter(
        lambda c: low <= sum(freedom[k] for k in c) <= high and general(c, dimension)))  # fmt: skip
    maker = Maker(dimension, np.random.default_rng(draw(seeds)))
    last = "ground"
    for kind in chain[:-1]:
        last = maker.hang(last, kind, draw(st.booleans()), draw(st.booleans()))
    maker.close(last, "ground", chain[-1])
    return maker.mechanism()


def general(chain: Sequence[str], dimension: int) -> bool:
    """Return whether screws of these joints in general position have rank min(Σf, 6) (planar 3).

    Translations alone span no more than the space, and two balls (two planes) share a rotation (a translation).
    """
    if dimension == 2:
        return chain.count("translational") <= 2
    translations = {"translational": 1, "cylindrical": 1, "planar": 2}
    return sum(translations.get(k, 0) for k in chain) <= 3 and chain.count("spherical") + chain.count("planar") <= 1


@st.composite
def meshes(draw: st.DrawFn, dimension: int) -> Mechanism:
    """Random trees with one to three loops closed in place."""
    kinds = PLANAR if dimension == 2 else SPATIAL
    maker = Maker(dimension, np.random.default_rng(draw(seeds)))
    for k in range(draw(st.integers(2, 7))):
        parent = draw(st.sampled_from(["ground", *maker.bodies])) if k else "ground"
        maker.hang(parent, draw(st.sampled_from(kinds)), draw(st.booleans()), draw(st.booleans()))
    for _ in range(draw(st.integers(1, 3))):
        first, second = draw(st.permutations(["ground", *maker.bodies]))[:2]
        maker.close(first, second, draw(st.sampled_from([k for k in kinds if k != "free"])))
    return maker.mechanism()


def drawn_state(mechanism: Mechanism) -> tuple[Any, Floats]:
    """Return the system of the model and q as drawn."""
    from multibody.state.poses import drawn_pose
    from multibody.state.system import System, tables_of

    system = System(tables_of(mechanism.model()))
    q = drawn_pose(system)
    system.take_references(q)
    return system, q


def joint_jacobian(mechanism: Mechanism) -> Floats:
    """Return the scaled Jacobian of the joints at the drawn pose."""
    system, q = drawn_state(mechanism)
    return np.asarray(system.scaled(system.jacobian(q, 0.0, 0, system.joint_rows)))


def driven(mechanism: Mechanism, rng: Random, amplitude: float = 0.1) -> Mechanism | None:
    """Return the mechanism with motions on as many joint coordinates as it has freedoms; None if they cannot drive it.

    Coordinates are chosen by pivoting, so that the motions hold the mechanism as firmly as joints can; a mechanism that
    stays near a singular pose, or whose freedom lies in rotations without a scalar coordinate, is refused.
    """
    from scipy.linalg import qr

    system, q = drawn_state(mechanism)
    J = system.scaled(system.jacobian(q, 0.0, 0, system.joint_rows))
    free = system.nv - rank(J)
    if free == 0 or (len(J) and regularity(J) < 0.02):
        return None
    null = np.eye(system.nv) if not len(J) else np.linalg.svd(J)[2][system.nv - free :]
    found: list[tuple[str, Joint, str]] = []
    rows = []
    for joint in mechanism.joints:
        for item in joint.drawn:
            function = system.tables.coordinates["joint", joint.name, item, 0]
            rows.append(null @ (system.gradient(q, function) * system.scale_columns / (
                system.tables.length if item in LENGTHS else 1.0)))  # fmt: skip
            found.append((f"{joint.name}.{item}", joint, item))
    if len(rows) < free:
        return None
    _, R, order = qr(np.array(rows).T, mode="economic", pivoting=True)
    if abs(R[free - 1, free - 1]) < 0.1:
        return None
    motions = []
    for k in sorted(order[:free]):
        path, joint, item = found[k]
        size, rate = amplitude * float(rng.uniform(0.5, 1.0)), float(rng.uniform(0.7, 1.3))
        motions.append(Motion(path, item in LENGTHS, joint.drawn[item], size, rate))
    return replace(mechanism, motions=tuple(motions))
