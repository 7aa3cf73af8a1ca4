"""`multibody size`: what a drive needs, and which motor and gear give it."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Annotated

import typer

from multibody.cli.app import app
from multibody.cli.groups import Files, Source, grouped
from multibody.cli.moved import SourceArgument, moved, require_instants, source_of
from multibody.cli.options import PICTURES, OutputStepOption, RtolOption, option, read_time, read_value, split_list
from multibody.cli.output import Page, print_json
from multibody.cli.pictures import finish, save_figure, write_each
from multibody.errors import ModelError

if TYPE_CHECKING:
    from multibody import Model
    from multibody.results.size import Size

ENDINGS = (".csv", ".json", *PICTURES)


@app.command()
@grouped
def size(
    model: SourceArgument,
    drive: Annotated[
        str | None, typer.Option("--drive", metavar="O", help="Driven coordinate, or an effort; default the only one.")
    ] = None,
    motors: Annotated[
        str, typer.Option("--motors", metavar="FILE", help="Table of motors (.yaml, .json, .csv), or generic.")
    ] = "generic",
    ratios: Annotated[str | None, typer.Option("--ratios", metavar="N,N", help="Motor speed over rate; default best.")] = None,
    efficiency: Annotated[float, typer.Option("--efficiency", metavar="E", help="Of the gear, either way.")] = 1.0,
    gear_inertia: Annotated[float, typer.Option("--gear-inertia", metavar="J", help="At the motor's side, SI units.")] = 0.0,
    margin: Annotated[float, typer.Option("--margin", metavar="M", help="What a motor can give over what it has to.")] = 1.0,
    inertia_ratio: Annotated[float | None, typer.Option("--inertia-ratio", metavar="R", help="Load over rotor, most.")] = None,
    cycle: Annotated[str | None, typer.Option("--cycle", metavar="T", help="Length of a cycle with its rest.")] = None,
    start: Annotated[str | None, typer.Option("--from", metavar="A", help="Begin of the part that counts.")] = None,
    until: Annotated[str | None, option("run", "until", "T")] = None,
    rtol: RtolOption = None,
    output_step: OutputStepOption = None,
    *,
    files: Files,
    source: Source,
) -> None:
    """Move the model and print what a drive needs (torque, speed, power, inertia, duty), and motors with gears that give it.

    All numbers are in SI units. --out writes the motors (.csv), what --json prints (.json) or torque over speed in the motor's
    envelope (.png, .pdf, .svg).
    """
    from multibody.files.motors import read_motors

    loaded, saved = source_of(model, source.settings, until)
    table = read_motors(motors)
    named = files.check(ENDINGS, loaded)
    chosen = [_number(text) for text in split_list(ratios)] if ratios is not None else None
    name = drive if drive is not None else _only(loaded)
    times = {"cycle": read_time(loaded, cycle, "--cycle"), "start": read_time(loaded, start, "--from")}
    how = {"rtol": rtol, "output_step": read_time(loaded, output_step, "--output-step")}
    run = saved or moved(loaded, until, how, quiet=source.json)
    require_instants(run)
    found = run.size(
        name, table, chosen, efficiency=efficiency, gear_inertia=gear_inertia, margin=margin, inertia_ratio=inertia_ratio,
        **times,
    )  # fmt: skip
    written, failures = write_each(named, lambda file: _write(found, file))
    if source.json:
        print_json(found.plain())
    else:
        page = Page()
        page.line(str(found))
        page.files(written)
    finish(run.ok, failures)


def _only(model: Model) -> str:
    """Return the one drive of a model; several have to be told apart by the user."""
    from multibody.results.drives import driving_efforts, no_drive

    names = [*model.motions, *driving_efforts(model)]
    if len(names) == 1:
        return names[0]
    listed = f"give --drive, one of {', '.join(names[:12])}" if names else no_drive(model)
    raise ModelError("which drive is not said", where=model.name, hint=listed)


def _number(text: str) -> float:
    """Return a ratio: a number or a formula of constants."""
    value = read_value(text)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ModelError(f'"{text}" is not a number', where="--ratios", hint="write numbers with commas between them: 1,5,10")
    return float(value)


def _write(found: Size, file: pathlib.Path) -> None:
    """Write one file."""
    if file.suffix.lower() in PICTURES:
        save_figure(lambda: found.plot().figure, file)
    else:
        found.save(file)
