"""Which names a picture shows, and where they belong."""

from __future__ import annotations

import numpy as np

from multibody.view.cover import SLIDING, place_on
from multibody.view.geometry import Floats
from multibody.view.planar_joints import guide_middle, is_guided
from multibody.view.scene import Mark, Scene
from multibody.view.strokes import Owner

Thing = tuple[str, Floats, int]
Anchor = tuple[Owner, int, Floats]

QUIET = frozenset({"gear", "rack", "cam", "parallel", "free"})
"""Kinds that have no symbol of their own with a name."""


def anchors(scene: Scene, size: float) -> list[Anchor]:
    """Return where every name belongs: its owner, the body that it moves with, and the point in ground.

    Joints come first: their names have less room to move.
    """
    marks = [mark for mark in scene.marks if mark.kind not in QUIET]
    found: list[Anchor] = [(Owner("joint", mark.name), *joint_anchor(scene, mark, size)) for mark in marks]
    for spring in scene.springs:
        found.append((Owner("force", spring.name), spring.bodies[0], 0.5 * (spring.points[0] + spring.points[1])))
    return found + [(Owner("body", link.name), *body_anchor(scene, link.number)) for link in scene.links]


def named_things(scene: Scene, size: float, joints: bool) -> list[Thing]:
    """Return (text, point, number) of every name: the body's number, −1 for a joint or a spring.

    Joints at the same point share one text.
    """
    found: dict[str, list[Thing]] = {"joint": [], "force": [], "body": []}
    for owner, _, point in anchors(scene, size):
        number = scene.tables.bodies.index(owner.name) if owner.sort == "body" else -1
        found[owner.sort].append((owner.name, point, number))
    if not joints:
        return found["body"]
    return merged(found["joint"], 1e-6 * scene.tables.length) + found["force"] + found["body"]


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


def joint_anchor(scene: Scene, mark: Mark, size: float) -> tuple[int, Floats]:
    """Return where a joint's name belongs: a body and a point in ground."""
    if mark.kind == "distance":
        return mark.bodies[0], 0.5 * (mark.points[0] + mark.points[1])
    if mark.kind == "translational" and scene.dimension == 2 and is_guided(scene, mark, size):
        return 0, guide_middle(scene, mark) + np.array([-1.0, 1.0]) * 0.5 * size
    for body in (b for b in mark.bodies[::-1] if b and scene.dimension == 3 and mark.kind in SLIDING):
        if scene.links[body - 1].shapes:  # a slide is where the shape is that slides, not at a point somewhere on its axis
            return body, place_on(scene.links[body - 1], mark)
    return mark.bodies[1], mark.points[1]


def body_anchor(scene: Scene, number: int) -> tuple[int, Floats]:
    """Return where a body's name belongs: in its middle, or beside the hub of a wheel or a cam without turning with it."""
    link = scene.links[number - 1]
    below = np.zeros(scene.dimension)
    below[-1] = -1.0
    for wheel in scene.wheels:
        if wheel.body == number and scene.dimension == 2 and link.span < wheel.radius:
            return wheel.meshes[0][1], wheel.center + 0.55 * wheel.radius * below
    for cam in scene.cams:
        if cam.cam == number:
            hub, reach = cam.profile.mean(axis=0), float(np.max(np.ptp(cam.profile, axis=0)))
            return _bearing(scene, number), hub + 0.22 * reach * below
    for rack in scene.racks:
        if number == rack.pinion:
            return rack.carrier, rack.center - 0.55 * abs(rack.radius) * below
        if number == rack.body:
            return number, rack.end
    return number, link.center


def _bearing(scene: Scene, number: int) -> int:
    """Return the body that a body turns in, itself if there is none."""
    for mark in scene.marks:
        if mark.kind == "revolute" and number in mark.bodies:
            return mark.bodies[1 - mark.bodies.index(number)]
    return number
