"""`multibody statics`: where a mechanism stays at rest under its forces."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Annotated

import typer

from multibody.cli.app import FAILED, app, say_error
from multibody.cli.options import (
    PAGES,
    ForceOption,
    JsonOption,
    ModelArgument,
    OutOption,
    SetOption,
    UnitsOption,
    announce_compilation,
    check_endings,
    load_model,
    option,
    read_time,
    read_units,
)
from multibody.cli.output import Page, joint_kinds, number, print_instant, print_json, table
from multibody.cli.pictures import finish, write_each

if TYPE_CHECKING:
    from typing import Any

    from multibody.results.statics import Equilibrium


@app.command()
def statics(
    model: ModelArgument,
    at: Annotated[str | None, option("statics", "t", "T")] = None,
    method: Annotated[str | None, option("statics", "method", "NAME")] = None,
    tolerance: Annotated[float | None, option("statics", "tolerance", "R")] = None,
    out: OutOption = None,
    force: ForceOption = False,
    settings: SetOption = None,
    units: UnitsOption = None,
    json: JsonOption = False,
) -> None:
    """Find a position in which all forces balance; print it with its stability and all reactions; --out shows it (.html)."""
    files, chosen = out or [], read_units(units)
    loaded = load_model(model, settings)
    check_endings(files, PAGES, loaded._files, force=force)
    announce_compilation("force_partials.force_partials", "rows.row_partials")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = loaded.statics(t=read_time(loaded, at, "--at"), method=method, tolerance=tolerance)
    written, failures = write_each(files if found.ok else [], lambda file: found.page(file, force=True))
    if json:
        print_json(found.plain(chosen))
    else:
        _print(found, chosen, written)
    if not found.ok:
        say_error(f"{loaded.name}: {found.status.message}; {found.status.advice}".removesuffix("; "))
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
        page.table(_reactions(plain["reactions"], found.tables.dimension == 2))
    for file in written:
        page.line(f"written: {file}")


def _reactions(found: dict[str, dict[str, Any]], planar: bool) -> Any:
    """Return the table of reactions."""
    axes = ("x", "y") if planar else ("x", "y", "z")
    moments = ["moment"] if planar else [f"moment {axis}" for axis in axes]
    heads = [("joint", "left"), ("on", "left"), *((f"force {axis}", "right") for axis in axes)]
    heads += [*((x, "right") for x in [*moments, "effort"]), ("unique", "left")]
    made = table("reactions (ground axes, without efforts)", heads)
    for name, item in found.items():
        efforts = item["effort"] if isinstance(item["effort"], list) else [item["effort"]]
        effort = ", ".join(number(x) for x in efforts)
        if "force" in item:
            values = [*item["force"], *([item["moment"]] if planar else item["moment"])]
            size = max(abs(x) for x in values)
            made.add_row(name, item["on_body"], *(number(x, size) for x in values), effort, "yes" if item["unique"] else "no")
        else:  # a coupler, or a driven coordinate that is no joint's own
            made.add_row(name, "", *[""] * len([*axes, *moments]), effort, "")
    return made
