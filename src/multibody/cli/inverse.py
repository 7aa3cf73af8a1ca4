"""`multibody inverse`: the efforts that a prescribed motion needs."""

from __future__ import annotations

import pathlib
import warnings
from typing import TYPE_CHECKING, Annotated, Any

from multibody._target import TABLES, write_whole
from multibody.cli.app import app
from multibody.cli.options import (
    PAGES,
    PICTURES,
    ForceOption,
    JsonOption,
    LongOption,
    ModelArgument,
    OutOption,
    PlotOption,
    SetOption,
    UnitsOption,
    XOption,
    announce_compilation,
    check_endings,
    check_long,
    load_model,
    option,
    read_names,
    read_time,
    read_units,
)
from multibody.cli.output import Page, number, print_json, run_progress, span_text, table, to_json
from multibody.cli.pictures import Pictured, finish, mark_partial, picture_files, pictured, write_each
from multibody.errors import ModelError

if TYPE_CHECKING:
    from multibody.results.inverse import Inverse

ENDINGS = (".csv", ".parquet", ".mat", ".nc", ".json", *PICTURES, *PAGES)
MOST_BLOCKED = 6


@app.command()
def inverse(
    model: ModelArgument,
    at: Annotated[str | None, option("inverse", "at", "T")] = None,
    start: Annotated[str | None, option("inverse", "start", "A")] = None,
    until: Annotated[str | None, option("inverse", "until", "B")] = None,
    steps: Annotated[int | None, option("inverse", "steps", "N")] = None,
    efforts: Annotated[str | None, option("inverse", "efforts", "S,O")] = None,
    formulation: Annotated[str | None, option("inverse", "formulation", "NAME")] = None,
    out: OutOption = None,
    force: ForceOption = False,
    long: LongOption = False,
    plot: PlotOption = None,
    x: XOption = None,
    settings: SetOption = None,
    units: UnitsOption = None,
    json: JsonOption = False,
) -> None:
    """Print the effort of each motion, or of actuators elsewhere, that the prescribed motion needs.

    --out writes the efforts (.csv, .parquet, .mat, .nc), what --json prints (.json), their curves (.png, .pdf, .svg), over time
    or against --x, or a page that plays the motion (.html); --plot chooses other curves.
    """
    chosen = read_units(units)
    loaded = load_model(model, settings)
    shown = pictured(loaded, plot, x, None, forces=True, usual=True)
    files = picture_files(loaded, out or [], shown)
    check_endings(files, ENDINGS, loaded._files, force=force)
    check_long(files, long)
    if at is not None and (start, until, steps) != (None, None, None):
        raise ModelError("--at together with --from, --until or --steps", hint="give one time or a range")
    options: dict[str, Any] = {"at": read_time(loaded, at, "--at")}
    if at is None:
        options = {"until": read_time(loaded, until, "--until"), "steps": steps}
        options |= {"start": read_time(loaded, start, "--from")}
    announce_compilation("tracking.track", "forces.add_forces")
    named = read_names(efforts, "--efforts")
    with warnings.catch_warnings(), run_progress(loaded, options.get("until"), quiet=json) as progress:
        warnings.simplefilter("ignore", RuntimeWarning)  # the status is printed below
        found = loaded.inverse(efforts=named, formulation=formulation, progress=progress, **options)
    plain = found.plain(chosen)
    written, failures = write_each(files if len(found.time) else [], lambda file: _write(found, file, plain, shown, long))
    if json:
        print_json(plain)
    else:
        _print(found, plain, written)
    finish(found.ok, failures)


def _write(found: Inverse, file: pathlib.Path, plain: dict[str, Any], shown: Pictured, long: bool) -> None:
    """Write one file."""
    ending = file.suffix.lower()
    if ending == ".json":
        write_whole(file, f"{to_json(plain)}\n".encode())
    elif ending in PAGES:
        curves = shown.plots or [f"{name}.effort" for name in found.names]
        found.page(file, force=True, plot=curves, x=shown.x)
    elif ending in PICTURES:
        import matplotlib

        from multibody.view.style import save

        matplotlib.use("agg")
        figure = found.plot(*shown.plots, x=shown.x).figure
        if not found.ok:
            mark_partial(figure, found.status.message)
        save(figure, file)
    else:
        found.save(file, long=long and ending in TABLES)


def _print(found: Inverse, plain: dict[str, Any], written: list[str]) -> None:
    """Print efforts for people: one time as it is, a range by its last, lowest, highest and quadratic mean value."""
    from multibody.results.plain import gravity_text

    page = Page()
    page.line(f": {found.status.message}{span_text(found.motion, plain)}", found.model.name)
    if found.status.advice:
        page.line(f"advice: {found.status.advice}")
    page.line(f"gravity: {gravity_text(found.motion.tables)}")
    for note in found.notes:
        page.line(f"note: {note}")
    if plain["time"]:
        page.table(_table(plain))
    finite = [x for x in found.condition if x < float("inf")]
    if finite:
        page.line(f"condition: at worst {max(finite):.3g}" + (", infinite where blocked" if found.blocked else ""))
    for item in plain["blocked"][:MOST_BLOCKED]:
        page.line(f"blocked at t = {number(item['time'])} {plain['units']['time']}: {item['direction']}")
    if len(plain["blocked"]) > MOST_BLOCKED:
        page.line(f"and at {len(plain['blocked']) - MOST_BLOCKED} more instants")
    for file in written:
        page.line(f"written: {file}")


def _table(plain: dict[str, Any]) -> Any:
    """Return the table of efforts."""
    one = len(plain["time"]) == 1
    words = ["effort"] if one else ["last", "lowest", "highest", "rms"]
    made = table("efforts (positive if they raise their coordinate)", [
        ("on", "left"), *((word, "right") for word in words), ("unit", "left"), ("unique", "left")])  # fmt: skip
    for name, item in plain["efforts"].items():
        values = [x for x in item["effort"] if x == x]
        shown = item["effort"][-1:]
        if not one and values:
            shown += [min(values), max(values), (sum(x * x for x in values) / len(values)) ** 0.5]
        cells = [number(x) for x in shown] + [""] * (len(words) - len(shown))
        made.add_row(name, *cells, item["unit"], "yes" if item["unique"] else "no, smallest")
    return made
