"""Work–precision diagrams: the error that a combination of formulation and integrator reaches, over what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from multibody.errors import ModelError
from multibody.view.legends import place_legend
from multibody.view.plots import Plots
from multibody.view.style import PALETTE, figure_size, plain, styled

if TYPE_CHECKING:
    from multibody.analyses.comparison.compare import Trial
    from multibody.results.compare import Compare

MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINES = ("-", "--", "-.", ":")
SMALLEST = 1e-17  # error that stands for 0 on a logarithmic axis


def plot_work_precision(
    compared: Compare, ax: Any = None, *, title: str | None = None, figsize: tuple[float, float] | None = None,
    legend: bool | None = None, grid: bool | None = None,
) -> Plots:  # fmt: skip
    """Draw error over evaluations and over wall time, both logarithmic.

    Parameters
    ----------
    compared : Compare
        Best with several tolerances; one gives a point for each combination.
    ax, title, figsize, legend, grid
        As :meth:`Compare.plot` says.
    """
    curves = _curves(compared)
    if not curves:
        raise ModelError("no combination has an error to plot", where="compare", hint="see the table for what failed")
    with styled():
        axes = _axes(ax, figsize)
        for one, heading, key in zip(axes, ("evaluations of the equations of motion", "wall time [s]"), _KEYS, strict=True):
            _draw(one, curves, key)
            one.set(xscale="log", yscale="log", xlabel=heading)
            _whole_decades(one)
            if grid is not None:
                one.grid(grid)
        axes[0].set_ylabel("largest error (lengths over L, angles in rad)")
        figure: Any = axes[0].figure
        if ax is None:
            heading = plain(compared.model.name if title is None else title)
            figure.suptitle(heading, x=0.02, ha="left", fontsize=10, fontweight="bold")
        if legend is not False and ax is None:
            handles, labels = axes[0].get_legend_handles_labels()
            figure.legend(handles, labels, loc="outside right upper", ncols=1 + len(labels) // 24)
        elif legend is not False:
            place_legend(axes[0])
    return Plots(axes)


_KEYS = ("evaluations", "wall_time")


def _curves(compared: Compare) -> dict[tuple[str, str], list[Trial]]:
    """Return the lines that have an error, by formulation and integrator."""
    curves: dict[tuple[str, str], list[Trial]] = {}
    for row in compared.rows:
        if row.success and row.error is not None:
            curves.setdefault((row.formulation, row.integrator), []).append(row)
    return curves


def _axes(ax: Any, figsize: Any) -> list[Any]:
    """Return the two axes."""
    if ax is None:
        import matplotlib.pyplot as plt

        _, grid = plt.subplots(1, 2, sharey=True, figsize=figure_size(figsize) or (10.5, 4.4), layout="constrained")
        return list(grid)
    axes = list(ax)
    if len(axes) != 2:
        raise ModelError(f"{len(axes)} axes", where="compare", hint="give two: for evaluations and for time")
    return axes


def _whole_decades(ax: Any) -> None:
    """Label powers of ten only, and widen a logarithmic x axis that shows fewer than two of them."""
    import math

    from matplotlib.ticker import NullFormatter

    for axis in (ax.xaxis, ax.yaxis):
        axis.set_minor_formatter(NullFormatter())
    low, high = (math.log10(x) for x in ax.get_xlim())
    if math.floor(high) - math.ceil(low) < 1:
        ax.set_xlim(10.0 ** math.floor(low), 10.0 ** math.ceil(high))


def _draw(ax: Any, curves: dict[tuple[str, str], list[Trial]], key: str) -> None:
    """Draw a curve for each combination."""
    formulations = list(dict.fromkeys(name for name, _ in curves))
    integrators = list(dict.fromkeys(name for _, name in curves))
    for (formulation, integrator), rows in curves.items():
        f, i = formulations.index(formulation), integrators.index(integrator)
        ordered = sorted(rows, key=lambda row: row.evaluations)
        ax.plot(
            [getattr(row, key) for row in ordered], [max(row.error or 0.0, SMALLEST) for row in ordered],
            color=PALETTE[f % len(PALETTE)], linestyle=LINES[i % len(LINES)], marker=MARKERS[i % len(MARKERS)], markersize=5.0,
            label=plain(f"{formulation}, {integrator}"),
        )  # fmt: skip
