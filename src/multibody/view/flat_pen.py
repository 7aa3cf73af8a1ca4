"""The pen of planar drawings: areas, lines, dots and the hatching of the ground, kept in the axes of their bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from multibody.view.geometry import Floats
from multibody.view.pen import Nib, Pen
from multibody.view.strokes import Owner
from multibody.view.style import GROUND

# What lies above what.
Z_GROUND, Z_WHEEL, Z_SUPPORT, Z_LINK, Z_BLOCK, Z_JOINT = 1.0, 2.0, 2.8, 3.0, 4.0, 5.0


class FlatPen(Pen):
    """The pen of planar drawings."""

    def on(self, body: int, owner: Owner, *, symbol: bool = False) -> FlatNib:
        """Return a nib that draws things which move with a body and belong to an owner."""
        return FlatNib(self, body, owner, symbol)


class FlatNib(Nib):
    """Draws outlines on one body; `z` says what lies above what."""

    def area(self, outline: Floats, color: str, z: float, **options: Any) -> None:
        """Add a filled outline with an edge of its color."""
        self.add("area", outline, color, level=z, **options)

    def line(self, points: Sequence[Floats] | Floats, color: str, z: float, width: float = 1.2, **options: Any) -> None:
        """Add a line."""
        self.add("line", points, color, level=z, width=width, **options)

    def dot(self, point: Floats, color: str, z: float, points: float) -> None:
        """Add a small filled dot (diameter in points)."""
        self.add("dot", point, color, level=z, width=points)

    def circle(self, point: Floats, radius: float, edge: str, z: float) -> None:
        """Add a circle that is filled with the color of the paper."""
        self.add("circle", point, edge, level=z, radius=radius, width=1.1, paleness=1.0)

    def ring(self, outer: Floats, inner: Floats, color: str, z: float) -> None:
        """Add the area between two closed outlines."""
        hole = self.pen.local(self.body, inner)
        self.add("area", outer, color, level=z, hole=hole, paleness=0.75, width=0.9)

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
