"""A model in motion for verbs that look at a whole run: its loads, its drives, its report."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from multibody.cli.options import announce_dynamics, read_time
from multibody.cli.output import run_progress
from multibody.errors import AnalysisError, ModelError

if TYPE_CHECKING:
    from multibody import Model
    from multibody.results.run import Run


def moved(model: Model, until: str | None, options: dict[str, Any], quiet: bool) -> Run:
    """Return a run of a model, with a progress bar on a terminal; its status is the caller's to tell.

    Parameters
    ----------
    model : Model
    until : str or None
        Last time, a number or a formula; default the model's own of ``run``, else that of ``kinematics``.
    options : dict
        Those of a run.
    quiet : bool
        Whether nothing but JSON is printed.
    """
    end = read_time(model, until, "--until")
    if end is None and model.defaults.of("run").get("until") is None:
        own = model.defaults.of("kinematics").get("until")
        end = read_time(model, None if own is None else str(own), "kinematics.until")
    if end is None and model.defaults.of("run").get("until") is None:
        raise ModelError("the last time is missing", where=model.name, hint="give --until T")
    announce_dynamics(model, options)
    with warnings.catch_warnings(), run_progress(model, end, quiet=quiet) as progress:
        warnings.simplefilter("ignore", RuntimeWarning)
        run = model.run(end, **options, progress=progress)
    return run


def require_instants(run: Run) -> None:
    """Raise where a run has nothing to look at."""
    if len(run.time) == 0:
        raise AnalysisError(f"{run.model.name}: {run.status.message}; {run.status.advice}".removesuffix("; "))
