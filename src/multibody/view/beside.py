"""Whole figures: a mechanism beside the diagrams of its motion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.view.draw import draw_run
from multibody.view.plot import plot_run
from multibody.view.scene import Poses
from multibody.view.style import figure_size, styled

if TYPE_CHECKING:
    from multibody.results.run import Run


def page_of(
    run: Run, plots: Sequence[str], x: str | None = None, *, at: float | Sequence[float] | None = None,
    trace: Sequence[str] = (), figsize: tuple[float, float] | None = None, title: str | None = None,
) -> Any:  # fmt: skip
    """Return a figure with the mechanism on the left and curves on the right, one axes for each unit.

    Parameters
    ----------
    run : Run
    plots : sequence of str
        Paths or expressions to plot.
    x : str, optional
        Path or expression along the horizontal axis; default the time.
    at, trace
        As for :func:`draw_run`.
    figsize : (float, float), optional
        Of the figure [inch].
    title : str, optional
        Of the mechanism's picture.

    Returns
    -------
    Figure
    """
    import matplotlib.pyplot as plt

    spatial = run.tables.dimension == 3
    units = list(dict.fromkeys(run.measurer(path).unit for path in plots))
    with styled():
        figure = plt.figure(figsize=figure_size(figsize) or (11.0, 4.6), layout="none" if spatial else "constrained")
        grid = figure.add_gridspec(len(units), 2, width_ratios=(1.25, 1.0))
        if spatial:  # matplotlib's layout engine does not know the labels of 3-D axes
            grid.update(left=0.0, right=0.97, top=0.93, bottom=0.12, wspace=0.12, hspace=0.35)
        options: dict[str, Any] = {"projection": "3d", "computed_zorder": False} if spatial else {}
        right = [figure.add_subplot(grid[k, 1]) for k in range(len(units))]
        for one in right[:-1]:
            one.sharex(right[-1])
            one.tick_params(labelbottom=False)
        left: Any = figure.add_subplot(grid[:, 0], **options)
    plot_run(run, plots, x, right, title="")
    draw_run(run, at, left, trace=trace, title=title)
    return figure


def telling_time(run: Run) -> float:
    """Return a time whose pose shows the mechanism well: the last, or one on the way where a turn ends as it began."""
    first, last = (Poses(run.tables, run.motion.q[k]) for k in (0, -1))
    moved = float(np.max(np.abs(last.r - first.r)))
    return float(run.time[-1] if moved > 1e-3 * run.tables.length else run.time[len(run.time) // 8])
