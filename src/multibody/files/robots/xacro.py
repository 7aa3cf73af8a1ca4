"""Reading xacro: URDF with macros, which xacrodoc expands."""

from __future__ import annotations

import contextlib
import io
import os
import re
from pathlib import Path

from multibody.errors import ModelError
from multibody.files.robots.description import Description
from multibody.files.robots.markup import parse, read_markup
from multibody.files.robots.options import RobotOptions
from multibody.files.robots.urdf import urdf_description

__all__ = ["read_xacro"]

LEVELS = 5
"""Folders above a file beside which packages may lie."""


def read_xacro(file: Path, shown: str, options: RobotOptions) -> Description:
    """Return the robot of a xacro file; lines in messages are those of the URDF that it expands to.

    ``$(find NAME)`` leads to the packages of the options and to those around the file.
    """
    read_markup(file, shown)  # what no parser should read is refused before another one sees it
    text = _expanded(file, shown, options)
    root = parse(text, shown)
    robot = urdf_description(root, str(file), options)
    robot.file = shown
    return robot


def _expanded(file: Path, shown: str, options: RobotOptions) -> str:
    """Return the URDF that a xacro file stands for."""
    try:
        from xacrodoc import XacroDoc, packages
    except ImportError:
        hint = "python -m pip install 'multibody[xacro]'"
        raise ModelError("xacro files need xacrodoc, which is not installed", file=shown, hint=hint) from None
    for name, folder in {**_around(file), **options.packages}.items():
        packages.update_package_cache({name: os.path.abspath(folder)})
    try:
        with contextlib.redirect_stderr(io.StringIO()):  # what xacro warns of is no word to users
            text: str = XacroDoc.from_file(str(file)).to_urdf_string(use_protocols=False)
    except Exception as error:  # whatever xacro and the expressions in the file raise
        words = re.sub(r"<class '[^']*'>: ", "", str(error)).strip().splitlines()
        said = words[0][:200] if words else type(error).__name__
        raise ModelError(f"it cannot be expanded ({said})", file=shown, hint="check its macros and packages") from None
    return text


def _around(file: Path) -> dict[str, str]:
    """Return the folders around a file that can be packages, by their names: the nearest of each name."""
    found: dict[str, str] = {}
    for level, above in enumerate(file.resolve().parents):
        found.setdefault(above.name, str(above))
        if level < LEVELS:
            for child in sorted(above.iterdir()):
                if child.is_dir():
                    found.setdefault(child.name, str(child))
    return found
