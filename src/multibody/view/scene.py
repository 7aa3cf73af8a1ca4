"""What there is to draw: links, joints, solids and springs of a mechanism, in numbers, at one pose.

A :class:`Blueprint` holds the geometry in body axes, worked out once; :meth:`Blueprint.scene` places it at a pose.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from multibody.state.poses import matrix_of
from multibody.tables.lower import Tables
from multibody.tables.scope import Scope
from multibody.view.geometry import Floats, box_corners, distinct, nearest_on
from multibody.view.meshes import Mesh, axes_of, meshes_of
from multibody.view.wheels import Cam, Rack, Wheel, cams_at, racks_at, wheels_at

SKELETON = frozenset({"gear", "rack", "coupler", "parallel"})
"""Kinds whose ends are no points that a link has to reach."""


@dataclass(frozen=True)
class Solid:
    """A shape of a body: its points (two ends, corners or a center), radius (0: none), axis and thickness."""

    kind: str
    points: Floats
    radius: float = 0.0
    axis: Floats = field(default_factory=lambda: np.zeros(0))
    thickness: float = 0.0

    @property
    def reach(self) -> float:
        """How far its surface is from the line between its first and its last point, roughly."""
        if self.kind != "box":
            return self.radius
        return 0.5 * float(np.linalg.norm(self.points[1] - self.points[0]))


@dataclass(frozen=True)
class Link:
    """A body: the points that its outline has to reach, and its solids."""

    number: int
    name: str
    points: Floats
    solids: tuple[Solid, ...]
    meshes: tuple[Mesh, ...] = ()

    @property
    def shapes(self) -> tuple[Solid, ...]:
        """Its solids, and boxes around its meshes."""
        return (*self.solids, *(Solid("box", mesh.box) for mesh in self.meshes))

    @property
    def center(self) -> Floats:
        """Where its name belongs: the middle of its solids, else of its points."""
        clouds = [solid.points for solid in self.shapes] or [self.points]
        return np.asarray(np.vstack(clouds).mean(axis=0))

    @property
    def span(self) -> float:
        """Largest extent of its points and solids."""
        cloud = np.vstack([self.points, *(solid.points for solid in self.shapes)])
        return float(np.linalg.norm(cloud.max(axis=0) - cloud.min(axis=0))) + max((s.radius for s in self.solids), default=0.0)

    @property
    def thickness(self) -> float:
        """Radius of its thickest rod or cylinder, 0 if it has none."""
        return max((s.radius for s in self.solids if s.kind in ("rod", "cylinder")), default=0.0)

    def strays(self, tolerance: float) -> list[tuple[Floats, Floats]]:
        """Return the points that lie off all its solids, each with the place of a solid that a bar has to join it to."""
        found, solids = [], self.shapes
        for point in self.points:
            feet = [nearest_on(point, solid.points) for solid in solids]
            gaps = [float(np.linalg.norm(f - point)) - s.reach for f, s in zip(feet, solids, strict=True)]
            k = int(np.argmin(gaps))
            if gaps[k] > tolerance:
                found.append((point, feet[k]))
        return found


@dataclass(frozen=True)
class Mark:
    """A joint: its kind, bodies, the points of its two ends and their axes f, g(, h) as columns, in ground."""

    name: str
    kind: str
    bodies: tuple[int, int]
    points: tuple[Floats, Floats]
    axes: tuple[Floats, Floats]

    @property
    def grounded(self) -> bool:
        """Whether one end is on the ground."""
        return 0 in self.bodies


@dataclass(frozen=True)
class Spring:
    """A spring or bushing: its bodies and two points, and whether a motion drives its length."""

    name: str
    kind: str
    bodies: tuple[int, int]
    points: tuple[Floats, Floats]
    driven: bool


@dataclass(frozen=True)
class Scene:
    """Everything at one pose, in ground."""

    tables: Tables
    links: list[Link]
    marks: list[Mark]
    springs: list[Spring]
    wheels: list[Wheel]
    racks: list[Rack]
    cams: list[Cam]

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return self.tables.dimension

    def cloud(self) -> Floats:
        """Return points that the picture has to show (n, d)."""
        parts = [link.points for link in self.links]
        parts += [solid_extent(solid) for link in self.links for solid in link.shapes]
        parts += [np.array(spring.points) for spring in self.springs]
        parts += [np.array(mark.points) for mark in self.marks if mark.kind in ("revolute", "spherical", "fixed", "distance")]
        parts += [wheel.extent() for wheel in self.wheels]
        parts += [rack.extent() for rack in self.racks]
        parts += [cam.extent() for cam in self.cams]
        return np.vstack(parts)


def solid_extent(solid: Solid) -> Floats:
    """Return the corners of a box around a solid."""
    return np.vstack([solid.points - solid.radius, solid.points + solid.radius])


class Poses:
    """Positions of the centers of mass and rotation matrices of all bodies; body 0 is the ground."""

    def __init__(self, tables: Tables, q: Floats) -> None:
        d, layout = tables.dimension, tables.layout
        rows = layout.split(q, len(tables.bodies) - 1)
        if d == 2:
            c, s = np.cos(rows[:, layout.angle]), np.sin(rows[:, layout.angle])
            turns = np.stack([np.stack([c, -s], -1), np.stack([s, c], -1)], -2)
        else:
            turns = matrix_of(rows[:, layout.turn])
        self.r = np.vstack([np.zeros((1, d)), rows[:, layout.shift]])
        self.A = np.concatenate([np.eye(d)[None], turns])

    def place(self, body: int, points: Floats) -> Floats:
        """Return body points, measured from the center of mass, in ground."""
        return np.asarray(self.r[body] + points @ self.A[body].T)

    def axes(self, body: int, columns: Floats) -> Floats:
        """Return axes (columns) or a vector of a body in ground components."""
        return np.asarray(self.A[body] @ columns)


class Journey:
    """Where points of bodies are over a whole motion.

    Parameters
    ----------
    tables : Tables
    q : array (instants, nq)
    """

    def __init__(self, tables: Tables, q: Floats) -> None:
        self.tables, self.dimension, self.q = tables, tables.dimension, q

    def thinned(self, most: int) -> Journey:
        """Return a motion of about so many instants at most, with the first and the last."""
        every = max(1, -(-len(self.q) // most))
        return Journey(self.tables, np.vstack([self.q[::every], self.q[-1:]]))

    def turns(self, body: int) -> Floats:
        """Return the rotation matrix of a body at every instant (instants, d, d)."""
        if body == 0:
            return np.broadcast_to(np.eye(self.dimension), (len(self.q), self.dimension, self.dimension))
        layout = self.tables.layout
        if self.dimension == 3:
            return matrix_of(self.q[:, layout.orientation(body)])
        angle = self.q[:, layout.angle_of(body)]
        c, s = np.cos(angle), np.sin(angle)
        return np.moveaxis(np.array([[c, -s], [s, c]]), 2, 0)

    def place(self, body: int, point: Floats) -> Floats:
        """Return a point of a body at every instant in ground (instants, d).

        Parameters
        ----------
        body : int
        point : array (d,) or (instants, d)
            From the center of mass in body axes: the same at all instants, or one for each.
        """
        local = np.broadcast_to(point, (len(self.q), self.dimension))
        if body == 0:
            return local
        turned = np.einsum("nij,nj->ni", self.turns(body), local)
        return np.asarray(self.q[:, self.tables.layout.position(body)] + turned)

    def cloud(self, body: int, points: Floats) -> Floats:
        """Return many points of a body (m, d) at all instants, in ground and in one heap (instants · m, d)."""
        if body == 0:
            return points
        turned = points @ np.swapaxes(self.turns(body), 1, 2)
        return np.asarray(turned + self.q[:, None, self.tables.layout.position(body)]).reshape(-1, self.dimension)


class Blueprint:
    """The geometry of a mechanism in body axes.

    Parameters
    ----------
    tables : Tables
    """

    def __init__(self, tables: Tables) -> None:
        self.tables, self.model = tables, tables.model
        self.scope = Scope(tables.model)
        paths = [self.model.resolve(text, f"motions.{text}") for text in self.model.motions]
        self.driven = {path.owner for path in paths if path.kind == "spring"}
        self.solids = {b: self._solids(name) for b, name in enumerate(tables.bodies) if b}
        self.meshes, self.notes = meshes_of(tables, self.scope)
        self.points = self._points()

    def scene(self, q: Floats) -> Scene:
        """Return everything at the pose q, in ground."""
        tables, poses = self.tables, Poses(self.tables, q)
        links = [self._link(b, poses) for b in range(1, len(tables.bodies))]
        marks = []
        for name, ends in tables.ends.items():
            points = [poses.place(end.body, tables.vector(end.point)) for end in ends]
            axes = [poses.axes(end.body, tables.matrix(end.axes)) for end in ends]
            bodies = (ends[0].body, ends[1].body)
            kind = self.model.joints[name].kind.name
            marks.append(Mark(name, kind, bodies, (points[0], points[1]), (axes[0], axes[1])))
        springs = [self._spring(name, poses) for name, force in self.model.forces.items() if force.kind.target == "ends"]
        return Scene(
            tables, links, marks, springs, wheels_at(tables, self.scope, poses), racks_at(tables, self.scope, poses),
            cams_at(tables, self.scope, poses, q),
        )  # fmt: skip

    def cloud(self, journey: Journey) -> Floats:
        """Return points that a picture of the whole motion has to show: links over the motion, all else at the ends (n, d)."""
        few = journey.thinned(50)
        parts = [few.cloud(b, points) for b, points in self.points.items()]
        return np.vstack([*parts, self.scene(journey.q[0]).cloud(), self.scene(journey.q[-1]).cloud()])

    def _link(self, b: int, poses: Poses) -> Link:
        """Return a body at its pose."""
        solids = tuple(
            Solid(
                s.kind,
                poses.place(b, s.points),
                s.radius,
                poses.axes(b, s.axis) if len(s.axis) else s.axis,
                s.thickness,
            )
            for s in self.solids[b]
        )
        meshes = tuple(mesh.placed(poses.r[b], poses.A[b]) for mesh in self.meshes.get(b, ()))
        return Link(b, self.tables.bodies[b], poses.place(b, self.points[b]), solids, meshes)

    def _spring(self, name: str, poses: Poses) -> Spring:
        """Return a force between two points."""
        force = self.model.forces[name]
        ends = [self._end(end) for end in force.target]
        points = [poses.place(body, point) for body, point in ends]
        bodies = (ends[0][0], ends[1][0])
        return Spring(name, force.kind.name, bodies, (points[0], points[1]), name in self.driven)

    def _end(self, end: str) -> tuple[int, Floats]:
        """Return body and point of an end."""
        body, frame = self.model.find_end(end, "draw")
        return self.tables.bodies.index(body), self.tables.vector(self.tables.frames[body, frame].point)

    def _points(self) -> dict[int, Floats]:
        """Return the points of every body that its link has to reach, from its center of mass."""
        tables, d = self.tables, self.tables.dimension
        index = {name: b for b, name in enumerate(tables.bodies)}
        found: dict[int, list[Floats]] = {b: [] for b in range(len(tables.bodies))}
        for name, ends in tables.ends.items():
            if self.model.joints[name].kind.name not in SKELETON:
                for end in ends:
                    found[end.body].append(tables.vector(end.point))
        for (owner, frame), slots in tables.frames.items():
            if frame not in ("origin", "com"):
                found[index[owner]].append(tables.vector(slots.point))
        for force in self.model.forces.values():
            for target in force.target if force.kind.target == "ends" else ():
                b, point = self._end(target)
                found[b].append(point)
        result = {}
        for b, points in found.items():
            cloud = distinct(np.array(points).reshape(-1, d), 1e-9 * tables.length)
            body = self.model.bodies.get(tables.bodies[b])
            stated = body is not None and body.com is not None
            if stated or (len(cloud) < 2 and body is not None and (body.mass is not None or len(cloud) == 0)):
                cloud = distinct(np.vstack([cloud, np.zeros((1, d))]), 1e-9 * tables.length)
            result[b] = cloud
        return result

    def _solids(self, name: str) -> tuple[Solid, ...]:
        """Return the shapes of a body from its center of mass."""
        origin = self.tables.vector(self.tables.frames[name, "origin"].point)
        return tuple(
            self._solid(shape, origin) for shape in self.model.bodies[name].shape if shape.kind not in ("mesh", "point")
        )

    def _solid(self, shape: Any, origin: Floats) -> Solid:
        """Return one shape in numbers."""
        d = self.tables.dimension
        numbers = {key: self._scalar(shape.fields[key]) for key in ("radius", "thickness") if key in shape.fields}
        if shape.kind in ("rod", "cylinder"):
            return Solid(shape.kind, np.array([self._vector(p) for p in shape.value]) + origin, numbers.get("radius", 0.0))
        if shape.kind == "box":
            middle = self._vector(shape.fields["at"]) if "at" in shape.fields else np.zeros(d)
            A = axes_of(shape, self.scope, d)
            return Solid("box", box_corners(self._vector(shape.value), np.zeros(d)) @ A.T + middle + origin)
        axis = self._vector(shape.fields["axis"]) if "axis" in shape.fields else np.eye(d)[d - 1]
        return Solid(
            shape.kind,
            (self._vector(shape.value) + origin)[None],
            numbers["radius"],
            axis,
            numbers.get("thickness", 0.0),
        )

    def _scalar(self, number: Any) -> float:
        return self.scope.value(self.scope.scalar(number, "draw"), "draw")

    def _vector(self, vector: Any) -> Floats:
        return np.array(self.scope.numeric(self.scope.vector(vector, None, "draw"), "draw"))

    def gravity(self) -> Floats | None:
        """Return the direction of gravity, None where there is none."""
        if self.model.gravity is None:
            return None
        g = self._vector(self.model.gravity)
        size = float(np.linalg.norm(g))
        return g / size if size > 0.0 else None


def glyph_size(scene: Scene, cloud: Floats) -> float:
    """Return the size of joints in the picture: a part of its diagonal, less where links are short."""
    diagonal = float(np.linalg.norm(cloud.max(axis=0) - cloud.min(axis=0)))
    spans = sorted(link.span for link in scene.links if link.span > 1e-6 * diagonal)
    sizes = [0.03 * diagonal] if diagonal > 0.0 else []
    if spans:
        sizes.append(0.14 * spans[len(spans) // 2])
    return min(sizes) if sizes else 0.1 * scene.tables.length
