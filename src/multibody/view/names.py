"""Which names a picture shows, and where they belong."""

from __future__ import annotations

import numpy as np

from multibody.view.geometry import Floats
from multibody.view.scene import Scene

QUIET = frozenset({"gear", "rack", "cam", "parallel", "free"})
"""Kinds that have no symbol of their own with a name."""


def named_things(scene: Scene, joints: bool) -> list[tuple[str, Floats, int]]:
    """Return (text, point, number) of every name: the body's number, −1 for a joint or a spring.

    Joints at the same point share one text. Joints come first: their names have less room to move.
    """
    things: list[tuple[str, Floats, int]] = []
    if joints:
        for mark in scene.marks:
            if mark.kind not in QUIET:
                things.append(
                    (
                        mark.name,
                        mark.points[1] if mark.kind != "distance" else 0.5 * (mark.points[0] + mark.points[1]),
                        -1,
                    )
                )
        things = merged(things, 1e-6 * scene.tables.length)
        things += [(spring.name, 0.5 * (spring.points[0] + spring.points[1]), -1) for spring in scene.springs]
    pins = [point for _, point, _ in things]
    return things + [(link.name, body_anchor(scene, link.number, pins), link.number) for link in scene.links]


def merged(things: list[tuple[str, Floats, int]], tolerance: float) -> list[tuple[str, Floats, int]]:
    """Return the names with those at one point joined by commas."""
    result: list[tuple[str, Floats, int]] = []
    for text, point, number in things:
        for k, (other, place, _) in enumerate(result):
            if float(np.max(np.abs(point - place))) <= tolerance:
                result[k] = (f"{other}, {text}", place, number)
                break
        else:
            result.append((text, point, number))
    return result


def body_anchor(scene: Scene, number: int, pins: list[Floats]) -> Floats:
    """Return where a body's name belongs: on its wheel's rim, else in its middle."""
    link = scene.links[number - 1]
    for wheel in scene.wheels:
        if wheel.body == number and scene.dimension == 2 and link.span < wheel.radius:
            return np.asarray(wheel.center + 0.55 * wheel.radius * np.array([0.0, 1.0]))
    for cam in scene.cams:
        if cam.cam == number:
            return np.asarray(cam.profile.mean(axis=0))
    return link.center
