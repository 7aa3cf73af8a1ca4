"""Planar strokes as thin plates that stand in the xy plane, one before the other as they cover each other on paper."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from multibody.view import geometry, solids
from multibody.view.geometry import Floats
from multibody.view.gltf.triangulate import bridged, signed_area, triangles_of
from multibody.view.solids import Surface
from multibody.view.strokes import Stroke

THICKNESS = 0.22  # of a plate [symbol sizes]
LAYER = 0.25  # from one level to the next [symbol sizes]
LIFT = 0.012  # of an edge over its face [symbol sizes]
SIDES = 28  # of a circle
SHARPEST = 2.0  # longest corner of an edge [half widths]
LINKS = 3.0  # the level at z = 0


@dataclass(frozen=True, eq=False)
class Painted:
    """A surface, its color "#rrggbb", how much that is mixed with white, and its opacity."""

    surface: Surface
    color: str
    paleness: float = 0.0
    alpha: float = 1.0
    thin: bool = False  # seen from both sides


class PlateMaker:
    """Makes plates of planar strokes, in the axes of their bodies.

    Parameters
    ----------
    size : float
        Of the joint symbols [length].
    point : float
        What a point on paper means [length].
    """

    def __init__(self, size: float, point: float) -> None:
        self.size, self.point = size, point

    def plates(self, stroke: Stroke) -> Iterator[Painted]:
        """Yield the surfaces of a stroke."""
        points = stroke.points
        if stroke.kind == "line":
            dashes = np.array(stroke.dashes) * self.point
            line = geometry.dashed(points, dashes) if len(dashes) else points
            yield from self.line(line, stroke.color, stroke.width, stroke.level)
        elif stroke.kind == "dot":
            yield from self.pin(geometry.circle(points[0], 0.5 * stroke.width * self.point, SIDES), stroke.color, stroke.level)
        elif stroke.kind == "circle":
            rim = 0.5 * stroke.width * self.point
            outer, inner = (geometry.circle(points[0], stroke.radius + r, SIDES) for r in (rim, -rim))
            yield from self.pin(outer, stroke.color, stroke.level)
            yield Painted(_cap(inner, self._top(stroke.level) + LIFT * self.size), stroke.color, 1.0, thin=True)
        else:
            yield from self.area(points, stroke.color, stroke.level, stroke.paleness, stroke.width, stroke.hole)

    def area(
        self, outline: Floats, color: str, level: float, paleness: float, width: float, hole: Floats | None = None
    ) -> Iterator[Painted]:
        """Yield a plate: pale faces, walls and edge in its color."""
        top = self._top(level)
        bottom = top - THICKNESS * self.size
        rings = [outline] if hole is None or len(hole) == 0 else [outline, hole]
        face = rings[0] if len(rings) == 1 else bridged(*rings)
        yield Painted(solids.joined([_cap(face, top), _cap(face, bottom, down=True)]), color, paleness)
        yield Painted(solids.joined([_wall(ring, bottom, top, k == 1) for k, ring in enumerate(rings)]), color)
        if width > 0.0:
            for ring in rings:
                yield from self.line(np.vstack([ring, ring[:1]]), color, width, level)

    def pin(self, outline: Floats, color: str, level: float) -> Iterator[Painted]:
        """Yield a plate that reaches down through the links below it."""
        top, bottom = self._top(level), self._top(min(level, LINKS)) - 1.1 * THICKNESS * self.size
        caps = [_cap(outline, top), _cap(outline, bottom, down=True), _wall(outline, bottom, top, inside=False)]
        yield Painted(solids.joined(caps), color)

    def line(self, points: Floats, color: str, width: float, level: float) -> Iterator[Painted]:
        """Yield a ribbon along a line; rows of NaN part it."""
        height = self._top(level) + LIFT * self.size
        breaks = np.flatnonzero(~np.all(np.isfinite(points), axis=1))
        pieces = [piece[np.all(np.isfinite(piece), axis=1)] for piece in np.split(points, breaks)]
        ribbons = [_ribbon(piece, 0.5 * width * self.point, height) for piece in pieces if len(piece) > 1]
        if ribbons:
            yield Painted(solids.joined(ribbons), color, thin=True)

    def _top(self, level: float) -> float:
        """Return the height of the upper face at a level [length]."""
        return (LAYER * (level - LINKS) + 0.5 * THICKNESS) * self.size


def _cap(outline: Floats, height: float, down: bool = False) -> Surface:
    """Return the face of a plate that looks up, or down."""
    triangles = triangles_of(outline)
    normal = np.array([0.0, 0.0, -1.0 if down else 1.0])
    points = np.column_stack([outline, np.full(len(outline), height)])
    return Surface(points, np.tile(normal, (len(points), 1)), triangles[:, ::-1] if down else triangles)


def _wall(outline: Floats, bottom: float, top: float, inside: bool) -> Surface:
    """Return the wall around a plate, or around a hole in it; its normals are smooth but at corners."""
    ring = outline if (signed_area(outline) > 0.0) != inside else outline[::-1]
    ahead = np.roll(ring, -1, axis=0)
    along = ahead - ring
    across = np.column_stack([along[:, 1], -along[:, 0]])
    across = across / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-300)
    before, behind = np.roll(across, 1, axis=0), np.roll(across, -1, axis=0)

    def smooth(other: Floats) -> Floats:
        near = np.sum(across * other, axis=1, keepdims=True) > solids.CREASE
        mean = across + other
        return np.asarray(np.where(near, mean / np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-300), across))

    count, k = len(ring), np.arange(len(ring))
    flat = np.zeros((count, 1))
    normals = [np.hstack([smooth(other), flat]) for other in (before, behind)]
    corners = [np.hstack([end, np.full((count, 1), z)]) for z in (bottom, top) for end in (ring, ahead)]
    a, b, c, d = (k + j * count for j in range(4))
    triangles = np.vstack([np.column_stack([a, b, d]), np.column_stack([a, d, c])]).astype(np.int32)
    return Surface(np.vstack(corners), np.vstack(normals * 2), triangles)


def _ribbon(line: Floats, half: float, height: float) -> Surface:
    """Return a flat strip along a line of the plane."""
    closed = len(line) > 3 and bool(np.allclose(line[0], line[-1], rtol=0.0, atol=1e-9 * float(np.max(np.ptp(line, axis=0)))))
    steps = np.diff(line, axis=0)
    along = steps / np.maximum(np.linalg.norm(steps, axis=1, keepdims=True), 1e-300)
    first, last = (along[-1:], along[:1]) if closed else (along[:1], along[-1:])
    before, behind = np.vstack([first, along]), np.vstack([along, last])
    mean = before + behind
    mean = mean / np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-300)
    reach = 1.0 / np.maximum(np.sum(mean * behind, axis=1, keepdims=True), 1.0 / SHARPEST)
    side = half * reach * np.column_stack([-mean[:, 1], mean[:, 0]])
    points = np.vstack([line - side, line + side])
    count, k = len(line), np.arange(len(line) - 1)
    triangles = np.vstack([np.column_stack([k, k + 1, k + 1 + count]), np.column_stack([k, k + 1 + count, k + count])])
    whole = np.column_stack([points, np.full(len(points), height)])
    return Surface(whole, np.tile([0.0, 0.0, 1.0], (len(whole), 1)), triangles.astype(np.int32))
