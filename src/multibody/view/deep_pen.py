"""The pen of spatial drawings: tubes, balls, boxes, faces, lines and dots, kept in the axes of the body they move with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from multibody.view import geometry
from multibody.view.geometry import Floats
from multibody.view.scene import Poses
from multibody.view.strokes import Owner, Stretched, Stroke


class DeepPen:
    """Draws a mechanism at a reference pose and keeps what it drew in body axes.

    Parameters
    ----------
    size : float
        Of the joint symbols [length].
    poses : Poses
        The reference pose.
    """

    def __init__(self, size: float, poses: Poses) -> None:
        self.size, self.poses = size, poses
        self.strokes: list[Stroke] = []
        self.stretched: list[Stretched] = []

    def on(self, body: int, owner: Owner, *, symbol: bool = False) -> Brush:
        """Return a brush that draws things which move with a body and belong to an owner; poses of the past have no symbols."""
        return Brush(self, body, owner, symbol)

    def local(self, body: int, points: Any) -> Floats:
        """Return points of the ground at the reference pose in body axes, from the center of mass (n, 3)."""
        cloud = np.asarray(points, dtype=float).reshape(-1, 3)
        return np.asarray((cloud - self.poses.r[body]) @ self.poses.A[body])

    def stretch(
        self, kind: str, bodies: tuple[int, int], points: Sequence[Floats], size: float, color: str, owner: Owner,
        **options: Any,
    ) -> None:  # fmt: skip
        """Add a thing between two points, one of each body, given in ground at the reference pose."""
        ends = np.vstack([self.local(body, point) for body, point in zip(bodies, points, strict=True)])
        self.stretched.append(Stretched(kind, bodies, ends, size, color, owner, **options))


class Brush:
    """Draws on one body, in ground coordinates at the reference pose.

    Whatever it draws may be given any field of :class:`multibody.view.strokes.Stroke`; ``level`` pulls it to the eye.
    """

    def __init__(self, pen: DeepPen, body: int, owner: Owner, symbol: bool) -> None:
        self.pen, self.body, self.owner, self.symbol = pen, body, owner, symbol

    def tube(self, start: Floats, end: Floats, radius: float, color: str, **options: Any) -> None:
        """Add a closed cylinder; one without length is none."""
        if radius > 0.0 and float(np.linalg.norm(end - start)) > 0.0:
            self._add("tube", [start, end], color, radius=radius, **options)

    def disk(self, center: Floats, axis: Floats, radius: float, thickness: float, color: str, **options: Any) -> None:
        """Add a flat cylinder about an axis."""
        half = 0.5 * thickness * axis / np.linalg.norm(axis)
        self.tube(center - half, center + half, radius, color, **options)

    def ball(self, center: Floats, radius: float, color: str, **options: Any) -> None:
        """Add a ball."""
        self._add("ball", center, color, radius=radius, **options)

    def box(self, corners: Floats, color: str, **options: Any) -> None:
        """Add a box by its 8 corners."""
        self._add("box", corners, color, **options)

    def block(self, center: Floats, axes: Floats, edges: Sequence[float], color: str, **options: Any) -> None:
        """Add a box with given axes (columns) and edges [length]."""
        self.box(geometry.box_corners(np.array(edges, dtype=float), np.zeros(3)) @ axes.T + center, color, **options)

    def faces(self, corners: Floats, color: str, **options: Any) -> None:
        """Add a convex polygon."""
        self._add("faces", corners, color, **options)

    def mesh(self, points: Floats, triangles: Any, color: str, **options: Any) -> None:
        """Add triangles."""
        self._add("mesh", points, color, triangles=np.asarray(triangles, dtype=np.int32), **options)

    def line(self, points: Sequence[Floats] | Floats, color: str, width: float = 1.2, **options: Any) -> None:
        """Add a line."""
        self._add("line", points, color, width=width, **options)

    def closed(self, outline: Floats, color: str, width: float, **options: Any) -> None:
        """Add a closed line."""
        self.line(np.vstack([outline, outline[:1]]), color, width, **options)

    def dot(self, point: Floats, color: str, diameter: float, **options: Any) -> None:
        """Add a small dot (diameter on paper in points)."""
        self._add("dot", point, color, width=diameter, **{"level": 3.0} | options)

    def _add(self, kind: str, points: Any, color: str, **options: Any) -> None:
        """Keep a stroke."""
        options = {"symbol": self.symbol, "ghost": not self.symbol} | options
        local = self.pen.local(self.body, points)
        self.pen.strokes.append(Stroke(kind, self.body, local, color, self.owner, **options))
