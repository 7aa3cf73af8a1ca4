"""`multibody modes`: natural frequencies, damping ratios and shapes."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Annotated

import typer

from multibody.cli.app import FAILED, app, say_error
from multibody.cli.options import (
    JsonOption,
    ModelArgument,
    SetOption,
    UnitsOption,
    announce_compilation,
    load_model,
    option,
    read_names,
    read_units,
)
from multibody.cli.output import Page, print_json, table

if TYPE_CHECKING:
    from multibody.results.modes import Modes


@app.command()
def modes(
    model: ModelArgument,
    count: Annotated[int | None, option("modes", "count", "N")] = None,
    at: Annotated[str | None, option("modes", "at", "PLACE")] = None,
    inputs: Annotated[str | None, option("modes", "inputs", "A,B")] = None,
    outputs: Annotated[str | None, option("modes", "outputs", "A,B")] = None,
    settings: SetOption = None,
    units: UnitsOption = None,
    json: JsonOption = False,
) -> None:
    """Linearize about a state; print natural frequencies, damping ratios and the shapes of the modes."""
    chosen = read_units(units)
    loaded = load_model(model, settings)
    announce_compilation("force_partials.force_partials", "rows.row_partials")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = loaded.modes(
            count=count, at=at, inputs=read_names(inputs, "--inputs"), outputs=read_names(outputs, "--outputs")
        )
    if json:
        print_json(found.plain(chosen))
    else:
        _print(found)
    if not found.ok:
        say_error(f"{loaded.name}: {found.status.message}; {found.status.advice}".removesuffix("; "))
        raise typer.Exit(FAILED)


def _print(found: Modes) -> None:
    """Print modes for people."""
    page, unit = Page(), found.model.units.time
    page.line(f": {found.status.message}; t = {found.state.t:g} {unit}", found.model.name)
    page.line(f"gravity: {found.plain()['gravity']}")
    for note in found.notes:
        page.line(f"note: {note}")
    heads = [("mode", "left"), ("frequency [Hz]", "right"), ("damping", "right"), (f"eigenvalue [1/{unit}]", "right")]
    made = table("modes", [*heads, ("shape", "left")])
    for row in found.rows():
        made.add_row(*row)
    page.table(made)
    if len(found) > made.row_count:
        page.line(f"and {len(found) - made.row_count} more (--json has all)")
