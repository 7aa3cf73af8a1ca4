"""`multibody statics`: where a mechanism stays at rest under its forces."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Annotated

import typer

from multibody.cli.app import FAILED, app, say_error, why
from multibody.cli.groups import Files, SourceInUnits, grouped
from multibody.cli.options import PAGES, ModelArgument, announce_compilation, option, read_time
from multibody.cli.output import Page, joint_kinds, number, print_instant, print_json
from multibody.cli.pictures import finish, write_each
from multibody.cli.wrenches import wrench_table

if TYPE_CHECKING:
    from multibody.results.statics import Equilibrium


@app.command()
@grouped
def statics(
    model: ModelArgument,
    at: Annotated[str | None, option("statics", "t", "T")] = None,
    method: Annotated[str | None, option("statics", "method", "NAME")] = None,
    tolerance: Annotated[float | None, option("statics", "tolerance", "R")] = None,
    *,
    files: Files,
    source: SourceInUnits,
) -> None:
    """Find a position in which all forces balance; print it with its stability and all reactions; --out shows it (.html)."""
    loaded, chosen = source.read(model)
    named = files.check(PAGES, loaded)
    announce_compilation("force_partials.force_partials", "rows.row_partials")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = loaded.statics(t=read_time(loaded, at, "--at"), method=method, tolerance=tolerance)
    written, failures = write_each(named if found.ok else [], lambda file: found.page(file, force=True))
    if source.json:
        print_json(found.plain(chosen))
    else:
        _print(found, chosen, written)
    if not found.ok:
        say_error(why(loaded.name, found.status))
        raise typer.Exit(FAILED)
    finish(True, failures)


def _print(found: Equilibrium, units: str | None, written: list[str]) -> None:
    """Print an equilibrium for people."""
    page, plain = Page(), found.plain(units)
    page.line(f": {found.status.message}", found.model.name)
    page.line(f"gravity: {plain['gravity']}")
    if found.ok and found.status.advice:
        page.line(found.status.advice)
    page.line(f"residual {found.residual:.2g}, {found.iterations} iterations ({found.method or 'none'})")
    if plain["eigenvalues"]:
        page.line("stiffness along the free directions: " + ", ".join(number(x) for x in plain["eigenvalues"][:8]))
    for note in found.notes:
        page.line(f"note: {note}")
    print_instant(page, plain["final"], plain["units"], joint_kinds(found.model))
    if "reactions" in plain:
        title, planar = "reactions (ground axes, without efforts)", found.tables.dimension == 2
        page.table(wrench_table(title, plain["reactions"], planar, lambda _: "no"))
    page.files(written)
