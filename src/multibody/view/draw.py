"""Pictures of a mechanism at one pose or several, planar or in space, with the paths of chosen points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from multibody.arguments import short
from multibody.errors import ModelError, nearest
from multibody.view.picture import Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from multibody.results.run import Run
    from multibody.results.state import State

View: TypeAlias = str | tuple[float, float]  # a named view, or elevation and azimuth of the eye [degrees]
ROUND_OFF = 1e-9  # of a time beside the length of the run
VIEWS = {"iso": (22.0, -58.0), "front": (0.0, -90.0), "right": (0.0, 0.0), "top": (90.0, -90.0)}


def eye_of(view: View | None) -> tuple[float, float]:
    """Return elevation and azimuth of the eye [degrees] from a view's name or from the angles themselves."""
    if view is None:
        return VIEWS["iso"]
    if isinstance(view, str):
        if view not in VIEWS:
            raise ModelError(f'unknown view "{view}"', where="draw", hint=nearest(view, VIEWS) or f"it is {', '.join(VIEWS)}")
        return VIEWS[view]
    angles = np.asarray(view, dtype=float) if np.shape(view) == (2,) else np.full(2, np.nan)
    if not np.all(np.isfinite(angles)):
        hint = f"give elevation and azimuth [degrees], or one of {', '.join(VIEWS)}"
        raise ModelError(f"{short(view)} is not a view", where="draw", hint=hint)
    return float(angles[0]), float(angles[1])


def draw_state(
    state: State, ax: Axes | None = None, *, labels: bool | None = None, symbols: bool | None = None, title: str | None = None,
    figsize: tuple[float, float] | None = None, view: View | None = None,
) -> Axes:  # fmt: skip
    """Draw the pose of a state.

    Parameters
    ----------
    state : State
    ax, labels, symbols, title, figsize, view
        As :meth:`State.draw` says.
    """
    picture = Picture(state.tables, np.array(state.q)[None], [(state.t, 0)], view=eye_of(view), symbols=symbols)
    return picture.draw(ax, labels, title, figsize)


def draw_run(
    run: Run, at: float | Sequence[float] | None = None, ax: Axes | None = None, *, trace: Sequence[str] = (),
    labels: bool | None = None, symbols: bool | None = None, title: str | None = None,
    figsize: tuple[float, float] | None = None, view: View | None = None,
) -> Axes:  # fmt: skip
    """Draw the pose at one or several times of a run, with the paths of chosen points.

    Parameters
    ----------
    run : Run
    at : float or sequence of float, optional
        Times in the run; the nearest instants are drawn, all but the last in paler colors. Default: the last instant.
    ax : Axes, optional
    trace : sequence of str
        Frames (``"rod.P"``, or a body for its origin) whose paths over the whole run are drawn.
    labels, symbols, title, figsize, view
        As :meth:`State.draw` says.

    Returns
    -------
    Axes
    """
    if len(run.time) == 0:
        raise ModelError("the run has no instants to draw", where=run.model.name, hint=run.status.message)
    times = run.time[-1:] if at is None else np.atleast_1d(np.asarray(at, dtype=float))
    if len(times) == 0 or not np.all(np.isfinite(times)):
        raise ModelError("the times to draw are empty or not finite", where=run.model.name, hint="give one at least")
    low, high = float(np.min(run.time)), float(np.max(run.time))
    slack = ROUND_OFF * max(high - low, abs(low), abs(high))
    for t in times:
        if not low - slack <= t <= high + slack:
            raise ModelError(f"t = {t:g} is outside of the run", where=run.model.name, hint=f"it goes from {low:g} to {high:g}")
    indices = [int(np.argmin(np.abs(run.time - t))) for t in times]
    shown = [(float(run.time[k]), k) for k in indices]
    names = [trace] if isinstance(trace, str) else trace
    traces = {name: run.measurer.frame(*run.model.find_end(name, "trace"))[0] for name in names}
    return Picture(run.tables, run.motion.q, shown, traces, eye_of(view), symbols).draw(ax, labels, title, figsize)
