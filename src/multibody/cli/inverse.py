"""`multibody inverse`: the efforts that a prescribed motion needs."""

from __future__ import annotations

import pathlib
import warnings
from typing import TYPE_CHECKING, Annotated, Any

from multibody._target import TABLES, write_whole
from multibody.cli.app import app
from multibody.cli.groups import Curves, SourceInUnits, grouped
from multibody.cli.options import PAGES, PICTURES, ModelArgument, announce_compilation, option, read_names, read_range
from multibody.cli.output import Page, number, print_status, run_progress, span_text, table, to_json
from multibody.cli.pictures import Pictured, answer, save_figure

if TYPE_CHECKING:
    from multibody.results.inverse import Inverse

ENDINGS = (".csv", ".parquet", ".mat", ".nc", ".json", *PICTURES, *PAGES)
MOST_BLOCKED = 6


@app.command()
@grouped
def inverse(
    model: ModelArgument,
    at: Annotated[str | None, option("inverse", "at", "T")] = None,
    start: Annotated[str | None, option("inverse", "start", "A")] = None,
    until: Annotated[str | None, option("inverse", "until", "B")] = None,
    steps: Annotated[int | None, option("inverse", "steps", "N")] = None,
    efforts: Annotated[str | None, option("inverse", "efforts", "S,O")] = None,
    formulation: Annotated[str | None, option("inverse", "formulation", "NAME")] = None,
    *,
    files: Curves,
    source: SourceInUnits,
) -> None:
    """Print the effort of each motion, or of actuators elsewhere, that the prescribed motion needs.

    --out writes the efforts (.csv, .parquet, .mat, .nc), what --json prints (.json), their curves (.png, .pdf, .svg), over time
    or against --x, or a page that plays the motion (.html); --plot chooses other curves.
    """
    loaded, chosen = source.read(model)
    shown, targets = files.judged(loaded, files.shown(loaded), ENDINGS)
    options = read_range(loaded, start, until, steps, at)
    announce_compilation("tracking.track", "driven.forces_at")
    named = read_names(efforts, "--efforts")
    with warnings.catch_warnings(), run_progress(loaded, options.get("until"), quiet=source.json) as progress:
        warnings.simplefilter("ignore", RuntimeWarning)  # the status is printed below
        found = loaded.inverse(efforts=named, formulation=formulation, progress=progress, **options)
    plain = found.plain(chosen)
    answer(found, plain, targets, lambda file: _write(found, file, plain, shown, files.long), _print, json=source.json)


def _write(found: Inverse, file: pathlib.Path, plain: dict[str, Any], shown: Pictured, long: bool) -> None:
    """Write one file."""
    ending = file.suffix.lower()
    if ending == ".json":
        write_whole(file, f"{to_json(plain)}\n".encode())
    elif ending in PAGES:
        curves = shown.plots or [f"{name}.effort" for name in found.names]
        found.page(file, force=True, plot=curves, x=shown.x)
    elif ending in PICTURES:
        save_figure(lambda: found.plot(*shown.plots, x=shown.x).figure, file, "" if found.ok else found.status.message)
    else:
        found.save(file, long=long and ending in TABLES)


def _print(found: Inverse, plain: dict[str, Any], written: list[str]) -> None:
    """Print efforts for people: one time as it is, a range by its last, lowest, highest and quadratic mean value."""
    from multibody.results.plain import gravity_text

    page = Page()
    print_status(page, found.model.name, found.status, span_text(found.motion, plain))
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
    page.files(written)


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
