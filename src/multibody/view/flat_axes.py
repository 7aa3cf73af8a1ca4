"""A planar drawing on matplotlib axes: its strokes placed at a pose, paler for earlier ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.view import stretch
from multibody.view.geometry import Floats
from multibody.view.scene import Poses
from multibody.view.strokes import Stretched, Stroke
from multibody.view.style import lighter

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class PatchPen:
    """Adds artists to planar axes.

    Parameters
    ----------
    ax : Axes
    fade : float
        0 for the pose itself; toward 1 for an earlier one.
    poses : Poses
        The pose.
    """

    def __init__(self, ax: Axes, fade: float, poses: Poses) -> None:
        self.ax, self.fade, self.poses = ax, fade, poses

    def flush(self) -> None:
        """Do nothing: planar things are added at once."""

    def stroke(self, stroke: Stroke, points: Floats) -> None:
        """Add a stroke whose points are placed."""
        if stroke.kind == "line":
            self.line(points, stroke.color, stroke.level, stroke.width, stroke.dashes)
        elif stroke.kind == "dot":
            self.dot(points[0], stroke.color, stroke.width, stroke.level)
        elif stroke.kind == "circle":
            self._circle(points[0], stroke)
        elif len(stroke.hole):
            self._ring(points, self.poses.place(stroke.body, stroke.hole), stroke)
        else:
            self.area(points, stroke.color, stroke.level, stroke.paleness, stroke.width, stroke.alpha, stroke.dashes)

    def stretched(self, thing: Stretched, a: Floats, b: Floats) -> None:
        """Add a spring, a cylinder or a rod."""
        if thing.kind == "cylinder":
            self._cylinder(thing, stretch.cylinder_at(a, b, thing.rest))
            return
        points = stretch.spring_line(a, b, thing.size) if thing.kind == "spring" else np.array([a, b])
        self.line(points, thing.color, thing.level, thing.width)

    def _cylinder(self, thing: Stretched, parts: stretch.Cylinder) -> None:
        """Add a tube, the rod that comes out of it, and the piston inside."""
        z, color, half = thing.level, thing.color, thing.size
        self.area(stretch.bar(parts.start, parts.mouth, half), color, z, stretch.TUBE_PALENESS, thing.width)
        rod = stretch.bar(parts.piston, parts.end, stretch.ROD_WIDTH * half)
        self.area(rod, color, z + 0.01, stretch.ROD_PALENESS, thing.width)
        head = stretch.bar(parts.piston, parts.end, half)[[0, 3]]
        self.line(head, color, z + 0.02, 2.0 * thing.width)

    def area(
        self, outline: Floats, color: str, z: float, paleness: float, width: float, alpha: float = 1.0,
        dashes: tuple[float, ...] = (),
    ) -> None:  # fmt: skip
        """Add a filled outline with an edge of its color."""
        from matplotlib.colors import to_rgba
        from matplotlib.patches import Polygon

        patch = Polygon(outline, closed=True, facecolor=to_rgba(self._face(color, paleness), alpha), linewidth=width)
        patch.set(edgecolor=self._color(color), joinstyle="round", zorder=self._level(z))
        if dashes:
            patch.set_linestyle((0, tuple(part / width for part in dashes)))
        self.ax.add_patch(patch)

    def line(self, points: Floats, color: str, z: float, width: float, dashes: tuple[float, ...] = (), **options: Any) -> None:
        """Add a line; matplotlib counts dashes in line widths."""
        if dashes:
            options["linestyle"] = (0, tuple(part / width for part in dashes))
        options |= {"color": self._color(color), "linewidth": width, "zorder": self._level(z)}
        self.ax.plot(*points.T, scalex=False, scaley=False, **options)

    def dot(self, point: Floats, color: str, diameter: float, level: float) -> None:
        """Add a small filled dot (diameter in points)."""
        self.line(point[None], color, level, 1.0, marker="o", markersize=diameter, markeredgewidth=0.0, linestyle="none")

    def _circle(self, point: Floats, stroke: Stroke) -> None:
        from matplotlib.patches import Circle

        patch = Circle((point[0], point[1]), stroke.radius, facecolor="white", linewidth=stroke.width)
        patch.set(edgecolor=self._color(stroke.color), zorder=self._level(stroke.level))
        self.ax.add_patch(patch)

    def _ring(self, outer: Floats, inner: Floats, stroke: Stroke) -> None:
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        closed = [np.vstack([part, part[:1]]) for part in (outer[::-1], inner)]
        codes = [[Path.MOVETO, *[Path.LINETO] * (len(part) - 2), Path.CLOSEPOLY] for part in closed]
        path = Path(np.vstack(closed), np.concatenate(codes).astype(Path.code_type))
        patch = PathPatch(path, facecolor=self._face(stroke.color, stroke.paleness), linewidth=stroke.width)
        patch.set(edgecolor=self._color(stroke.color), zorder=self._level(stroke.level))
        self.ax.add_patch(patch)

    def _level(self, z: float) -> float:
        """Return the order of drawing at this pose."""
        return z - 0.5 * self.fade

    def _color(self, color: str) -> Any:
        """Return a color as it is at this pose."""
        return lighter(color, 0.8 * self.fade)

    def _face(self, color: str, paleness: float) -> Any:
        """Return the color of a face as it is at this pose."""
        return lighter(color, paleness + (1.0 - paleness) * 0.8 * self.fade)
