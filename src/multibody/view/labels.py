"""Names in a picture, placed where they cover least."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.view.geometry import Floats
from multibody.view.style import PALE, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DIRECTIONS = [(np.cos(a), np.sin(a)) for a in np.deg2rad([45, 135, -45, -135, 90, 0, 180, -90, 20, 160, -20, -160])]


_REACHES = (1.0, 1.8, 2.6, 4.5, 7.0, 10.0)
FAR = 4.0  # parts of its distance beyond which a line joins a name to its point

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Label:
    """A name, the display point that it belongs to (pixels), its color, and how far off it stands (points)."""

    text: str
    anchor: Floats
    color: str
    distance: float
    size: float = 8.0
    slanted: bool = False


Write = Callable[[Label, Floats, bool], None]


def place_labels(ax: Axes, labels: list[Label], obstacles: Floats, write: Write, reserved: Sequence[Box] = ()) -> None:
    """Write the labels, each in the direction in which it covers fewest other labels and drawn points.

    Parameters
    ----------
    ax : Axes
        Its limits must be final.
    labels : list of Label
        Those that come first choose first.
    obstacles : array (n, 2)
        Display points that had better stay visible.
    write : callable
        ``write(label, offset, far)`` puts the middle of the text at an offset from the anchor (pixels), with a thin line
        between them where it is far.
    reserved : sequence of (float, float, float, float)
        Boxes that no name may cover: left, lower, right, upper (pixels).
    """
    points_to_pixels = ax.figure.dpi / 72.0
    taken = list(reserved)
    frame = ax.figure.bbox if hasattr(ax, "get_proj") else ax.get_window_extent()
    for label in labels:
        width = _width(label) * points_to_pixels + 3.0
        height = 1.25 * label.size * points_to_pixels
        best: tuple[float, Floats, bool] | None = None
        for rank, factor, (dx, dy) in (
            (0.02 * k + 0.3 * f, reach, d) for f, reach in enumerate(_REACHES) for k, d in enumerate(DIRECTIONS)
        ):
            reach = label.distance * points_to_pixels * factor
            center = label.anchor + np.array([dx * (reach + 0.5 * width), dy * (reach + 0.5 * height)])
            box = (center[0] - 0.5 * width, center[1] - 0.5 * height, center[0] + 0.5 * width, center[1] + 0.5 * height)
            cost = rank + _covered(box, taken, obstacles) + 5.0 * _outside(box, frame)
            if best is None or cost < best[0]:
                best = (cost, center, factor > FAR)
        assert best is not None
        center = best[1]
        taken.append((center[0] - 0.5 * width, center[1] - 0.5 * height, center[0] + 0.5 * width, center[1] + 0.5 * height))
        write(label, center - label.anchor, best[2])


def _width(label: Label) -> float:
    """Return the width of a label [points]."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    font = FontProperties(size=label.size, style="italic" if label.slanted else "normal")
    return float(TextPath((0.0, 0.0), plain(label.text), prop=font).get_extents().width) if label.text.strip() else 0.0


def _covered(box: Box, taken: list[Box], obstacles: Floats) -> float:
    """Return how bad it is to write into a box: overlaps with labels, then drawn points inside."""
    x0, y0, x1, y1 = box
    cost = 0.0
    for a0, b0, a1, b1 in taken:
        if x0 < a1 and a0 < x1 and y0 < b1 and b0 < y1:
            cost += 40.0
    if len(obstacles):
        inside = (obstacles[:, 0] > x0) & (obstacles[:, 0] < x1) & (obstacles[:, 1] > y0) & (obstacles[:, 1] < y1)
        cost += 0.25 * float(np.count_nonzero(inside))
    return cost


def _outside(box: Box, frame: Any) -> float:
    """Return 1 where a box leaves the axes."""
    return float(box[0] < frame.x0 or box[1] < frame.y0 or box[2] > frame.x1 or box[3] > frame.y1)


def halo() -> list[Any]:
    """Return the path effects of a white halo."""
    from matplotlib.patheffects import withStroke

    return [withStroke(linewidth=2.2, foreground="white", alpha=0.85)]


def looks(label: Label) -> dict[str, Any]:
    """Return the properties of a label's text."""
    return {
        "ha": "center", "va": "center", "fontsize": label.size, "color": label.color, "zorder": 1000.0,
        "style": "italic" if label.slanted else "normal", "path_effects": halo(),
    }  # fmt: skip


def write_flat(ax: Axes) -> Write:
    """Return how a label is written on planar axes."""

    def write(label: Label, offset: Floats, far: bool) -> None:
        x, y = ax.transData.inverted().transform(label.anchor)
        dx, dy = offset * 72.0 / ax.figure.dpi
        line = {"arrowstyle": "-", "color": PALE, "linewidth": 0.6, "shrinkA": 1.0, "shrinkB": 2.0}
        more: dict[str, Any] = looks(label) | ({"arrowprops": line} if far else {})
        ax.annotate(plain(label.text), (x, y), xytext=(dx, dy), textcoords="offset points", annotation_clip=False, **more)

    return write
