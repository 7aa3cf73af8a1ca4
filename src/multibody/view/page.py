"""Whole figures: a mechanism beside the diagrams of its motion, written to files without a display."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.view.draw import draw_run, draw_state
from multibody.view.plot import plot_run
from multibody.view.style import save, styled

if TYPE_CHECKING:
    from multibody.results.run import Run
    from multibody.results.state import State


def page_of(
    run: Run, plots: Sequence[str], *, at: float | Sequence[float] | None = None, trace: Sequence[str] = (),
    figsize: tuple[float, float] | None = None, title: str | None = None,
) -> Any:  # fmt: skip
    """Return a figure with the mechanism on the left and curves over time on the right, one axes for each unit.

    Parameters
    ----------
    run : Run
    plots : sequence of str
        Paths or expressions to plot.
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
        figure = plt.figure(figsize=figsize or (11.0, 4.6), layout="none" if spatial else "constrained")
        grid = figure.add_gridspec(len(units), 2, width_ratios=(1.25, 1.0), wspace=0.3 if spatial else None)
        options: dict[str, Any] = {"projection": "3d", "computed_zorder": False} if spatial else {}
        right = [figure.add_subplot(grid[k, 1]) for k in range(len(units))]
        for one in right[:-1]:
            one.sharex(right[-1])
            one.tick_params(labelbottom=False)
        left: Any = figure.add_subplot(grid[:, 0], **options)
    plot_run(run, plots, right if len(right) > 1 else right[0], title="")
    draw_run(run, at, left, trace=trace, title=title)
    return figure


def save_run(run: Run, file: pathlib.Path, plots: Sequence[str], traces: Sequence[str]) -> None:
    """Write a picture of a run: the last instant, with the paths of points, and curves over time if there are any."""
    with _headless():
        at = float(run.time[-1])
        if len(run.time) > 1 and np.allclose(run.motion.q[-1], run.motion.q[0], atol=1e-6 * run.tables.length):
            at = float(run.time[len(run.time) // 8])  # a full turn ends where it began, often in line
        save(page_of(run, plots, at=at, trace=traces) if plots else draw_run(run, at, trace=traces).figure, file)


def save_pictures(states: Sequence[State], files: Sequence[pathlib.Path]) -> None:
    """Write a picture of each state."""
    with _headless():
        for state, file in zip(states, files, strict=True):
            save(draw_state(state).figure, file)


@contextmanager
def _headless() -> Iterator[None]:
    """Draw without a display, and close the figures that were made."""
    import matplotlib
    import matplotlib.pyplot as plt

    before, open_before = matplotlib.get_backend(), set(plt.get_fignums())
    plt.switch_backend("agg")
    try:
        yield
    finally:
        for number in set(plt.get_fignums()) - open_before:
            plt.close(number)
        plt.switch_backend(before)
