"""Frames and orientations as the user gives them: a point and at most one way to say how the axes lie."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

from multibody.errors import ModelError, nearest
from multibody.model.expressions import Expression, Number
from multibody.model.values import NumberLike, Vector, VectorLike, is_zero, read_number, read_vector, write_value


class Orienting(TypedDict, total=False):
    """How axes lie, one form of it: `angle` in the plane; in space `z` and/or `x` (the first given is kept), or another."""

    angle: NumberLike | None
    x: VectorLike | None
    z: VectorLike | None
    quaternion: VectorLike | None
    rotvec: VectorLike | None
    rpy: VectorLike | None
    euler: Mapping[str, VectorLike] | None
    rotation: Any


ORIENTATION_KEYS = tuple(Orienting.__annotations__)


@dataclass(frozen=True)
class Orientation:
    """How axes lie: the form the user chose and its numbers.

    Attributes
    ----------
    form : str
        ``angle`` (planar, rad), ``axes`` (z and/or x), ``quaternion`` (w, x, y, z), ``rotvec`` (rad), ``rpy`` (rad) or
        ``euler``.
    numbers : tuple
        The numbers of that form; for ``axes`` the pairs (letter, vector) in the order given.
    sequence : str
        For ``euler``: the letters, lower case about fixed axes, upper case about moving ones.
    """

    form: str
    numbers: tuple[Any, ...]
    sequence: str = ""

    def plain(self) -> dict[str, Any]:
        """Return the keys and values a file has for it."""
        if self.form == "axes":
            return {letter: write_value(vector) for letter, vector in self.numbers}
        if self.form == "angle":
            return {"angle": write_value(self.numbers[0])}
        if self.form == "euler":
            return {"euler": {self.sequence: write_value(self.numbers)}}
        return {self.form: write_value(self.numbers)}


@dataclass(frozen=True)
class Frame:
    """A point and axes, in the axes of its body [length]."""

    at: Vector
    orientation: Orientation | None = None

    def plain(self) -> Any:
        """Return a list for a bare point, else a mapping."""
        if self.orientation is None:
            return write_value(self.at)
        return {"at": write_value(self.at), **self.orientation.plain()}


def read_orientation(given: Mapping[str, Any], dimension: int, where: str) -> Orientation | None:
    """Return the orientation among the given keys, None if there is none; more than one form is an error."""
    keys = [key for key in given if given[key] is not None]
    for key in keys:
        if key not in ORIENTATION_KEYS:
            hint = nearest(key, ("at", *ORIENTATION_KEYS)) or f"it takes at and one of {', '.join(ORIENTATION_KEYS)}"
            raise ModelError(f'unknown field "{key}"', where=where, hint=hint)
    if not keys:
        return None
    if dimension == 2:
        if keys != ["angle"]:
            raise ModelError(
                f'"{keys[0]}" needs dimension 3', where=where, hint="in the plane an orientation is `angle`"
            )
        return Orientation("angle", (read_number(given["angle"], where),))
    if set(keys) <= {"x", "z"}:
        return _read_axes(keys, given, where)
    if len(keys) > 1:
        raise ModelError(f"two orientations, {keys[0]} and {keys[1]}", where=where, hint="give only one")
    return _read_spatial(keys[0], given[keys[0]], where)


def _read_axes(keys: list[str], given: Mapping[str, Any], where: str) -> Orientation:
    """Return the form `z` and/or `x`, in the order given."""
    pairs = []
    for key in keys:
        vector = read_vector(given[key], 3, where)
        if is_zero(vector):
            raise ModelError(f"the axis {key} is zero", where=where, hint="an axis may have any length but zero")
        pairs.append((key, vector))
    return Orientation("axes", tuple(pairs))


def _read_spatial(key: str, value: Any, where: str) -> Orientation:
    """Return one of the forms quaternion, rotvec, rpy, euler, or a SciPy rotation."""
    if key == "angle":
        raise ModelError(
            '"angle" needs dimension 2', where=where, hint="in space give z, x, quaternion, rotvec, rpy or euler"
        )
    if key == "rotation":
        if hasattr(value, "as_quat"):
            x, y, z, w = (float(c) for c in value.as_quat())
            return Orientation("quaternion", (w, x, y, z))
        if isinstance(value, Mapping):
            inner = read_orientation(value, 3, where)
            if inner is not None:
                return inner
        if isinstance(value, list | tuple) and len(value) == 4:
            return _read_spatial("quaternion", value, where)
        raise ModelError(
            "this is not a rotation", where=where, hint="give {quaternion: [w, x, y, z]}, {rpy: [..]} or the like"
        )
    if key == "euler":
        if not isinstance(value, Mapping) or len(value) != 1:
            raise ModelError(
                "euler takes a sequence and three angles", where=where, hint="write euler: {zxz: [a, b, c]}"
            )
        sequence, angles = next(iter(value.items()))
        if not (sequence.islower() or sequence.isupper()) or len(sequence) != 3 or set(sequence.lower()) - set("xyz"):
            raise ModelError(
                f'"{sequence}" is not a sequence', where=where, hint="three letters, all lower or all upper case"
            )
        return Orientation("euler", _components(angles, 3, where), sequence)
    numbers = _components(value, 4 if key == "quaternion" else 3, where)
    if key == "quaternion" and all(isinstance(c, float) and c == 0.0 for c in numbers):
        raise ModelError("the quaternion is zero", where=where, hint="give [w, x, y, z] of any length but zero")
    return Orientation(key, numbers)


def _components(value: Any, count: int, where: str) -> tuple[Number, ...]:
    """Return exactly `count` numbers."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if not isinstance(value, list | tuple) or len(value) != count:
        raise ModelError(f"{count} numbers are needed", where=where, hint="angles are in radians (30*deg)")
    return tuple(read_number(item, where) for item in value)


def read_frame(value: Any, dimension: int, where: str) -> Frame:
    """Return a frame from a bare point, a formula, a mapping with `at` and an orientation, or a frame."""
    if isinstance(value, Frame):
        return value
    if isinstance(value, Mapping):
        given = dict(value)
        at = given.pop("at", None)
        point: Vector = (0.0,) * dimension if at is None else read_vector(at, dimension, where)
        return Frame(point, read_orientation(given, dimension, where))
    if isinstance(value, Expression) or not isinstance(value, bool):
        return Frame(read_vector(value, dimension, where))
    raise ModelError(f"{value!r} is not a frame", where=where, hint="give a point or {at: [..], ...}")
