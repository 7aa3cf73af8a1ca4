"""A spatial drawing on matplotlib's 3-D axes: its strokes placed at a pose, shaded, with the edges that the eye sees in ink."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from multibody.view import geometry, solids, stretch
from multibody.view.facets import Facets
from multibody.view.geometry import Floats
from multibody.view.solids import Surface
from multibody.view.strokes import Drawing, Stretched, Stroke

MANY = 400  # tubes; more are drawn as plain lines
PIECES = 8000  # that the faces of a picture are cut into, about
PAPER = 5.5 * 72.0  # width of a picture in points, about: what dashes and thick lines are measured by


def _area(drawing: Drawing) -> float:
    """Return about how large all faces are together [length²]."""
    found = 0.0
    for stroke in drawing.strokes:
        if stroke.kind == "tube":
            found += 6.3 * stroke.radius * (stroke.radius + float(np.linalg.norm(stroke.points[1] - stroke.points[0])))
        elif stroke.kind == "ball":
            found += 12.6 * stroke.radius**2
        elif stroke.kind in ("box", "mesh"):
            x, y, z = np.ptp(stroke.points, axis=0)
            found += 2.0 * float(x * y + y * z + z * x)
    return found


class FacetPen:
    """Collects faces and lines, and adds them to the axes as one thing that is sorted by depth.

    Parameters
    ----------
    ax : Axes3D
    drawing : Drawing
    fade : float
    fineness : float
        Longest edge of the pieces that faces are cut into [symbol sizes]: the smaller, the more rightly one covers another.
    """

    def __init__(self, ax: Any, drawing: Drawing, fade: float, fineness: float = 3.0) -> None:
        self.ax, self.size, self.fade = ax, drawing.size, fade
        self.plain = sum(stroke.kind == "tube" for stroke in drawing.strokes) > MANY
        self.point = float(np.linalg.norm(drawing.high - drawing.low)) / PAPER  # [length]
        self.facets = Facets(fade, piece=max(fineness * drawing.size, 3.0 * self.point, 1.5 * np.sqrt(_area(drawing) / PIECES)))

    def flush(self) -> None:
        """Add what was collected to the axes."""
        self.facets.add_to(self.ax, 2.0 - self.fade)

    def stroke(self, stroke: Stroke, points: Floats) -> None:
        """Add a stroke whose points are placed."""
        near = stroke.level * self.size
        if stroke.kind == "dot":
            self.dot(points[0], stroke.color, stroke.width, stroke.level)
        elif stroke.kind == "line":
            self.line(points, stroke.color, stroke.width, near, stroke.dashes)
        elif stroke.kind == "tube" and self.plain:
            self.line(points, stroke.color, min(max(2.0 * stroke.radius / self.point, 0.8), 4.0), near)
        else:
            self._surface(stroke, points, near)

    def _surface(self, stroke: Stroke, points: Floats, near: float) -> None:
        """Add the faces of a stroke: round things with as many sides as their size on paper deserves."""
        sides = int(np.clip(6.0 * np.sqrt(stroke.radius / self.point), 12, 40))
        surface = solids.surface_of(replace(stroke, points=points), sides=2 * (sides // 2))
        if surface is not None:
            self.solid(surface, stroke.color, near, stroke.alpha, stroke.width, closed=stroke.kind != "faces")

    def solid(
        self, surface: Surface, color: str, near: float = 0.0, alpha: float = 1.0, width: float = 1.2, closed: bool = True
    ) -> None:
        """Add a surface; of a closed one only the side that looks to the eye."""
        self.facets.surface(surface, color, near, alpha, 0.6 * width, closed)

    def stretched(self, thing: Stretched, a: Floats, b: Floats) -> None:
        """Add a spring, a cylinder or a rod; nothing where its ends meet."""
        length = float(np.linalg.norm(b - a))
        if not length > 0.0:
            return
        if thing.kind == "spring":
            self.line(stretch.spring_line(a, b, thing.size), thing.color, thing.width)
        elif thing.kind == "cylinder":
            parts = stretch.cylinder_at(a, b, thing.rest)
            for start, end, radius in (
                (parts.start, parts.mouth, thing.size), (parts.piston, parts.end, stretch.ROD_WIDTH * thing.size)
            ):  # fmt: skip
                if float(np.linalg.norm(end - start)) > 1e-9 * length:
                    self.solid(solids.tube(start, end, radius, 16), thing.color)
        else:
            self.solid(solids.tube(a, b, thing.size, 8), thing.color)

    def line(self, points: Floats, color: str, width: float, near: float = 0.0, dashes: tuple[float, ...] = ()) -> None:
        """Add a line; dashes are cut out of it."""
        if dashes:
            points = geometry.dashed(points, np.array(dashes) * self.point)
        self.facets.line(points, color, width, near)

    def dot(self, point: Floats, color: str, diameter: float, _level: float = 0.0) -> None:
        """Add a small dot (diameter in points) before everything, whatever its level."""
        if not np.all(np.isfinite(point)):
            return
        from multibody.view.style import lighter

        style: dict[str, Any] = {"marker": "o", "markersize": diameter, "markeredgewidth": 0.0, "linestyle": "none"}
        shade = lighter(color, 0.8 * self.fade)
        self.ax.plot(*point[:, None], color=shade, zorder=3.5 - self.fade, **style)
