"""Links behind fixed joints become frames of the link that carries them: one body with all masses and shapes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from multibody.files.robots.description import Description, Joint, Link
from multibody.files.robots.inertias import Masses
from multibody.files.robots.pose import Floats, Pose

__all__ = ["merged"]


def merged(robot: Description, masses: dict[str, Masses]) -> tuple[Description, dict[str, Masses]]:
    """Return the robot without its fixed joints between links, and the masses of what is left."""
    over: dict[str, Joint] = {}  # of each link the weld that it hangs on; a further one stays a joint
    for joint in robot.joints:
        if joint.kind == "fixed" and not joint.closes and joint.parent is not None and joint.child is not None:
            over.setdefault(joint.child, joint)
    gone = {joint.name for joint in over.values()}
    seat = _seats(robot, over)
    kept = [link for link in robot.links if seat[link.name][0] == link.name]
    links = {link.name: replace(link, frames=dict(link.frames), solids=[]) for link in kept}
    parts: dict[str, list[tuple[Masses, Pose]]] = {name: [] for name in links}
    for link in robot.links:
        body, place = seat[link.name]
        parts[body].append((masses[link.name], place))
        _move(link, links[body], place)
    joints = [_reseated(joint, seat) for joint in robot.joints if joint.name not in gone]
    left = {name: _together(found) for name, found in parts.items()}
    return replace(robot, links=list(links.values()), joints=joints), left


def _seats(robot: Description, over: dict[str, Joint]) -> dict[str, tuple[str, Pose]]:
    """Return for each link the link that it becomes part of, and its place in that one."""
    seat: dict[str, tuple[str, Pose]] = {}
    for link in robot.links:
        name, place = link.name, Pose()
        while (joint := over.get(name)) is not None and joint.parent is not None:
            name, place = joint.parent, joint.place @ joint.child_place.inverse() @ place
        seat[link.name] = (name, place)
    return seat


def _move(link: Link, body: Link, place: Pose) -> None:
    """Put the shapes and frames of a link on the body that it becomes part of."""
    body.solids.extend(replace(solid, place=place @ solid.place) for solid in link.solids)
    if link.name != body.name:
        body.frames[link.name] = place
        body.frames.update({name: place @ frame for name, frame in link.frames.items()})


def _reseated(joint: Joint, seat: dict[str, tuple[str, Pose]]) -> Joint:
    """Return a joint between the bodies that its links have become part of."""
    parent, place = (joint.parent, Pose()) if joint.parent is None else seat[joint.parent]
    child, child_place = (joint.child, Pose()) if joint.child is None else seat[joint.child]
    return replace(joint, parent=parent, child=child, place=place @ joint.place, child_place=child_place @ joint.child_place)


def _together(parts: list[tuple[Masses, Pose]]) -> Masses:
    """Return the mass properties of parts together; none where one of them has none."""
    mass, moment = 0.0, np.zeros(3)
    for part, place in parts:
        if part.mass is None:
            return Masses(None, np.zeros(3), None)
        mass += part.mass
        moment += part.mass * _seen(part, place)
    com = moment / mass if mass > 0.0 else np.zeros(3)
    inertia = np.zeros((3, 3))
    for part, place in parts:
        d = _seen(part, place) - com
        own = np.zeros((3, 3)) if part.inertia is None else part.inertia
        inertia += place.axes @ own @ place.axes.T + (part.mass or 0.0) * (d @ d * np.eye(3) - np.outer(d, d))
    return Masses(mass, com, 0.5 * (inertia + inertia.T))


def _seen(part: Masses, place: Pose) -> Floats:
    """Return the center of mass of a part in the axes of the body."""
    return np.array(place.at) + place.axes @ part.com
