"""Diagrams of a study: how often values occur, and how they depend on what was varied."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.arguments import number_in, short
from multibody.errors import ModelError
from multibody.view.plots import Plots
from multibody.view.style import ACCENT, PALETTE, figure_size, plain, styled

if TYPE_CHECKING:
    from multibody.study.result import Study

ACROSS = 3  # axes beside each other
SIZE = (3.4, 2.6)  # of one axes [inch]
MOST_BINS, MOST_POINTS = 200, 20_000  # points of a scatter diagram; a reader sees no more
LONGEST = 44  # letters of a label


def histogram(
    study: Study, outputs: Sequence[str] = (), bins: int | None = None, ax: Any = None, *, title: str | None = None,
    figsize: tuple[float, float] | None = None,
) -> Plots:  # fmt: skip
    """Draw histograms of outputs with their median and the middle 90 %; see :meth:`Study.histogram`."""
    names = tuple(outputs) or study.names
    columns = [study.column(name) for name in names]
    count = None if bins is None else _bins(bins)
    with styled():
        axes = _axes(study, len(names), ax, title, figsize)
        for one, name, (_, unit) in zip(axes, names, columns, strict=True):
            values = study.done(name)
            values = values[np.isfinite(values)]
            if len(values):
                edges = np.histogram_bin_edges(values, _automatic(values) if count is None else count)
                one.hist(values, edges, color=PALETTE[0], linewidth=0)
                for part, line in zip(np.percentile(values, (5, 50, 95)), (":", "-", ":"), strict=True):
                    one.axvline(part, color=ACCENT, linestyle=line, linewidth=1.0)
            one.set(xlabel=_label(name, unit), ylabel="members")
    return Plots(axes)


def scatter(
    study: Study, output: str | None = None, parameters: Sequence[str] = (), ax: Any = None, *, title: str | None = None,
    figsize: tuple[float, float] | None = None,
) -> Plots:  # fmt: skip
    """Draw an output over what was varied; see :meth:`Study.scatter`."""
    name = study.names[0] if output is None else output
    (_, unit), across = study.column(name), tuple(parameters) or study.keys
    columns = [study.column(key) for key in across]
    y = study.done(name)
    stride = max(1, math.ceil(len(y) / MOST_POINTS))
    with styled():
        axes = _axes(study, len(across), ax, title, figsize)
        for one, key, (_, own) in zip(axes, across, columns, strict=True):
            one.plot(study.done(key)[::stride], y[::stride], ".", color=PALETTE[0], markersize=3.0, alpha=0.6, rasterized=True)
            one.set(xlabel=_label(key, own), ylabel=_label(name, unit))
    return Plots(axes)


def _axes(study: Study, count: int, ax: Any, title: str | None, figsize: Any) -> list[Any]:
    """Return as many axes as are needed, given ones or new ones."""
    if ax is not None:
        given = list(np.atleast_1d(np.asarray(ax, dtype=object)).ravel())
        if len(given) != count:
            raise ModelError(f"{len(given)} axes", where="study", hint=f"give {count}")
        return given
    import matplotlib.pyplot as plt

    columns = min(count, ACROSS)
    rows = math.ceil(count / columns)
    size = figure_size(figsize) or (SIZE[0] * columns, SIZE[1] * rows + 0.3)
    figure, grid = plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False)
    axes = list(grid.ravel())
    for spare in axes[count:]:
        spare.remove()
    heading = study.about.name if title is None else title
    if heading:
        figure.suptitle(plain(heading), x=0.02, ha="left", fontsize=10, fontweight="bold")
    return axes[:count]


def _label(name: str, unit: str) -> str:
    """Return a name with its unit, cut to a readable length."""
    text = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
    return plain(f"{text} [{unit}]" if unit else text)


def _bins(bins: Any) -> int:
    """Return the number of bins, checked."""
    number = number_in(bins)
    if not (1 <= number <= MOST_BINS and number == math.floor(number)):
        raise ModelError(f"{short(bins)} bins", where="study.histogram", hint=f"give a whole number from 1 to {MOST_BINS}")
    return int(number)


def _automatic(values: Any) -> int:
    """Return how many bins suit: by Freedman and Diaconis, not fewer than by Sturges."""
    spread = float(np.ptp(values))
    low, high = np.percentile(values, (25, 75))
    sturges = math.ceil(math.log2(len(values)) + 1)
    width = 2.0 * float(high - low) / len(values) ** (1 / 3)
    return max(1, min(MOST_BINS, max(sturges, math.ceil(spread / width) if width > 1e-9 * spread else 1)))
