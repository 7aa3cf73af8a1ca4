"""A model in motion for verbs that look at a whole run: its loads, its drives, its report."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Annotated, Any

import typer

from multibody.cli.app import why
from multibody.cli.options import announce_dynamics, load_model, read_time
from multibody.cli.output import run_progress
from multibody.errors import AnalysisError, ModelError

if TYPE_CHECKING:
    from multibody import Model
    from multibody.results.run import Run

SourceArgument = Annotated[
    str, typer.Argument(metavar="MODEL|RUN.nc", help="A model file, a library model, or a run that was saved.")
]


def source_of(source: str, settings: list[str] | None, until: str | None) -> tuple[Model, Run | None]:
    """Return the model of a source, and its run where that is a saved one (.nc).

    Parameters
    ----------
    source : str
        A model file, a library model, or a saved run.
    settings : list of str
        Those of ``--set``.
    until : str
        That of ``--until``.
    """
    if not source.lower().endswith(".nc"):
        return load_model(source, settings), None
    if settings or until is not None:
        raise ModelError("a saved run is as it is", where=source, hint="leave out --set and --until")
    from multibody import read_run

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # its status is told with the answer
        run = read_run(source)
    run.model._files = (source,)  # the saved run is no place for what is made of it
    model: Any = run.model
    return model, run


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
        raise AnalysisError(why(run.model.name, run.status))
