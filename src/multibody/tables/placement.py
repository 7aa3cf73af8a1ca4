"""Where things are: drawn poses, frames and joint axes, as numbers or formulas of the parameters."""

from __future__ import annotations

from dataclasses import dataclass

from multibody.errors import ModelError
from multibody.model.expressions import Number
from multibody.model.joints import Joint
from multibody.model.matrices import (
    IDENTITY,
    IDENTITY2,
    Mat,
    Vec,
    column,
    inner,
    minus,
    normalized,
    orientation_matrix,
    outer_product,
    plus,
    product,
    shortest_turn,
    times,
    transposed,
    turned,
)
from multibody.model.model import Model
from multibody.model.values import Vector
from multibody.tables.mass import MassProperties
from multibody.tables.scope import Scope

SQUARE = 1e-9  # cosine of the angle between axes that are perpendicular


@dataclass(frozen=True)
class End:
    """A joint's frame on one body: point from the center of mass and axes f, g(, h), in body components.

    `angle` is the planar frame's own angle (not that of its axes), which counts turns where axes cannot.
    """

    body: int
    point: Vec
    axes: Mat
    angle: Number = 0.0

    def axis(self, letter: str) -> Vec:
        """Return one of the joint's axes f, g, h; with a minus sign before it, its opposite."""
        found = column(self.axes, "fgh".index(letter[-1]))
        return times(-1.0, found) if letter.startswith("-") else found


class Placement:
    """Drawn poses and frames of all bodies; body 0 is the ground."""

    def __init__(self, model: Model, scope: Scope) -> None:
        self.model, self.scope, self.dimension = model, scope, model.dimension
        d = model.dimension
        identity = IDENTITY if d == 3 else IDENTITY2
        zero: Vec = (0.0,) * d
        self.index = {"ground": 0} | {name: k + 1 for k, name in enumerate(model.bodies)}
        self.masses = [MassProperties(body, d, scope) for body in model.bodies.values()]
        self.com: list[Vec] = [zero, *(properties.com for properties in self.masses)]
        self.turn: list[Mat] = [identity]
        self.origin: list[Vec] = [zero]
        self.angles: list[Number] = [0.0]  # drawn angles of planar bodies
        for name, body in model.bodies.items():
            where = f"bodies.{name}"
            self.turn.append(orientation_matrix(body.orientation, d, scope, where))
            self.origin.append(zero if body.at is None else scope.vector(body.at, d, where))
            planar = body.orientation if d == 2 else None
            self.angles.append(0.0 if planar is None else scope.scalar(planar.numbers[0], where))
        self._frames: dict[tuple[str, str], tuple[Vec, Mat]] = {}

    def center(self, k: int) -> Vec:
        """Return the drawn center of mass of body k in ground."""
        return plus(self.origin[k], turned(self.turn[k], self.com[k]))

    def drawn_angle(self, k: int) -> Number:
        """Return the drawn angle of planar body k."""
        return self.angles[k]

    def frame(self, body: str, frame: str, where: str = "") -> tuple[Vec, Mat]:
        """Return a frame's point from the center of mass and its axes, body components."""
        key = (body, frame)
        if key not in self._frames:
            k = self.index[body]
            identity = IDENTITY if self.dimension == 3 else IDENTITY2
            zero: Vec = (0.0,) * self.dimension
            if frame == "com":
                self._frames[key] = (zero, identity)
            elif frame == "origin":
                self._frames[key] = (minus(zero, self.com[k]), identity)
            else:
                data = self.model.frames_of(body)[frame]
                place = where or f"bodies.{body}.frames.{frame}"
                point = self.scope.vector(data.at, self.dimension, place)
                axes = orientation_matrix(data.orientation, self.dimension, self.scope, place)
                self._frames[key] = (minus(point, self.com[k]), axes)
        return self._frames[key]

    def by_frame(self, end: str, basis: Mat, where: str) -> End:
        """Return the joint's end on a named frame, its axes turned by the joint's basis."""
        body, frame = self.model.find_end(end, where)
        point, axes = self.frame(body, frame)
        data = self.model.frames_of(body).get(frame)
        angle: Number = 0.0
        if self.dimension == 2 and data is not None and data.orientation is not None:
            angle = self.scope.scalar(data.orientation.numbers[0], where)
        return End(self.index[body], point, product(axes, basis), angle)

    def in_place(self, body: str, point: Vec, basis: Mat) -> End:
        """Return an end made at a ground point, its axes parallel to the basis in ground as drawn."""
        k = self.index[body]
        back = transposed(self.turn[k])
        angle = -self.drawn_angle(k) if self.dimension == 2 else 0.0
        return End(k, minus(turned(back, minus(point, self.origin[k])), self.com[k]), product(back, basis), angle)

    def basis(self, joint: Joint) -> Mat:
        """Return the joint's axes f, g(, h) as columns, in the components of its frames."""
        where, fields = f"joints.{joint.name}", joint.fields
        if joint.kind.axes == "axes":
            return self.perpendicular_basis(fields["axes"], where)
        axis, motion = fields.get("axis"), joint.kind.structure(self.dimension).motion
        if self.dimension == 2:
            if axis is None or (motion is not None and not motion.slides):  # an axis of rotation is the plane's normal
                return IDENTITY2
            x, y = normalized(self.vector(axis, where))
            return ((x, -y), (y, x))
        return IDENTITY if axis is None else shortest_turn(self.vector(axis, where), self.scope, where)

    def vector(self, vector: Vector, where: str) -> Vec:
        """Return the components of a vector that must not vanish."""
        components = self.scope.vector(vector, None, where)
        if not any(self.scope.numeric(components, where)):
            raise ModelError("the axis is zero", where=where, hint="an axis may have any length but zero")
        return components

    def perpendicular_basis(self, axes: tuple[Vector, Vector], where: str) -> Mat:
        """Return [b, a×b, a] of a universal joint's axes a and b, which must be perpendicular."""
        a, b = normalized(self.vector(axes[0], where)), normalized(self.vector(axes[1], where))
        cosine = inner(a, b)
        self.scope.keep(SQUARE - cosine)
        self.scope.keep(SQUARE + cosine)
        if abs(self.scope.value(cosine, where)) > SQUARE:
            raise ModelError(
                "its axes are not perpendicular", where=where, hint="choose axes at right angles in the zero position"
            )
        return transposed((b, outer_product(a, b), a))

    def ends(self, joint: Joint) -> tuple[End, End]:
        """Return both ends of a joint."""
        where, basis = f"joints.{joint.name}", self.basis(joint)
        if joint.at is None:
            return self.by_frame(joint.first, basis, where), self.by_frame(joint.second, basis, where)
        point = self.scope.vector(joint.at, self.dimension, where)
        return self.in_place(joint.first, point, basis), self.in_place(joint.second, point, basis)
