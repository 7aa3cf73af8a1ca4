"""Strokes as triangles with normals: tubes, balls, boxes, plates, meshes, and wires along a line. Numbers only.

Pictures, animations and 3-D files take their faces from here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from multibody.view import geometry
from multibody.view.geometry import Floats
from multibody.view.strokes import Stroke

Triangles = npt.NDArray[np.int32]

SIDES = 24  # of a tube
RINGS = 12  # of a ball, from pole to pole
CREASE = np.cos(np.deg2rad(35.0))  # faces of a mesh that meet at a greater angle meet in an edge


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles with normals.

    Attributes
    ----------
    points, normals : arrays (n, 3)
        Corners [length] and unit normals there, outwards.
    triangles : array (t, 3) of int
        Rows of `points`, counter-clockwise seen from outside.
    """

    points: Floats
    normals: Floats
    triangles: Triangles

    def volume(self) -> float:
        """Return the enclosed volume, positive where the triangles look outwards."""
        a, b, c = (self.points[self.triangles[:, k]] for k in range(3))
        return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0


def joined(parts: list[Surface]) -> Surface:
    """Return several surfaces as one."""
    starts = np.cumsum([0, *(len(part.points) for part in parts[:-1])])
    triangles = [part.triangles + start for part, start in zip(parts, starts, strict=True)]
    return Surface(
        np.vstack([part.points for part in parts]),
        np.vstack([part.normals for part in parts]),
        np.vstack(triangles).astype(np.int32),
    )


def surface_of(stroke: Stroke, *, sides: int = SIDES, wire: float = 0.0) -> Surface | None:
    """Return a spatial stroke as triangles in body axes.

    Parameters
    ----------
    stroke : Stroke
    sides : int
        Of tubes and balls.
    wire : float
        Radius of lines [length]; 0: lines have no surface.

    Returns
    -------
    Surface or None
        None for dots, for lines without a wire and for what has no extent.
    """
    points = stroke.points
    if stroke.kind == "tube":
        return tube(points[0], points[1], stroke.radius, sides)
    if stroke.kind == "ball":
        return ball(points[0], stroke.radius, sides, max(sides // 2, 3))
    if stroke.kind == "box":
        return box(points)
    if stroke.kind == "faces":
        return plate(points)
    if stroke.kind == "mesh":
        return mesh(points, stroke.triangles)
    if stroke.kind == "line" and wire > 0.0 and len(points) > 1:
        return wire_along(points, wire)
    return None


def tube(start: Floats, end: Floats, radius: float, sides: int = SIDES) -> Surface:
    """Return a closed cylinder."""
    axis = (end - start) / np.linalg.norm(end - start)
    around = geometry.ring(np.zeros(3), 1.0, axis, sides)
    lower, upper = start + radius * around, end + radius * around
    k, j = np.arange(sides), (np.arange(sides) + 1) % sides
    wall = np.vstack([np.column_stack([k, j, sides + j]), np.column_stack([k, sides + j, sides + k])])
    fan = np.column_stack([np.zeros(sides - 2), np.arange(1, sides - 1), np.arange(2, sides)]).astype(int)
    return joined([
        Surface(np.vstack([lower, upper]), np.vstack([around, around]), wall.astype(np.int32)),
        Surface(lower, np.tile(-axis, (sides, 1)), fan[:, ::-1].astype(np.int32)),
        Surface(upper, np.tile(axis, (sides, 1)), fan.astype(np.int32)),
    ])  # fmt: skip


def ball(center: Floats, radius: float, sides: int = SIDES, rings: int = RINGS) -> Surface:
    """Return a ball of `sides` strips about the z axis and `rings` belts from pole to pole."""
    polar = np.linspace(np.pi, 0.0, rings + 1)[1:-1, None]
    angles = np.linspace(0.0, 2.0 * np.pi, sides, endpoint=False)
    belts = np.stack([np.sin(polar) * np.cos(angles), np.sin(polar) * np.sin(angles), np.cos(polar) + 0.0 * angles], -1)
    unit = np.vstack([belts.reshape(-1, 3), [[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]]])
    k, j = np.arange(sides), (np.arange(sides) + 1) % sides
    south, north, top = len(unit) - 2, len(unit) - 1, (rings - 2) * sides
    parts = [np.column_stack([np.full(sides, south), j, k]), np.column_stack([top + k, top + j, np.full(sides, north)])]
    for base in range(0, top, sides):
        a, b, c, d = base + k, base + j, base + sides + j, base + sides + k
        parts += [np.column_stack([a, b, c]), np.column_stack([a, c, d])]
    return Surface(center + radius * unit, unit, np.vstack(parts).astype(np.int32))


def box(corners: Floats) -> Surface:
    """Return a box by its 8 corners, as :func:`multibody.view.geometry.box_corners` orders them."""
    middle = corners.mean(axis=0)
    parts = []
    for face in geometry.BOX_FACES:
        quad = corners[list(face)]
        outwards = np.cross(quad[1] - quad[0], quad[2] - quad[1]) @ (quad.mean(axis=0) - middle) > 0.0
        parts.append(plate(quad if outwards else quad[::-1]))
    return joined(parts)


def plate(corners: Floats) -> Surface:
    """Return a convex polygon; its normal is that of its first three corners."""
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[1])
    size = float(np.linalg.norm(normal))
    normal = normal / size if size > 0.0 else np.array([0.0, 0.0, 1.0])
    count = len(corners)
    fan = np.column_stack([np.zeros(count - 2), np.arange(1, count - 1), np.arange(2, count)])
    return Surface(np.array(corners), np.tile(normal, (count, 1)), fan.astype(np.int32))


def mesh(points: Floats, triangles: Triangles) -> Surface:
    """Return a mesh with normals that are smooth but across creases."""
    edges = points[triangles[:, 1:]] - points[triangles[:, :1]]
    areas = np.cross(edges[:, 0], edges[:, 1])
    sizes = np.linalg.norm(areas, axis=1, keepdims=True)
    flat = areas / np.maximum(sizes, 1e-300)
    sums = np.zeros_like(points)
    for k in range(3):
        np.add.at(sums, triangles[:, k], areas)
    smooth = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-300)
    corner = triangles.reshape(-1)
    faces = np.repeat(flat, 3, axis=0)
    creased = np.einsum("ij,ij->i", smooth[corner], faces) < CREASE
    normals = np.where(creased[:, None], faces, smooth[corner])
    rows = np.column_stack([corner, np.round(normals * 1e4).astype(np.int64)])
    _, first, group = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return Surface(points[corner[first]], normals[first], group.reshape(-1, 3).astype(np.int32))


def wire_along(line: Floats, radius: float, sides: int = 8) -> Surface:
    """Return a round wire along a line (n, 3), its ends closed; rows of NaN part it into several."""
    breaks = np.flatnonzero(~np.all(np.isfinite(line), axis=1))
    pieces = [piece[np.all(np.isfinite(piece), axis=1)] for piece in np.split(line, breaks)]
    return joined([_wire(piece, radius, sides) for piece in pieces if len(piece) > 1])


def _wire(line: Floats, radius: float, sides: int) -> Surface:
    """Return a wire along one line: a ring at every point, carried along without turning about the line."""
    steps = np.diff(line, axis=0)
    along = np.vstack([steps[:1], steps[:-1] + steps[1:], steps[-1:]])
    along = along / np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-300)
    f, _ = geometry.across(along[0])
    angles = np.linspace(0.0, 2.0 * np.pi, sides, endpoint=False)[:, None]
    rings = []
    for direction in along:
        f = f - (f @ direction) * direction
        f = f / np.linalg.norm(f)
        rings.append(np.cos(angles) * f + np.sin(angles) * np.cross(direction, f))
    around = np.array(rings)
    points = line[:, None, :] + radius * around
    k, j = np.arange(sides), (np.arange(sides) + 1) % sides
    belts = sides * np.arange(len(line) - 1)[:, None]
    first = np.stack([belts + k, belts + j, belts + sides + j], axis=-1)
    second = np.stack([belts + k, belts + sides + j, belts + sides + k], axis=-1)
    wall = np.vstack([first.reshape(-1, 3), second.reshape(-1, 3)]).astype(np.int32)
    caps = [plate(points[0][::-1]), plate(points[-1])]
    return joined([Surface(points.reshape(-1, 3), around.reshape(-1, 3), wall), *caps])
