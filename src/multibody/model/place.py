"""Moving a drawing as one rigid body: the formulas of poses, frames and joints in the ground of another model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from multibody.errors import ModelError
from multibody.model.body import Body
from multibody.model.expressions import Expression, Number, name, names, substitute
from multibody.model.forces import Force
from multibody.model.geometry import Frame, Orientation
from multibody.model.joints import Joint
from multibody.model.matrices import (
    Mat,
    Vec,
    column,
    inner,
    minus,
    orientation_matrix,
    plus,
    product,
    transposed,
    turned,
)
from multibody.model.model import Guess, InitialValue, Model
from multibody.model.paths import AXES, Path
from multibody.model.scope import ParameterScope
from multibody.model.values import Vector, read_number

# In place, these kinds measure along the axes of the ground; when the ground is turned they need frames of their own.
_ALONG_GROUND = ("planar", "free", "spherical", "cam")


class Pose:
    """Where a drawing is put: the point and the axes of its ground in the ground of another model.

    Attributes
    ----------
    point : Vec
        [length]
    axes : Mat
        Columns are its axes.
    orientation : Orientation or None
        The same as the user wrote it.
    moves, turns : bool
        Whether anything changes, and whether the axes do.
    """

    def __init__(self, model: Model, frame: Frame, where: str) -> None:
        scope = ParameterScope(model)
        self.where = where
        self.orientation = frame.orientation
        self.point: Vec = scope.vector(frame.at, model.dimension, where)
        self.axes: Mat = orientation_matrix(frame.orientation, model.dimension, scope, where)
        self.turns = frame.orientation is not None
        self.moves = self.turns or self.point != (0.0,) * model.dimension

    @property
    def angle(self) -> Number:
        """The planar angle [rad]."""
        return self.orientation.numbers[0] if self.orientation is not None else 0.0

    def moved(self, point: Vec) -> Vec:
        """Return a point of the drawing in ground."""
        return plus(self.turned(point), self.point)

    def turned(self, vector: Vec) -> Vec:
        """Return a direction of the drawing in ground components."""
        return turned(self.axes, vector) if self.turns else vector


def place(part: Model, pose: Pose) -> None:
    """Move a whole model, whose names are final, to a pose."""
    mover = _Mover(part, pose)
    part.joints = {key: mover.joint(joint) for key, joint in part.joints.items()}  # first: they may add frames
    part.bodies = {key: mover.body(body) for key, body in part.bodies.items()}
    part.ground_frames = {key: mover.frame(frame) for key, frame in part.ground_frames.items()}
    part.motions = mover.conditions(part.motions)
    part.initials = mover.conditions(part.initials)
    guesses = mover.conditions({key: guess.value for key, guess in part.guesses.items()})
    part.guesses = {key: Guess(guesses[key], guess.weight) for key, guess in part.guesses.items()}
    part.forces = {key: mover.force(force) for key, force in part.forces.items()}
    part.outputs = {key: mover.local(formula) for key, formula in part.outputs.items()}
    part.events = {key: {**event, "when": mover.local(event["when"])} for key, event in part.events.items()}


class _Mover:
    """Moves the items of one model."""

    def __init__(self, part: Model, pose: Pose) -> None:
        self.part, self.pose, self.where = part, pose, pose.where
        self.dimension = part.dimension
        self.scope = ParameterScope(part)

    def _vector(self, vector: Vector | None) -> Vec:
        return (0.0,) * self.dimension if vector is None else self.scope.vector(vector, None, self.where)

    def _matrix(self, orientation: Orientation | None) -> Mat:
        return orientation_matrix(orientation, self.dimension, self.scope, self.where)

    # --- geometry -----------------------------------------------------------------------------------------------------
    def orientation(self, orientation: Orientation | None) -> Orientation | None:
        """Return an orientation in ground, in the form it is written in where that is possible."""
        if orientation is None or self.pose.orientation is None:
            return orientation or self.pose.orientation
        if self.dimension == 2:
            return Orientation("angle", (orientation.numbers[0] + self.pose.angle,))
        return _of_matrix(product(self.pose.axes, self._matrix(orientation)))

    def frame(self, frame: Frame) -> Frame:
        """Move a frame of the ground."""
        return Frame(self.pose.moved(self._vector(frame.at)), self.orientation(frame.orientation))

    def body(self, body: Body) -> Body:
        """Move a body's drawn pose."""
        return replace(body, at=self.pose.moved(self._vector(body.at)), orientation=self.orientation(body.orientation))

    def joint(self, joint: Joint) -> Joint:
        """Move what a joint states in ground: its place, and axes as drawn."""
        fields = {key: self.local(item) if key == "expression" else item for key, item in joint.fields.items()}
        joint = replace(joint, fields=fields)
        in_place = joint.at is not None
        if in_place and self.pose.turns and joint.kind.name in _ALONG_GROUND:
            return self._by_frames(joint)
        if in_place:
            joint = replace(joint, at=self.pose.moved(self._vector(joint.at)))
        if self.pose.turns and (in_place or joint.kind.relation in ("gear", "rack")):
            joint = replace(joint, fields=fields | self._turned_fields(joint))
        return joint

    def _turned_fields(self, joint: Joint) -> dict[str, Any]:
        """Return the axes of a joint that are stated as drawn; in space the default z has to be written out."""
        done: dict[str, Any] = {}
        for f in joint.kind.fields:
            value, shape = joint.fields.get(f.name), f.type.shape
            if shape == "axes" and self.dimension == 3:
                pair = ((0.0, 0.0, 1.0), (0.0, 0.0, 1.0)) if value is None else value
                done[f.name] = tuple(self.pose.turned(self._vector(axis)) for axis in pair)
            elif shape in ("axis", "axis3") and self.dimension == 3:
                done[f.name] = self.pose.turned((0.0, 0.0, 1.0) if value is None else self._vector(value))
            elif shape == "axis" and value is not None:
                done[f.name] = self.pose.turned(self._vector(value))
        return done

    def _by_frames(self, joint: Joint) -> Joint:
        """Return a joint in place as one by frames, which are added to its bodies as they are drawn before the move."""
        ends = []
        for body in (joint.first, joint.second):
            drawn = self.part.bodies.get(body, Body(body))
            frames = self.part.frames_of(body)
            key = joint.name
            while key in frames:
                key += "_"
            axes = self._matrix(drawn.orientation)
            point = turned(transposed(axes), minus(self._vector(joint.at), self._vector(drawn.at)))
            frame = Frame(point, self._inverse(drawn.orientation, axes))
            if body == "ground":
                self.part.ground_frames[key] = frame
            else:
                self.part.bodies[body] = replace(drawn, frames={**frames, key: frame})
            ends.append(f"{body}.{key}")
        return replace(joint, first=ends[0], second=ends[1], at=None)

    def _inverse(self, orientation: Orientation | None, axes: Mat) -> Orientation | None:
        """Return the ground's axes as a body with this orientation sees them."""
        if orientation is None:
            return None
        if self.dimension == 2:
            return Orientation("angle", (-orientation.numbers[0],))
        return _of_matrix(transposed(axes))

    def force(self, force: Force) -> Force:
        """Move a force: components stated in ground, laws of ground coordinates, rest or limits of an angle or position."""
        fields = dict(force.fields)
        for f in force.kind.fields:
            value, shape = fields.get(f.name), f.type.shape
            if value is None:
                continue
            if shape == "expression":
                fields[f.name] = self.local(value)
            elif shape in ("vector", "moment") and not isinstance(value, float):
                fields[f.name] = self._load(value, shape, force.fields["axes"])
        if force.on_expression:
            target = str(self.local(read_number(force.target[0], self.where)))
            return replace(force, fields=fields, target=(target,))
        if force.kind.target == "coordinate":
            self.conditions({force.target[0]: 0.0})  # refuses a component that no longer exists
            for key in ("rest", "lower", "upper"):
                if fields.get(key) is not None and fields.get("stiffness"):
                    fields[key] = self.conditions({force.target[0]: fields[key]})[force.target[0]]
        return replace(force, fields=fields)

    def _load(self, value: Any, shape: str, axes: str) -> Any:
        """Return a load of the drawing; a planar moment is a number and does not turn."""
        if shape == "moment" and self.dimension == 2:
            return self.local(value)
        parts = tuple(self.local(part) for part in self._vector(value))
        return self.pose.turned(parts) if axes == "ground" else parts

    # --- paths --------------------------------------------------------------------------------------------------------
    def _resolve(self, parts: tuple[str, ...]) -> Path | None:
        """Return what a path means, None for parameters, time and what is at fault."""
        if parts[0] in self.part.parameters:
            return None
        try:
            return self.part.resolve(parts, results=True)
        except ModelError:
            return None

    def local(self, formula: Number) -> Number:
        """Return a formula with ground components of points as the drawing's own ground sees them."""
        if not isinstance(formula, Expression):
            return formula
        mapping: dict[tuple[str, ...], Number] = {}
        if any(parts[0] not in self.part.parameters and self.scope.size(parts) for parts in names(formula)):
            formula = self.scope.scalar(formula, self.where)  # vectors of the state by their components
        for parts in names(formula):
            path = self._resolve(parts)
            if path is None:
                continue
            if path.kind == "angle" and path.order == 0:
                mapping[parts] = name(*parts) - self.pose.angle
            elif path.kind == "point" or (path.kind == "omega" and path.owner in self.part.bodies):
                seen: Vec = tuple(name(*_component(parts, path, k)) for k in range(self.dimension))
                seen = minus(seen, self.pose.point) if path.order == 0 else seen
                mapping[parts] = inner(column(self.pose.axes, path.axis), seen)
            elif path.kind in ("reaction", "total", "load") and path.axis >= 0:
                seen = tuple(name(*parts[:-1], axis) for axis in AXES[: self.dimension])
                mapping[parts] = inner(column(self.pose.axes, path.axis), seen)
        return substitute(formula, mapping)

    def conditions(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return motions, held values or guesses for the moved drawing, under the same paths."""
        return {text: self._condition(text, values) for text in values}

    def _condition(self, text: str, values: Mapping[str, InitialValue]) -> InitialValue:
        """Return the value of one path."""
        value, parts = values[text], tuple(text.split("."))
        path = self._resolve(parts)
        if path is None or path.owner in self.part.joints:
            return value
        if isinstance(value, Orientation):
            return self.orientation(value) or value
        if path.kind == "angle":
            return value if path.order else value + self.pose.angle
        if path.kind not in ("point", "omega"):
            return value
        shift = 0.0 if path.order else self.pose.point[path.axis]
        if not self.pose.turns:
            return value + shift
        given = [values.get(".".join(_component(parts, path, k))) for k in range(self.dimension)]
        numbers = tuple(item for item in given if item is not None and not isinstance(item, Orientation))
        if len(numbers) < self.dimension:
            hint = "state all its components, or name a joint's coordinate instead"
            raise ModelError(f'"{text}" does not exist in a copy that is turned', where=self.where, hint=hint)
        return inner(self.pose.axes[path.axis], numbers) + shift


def _component(parts: tuple[str, ...], path: Path, k: int) -> tuple[str, ...]:
    """Return the path of the k-th component of the same point or angular velocity."""
    at = len(parts) - 1 - (parts[-1] in ("rate", "acceleration"))
    return (*parts[:at], AXES[k], *parts[at + 1 :])


def _of_matrix(axes: Mat) -> Orientation:
    """Return spatial axes, given as columns, by their x and z."""
    return Orientation("axes", (("x", column(axes, 0)), ("z", column(axes, 2))))
