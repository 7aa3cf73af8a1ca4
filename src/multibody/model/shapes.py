"""Shapes: simple solids that give a body its mass, center of mass and inertia where they are not stated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from multibody.errors import ModelError, nearest
from multibody.model.expressions import Number
from multibody.model.geometry import ORIENTATION_KEYS, read_orientation
from multibody.model.values import Vector, is_zero, read_number, read_vector, write_value

# what each kind of shape takes beside `mass` and `density`: its own value, and further keys
SHAPES: dict[str, tuple[str, tuple[str, ...]]] = {
    "rod": ("two points", ("radius",)),
    "cylinder": ("two points on its axis", ("radius",)),
    "box": ("its edge lengths", ("at",)),
    "sphere": ("its center", ("radius",)),
    "disk": ("its center", ("radius", "thickness", "axis")),
    "point": ("its place", ()),
    "mesh": ("a file, for drawing only", ("scale", "at")),
}
TURNED = ("box", "mesh")  # kinds that take an orientation too: their own axes in those of the body


@dataclass(frozen=True)
class Shape:
    """One solid.

    Attributes
    ----------
    kind : str
        ``rod``, ``cylinder``, ``box``, ``sphere``, ``disk``, ``point`` or ``mesh``.
    value : tuple
        Points, edge lengths or a file name, as the kind has them [length].
    fields : dict
        ``radius``, ``thickness``, ``at``, ``axis``, ``scale``, ``mass``, ``density``; ``orientation`` of boxes and meshes.
    """

    kind: str
    value: Any
    fields: dict[str, Any]

    def plain(self) -> dict[str, Any]:
        """Return the mapping a file has for it."""
        data = {self.kind: write_value(self.value)}
        for key, value in self.fields.items():
            data |= value.plain() if key == "orientation" else {key: write_value(value)}
        return data


def read_shape(value: Any, dimension: int, where: str) -> tuple[Shape, ...]:
    """Return the shapes of a body: one mapping or a list of them."""
    if isinstance(value, Shape):
        return (value,)
    if isinstance(value, Mapping):
        return (_read_one(value, dimension, where),)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(shape for item in value for shape in read_shape(item, dimension, where))
    raise ModelError(f"{value!r} is not a shape", where=where, hint="write shape: {rod: [P, Q], radius: r}")


def _read_one(given: Mapping[str, Any], dimension: int, where: str) -> Shape:
    """Return one shape from its mapping."""
    kinds = [key for key in given if key in SHAPES]
    if len(kinds) != 1:
        words = ", ".join(SHAPES)
        first = next(iter(given), "")
        raise ModelError(
            "a shape has one kind", where=where, hint=f"{nearest(first, SHAPES)} It is one of {words}".strip()
        )
    kind = kinds[0]
    allowed = (*SHAPES[kind][1], "mass", "density", "depth", *(ORIENTATION_KEYS if kind in TURNED else ()))
    fields: dict[str, Any] = {}
    turn = {key: item for key, item in given.items() if key in ORIENTATION_KEYS and key in allowed}
    for key, item in given.items():
        if key == kind or key in turn:
            continue
        if key not in allowed:
            raise ModelError(
                f'unknown field "{key}"',
                where=where,
                hint=nearest(key, allowed) or f"{kind} takes {', '.join(allowed)}",
            )
        if key == "scale" and isinstance(item, list | tuple):
            fields[key] = _scales(item, dimension, where)
        else:
            fields[key] = read_vector(item, dimension, where) if key in ("at", "axis") else _positive(item, where, key)
    orientation = read_orientation(turn, dimension, where)
    if orientation is not None:
        fields["orientation"] = orientation
    shape = Shape(kind, _value(kind, given[kind], dimension, where), fields)
    if kind in ("sphere", "disk", "cylinder") and "radius" not in fields:
        raise ModelError(f"{kind} without radius", where=where, hint="add radius: r")
    if kind == "point" and "mass" not in fields:
        raise ModelError("a point needs its mass", where=where, hint="write {point: [..], mass: m}")
    return shape


def _scales(value: Any, dimension: int, where: str) -> Vector:
    """Return the scale along each axis; one below zero mirrors."""
    scales = read_vector(value, dimension, where)
    if isinstance(scales, tuple) and any(is_zero((scale,)) for scale in scales):
        raise ModelError("a scale is zero", where=where, hint="give numbers that are not zero")
    return scales


def _positive(value: Any, where: str, key: str) -> Number:
    """Return a number that is not negative."""
    number = read_number(value, where)
    if isinstance(number, float) and number < 0.0:
        raise ModelError(f"{key} {number:g} is negative", where=where, hint="give a number above zero")
    return number


def _value(kind: str, value: Any, dimension: int, where: str) -> Any:
    """Return the shape's own value."""
    if kind == "mesh":
        return str(value)
    if kind in ("rod", "cylinder"):
        if isinstance(value, str) or not isinstance(value, Sequence) or len(value) != 2:
            raise ModelError(f"{kind} takes two points", where=where, hint=f"write {kind}: [P, Q]")
        ends: tuple[Vector, ...] = tuple(read_vector(item, dimension, where) for item in value)
        return ends
    return read_vector(value, dimension, where)
