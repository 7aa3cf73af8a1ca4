"""MJCF, the format of MuJoCo: MuJoCo itself reads and compiles the file, and what it made of it becomes a description.

So defaults, classes, includes, attachments, units of angles, frames and inertias from geoms are as MuJoCo has them.
"""

from __future__ import annotations

from pathlib import Path

from multibody.files.robots.description import Description
from multibody.files.robots.mjcf.compiled import Compiled, compile_file
from multibody.files.robots.mjcf.left_out import note_left_out
from multibody.files.robots.mjcf.loops import add_equalities
from multibody.files.robots.mjcf.tree import add_bodies
from multibody.files.robots.options import RobotOptions

__all__ = ["read_mjcf"]


def read_mjcf(file: Path, shown: str, options: RobotOptions) -> Description:
    """Return the robot of a ``.xml`` file: of MuJoCo, or a URDF with this ending.

    Raises
    ------
    ModelError
        If MuJoCo does not take the file, in its words and with the line that it names; if the file declares a document
        type or entities; if mujoco-core is not installed.
    """
    from multibody.files.robots.markup import read_markup

    root = read_markup(file, shown)
    if root.tag == "robot":
        from multibody.files.robots.urdf import read_urdf

        return read_urdf(file, shown, options)
    if root.tag == "mujocoinclude":
        raise root.error("it is a part that other files include", "name the file that includes it")
    if root.tag != "mujoco":
        raise root.error(f"<{root.tag}> is no robot", "an .xml file begins with <mujoco>, or with <robot> if it is a URDF")
    return describe(compile_file(file, root, shown), options)


def describe(compiled: Compiled, options: RobotOptions) -> Description:
    """Return the description of a compiled model."""
    robot = Description(compiled.title, compiled.shown, gravity=compiled.gravity(), files=list(compiled.files))
    add_bodies(compiled, robot, options)
    add_equalities(compiled, robot)
    note_left_out(compiled, robot)
    return robot
