"""Writing URDF: a description whose joints form a tree, as text."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from xml.sax.saxutils import quoteattr

from multibody.errors import RobotNote
from multibody.files.robots.description import Description, Inertial, Joint, Link, Solid
from multibody.files.robots.from_model import Numbers, description_of
from multibody.files.robots.lower import FAR, FAST, skipped_words
from multibody.files.robots.pose import Pose, rpy_of
from multibody.model.model import Model

__all__ = ["urdf_text"]


def urdf_text(model: Model, masses: Numbers) -> str:
    """Return a model, whose joints form a tree in space, as URDF: the text of what `description_of` makes of it.

    Warns
    -----
    RobotNote
        Once, of all that URDF has no place for.
    """
    robot = description_of(model, masses)
    if robot.skipped:
        warnings.warn(f"{model.name}: not carried over: {skipped_words(robot)}", RobotNote, stacklevel=4)
    lines = ['<?xml version="1.0"?>', f"<robot name={quoteattr(robot.name)}>"]
    for link in robot.links:
        lines += _link(link)
    for joint in robot.joints:
        lines += _joint(joint, robot)
    return "\n".join([*lines, "</robot>", ""])


def _numbers(values: Iterable[float]) -> str:
    """Return numbers that read back as the same."""
    return " ".join(repr(float(value)).removesuffix(".0") if value else "0" for value in values)


def _origin(place: Pose, indent: str) -> list[str]:
    """Return ``<origin>``, nothing for the identity."""
    if place.trivial:
        return []
    rpy = place.rpy if place.rpy is not None else rpy_of(place.axes)
    turn = f' rpy="{_numbers(rpy)}"' if any(rpy) else ""
    return [f'{indent}<origin xyz="{_numbers(place.at)}"{turn}/>']


def _link(link: Link) -> list[str]:
    """Return a link."""
    inner = [] if link.inertial is None else _inertial(link.inertial)
    for solid in link.solids:
        inner += _solid(solid)
    name = quoteattr(link.name)
    return [f"  <link name={name}>", *inner, "  </link>"] if inner else [f"  <link name={name}/>"]


def _inertial(inertial: Inertial) -> list[str]:
    """Return mass properties."""
    I = inertial.inertia
    entries = {"ixx": I[0, 0], "ixy": I[0, 1], "ixz": I[0, 2], "iyy": I[1, 1], "iyz": I[1, 2], "izz": I[2, 2]}
    written = " ".join(f'{key}="{_numbers([value])}"' for key, value in entries.items())
    mass = f'      <mass value="{_numbers([inertial.mass])}"/>'
    return ["    <inertial>", *_origin(inertial.place, "      "), mass, f"      <inertia {written}/>", "    </inertial>"]


def _solid(solid: Solid) -> list[str]:
    """Return a shape to be seen."""
    if solid.kind == "mesh":
        scale = "" if solid.scale == (1.0, 1.0, 1.0) else f' scale="{_numbers(solid.scale)}"'
        shape = f"<mesh filename={quoteattr(solid.file)}{scale}/>"
    elif solid.kind == "box":
        shape = f'<box size="{_numbers(solid.size)}"/>'
    elif solid.kind == "sphere":
        shape = f'<sphere radius="{_numbers(solid.size)}"/>'
    else:
        shape = f'<cylinder radius="{_numbers(solid.size[:1])}" length="{_numbers(solid.size[1:])}"/>'
    return ["    <visual>", *_origin(solid.place, "      "), f"      <geometry>{shape}</geometry>", "    </visual>"]


def _joint(joint: Joint, robot: Description) -> list[str]:
    """Return a joint with its limits, dynamics and mimic."""
    limited = joint.lower is not None or joint.upper is not None
    word = {"free": "floating", "revolute": "revolute" if limited else "continuous"}.get(joint.kind, joint.kind)
    lines = [f'  <joint name={quoteattr(joint.name)} type="{word}">', *_origin(joint.place, "    ")]
    lines += [f"    <parent link={quoteattr(joint.parent or '')}/>", f"    <child link={quoteattr(joint.child or '')}/>"]
    if joint.axis is not None:
        lines.append(f'    <axis xyz="{_numbers(joint.axis)}"/>')
    if limited or word == "prismatic":
        bounds = f'lower="{_numbers([-FAR if joint.lower is None else joint.lower])}"'
        bounds += f' upper="{_numbers([FAR if joint.upper is None else joint.upper])}"'
        lines.append(f'    <limit {bounds} effort="{_numbers([joint.effort or 0.0])}" velocity="{_numbers([FAST])}"/>')
    if joint.damping or joint.friction:
        lines.append(f'    <dynamics damping="{_numbers([joint.damping])}" friction="{_numbers([joint.friction])}"/>')
    for coupling in robot.couplings:
        if coupling.joint == joint.name:
            offset, multiplier = coupling.coefficients
            factors = f'multiplier="{_numbers([multiplier])}" offset="{_numbers([offset])}"'
            lines.append(f"    <mimic joint={quoteattr(coupling.follows or '')} {factors}/>")
    return [*lines, "  </joint>"]
