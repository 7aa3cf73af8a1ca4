"""`multibody report`: one page about a mechanism in motion, for a design review."""

from __future__ import annotations

import pathlib
import re
import shlex
import sys
import warnings
from typing import TYPE_CHECKING, Annotated, Any

import typer

from multibody.cli.app import app
from multibody.cli.groups import RunMethods, Source, grouped
from multibody.cli.moved import SourceArgument, moved, source_of
from multibody.cli.options import ForceOption, PlotOption, option, read_time
from multibody.cli.output import print_json
from multibody.cli.pictures import finish, headless
from multibody.errors import MassError

if TYPE_CHECKING:
    from multibody import Model
    from multibody.results.run import Run


@app.command()
@grouped
def report(
    model: SourceArgument,
    out: Annotated[
        pathlib.Path | None, typer.Option("--out", "-o", metavar="FILE", help="The page, .html; default NAME-report.html.")
    ] = None,
    title: Annotated[str | None, typer.Option("--title", metavar="TEXT", help="Default: the model's name.")] = None,
    plot: PlotOption = None,
    player: Annotated[bool, typer.Option("--player/--no-player", help="Whether the motion can be played in it.")] = True,
    force: ForceOption = False,
    until: Annotated[str | None, option("run", "until", "T")] = None,
    *,
    methods: RunMethods,
    source: Source,
) -> None:
    """Move the model and write one HTML page: player, mechanism, motion, loads, certificate, what it takes to repeat it.

    A model that its motions determine and that has no masses is moved without forces, and the page says so.
    """
    from multibody.analyses.measures.readable import require_readable
    from multibody.files.writer import known_text
    from multibody.view.report.assemble import Told, check_report_target, save_report

    loaded, saved = source_of(model, source.settings, until)
    file = out or pathlib.Path(re.sub(r"[^\w.-]+", "-", f"{loaded.name}-report.html"))
    check_report_target(file, force, loaded._files)
    for path in plot or []:
        require_readable(loaded, path, forces=True)
    options = methods.read(loaded)
    run, note = (saved, "") if saved is not None else _run(loaded, until, options, source.json)
    command = shlex.join(["multibody", *sys.argv[1:]]) if sys.argv[1:2] == ["report"] else ""
    headless()
    save_report(run, file, Told(title or "", command, known_text(loaded), tuple(plot or ()), player, note), force)
    if source.json:
        print_json({"model": loaded.name, "file": str(file), "status": run.status.plain()})
    else:
        typer.echo(f"written: {file}")
    finish(run.ok)


def _run(model: Model, until: str | None, options: dict[str, Any], quiet: bool) -> tuple[Run, str]:
    """Return a run with forces, or one without them where the model has no masses, and what is said about that."""
    try:
        return moved(model, until, options, quiet), ""
    except MassError as error:
        if not model.motions:
            raise
        reason = str(error)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        end = read_time(model, until, "--until")
        return model.kinematics(end, steps=None if end is None else 400), f"Moved without forces: {reason}."
