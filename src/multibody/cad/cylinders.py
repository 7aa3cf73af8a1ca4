"""Axes of the cylinders of a STEP part, named so that joints can hang on them: `hole1`, `pin1` and so on.

Faces on one axis, of one radius and on one side of the material are one cylinder where their lengths meet; one that goes
less than half around (a fillet) is none. Holes are numbered from the largest radius to the smallest, equal ones by the
coordinates of their middle: x, then y, then z, rising. Pins likewise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody.cad.part import Cylinder
from multibody.cad.step import pieces
from multibody.cad.triangles import Floats

SAME = 1e-6  # parts of a part's size, or radians, within which axes and radii are one
HALF = math.pi * (1.0 - 1e-6)


@dataclass
class _Round:
    """A round face: a point of its axis and its direction, how far it goes along the axis and around it."""

    point: Floats
    axis: Floats
    radius: float
    inside: bool
    low: float
    high: float
    area: float  # angle times length


def named_cylinders(shape: Any) -> dict[str, Cylinder]:
    """Return the cylinders of a shape by name [mm]."""
    faces = [found for face in pieces(shape, "face") if (found := _round(face)) is not None]
    size = max((float(np.max(np.abs(f.point))) + f.radius + abs(f.low) + abs(f.high) for f in faces), default=1.0)
    joined = [_cylinder(f) for f in _joined(faces, SAME * size) if f.area >= HALF * (f.high - f.low)]

    def order(c: Cylinder) -> tuple[int, ...]:
        return (-round(c.radius / (SAME * size)), *(round(x / (SAME * size)) for x in c.at))

    named: dict[str, Cylinder] = {}
    for word, inside in (("hole", True), ("pin", False)):
        chosen = sorted((c for c in joined if c.inside is inside), key=order)
        named |= {f"{word}{k}": c for k, c in enumerate(chosen, start=1)}
    return named


def _round(face: Any) -> _Round | None:
    """Return a face of a cylinder, with the foot of the origin as the point of its axis; None for other faces."""
    from OCP.BRepAdaptor import BRepAdaptor_Surface
    from OCP.GeomAbs import GeomAbs_Cylinder
    from OCP.TopAbs import TopAbs_REVERSED

    surface = BRepAdaptor_Surface(face)
    if surface.GetType() != GeomAbs_Cylinder:
        return None
    found = surface.Cylinder()
    at, along = found.Axis().Location(), found.Axis().Direction()
    point, axis = np.array([at.X(), at.Y(), at.Z()]), np.array([along.X(), along.Y(), along.Z()])
    foot = point - (point @ axis) * axis
    angle = surface.LastUParameter() - surface.FirstUParameter()
    low, high = surface.FirstVParameter() + point @ axis, surface.LastVParameter() + point @ axis
    # the natural normal looks away from the axis where the frame of the cylinder is right-handed
    outward = found.Direct() != (face.Orientation() == TopAbs_REVERSED)
    if not axis[_leading(axis)] > 0.0:
        axis, low, high = -axis, -high, -low
    return _Round(foot, axis, found.Radius(), not outward, low, high, angle * (high - low))


def _leading(axis: Floats) -> int:
    """Return the first component that is not zero, from z to x."""
    return next(k for k in (2, 1, 0) if abs(axis[k]) > SAME)


def _joined(faces: list[_Round], near: float) -> list[_Round]:
    """Return faces on one axis, of one radius and side, whose lengths meet, as one."""
    done: list[_Round] = []
    for face in sorted(faces, key=lambda f: f.low):  # then a gap behind a cylinder is never closed later
        for other in done:
            if _same(face, other, near) and face.low <= other.high + near:
                other.high = max(other.high, face.high)
                other.area += face.area
                break
        else:
            done.append(face)
    return done


def _same(a: _Round, b: _Round, near: float) -> bool:
    """Return whether two faces lie on one cylinder."""
    return (
        a.inside == b.inside
        and abs(a.radius - b.radius) <= near
        and float(np.linalg.norm(np.cross(a.axis, b.axis))) <= SAME
        and float(np.linalg.norm(a.point - b.point)) <= near
    )


def _cylinder(face: _Round) -> Cylinder:
    """Return the cylinder of joined faces."""
    x, y, z = (float(c) + 0.0 for c in face.point + 0.5 * (face.low + face.high) * face.axis)
    u, v, w = (float(c) + 0.0 for c in face.axis)
    return Cylinder((x, y, z), (u, v, w), face.radius, face.high - face.low, face.inside)
