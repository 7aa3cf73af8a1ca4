"""What can be said about how a robot file becomes a model: keywords of `load`, flags of the command line."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from multibody.arguments import short
from multibody.errors import ModelError, nearest

__all__ = ["RobotOptions", "read_options"]

_WORDS = {
    "base": ("file", "fixed", "floating"),
    "inertias": ("refuse", "shapes", "massless"),
    "limits": ("stops", "none"),
    "fixed": ("keep", "merge"),
}


@dataclass(frozen=True)
class RobotOptions:
    """How a robot file becomes a model.

    Attributes
    ----------
    base : {"file", "fixed", "floating"}
        What holds links that no joint carries: as the format has it (URDF: fixed; SDF and MJCF: as stated), or always so.
    fixed : {"keep", "merge"}
        Whether links behind fixed joints stay bodies, or become frames of the body that carries them.
    inertias : {"refuse", "shapes", "massless"}
        What is done about missing and impossible inertias: dynamics refuses them by name, they are taken from shapes and
        meshes with `density`, or these links have no mass.
    density : float
        For ``inertias="shapes"`` [kg/m³].
    limits : {"stops", "none"}
        Whether limits of joints become elastic stops.
    packages : dict
        Folders of ``package://NAME/``; others are looked for around the file.
    loops : str or None
        A YAML file beside a URDF that states its loops.
    """

    base: str = "file"
    fixed: str = "keep"
    inertias: str = "refuse"
    density: float = 1000.0
    limits: str = "stops"
    packages: Mapping[str, str] = field(default_factory=dict)
    loops: str | None = None


def read_options(given: Mapping[str, Any], file: str) -> RobotOptions:
    """Return checked options.

    Parameters
    ----------
    given : mapping
        Keywords of `load`, or ``NAME=VALUE`` of the command line.
    file : str
        For messages.
    """
    known = [item.name for item in fields(RobotOptions)]
    checked: dict[str, Any] = {}
    for name, value in given.items():
        if name not in known:
            hint = f"{nearest(name, known)} A robot file takes {', '.join(known)}.".strip()
            raise ModelError(f'unknown option "{name}"', file=file, hint=hint)
        checked[name] = _checked(name, value, file)
    return RobotOptions(**checked)


def _checked(name: str, value: Any, file: str) -> Any:
    """Return the value of an option."""
    if name in _WORDS:
        if value not in _WORDS[name]:
            raise ModelError(f"{name} is {short(value)}", file=file, hint=f"it is {' or '.join(_WORDS[name])}")
        return value
    if name == "density":
        if isinstance(value, bool) or not isinstance(value, int | float) or not (0.0 < value < math.inf):
            raise ModelError(f"density is {short(value)}", file=file, hint="give a number above zero, in kg/m³")
        return float(value)
    if name == "packages":
        if isinstance(value, str):  # NAME:FOLDER,NAME:FOLDER on the command line
            pairs = [part.partition(":") for part in value.split(",")]
            value = {key.strip(): folder.strip() for key, _, folder in pairs}
        if not isinstance(value, Mapping) or not all(
            isinstance(key, str) and isinstance(item, str | os.PathLike) and os.fspath(item) for key, item in value.items()
        ):
            raise ModelError(f"packages is {short(value)}", file=file, hint="give folders by names of packages")
        return {key: os.fspath(item) for key, item in value.items()}
    if value is not None and not isinstance(value, str | os.PathLike):
        raise ModelError(f"{name} is {short(value)}", file=file, hint="give the path of a YAML file")
    return None if value is None else os.fspath(value)
