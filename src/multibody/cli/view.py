"""`multibody view`: see it move, in the browser."""

from __future__ import annotations

import pathlib
import warnings
from typing import TYPE_CHECKING, Annotated, Any

import typer

from multibody.cli.app import app
from multibody.cli.options import PAGES, ForceOption, SetOption, TraceOption, XOption, check_endings, load_model, read_time
from multibody.cli.output import run_progress
from multibody.cli.pictures import finish
from multibody.errors import ModelError

if TYPE_CHECKING:
    from multibody import Model


@app.command()
def view(
    source: Annotated[str, typer.Argument(metavar="MODEL|RUN.nc", help="A model file, a library model, or a saved run.")],
    until: Annotated[str | None, typer.Option("--until", metavar="T", help="Last time; default the model's, else 5 s.")] = None,
    out: Annotated[
        pathlib.Path | None, typer.Option("--out", metavar="FILE", help="Write the page (.html) and open nothing.")
    ] = None,
    force: ForceOption = False,
    plot: Annotated[
        list[str] | None, typer.Option("--plot", metavar="PATH", help="Show the curve of a path. Repeatable.")
    ] = None,
    x: XOption = None,
    trace: TraceOption = None,
    wiggle: Annotated[bool, typer.Option("--wiggle", help="Play the freedoms of the joints, not the motion.")] = False,
    settings: SetOption = None,
) -> None:
    """Open a page that plays a motion: of a saved run (.nc), or of a model, which is moved as its file says.

    A model is moved under its forces, or along its motions where it cannot be; one that cannot move shows its freedoms.
    Where there is no browser, or with --out, the page is written and its place is printed. Of a motion that does not reach
    its end the status is printed too, and the exit status is 1.
    """
    saved = source.lower().endswith(".nc")
    if saved and (settings or until or wiggle):
        raise ModelError("a saved run is as it is", where=source, hint="leave out --set, --until and --wiggle")
    check_endings([out] if out else [], PAGES, (source,) if saved else (), force=force)
    found = _saved(source) if saved else _moved(load_model(source, settings), until, wiggle)
    shown: dict[str, Any] = {"plot": list(plot or []), "x": x, "trace": list(trace or [])}
    if out is not None:
        typer.echo(f"written: {found.page(out, force=True, **shown)}")
    else:
        typer.echo(f"page: {found.view(**shown)}")
    status = getattr(found, "status", None)  # freedoms have none
    if status is not None and not status.success:
        typer.echo(f"{found.model.name}: {status.message}")
        if status.advice:
            typer.echo(f"advice: {status.advice}")
    finish(status is None or status.success)


def _saved(source: str) -> Any:
    """Return the run of a file."""
    from multibody import read_run

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # the page says that it is partial
        return read_run(source)


def _moved(model: Model, until: str | None, wiggle: bool) -> Any:
    """Return what there is to see of a model: its motion, or its freedoms."""
    from multibody.results.seen import last_time, seen

    if wiggle:
        return model.wiggle()
    end = last_time(model, read_time(model, until, "--until"))
    with warnings.catch_warnings(), run_progress(model, end, quiet=False) as progress:
        warnings.simplefilter("ignore", RuntimeWarning)  # the status is printed
        return seen(model, end, progress)
