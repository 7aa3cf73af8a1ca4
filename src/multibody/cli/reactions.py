"""`multibody reactions`: what joints carry at one time."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Annotated, Any

import typer

from multibody.cli.app import FAILED, app, say_error
from multibody.cli.options import (
    AtolOption,
    FormulationOption,
    IntegratorOption,
    JsonOption,
    ModelArgument,
    RtolOption,
    SetOption,
    StepOption,
    UnitsOption,
    announce_dynamics,
    load_model,
    option,
    read_names,
    read_time,
    read_units,
    run_options,
)
from multibody.cli.output import Page, number, print_json, run_progress, table
from multibody.errors import ModelError

if TYPE_CHECKING:
    from multibody.results.run import Run


@app.command()
def reactions(
    model: ModelArgument,
    at: Annotated[str | None, option("reactions", "at", "T")] = None,
    joints: Annotated[str | None, option("reactions", "joints", "A,B")] = None,
    formulation: FormulationOption = None,
    integrator: IntegratorOption = None,
    rtol: RtolOption = None,
    atol: AtolOption = None,
    step: StepOption = None,
    settings: SetOption = None,
    units: UnitsOption = None,
    json: JsonOption = False,
) -> None:
    """Print force and moment of joints on their second bodies at one time, and the efforts along their coordinates.

    A model that its motions determine is solved at that time alone; another one runs until then.
    """
    from multibody.results.reactions_at import check_joints, reactions_plain, run_at, time_of

    chosen = read_units(units)
    loaded = load_model(model, settings)
    names = check_joints(loaded, read_names(joints, "--joints"))
    given = read_time(loaded, at, "--at")
    if given is None and loaded.defaults.of("reactions").get("at") is None:
        raise ModelError("the time is missing", where="reactions", hint="give --at T")
    time = time_of(loaded, given)
    options = run_options(loaded, formulation, integrator, rtol, atol, step, None)
    announce_dynamics(loaded, options)
    with warnings.catch_warnings(), run_progress(loaded, time, quiet=json) as progress:
        warnings.simplefilter("ignore", RuntimeWarning)
        run = run_at(loaded, time, options | {"progress": progress})
    found = reactions_plain(run, names, chosen, drives=not joints)
    if json:
        print_json(found)
    else:
        _print(run, found)
    if not run.ok:
        say_error(f"{run.model.name}: {run.status.message}; {run.status.advice}".removesuffix("; "))
        raise typer.Exit(FAILED)


def _print(run: Run, found: dict[str, dict[str, Any]]) -> None:
    """Print reactions for people."""
    page, planar = Page(), run.tables.dimension == 2
    names: dict[str, str] = next((item["units"] for item in found.values() if "units" in item), {})
    axes = ("x", "y") if planar else ("x", "y", "z")
    moments = ["moment"] if planar else [f"moment {axis}" for axis in axes]
    columns = [*(f"force {axis}" for axis in axes), *moments, "effort"]
    page.line(f": {run.status.message}; t = {number(run.time[-1])} {run.model.units.time}", run.model.name)
    page.line(f"gravity: {run.plain()['gravity']}")
    units = f" [{names['force']}, {names['moment']}]" if names else ""
    page.line(f"on the second body, at its frame's origin, ground axes, without the efforts{units}")
    made = table("reactions", [("joint", "left"), ("on", "left"), *((text, "right") for text in columns), ("unique", "left")])
    for name, item in found.items():
        values = item["effort"] if isinstance(item["effort"], list) else [item["effort"]]
        effort = ", ".join(number(x) for x in values)
        if "force" in item:
            moment = [item["moment"]] if planar else item["moment"]
            cells = [number(x, _size(item)) for x in (*item["force"], *moment)]
            made.add_row(name, item["on_body"], *cells, effort, "yes" if item["unique"] else _open(item))
        else:  # a coupler, or a driven coordinate that is no joint's own
            made.add_row(name, "", *[""] * (len(columns) - 1), effort, "")
    page.table(made)
    for note in run.notes:
        if note != "gravity: none":  # said above
            page.line(f"note: {note}")


def _size(item: dict[str, Any]) -> float:
    """Return the largest component of a wrench."""
    moment = item["moment"] if isinstance(item["moment"], list) else [item["moment"]]
    return max(abs(float(x)) for x in (*item["force"], *moment))


def _open(item: dict[str, Any]) -> str:
    """Return which components are not unique."""
    flags = item["unique_components"]
    moment = flags["moment"] if isinstance(flags["moment"], list) else [flags["moment"]]
    parts = [f"force {axis}" for axis, unique in zip("xyz", flags["force"], strict=False) if not unique]
    axes = "xyz" if len(moment) > 1 else "z"
    parts += [f"moment {axis}" for axis, unique in zip(axes, moment, strict=True) if not unique]
    return "no: " + ", ".join(parts)
