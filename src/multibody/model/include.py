"""Sub-mechanisms: a whole model put into another one under a prefix, moved and turned as one rigid drawing.

First every name gets the prefix. Then the drawing is moved: poses, ground frames, places and axes of joints are stated
in ground, so they change; what is stated in the axes of a body or a frame stays. Joint coordinates keep their values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from multibody.errors import ModelError
from multibody.model.expressions import Expression, Number, children, postorder
from multibody.model.expressions.tree import with_children
from multibody.model.forces import Force
from multibody.model.geometry import Frame, Orientation, read_frame
from multibody.model.joints import Joint
from multibody.model.model import Guess, Model
from multibody.model.place import Pose, place
from multibody.model.shapes import Shape
from multibody.model.values import read_number

_GROUPS = (
    "parameters", "tables", "ground_frames", "bodies", "joints", "forces", "motions", "initials", "guesses",
    "outputs", "output_units", "events",
)  # fmt: skip
_OF_BODIES = ("mass", "inertia", "com", "shape", "at", "orientation")


def include(model: Model, other: Model, prefix: str, at: Any = None, **orientation: Any) -> None:
    """Put a copy of another model into a model.

    Gravity and the options of verbs are the including model's own. Where the copy is placed, what it hangs on the
    ground by frames is hung on ground frames called prefix + ``origin`` and prefix + frame.

    Parameters
    ----------
    model : Model
        The model that grows; it stays as it is if the copy does not fit.
    other : Model
        What is copied: parameters, tables, ground frames, bodies, joints, forces, motions, initial values, guesses,
        outputs and events. It is not changed.
    prefix : str
        Begins the name of everything copied, also in formulas and paths: ``left_``.
    at : vector, optional
        Where the origin of its ground comes to lie, in ground [length]; formulas of the including model's parameters.
    **orientation
        How its ground axes come to lie; any form of a frame.
    """
    where = f"include.{prefix}"
    if not isinstance(prefix, str) or not f"{prefix}a".isidentifier() or not prefix or prefix.startswith("_"):
        raise ModelError(f"{prefix!r} is not a prefix", where=where, hint="it begins names: left_")
    if other.dimension != model.dimension:
        hint = f"this model has dimension {model.dimension}"
        raise ModelError(f'"{other.name}" has dimension {other.dimension}', where=where, hint=hint)
    if other.units != model.units:
        raise ModelError(f'"{other.name}" has other units', where=where, hint="give both the same units")
    pose = Pose(model, read_frame({"at": at, **orientation}, model.dimension, where), where)
    part = _Renaming(other, prefix, rehang=pose.moves).copy()
    if pose.moves:
        place(part, pose)
    _merge(model, part, where)


def _merge(model: Model, part: Model, where: str) -> None:
    """Move everything of a part into the model, or nothing if a name is taken."""
    for name in [*part.all_names(), *part.events]:
        model._claim(name, where)
    for name in part.ground_frames:
        if name in model.ground_frames:
            raise ModelError(f'the ground has a frame "{name}" already', where=where, hint="choose another prefix")
    for group in _GROUPS:
        getattr(model, group).update(getattr(part, group))


class _Renaming:
    """Makes a copy of a model in which every name has a prefix.

    Parameters
    ----------
    other : Model
    prefix : str
    rehang : bool
        Whether the ground's origin becomes a frame of its own, so that it can be moved.
    """

    def __init__(self, other: Model, prefix: str, *, rehang: bool) -> None:
        self.other, self.prefix, self.rehang = other, prefix, rehang
        self.names = {*other.all_names(), *other.events}
        self.hung = False  # whether something hangs on the ground's origin

    def copy(self) -> Model:
        """Return the renamed model."""
        other = self.other
        part = Model(other.name, other.dimension, None, other.units)
        new, value = self.prefix.__add__, self.value
        part.parameters = {new(k): replace(p, name=new(k), value=value(p.value)) for k, p in other.parameters.items()}
        part.tables = {new(k): replace(table, name=new(k)) for k, table in other.tables.items()}
        part.ground_frames = {new(k): value(frame) for k, frame in other.ground_frames.items()}
        for name, body in other.bodies.items():
            fields = {key: value(getattr(body, key)) for key in _OF_BODIES}
            frames = {key: value(frame) for key, frame in body.frames.items()}
            part.bodies[new(name)] = replace(body, name=new(name), frames=frames, **fields)
        part.joints = {new(k): self._joint(joint) for k, joint in other.joints.items()}
        part.forces = {new(k): self._force(force) for k, force in other.forces.items()}
        part.motions = {self.text(k): value(formula) for k, formula in other.motions.items()}
        part.initials = {self.text(k): value(item) for k, item in other.initials.items()}
        part.guesses = {self.text(k): Guess(value(g.value), value(g.weight)) for k, g in other.guesses.items()}
        part.outputs = {new(k): value(formula) for k, formula in other.outputs.items()}
        part.output_units = {new(k): unit for k, unit in other.output_units.items()}
        part.events = {new(k): {key: value(v) for key, v in event.items()} for k, event in other.events.items()}
        if self.hung:
            part.ground_frames[new("origin")] = Frame((0.0,) * other.dimension)
        return part

    def _joint(self, joint: Joint) -> Joint:
        """Rename a joint; in place and on wheels the ground stays the ground, elsewhere its origin may move."""
        hangs = joint.at is None and joint.kind.relation != "gear"
        ends = [self.text(end) if hangs or not _on_ground(end) else end for end in (joint.first, joint.second)]
        fields = {key: self.value(item) for key, item in joint.fields.items()}
        carrier = fields.get("carrier")
        if carrier is not None and not _on_ground(carrier):
            fields["carrier"] = self.text(carrier)
        name = self.prefix + joint.name
        return replace(joint, name=name, first=ends[0], second=ends[1], at=self.value(joint.at), fields=fields)

    def _force(self, force: Force) -> Force:
        target = tuple(self.text(item) for item in force.target)
        if force.on_expression:
            target = (str(self.value(read_number(force.target[0], f"forces.{force.name}"))),)
        fields = {key: self.value(item) for key, item in force.fields.items()}
        return replace(force, name=self.prefix + force.name, target=target, fields=fields)

    def text(self, path: str) -> str:
        """Rename a path or an end written as text; an empty one (of a coupler) stays."""
        return ".".join(self.path(tuple(path.split(".")))) if path else path

    def path(self, parts: tuple[str, ...]) -> tuple[str, ...]:
        """Rename a path."""
        if parts[0] in self.names:
            return (self.prefix + parts[0], *parts[1:])
        if parts[0] != "ground":
            return parts
        rest = parts[1:]
        if rest and rest[0] in self.other.ground_frames:
            return ("ground", self.prefix + rest[0], *rest[1:])
        if not self.rehang:
            return parts
        self.hung = True
        return ("ground", f"{self.prefix}origin", *(rest[1:] if rest and rest[0] in ("origin", "com") else rest))

    def formula(self, formula: Expression) -> Expression:
        """Rename the names and tables of a formula; nothing else of it changes."""
        done: dict[int, Expression] = {}
        for node in postorder(formula):
            new = with_children(node, [done[id(child)] for child in children(node)])
            if node.op == "name":
                new = Expression("name", self.path(node.args), node.span, node.text)
            elif node.op in ("call", "table") and node.args[0] in self.other.tables:
                new = Expression(node.op, (self.prefix + node.args[0], *new.args[1:]), node.span, node.text)
            done[id(node)] = new
        return done[id(formula)]

    def value(self, value: Any) -> Any:
        """Rename inside the value of a field."""
        return mapped(value, self.formula)


def _on_ground(end: str) -> bool:
    return end.split(".")[0] == "ground"


def mapped(value: Any, change: Callable[[Expression], Number]) -> Any:
    """Return the value of a field with all its formulas changed."""
    if isinstance(value, Expression):
        return change(value)
    if isinstance(value, tuple | list):
        return type(value)(mapped(item, change) for item in value)
    if isinstance(value, Orientation):
        return replace(value, numbers=mapped(value.numbers, change))
    if isinstance(value, Frame):
        return Frame(mapped(value.at, change), mapped(value.orientation, change))
    if isinstance(value, Shape):
        fields = {key: mapped(item, change) for key, item in value.fields.items()}
        return replace(value, value=mapped(value.value, change), fields=fields)
    return value
