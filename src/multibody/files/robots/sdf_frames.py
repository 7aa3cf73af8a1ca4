"""Poses in SDF: which frame a pose is relative to, and on which link a frame lies.

Frames of a model are its links, joints, ``<frame>`` elements and nested models; ``__model__`` is its own. Names of nested
models stand in front, with ``::``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import cast

import numpy as np

from multibody.errors import nearest
from multibody.files.robots.markup import Element
from multibody.files.robots.pose import Pose
from multibody.model.matrices import quaternion_matrix

__all__ = ["Scope", "read_pose"]

MODEL, WORLD = "__model__", "world"


def read_pose(element: Element) -> Pose:
    """Return the numbers of a ``<pose>``: a point with roll, pitch, yaw (also in degrees), or with a quaternion."""
    if not element.text.strip():
        return Pose()
    if element.get("rotation_format") == "quat_xyzw":
        *point, x, y, z, w = element.text_numbers(7)
        if not any((w, x, y, z)):
            raise element.error("the quaternion of <pose> is zero", "no rotation is 0 0 0 1")
        return Pose(point, np.array(quaternion_matrix((w, x, y, z)), dtype=float))
    at, angles = (values := element.text_numbers(6))[:3], values[3:]
    degrees = element.get("degrees") in ("true", "1")
    return Pose(at, rpy=tuple(math.radians(a) for a in angles) if degrees else angles)


@dataclass
class Scope:
    """The frames of one model, or of the world.

    Attributes
    ----------
    element : Element
        ``<model>`` or ``<world>``.
    prefix : str
        In front of the names of its links: ``arm::``.
    parent : Scope or None
        Of the model or world that it stands in.
    place : Pose
        Of the model's frame in the world.
    models : dict of Scope
        Nested ones.
    """

    element: Element
    prefix: str = ""
    parent: Scope | None = None
    place: Pose = field(default_factory=Pose)
    static: bool = False
    models: dict[str, Scope] = field(default_factory=dict)
    _poses: dict[str, Pose] = field(default_factory=dict)
    _pending: list[str] = field(default_factory=list)

    def elements(self) -> dict[str, Element]:
        """Return the links, joints and frames by their names."""
        return {child.get("name"): child for child in self.element.all("frame", "joint", "link")}

    # --- poses --------------------------------------------------------------------------------------------------------
    def pose(self, name: str, user: Element) -> Pose:
        """Return the pose of a frame in this model's."""
        if name in ("", MODEL) or (name == WORLD and self.parent is None):
            return Pose()
        if name == WORLD:
            return self.place.inverse()
        if name in self._poses:
            return self._poses[name]
        if name in self._pending:
            circle = " → ".join((*self._pending[self._pending.index(name) :], name))
            raise user.error(f"the frames are relative to each other ({circle})", "break the circle")
        self._pending.append(name)
        try:
            self._poses[name] = self._found(name, user)
        finally:
            self._pending.pop()
        return self._poses[name]

    def _found(self, name: str, user: Element) -> Pose:
        """Return the pose of a frame that is asked for the first time."""
        head, _, rest = name.partition("::")
        if head in self.models:
            nested = self.models[head]
            return self.place.inverse() @ nested.place @ (nested.pose(rest, user) if rest else Pose())
        element = self.elements().get(name)
        if element is None:
            names = [*self.elements(), *self.models]
            raise user.error(f'there is no frame "{name}"', nearest(name, names) or f"there is {', '.join(names[:12])}")
        return self.posed(element, self.default(element))

    def default(self, element: Element) -> str:
        """Return what a pose is relative to where that is not said: a joint's to its child, a frame's to what it is on."""
        if element.tag == "joint":
            return element.child_text("child")
        return element.get("attached_to") if element.tag == "frame" else ""

    def posed(self, element: Element, default: str) -> Pose:
        """Return the pose that an element states, in this model's frame."""
        pose = element.find("pose")
        relative = default if pose is None else pose.get("relative_to") or pose.get("frame") or default
        own = Pose() if pose is None else read_pose(pose)
        return self.pose(relative, element) @ own

    # --- links --------------------------------------------------------------------------------------------------------
    def link(self, name: str, user: Element, depth: int = 0) -> tuple[str | None, Pose]:
        """Return the full name of the link that a frame lies on (None: the world), and the frame's pose in the world."""
        place = self.place @ self.pose(name, user)
        head, _, rest = name.partition("::")
        if name == WORLD:
            return None, Pose()
        if depth > 100:
            raise user.error(f'the frame "{name}" is attached to itself', "break the circle")
        if head in self.models:
            nested = self.models[head]
            owner, _ = nested.link(rest or nested.canonical(user), user, depth + 1)
            return owner, place
        if name in ("", MODEL):
            return (None if self.parent is None else self.link(self.canonical(user), user, depth + 1)[0]), place
        element = self.elements()[name]
        if element.tag == "link":
            return self.prefix + name, place
        below = element.child_text("child") if element.tag == "joint" else element.get("attached_to")
        return self.link(below, user, depth + 1)[0], place

    def canonical(self, user: Element) -> str:
        """Return the link that the model's frame lies on: the one that it names, else its first."""
        named = self.element.get("canonical_link")
        links = self.element.all("link")
        if named or links:
            return named or links[0].get("name")
        for name, nested in self.models.items():
            return f"{name}::{nested.canonical(user)}"
        raise user.error(f'the model "{self.element.get("name")}" has no link', "write <link>")

    def direction(self, axis: Element, joint: str, user: Element, in_model: bool) -> np.ndarray:
        """Return the unit vector of an axis in the world."""
        xyz = axis.find("xyz")
        values = (0.0, 0.0, 1.0) if xyz is None or not xyz.text.strip() else xyz.text_numbers(3)
        if not any(values):
            raise axis.error(f'the axis of joint "{user.get("name")}" has no length', "give a direction, such as 0 0 1")
        frame = joint if xyz is None else xyz.get("expressed_in") or (MODEL if in_model else joint)
        turned = self.place.axes @ self.pose(frame, user).axes @ np.array(values)
        return cast(np.ndarray, turned / np.linalg.norm(turned))
