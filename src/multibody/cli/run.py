"""`multibody run`: the motion under forces."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Annotated, Any

from multibody.cli.app import app
from multibody.cli.options import (
    FILMS,
    PAGES,
    PICTURES,
    AtolOption,
    CutOption,
    ForceOption,
    FormulationOption,
    FpsOption,
    IntegratorOption,
    JsonOption,
    LongOption,
    ModelArgument,
    OutOption,
    OutputStepOption,
    PlotOption,
    RtolOption,
    SecondsOption,
    SetOption,
    SizeOption,
    SpeedOption,
    StepOption,
    TraceOption,
    UnitsOption,
    XOption,
    announce_dynamics,
    check_endings,
    check_long,
    load_model,
    option,
    read_time,
    read_units,
    run_options,
)
from multibody.cli.output import (
    Page,
    joint_kinds,
    number,
    print_instant,
    print_json,
    print_quality,
    run_progress,
    span_text,
    table,
    time_factor,
)
from multibody.cli.pictures import filmed, finish, picture_files, pictured, write_each, write_run

if TYPE_CHECKING:
    from multibody.results.run import Run

ENDINGS = (".nc", ".mat", ".parquet", ".csv", ".json", *PICTURES, *PAGES, *FILMS)
MOST_EVENTS = 12


@app.command("run")
def run_verb(
    model: ModelArgument,
    until: Annotated[str | None, option("run", "until", "T")] = None,
    formulation: FormulationOption = None,
    integrator: IntegratorOption = None,
    rtol: RtolOption = None,
    atol: AtolOption = None,
    step: StepOption = None,
    output_step: OutputStepOption = None,
    cut: CutOption = None,
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
    """Move the model under its forces and print the last instant, the certificate, the work done and events.

    --out writes the data (.nc, .mat, .parquet, .csv; --long), keyframes (.keys.csv, .keys.json), what --json prints (.json), a
    picture (.png, .pdf, .svg) with the curves of --plot, over time or against --x, a page that plays it (.html), a film (.gif,
    .webp, .mp4) or moving 3-D bodies (.glb).
    Ctrl-C ends the run; what was computed is printed and written.
    """
    chosen = read_units(units)
    loaded = load_model(model, settings)
    shown = pictured(loaded, plot, x, trace, forces=True)
    files = picture_files(loaded, out or [], shown)
    shown = filmed(shown, files, fps, seconds, speed, size)
    check_endings(files, ENDINGS, loaded._files, force=force)
    check_long(files, long)
    options = run_options(loaded, formulation, integrator, rtol, atol, step, output_step, cut)
    end = read_time(loaded, until, "--until")
    announce_dynamics(loaded, options)
    with warnings.catch_warnings(), run_progress(loaded, end, quiet=json) as progress:  # the status is printed below
        warnings.simplefilter("ignore", RuntimeWarning)
        run = loaded.run(end, **options, progress=progress)
    plain = run.plain(chosen)
    chosen_files = files if len(run.time) else []
    written, failures = write_each(chosen_files, lambda file: write_run(run, file, plain, shown, long))
    if json:
        print_json(plain)
    else:
        _print(run, plain, written)
    finish(run.ok, failures)


def _print(run: Run, plain: dict[str, Any], written: list[str]) -> None:
    """Print a run for people."""
    page = Page()
    page.line(f": {run.status.message}{span_text(run, plain)}", run.model.name)
    if run.status.advice:
        page.line(f"advice: {run.status.advice}")
    page.line(f"gravity: {plain['gravity']}")
    if "formulation" in plain["statistics"]:
        page.line(f"used: {used(plain['statistics'])}")
    for note in run.notes:
        if not note.startswith("gravity"):
            page.line(f"note: {note}")
    if "final" in plain:
        print_instant(page, plain["final"], plain["units"], joint_kinds(run.model))
        print_quality(page, plain)
        _print_events(page, run, plain)
    for file in written:
        page.line(f"written: {file}")


def used(statistics: dict[str, Any]) -> str:
    """Return formulation and integrator in words."""
    return f"formulation {statistics['formulation']}, integrator {statistics['integrator']}"


def _print_events(page: Page, run: Run, plain: dict[str, Any]) -> None:
    """Print events that happened, and singular positions that were passed."""
    factor, time = time_factor(run, plain), f"time [{plain['units']['time']}]"
    events = table("events", [(time, "right"), ("event", "left"), ("", "left")])
    for event in run.events[:MOST_EVENTS]:
        passed_on = "velocities jump: an impulse" if event.impulse is not None else ""
        events.add_row(number(event.time * factor), event.name, "ended the run" if event.terminal else passed_on)
    singular = table("singular positions", [(time, "right"), ("kind", "left"), ("reason", "left")])
    for item in run.singularities[:MOST_EVENTS]:
        singular.add_row(number(item.time * factor), item.kind, item.reason)
    for made, count in ((events, len(run.events)), (singular, len(run.singularities))):
        if count > MOST_EVENTS:
            made.add_row("", f"and {count - MOST_EVENTS} more")
        page.table(made)
