"""The pen of planar drawings: areas, lines, dots and the hatching of the ground, kept in the axes of their bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from multibody.view.geometry import Floats
from multibody.view.scene import Poses
from multibody.view.strokes import Owner, Stretched, Stroke
from multibody.view.style import GROUND

# What lies above what.
Z_GROUND, Z_WHEEL, Z_SUPPORT, Z_LINK, Z_BLOCK, Z_JOINT = 1.0, 2.0, 2.8, 3.0, 4.0, 5.0


class FlatPen:
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

    def on(self, body: int, owner: Owner, *, symbol: bool = False) -> Nib:
        """Return a nib that draws things which move with a body and belong to an owner."""
        return Nib(self, body, owner, symbol)

    def local(self, body: int, points: Any) -> Floats:
        """Return points of the ground at the reference pose in body axes, from the center of mass (n, 2)."""
        cloud = np.asarray(points, dtype=float).reshape(-1, 2)
        return np.asarray((cloud - self.poses.r[body]) @ self.poses.A[body])

    def stretch(self, kind: str, bodies: tuple[int, int], points: Sequence[Floats], color: str, owner: Owner, z: float,
                **options: Any) -> None:  # fmt: skip
        """Add a thing between two points, one of each body, given in ground at the reference pose."""
        ends = np.vstack([self.local(body, point) for body, point in zip(bodies, points, strict=True)])
        options = {"size": 0.0} | options
        self.stretched.append(Stretched(kind, bodies, ends, color=color, owner=owner, level=z, **options))


class Nib:
    """Draws on one body, in ground coordinates at the reference pose."""

    def __init__(self, pen: FlatPen, body: int, owner: Owner, symbol: bool) -> None:
        self.pen, self.body, self.owner, self.symbol = pen, body, owner, symbol

    def area(self, outline: Floats, color: str, z: float, **options: Any) -> None:
        """Add a filled outline with an edge of its color."""
        self._add("area", outline, color, z, **options)

    def line(self, points: Sequence[Floats] | Floats, color: str, z: float, width: float = 1.2, **options: Any) -> None:
        """Add a line."""
        self._add("line", points, color, z, width=width, **options)

    def dot(self, point: Floats, color: str, z: float, points: float) -> None:
        """Add a small filled dot (diameter in points)."""
        self._add("dot", point, color, z, width=points)

    def circle(self, point: Floats, radius: float, edge: str, z: float) -> None:
        """Add a circle that is filled with the color of the paper."""
        self._add("circle", point, edge, z, radius=radius, width=1.1, paleness=1.0)

    def ring(self, outer: Floats, inner: Floats, color: str, z: float) -> None:
        """Add the area between two closed outlines."""
        hole = self.pen.local(self.body, inner)
        self._add("area", outer, color, z, hole=hole, paleness=0.75, width=0.9)

    def hatch(self, a: Floats, b: Floats, side: Floats, z: float = Z_GROUND) -> None:
        """Add the surface of the ground from a to b, with strokes on the side that is solid; not for earlier poses."""
        along, size = b - a, self.pen.size
        length = float(np.linalg.norm(along))
        self.line([a, b], GROUND, z, 1.1, ghost=False)
        count = min(max(2, int(length / (0.32 * size))), 200)
        starts = a + along * np.linspace(0.0, 1.0, count)[:, None]
        ends = starts + side * 0.38 * size - along / max(length, 1e-300) * 0.3 * size
        strokes = np.stack([starts, ends, np.full_like(starts, np.nan)], axis=1).reshape(-1, 2)
        self.line(strokes, GROUND, z, 0.7, ghost=False)

    def _add(self, kind: str, points: Any, color: str, z: float, **options: Any) -> None:
        """Keep a stroke."""
        options = {"symbol": self.symbol} | options
        local = self.pen.local(self.body, points)
        self.pen.strokes.append(Stroke(kind, self.body, local, color, self.owner, z, **options))
