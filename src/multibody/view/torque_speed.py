"""Torque–speed diagrams: what a motor has to give over a cycle, within what it can give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.view.legends import legend_below
from multibody.view.plots import Plots
from multibody.view.style import ACCENT, GROUND, INK, PALETTE, figure_size, lighter, plain, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from multibody.results.size import Size
    from multibody.results.sizing import Candidate


def plot_size(
    size: Size, candidate: Candidate | None = None, ax: Axes | None = None, *, title: str | None = None,
    figsize: tuple[float, float] | None = None, legend: bool | None = None, grid: bool | None = None,
) -> Plots:  # fmt: skip
    """Draw effort over speed with the continuous and the intermittent region of the motor.

    Parameters
    ----------
    size : Size
    candidate : Candidate, optional
        Default the best one, else the first; where there is none, effort over rate of the coordinate itself.
    ax, title, figsize, legend, grid
        As :meth:`Size.plot` says.
    """
    from multibody.results.sizing import through

    chosen = candidate or size.best or next(iter(size.candidates), None)
    linear = size.duty.is_length if chosen is None else chosen.motor.kind == "linear"
    units = size.units(linear)
    with styled():
        if ax is None:
            import matplotlib.pyplot as plt

            ax = plt.subplots(figsize=figure_size(figsize) or (6.4, 4.2), layout="constrained")[1]
        if chosen is None:
            speed, effort = size.duty.rate, size.duty.effort
        else:
            speed, effort = through(size.duty, chosen.gear, chosen.motor.inertia)
            _regions(ax, chosen)
        ax.plot(speed, effort, color=PALETTE[0], label="over the cycle")
        if chosen is not None:
            ax.plot([chosen.mean_speed], [chosen.rms_effort], marker="o", color=INK, linestyle="", label="RMS at mean speed")
        ax.axhline(0.0, color=GROUND, linewidth=0.8, zorder=1.0)
        ax.axvline(0.0, color=GROUND, linewidth=0.8, zorder=1.0)
        word = "force" if linear else "torque"
        ax.set(xlabel=f"speed [{units['speed']}]", ylabel=f"{word} [{units['effort']}]")
        ax.set_title(plain(_title(size, chosen) if title is None else title))
        if grid is not None:
            ax.grid(grid)
        if legend is not False:
            legend_below(ax)
    return Plots([ax])


def _regions(ax: Axes, chosen: Candidate) -> None:
    """Shade what the motor can give, in all four quadrants."""
    for points, paleness, label in ((chosen.motor.peak, 0.88, "for a short time"), (chosen.motor.continuous, 0.72, "for ever")):
        speeds, efforts = np.array([(0.0, points[0][1]), *(p for p in points if p[0] > 0.0), (points[-1][0], 0.0)]).T
        outline = np.concatenate([np.stack([speeds, efforts]), np.stack([speeds, -efforts])[:, ::-1],
                                  np.stack([-speeds, -efforts]), np.stack([-speeds, efforts])[:, ::-1]], axis=1)  # fmt: skip
        face, edge = lighter(PALETTE[2], paleness), lighter(PALETTE[2], 0.35)
        ax.fill(*outline, facecolor=face, edgecolor=edge, linewidth=0.9, label=label, zorder=0.5)
    if not chosen.feasible:
        place: dict[str, Any] = {"transform": ax.transAxes, "ha": "right", "va": "bottom"}
        ax.text(1.0, 1.02, plain(f"does not fit: {chosen.reason}"), color=ACCENT, fontsize=8, **place)


def _title(size: Size, chosen: Candidate | None) -> str:
    """Return what is shown."""
    if chosen is None:
        return f"{size.model.name}: drive {size.duty.name}"
    return f"{size.model.name}: {size.duty.name} by {chosen.motor.name}, ratio {chosen.gear.ratio:.4g}"
