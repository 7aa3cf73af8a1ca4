"""What the pens of planar and spatial drawings share: a reference pose, and what was drawn at it, kept in body axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from multibody.view.geometry import Floats
from multibody.view.scene import Poses
from multibody.view.strokes import Owner, Stretched, Stroke


class Pen:
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

    def local(self, body: int, points: Any) -> Floats:
        """Return points of the ground at the reference pose in body axes, from the center of mass (n, d)."""
        cloud = np.asarray(points, dtype=float).reshape(-1, self.poses.r.shape[1])
        return np.asarray((cloud - self.poses.r[body]) @ self.poses.A[body])

    def stretch(
        self, kind: str, bodies: tuple[int, int], points: Sequence[Floats], size: float, color: str, owner: Owner,
        **options: Any,
    ) -> None:  # fmt: skip
        """Add a thing between two points, one of each body, given in ground at the reference pose."""
        ends = np.vstack([self.local(body, point) for body, point in zip(bodies, points, strict=True)])
        self.stretched.append(Stretched(kind, bodies, ends, size, color, owner, **options))


class Nib:
    """Draws on one body, in ground coordinates at the reference pose; whatever it draws may be given any field of a stroke."""

    def __init__(self, pen: Pen, body: int, owner: Owner, symbol: bool) -> None:
        self.pen, self.body, self.owner, self.symbol = pen, body, owner, symbol

    def add(self, kind: str, points: Any, color: str, **options: Any) -> None:
        """Keep a stroke."""
        local = self.pen.local(self.body, points)
        self.pen.strokes.append(Stroke(kind, self.body, local, color, self.owner, **{"symbol": self.symbol} | options))
