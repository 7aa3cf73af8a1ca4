"""`multibody reactions`: what joints carry at one time."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Annotated, Any

import typer

from multibody.cli.app import FAILED, app, say_error, why
from multibody.cli.groups import Methods, SourceInUnits, grouped
from multibody.cli.options import ModelArgument, announce_dynamics, option, read_names, read_time
from multibody.cli.output import Page, number, print_json, run_progress
from multibody.cli.wrenches import open_components, wrench_table
from multibody.errors import ModelError

if TYPE_CHECKING:
    from multibody.results.run import Run


@app.command()
@grouped
def reactions(
    model: ModelArgument,
    at: Annotated[str | None, option("reactions", "at", "T")] = None,
    joints: Annotated[str | None, option("reactions", "joints", "A,B")] = None,
    *,
    methods: Methods,
    source: SourceInUnits,
) -> None:
    """Print force and moment of joints on their second bodies at one time, and the efforts along their coordinates.

    A model that its motions determine is solved at that time alone; another one runs until then.
    """
    from multibody.results.reactions_at import check_joints, reactions_plain, run_at, time_of

    loaded, chosen = source.read(model)
    names = check_joints(loaded, read_names(joints, "--joints"))
    given = read_time(loaded, at, "--at")
    if given is None and loaded.defaults.of("reactions").get("at") is None:
        raise ModelError("the time is missing", where="reactions", hint="give --at T")
    time = time_of(loaded, given)
    options = methods.read(loaded)
    announce_dynamics(loaded, options)
    with warnings.catch_warnings(), run_progress(loaded, time, quiet=source.json) as progress:
        warnings.simplefilter("ignore", RuntimeWarning)
        run = run_at(loaded, time, options | {"progress": progress})
    found = reactions_plain(run, names, chosen, drives=not joints)
    if source.json:
        print_json(found)
    else:
        _print(run, found)
    if not run.ok:
        say_error(why(run.model.name, run.status))
        raise typer.Exit(FAILED)


def _print(run: Run, found: dict[str, dict[str, Any]]) -> None:
    """Print reactions for people."""
    from multibody.results.plain import NO_GRAVITY

    page, planar = Page(), run.tables.dimension == 2
    names: dict[str, str] = next((item["units"] for item in found.values() if "units" in item), {})
    page.line(f": {run.status.message}; t = {number(run.time[-1])} {run.model.units.time}", run.model.name)
    page.line(f"gravity: {run.plain()['gravity']}")
    units = f" [{names['force']}, {names['moment']}]" if names else ""
    page.line(f"on the second body, at its frame's origin, ground axes, without the efforts{units}")
    page.table(wrench_table("reactions", found, planar, open_components))
    for note in run.notes:
        if note != NO_GRAVITY:  # said above
            page.line(f"note: {note}")
