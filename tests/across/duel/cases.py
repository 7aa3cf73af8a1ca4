"""Random mechanisms as data for two programs: the independent one, and words that the package is told.

Bodies lie anywhere with centers of mass off their origins; joints are made in place or by frames with coordinates that are not
zero; axes are in general position, except in `flat` mechanisms, which are redundant in space. Nothing of the package is used.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from across.duel import rows
from across.duel.absolute import Floats, Frame, Function, Joint, Program
from across.duel.laws import friction, linear, stop

TREE = {
    2: ("revolute", "revolute", "translational", "free"),
    3: ("revolute", "translational", "cylindrical", "screw", "universal", "spherical", "planar", "free", "fixed"),
}
CLOSING = {
    2: ("revolute", "translational", "distance", "point_on_line", "parallel", "gear", "rack", "cam", "coupler", "fixed"),
    3: (
        "spherical", "universal", "cylindrical", "planar", "revolute", "distance", "point_on_line", "point_on_plane",
        "parallel", "gear", "rack", "cam", "coupler",
    ),
}  # fmt: skip
SCALARS = {
    "revolute": ("angle",), "translational": ("position",), "cylindrical": ("position", "angle"), "screw": ("angle",),
    "universal": ("angle1", "angle2"), "planar": ("x", "y", "angle"),
}  # fmt: skip
REGULAR = 0.03  # smallest singular value of a pose that is taken


class UnfitError(Exception):
    """The draw is singular, or nothing moves."""


@dataclass
class Case:
    """A mechanism, its start, and how it is told to the package: (method, name, arguments)."""

    seed: int
    dimension: int
    program: Program
    r: Floats
    R: Floats
    v: Floats
    told: list[tuple[str, str, dict[str, Any]]]
    kinds: set[str] = field(default_factory=set)
    mobility: int = 0


def about_z(angle: float) -> Floats:
    """Return the rotation about z."""
    return Rotation.from_rotvec([0.0, 0.0, angle]).as_matrix()


def shortest(axis: Floats) -> Floats:
    """Return the rotation that brings z onto an axis the shortest way."""
    h = axis / np.linalg.norm(axis)
    turn = np.cross([0.0, 0.0, 1.0], h)
    s = np.linalg.norm(turn)
    if s == 0.0:
        return np.eye(3)
    return Rotation.from_rotvec(turn / s * np.arctan2(s, h[2])).as_matrix()


class Draw:
    """Draws one mechanism; bodies are numbered from 0, −1 is the ground."""

    def __init__(self, seed: int, dimension: int) -> None:
        self.rng = rng = np.random.default_rng([dimension, seed])
        self.dimension, self.seed = dimension, seed
        self.flat = dimension == 3 and rng.random() < 0.2
        self.n = n = int(rng.integers(2, 5))
        self.places = rng.uniform(-1, 1, (n, 3)) * (1, 1, dimension == 3)
        self.axes = np.array([self.any_turn() for _ in range(n)])
        self.coms = rng.uniform(-0.4, 0.4, (n, 3)) * (1, 1, dimension == 3)
        self.masses, self.inertias = rng.uniform(0.5, 2.0, n), np.array([self.inertia() for _ in range(n)])
        if rng.random() < 0.15:
            k = int(rng.integers(n))
            self.masses[k], self.inertias[k] = 0.0, 0.0
        gravity = rng.uniform(-6, 6, 3) * (1, 1, dimension == 3)
        self.program = Program(self.masses, self.inertias, gravity)
        self.r = self.places + np.einsum("kab,kb->ka", self.axes, self.coms)
        self.joints: list[tuple[str, str, dict[str, Any]]] = []
        self.frames: dict[int, dict[str, Any]] = {k: {} for k in range(-1, n)}
        self.coordinates: list[tuple[str, Function]] = []
        self.kinds: set[str] = set()
        self.guesses: dict[str, float] = {}  # of contacts

    # --- geometry ---------------------------------------------------------------------------------------------------------
    def any_turn(self, most: float = 3.0) -> Floats:
        """Return a random rotation, in the plane one about z."""
        if self.dimension == 2:
            return about_z(self.rng.uniform(-most, most))
        axis = self.rng.normal(size=3)
        return Rotation.from_rotvec(axis / np.linalg.norm(axis) * self.rng.uniform(0, most)).as_matrix()

    def any_point(self, size: float = 1.0) -> Floats:
        """Return a random point."""
        return self.rng.uniform(-size, size, 3) * (1, 1, self.dimension == 3)

    def inertia(self) -> Floats:
        """Return a moment of inertia that a body can have."""
        if self.dimension == 2:
            return np.diag([0.2, 0.2, self.rng.uniform(0.1, 0.4)])
        A = self.any_turn()
        return A @ np.diag(self.rng.uniform(0.3, 0.5, 3)) @ A.T

    def on_body(self, body: int, place: Floats, axes: Floats) -> tuple[Floats, Floats]:
        """Return a ground pose in the author's frame of a body."""
        if body < 0:
            return place, axes
        A = self.axes[body]
        return A.T @ (place - self.places[body]), A.T @ axes

    def frame(self, body: int, place: Floats, axes: Floats) -> Frame:
        """Return a ground pose as a frame of the independent program."""
        point, own = self.on_body(body, place, axes)
        return Frame(body, point if body < 0 else point - self.coms[body], own)

    def named(self, body: int, place: Floats, axes: Floats) -> str:
        """Return the words for a ground pose as a named frame of a body."""
        point, own = self.on_body(body, place, axes)
        name = f"f{len(self.frames[body])}"
        if self.dimension == 2:
            self.frames[body][name] = {"at": point[:2], "angle": float(np.arctan2(own[1, 0], own[0, 0]))}
        else:
            x, y, z, w = Rotation.from_matrix(own).as_quat()
            self.frames[body][name] = {"at": point, "quaternion": [w, x, y, z]}
        return f"{self.word(body)}.{name}"

    def word(self, body: int) -> str:
        """Return the name of a body."""
        return "ground" if body < 0 else f"b{body}"

    def flat_point(self, point: Floats) -> Floats:
        """Return the components that the package is told."""
        return point[: self.dimension]

    # --- joints -----------------------------------------------------------------------------------------------------------
    def axis(self, kind: str) -> tuple[Floats, Floats, dict[str, Any]]:
        """Return an axis, the joint's own axes f, g, h in its frames as columns, and the fields that say so."""
        if self.dimension == 2:
            if kind in ("translational", "point_on_line"):
                a = self.any_turn()[:, 0]
                return a, np.stack([a, np.cross([0, 0, 1.0], a), [0, 0, 1.0]], 1)[:, [1, 2, 0]], {"axis": a[:2] * 1.7}
            return np.array([0, 0, 1.0]), np.eye(3), {"axis": (1, 0)} if kind == "parallel" else {}
        if kind in ("fixed", "spherical", "free", "distance"):
            return np.array([0, 0, 1.0]), np.eye(3), {}
        a = np.array([0, 0, 1.0]) if self.flat else self.any_turn()[:, 2]
        if kind == "universal":
            b = np.cross(a, self.rng.normal(size=3))
            b /= np.linalg.norm(b)
            return a, np.stack([b, np.cross(a, b), a], 1), {"axes": [a * 2.0, b * 0.5]}
        return a, shortest(a), {"axis": a * 1.3}

    def displacement(self, kind: str, E: Floats, lead: float) -> tuple[Floats, Floats]:
        """Return where the second frame is, seen from the first: a shift along the joint's axes, a turn in the frame's."""
        rng, turned = self.rng, about_z(self.rng.uniform(-1, 1))
        alpha = np.arctan2(turned[1, 0], turned[0, 0])
        x, y, z = rng.uniform(-0.5, 0.5, 3)
        shift = {
            "translational": (0, 0, z), "cylindrical": (0, 0, z), "screw": (0, 0, lead * alpha / (2 * np.pi)),
            "planar": (x, y, 0), "free": self.any_point(0.5), "point_on_line": (0, 0, z), "point_on_plane": (x, y, 0),
            "parallel": self.any_point(), "distance": self.any_point() + (0.3, 0.3, 0),
        }.get(kind, (0, 0, 0))  # fmt: skip
        if kind in ("fixed", "translational") or (kind == "parallel" and self.dimension == 2):
            return np.array(shift), np.eye(3)
        if kind == "universal":
            return np.array(shift), E @ turned @ Rotation.from_rotvec([rng.uniform(-1, 1), 0, 0]).as_matrix() @ E.T
        if kind in ("spherical", "free", "distance", "point_on_line", "point_on_plane"):
            return np.array(shift), self.any_turn(1.0)
        return np.array(shift), E @ turned @ E.T

    def join(self, kind: str, i: int, j: int) -> None:
        """Add a pair or a geometric constraint between two bodies, in place or by frames."""
        name, lead = f"J{len(self.joints)}", float(self.rng.uniform(0.2, 0.8))
        _, E, fields = self.axis(kind)
        place, axes, words = self.any_point(), np.eye(3), dict(fields)
        away, turned = np.zeros(3), np.eye(3)
        by_frames = kind == "distance" or (not self.flat and self.rng.random() < 0.6)
        if by_frames:
            axes = self.any_turn()
            away, turned = self.displacement(kind, E, lead)
        other_place, other_axes = place + axes @ E @ away, axes @ turned
        first, second = self.frame(i, place, axes @ E), self.frame(j, other_place, other_axes @ E)
        if by_frames:
            words |= {"first": self.named(i, place, axes), "second": self.named(j, other_place, other_axes)}
        else:
            words |= {"first": self.word(i), "second": self.word(j), "at": self.flat_point(place)}
        if kind == "screw":
            words["lead"], function = lead, rows.screw(first, second, lead)
        elif kind == "distance":
            words["length"] = float(np.linalg.norm(other_place - place))
            function = rows.relation([(1.0, rows.length(first, second))], words["length"])
        elif kind == "free":
            function = None
        else:
            in_plane = kind == "parallel" and self.dimension == 2
            function = rows.pair("parallel_in_plane" if in_plane else kind, first, second)
        self.add(kind, name, words, function, first, second)
        scalars = SCALARS.get(kind, ()) + (("x", "y") if kind == "free" else ())
        self.coordinates += [(f"{name}.{c}", rows.coordinate(c, first, second)) for c in scalars]

    def add(
        self, kind: str, name: str, words: dict[str, Any], function: Function | None, first: Frame | None, second: Frame | None
    ) -> None:
        """Add a joint to both programs."""
        self.kinds.add(kind)
        self.joints.append((kind, name, words))
        if function is not None:
            self.program.joints.append(Joint(name, function, first, second))

    def relate(self, kind: str, i: int, j: int) -> None:
        """Add a gear, a rack, a cam or a coupler; carriers are other bodies or the ground."""
        name, rng = f"J{len(self.joints)}", self.rng
        carrier = int(rng.choice([k for k in range(-1, self.n) if k not in (i, j)]))
        if kind == "coupler":
            if len(self.coordinates) < 2:
                raise UnfitError
            (a, f), (b, g) = (self.coordinates[k] for k in rng.permutation(len(self.coordinates))[:2])
            value = float(rows.product(f, g, 0.0)(self.poses())[0, 0].real)
            self.add(kind, name, {"expression": f"{a} + {b}/2 + {a}*{b} - ({value!r})"}, rows.product(f, g, value), None, None)
        elif kind == "cam":
            self.cam(name, i, j)
        else:
            axes = [np.array([0, 0, 1.0]) if self.dimension == 2 else self.any_turn()[:, 2] for _ in range(2)]
            angles = [self.angle(k, carrier, a) for k, a in zip((i, j), axes, strict=True)]
            words: dict[str, Any] = {"first": self.word(i), "second": self.word(j), "carrier": self.word(carrier)}
            if kind == "gear":
                a, b = (float(x) for x in rng.uniform(0.2, 1.0, 2))
                inside = bool(rng.random() < 0.5)
                words |= {"radii": [a, b], "internal": inside} | ({"axes": axes} if self.dimension == 3 else {})
                function = rows.relation([(a, angles[0]), (-b if inside else b, angles[1])], 0.0)
            else:
                radius, along = float(rng.uniform(0.2, 0.5)), self.any_turn()[:, 0]
                words |= {"radius": radius, "axis": self.flat_point(along)} | ({"turn": axes[0]} if self.dimension == 3 else {})
                place = self.places[j] if j >= 0 else np.zeros(3)
                E = np.stack([np.zeros(3), np.zeros(3), along], 1)
                travel = rows.coordinate("z", self.frame(carrier, place, E), self.frame(j, place, np.eye(3)))
                function = rows.relation([(1.0, travel), (-radius, angles[0])], 0.0)
            self.add(kind, name, words, function, None, None)

    def angle(self, body: int, carrier: int, axis: Floats) -> Function:
        """Return the angle of a body about an axis of its carrier, zero as drawn."""
        E = shortest(axis)
        return rows.coordinate("angle", self.frame(carrier, np.zeros(3), E), self.frame(body, np.zeros(3), E))

    def cam(self, name: str, i: int, j: int) -> None:
        """Add a cam in contact with a knife edge, a roller or a flat face."""
        rng = self.rng
        b, e, phi = 0.5, 0.12, rng.uniform(-1, 1)
        form = str(rng.choice(["knife", "roller", "flat"]))
        place, axes = self.any_point(), self.any_turn()
        rho, slope = b + e * np.cos(phi), -e * np.sin(phi)
        u, w = np.array([np.cos(phi), np.sin(phi), 0]), np.array([-np.sin(phi), np.cos(phi), 0])
        T = slope * u + rho * w
        normal = np.array([T[1], -T[0], 0]) / np.linalg.norm(T)
        size: Any = 0.1
        at = rho * u + (size * normal if form == "roller" else 0) + (0.1 * T if form == "flat" else 0)
        other = self.any_turn()
        words: dict[str, Any] = {"profile": f"{b} + {e}*cos(phi)"}
        if form == "roller":
            words["roller"] = size
        elif form == "flat":
            size = other.T @ axes @ normal
            words["flat"] = self.flat_point(size)
        lift = axes @ at + (self.any_point(0.3)[2] * axes[:, 2] if self.dimension == 3 else 0)
        first, second = self.frame(i, place, axes), self.frame(j, place + lift, other)
        words |= {"first": self.named(i, place, axes), "second": self.named(j, place + lift, other)}
        self.guesses[name] = float(phi)
        self.add("cam", name, words, rows.cam(first, second, (b, e), form, size, float(phi)), None, None)
        self.kinds.add(f"cam, {form}")

    # --- forces -----------------------------------------------------------------------------------------------------------
    def forces(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Add random forces to both programs; return the words."""
        rng, told, laws = self.rng, [], self.program.coordinate_laws
        bodies = list(range(-1, self.n))
        for k in range(int(rng.integers(0, 3))):
            i, j = (int(b) for b in rng.permutation(bodies)[:2])
            stiffness, damping, free = (float(x) for x in rng.uniform((5, 0, 0.2), (20, 1, 1.0)))
            place, other = self.any_point(), self.any_point() + (0.5, 0.5, 0)
            words = {"first": self.named(i, place, np.eye(3)), "second": self.named(j, other, np.eye(3))}
            told.append(("spring", f"S{k}", words | {"stiffness": stiffness, "damping": damping, "length": free}))
            function = rows.length(self.frame(i, place, np.eye(3)), self.frame(j, other, np.eye(3)))
            laws.append((function, linear(stiffness, free, damping, 0.0)))
        k = int(rng.integers(self.n))
        place, follows = self.any_point(), bool(rng.random() < 0.5)
        force, moment = rng.uniform(-5, 5, 3), rng.uniform(-2, 2, 3)
        if self.dimension == 2:
            force[2], moment[:2] = 0.0, 0.0
        own = self.axes[k].T @ force if follows else force
        words = {"end": self.named(k, place, np.eye(3)), "value": self.flat_point(own), "axes": "body" if follows else "ground"}
        twist = self.axes[k].T @ moment if follows else moment
        told.append(("force", "L", words | {"moment": float(twist[2]) if self.dimension == 2 else twist}))
        self.program.loads.append((self.frame(k, place, np.eye(3)), own, twist, follows))
        told += self.laws_on_coordinates()
        if rng.random() < 0.4:
            told.append(self.bushing())
        return told

    def laws_on_coordinates(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Add an effort, friction and a stop along random coordinates."""
        rng, told, laws = self.rng, [], self.program.coordinate_laws
        if not self.coordinates:
            return []
        path, function = self.coordinates[int(rng.integers(len(self.coordinates)))]
        value, stiffness, rest, damping = (float(x) for x in rng.uniform((-3, 0, -0.5, 0), (3, 20, 0.5, 1)))
        words = {"coordinate": path, "value": value, "stiffness": stiffness, "rest": rest, "damping": damping}
        told.append(("effort", "E", words))
        laws.append((function, linear(stiffness, rest, damping, value)))
        path, function = self.coordinates[int(rng.integers(len(self.coordinates)))]
        numbers = {"coulomb": 0.4, "static": 0.7, "viscous": 0.3, "smooth": 0.2, "stribeck": 0.9, "load": 1.6}
        told.append(("friction", "R", {"coordinate": path, **numbers}))
        laws.append((function, friction(**numbers)))
        path, function = self.coordinates[int(rng.integers(len(self.coordinates)))]
        now = float(function(self.poses())[0].real)
        limits = {"lower": now - 2.0, "upper": now - 0.1, "stiffness": 30.0, "damping": 0.8, "smooth": 0.04}
        told.append(("stop", "P", {"coordinate": path, **limits}))
        laws.append((function, stop(**limits)))
        return told

    def bushing(self) -> tuple[str, str, dict[str, Any]]:
        """Add a bushing between frames that are a little apart."""
        rng = self.rng
        i, j = (int(b) for b in rng.permutation(list(range(-1, self.n)))[:2])
        place, axes = self.any_point(), self.any_turn()
        other, turned = place + self.any_point(0.1), axes @ self.any_turn(0.4)
        count = 3 if self.dimension == 2 else 6
        k, c = rng.uniform(5, 20, count), rng.uniform(0, 0.5, count)
        first, second = self.frame(i, place, axes), self.frame(j, other, turned)
        functions = [lambda p, n=n: p.relative(first, second)[0][:, n] for n in range(self.dimension)]
        angles = [((-1, 1, 2), (1, 2, 2)), ((1, 0, 2), (1, 2, 2)), ((1, 1, 0), (1, 0, 0))]  # (sign, row, column) of R
        for (s, a, b), (_, e, d) in angles if self.dimension == 3 else angles[2:]:

            def angle(p: Any, s: int = s, a: int = a, b: int = b, e: int = e, d: int = d) -> Floats:
                Q = p.relative(first, second)[1]
                return rows.angle_of(s * Q[:, a, b], Q[:, e, d])

            functions.append(angle)
        words = {"first": self.named(i, place, axes), "second": self.named(j, other, turned), "stiffness": k, "damping": c}
        if int(1e6 * k[0]) % 2:
            words |= self.coupled(functions, np.random.default_rng(int(1e6 * k[0])))
            return ("bushing", "B", words)
        for function, stiffness, damping in zip(functions, k, c, strict=True):
            self.program.coordinate_laws.append((function, linear(stiffness, 0.0, damping, 0.0)))
        return ("bushing", "B", words)

    def coupled(self, functions: list[Any], rng: Any) -> dict[str, Any]:
        """Couple the directions of a bushing: its matrices are sums of laws along combinations of its coordinates."""
        count, told = len(functions), {"preload": rng.uniform(-1, 1, len(functions))}
        laws = [(told["preload"], linear(0.0, 0.0, 0.0, 1.0))]
        for key, low, high in (("stiffness", 5.0, 20.0), ("damping", 0.0, 0.5)):
            ways, sizes = np.linalg.qr(rng.normal(size=(count, count)))[0], rng.uniform(low, high, count)
            told[key] = ways @ np.diag(sizes) @ ways.T
            for way, size in zip(ways.T, sizes, strict=True):
                laws.append((way, linear(size, 0.0, 0.0, 0.0) if key == "stiffness" else linear(0.0, 0.0, size, 0.0)))
        for way, law in laws:
            self.program.coordinate_laws.append(
                (lambda p, way=way: sum(x * function(p) for x, function in zip(way, functions, strict=True)), law)
            )
        return told

    # --- the whole --------------------------------------------------------------------------------------------------------
    def poses(self) -> Any:
        """Return the drawn poses."""
        still = np.zeros(6 * self.n)
        return self.program.perturbed(self.r, self.axes, 0.0, np.zeros((1, self.n, 6)), still.reshape(1, -1, 6), np.zeros(1))

    def regular(self) -> int:
        """Return the mobility; refuse poses near a singular one, and those where nothing moves."""
        J = self.program.constraints(self.r, self.axes, np.zeros(6 * self.n), 0.0)[1]
        values = np.linalg.svd(J, compute_uv=False) if len(J) else np.zeros(0)
        rank = int(np.sum(values > 1e-9))
        if np.any((values > 1e-9) & (values < REGULAR)) or rank >= 6 * self.n:
            raise UnfitError
        both = np.linalg.svd(np.vstack([J, self.program.mass_matrix()]), compute_uv=False)
        if np.sum(both > 1e-3) < 6 * self.n:  # a massless body that nothing determines
            raise UnfitError
        return 6 * self.n - rank

    def close(self) -> None:
        """Add up to two closing joints that leave some motion."""
        for _ in range(int(self.rng.integers(0, 3))):
            kind = str(self.rng.choice(CLOSING[self.dimension]))
            i, j = (int(b) for b in self.rng.permutation(np.arange(-1, self.n))[:2])
            before = len(self.joints), len(self.program.joints), len(self.coordinates), set(self.kinds)
            if self.flat:
                kind = "revolute"
            try:
                (self.relate if kind in ("gear", "rack", "cam", "coupler") else self.join)(kind, i, j)
                self.regular()
            except UnfitError:
                del self.joints[before[0] :], self.program.joints[before[1] :], self.coordinates[before[2] :]
                self.kinds = before[3]
                self.guesses.pop(f"J{before[0]}", None)

    def motion(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Drive a coordinate where enough freedom is left."""
        if not self.coordinates or self.rng.random() > 0.3:
            return []
        path, function = self.coordinates[int(self.rng.integers(len(self.coordinates)))]
        a, b, c = float(function(self.poses())[0].real), *(float(x) for x in self.rng.uniform(-1, 1, 2))
        free = self.regular()
        self.program.joints.append(Joint(f"motion {path}", rows.relation([(1.0, function)], lambda t: a + b * t + c * t * t)))
        try:
            fits = self.regular() < free  # a coordinate that cannot move cannot be driven
        except UnfitError:
            fits = False
        if not fits:
            del self.program.joints[-1]
            return []
        self.kinds.add("motion")
        return [("motion", path, {"expression": f"({a!r}) + ({b!r})*t + ({c!r})*t^2"})]

    def case(self) -> Case:
        """Return the whole mechanism."""
        if self.dimension == 2:
            for k in range(self.n):
                plane = rows.pair("planar", Frame(-1, np.zeros(3), np.eye(3)), Frame(k, np.zeros(3), np.eye(3)))
                self.program.joints.append(Joint(f"plane {k}", plane))
        for k in range(self.n):
            kinds = ("revolute", "cylindrical", "planar") if self.flat else TREE[self.dimension]
            self.join(str(self.rng.choice(kinds)), int(self.rng.integers(-1, k)), k)
        self.regular()
        self.close()
        motion = self.motion()
        forces = self.forces()
        free = self.regular()
        v = self.program.consistent(self.r, self.axes, self.rng.uniform(-1, 1, 6 * self.n), 0.0)
        told = [*self.bodies(), *self.joints, *forces, *motion, ("guess", "", self.guesses)]
        return Case(self.seed, self.dimension, self.program, self.r, self.axes, v, told, self.kinds, free)

    def bodies(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Return the words for gravity, the ground's frames and the bodies."""
        told: list[tuple[str, str, dict[str, Any]]] = [("gravity", "", {"value": self.flat_point(self.program.gravity)})]
        told.append(("ground", "", self.frames[-1]))
        for k in range(self.n):
            words: dict[str, Any] = {"mass": float(self.masses[k]), "com": self.flat_point(self.coms[k])}
            words |= {"at": self.flat_point(self.places[k]), "frames": self.frames[k]}
            if self.dimension == 2:
                words |= {"inertia": float(self.inertias[k][2, 2])}
                words |= {"angle": float(np.arctan2(self.axes[k][1, 0], self.axes[k][0, 0]))}
            else:
                x, y, z, w = Rotation.from_matrix(self.axes[k]).as_quat()
                words |= {"inertia": self.inertias[k], "quaternion": [w, x, y, z]}
            told.append(("body", f"b{k}", words))
        return told


def random_case(seed: int, dimension: int) -> Case:
    """Return the mechanism of a seed; draws that are singular are drawn again."""
    for attempt in range(100):
        try:
            return Draw(1000 * seed + attempt, dimension).case()
        except UnfitError:
            continue
    raise AssertionError(f"no mechanism for seed {seed}")
