"""3-D axes: a view with equal scales that fills its figure, and where points of space lie on the screen."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from multibody.view.geometry import Floats, box_corners
from multibody.view.style import PALE, figure_size, plain

SIDE = 7.0  # of the square that 3-D axes draw in [inch]


def set_view(ax: Any, limits: tuple[Floats, Floats], view: tuple[float, float]) -> None:
    """Set limits, equal scales, the eye, and quiet panes."""
    low, high = limits
    ax.set_proj_type("ortho")
    ax.view_init(*view)
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    ax.set_box_aspect(high - low, zoom=1.0)
    extent = box_on_screen(ax, limits)
    frame = ax.figure.transFigure.transform_bbox(ax.get_position(original=False))
    room = (0.74 if len(ax.figure.axes) == 1 else 0.84) * np.array(
        [min(frame.width, ax.figure.bbox.width), min(frame.height, ax.figure.bbox.height)]
    )
    ax.set_box_aspect(high - low, zoom=float(np.min(room / extent)))
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.set_pane_color((0.975, 0.98, 0.985, 1.0))
        axis.line.set_color(PALE)
    for axis, name in ((ax.xaxis, "x"), (ax.yaxis, "y"), (ax.zaxis, "z")):
        edge = np.zeros(3)
        edge["xyz".index(name)] = (high - low)["xyz".index(name)]
        length = float(np.linalg.norm(np.diff(on_screen(ax, np.array([low, low + edge])), axis=0))) * 72.0 / ax.figure.dpi
        ax.locator_params(axis=name, nbins=int(np.clip(length / 32.0, 2, 5)))  # short axes have room for few numbers
        axis.labelpad = 10.0


def new_axes(
    limits: tuple[Floats, Floats], view: tuple[float, float], figsize: tuple[float, float] | None, figure: Any = None
) -> Any:
    """Return new 3-D axes in a figure, given or new, whose shape suits the mechanism seen from the eye.

    matplotlib draws 3-D axes in a square; here the square may be larger than the figure, which shows its middle.
    """
    figsize = figure_size(figsize)
    if figure is None:
        import matplotlib.pyplot as plt

        figure = plt.figure()
    figure.set_size_inches(SIDE, SIDE)
    ax: Any = figure.add_axes((0.0, 0.0, 1.0, 1.0), projection="3d", computed_zorder=False)
    ax.set_proj_type("ortho")
    ax.view_init(*view)
    ax.set(xlim=(limits[0][0], limits[1][0]), ylim=(limits[0][1], limits[1][1]), zlim=(limits[0][2], limits[1][2]))
    ax.set_box_aspect(limits[1] - limits[0], zoom=1.0)
    extent = box_on_screen(ax, limits) / figure.dpi
    extent = extent * min(5.6 / extent[0], 5.0 / extent[1])
    width, height = figsize or (max(extent[0] + 1.5, 4.2), max(extent[1] + 1.5, 3.6))
    figure.set_size_inches(width, height)
    side = max(width, height)
    ax.set_position((0.5 - 0.5 * side / width - 0.01, 0.5 - 0.5 * side / height - 0.02, side / width, side / height))
    return ax


def write_title(ax: Any, text: str) -> None:
    """Write the title: above planar axes, in the upper left corner of the figure over 3-D axes that fill it."""
    if not hasattr(ax, "get_proj") or len(ax.figure.axes) > 1:
        ax.set_title(plain(text), loc="left")
        return
    place = ax.get_position(original=True)
    width, height = ax.figure.get_size_inches()
    lines = _lines(text, int((72.0 * width - 60.0) / 6.2))
    title = ax.set_title(plain(lines), loc="left", y=(1.0 - 0.16 / height - place.y0) / place.height)
    title.set_x((0.16 / width - place.x0) / place.width)
    title.set_verticalalignment("top")


def _lines(text: str, letters: int) -> str:
    """Return a text in lines of so many letters."""
    return "\n".join(textwrap.wrap(text, max(letters, 10))) or text


def box_on_screen(ax: Any, limits: tuple[Floats, Floats]) -> Floats:
    """Return width and height of the box of the axes on the screen [pixels]."""
    low, high = limits
    corners = on_screen(ax, box_corners(high - low, 0.5 * (low + high)))
    return np.asarray(np.ptp(corners, axis=0))


def on_screen(ax: Any, points: Floats) -> Floats:
    """Return points of planar or 3-D axes in display coordinates (n, 2)."""
    if not hasattr(ax, "get_proj"):
        return np.asarray(ax.transData.transform(points))
    from mpl_toolkits.mplot3d import proj3d  # type: ignore[import-untyped]

    ax.apply_aspect()
    x, y, _ = proj3d.proj_transform(*points.T, ax.get_proj())
    return np.asarray(ax.transData.transform(np.column_stack([x, y])))
