"""Legends that cover no curve: beside the axes where the figure makes room for them, else where the axes are free."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend

    from multibody.view.geometry import Floats

LINE = 12.0  # height of an entry [point]
LONGEST = 44  # letters of a line of an entry; longer expressions go on in the next line
CORNERS = ("upper right", "upper left", "lower right", "lower left", "center right", "center left", "upper center",
           "lower center", "center")  # fmt: skip
BELOW = 32.0  # from the axes to a legend under the name of their x axis [point]
TITLE, TITLE_LINE = 0.16, 0.175  # room that the title of a spatial picture takes: above it, and for each line [inch]
TALLEST = (0.5, 0.75)  # of the axes' height, where room is made for a legend inside; the second where the first does not do


def wrapped(name: str, letters: int = LONGEST) -> str:
    """Return a name in lines that a caption has room for."""
    return "\n".join(textwrap.wrap(name, letters, break_long_words=False)) or name


def place_legend(ax: Axes, height: float | None = None) -> Legend:
    """Name the labeled curves of an axes in a legend that covers none of them.

    On a figure with a layout engine it stands to the right of the axes, which give way. Elsewhere it takes a free place inside
    them; where there is none, the upper limit is raised until it fits above the curves.

    Parameters
    ----------
    ax : Axes
        With its final limits.
    height : float, optional
        Of the axes [inch], where the layout is not known yet; default as they are now.

    Returns
    -------
    Legend
    """
    figure: Any = ax.figure
    tall = ax.get_window_extent().height / figure.dpi if height is None else height
    if figure.get_layout_engine() is not None:
        return _beside(ax, tall)
    for corner in CORNERS:
        legend = _legend(ax, loc=corner)
        if not _covers(ax, legend):
            return legend
    return _above(ax, tall)


def place_key(ax: Axes, curves: list[Floats]) -> None:
    """Name the traced points of a picture where the key covers none of their paths.

    Below planar axes on a figure whose layout makes room for it; else in a free corner of the axes, in space under the title.

    Parameters
    ----------
    ax : Axes
        With its final limits.
    curves : list of arrays (n, 2)
        The paths on the screen [pixels].
    """
    from matplotlib.path import Path

    figure: Any = ax.figure
    deep = hasattr(ax, "get_proj")
    if figure.get_layout_engine() is not None and not deep:
        legend_below(ax)
        return
    ax.apply_aspect()
    box, whole = ax.get_window_extent(), figure.bbox
    lines = 1 + ax.get_title(loc="left").count("\n")
    title = (TITLE + TITLE_LINE * lines) * figure.dpi if deep else 0.0
    left, bottom, right = max(box.x0, 0.08 * figure.dpi), max(box.y0, 0.0), min(box.x1, whole.width)
    top = min(box.y1, whole.height - title)
    region = (left / whole.width, bottom / whole.height, (right - left) / whole.width, (top - bottom) / whole.height)
    paths = [Path(curve) for curve in curves]
    for corner in ("upper left", "lower left", "lower right", "center left", "upper left"):  # gravity has the upper right one
        legend = _legend(
            ax, loc=corner, bbox_to_anchor=region, bbox_transform=figure.transFigure, handlelength=2.6, borderaxespad=0.25
        )
        if not any(path.intersects_bbox(legend.get_window_extent(), filled=False) for path in paths):
            return


def legend_below(ax: Axes) -> None:
    """Put a legend of the labeled curves below the name of the x axis, in as many columns as fit."""
    from matplotlib.transforms import ScaledTranslation

    figure: Any = ax.figure
    place = ax.transAxes + ScaledTranslation(0.0, -BELOW / 72.0, figure.dpi_scale_trans)
    names = len(ax.get_legend_handles_labels()[1])
    wide = ax.get_window_extent().width
    for columns in range(min(names, 6), 0, -1):
        legend = _legend(
            ax, loc="upper left", bbox_to_anchor=(0.0, 0.0), bbox_transform=place, ncols=columns, borderaxespad=0.0,
            handlelength=2.6,
        )  # fmt: skip
        if columns == 1 or legend.get_window_extent().width <= wide:
            return


def legend_width(ax: Axes) -> float:
    """Return the width of the legend beside an axes [inch], 0 where it has none."""
    legend, figure = ax.get_legend(), ax.figure
    return 0.0 if legend is None else float(legend.get_window_extent().width / figure.dpi)


def _legend(ax: Axes, letters: int = LONGEST, **options: Any) -> Legend:
    """Return a new legend of all labeled curves."""
    handles, labels = ax.get_legend_handles_labels()
    return ax.legend(handles, [wrapped(label, letters) for label in labels], **options)


def _beside(ax: Axes, tall: float) -> Legend:
    """Return a legend to the right of the axes, in as many columns as its height asks for."""
    lines = sum(1 + wrapped(label).count("\n") for label in ax.get_legend_handles_labels()[1])
    columns = math.ceil(lines * LINE / max(72.0 * tall, LINE))
    return _legend(ax, loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0, ncols=columns)


def _covers(ax: Axes, legend: Legend) -> bool:
    """Return whether a legend lies over a curve or reaches out of its axes."""
    box, frame = legend.get_window_extent(), ax.get_window_extent()
    if not (frame.x0 <= box.x0 and box.x1 <= frame.x1 and frame.y0 <= box.y0 and box.y1 <= frame.y1):
        return True
    curves = (line for line in ax.get_lines() if not str(line.get_label()).startswith("_"))
    return any(line.get_transform().transform_path(line.get_path()).intersects_bbox(box, filled=False) for line in curves)


def _above(ax: Axes, tall: float) -> Legend:
    """Return a legend in the upper part of the axes, above whose curves room is made; beside them if it is too large."""
    names, frame, figure = len(ax.get_legend_handles_labels()[1]), ax.get_window_extent(), ax.figure
    letters = min(LONGEST, max(int(frame.width / figure.dpi * 15.0) - 8, 12))  # about 15 fit into an inch, beside the sample
    for tallest in TALLEST:
        for columns in range(1, names + 1):
            legend = _legend(ax, letters, loc="upper left", ncols=columns)
            box = legend.get_window_extent()
            part = (frame.y1 - box.y0) / frame.height + 0.02
            if part <= tallest and box.width <= frame.width:
                scale = ax.yaxis.get_transform()  # linear or logarithmic
                low, high = scale.transform(ax.get_ylim())
                ax.set_ylim(top=float(scale.inverted().transform(low + (high - low) / (1.0 - part))))
                return legend
    return _beside(ax, tall)
