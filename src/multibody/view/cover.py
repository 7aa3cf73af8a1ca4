"""Where the shapes of bodies in space are: whether they cover a joint, and how far they reach from it. Numbers only."""

from __future__ import annotations

import numpy as np

from multibody.view import geometry
from multibody.view.geometry import Floats
from multibody.view.scene import Link, Mark, Solid

SLIDING = frozenset({"translational", "cylindrical"})
"""Kinds whose points mean no place on their axis."""


def place_on(link: Link, mark: Mark) -> Floats:
    """Return where a joint is on one of its bodies: its point there, of a slide the place on its axis nearest to the body."""
    if mark.kind not in SLIDING or not link.shapes:
        return mark.points[mark.bodies.index(link.number)]
    return _nearest_on_axis(link, mark)


def _nearest_on_axis(link: Link, mark: Mark) -> Floats:
    """Return the place on a joint's axis that is nearest to the middle of one of its bodies."""
    side = mark.bodies.index(link.number)
    point, axis = mark.points[side], mark.axes[side][:, -1]
    return np.asarray(point + float((link.center - point) @ axis) * axis)


def strays(link: Link, marks: list[Mark], tolerance: float) -> list[tuple[Floats, Floats]]:
    """Return the points of a body that lie off all its shapes, each with the place of a shape that a bar has to join it to.

    Points of slides whose axes run through its shapes mean nothing and are left out; so do those of hinges where it has a
    mesh, since robots have them anywhere on their axes.
    """
    anywhere = SLIDING | {"revolute"} if link.meshes else SLIDING
    on_axes = [mark for mark in marks if mark.kind in anywhere and link.number in mark.bodies]
    idle = [
        mark.points[mark.bodies.index(link.number)]
        for mark in on_axes
        if solids_at(link, _nearest_on_axis(link, mark), tolerance)
    ]
    found = []
    for point in link.points:
        gaps = [solid_gap(solid, point) for solid in link.shapes]
        k = int(np.argmin(gaps))
        if gaps[k] > tolerance and not any(float(np.max(np.abs(point - other))) < 1e-6 * tolerance for other in idle):
            found.append((point, nearest_in(link.shapes[k], point)))
    return found


def solids_at(link: Link, point: Floats, tolerance: float) -> list[Solid]:
    """Return the shapes of a body that a point lies in or on."""
    return [solid for solid in link.shapes if solid_gap(solid, point) <= tolerance]


def nearest_in(solid: Solid, point: Floats) -> Floats:
    """Return a place of a solid that is near to a point: on its axis, in a box the nearest, else its center."""
    if solid.kind != "box":
        return geometry.nearest_on(point, solid.points)
    corner, units, lengths = _edges(solid)
    return np.asarray(corner + np.clip((point - corner) @ units.T, 0.0, lengths) @ units)


def _edges(solid: Solid) -> tuple[Floats, Floats, Floats]:
    """Return a corner of a box, its axes (rows) and the lengths of its edges."""
    corner = solid.points[0]
    edges = np.array([solid.points[1] - corner, solid.points[3] - corner, solid.points[4] - corner])
    lengths = np.linalg.norm(edges, axis=1)
    return corner, np.asarray(edges / np.maximum(lengths, 1e-300)[:, None]), lengths


def solid_gap(solid: Solid, point: Floats) -> float:
    """Return how far a point lies outside a solid [length], roughly; 0 inside."""
    if solid.kind == "box":
        return float(np.linalg.norm(point - nearest_in(solid, point)))
    if solid.kind == "disk":
        axis = solid.axis / np.linalg.norm(solid.axis)
        away = point - solid.points[0]
        height = float(away @ axis)
        radial = float(np.linalg.norm(away - height * axis))
        return float(np.hypot(max(abs(height) - 0.5 * solid.thickness, 0.0), max(radial - solid.radius, 0.0)))
    foot = geometry.nearest_on(point, solid.points)
    return max(float(np.linalg.norm(point - foot)) - solid.radius, 0.0)


def extent_along(solid: Solid, point: Floats, axis: Floats) -> float:
    """Return how far a solid reaches from a point along an axis, on the farther side [length], roughly."""
    reach = solid.radius
    if solid.kind == "disk":
        reach = 0.5 * solid.thickness if is_along(solid.axis, axis) else solid.radius
    elif solid.kind in ("rod", "cylinder") and is_along(solid.points[1] - solid.points[0], axis):
        reach = 0.0
    return float(np.max(np.abs((solid.points - point) @ axis))) + reach


def is_along(direction: Floats, axis: Floats) -> bool:
    """Return whether a direction is that of an axis."""
    size = float(np.linalg.norm(direction))
    return size > 0.0 and abs(float(direction @ axis)) > 0.999 * size
