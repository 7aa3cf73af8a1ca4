"""Names of links and joints in a model: identifiers, one namespace, by one rule.

1. Every character that an identifier cannot have (``-``, ``.``, ``/``, ``:``, a blank) becomes ``_``; a name that begins with a
   digit or with ``_`` gets an ``n`` in front; a reserved word gets ``_`` behind.
2. A joint whose name a link has is called ``NAME_joint``.
3. Two links or two joints that would have the same name are refused.
"""

from __future__ import annotations

import re

from multibody.errors import ModelError
from multibody.files.robots.description import Description, Line
from multibody.model.names import RESERVED

__all__ = ["Names", "identifier"]

_HIDDEN = ("x", "y", "z", "angle", "omega", "rate", "rotation")  # what a frame must not be called


def identifier(name: str) -> str:
    """Return a name as a model takes it (rule 1)."""
    made = re.sub(r"\W", "_", name)
    if not made.isidentifier() or made.startswith("_"):
        made = f"n{made}"
    if not made.isidentifier():  # letters that Python does not take
        made = "n" + re.sub(r"[^0-9A-Za-z_]", "_", made)
    return f"{made}_" if made in RESERVED else made


def frame_name(name: str) -> str:
    """Return a name as a frame of a body takes it."""
    made = identifier(name)
    return f"{made}_" if made in _HIDDEN else made


class Names:
    """The names of one robot in its model.

    Attributes
    ----------
    links, joints : dict
        The model's name of each link and joint.
    taken : dict
        All names of the model, with what has them and where.
    """

    def __init__(self, robot: Description) -> None:
        self.taken: dict[str, tuple[str, Line]] = {}
        self.faults: list[ModelError] = []
        self.links = {link.name: self._claimed("link", link.name, identifier(link.name), link.line) for link in robot.links}
        self.joints: dict[str, str] = {}
        for joint in robot.joints:
            made = identifier(joint.name)
            if made in self.taken and self.taken[made][0].startswith("link"):
                made += "_joint"
            self.joints[joint.name] = self._claimed("joint", joint.name, made, joint.line)

    def _claimed(self, kind: str, name: str, made: str, line: Line) -> str:
        """Return the name, and note a fault where another item has it already."""
        what = f'{kind} "{name}"'
        if made in self.taken:
            other, there = self.taken[made]
            at = f" (line {there.number})" if there.number is not None else ""
            problem = f'{what} and {other}{at} would both be called "{made}"'
            if other == what:
                problem = f"{what} is there twice{f', first in line {there.number}' if there.number is not None else ''}"
            self.faults.append(line.error(problem, "rename one of them"))
        self.taken.setdefault(made, (what, line))
        return made

    def fresh(self, wanted: str) -> str:
        """Return a name for something that the file does not name, with a number behind it where it is taken."""
        made, k = wanted, 2
        while made in self.taken:
            made, k = f"{wanted}_{k}", k + 1
        self.taken[made] = ("", Line())
        return made
