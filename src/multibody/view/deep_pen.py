"""The pen of spatial drawings: tubes, balls, boxes, faces, lines and dots, kept in the axes of the body they move with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from multibody.view import geometry
from multibody.view.geometry import Floats
from multibody.view.pen import Nib, Pen
from multibody.view.strokes import Owner


class DeepPen(Pen):
    """The pen of spatial drawings."""

    def on(self, body: int, owner: Owner, *, symbol: bool = False) -> Brush:
        """Return a brush that draws things which move with a body and belong to an owner; poses of the past have no symbols."""
        return Brush(self, body, owner, symbol)


class Brush(Nib):
    """Draws solids on one body; ``level`` pulls them to the eye."""

    def tube(self, start: Floats, end: Floats, radius: float, color: str, **options: Any) -> None:
        """Add a closed cylinder; one without length is none."""
        if radius > 0.0 and float(np.linalg.norm(end - start)) > 0.0:
            self.add("tube", [start, end], color, radius=radius, **options)

    def disk(self, center: Floats, axis: Floats, radius: float, thickness: float, color: str, **options: Any) -> None:
        """Add a flat cylinder about an axis."""
        half = 0.5 * thickness * axis / np.linalg.norm(axis)
        self.tube(center - half, center + half, radius, color, **options)

    def ball(self, center: Floats, radius: float, color: str, **options: Any) -> None:
        """Add a ball."""
        self.add("ball", center, color, radius=radius, **options)

    def box(self, corners: Floats, color: str, **options: Any) -> None:
        """Add a box by its 8 corners."""
        self.add("box", corners, color, **options)

    def block(self, center: Floats, axes: Floats, edges: Sequence[float], color: str, **options: Any) -> None:
        """Add a box with given axes (columns) and edges [length]."""
        self.box(geometry.box_corners(np.array(edges, dtype=float), np.zeros(3)) @ axes.T + center, color, **options)

    def faces(self, corners: Floats, color: str, **options: Any) -> None:
        """Add a convex polygon."""
        self.add("faces", corners, color, **options)

    def mesh(self, points: Floats, triangles: Any, color: str, **options: Any) -> None:
        """Add triangles."""
        self.add("mesh", points, color, triangles=np.asarray(triangles, dtype=np.int32), **options)

    def line(self, points: Sequence[Floats] | Floats, color: str, width: float = 1.2, **options: Any) -> None:
        """Add a line."""
        self.add("line", points, color, width=width, **options)

    def closed(self, outline: Floats, color: str, width: float, **options: Any) -> None:
        """Add a closed line."""
        self.line(np.vstack([outline, outline[:1]]), color, width, **options)

    def dot(self, point: Floats, color: str, diameter: float, **options: Any) -> None:
        """Add a small dot (diameter on paper in points)."""
        self.add("dot", point, color, width=diameter, **{"level": 3.0} | options)

    def add(self, kind: str, points: Any, color: str, **options: Any) -> None:
        """Keep a stroke; symbols are no part of poses of the past."""
        super().add(kind, points, color, **{"ghost": not self.symbol} | options)
