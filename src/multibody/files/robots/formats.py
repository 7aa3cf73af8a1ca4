"""Which reader takes which robot file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from multibody.files.robots.options import RobotOptions, read_options
from multibody.model.model import Model

if TYPE_CHECKING:
    from multibody.files.robots.description import Description

__all__ = ["READERS", "read_robot"]

M = TypeVar("M", bound=Model)

READERS: dict[str, str] = {
    ".urdf": "multibody.files.robots.urdf:read_urdf",
    ".sdf": "multibody.files.robots.sdf:read_sdf",
    ".world": "multibody.files.robots.sdf:read_sdf",
    ".xml": "multibody.files.robots.mjcf:read_mjcf",
    ".xacro": "multibody.files.robots.xacro:read_xacro",
}
"""Readers by the endings of files: ``module:function``, imported when one is read.

A reader takes the file, its name for messages and the `RobotOptions`, and returns a `Description`.
"""


def read_robot(file: Path, shown: str, factory: Callable[..., M], given: Mapping[str, Any]) -> M:
    """Return the model of a robot file.

    Parameters
    ----------
    file : Path
        Its ending is one of `READERS`.
    shown : str
        Its name for messages.
    factory : callable
        The class of the model.
    given : mapping
        Options, see `RobotOptions`.
    """
    from multibody.files.robots.lower import lower

    options = read_options(given, shown)
    return lower(describe(file, shown, options), factory, options)


def describe(file: Path, shown: str, options: RobotOptions) -> Description:
    """Return what a robot file says."""
    import importlib

    module, _, function = READERS[file.suffix.lower()].partition(":")
    found: Description = getattr(importlib.import_module(module), function)(file, shown, options)
    return found
