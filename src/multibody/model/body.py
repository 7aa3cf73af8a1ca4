"""Bodies: mass properties and named frames in the author's axes, and the pose they are drawn in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from multibody.arguments import no_attribute
from multibody.errors import ModelError, nearest
from multibody.model.expressions import Expression, Number, name
from multibody.model.fixed import ReadOnly, fixed
from multibody.model.geometry import ORIENTATION_KEYS, Frame, Orientation, read_frame, read_orientation
from multibody.model.names import check_name, unknown
from multibody.model.parts import PART_KEYS, stated_by_part
from multibody.model.shapes import Shape, read_shape
from multibody.model.units import Units
from multibody.model.values import Vector, read_number, read_vector, write_value

Inertia = Number | tuple[Any, ...]
BODY_KEYS = ("mass", "inertia", "com", "frames", "shape", "at", *PART_KEYS)


@dataclass(frozen=True)
class FrameReference:
    """A frame of a body, as an end of a joint: ``crank["pin"]``."""

    reference: str

    def __str__(self) -> str:
        return self.reference


@fixed("bodies")
@dataclass(frozen=True)
class Body:
    """A rigid body.

    Attributes
    ----------
    name : str
    mass : number or None
        [mass]; None: not stated.
    inertia : number (planar), three numbers or a 3×3 matrix (spatial), or None
        About the center of mass, in body axes; off-diagonals are tensor entries, −∫xy dm [mass·length²].
    com : vector or None
        Center of mass in the author's axes; None: from the shape, else the origin [length].
    frames : dict of Frame
    shape : tuple of Shape
    at : vector or None
        Drawn position of the origin in ground [length].
    orientation : Orientation or None
        Drawn orientation in ground.
    """

    name: str
    mass: Number | None = None
    inertia: Inertia | None = None
    com: Vector | None = None
    frames: dict[str, Frame] = field(default_factory=dict)
    shape: tuple[Shape, ...] = ()
    at: Vector | None = None
    orientation: Orientation | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "frames", ReadOnly(self.frames, f"bodies.{self.name}"))

    @property
    def reference(self) -> str:
        """The body as an end of a joint: its origin."""
        return self.name

    def __getitem__(self, frame: str) -> FrameReference:
        """Return a frame as an end: ``body["pin"]``."""
        if frame not in ("origin", "com") and frame not in self.frames:
            raise unknown("frame", frame, ["origin", "com", *self.frames], f"bodies.{self.name}")
        return FrameReference(f"{self.name}.{frame}")

    def __getattr__(self, attribute: str) -> Expression:
        """Return a path as an expression: ``body.x``, ``body.angle``."""
        if attribute.startswith("_"):  # asked for by copy and pickle before there is a name
            raise AttributeError(attribute)
        if attribute in ("x", "y", "z", "angle"):
            return name(self.name, attribute)
        no_attribute("a body", attribute, [*(f.name for f in fields(self)), "x", "y", "z", "angle"], f"bodies.{self.name}")

    def plain(self) -> dict[str, Any]:
        """Return the mapping a file has for it."""
        data: dict[str, Any] = {}
        for key in ("mass", "inertia", "com"):
            if getattr(self, key) is not None:
                data[key] = write_value(getattr(self, key))
        if self.frames:
            data["frames"] = {key: frame.plain() for key, frame in self.frames.items()}
        if self.shape:
            shapes = [shape.plain() for shape in self.shape]
            data["shape"] = shapes[0] if len(shapes) == 1 else shapes
        if self.at is not None:
            data["at"] = write_value(self.at)
        return data | (self.orientation.plain() if self.orientation else {})


def read_frames(given: Mapping[str, Any] | None, dimension: int, where: str) -> dict[str, Frame]:
    """Return checked frames by name."""
    if given is not None and not isinstance(given, Mapping):
        raise ModelError("frames are a mapping", where=where, hint="write frames: {pin: [x, y]}")
    frames = {}
    for key, value in (given or {}).items():
        place = f"{where}.frames.{key}"
        if key in ("x", "y", "z", "angle", "omega", "rate", "rotation"):
            raise ModelError(f'"{key}" would hide a path', where=place, hint="choose another name for the frame")
        frames[check_name(key, place)] = read_frame(value, dimension, place)
    return frames


def make_body(
    body_name: str, dimension: int, *, mass: Any = None, inertia: Any = None, com: Any = None, frames: Any = None,
    shape: Any = None, at: Any = None, file: Any = None, density: Any = None, unit: Any = None, units: Units | None = None,
    beside: Sequence[str] = (), **orientation: Any,
) -> Body:  # fmt: skip
    """Return a checked body; see :class:`Body` for the arguments, and `stated_by_part` for those of a file of a solid."""
    where = f"bodies.{body_name}"
    if file is not None or density is not None or unit is not None:
        given = {"mass": mass, "inertia": inertia, "com": com, "frames": frames, "shape": shape} | orientation
        part = {"file": file, "density": density, "unit": unit}
        stated = stated_by_part(given | part, dimension, units or Units(), beside, where)
        return make_body(body_name, dimension, at=at, **stated)
    for key in orientation:
        if key not in ORIENTATION_KEYS:
            hint = nearest(key, (*BODY_KEYS, *ORIENTATION_KEYS)) or f"a body takes {', '.join(BODY_KEYS)} and an orientation"
            raise ModelError(f'unknown field "{key}"', where=where, hint=hint)
    number = None if mass is None else read_number(mass, where)
    if isinstance(number, float) and number < 0.0:
        raise ModelError(f"mass {number:g} is negative", where=where, hint="a mass is zero or above")
    return Body(
        body_name,
        number,
        None if inertia is None else read_inertia(inertia, dimension, where),
        None if com is None else read_vector(com, dimension, where),
        read_frames(frames, dimension, where),
        () if shape is None else read_shape(shape, dimension, where),
        None if at is None else read_vector(at, dimension, where),
        read_orientation(orientation, dimension, where),
    )


def read_inertia(value: Any, dimension: int, where: str) -> Inertia:
    """Return a planar number, three principal moments or a symmetric 3×3 matrix."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if dimension == 2:
        if isinstance(value, list | tuple):
            raise ModelError(
                "inertia has several numbers", where=where, hint="a planar body has one, about its center of mass"
            )
        number = read_number(value, where)
        if isinstance(number, float) and number < 0.0:
            raise ModelError(f"inertia {number:g} is negative", where=where, hint="an inertia is zero or above")
        return number
    if not isinstance(value, list | tuple) or len(value) != 3:
        hint = "give three principal moments or a 3×3 matrix; the order of six loose numbers is not standard"
        raise ModelError("this is no spatial inertia", where=where, hint=hint)
    nested = [isinstance(row, list | tuple) for row in value]
    if any(nested) and not all(nested):
        raise ModelError("rows and numbers are mixed", where=where, hint="give three numbers, or three rows of three")
    if not any(nested):
        return tuple(read_number(item, where) for item in value)
    rows = tuple(read_vector(row, 3, where) for row in value)
    for i in range(3):
        for j in range(i):
            a, b = rows[i][j], rows[j][i]  # type: ignore[index]
            if isinstance(a, float) and isinstance(b, float) and abs(a - b) > 1e-9 * max(abs(a), abs(b)):
                raise ModelError(
                    "the inertia matrix is not symmetric", where=where, hint=f"entries {a:g} and {b:g} differ"
                )
    return rows
