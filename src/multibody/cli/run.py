"""`multibody run`: the motion under forces."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Annotated, Any

from multibody.cli.app import app
from multibody.cli.groups import CutMethods, Films, SourceInUnits, grouped
from multibody.cli.options import FILMS, PAGES, PICTURES, ModelArgument, announce_dynamics, option, read_time
from multibody.cli.output import (
    Page,
    event_tables,
    joint_kinds,
    print_first,
    print_instant,
    print_quality,
    print_status,
    run_progress,
    span_text,
)
from multibody.cli.pictures import answer, write_run

if TYPE_CHECKING:
    from multibody.results.run import Run

ENDINGS = (".nc", ".mat", ".parquet", ".csv", ".json", *PICTURES, *PAGES, *FILMS)


@app.command("run")
@grouped
def run_verb(
    model: ModelArgument,
    until: Annotated[str | None, option("run", "until", "T")] = None,
    *,
    methods: CutMethods,
    files: Films,
    source: SourceInUnits,
) -> None:
    """Move the model under its forces and print the last instant, the certificate, the work done and events.

    --out writes the data (.nc, .mat, .parquet, .csv; --long), keyframes (.keys.csv, .keys.json), what --json prints (.json), a
    picture (.png, .pdf, .svg) with the curves of --plot, over time or against --x, a page that plays it (.html), a film (.gif,
    .webp, .mp4) or moving 3-D bodies (.glb).
    Ctrl-C ends the run; what was computed is printed and written.
    """
    loaded, chosen = source.read(model)
    shown, named = files.judged(loaded, files.motion(loaded, forces=True), ENDINGS)
    options = methods.read(loaded)
    end = read_time(loaded, until, "--until")
    announce_dynamics(loaded, options)
    with warnings.catch_warnings(), run_progress(loaded, end, quiet=source.json) as progress:  # the status is printed below
        warnings.simplefilter("ignore", RuntimeWarning)
        run = loaded.run(end, **options, progress=progress)
    plain = run.plain(chosen)
    answer(run, plain, named, lambda file: write_run(run, file, plain, shown, files.long), _print, json=source.json)


def _print(run: Run, plain: dict[str, Any], written: list[str]) -> None:
    """Print a run for people."""
    page = Page()
    print_status(page, run.model.name, run.status, span_text(run, plain))
    page.line(f"gravity: {plain['gravity']}")
    if "formulation" in plain["statistics"]:
        page.line(f"used: {used(plain['statistics'])}")
    for note in run.notes:
        if not note.startswith("gravity"):
            page.line(f"note: {note}")
    if "final" in plain:
        print_instant(page, plain["final"], plain["units"], joint_kinds(run.model))
        print_quality(page, plain)
        print_first(page, event_tables(run, plain, "the run"))
    page.files(written)


def used(statistics: dict[str, Any]) -> str:
    """Return formulation and integrator in words."""
    return f"formulation {statistics['formulation']}, integrator {statistics['integrator']}"
