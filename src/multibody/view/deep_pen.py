"""The pen of spatial pictures: shaded faces, lines and dots, collected and drawn from the farthest to the nearest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from multibody.view import geometry
from multibody.view.geometry import Floats
from multibody.view.style import lighter

LIGHT = np.array([0.35, -0.5, 0.8]) / np.linalg.norm([0.35, -0.5, 0.8])


class DeepPen:
    """Draws on 3-D axes.

    Parameters
    ----------
    ax : Axes3D
        Its view must be set.
    size : float
        Of the joint symbols [length].
    fade : float
        0 for the pose itself; towards 1 for an earlier one, which is paler and lies behind.
    """

    def __init__(self, ax: Any, size: float, fade: float = 0.0) -> None:
        self.ax, self.size, self.fade = ax, size, fade
        elevation, azimuth = np.deg2rad([ax.elev, ax.azim])
        level = np.cos(elevation)
        self.eye = np.array([level * np.cos(azimuth), level * np.sin(azimuth), np.sin(elevation)])
        self.items: list[tuple[float, Any, str]] = []

    def flush(self) -> None:
        """Add what was drawn to the axes, the farthest first."""
        self.items.sort(key=lambda item: item[0])
        for order, (_, artist, add) in enumerate(self.items):
            artist.set_zorder(2.0 + order / len(self.items) - self.fade)
            getattr(self.ax, add)(artist)
        self.items = []

    def faces(
        self, faces: Sequence[Floats], color: str, *, near: float = 0.0, alpha: float = 1.0, edge: str | None = None
    ) -> None:
        """Add shaded faces; `near` moves them towards the eye in the order of drawing [length]."""
        from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # type: ignore[import-untyped]

        pale = 0.8 * self.fade
        shades = [lighter(color, pale + (1.0 - pale) * _shine(face)) for face in faces]
        edges = shades if edge is None else [lighter(edge, pale)] * len(shades)
        most = max(len(face) for face in faces)  # matplotlib fills shorter faces up with numbers of no meaning
        equal = [np.vstack([face, *[face[-1:]] * (most - len(face))]) for face in faces]
        artist = Poly3DCollection(equal, facecolors=shades, edgecolors=edges, linewidths=0.3, alpha=alpha)
        middle = np.vstack(list(faces)).mean(axis=0)
        self.items.append((float(middle @ self.eye) + near, artist, "add_collection3d"))

    def line(
        self, points: Sequence[Floats] | Floats, color: str, width: float = 1.2, *, near: float = 0.0, **options: Any
    ) -> None:
        """Add a line."""
        from mpl_toolkits.mplot3d.art3d import Line3D

        cloud = np.asarray(points, dtype=float)
        artist = Line3D(*cloud.T, color=lighter(color, 0.8 * self.fade), linewidth=width, **options)
        self.items.append((float(cloud.mean(axis=0) @ self.eye) + near, artist, "add_line"))

    def dot(self, point: Floats, color: str, points: float) -> None:
        """Add a small dot (diameter in points)."""
        style: dict[str, Any] = {"marker": "o", "markersize": points, "markeredgewidth": 0.0, "linestyle": "none"}
        self.line([point], color, near=3.0 * self.size, **style)

    def closed(self, outline: Floats, color: str, width: float) -> None:
        """Add a closed line."""
        self.line(np.vstack([outline, outline[:1]]), color, width)

    def tube(
        self, start: Floats, end: Floats, radius: float, color: str, *, near: float = 0.0, sides: int = 16, alpha: float = 1.0
    ) -> None:
        """Add a cylinder."""
        if float(np.linalg.norm(end - start)) > 0.0:
            self.faces(geometry.tube_faces(start, end, radius, sides), color, near=near, alpha=alpha)

    def ball(self, center: Floats, radius: float, color: str, near: float = 0.0) -> None:
        """Add a ball."""
        heights = np.linspace(-1.0, 1.0, 9)[:, None]
        angles = np.linspace(0.0, 2.0 * np.pi, 15)
        width = np.sqrt(np.clip(1.0 - heights**2, 0.0, 1.0))
        unit = np.stack([width * np.cos(angles), width * np.sin(angles), np.broadcast_to(heights, (9, 15))], axis=-1)
        grid = center + radius * unit
        corners = (grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1])
        self.faces(list(np.stack(corners, axis=2).reshape(-1, 4, 3)), color, near=near)

    def box(self, corners: Floats, color: str, *, near: float = 0.0, alpha: float = 1.0, edge: str | None = None) -> None:
        """Add a box by its 8 corners."""
        self.faces([corners[list(face)] for face in geometry.BOX_FACES], color, near=near, alpha=alpha, edge=edge)


def _shine(face: Floats) -> float:
    """Return how much a face is lightened: most where it looks into the light (both sides alike)."""
    normal = np.cross(face[1] - face[0], face[2] - face[1])
    size = float(np.linalg.norm(normal))
    if size == 0.0:
        return 0.3
    return 0.1 + 0.45 * abs(float(normal @ LIGHT)) / size
