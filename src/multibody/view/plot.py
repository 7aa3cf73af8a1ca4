"""Diagrams of a run: paths and expressions over time, one axes for each unit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from multibody.errors import ModelError
from multibody.view.style import ACCENT, PALE, PALETTE, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from multibody.analyses.measure import Measure
    from multibody.results.run import Run


def plot_run(
    run: Run, paths: Sequence[str], ax: Any = None, *, singularities: bool = True, title: str | None = None,
    figsize: tuple[float, float] | None = None, legend: bool | None = None,
) -> Any:  # fmt: skip
    """Plot paths or expressions over time, one axes for each unit, one above the other.

    Parameters
    ----------
    run : Run
    paths : sequence of str
        Such as ``"slider.x"``, ``"O.rate"``, ``"O - 2*P"``.
    ax : Axes or sequence of Axes, optional
        As many as there are units; default a new figure.
    singularities : bool
        Whether singular positions are marked by thin vertical lines.
    title : str, optional
        Default: the model's name.
    figsize : (float, float), optional
        Of a new figure [inch].
    legend : bool, optional
        Whether the curves are named in a legend; default: where an axes has several.

    Returns
    -------
    Axes or list of Axes
        One axes where all paths have one unit, else a list.
    """
    groups = _groups(run, [paths] if isinstance(paths, str) else paths)
    with styled():
        axes = _axes(ax, groups, figsize)
        for one, (unit, measures) in zip(axes, groups.items(), strict=True):
            _curves(run, one, measures)
            _caption(one, unit, legend, alone=len(axes) == 1)
            if singularities:
                _mark(run, one)
        axes[-1].set_xlabel(f"time [{run.model.units.time}]")
        _title(axes, run.model.name if title is None else title, new=ax is None)
    return axes[0] if len(axes) == 1 else axes


def _title(axes: list[Axes], text: str, new: bool) -> None:
    """Write the title over one axes, or over a new figure of several."""
    figure: Any = axes[0].figure
    if len(axes) == 1:
        axes[0].set_title(text)
    elif new:
        figure.suptitle(text, x=0.02, ha="left", fontsize=10.0, fontweight="bold")
    figure.align_ylabels(axes)


def _groups(run: Run, paths: Sequence[str]) -> dict[str, list[tuple[str, Measure]]]:
    """Return the measures by their unit, in the order of the paths."""
    if not paths:
        raise ModelError("no path to plot", where=run.model.name, hint=f'name one, such as "{next(iter(run), "t")}"')
    groups: dict[str, list[tuple[str, Measure]]] = {}
    for path in paths:
        measure = run.measurer(path)
        groups.setdefault(measure.unit, []).append((path, measure))
    return groups


def _axes(ax: Any, groups: dict[str, Any], figsize: tuple[float, float] | None) -> list[Axes]:
    """Return one axes for each unit."""
    if ax is None:
        import matplotlib.pyplot as plt

        size = figsize or (7.0, min(1.2 + 2.0 * len(groups), 9.0))
        _, grid = plt.subplots(len(groups), 1, sharex=True, squeeze=False, figsize=size, layout="constrained")
        return list(grid[:, 0])
    axes = list(ax) if isinstance(ax, Sequence) or hasattr(ax, "shape") else [ax]
    if len(axes) != len(groups):
        units = ", ".join(unit or "no unit" for unit in groups)
        raise ModelError(
            f"{len(axes)} axes for {len(groups)} units ({units})", where="plot", hint="give one axes for each unit"
        )
    return axes


def _curves(run: Run, ax: Axes, measures: list[tuple[str, Measure]]) -> None:
    """Draw the curves of one unit."""
    before = len(ax.get_lines())
    for k, (path, measure) in enumerate(measures, start=before):
        columns = measure.values[:, None] if measure.values.ndim == 1 else measure.values
        for c, column in enumerate(columns.T):
            name = path if columns.shape[1] == 1 else f"{path}[{c}]"
            style: dict[str, Any] = {"linestyle": ("-", "--", "-.", ":")[c % 4], "color": PALETTE[k % len(PALETTE)]}
            ax.plot(run.time, column, marker="o" if len(run.time) == 1 else "", label=name, **style)
    if len(run.time) > 1:
        low, high = sorted((float(run.time[0]), float(run.time[-1])))
        ax.set_xlim(low, high)


def _caption(ax: Axes, unit: str, legend: bool | None, alone: bool) -> None:
    """Say what the curves of an axes are: at the y axis, over the axes where several are stacked, or in a legend."""
    names = [str(line.get_label()) for line in ax.get_lines() if not str(line.get_label()).startswith("_")]
    several = len(names) > 1 if legend is None else legend
    if several:
        ax.legend(loc="best", ncols=1 + (len(names) > 5))
    elif not alone:
        ax.set_title(names[0], fontsize=8.5, fontweight="normal", pad=3.0)
    ax.set_ylabel(f"{names[0]} [{unit}]".removesuffix(" []") if alone and not several else f"[{unit}]".removeprefix("[]"))


def _mark(run: Run, ax: Axes) -> None:
    """Mark singular positions by thin vertical lines, a lock-up in red."""
    for item in run.singularities:
        color = ACCENT if item.kind == "lock-up" else PALE
        ax.axvline(item.time, color=color, linewidth=0.8, linestyle=(0, (2, 2)), zorder=1.0, label="_singular")
    if run.singularities and len(run.time) > 1:  # a lock-up lies beyond the last instant
        low, high = ax.get_xlim()
        times = [item.time for item in run.singularities]
        ax.set_xlim(min(low, *times), max(high, *times))
