"""Which names a picture shows, and where they belong."""

from __future__ import annotations

import numpy as np

from multibody.view.geometry import Floats
from multibody.view.planar_joints import guide_middle, is_guided
from multibody.view.scene import Mark, Scene

Thing = tuple[str, Floats, int]

QUIET = frozenset({"gear", "rack", "cam", "parallel", "free"})
"""Kinds that have no symbol of their own with a name."""


def named_things(scene: Scene, size: float, joints: bool) -> list[Thing]:
    """Return (text, point, number) of every name: the body's number, −1 for a joint or a spring.

    Joints at the same point share one text. Joints come first: their names have less room to move.
    """
    things: list[Thing] = []
    if joints:
        marks = [mark for mark in scene.marks if mark.kind not in QUIET]
        things = merged([(mark.name, joint_anchor(scene, mark, size), -1) for mark in marks], 1e-6 * scene.tables.length)
        things += [(spring.name, 0.5 * (spring.points[0] + spring.points[1]), -1) for spring in scene.springs]
    return things + [(link.name, body_anchor(scene, link.number), link.number) for link in scene.links]


def merged(things: list[Thing], tolerance: float) -> list[Thing]:
    """Return the names with those at one point joined by commas."""
    result: list[Thing] = []
    for text, point, number in things:
        for k, (other, place, _) in enumerate(result):
            if float(np.max(np.abs(point - place))) <= tolerance:
                result[k] = (f"{other}, {text}", place, number)
                break
        else:
            result.append((text, point, number))
    return result


def joint_anchor(scene: Scene, mark: Mark, size: float) -> Floats:
    """Return where a joint's name belongs."""
    if mark.kind == "distance":
        return 0.5 * (mark.points[0] + mark.points[1])
    if mark.kind == "translational" and scene.dimension == 2 and is_guided(scene, mark, size):
        return guide_middle(scene, mark) + np.array([-1.0, 1.0]) * 0.5 * size
    return mark.points[1]


def body_anchor(scene: Scene, number: int) -> Floats:
    """Return where a body's name belongs: between hub and rim of a wheel or a cam, else in its middle."""
    link = scene.links[number - 1]
    below = np.zeros(scene.dimension)
    below[-1] = -1.0
    for wheel in scene.wheels:
        if wheel.body == number and scene.dimension == 2 and link.span < wheel.radius:
            return np.asarray(wheel.center + 0.55 * wheel.radius * below)
    for cam in scene.cams:
        if cam.cam == number:
            hub, reach = cam.profile.mean(axis=0), float(np.max(np.ptp(cam.profile, axis=0)))
            return np.asarray(hub + 0.22 * reach * below)
    for rack in scene.racks:
        if number == rack.pinion:
            return np.asarray(rack.center - 0.55 * abs(rack.radius) * below)
        if number == rack.body:
            return rack.end
    return link.center
