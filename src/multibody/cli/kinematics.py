"""`multibody kinematics`: positions, velocities and accelerations of a driven mechanism."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Annotated, Any

from multibody.cli.app import app
from multibody.cli.groups import Films, SourceInUnits, grouped
from multibody.cli.options import FILMS, PAGES, PICTURES, ModelArgument, announce_compilation, option, read_range
from multibody.cli.output import (
    MOST_EVENTS,
    Page,
    event_tables,
    joint_kinds,
    number,
    print_first,
    print_instant,
    print_quality,
    print_status,
    span_text,
    table,
    time_factor,
    time_heading,
)
from multibody.cli.pictures import answer, write_run

if TYPE_CHECKING:
    from multibody.results.run import Run

ENDINGS = (".csv", ".parquet", ".mat", ".nc", ".json", *PICTURES, *PAGES, *FILMS)


@app.command()
@grouped
def kinematics(
    model: ModelArgument,
    start: Annotated[str | None, option("kinematics", "start", "A")] = None,
    until: Annotated[str | None, option("kinematics", "until", "B")] = None,
    steps: Annotated[int | None, option("kinematics", "steps", "N")] = None,
    at: Annotated[str | None, option("kinematics", "at", "T")] = None,
    *,
    files: Films,
    source: SourceInUnits,
) -> None:
    """Move the mechanism along its motions and print the last instant, the certificate and singular positions.

    --out writes the data (.nc, .mat, .parquet, .csv; --long), keyframes (.keys.csv, .keys.json), the last instant (.json), a
    picture (.png, .pdf, .svg) with the curves of --plot, over time or against --x, a page that plays it (.html), a film (.gif,
    .webp, .mp4) or moving 3-D bodies (.glb).
    """
    loaded, chosen = source.read(model)
    shown, named = files.judged(loaded, files.motion(loaded, forces=False), ENDINGS)
    options = read_range(loaded, start, until, steps, at)
    announce_compilation("tracking.track")
    with warnings.catch_warnings():  # the status is printed below
        warnings.simplefilter("ignore", RuntimeWarning)
        run = loaded.kinematics(**options)
    plain = run.plain(chosen)
    answer(run, plain, named, lambda file: write_run(run, file, plain, shown, files.long), _print, json=source.json)


def _print(run: Run, plain: dict[str, Any], written: list[str]) -> None:
    """Print a run for people."""
    page, units = Page(), plain["units"]
    print_status(page, run.model.name, run.status, span_text(run, plain))
    for note in run.notes:
        page.line(f"note: {note}")
    if "final" in plain:
        print_instant(page, plain["final"], units, joint_kinds(run.model))
        print_quality(page, plain)
        _print_branches(page, plain)
        _print_events(page, run, plain)
    page.files(written)


def _print_branches(page: Page, plain: dict[str, Any]) -> None:
    """Print the branch, and how it changed at singular positions."""
    labels = [item["label"] for item in plain["branches"] if item["label"]]
    if labels:
        page.line("branch: " + " → ".join(labels[:MOST_EVENTS]))


def _print_events(page: Page, run: Run, plain: dict[str, Any]) -> None:
    """Print events, singular positions, and toggle positions of planar mechanisms."""
    found = run.toggles() if run.model.dimension == 2 and len(run.time) > 1 else []
    toggles = table("toggle positions", [time_heading(plain), ("kind", "left"), ("pins", "left")])
    for toggle in found[:MOST_EVENTS]:
        toggles.add_row(number(toggle["time"] * time_factor(run, plain)), toggle["kind"], ", ".join(toggle["pins"]))
    print_first(page, [*event_tables(run, plain, "the motion"), (toggles, len(found))])
