"""`multibody kinematics`: positions, velocities and accelerations of a driven mechanism."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Annotated, Any

from multibody.cli.app import app
from multibody.cli.options import (
    FILMS,
    PAGES,
    PICTURES,
    ForceOption,
    FpsOption,
    JsonOption,
    LongOption,
    ModelArgument,
    OutOption,
    PlotOption,
    SecondsOption,
    SetOption,
    SizeOption,
    SpeedOption,
    TraceOption,
    UnitsOption,
    XOption,
    announce_compilation,
    check_endings,
    check_long,
    load_model,
    option,
    read_time,
    read_units,
)
from multibody.cli.output import (
    Page,
    joint_kinds,
    number,
    print_instant,
    print_json,
    print_quality,
    span_text,
    table,
    time_factor,
)
from multibody.cli.pictures import filmed, finish, picture_files, pictured, write_each, write_run
from multibody.errors import ModelError

if TYPE_CHECKING:
    from multibody.results.run import Run

ENDINGS = (".csv", ".parquet", ".mat", ".nc", ".json", *PICTURES, *PAGES, *FILMS)
MOST_EVENTS = 12


@app.command()
def kinematics(
    model: ModelArgument,
    start: Annotated[str | None, option("kinematics", "start", "A")] = None,
    until: Annotated[str | None, option("kinematics", "until", "B")] = None,
    steps: Annotated[int | None, option("kinematics", "steps", "N")] = None,
    at: Annotated[str | None, option("kinematics", "at", "T")] = None,
    out: OutOption = None,
    force: ForceOption = False,
    long: LongOption = False,
    plot: PlotOption = None,
    x: XOption = None,
    trace: TraceOption = None,
    fps: FpsOption = None,
    seconds: SecondsOption = None,
    speed: SpeedOption = None,
    size: SizeOption = None,
    settings: SetOption = None,
    units: UnitsOption = None,
    json: JsonOption = False,
) -> None:
    """Move the mechanism along its motions and print the last instant, the certificate and singular positions.

    --out writes the data (.nc, .mat, .parquet, .csv; --long), keyframes (.keys.csv, .keys.json), the last instant (.json), a
    picture (.png, .pdf, .svg) with the curves of --plot, over time or against --x, a page that plays it (.html), a film (.gif,
    .webp, .mp4) or moving 3-D bodies (.glb).
    """
    chosen = read_units(units)
    loaded = load_model(model, settings)
    shown = pictured(loaded, plot, x, trace, forces=False)
    files = picture_files(loaded, out or [], shown)
    shown = filmed(shown, files, fps, seconds, speed, size)
    check_endings(files, ENDINGS, loaded._files, force=force)
    check_long(files, long)
    options = _options(loaded, start, until, steps, at)
    announce_compilation("tracking.track")
    with warnings.catch_warnings():  # the status is printed below
        warnings.simplefilter("ignore", RuntimeWarning)
        run = loaded.kinematics(**options)
    plain = run.plain(chosen)
    chosen_files = files if len(run.time) else []
    written, failures = write_each(chosen_files, lambda file: write_run(run, file, plain, shown, long))
    if json:
        print_json(plain)
    else:
        _print(run, plain, written)
    finish(run.ok, failures)


def _options(model: Any, start: str | None, until: str | None, steps: int | None, at: str | None) -> dict[str, Any]:
    """Return the options of the analysis; what is not given comes from the model's own defaults."""
    if at is not None and (start, until, steps) != (None, None, None):
        raise ModelError("--at together with --from, --until or --steps", hint="give one time or a range")
    if at is not None:
        return {"at": read_time(model, at, "--at")}
    return {
        "start": read_time(model, start, "--from"), "until": read_time(model, until, "--until"), "steps": steps,
    }  # fmt: skip


def _print(run: Run, plain: dict[str, Any], written: list[str]) -> None:
    """Print a run for people."""
    page, units = Page(), plain["units"]
    page.line(f": {run.status.message}{span_text(run, plain)}", run.model.name)
    if run.status.advice:
        page.line(f"advice: {run.status.advice}")
    for note in run.notes:
        page.line(f"note: {note}")
    if "final" in plain:
        print_instant(page, plain["final"], units, joint_kinds(run.model))
        print_quality(page, plain)
        _print_branches(page, plain)
        _print_events(page, run, plain)
    for file in written:
        page.line(f"written: {file}")


def _print_branches(page: Page, plain: dict[str, Any]) -> None:
    """Print the branch, and how it changed at singular positions."""
    labels = [item["label"] for item in plain["branches"] if item["label"]]
    if labels:
        page.line("branch: " + " → ".join(labels[:MOST_EVENTS]))


def _print_events(page: Page, run: Run, plain: dict[str, Any]) -> None:
    """Print events, singular positions, and toggle positions of planar mechanisms."""
    factor, time = time_factor(run, plain), f"time [{plain['units']['time']}]"
    events = table("events", [(time, "right"), ("event", "left"), ("", "left")])
    for event in run.events[:MOST_EVENTS]:
        events.add_row(number(event.time * factor), event.name, "ended the motion" if event.terminal else "")
    singular = table("singular positions", [(time, "right"), ("kind", "left"), ("reason", "left")])
    for item in run.singularities[:MOST_EVENTS]:
        singular.add_row(number(item.time * factor), item.kind, item.reason)
    found = run.toggles() if run.model.dimension == 2 and len(run.time) > 1 else []
    toggles = table("toggle positions", [(time, "right"), ("kind", "left"), ("pins", "left")])
    for toggle in found[:MOST_EVENTS]:
        toggles.add_row(number(toggle["time"] * factor), toggle["kind"], ", ".join(toggle["pins"]))
    for made, count in ((events, len(run.events)), (singular, len(run.singularities)), (toggles, len(found))):
        if count > MOST_EVENTS:
            made.add_row("", f"and {count - MOST_EVENTS} more")
        page.table(made)
