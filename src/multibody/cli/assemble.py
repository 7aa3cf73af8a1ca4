"""`multibody assemble`: a pose in which all joints are closed."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Annotated, Any

import typer

from multibody.cli.app import app
from multibody.cli.groups import Files, SourceInUnits, grouped
from multibody.cli.options import PAGES, PICTURES, ModelArgument, announce_compilation, option, read_time
from multibody.cli.output import Page, joint_kinds, print_instant, print_json
from multibody.cli.pictures import finish, save_state, write_each
from multibody.options.verbs import VERBS

if TYPE_CHECKING:
    from multibody.results.state import State


@app.command()
@grouped
def assemble(
    model: ModelArgument,
    at: Annotated[str | None, option("assemble", "t", "T")] = None,
    branches: Annotated[
        bool | None, typer.Option("--branches/--one", help=VERBS["assemble"]["branches"].doc, show_default=False)
    ] = None,
    *,
    files: Files,
    source: SourceInUnits,
) -> None:
    """Close all joints near the guess and print the state; --out draws it (.png, .pdf, .svg, .html)."""
    loaded, chosen = source.read(model)
    named = files.check((*PICTURES, *PAGES), loaded)
    announce_compilation("rows.row_jacobian")
    time = read_time(loaded, at, "--at")
    found = loaded.assemble(t=time, branches=branches)
    branches = isinstance(found, list)
    states = found if isinstance(found, list) else [found]
    drawn = [file for file in named if file.suffix.lower() in PICTURES]
    pictures = [name for file in drawn for name in _names(file, len(states))]
    written, failures = write_each(pictures, lambda file: save_state(states[pictures.index(file) % len(states)], file))
    pages, wrong = write_each([file for file in named if file not in drawn and states], lambda file: _page(states, file))
    written, failures = written + pages, failures + wrong
    plains = [state.plain(chosen) for state in states]
    if source.json:
        print_json(_combined(plains, loaded.name) if branches else plains[0])
    else:
        _print(states, plains, joint_kinds(loaded), written)
    finish(bool(states) and all(state.ok for state in states), failures)


def _combined(plains: list[dict[str, Any]], name: str) -> dict[str, Any]:
    """Return the assemblies as one object."""
    success = bool(plains) and all(p["status"]["success"] for p in plains)
    status = {"success": success, "message": f"{len(plains)} assemblies"}
    first = {"model": name, "units": plains[0]["units"] if plains else {}, "status": status}
    return first | {"assemblies": [{key: p[key] for key in ("branch", "iterations", "status", "final")} for p in plains]}


def _print(states: list[State], plains: list[dict[str, Any]], kinds: dict[str, Any], written: list[str]) -> None:
    """Print the states for people."""
    page = Page()
    for k, (state, plain) in enumerate(zip(states, plains, strict=True)):
        number = f" {k + 1} of {len(states)}" if len(states) > 1 else ""
        branch = f", branch {state.branch}" if state.branch else ""
        iterations = f"{plain['iterations']} iteration{'' if plain['iterations'] == 1 else 's'}"
        page.line(f": {state.status.message}{number}{branch}, {iterations}", plain["model"])
        if state.status.advice:
            page.line(f"advice: {state.status.advice}")
        print_instant(page, plain["final"], plain["units"], kinds)
    page.files(written)


def _page(states: list[State], file: pathlib.Path) -> None:
    """Write a page with every assembly that was found."""
    from multibody import page

    page(file, states, labels=[state.branch or f"assembly {k + 1}" for k, state in enumerate(states)], force=True)


def _names(file: pathlib.Path, count: int) -> list[pathlib.Path]:
    """Return a file for every state, numbered where there are several."""
    return [file] * count if count < 2 else [file.with_stem(f"{file.stem}-{k + 1}") for k in range(count)]
