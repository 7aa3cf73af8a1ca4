"""Bodies from files of solids: mass, center of mass, inertia, frames and drawing, as if the user had stated them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from multibody.errors import ModelError, nearest
from multibody.model.expressions import Number
from multibody.model.units import LENGTHS, Units
from multibody.model.values import read_number

if TYPE_CHECKING:
    from multibody.cad.part import Part

PART_KEYS = ("file", "density", "unit")


def stated_by_part(given: Mapping[str, Any], dimension: int, units: Units, beside: Sequence[str], where: str) -> dict[str, Any]:
    """Return the fields of a body with those of its file in place of `file`, `density` and `unit`.

    A model keeps the numbers, not the file: it can be saved, sent and run without it. In the plane the part lies with its x
    and y axes in it, and cylinders along z are frames.

    Parameters
    ----------
    given : mapping
        Fields of a body. With `file` there is at most one of `density` [mass/length³] and `mass`; with neither, only the
        center of mass and the frames are known. Frames of the user go before those of the file.
    dimension : int
    units : Units
        Of the model.
    beside : sequence of str
        The model's own files, in whose folders the file is looked for first.
    where : str
    """
    from multibody.cad.part import as_text, read_part

    fields = {key: value for key, value in given.items() if value is not None}
    file, density, unit = (fields.pop(key, None) for key in PART_KEYS)
    if file is None:
        key = "density" if density is not None else "unit"
        hint = "a density belongs to a shape, or to a file of a solid: file: arm.step" if density is not None else "add file"
        raise ModelError(f"{key} without file", where=where, hint=hint)
    for key in ("inertia", "com"):
        if key in fields:
            raise ModelError(f"file and {key} are both given", where=where, hint=f"the file says the {key}; leave it out")
    if density is not None and "mass" in fields:
        raise ModelError("mass and density are both given", where=where, hint="give one; the other follows from the volume")
    part = read_part(as_text(file, where), beside, where)
    scale = _scale(part, unit, units, where)
    return fields | _masses(part, scale, density, fields.get("mass"), dimension, where) | {
        "com": [float(c) * scale for c in part.center[:dimension]],
        "frames": {**_frames(part, scale, dimension), **_own(fields.get("frames"))},
        "shape": fields.get("shape", _drawn(part, unit, units) if dimension == 3 else None),
    }  # fmt: skip


def _scale(part: Part, unit: Any, units: Units, where: str) -> float:
    """Return the length of 1 of the file in the model's unit; a file that knows none is in the model's."""
    if unit is None:
        return 1.0 if part.unit is None else part.unit / LENGTHS[units.length]
    if part.stated:
        raise ModelError(f'"{part.file}" states its own unit', where=where, hint="leave unit out")
    if unit not in LENGTHS:
        hint = f"{nearest(str(unit), LENGTHS)} It is one of {', '.join(LENGTHS)}".strip()
        raise ModelError(f'unknown unit "{unit}" of length', where=where, hint=hint)
    return LENGTHS[unit] / LENGTHS[units.length]


def _masses(part: Part, scale: float, density: Any, mass: Any, dimension: int, where: str) -> dict[str, Any]:
    """Return mass and inertia, formulas where the density or the mass is one."""
    if density is None and mass is None:
        return {}
    volume = part.volume * scale**3
    stated = read_number(mass if density is None else density, where)
    if isinstance(stated, float) and stated <= 0.0:
        word = "mass" if density is None else "density"
        raise ModelError(f"{word} {stated:g} is not positive", where=where, hint="give a number above zero")
    dense: Number = stated / volume if density is None else stated
    total: Number = stated if density is None else stated * volume
    rows = [[dense * float(entry) for entry in row] for row in part.inertia * scale**5]
    return {"mass": total, "inertia": rows[2][2] if dimension == 2 else rows}


def _frames(part: Part, scale: float, dimension: int) -> dict[str, Any]:
    """Return the axes of cylinders as frames, z along the axis; in the plane those across it, as points."""
    if dimension == 2:
        flat = {name: c for name, c in part.cylinders.items() if abs(c.axis[2]) > 1.0 - 1e-12}
        return {name: [x * scale for x in c.at[:2]] for name, c in flat.items()}
    return {name: {"at": [x * scale for x in c.at], "z": list(c.axis)} for name, c in part.cylinders.items()}


def _own(frames: Any) -> dict[str, Any]:
    """Return the user's frames; what is no mapping is told later."""
    if frames is not None and not isinstance(frames, Mapping):
        raise ModelError("frames are a mapping", hint="write frames: {pin: [x, y]}")
    return dict(frames or {})


def _drawn(part: Part, unit: Any, units: Units) -> dict[str, Any]:
    """Return the shape that draws the file; a mesh is drawn in the file's own unit, else in the model's."""
    own = LENGTHS[units.length] if part.unit is None else part.unit
    scale = 1.0 if unit is None else LENGTHS[unit] / own
    return {"mesh": part.file, **({} if scale == 1.0 else {"scale": scale})}
