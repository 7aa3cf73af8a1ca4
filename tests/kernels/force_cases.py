"""Models with one force each in general position: three bodies with masses, joints whose coordinates forces may name."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from kernels.mechanisms import BODIES, KNOTS, PROFILE, Floats, Random, World, random_state
from multibody.kernels.force_partials import force_partials
from multibody.kernels.forces import add_forces, law_efforts, load_wrenches, potential_energy
from multibody.kernels.state import set_positions, set_velocities
from multibody.state.system import System

MASSES = {"a": 1.3, "b": 0.8, "c": 2.1}
PLANAR_INERTIA = {"a": 0.4, "b": 0.7, "c": 0.2}
INERTIA = {
    "a": ((2.0, 0.1, -0.3), (0.1, 2.6, 0.2), (-0.3, 0.2, 1.7)),
    "b": ((0.9, -0.2, 0.1), (-0.2, 0.7, 0.15), (0.1, 0.15, 1.1)),
    "c": ((1.4, 0.3, 0.2), (0.3, 2.2, -0.1), (0.2, -0.1, 1.8)),
}
OMEGA = {2: "b.angle.rate", 3: "(b.omega.x - 0.4*a.omega.y + 0.2*b.omega.z*c.omega.y)"}
SLIDE = {2: "K.x", 3: "K.position"}


@dataclass(frozen=True, eq=False)
class ForceCase:
    """A force under test.

    Attributes
    ----------
    add : callable
        Adds the force to a world's model.
    conservative : bool
        Whether Q at rest is the slope of the potential energy.
    internal : bool
        Whether it acts between moving bodies only, so that its forces and moments cancel.
    """

    name: str
    dimension: int
    add: Callable[[World], Any]
    conservative: bool = False
    internal: bool = False

    def rng(self, purpose: str) -> Random:
        """Return random numbers that depend on the case only."""
        return np.random.default_rng(zlib.crc32(f"{self.name} {self.dimension} {purpose}".encode()))

    def world(self) -> World:
        """Return the model with the force."""
        world = weighted(World(self.dimension, self.rng("model")))
        self.add(world)
        return world


def weighted(world: World) -> World:
    """Give the bodies masses and add joints, a cam, a parameter and a table."""
    model, planar = world.model, world.dimension == 2
    for body in BODIES:
        inertia: Any = PLANAR_INERTIA[body] if planar else INERTIA[body]
        model.bodies[body] = replace(model.bodies[body], mass=MASSES[body], inertia=inertia)
    model.parameter("base", 0.7)
    model.table("lift", KNOTS, [0.1, 0.3, -0.2, 0.5, 0.4, -0.1, 0.2, 0.1], kind="periodic")
    axis = {} if planar else {"axis": world.rng.normal(size=3)}
    model.joint("revolute", "J", "a.P", "b.Q", **axis)
    if planar:
        model.joint("free", "K", "b.P", "c.Q")
    else:
        model.joint("cylindrical", "K", "b.P", "c.Q", axis=world.rng.normal(size=3))
    model.joint("cam", "C", "a", "c", profile=PROFILE)
    return world


def _gravity(world: World) -> None:
    world.model.gravity = tuple(float(x) for x in world.rng.normal(size=world.dimension))


def _spring(first: str, second: str, **fields: Any) -> Callable[[World], Any]:
    return lambda world: world.model.spring("S", first, second, **fields)


def _effort(path: str, **fields: Any) -> Callable[[World], Any]:
    def add(world: World) -> None:
        places = {"slide": SLIDE[world.dimension], "omega": OMEGA[world.dimension]}
        filled = {key: value.format(**places) if isinstance(value, str) else value for key, value in fields.items()}
        world.model.effort("E", path.format(**places), **filled)

    return add


def _spring_effort(world: World) -> None:
    """Act on the length between two points, which a spring without stiffness names."""
    world.model.spring("S", "a.P", "c.Q")
    world.model.effort("E", "S.length", stiffness=3.0, rest=0.2, damping=0.4)


def _load(axes: str, *, moving: bool, moment: bool = True) -> Callable[[World], Any]:
    def add(world: World) -> None:
        d = world.dimension
        laws = (f"J*{SLIDE[d]}.rate + sin(t)", f"{OMEGA[d]}^2 - J.rate", "base*C.contact.rate + c.P.x.rate*t")
        value: Any = laws[:d] if moving else world.rng.normal(size=d)
        turning: Any = "J^2*t" if moving else 1.7
        if d == 3:
            turning = ("J^2*t", 0.3, OMEGA[3]) if moving else world.rng.normal(size=3)
        world.model.force("L", "b.P", value=value, axes=axes, **({"moment": turning} if moment else {}))

    return add


def _bushing(first: str, second: str, *, damped: bool) -> Callable[[World], Any]:
    def add(world: World) -> None:
        count = 3 * (world.dimension - 1)
        damping = {"damping": world.rng.uniform(0.1, 1.0, size=count).tolist()} if damped else {}
        world.model.bushing("B", first, second, stiffness=world.rng.uniform(0.5, 3.0, size=count).tolist(), **damping)

    return add


def coupled(rng: Random, count: int) -> list[list[float]]:
    """Return the rows of a positive definite matrix without a zero."""
    half = rng.normal(size=(count, count))
    rows: list[list[float]] = (half @ half.T + 0.5 * np.eye(count)).tolist()
    return rows


def _matrix_bushing(first: str, second: str, *, damped: bool) -> Callable[[World], Any]:
    def add(world: World) -> None:
        count = 3 * (world.dimension - 1)
        fields: dict[str, Any] = {"stiffness": coupled(world.rng, count), "preload": world.rng.normal(size=count)}
        if damped:
            fields["damping"] = coupled(world.rng, count)
            fields["stiffness"][0][1] = fields["stiffness"][1][0] = "base*0.3"
        world.model.bushing("B", first, second, **fields)

    return add


def _friction(path: str, **fields: Any) -> Callable[[World], Any]:
    def add(world: World) -> None:
        filled = {k: v.format(omega=OMEGA[world.dimension]) if isinstance(v, str) else v for k, v in fields.items()}
        world.model.friction("R", path.format(slide=SLIDE[world.dimension]), **filled)

    return add


LAW = "-2*sin(J)*{slide} + 0.3*{omega}*{slide}.rate - J.rate*C.contact + base*lift(0.3*J) + exp(-t)*C.contact.rate"
SPRING_LAW = "-3*(S.length - 1)^3 - 0.5*S.rate*J + cos(t)*b.Q.y*S.length.rate"


def _cases(d: int) -> list[ForceCase]:
    def case(name: str, add: Callable[[World], Any], **flags: bool) -> ForceCase:
        return ForceCase(name, d, add, **flags)

    return [
        case("none", lambda world: None, conservative=True),
        case("gravity", _gravity, conservative=True),
        case("spring", _spring("a.P", "b.Q", stiffness=3.0, length=0.6), conservative=True, internal=True),
        case("spring-ground", _spring("ground.G", "c", stiffness=2.0), conservative=True),
        case("damper", _spring("b.P", "c.Q", damping=0.7, stiffness="2*base", length="base"), internal=True),
        case("spring-law", _spring("a.P", "c", force=SPRING_LAW), internal=True),
        case("spring-constant", _spring("a.P", "c", force="3*base"), internal=True),
        case("effort-constant", _effort("J", value=1.9), internal=True),
        case("effort-linear", _effort("J", stiffness=2.5, rest=0.4), conservative=True, internal=True),
        case("effort-damped", _effort("{slide}", stiffness=2.5, rest="base", damping=0.4), internal=True),
        case("effort-law", _effort("J", value=LAW, stiffness=1.0, damping=0.2), internal=True),
        case("effort-point", _effort("b.P.x", stiffness=2.0, rest=0.3), conservative=True),
        case("effort-point-law", _effort("c.y", value="-c.y.rate^3 + sin(t)*c.y")),
        case("effort-contact", _effort("C.contact", value="-J*C.contact.rate", stiffness=0.6, damping=0.1)),
        case("effort-length", _spring_effort, internal=True),
        case("load-ground", _load("ground", moving=False)),
        case("load-body", _load("body", moving=False)),
        case("load-ground-law", _load("ground", moving=True)),
        case("load-body-law", _load("body", moving=True)),
        case("load-force-only", _load("body", moving=True, moment=False)),
        case("bushing", _bushing("a.P", "b.Q", damped=False), conservative=True, internal=True),
        case("bushing-ground", _bushing("ground.G", "c.P", damped=False), conservative=True),
        case("bushing-damped", _bushing("b.Q", "a.P", damped=True), internal=True),
        case("bushing-matrix", _matrix_bushing("a.P", "b.Q", damped=False), conservative=True, internal=True),
        case("bushing-matrix-ground", _matrix_bushing("ground.G", "c.P", damped=False), conservative=True),
        case("bushing-matrix-on-ground", _matrix_bushing("c.P", "ground.G", damped=True)),
        case("bushing-matrix-damped", _matrix_bushing("b.Q", "a.P", damped=True), internal=True),
        case("friction", _friction("J", coulomb=0.4, viscous=0.2, smooth=0.8), internal=True),
        case("friction-stribeck", _friction("{slide}", coulomb=0.4, static=0.9, stribeck=0.7, load=3.0), internal=True),
        case("friction-load", _friction("J", load="2 + {omega}*J + t", coulomb=0.3, static=0.5, smooth=0.5), internal=True),
    ]  # fmt: skip


CASES = [case for d in (2, 3) for case in _cases(d)]
STOPS = {  # depth beyond the limit, width, damping, whether it is the upper limit
    "shallow-lower": (0.3, 0.9, 0.4, False),
    "shallow-upper": (0.3, 0.9, 0.4, True),
    "deep-lower": (0.8, 0.2, 0.3, False),
    "deep-upper": (0.8, 0.2, 0.3, True),
    "outside": (-0.1, 0.2, 0.3, True),
    "letting-go": (0.1, 0.4, 1e3, False),
    "letting-go-upper": (0.1, 0.4, 1e3, True),
}


@dataclass
class Bench:
    """A system at a random state, with everything that forces answer."""

    world: World
    system: System
    q: Floats
    v: Floats
    t: float

    def place(self, q: Floats, v: Floats) -> Any:
        """Write a state into W; return the arguments that all force kernels begin with."""
        s = self.system
        s.weigh()
        set_positions(s.at.model, s.at.scratch, q)
        set_velocities(s.at.model, s.at.scratch, np.ascontiguousarray(v))
        return s.run

    def forces(self, q: Floats | None = None, v: Floats | None = None) -> tuple[Floats, float]:
        """Return Q and the power of what has no potential."""
        Q = np.zeros(self.system.nv)
        power = add_forces(*self.place(self.q if q is None else q, self.v if v is None else v), self.t, Q)
        return Q, float(power)

    def potential(self, q: Floats | None = None) -> float:
        """Return the potential energy."""
        return float(potential_energy(*self.place(self.q if q is None else q, self.v), self.t))

    def partials(self) -> tuple[Floats, Floats]:
        """Return K and D."""
        K, D = np.zeros((2, self.system.nv, self.system.nv))
        force_partials(*self.place(self.q, self.v), self.t, K.reshape(-1), D.reshape(-1))
        return K, D

    def efforts(self, v: Floats | None = None) -> Floats:
        """Return the efforts of all laws, then the wrenches of all wrench elements."""
        out = np.zeros(self.system.tables.effort_count)
        law_efforts(*self.place(self.q, self.v if v is None else v), self.t, out)
        return out

    def wrenches(self) -> Floats:
        """Return force and moment of all loads."""
        out = np.zeros((len(self.system.tables.loads), self.system.tables.width))
        load_wrenches(*self.place(self.q, self.v), self.t, out.reshape(-1))
        return out

    def coordinate(self, law: int = 0) -> tuple[float, float]:
        """Return value and rate of the coordinate that a law acts along."""
        f = self.system.tables.laws[law].function
        values, rates, _ = self.system.functions(self.q, self.v, f, f + 1)
        return float(values[0]), float(rates[0])

    def pose(self, body: str) -> tuple[Floats, Floats, Floats, Floats]:
        """Return r, A, velocity and angular velocity (ground axes; planar along z) of a body, all in three components."""
        if body == "ground":
            return np.zeros(3), np.eye(3), np.zeros(3), np.zeros(3)
        k, planar = BODIES.index(body), self.world.dimension == 2
        if planar:
            x, y, angle = self.q[3 * k : 3 * k + 3]
            A = np.eye(3)
            A[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
            dx, dy, w = self.v[3 * k : 3 * k + 3]
            return np.array([x, y, 0.0]), A, np.array([dx, dy, 0.0]), np.array([0.0, 0.0, w])
        w, x, y, z = self.q[7 * k + 3 : 7 * k + 7]
        A = Rotation.from_quat([x, y, z, w]).as_matrix()
        return self.q[7 * k : 7 * k + 3], A, self.v[6 * k : 6 * k + 3], A @ self.v[6 * k + 3 : 6 * k + 6]

    def end(self, end: str) -> tuple[Floats, Floats, Floats, Floats]:
        """Return the point of an end, its frame's axes, its velocity and angular velocity, in ground."""
        s, C = self.world.end(end)
        s, C = np.append(s, [0.0] * (3 - len(s))), np.block([[C, np.zeros((2, 1))], [0, 0, 1]]) if len(C) == 2 else C
        r, A, v, w = self.pose(end.partition(".")[0])
        return r + A @ s, A @ C, v + np.cross(w, A @ s), w

    def generalized(self, wrenches: dict[str, tuple[Floats, Floats, Floats]]) -> Floats:
        """Return Q of forces and moments (ground axes) at points: body → (point, force, moment)."""
        Q, width = np.zeros(self.system.nv), self.system.tables.width
        for body, (point, force, moment) in wrenches.items():
            if body == "ground":
                continue
            r, A, _, _ = self.pose(body)
            about = np.cross(point - r, force) + moment
            own = [*force, *(A.T @ about)] if width == 6 else [*force[:2], about[2]]
            k = BODIES.index(body)
            Q[width * k : width * (k + 1)] += own
        return Q

    def resultant(self, Q: Floats) -> tuple[Floats, Floats]:
        """Return the sum of all forces and of their moments about the ground's origin."""
        width, total, about = self.system.tables.width, np.zeros(3), np.zeros(3)
        for k, body in enumerate(BODIES):
            own, (r, A, _, _) = Q[width * k : width * (k + 1)], self.pose(body)
            force = own[:3] if width == 6 else np.array([own[0], own[1], 0.0])
            moment = A @ own[3:] if width == 6 else np.array([0.0, 0.0, own[2]])
            total, about = total + force, about + np.cross(r, force) + moment
        return total, about


@cache
def bench(case: ForceCase) -> Bench:
    """Return a case at a random state."""
    return bench_of(case.world(), case.rng("state"))


def bench_of(world: World, rng: Random) -> Bench:
    """Return a world at a random state."""
    system = world.system()
    state = random_state(system, rng)
    return Bench(world, system, state.q, state.v, state.t)


@cache
def stop_bench(name: str, dimension: int, path: str) -> Bench:
    """Return a stop in the state that its name says, made by setting its limit and no new lowering."""
    depth, width, damping, upper = STOPS[name]
    case = ForceCase(f"stop {name} {path}", dimension, lambda world: None)
    world = weighted(World(dimension, case.rng("model")))
    world.model.parameter("limit", 0.0)
    world.model.stop("E", path, stiffness=2.2, damping=damping, smooth=width, **{"upper" if upper else "lower": "limit"})
    made = bench_of(world, case.rng("state"))
    value, rate = made.coordinate()
    limit = value - depth if upper else value + depth
    leaves = name.startswith("letting-go")
    inwards = rate < 0.0 if upper else rate > 0.0
    v = made.v if inwards == leaves else -made.v
    system = System(made.system.tables.with_parameters({"limit": limit}, world.model))
    system.ref[:] = made.system.ref
    return Bench(world, system, made.q, v, made.t)
