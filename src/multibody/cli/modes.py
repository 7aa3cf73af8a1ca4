"""`multibody modes`: natural frequencies, damping ratios and shapes."""

from __future__ import annotations

import pathlib
import warnings
from typing import TYPE_CHECKING, Annotated

import typer

from multibody._target import write_whole
from multibody.cli.app import FAILED, app, say_error, why
from multibody.cli.groups import Files, SourceInUnits, grouped
from multibody.cli.options import PAGES, ModelArgument, announce_compilation, option, read_names
from multibody.cli.output import Page, print_json, table, to_json
from multibody.cli.pictures import finish, write_each

if TYPE_CHECKING:
    from multibody.results.modes import Modes

ENDINGS = (".csv", ".json", ".mat", *PAGES)


@app.command()
@grouped
def modes(
    model: ModelArgument,
    count: Annotated[int | None, option("modes", "count", "N")] = None,
    at: Annotated[str | None, option("modes", "at", "PLACE")] = None,
    inputs: Annotated[str | None, option("modes", "inputs", "A,B")] = None,
    outputs: Annotated[str | None, option("modes", "outputs", "A,B")] = None,
    *,
    files: Files,
    source: SourceInUnits,
) -> None:
    """Linearize about a state; print frequencies, damping ratios and shapes of the modes.

    --out plays them (.html), writes the table (.csv), eigenvalues and state-space matrices (.mat), or what --json prints
    (.json).
    """
    loaded, chosen = source.read(model)
    named = files.check(ENDINGS, loaded)
    announce_compilation("force_partials.force_partials", "rows.row_partials")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = loaded.modes(
            count=count, at=at, inputs=read_names(inputs, "--inputs"), outputs=read_names(outputs, "--outputs")
        )
    written, failures = write_each(named if found.ok else [], lambda file: _write(found, file, chosen))
    if source.json:
        print_json(found.plain(chosen))
    else:
        _print(found, written)
    if not found.ok:
        say_error(why(loaded.name, found.status))
        raise typer.Exit(FAILED)
    finish(True, failures)


def _write(found: Modes, file: pathlib.Path, units: str | None) -> None:
    """Write one file."""
    if file.suffix.lower() in PAGES:
        found.page(file, force=True)
    elif file.suffix.lower() == ".json":
        write_whole(file, f"{to_json(found.plain(units))}\n".encode())
    else:
        found.save(file)


def _print(found: Modes, written: list[str]) -> None:
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
    page.files(written)
