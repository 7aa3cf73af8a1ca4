"""Diagrams of a run: paths and expressions over time or against each other, one axes for each unit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.errors import ModelError
from multibody.model.paths import component_names
from multibody.view.legends import legend_width, place_legend, wrapped
from multibody.view.plots import Plots
from multibody.view.style import ACCENT, PALE, PALETTE, figure_size, plain, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from multibody.analyses.measures.measure import Measure
    from multibody.results.run import Run

Named = list[tuple[str, "Measure"]]
DASHES = ("-", "--", "-.", ":")
WIDEST = 14.0  # of a figure whose legends ask for room [inch]


def plot_run(
    run: Run, paths: Sequence[str], x: str | None = None, ax: Any = None, *, labels: Sequence[str] | None = None,
    title: str | None = None, figsize: tuple[float, float] | None = None, legend: bool | None = None, grid: bool | None = None,
    singularities: bool = True, events: bool = True, across: Callable[[str], Measure] | None = None,
) -> Plots:  # fmt: skip
    """Plot paths or expressions over time or against another one, one axes for each unit, one above the other.

    Parameters
    ----------
    run : Run
        Or what has its `measurer`, `time`, `model`, `singularities` and `events`.
    paths : sequence of str
        Such as ``"slider.x"``, ``"O.rate"``, ``"O - 2*P"``; a vector gives a curve for each component.
    x : str, optional
        Path or expression along the horizontal axis; default the time.
    ax : Axes or sequence of Axes, optional
        As many as there are units; default a new figure.
    labels : sequence of str, optional
        Names of the curves, one for each path; default the paths.
    title : str, optional
        Default: the model's name.
    figsize : (float, float), optional
        Of a new figure [inch]; default wide enough for the legends.
    legend : bool, optional
        Whether the curves are named in a legend; default: where an axes has several.
    grid : bool, optional
        Whether there are grid lines; default: on new axes.
    singularities, events : bool
        Whether singular positions are marked by thin vertical lines and events by ticks at the foot (points on the curves
        where `x` is not the time).
    across : callable, optional
        Reads `x`; default the run's measurer.

    Returns
    -------
    Plots
        The axes, from top to bottom.
    """
    groups = _groups(run, [paths] if isinstance(paths, str) else paths, labels)
    base = _base(run, x, across or run.measurer)
    with styled():
        axes = _axes(ax, groups, figsize)
        for one, named in zip(axes, groups.values(), strict=True):
            lines = _curves(one, base.values, named)
            rings = None if x is None else Rings(one, run.time, lines)
            if singularities:
                _mark_singularities(run, one, rings)
            if events:
                _mark_events(run, one, rings)
            if grid is not None:
                one.grid(grid)
        axes[-1].set_xlabel(plain(f"{wrapped('time' if x is None else x)} [{base.unit}]".removesuffix(" []")))
        _title(axes, run.model.name if title is None else title, new=ax is None)
        for one, unit in zip(axes, groups, strict=True):
            _caption(one, unit, legend, alone=len(axes) == 1, height=_height(axes) if ax is None else None)
        if ax is None and figsize is None:
            _make_room(axes)
    return Plots(axes)


def _base(run: Run, x: str | None, across: Callable[[str], Measure]) -> Measure:
    """Return what runs along the horizontal axis."""
    base = across("t" if x is None else x)
    if base.values.ndim > 1:
        names = ", ".join(component_names(str(x), base.values.shape[1]))
        raise ModelError(f'"{x}" is a vector', where="plot x", hint=f"choose one of {names}")
    return base


def _groups(run: Run, paths: Sequence[str], labels: Sequence[str] | None) -> dict[str, Named]:
    """Return the measures with the names of their curves by unit, in the order of the paths."""
    if not paths:
        raise ModelError("no path to plot", where=run.model.name, hint=f'name one, such as "{next(iter(run), "t")}"')
    names = list(paths) if labels is None else [labels] if isinstance(labels, str) else list(labels)
    if len(names) != len(paths):
        raise ModelError(f"{len(names)} labels for {len(paths)} paths", where="plot", hint="give one for each path")
    groups: dict[str, Named] = {}
    for path, name in zip(paths, names, strict=True):
        measure = run.measurer(path)
        groups.setdefault(measure.unit, []).append((str(name), measure))
    return groups


def _axes(ax: Any, groups: dict[str, Any], figsize: tuple[float, float] | None) -> list[Axes]:
    """Return one axes for each unit."""
    if ax is None:
        import matplotlib.pyplot as plt

        size = figure_size(figsize) or (7.0, min(1.2 + 2.0 * len(groups), 9.0))
        _, grid = plt.subplots(len(groups), 1, sharex=True, squeeze=False, figsize=size, layout="constrained")
        return list(grid[:, 0])
    axes = list(np.ravel(ax)) if isinstance(ax, Sequence) or hasattr(ax, "shape") else [ax]
    if len(axes) != len(groups):
        units = ", ".join(unit or "no unit" for unit in groups)
        raise ModelError(
            f"{len(axes)} axes for {len(groups)} units ({units})", where="plot", hint="give one axes for each unit"
        )
    return axes


def _curves(ax: Axes, base: Any, named: Named) -> list[Any]:
    """Draw the curves of one unit and return them: a color for each path, dashes for the components of a vector."""
    present = len(_names(ax))
    low, high = ax.get_xlim() if present else (np.inf, -np.inf)
    lines, marker = list[Any](), "o" if len(base) == 1 else ""
    colors = {line.get_color() for line in ax.get_lines() if line.get_label() in _names(ax)}
    for k, (name, measure) in enumerate(named, start=len(colors)):
        columns = measure.values[:, None] if measure.values.ndim == 1 else measure.values
        alone = len(named) == 1 and not present  # the components of one vector are told apart by color
        for c, column in enumerate(columns.T):
            dashes, color = ("-", PALETTE[(k + c) % len(PALETTE)]) if alone else (DASHES[c % 4], PALETTE[k % len(PALETTE)])
            label = component_names(name, columns.shape[1])[c]
            lines += ax.plot(base, column, linestyle=dashes, color=color, marker=marker, label=plain(label))
    known = base[np.isfinite(base)]
    one_way = len(known) > 1 and (np.all(np.diff(known) >= 0.0) or np.all(np.diff(known) <= 0.0))
    if one_way and known[0] != known[-1]:
        ax.set_xlim(min(low, *known[[0, -1]]), max(high, *known[[0, -1]]))
    return lines


def _names(ax: Axes) -> list[str]:
    """Return the names of the curves on an axes; marks have none."""
    return [str(line.get_label()) for line in ax.get_lines() if not str(line.get_label()).startswith("_")]


def _title(axes: list[Axes], text: str, new: bool) -> None:
    """Write the title over one axes, or over a new figure of several."""
    figure: Any = axes[0].figure
    if len(axes) == 1:
        axes[0].set_title(plain(text))
    elif new:
        figure.suptitle(plain(text), x=0.02, ha="left", fontsize=10.0, fontweight="bold")
    figure.align_ylabels(axes)


def _caption(ax: Axes, unit: str, legend: bool | None, alone: bool, height: float | None) -> None:
    """Say what the curves of an axes are: at the y axis, over the axes where several are stacked, or in a legend."""
    names = _names(ax)
    several = len(names) > 1 if legend is None else legend
    if several:
        place_legend(ax, height)
    elif not alone and len(names) == 1:
        ax.set_title(names[0], fontsize=8.5, fontweight="normal", pad=3.0)
    name, unit = wrapped(names[0]), plain(unit)
    one = alone and len(names) == 1 and not several
    ax.set_ylabel(f"{name} [{unit}]".removesuffix(" []") if one else f"[{unit}]".removeprefix("[]"))


def _height(axes: list[Axes]) -> float:
    """Return about how high each axes of a new figure will be [inch]."""
    figure: Any = axes[0].figure
    return float((figure.get_figheight() - 0.9) / len(axes) - 0.25)


def _make_room(axes: list[Axes]) -> None:
    """Widen a new figure by its widest legend, so that the curves keep their place."""
    figure: Any = axes[0].figure
    figure.set_figwidth(min(figure.get_figwidth() + max(legend_width(ax) for ax in axes), WIDEST))


# --- marks ------------------------------------------------------------------------------------------------------------
def _mark_singularities(run: Run, ax: Axes, rings: Rings | None) -> None:
    """Mark singular positions by thin vertical lines, a lock-up in red; by rings on the curves where x is not the time."""
    for item in run.singularities:
        color = ACCENT if item.kind == "lock-up" else PALE
        if rings is not None:
            rings.draw([item.time], color, "_singular")
        else:
            ax.axvline(item.time, color=color, linewidth=0.8, linestyle=(0, (2, 2)), zorder=1.0, label="_singular")
    if rings is None and run.singularities and len(run.time) > 1:  # a lock-up lies beyond the last instant
        low, high = ax.get_xlim()
        times = [item.time for item in run.singularities]
        ax.set_xlim(min(low, *times), max(high, *times))


def _mark_events(run: Run, ax: Axes, rings: Rings | None) -> None:
    """Mark events by ticks at the foot of the axes, or by rings on the curves."""
    times = [event.time for event in run.events]
    if times and rings is not None:
        rings.draw(times, ACCENT, "_event")
    elif times:
        from matplotlib.transforms import blended_transform_factory

        foot = blended_transform_factory(ax.transData, ax.transAxes)
        style: dict[str, Any] = {"color": ACCENT, "markersize": 7.0, "markeredgewidth": 1.0, "linestyle": "none"}
        ax.plot(times, np.zeros(len(times)), marker="|", transform=foot, clip_on=False, label="_event", scalex=False, **style)


class Rings:
    """Small rings on curves, where these are at given times."""

    def __init__(self, ax: Axes, time: Any, lines: list[Any]) -> None:
        self.ax, self.lines = ax, lines
        self.order = np.argsort(time, kind="stable")
        self.time = time[self.order]

    def draw(self, times: list[float], color: str, label: str) -> None:
        """Draw a ring on every curve at each of the times."""
        for line in self.lines:
            x, y = (np.interp(times, self.time, np.asarray(data)[self.order]) for data in line.get_data())
            style: dict[str, Any] = {"color": color, "markersize": 4.5, "markerfacecolor": "white", "linestyle": "none"}
            self.ax.plot(x, y, marker="o", zorder=3.0, label=label, **style)
