"""`multibody bench`: benchmark problems with every formulation and integrator."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Annotated

import typer

from multibody.cli.app import FAILED, app
from multibody.cli.options import JsonOption, announce_compilation, read_methods, read_names
from multibody.cli.output import Page, print_json, stage_progress, table

if TYPE_CHECKING:
    from multibody.results.bench import Bench


@app.command()
def bench(
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="iftomm.")],
    problem: Annotated[
        str | None, typer.Option("--problem", metavar="A,B", help="Problems, by commas; default all of the suite.")
    ] = None,
    formulation: Annotated[
        str | None, typer.Option("--formulation", metavar="A,B", help="Formulations, by commas; default all.")
    ] = None,
    integrator: Annotated[
        str | None, typer.Option("--integrator", metavar="C,D", help="Integrators, by commas; default all.")
    ] = None,
    repeats: Annotated[int, typer.Option("--repeats", metavar="N", help="Timed repetitions; the fastest counts.")] = 3,
    json: JsonOption = False,
) -> None:
    """Solve benchmark problems with every formulation and integrator; print error, violations, energy drift, work and time.

    Errors are taken against the reference solutions of the problems, and each run is judged by their acceptance criteria. Exit
    status 1 if a problem is solved by none of the combinations.
    """
    from multibody.results.bench import bench as solve

    announce_compilation("expand.expand", "dop853.advance_dop853", "bdf.advance_bdf")
    with warnings.catch_warnings(), stage_progress("benchmarks", quiet=json) as progress:
        warnings.simplefilter("ignore", RuntimeWarning)
        found = solve(
            suite, problems=read_names(problem, "--problem"), formulations=read_methods(formulation, "--formulation"),
            integrators=read_methods(integrator, "--integrator"), repeats=repeats, progress=progress,
        )  # fmt: skip
    if json:
        print_json(found.plain())
    else:
        _print(found)
    if not found.ok:
        raise typer.Exit(FAILED)


def _print(found: Bench) -> None:
    """Print the tables for people."""
    page = Page()
    if found.interrupted:
        page.line(found.interrupted)
    for problem in found.problems:
        made = table(found.title(problem), found.headings())
        before = ""
        for row in found.of(problem.name):
            if before and row.formulation != before:
                made.add_section()
            before = row.formulation
            made.add_row(*found.cells(row))
        page.table(made)
    for k, note in enumerate(found.notes(), 1):
        page.line(f"({k}) {note}")
    page.line("error: largest distance from the reference solution; position, velocity: violation of the constraints")
    page.line("energy: error of its balance over the energies at play; time: integration alone, the fastest of the repeats")
