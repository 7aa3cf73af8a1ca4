"""What verbs print: JSON without numbers that JSON has no word for, and tables for people."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from multibody.results.finite import finite

if TYPE_CHECKING:
    from rich.progress import Progress
    from rich.table import Table

MOST_EVENTS = 12  # of every kind
MOST_ROWS = 30  # bodies or joints that are printed for people; JSON has all
AXES = ("x", "y", "z")
PATIENCE = 1.0  # seconds before a run shows its progress
SAID = ("formulation", "integrator", "until", "output_step", "rtol", "atol", "step")  # statistics that are no work


def print_json(data: Any) -> None:
    """Print one JSON object."""
    typer.echo(to_json(data))


def to_json(data: Any) -> str:
    """Return data as JSON; numbers that are not finite become null."""
    return json.dumps(finite(data), allow_nan=False)


class Page:
    """What is printed for people: lines and tables, as wide as the terminal, or wide where there is none."""

    def __init__(self) -> None:
        from rich.console import Console

        made = Console(highlight=False, markup=False)
        self.console = made if made.is_terminal else Console(highlight=False, markup=False, width=160)

    def line(self, text: str, title: str = "") -> None:
        """Print a line, after a title in bold."""
        from rich.text import Text

        self.console.print(Text.assemble((title, "bold"), text), soft_wrap=True)

    def table(self, made: Table) -> None:
        """Print a table, unless it is empty."""
        if made.row_count:
            self.console.print(made)

    def files(self, written: Sequence[str]) -> None:
        """Print the files that were written."""
        for file in written:
            self.line(f"written: {file}")


def table(title: str, columns: Sequence[tuple[str, str]]) -> Table:
    """Return an empty table; columns are (heading, "left" or "right")."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    made = Table(title=Text(title), box=box.SIMPLE_HEAD, title_justify="left", title_style="bold", pad_edge=False)
    for heading, justify in columns:
        right = justify == "right"
        made.add_column(Text(heading), justify="right" if right else "left", no_wrap=right)
    return made


def number(value: float | None, scale: float = 0.0) -> str:
    """Return a number for people; round-off beside `scale` shows as 0."""
    if value is None:
        return ""
    if not math.isfinite(value):
        return "–"
    return f"{0.0 if abs(value) <= 1e-11 * scale else value:.6g}"


def print_instant(
    page: Page, instant: Mapping[str, Any], units: Mapping[str, str], kinds: Mapping[str, tuple[str, list[str]]]
) -> None:
    """Print the bodies and joints of one instant.

    Parameters
    ----------
    page : Page
    instant : mapping
        ``time``, ``bodies``, ``joints`` and maybe ``outputs``, as results give them.
    units : mapping
        Names of the units of length and time.
    kinds : mapping
        Kind and names of coordinates of every joint.
    """
    length, time = units["length"], units["time"]
    page.line(f"   lengths in {length}, angles in rad, times in {time}", f"at t = {number(instant['time'])} {time}")
    page.table(_bodies(instant["bodies"]))
    page.table(_joints(instant["joints"], kinds))
    outputs = table("outputs", [("output", "left"), ("value", "right"), ("unit", "left")])
    for name, value in instant.get("outputs", {}).items():
        outputs.add_row(name, number(value), instant["output_units"].get(name, ""))
    page.table(outputs)


def _bodies(bodies: Mapping[str, Mapping[str, Any]]) -> Table:
    """Return the table of bodies: a line for each level, translation and rotation side by side."""
    planar = "angle" in next(iter(bodies.values()))
    turn = ["angle"] if planar else ["rotation w", "x", "y", "z"]
    axes = AXES[:2] if planar else AXES
    columns = [("body", "left"), ("", "left"), *((axis, "right") for axis in axes), *((name, "right") for name in turn)]
    made = table("bodies (center of mass, ground axes)", columns)
    shown = {name: _levels(body) for name, body in list(bodies.items())[:MOST_ROWS]}
    count = len(next(iter(shown.values())))
    sizes = [_size([x for rows in shown.values() for x in (*rows[k][1], *rows[k][2])]) for k in range(count)]
    for name, levels in shown.items():
        for k, (word, moved, turned) in enumerate(levels):
            angular = [""] * (len(turn) - len(turned)) + [number(x, sizes[k]) for x in turned]  # ω has no scalar part
            cells = [number(x, sizes[k]) for x in moved] + angular
            made.add_row(name if k == 0 else "", word, *cells, end_section=k == len(levels) - 1)
    if len(bodies) > MOST_ROWS:
        made.add_row(f"and {len(bodies) - MOST_ROWS} more (--json has all)")
    return made


def _levels(body: Mapping[str, Any]) -> list[tuple[str, list[float], list[float]]]:
    """Return (word, translation, rotation) at position, velocity and acceleration level; words of the levels it has."""
    turn = body["angle"] if "angle" in body else body["rotation"]
    rows = [("position", body["position"], turn), ("velocity", body["velocity"], body["angular_velocity"])]
    if "acceleration" in body:
        rows.append(("acceleration", body["acceleration"], body["angular_acceleration"]))
    return [(word, moved, turned if isinstance(turned, list) else [turned]) for word, moved, turned in rows]


def _size(values: Sequence[float]) -> float:
    """Return the largest absolute value, 0 for none."""
    return max((abs(value) for value in values if math.isfinite(value)), default=0.0)


def _joints(joints: Mapping[str, Mapping[str, Any]], kinds: Mapping[str, tuple[str, list[str]]]) -> Table:
    """Return the table of joints: a line for each coordinate."""
    headings = [("joint", "left"), ("kind", "left"), ("coordinate", "left")]
    levels = [("coordinates", "value"), ("rates", "rate"), ("accelerations", "acceleration")]
    present = [(key, word) for key, word in levels if any(key in joint for joint in joints.values())]
    made = table("joints", [*headings, *((word, "right") for _, word in present)])
    moving = {name: joint for name, joint in joints.items() if joint["coordinates"]}
    shown = dict(list(moving.items())[:MOST_ROWS])
    sizes = [_size([x for joint in shown.values() for x in joint[key]]) for key, _ in present]
    for name, joint in shown.items():
        kind, names = kinds[name]
        labels = [*names, *(f"rotation {axis}" for axis in "wxyz")]
        count = len(joint["coordinates"])
        for k in range(count):
            values = [_rate(joint[key], k, count) for key, _ in present]
            cells = [number(value, size) for value, size in zip(values, sizes, strict=True)]
            made.add_row(name if k == 0 else "", kind if k == 0 else "", labels[k], *cells)
    if len(moving) > MOST_ROWS:
        made.add_row(f"and {len(moving) - MOST_ROWS} more (--json has all)")
    return made


def _rate(values: Sequence[float], k: int, count: int) -> float | None:
    """Return the value that belongs to the k-th coordinate; a rotation (4 numbers) has 3 rates, beside its x, y, z."""
    shift = count - len(values)
    position = k if k < count - 4 or shift == 0 else k - shift
    return values[position] if 0 <= position < len(values) and (shift == 0 or k != count - 4) else None


def joint_kinds(model: Any) -> dict[str, tuple[str, list[str]]]:
    """Return kind and names of coordinates of every joint of a model."""
    return {name: (joint.kind.name, joint.names_of_coordinates(model.dimension)) for name, joint in model.joints.items()}


# --- runs -------------------------------------------------------------------------------------------------------------
def time_factor(run: Any, plain: Mapping[str, Any]) -> float:
    """Return the output's unit of time in the model's."""
    return float(run.model.units.factor(0, 1, 0)) if plain["units"] != run.model.units.plain() else 1.0


def span_text(run: Any, plain: Mapping[str, Any]) -> str:
    """Return the first and the last time in the units of the output, and the number of instants."""
    if len(run.time) == 0:
        return ""
    factor, unit = time_factor(run, plain), plain["units"]["time"]
    first, last = (number(float(run.time[k]) * factor) for k in (0, -1))
    return f"; t = {last} {unit}" if len(run.time) == 1 else f"; {first} … {last} {unit}, {len(run.time)} instants"


def print_status(page: Page, name: str, status: Any, more: str = "") -> None:
    """Print how an analysis of a model ended, and what it advises."""
    page.line(f": {status.message}{more}", name)
    if status.advice:
        page.line(f"advice: {status.advice}")


def event_tables(run: Any, plain: Mapping[str, Any], ended: str) -> list[tuple[Table, int]]:
    """Return tables of the first events that happened and of singular positions that were passed, with the counts of all.

    Parameters
    ----------
    run : Run
    plain : mapping
        What it gives as data, in the units of the output.
    ended : str
        What an event ends: "the run", "the motion".
    """
    factor, time = time_factor(run, plain), time_heading(plain)
    events = table("events", [time, ("event", "left"), ("", "left")])
    for event in run.events[:MOST_EVENTS]:
        passed_on = "velocities jump: an impulse" if event.impulse is not None else ""
        events.add_row(number(event.time * factor), event.name, f"ended {ended}" if event.terminal else passed_on)
    singular = table("singular positions", [time, ("kind", "left"), ("reason", "left")])
    for item in run.singularities[:MOST_EVENTS]:
        singular.add_row(number(item.time * factor), item.kind, item.reason)
    return [(events, len(run.events)), (singular, len(run.singularities))]


def time_heading(plain: Mapping[str, Any]) -> tuple[str, str]:
    """Return the head of a column of times."""
    return f"time [{plain['units']['time']}]", "right"


def print_first(page: Page, tables: Sequence[tuple[Table, int]]) -> None:
    """Print tables of the first events, and how many more there are."""
    for made, count in tables:
        if count > MOST_EVENTS:
            made.add_row("", f"and {count - MOST_EVENTS} more")
        page.table(made)


def print_quality(page: Page, plain: Mapping[str, Any]) -> None:
    """Print certificate and work of a run."""
    values = {key: value for key, value in plain["certificate"].items() if isinstance(value, int | float)}
    page.line("certificate: " + ", ".join(f"{key.replace('_', ' ')} {value:.2g}" for key, value in values.items()))
    work = {key.replace("_", " "): value for key, value in plain["statistics"].items() if key not in SAID}
    wall = work.pop("wall time", None)
    counts = {
        key: value for key, value in work.items() if isinstance(value, int | float) and not isinstance(value, bool) and value
    }
    text = ", ".join(f"{key} {value if isinstance(value, int) else format(value, '.3g')}" for key, value in counts.items())
    page.line(f"work: {text}" + (f", {wall:.3g} s" if wall is not None else ""))


# --- progress ---------------------------------------------------------------------------------------------------------
@contextmanager
def run_progress(model: Any, until: float | None, quiet: bool) -> Iterator[Callable[[float], None] | None]:
    """Yield what a run calls with its time: a bar on stderr after a second, where that is a terminal."""
    import sys

    end = until if until is not None else model.defaults.of("run").get("until")
    if quiet or not sys.stderr.isatty() or not isinstance(end, int | float):
        yield None
        return
    begin, bars = time.perf_counter(), list[tuple["Progress", Any]]()

    def advance(now: float) -> None:
        if not bars and time.perf_counter() - begin > PATIENCE:
            bar = _bar()
            bars.append((bar, bar.add_task("", total=abs(float(end)))))
            bar.start()
        for bar, task in bars:
            bar.update(task, completed=abs(now), description=f"t = {now:.4g} of {float(end):.4g} {model.units.time}")

    try:
        yield advance
    finally:
        for bar, _ in bars:
            bar.stop()


@contextmanager
def stage_progress(title: str, quiet: bool) -> Iterator[Callable[[str, int, int], None] | None]:
    """Yield what long work calls with words, the number of its part and their count: a bar on stderr of a terminal."""
    import sys

    if quiet or not sys.stderr.isatty():
        yield None
        return
    with _bar() as bar:
        task = bar.add_task(title, total=None)
        yield lambda text, k, count: bar.update(task, description=text, completed=k, total=count)


def _bar() -> Progress:
    """Return a progress bar that leaves nothing behind."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description:<34}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)
