"""Small mechanisms in general position, one for every kind of joint, for every way to place it.

Three bodies a, b, c with random drawn poses, centers of mass off their origins and frames P, Q with random axes; the
ground has a frame G. Nothing is aligned with anything, so that no term of a formula vanishes by chance. The geometry is
kept in NumPy beside the model, made without the package's own lowering, for tests of closed forms.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.spatial.transform import Rotation

from multibody.model.joints import KINDS
from multibody.model.model import Model
from multibody.state.system import System, tables_of

Floats = npt.NDArray[np.float64]
Random = np.random.Generator
Pose = tuple[Floats, Floats]  # position of a point, matrix of axes
Fields = Callable[[Random], dict[str, Any]]

BODIES = ("a", "b", "c")
KNOTS = np.linspace(0.0, 2.0 * np.pi, 8)
MOTION = "0.3*sin(1.7*t + {k}) + 0.2*t^2"


def turn(angle: float) -> Floats:
    """Return the planar rotation by an angle."""
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def scalar_first(matrix: Floats) -> Floats:
    """Return the unit quaternion (scalar first) of a rotation matrix."""
    x, y, z, w = Rotation.from_matrix(matrix).as_quat()
    return np.array([w, x, y, z])


class World:
    """A model of three free bodies and its geometry in numbers.

    Attributes
    ----------
    frames : dict
        (body, frame) → point from the center of mass and axes, in body components.
    drawn : dict
        Body → drawn position of the center of mass and orientation.
    angles : dict
        Planar body → drawn angle.
    """

    def __init__(self, dimension: int, rng: Random) -> None:
        self.dimension, self.rng = dimension, rng
        self.model = Model("general", dimension=dimension)
        self.frames: dict[tuple[str, str], Pose] = {}
        self.drawn: dict[str, Pose] = {"ground": (np.zeros(dimension), np.eye(dimension))}
        self.angles: dict[str, float] = {"ground": 0.0}
        self.model.frames(G=self._frame("ground", "G", np.zeros(dimension)))
        self.frames["ground", "origin"] = (np.zeros(dimension), np.eye(dimension))
        for body in BODIES:
            com, at = rng.normal(size=dimension), rng.normal(size=dimension)
            frames = {frame: self._frame(body, frame, com) for frame in "PQ"}
            self.frames[body, "origin"] = (-com, np.eye(dimension))
            orientation, axes = self._orientation()
            self.drawn[body] = (at + axes @ com, axes)
            self.angles[body] = orientation.get("angle", 0.0)
            self.model.body(body, com=com, frames=frames, at=at, **orientation)

    def _orientation(self) -> tuple[dict[str, Any], Floats]:
        """Return a random orientation as the model takes it, and its matrix."""
        if self.dimension == 2:
            angle = float(self.rng.uniform(-3.0, 3.0))
            return {"angle": angle}, turn(angle)
        w, x, y, z = self.rng.normal(size=4)
        return {"quaternion": [w, x, y, z]}, Rotation.from_quat([x, y, z, w]).as_matrix()

    def _frame(self, body: str, frame: str, com: Floats) -> dict[str, Any]:
        """Return a random frame as the model takes it, and keep its numbers."""
        point = self.rng.normal(size=self.dimension)
        orientation, axes = self._orientation()
        self.frames[body, frame] = (point - com, axes)
        return {"at": point, **orientation}

    def end(self, text: str) -> Pose:
        """Return an end's point from the center of mass and axes, in body components."""
        body, _, frame = text.partition(".")
        return self.frames[body, frame or "origin"]

    def coordinates(
        self, poses: dict[str, Pose], extras: tuple[float, ...] = (), angles: dict[str, float] | None = None
    ) -> Floats:
        """Return q of the given poses (centers of mass, orientations); the other bodies stay as drawn.

        Planar angles are those of the orientations, within half a turn, unless `angles` states them.
        """
        parts: list[Floats] = []
        for body in BODIES:
            position, axes = poses.get(body, self.drawn[body])
            if self.dimension == 3:
                parts += [position, scalar_first(axes)]
                continue
            angle = float(np.arctan2(axes[1, 0], axes[0, 0])) if body in poses else self.angles[body]
            parts += [position, np.array([(angles or {}).get(body, angle)])]
        return np.concatenate([*parts, np.array(extras)])

    def random_pose(self, rng: Random) -> Pose:
        """Return a random position and orientation."""
        if self.dimension == 2:
            return rng.normal(size=2), turn(float(rng.uniform(-3.0, 3.0)))
        return rng.normal(size=3), Rotation.random(random_state=rng).as_matrix()

    def system(self) -> System:
        """Return the system of the model."""
        return System(tables_of(self.model))


# --- the catalog of joints under test --------------------------------------------------------------------------------

BY_FRAMES = {
    "moving": ("a.P", "b.Q"),
    "reversed": ("b.P", "a.Q"),
    "ground-first": ("ground.G", "b.Q"),
    "ground-second": ("a.P", "ground.G"),
}
ARRANGEMENTS = {**BY_FRAMES, "in-place": ("a", "b")}
BETWEEN_BODIES = {key: BY_FRAMES[key] for key in ("moving", "reversed")}


@dataclass(frozen=True, eq=False)
class Variant:
    """Fields of a joint kind, and the ends it is tried between."""

    fields: Fields
    arrangements: dict[str, tuple[str, str]]


def _axis(dimension: int) -> Fields:
    return lambda rng: {"axis": rng.normal(size=dimension)}


def _with_axis(dimension: int, **more: Any) -> Fields:
    return lambda rng: {"axis": rng.normal(size=dimension), **more}


def _perpendicular(rng: Random) -> dict[str, Any]:
    first = rng.normal(size=3)
    return {"axes": [first, np.cross(first, rng.normal(size=3))]}


def _bevel(**more: Any) -> Fields:
    return lambda rng: {"axes": [rng.normal(size=3), rng.normal(size=3)], **more}


def _rack(dimension: int, radius: float, carrier: str) -> Fields:
    def fields(rng: Random) -> dict[str, Any]:
        turning = {"turn": rng.normal(size=3)} if dimension == 3 else {}
        return {"radius": radius, "axis": rng.normal(size=dimension), "carrier": carrier, **turning}

    return fields


def _constant(**fields: Any) -> Fields:
    return lambda rng: fields


PROFILE = "base + 0.2*cos(phi - 0.4) + 0.05*sin(3*phi)"  # every model has the parameter `base` and the table `lift`


def _cams(dimension: int) -> dict[str, Variant]:
    cams: dict[str, Fields] = {
        "knife": _constant(profile=PROFILE),
        "roller": _constant(profile=PROFILE, roller=0.15),
        "flat": lambda rng: {"profile": PROFILE, "flat": rng.normal(size=dimension)},
        "roller-on-table": _constant(profile="base + 0.3*lift(phi)", roller="base/5"),
    }
    return {name: Variant(fields, ARRANGEMENTS) for name, fields in cams.items()}


def _gears(dimension: int) -> dict[str, Variant]:
    gears = {
        "external": Variant(_constant(teeth=[24, 17], phase=0.3), BETWEEN_BODIES),
        "internal": Variant(_constant(radii=[0.3, 0.8], internal=True), BETWEEN_BODIES),
        "carrier": Variant(_constant(teeth=[24, 17], carrier="c"), BY_FRAMES),
        "internal-carrier": Variant(_constant(teeth=[60, 18], internal=True, carrier="c", phase=-0.2), BY_FRAMES),
    }
    if dimension == 3:
        gears["bevel"] = Variant(_bevel(teeth=[20, 31]), BETWEEN_BODIES)
        gears["bevel-carrier"] = Variant(_bevel(radii=[0.2, 0.5], carrier="c"), BY_FRAMES)
    return gears


def _racks(dimension: int) -> dict[str, Variant]:
    return {
        "ground-carrier": Variant(_rack(dimension, 0.4, "ground"), BETWEEN_BODIES),
        "carrier": Variant(_rack(dimension, -0.7, "c"), BY_FRAMES),
    }


def _plain(fields: Fields) -> dict[str, Variant]:
    return {"": Variant(fields, ARRANGEMENTS)}


NONE = _constant()
VARIANTS: dict[tuple[str, int], dict[str, Variant]] = {
    ("fixed", 2): _plain(NONE),
    ("fixed", 3): _plain(NONE),
    ("revolute", 2): _plain(NONE),
    ("revolute", 3): _plain(_axis(3)),
    ("translational", 2): _plain(_axis(2)),
    ("translational", 3): _plain(_axis(3)),
    ("cylindrical", 3): _plain(_axis(3)),
    ("screw", 3): {
        "right": Variant(_with_axis(3, lead=0.8), ARRANGEMENTS),
        "left": Variant(_with_axis(3, lead=-2.3), ARRANGEMENTS),
    },
    ("universal", 3): _plain(_perpendicular),
    ("spherical", 3): _plain(NONE),
    ("planar", 3): _plain(_axis(3)),
    ("free", 2): _plain(NONE),
    ("free", 3): _plain(NONE),
    ("distance", 2): _plain(_constant(length=1.3)),
    ("distance", 3): _plain(_constant(length=1.3)),
    ("point_on_line", 2): _plain(_axis(2)),
    ("point_on_line", 3): _plain(_axis(3)),
    ("point_on_plane", 3): _plain(_axis(3)),
    ("parallel", 2): _plain(_axis(2)),
    ("parallel", 3): _plain(_axis(3)),
    ("gear", 2): _gears(2),
    ("gear", 3): _gears(3),
    ("rack", 2): _racks(2),
    ("rack", 3): _racks(3),
    ("cam", 2): _cams(2),
    ("cam", 3): _cams(3),
}

# What a coupler may speak of: joint coordinates, points, lengths, angles, tables, time, parameters.
COUPLERS = {
    2: "sin(J)*K.x - 0.4*b.angle*K.y^2 + c.P.x*exp(-0.3*t) + D.length*S*t"
    " + 0.5*lift(0.3*J) + base*atan2(b.y, 5 + K.x^2)",
    3: "sin(J)*K.position - 0.4*U.angle1*U.angle2^2 + c.P.x*exp(-0.3*t) + D.length*S*K.angle*t"
    " + base*lift(0.3*J)*b.origin.z",
}


@dataclass(frozen=True, eq=False)
class Case:
    """A mechanism under test.

    Attributes
    ----------
    name : str
        Shown as the test's id: kind, dimension, variant, arrangement.
    kind : str
        Kind of the catalog, or ``motion`` and ``held`` for rows that belong to no joint.
    """

    name: str
    kind: str
    dimension: int
    variant: Variant | None = None
    arrangement: str = ""

    def rng(self, purpose: str = "") -> Random:
        """Return random numbers that depend on the case only: tests may run in any order."""
        return np.random.default_rng(zlib.crc32(f"{self.name} {purpose}".encode()))

    def world(self, *, driven: bool = True) -> World:
        """Return the mechanism; `driven`: with motions on every quantity that the joint under test gives a name."""
        world = World(self.dimension, self.rng("model"))
        model = world.model
        model.parameter("base", 0.7)
        model.table("lift", KNOTS, [0.1, 0.3, -0.2, 0.5, 0.4, -0.1, 0.2, 0.1], kind="periodic")
        if self.variant is None:
            SPECIAL[self.kind](world)
            return world
        first, second = self.variant.arrangements[self.arrangement]
        at = world.rng.normal(size=self.dimension) if self.arrangement == "in-place" else None
        joint = model.joint(self.kind, "J", first, second, at=at, **self.variant.fields(world.rng))
        for k, coordinate in enumerate(joint.readable(self.dimension) if driven else ()):
            model.motion(f"J.{coordinate}", MOTION.format(k=k))
        return world


def _chain(world: World) -> None:
    """Add joints and a spring whose coordinates couplers and motions may name."""
    model = world.model
    if world.dimension == 2:
        model.joint("revolute", "J", "ground.G", "a.P")
        model.joint("free", "K", "a.Q", "b.P")
    else:
        model.joint("revolute", "J", "ground.G", "a.P", axis=world.rng.normal(size=3))
        model.joint("cylindrical", "K", "a.Q", "b.P", axis=world.rng.normal(size=3))
        model.joint("universal", "U", "b.Q", "c.P", **_perpendicular(world.rng))
        model.joint("spherical", "B", "a.P", "c.Q")
    model.joint("distance", "D", "c.P", "a", length=1.5)
    model.spring("S", "b.Q", "c.Q", stiffness=1.0)


def _coupler(world: World) -> None:
    _chain(world)
    world.model.joint("coupler", "X", "", "", expression=COUPLERS[world.dimension])


def _motions(world: World) -> None:
    """Drive points, lengths and angles that belong to no joint."""
    _chain(world)
    axes = "xyz"[: world.dimension]
    paths = [f"a.{axis}" for axis in axes] + [f"b.P.{axis}" for axis in axes] + [f"c.origin.{axis}" for axis in axes]
    for k, path in enumerate([*paths, "S", "D", *(["b.angle"] if world.dimension == 2 else [])]):
        world.model.motion(path, MOTION.format(k=k))


def _held(world: World) -> None:
    """Hold orientations, coordinates and points."""
    _chain(world)
    values: dict[str, Any] = {"J": 0.4, "b.P.x": 0.3, "c.y": -0.2, "S.length": "2*base"}
    if world.dimension == 3:
        values |= {
            "a.rotation": {"quaternion": list(world.rng.normal(size=4))},
            "b.rotation": {"rpy": list(world.rng.normal(size=3))},
            "B.rotation": {"rotvec": list(world.rng.normal(size=3))},
        }
    else:
        values |= {"c.angle": 0.7}
    world.model.initial(values)


SPECIAL: dict[str, Callable[[World], None]] = {"coupler": _coupler, "motion": _motions, "held": _held}


def _cases() -> Iterator[Case]:
    for (kind, dimension), variants in VARIANTS.items():
        for name, variant in variants.items():
            for arrangement in variant.arrangements:
                parts = (kind, f"{dimension}d", name, arrangement)
                yield Case("-".join(part for part in parts if part), kind, dimension, variant, arrangement)
    for kind in SPECIAL:
        for dimension in (2, 3):
            yield Case(f"{kind}-{dimension}d", kind, dimension)


CASES = list(_cases())


def catalog() -> set[tuple[str, int]]:
    """Return (kind, dimension) of everything that the package's catalog of joints offers."""
    return {
        (kind.name, dimension)
        for kind in KINDS.values()
        for dimension, structure in ((2, kind.planar), (3, kind.spatial))
        if structure is not None
    }


@dataclass(frozen=True)
class State:
    """A random state, far from satisfying any constraint: positions, velocities, time, multipliers."""

    q: Floats
    v: Floats
    t: float
    multipliers: Floats


def random_state(system: System, rng: Random) -> State:
    """Return a random state and move the angle references to it."""
    tables = system.tables
    q = rng.normal(size=system.nq)
    extras = q[system.nq - len(tables.extras) :]
    # between the knots of the table: differences must not reach over a jump of the third derivative
    extras[:] = (rng.integers(-7, 14, size=len(extras)) + rng.uniform(0.3, 0.7, size=len(extras))) * KNOTS[1]
    if tables.dimension == 3:
        for b in range(len(tables.bodies) - 1):
            q[7 * b + 3 : 7 * b + 7] /= np.linalg.norm(q[7 * b + 3 : 7 * b + 7])
    system.take_references(q)
    return State(q, rng.normal(size=system.nv), float(rng.uniform(-1.0, 2.0)), rng.normal(size=system.all_rows))
