"""Joints of SDF: their kinds, axes, limits and couplings, and which of them close loops."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from multibody.errors import nearest
from multibody.files.robots.description import Coupling, Description, Inertial, Joint, Line, Link
from multibody.files.robots.markup import Element
from multibody.files.robots.pose import Floats, Pose
from multibody.files.robots.sdf_frames import Scope

__all__ = ["Gearbox", "close_loops", "couple", "read_joint"]

_KINDS = {
    "revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic", "fixed": "fixed", "ball": "ball",
    "universal": "universal", "revolute2": "universal", "screw": "screw", "gearbox": "gearbox",
}  # fmt: skip
AXES_OF_MODEL = 1.5
"""Before this version of SDF, axes have components in the model's frame."""
FAR = 1e15
"""Limits from here on are none."""


def read_joint(element: Element, scope: Scope, robot: Description, version: str) -> Gearbox | None:
    """Add a joint; a gearbox is returned, to be coupled when all joints are known."""
    name, word = element.named(), element.get("type")
    if word not in _KINDS:
        hint = f"{nearest(word, _KINDS)} Types are {', '.join(_KINDS)}.".strip()
        raise element.error(f'joint "{name}" has the type "{word}"' if word else f'joint "{name}" has no type', hint)
    for tag in ("parent", "child"):
        if not element.child_text(tag):
            raise element.error(f'joint "{name}" has no {tag}', f"write <{tag}>")
    (parent, _), (child, _) = (scope.link(element.child_text(tag), element) for tag in ("parent", "child"))
    if parent == child:
        raise element.error(f'joint "{name}" joins link "{child}" with itself', "name two links")
    at = scope.place @ scope.pose(name, element)  # of the joint in the world, as drawn
    ends = [_drawn(robot, scope, link, element).inverse() @ at for link in (parent, child)]
    joint = Joint(scope.prefix + name, _KINDS[word], parent, child, ends[0], ends[1], line=element.line)
    axes = [_axis(element, tag, scope, at, version) for tag in ("axis", "axis2")]
    if joint.kind == "gearbox":
        reference, _ = scope.link(element.child_text("gearbox_reference_body"), element)
        first, second = (at.axes @ np.array(axis or (0.0, 0.0, 1.0)) for axis in axes)
        ratio = element.child_number("gearbox_ratio", 1.0)
        return Gearbox(joint.name, parent, child, reference, ratio, (first, second), element.line)
    joint.axis = axes[0] or (0.0, 0.0, 1.0)
    if word == "screw":
        joint.lead = _lead(element, name)
    if joint.kind in ("revolute", "prismatic", "screw"):
        _dynamics(element, "axis", joint, robot)
    if joint.kind == "universal":
        _two_axes(element, joint, axes[1] or (0.0, 0.0, 1.0), robot)
    else:
        robot.joints.append(joint)
    return None


def _drawn(robot: Description, scope: Scope, link: str | None, element: Element) -> Pose:
    """Return where a link is drawn, in the world."""
    if link is None:
        return Pose()
    found = next((item for item in robot.links if item.name == link), None)
    if found is not None and found.place is not None:
        return found.place
    return scope.place @ scope.pose(link.removeprefix(scope.prefix), element)


def _axis(element: Element, tag: str, scope: Scope, at: Pose, version: str) -> tuple[float, float, float] | None:
    """Return an axis in the axes of the joint, None where it is not stated."""
    axis = element.find(tag)
    if axis is None:
        return None
    try:
        old = float(version or "1.11") < AXES_OF_MODEL and version.count(".") == 1 and len(version.split(".")[1]) == 1
    except ValueError:
        old = False
    stated = axis.child_text("use_parent_model_frame")
    in_model = stated in ("1", "true") if stated else old
    x, y, z = (float(c) for c in at.axes.T @ scope.direction(axis, element.get("name"), element, in_model))
    return _clean((x, y, z))


def _clean(axis: tuple[float, float, float]) -> tuple[float, float, float]:
    """Return an axis without the rounding that turning it there and back leaves."""
    x, y, z = (round(c) if abs(c - round(c)) < 4e-16 else c for c in axis)
    return float(x), float(y), float(z)


def _lead(element: Element, name: str) -> float:
    """Return the advance a turn: ``screw_thread_pitch``, or −2π over the older ``thread_pitch``."""
    if element.find("screw_thread_pitch") is not None:
        return element.child_number("screw_thread_pitch", 1.0)
    pitch = element.child_number("thread_pitch", 1.0)
    if pitch == 0.0:
        raise element.error(f'the thread_pitch of joint "{name}" is zero', "write screw_thread_pitch, the advance a turn")
    return -2.0 * math.pi / pitch


def _dynamics(element: Element, tag: str, joint: Joint, robot: Description) -> None:
    """Read limits, damping, friction, spring and mimic of an axis."""
    axis = element.find(tag)
    if axis is None:
        return
    limit, dynamics, mimic = (axis.find(key) for key in ("limit", "dynamics", "mimic"))
    if limit is not None:
        lower, upper = _bound(limit, "lower", -FAR), _bound(limit, "upper", FAR)
        if lower >= upper:
            robot.skip("limit whose lower is not below its upper", joint.name)
        else:
            joint.lower, joint.upper = (lower if lower > -FAR else None), (upper if upper < FAR else None)
        effort = _bound(limit, "effort", -1.0)
        joint.effort = effort if 0.0 < effort < FAR else None
        if 0.0 < _bound(limit, "velocity", -1.0) < FAR:
            robot.skip("velocity limit")
    if dynamics is not None:
        joint.damping, joint.friction = dynamics.child_number("damping", 0.0), dynamics.child_number("friction", 0.0)
        joint.stiffness = dynamics.child_number("spring_stiffness", 0.0)
        joint.rest = dynamics.child_number("spring_reference", 0.0)
        for key in ("damping", "friction", "stiffness"):
            if getattr(joint, key) < 0.0:
                raise dynamics.error(f'the {key} of joint "{joint.name}" is negative', "give a number from zero")
    if mimic is not None:
        factor = mimic.child_number("multiplier", 1.0)
        shift = mimic.child_number("offset", 0.0) - factor * mimic.child_number("reference", 0.0)
        prefix = joint.name.removesuffix(element.get("name"))
        robot.couplings.append(Coupling("", joint.name, prefix + mimic.get("joint"), (shift, factor), mimic.line))


def _bound(limit: Element, tag: str, default: float) -> float:
    """Return a limit; infinite ones are those that are far away."""
    text = limit.child_text(tag)
    if text.lower().lstrip("+-") in ("inf", "infinity"):
        return math.copysign(FAR, -1.0 if text.startswith("-") else 1.0)
    return limit.child_number(tag, default)


def _two_axes(element: Element, joint: Joint, second: tuple[float, float, float], robot: Description) -> None:
    """Add a joint that turns about two axes: a universal joint, or two with a link between them that has no mass."""
    a, b = np.array(joint.axis), np.array(second)
    plain = all(element.find(tag) is None or not _acts(element.find(tag)) for tag in ("axis", "axis2"))  # type: ignore[arg-type]
    if abs(float(a @ b)) < 1e-9 and plain:
        joint.axis2 = second
        robot.joints.append(joint)
        return
    middle = f"{joint.name}_middle"
    place = next((link.place for link in robot.links if link.name == joint.child), None)
    drawn = None if place is None else place @ joint.child_place
    robot.links.append(Link(middle, Inertial(0.0, Pose(), np.zeros((3, 3))), place=drawn, line=joint.line))
    first = Joint(f"{joint.name}_1", "revolute", joint.parent, middle, joint.place, axis=joint.axis, line=joint.line)
    last = Joint(f"{joint.name}_2", "revolute", middle, joint.child, Pose(), joint.child_place, axis=second, line=joint.line)
    for tag, half in (("axis", first), ("axis2", last)):
        _dynamics(element, tag, half, robot)
        robot.joints.append(half)


def _acts(axis: Element) -> bool:
    """Return whether limits or dynamics are stated for an axis."""
    return axis.find("limit") is not None or axis.find("dynamics") is not None


@dataclass(frozen=True)
class Gearbox:
    """A gearbox: the child's angle is −ratio times the parent's, both seen from a reference link, about axes in the world."""

    name: str
    parent: str | None
    child: str | None
    reference: str | None
    ratio: float
    axes: tuple[Floats, Floats]
    line: Line


def couple(robot: Description, gearbox: Gearbox) -> None:
    """Add a gearbox as a coupling of the two joints that hold its links on the reference link; else note it."""
    leading = _turning(robot, gearbox.reference, gearbox.parent, gearbox.axes[0])
    following = _turning(robot, gearbox.reference, gearbox.child, gearbox.axes[1])
    if leading is None or following is None:
        robot.skip("gearbox whose links do not turn on its reference body", gearbox.name)
        return
    (lead, first), (follow, second) = leading, following
    robot.couplings.append(Coupling(gearbox.name, follow, lead, (0.0, -gearbox.ratio * first * second), gearbox.line))


def _turning(robot: Description, reference: str | None, link: str | None, axis: Floats) -> tuple[str, float] | None:
    """Return the joint in which a link turns on another one, and whether it counts along (1) or against (−1) the axis."""
    for joint in robot.joints:
        if joint.kind == "revolute" and {joint.parent, joint.child} == {reference, link}:
            carrier = Pose() if joint.parent is None else robot.link(joint.parent).place or Pose()
            along = float(carrier.axes @ joint.place.axes @ np.array(joint.axis) @ axis)
            return joint.name, math.copysign(1.0, along) * (1.0 if joint.parent == reference else -1.0)
    return None


def close_loops(robot: Description) -> None:
    """Decide which joints close loops: those whose links earlier joints connect already."""
    group: dict[str | None, str | None] = {link.name: link.name for link in robot.links} | {None: None}

    def root(name: str | None) -> str | None:
        while group[name] != name:
            name = group[name]
        return name

    for joint in robot.joints:
        a, b = root(joint.parent), root(joint.child)
        joint.closes = a == b
        group[b] = a
