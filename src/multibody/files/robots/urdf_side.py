"""Loops of a URDF in a YAML file beside it (arXiv 2504.04767).

``closed_loop: [[frame, frame], ...]`` with ``type: [6d, 3d, ...]`` holds frames together, which are links or joints of the
URDF; ``joint_name`` and ``joint_type`` make joints of it SPHERICAL, CARDAN or FIXED. ``name_mot`` names motors, which are not
carried over.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from multibody.errors import nearest
from multibody.files.document import Document, read_plain
from multibody.files.robots.description import Description, Joint, Line
from multibody.files.yaml12 import read_yaml

__all__ = ["read_side_file"]

_KINDS = {"3d": "ball", "6d": "fixed"}
_CHANGES = {"SPHERICAL": "ball", "CARDAN": "universal", "FIXED": "fixed"}
_KEYS = ("closed_loop", "type", "joint_name", "joint_type", "name_mot", "rotor_inertia", "gear_ratio")


def read_side_file(name: str, robot: Description) -> None:
    """Add the loops that a YAML file states.

    Parameters
    ----------
    name : str
        Its path, as such or beside the URDF.
    robot : Description
        Whose tree is read.
    """
    beside = Path(robot.files[0]).parent / name
    file = Path(name) if Path(name).is_file() or not beside.is_file() else beside
    try:
        text = read_plain(file, name).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = "there is no such file" if isinstance(error, FileNotFoundError) else "it cannot be read as UTF-8"
        raise Line(name).error(reason, "check loops=") from None
    document = read_yaml(text, name)
    _Side(document, robot).read()
    robot.files.append(str(file))


class _Side:
    """Reads one side file."""

    def __init__(self, document: Document, robot: Description) -> None:
        self.document, self.robot = document, robot
        self.data: Any = document.data

    def line(self, *path: str | int) -> Line:
        """Return the line of an entry."""
        return Line(self.document.file, self.document.line(path))

    def read(self) -> None:
        """Add what it states."""
        if not isinstance(self.data, dict) or "closed_loop" not in self.data:
            raise self.line().error("it states no loops", "write closed_loop: [[frame, frame]]")
        for key in self.data:
            if key not in _KEYS:
                raise self.line(key).error(f'unknown key "{key}"', nearest(str(key), _KEYS) or f"keys are {', '.join(_KEYS)}")
        for key, what in (("name_mot", "motor"), ("rotor_inertia", "rotor inertia"), ("gear_ratio", "gear ratio")):
            for name in self.listed(key):
                self.robot.skip(what, name if isinstance(name, str) else "")
        self.changes()
        kinds = self.listed("type")
        for k, pair in enumerate(self.listed("closed_loop")):
            self.loop(k, pair, str(kinds[k]).lower() if k < len(kinds) else "6d")

    def listed(self, key: str) -> list[Any]:
        """Return a list of the file, empty where there is none."""
        value = self.data.get(key)
        if value is not None and not isinstance(value, list):
            raise self.line(key).error(f"{key} is no list", f"write {key}: [...]")
        return value or []

    def changes(self) -> None:
        """Make joints of the URDF others."""
        joints = {joint.name: joint for joint in self.robot.joints}
        kinds = self.listed("joint_type")
        for k, name in enumerate(self.listed("joint_name")):
            kind = str(kinds[k]).upper() if k < len(kinds) else ""
            if name not in joints:
                raise self.line("joint_name", k).error(f'there is no joint "{name}"', nearest(str(name), joints))
            if kind not in _CHANGES:
                raise self.line("joint_type").error(f'joint "{name}" has the type "{kind}"', f"it is {', '.join(_CHANGES)}")
            joint: Joint = joints[name]
            joint.kind, joint.lower, joint.upper = _CHANGES[kind], None, None
            joint.axis, joint.axis2 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)) if kind == "CARDAN" else (None, None)

    def loop(self, k: int, pair: Any, kind: str) -> None:
        """Add one loop."""
        line = self.line("closed_loop", k)
        if not isinstance(pair, list) or len(pair) != 2:
            raise line.error("a loop is two frames", "write closed_loop: [[frame, frame]]")
        if kind not in _KINDS:
            raise self.line("type").error(f'the type of a loop is "{kind}"', "it is 3d or 6d")
        first, second = (self.link(name, line) for name in pair)
        if first == second:
            raise line.error(f'the loop joins link "{first}" with itself', "name frames of two links")
        self.robot.joints.append(Joint(f"loop{k + 1}", _KINDS[kind], first, second, closes=True, line=line))

    def link(self, name: Any, line: Line) -> str:
        """Return the link whose axes a frame is: a link, or the child of a joint."""
        joints = {joint.name: joint.child for joint in self.robot.joints if not joint.closes}
        links = {link.name for link in self.robot.links}
        if name in links:
            return str(name)
        child = joints.get(name)
        if child is None:
            raise line.error(f'there is no link or joint "{name}"', nearest(str(name), [*links, *joints]))
        return child
