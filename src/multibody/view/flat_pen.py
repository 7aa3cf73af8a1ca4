"""The pen of planar pictures: areas, lines, dots and the strokes of the ground, paler for earlier poses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.view.geometry import Floats
from multibody.view.style import GROUND, lighter

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# What lies above what.
Z_GROUND, Z_WHEEL, Z_SUPPORT, Z_LINK, Z_BLOCK, Z_JOINT = 1.0, 2.0, 2.8, 3.0, 4.0, 5.0


class FlatPen:
    """Draws on planar axes.

    Parameters
    ----------
    ax : Axes
    size : float
        Of the joint symbols [length].
    fade : float
        0 for the pose itself; towards 1 for an earlier one, which is paler and lies below.
    """

    def __init__(self, ax: Axes, size: float, fade: float = 0.0) -> None:
        self.ax, self.size, self.fade = ax, size, fade

    def level(self, z: float) -> float:
        """Return the order of drawing at this pose."""
        return z - 0.5 * self.fade

    def color(self, color: str) -> Any:
        """Return a color as it is at this pose."""
        return lighter(color, 0.8 * self.fade)

    def area(
        self, outline: Floats, color: str, z: float, *, paleness: float = 0.55, width: float = 1.2, alpha: float = 1.0,
        **options: Any,
    ) -> None:  # fmt: skip
        """Add a filled outline with an edge of its color."""
        from matplotlib.colors import to_rgba
        from matplotlib.patches import Polygon

        face = lighter(color, paleness + (1.0 - paleness) * 0.8 * self.fade)
        patch = Polygon(outline, closed=True, facecolor=to_rgba(face, alpha), edgecolor=self.color(color), linewidth=width)
        patch.set(joinstyle="round", zorder=self.level(z), **options)
        self.ax.add_patch(patch)

    def line(self, points: Sequence[Floats] | Floats, color: str, z: float, width: float = 1.2, **options: Any) -> None:
        """Add a line."""
        x, y = np.asarray(points).T
        options |= {"color": self.color(color), "linewidth": width, "zorder": self.level(z)}
        self.ax.plot(x, y, scalex=False, scaley=False, **options)

    def dot(self, point: Floats, color: str, z: float, points: float) -> None:
        """Add a small filled dot (diameter in points)."""
        self.line([point], color, z, marker="o", markersize=points, markeredgewidth=0.0, linestyle="none")

    def circle(self, point: Floats, radius: float, edge: str, z: float) -> None:
        """Add a white circle."""
        from matplotlib.patches import Circle

        patch = Circle((point[0], point[1]), radius, facecolor="white", edgecolor=self.color(edge), linewidth=1.1)
        patch.set_zorder(self.level(z))
        self.ax.add_patch(patch)

    def ring(self, outer: Floats, inner: Floats, color: str, z: float) -> None:
        """Add the area between two closed outlines."""
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        closed = [np.vstack([part, part[:1]]) for part in (outer[::-1], inner)]
        codes = [[Path.MOVETO, *[Path.LINETO] * (len(part) - 2), Path.CLOSEPOLY] for part in closed]
        path = Path(np.vstack(closed), np.concatenate(codes).astype(Path.code_type))
        patch = PathPatch(path, facecolor=lighter(color, 0.75 + 0.2 * self.fade), edgecolor=self.color(color), linewidth=0.9)
        patch.set_zorder(self.level(z))
        self.ax.add_patch(patch)

    def hatch(self, a: Floats, b: Floats, side: Floats, z: float = Z_GROUND) -> None:
        """Add the surface of the ground from a to b, with strokes on the side that is solid; the pose itself only."""
        if self.fade:
            return
        along = b - a
        length = float(np.linalg.norm(along))
        self.line([a, b], GROUND, z, 1.1)
        count = min(max(2, int(length / (0.32 * self.size))), 200)
        starts = a + along * np.linspace(0.0, 1.0, count)[:, None]
        ends = starts + side * 0.38 * self.size - along / max(length, 1e-300) * 0.3 * self.size
        strokes = np.stack([starts, ends, np.full_like(starts, np.nan)], axis=1).reshape(-1, 2)
        self.line(strokes, GROUND, z, 0.7, solid_capstyle="butt")
