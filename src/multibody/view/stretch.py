"""Springs, cylinders and rods between two points: the lines and outlines that are drawn anew at every pose. Numbers only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multibody.view import geometry
from multibody.view.geometry import Floats
from multibody.view.scene import Poses
from multibody.view.strokes import Stretched

TUBE, ROD = 0.88, 0.92  # lengths of a cylinder's tube and rod, parts of its shortest length
ROD_WIDTH = 0.42  # radius of the rod over that of the tube
TUBE_PALENESS, ROD_PALENESS = 0.88, 0.72


def ends_at(thing: Stretched, poses: Poses) -> tuple[Floats, Floats]:
    """Return the two ends of a stretched thing in ground (d,), (d,)."""
    first, second = (poses.place(body, point) for body, point in zip(thing.bodies, thing.points, strict=True))
    return first, second


def spring_line(a: Floats, b: Floats, half: float) -> Floats:
    """Return the line of a spring from a to b (n, d): a zigzag in the plane, a coil in space, half as wide as told."""
    if len(a) == 2 or float(np.linalg.norm(b - a)) == 0.0:
        return geometry.zigzag(a, b, 2.0 * half)
    lead = 0.12 * (b - a)
    return np.vstack([a, geometry.helix(a + lead, b - lead, half, 8.0), b])


@dataclass(frozen=True)
class Cylinder:
    """A hydraulic cylinder on its axis: the tube from `start` to `mouth`, the rod from the `piston` inside it to `end`."""

    start: Floats
    mouth: Floats
    piston: Floats
    end: Floats


def cylinder_at(a: Floats, b: Floats, rest: float) -> Cylinder:
    """Return the parts of a cylinder from a to b.

    Parameters
    ----------
    a, b : arrays (d,)
    rest : float
        Shortest length over the motion [length]: the tube is shorter. The rod keeps its length until it would leave the tube.
    """
    span = b - a
    length = float(np.linalg.norm(span))
    if length == 0.0:
        return Cylinder(a, a, b, b)
    along = span / length
    tube, piston = (float(part[0]) for part in cylinder_lengths(np.array([length]), rest))
    return Cylinder(a, a + tube * along, a + piston * along, b)


def cylinder_lengths(lengths: Floats, rest: float) -> tuple[Floats, Floats]:
    """Return how long a cylinder's tube is and where its piston stands, both from its first end (n,), (n,)."""
    tube = TUBE * np.minimum(rest, lengths) if rest > 0.0 else 0.5 * lengths
    return tube, np.minimum(np.maximum(lengths - ROD * tube / TUBE, 0.04 * tube), 0.96 * tube)


def bar(a: Floats, b: Floats, half: float) -> Floats:
    """Return the corners of a planar bar from a to b (4, 2), half as wide as told."""
    along = b - a
    side = np.array([-along[1], along[0]]) / max(float(np.linalg.norm(along)), 1e-300) * half
    return np.array([a - side, b - side, b + side, a + side])
