"""Pictures of a mechanism at one pose or several, planar or in space, with the paths of chosen points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from multibody.errors import ModelError
from multibody.view.picture import Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from multibody.results.run import Run
    from multibody.results.state import State

VIEW = (22.0, -58.0)


def draw_state(
    state: State, ax: Axes | None = None, *, labels: bool | None = None, title: str | None = None,
    figsize: tuple[float, float] | None = None, view: tuple[float, float] = VIEW,
) -> Axes:  # fmt: skip
    """Draw the pose of a state.

    Parameters
    ----------
    state : State
    ax : Axes, optional
        Axes to draw on (with ``projection="3d"`` for a spatial model); default a new figure.
    labels : bool, optional
        Whether bodies and joints are named; default: where there are few enough.
    title : str, optional
        Default: the model's name and the time.
    figsize : (float, float), optional
        Width and height of a new figure [inch]; default after the mechanism's shape.
    view : (float, float)
        Elevation and azimuth of the eye on a spatial model [degrees].

    Returns
    -------
    Axes
    """
    return Picture(state.tables, np.array(state.q)[None], [(state.t, 0)], view=view).draw(ax, labels, title, figsize)


def draw_run(
    run: Run, at: float | Sequence[float] | None = None, ax: Axes | None = None, *, trace: Sequence[str] = (),
    labels: bool | None = None, title: str | None = None, figsize: tuple[float, float] | None = None,
    view: tuple[float, float] = VIEW,
) -> Axes:  # fmt: skip
    """Draw the pose at one or several times of a run, with the paths of chosen points.

    Parameters
    ----------
    run : Run
    at : float or sequence of float, optional
        Times; the nearest instants are drawn, all but the last in paler colors. Default: the last instant.
    ax : Axes, optional
    trace : sequence of str
        Frames (``"rod.P"``, or a body for its origin) whose paths over the whole run are drawn.
    labels, title, figsize, view
        As for :func:`draw_state`.

    Returns
    -------
    Axes
    """
    if len(run.time) == 0:
        raise ModelError("the run has no instants to draw", where=run.model.name, hint=run.status.message)
    times = run.time[-1:] if at is None else np.atleast_1d(np.asarray(at, dtype=float))
    if len(times) == 0 or not np.all(np.isfinite(times)):
        raise ModelError("the times to draw are empty or not finite", where=run.model.name, hint="give one at least")
    indices = [int(np.argmin(np.abs(run.time - t))) for t in times]
    shown = [(float(run.time[k]), k) for k in indices]
    names = [trace] if isinstance(trace, str) else trace
    traces = {name: run.measurer.frame(*run.model.find_end(name, "trace"))[0] for name in names}
    return Picture(run.tables, run.motion.q, shown, traces, view).draw(ax, labels, title, figsize)
