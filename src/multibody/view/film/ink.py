"""Agg, the rasterizer of matplotlib's pictures, without the artists: what a film draws looks as a picture does.

A picture makes an artist of every stroke. A film keeps path and pen of a stroke, and gives Agg another matrix in every frame.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody.view.film.paper import Color, Paper
from multibody.view.geometry import Floats


@dataclass(frozen=True)
class Item:
    """A thing that is drawn: what it covers and what covers it, how it is drawn in the k-th frame, whether it never moves."""

    level: float
    draw: Callable[[int], None]
    still: bool = False


class Ink:
    """Draws into the pixels of a figure.

    Parameters
    ----------
    figure : Figure
        With an Agg canvas.
    clip : Bbox, optional
        What lies outside is not drawn [pixels].
    paper : Paper
    """

    def __init__(self, figure: Any, clip: Any, paper: Paper) -> None:
        self.renderer, self.clip, self.paper = figure.canvas.get_renderer(), clip, paper
        self.pixels = figure.dpi / 72.0  # of a point

    def pen(self, color: Color, width: float, dashes: Sequence[float] = (), alpha: float = 1.0) -> Any:
        """Return a pen (a graphics context); width and dashes in points."""
        gc = self.renderer.new_gc()
        gc.set_foreground(color)
        gc.set_alpha(alpha)
        gc.set_linewidth(width)
        gc.set_joinstyle("round")
        gc.set_capstyle("butt" if dashes else "round")
        gc.set_snap(False)  # a snapped edge would jump from pixel to pixel
        if dashes:
            gc.set_dashes(0.0, list(dashes))
        if self.clip is not None:
            gc.set_clip_rectangle(self.clip)
        return gc

    def path(self, pen: Any, path: Any, matrix: Any, face: tuple[float, ...] | None = None) -> None:
        """Draw a path under an affine map to pixels, filled if it has a face."""
        self.renderer.draw_path(pen, path, matrix, face)


def affine(linear: Floats, shift: Floats) -> Any:
    """Return the map x → linear x + shift of the plane as matplotlib has it."""
    from matplotlib.transforms import Affine2D

    (a, b), (c, d) = linear
    return Affine2D.from_values(a, c, b, d, shift[0], shift[1])


def outline_path(outline: Floats, hole: Floats | None = None) -> Any:
    """Return a closed path around an area, with its hole."""
    from matplotlib.path import Path

    parts = [outline] if hole is None or len(hole) == 0 else [outline[::-1], hole]
    points = np.vstack([np.vstack([part, part[:1]]) for part in parts])
    codes = np.concatenate([[Path.MOVETO, *[Path.LINETO] * (len(part) - 1), Path.CLOSEPOLY] for part in parts])
    return Path(points, codes.astype(Path.code_type))


def line_path(points: Floats) -> Any:
    """Return an open path; rows of NaN part it."""
    from matplotlib.path import Path

    return Path(points)


def circle_path() -> Any:
    """Return the circle of radius 1 around the origin."""
    from matplotlib.path import Path

    return Path.unit_circle()
