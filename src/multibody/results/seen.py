"""What there is to see of a model: its motion as its file says, or the freedoms of its joints."""

from __future__ import annotations

from typing import Any

from multibody.analyses.given.run_options import read_options
from multibody.errors import AnalysisError, ModelError

USUAL = 5.0  # seconds that a model is moved where its file says nothing


def last_time(model: Any, until: Any) -> Any:
    """Return until when a model is moved to be seen; None where its own options say it. What is no time is refused."""
    if until is not None:
        read_options(model, until, None, None, None, None, None, None, dense=True)
    if until is None and not any(model.defaults.of(verb).get("until") is not None for verb in ("run", "kinematics")):
        return USUAL / model.units.factor(0, 1, 0)
    return until


def seen(model: Any, end: Any, progress: Any = None) -> Any:
    """Return a run of a model: under its forces, else along its motions; where it cannot move, its freedoms.

    Parameters
    ----------
    model : Model
    end : float, formula or None
        As :func:`last_time` returns it.
    progress : callable, optional
        That of a run.

    Returns
    -------
    Run or Freedoms
    """
    own = model.defaults.of("run").get("until")
    kinematic = own is None and end is None  # the file speaks of kinematics alone
    try:
        run = None if kinematic else model.run(end, progress=progress)
    except (ModelError, AnalysisError):
        run = None  # nothing to integrate, or no mass where one is needed: kinematics asks for less
    if (run is None or not len(run.time)) and model.motions:
        run = model.kinematics(until=end)
    return run if run is not None and len(run.time) else model.wiggle()
