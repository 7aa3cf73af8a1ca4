"""`multibody compare`: one model with several formulations and integrators."""

from __future__ import annotations

import pathlib
import warnings
from typing import TYPE_CHECKING, Annotated, Any

import typer

from multibody.cli.app import app
from multibody.cli.groups import Files, Source, grouped
from multibody.cli.options import (
    PAGES,
    PICTURES,
    ModelArgument,
    OutputStepOption,
    StepOption,
    announce_compilation,
    check_endings,
    option,
    read_methods,
    read_names,
    read_time,
    read_value,
)
from multibody.cli.output import Page, print_json, stage_progress, table
from multibody.cli.pictures import finish, save_figure, write_each
from multibody.errors import ModelError

if TYPE_CHECKING:
    from multibody.results.compare import Compare


@app.command()
@grouped
def compare(
    model: ModelArgument,
    until: Annotated[str | None, option("compare", "until", "T")] = None,
    formulations: Annotated[str | None, option("compare", "formulations", "A,B:OPTION=VALUE")] = None,
    integrators: Annotated[str | None, option("compare", "integrators", "C,D:OPTION=VALUE")] = None,
    rtol: Annotated[str | None, option("compare", "rtol", "R,R")] = None,
    step: StepOption = None,
    output_step: OutputStepOption = None,
    repeats: Annotated[int | None, option("compare", "repeats", "N")] = None,
    plot: Annotated[
        pathlib.Path | None, typer.Option("--plot", metavar="FILE", help="Draw the work-precision diagram (.png, .pdf, .svg).")
    ] = None,
    *,
    files: Files,
    source: Source,
) -> None:
    """Print time, evaluations, steps, error against a tight reference, violations and energy drift of every combination.

    --out plays the runs side by side (.html).
    """
    loaded = source.load(model)
    check_endings([plot] if plot else [], PICTURES, loaded._files, force=files.force)
    named = files.check(PAGES, loaded)
    announce_compilation("expand.expand", "dop853.advance_dop853")
    options: dict[str, Any] = {
        "formulations": read_methods(formulations, "--formulations"),
        "integrators": read_methods(integrators, "--integrators"),
        "rtol": _numbers(rtol), "step": read_time(loaded, step, "--step"),
        "output_step": read_time(loaded, output_step, "--output-step"), "repeats": repeats,
    }  # fmt: skip
    end = read_time(loaded, until, "--until")
    with warnings.catch_warnings(), stage_progress("comparing", quiet=source.json) as progress:
        warnings.simplefilter("ignore", RuntimeWarning)
        found = loaded.compare(end, **options, progress=progress)
    written, failures = write_each([plot] if plot else [], lambda file: save_figure(lambda: found.plot().figure, file))
    pages, wrong = write_each(named, lambda file: found.page(file, force=True))
    written, failures = written + pages, failures + wrong
    if source.json:
        print_json(found.plain())
    else:
        _print(found, written)
    finish(found.ok, failures)


def _numbers(text: str | None) -> list[float] | None:
    """Return tolerances from a list by commas."""
    names = read_names(text, "--rtol")
    if names is None:
        return None
    values = [read_value(name) for name in names]
    for name, value in zip(names, values, strict=True):
        if not isinstance(value, float):
            raise ModelError(f'"{name}" is no number', where="--rtol", hint="write tolerances as 1e-6,1e-8")
    return values


def _print(found: Compare, written: list[str]) -> None:
    """Print the table for people."""
    page, columns = Page(), found.columns()
    made = table(found.heading(), [(heading, side) for heading, side, _ in columns])
    if found.interrupted:
        page.line(found.interrupted)
    before = ""
    for row in found.rows:
        if before and row.formulation != before:
            made.add_section()
        before = row.formulation
        made.add_row(*(text(row) for _, _, text in columns))
    page.table(made)
    page.line("time: integration alone, the fastest of the repeats; error: largest of all bodies and instants, lengths over L")
    page.files(written)
