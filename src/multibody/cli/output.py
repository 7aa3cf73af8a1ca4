"""What verbs print: JSON without numbers that JSON has no word for, and tables for people."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

MOST_ROWS = 30  # bodies or joints that are printed for people; JSON has all
AXES = ("x", "y", "z")


def print_json(data: Any) -> None:
    """Print one JSON object."""
    typer.echo(to_json(data))


def to_json(data: Any) -> str:
    """Return data as JSON; numbers that are not finite become null."""
    return json.dumps(finite(data), allow_nan=False)


def finite(data: Any) -> Any:
    """Return plain data with None for numbers that are not finite."""
    if isinstance(data, Mapping):
        return {str(key): finite(value) for key, value in data.items()}
    if isinstance(data, str) or data is None:
        return data
    if isinstance(data, Sequence):
        return [finite(value) for value in data]
    if hasattr(data, "tolist"):  # NumPy's numbers and arrays
        return finite(data.tolist())
    return None if isinstance(data, float) and not math.isfinite(data) else data


def console() -> Console:
    """Return the console of stdout: as wide as the terminal, wide enough for tables where there is none."""
    from rich.console import Console

    made = Console(highlight=False)
    return made if made.is_terminal else Console(highlight=False, width=160)


def table(title: str, columns: Sequence[tuple[str, str]]) -> Table:
    """Return an empty table; columns are (heading, "left" or "right")."""
    from rich import box
    from rich.table import Table

    made = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", title_style="bold", pad_edge=False)
    for heading, justify in columns:
        made.add_column(heading, justify="right" if justify == "right" else "left", no_wrap=justify == "right")
    return made


def number(value: float | None, scale: float = 0.0) -> str:
    """Return a number for people; round-off beside `scale` shows as 0."""
    if value is None:
        return ""
    if not math.isfinite(value):
        return "–"
    return f"{0.0 if abs(value) <= 1e-12 * scale else value:.6g}"


def print_instant(out: Console, instant: Mapping[str, Any], units: Mapping[str, str], kinds: Mapping[str, Any]) -> None:
    """Print the bodies and joints of one instant.

    Parameters
    ----------
    out : Console
    instant : mapping
        ``time``, ``bodies``, ``joints`` and maybe ``outputs``, as results give them.
    units : mapping
        Names of the units of length and time.
    kinds : mapping
        The model's joints by name: (kind, names of coordinates).
    """
    length, time = units["length"], units["time"]
    out.print(f"[bold]at t = {number(instant['time'])} {time}[/bold]   lengths in {length}, angles in rad, times in {time}")
    out.print(_bodies(instant["bodies"]))
    joints = _joints(instant["joints"], kinds)
    if joints.row_count:
        out.print(joints)
    if instant.get("outputs"):
        made = table("outputs", [("output", "left"), ("value", "right")])
        for name, value in instant["outputs"].items():
            made.add_row(name, number(value))
        out.print(made)


def _bodies(bodies: Mapping[str, Mapping[str, Any]]) -> Table:
    """Return the table of bodies: three lines each, translation and rotation side by side."""
    planar = "angle" in next(iter(bodies.values()))
    turn = ["angle"] if planar else ["rotation w", "x", "y", "z"]
    axes = AXES[:2] if planar else AXES
    columns = [("body", "left"), ("", "left"), *((axis, "right") for axis in axes), *((name, "right") for name in turn)]
    made = table("bodies (center of mass, ground axes)", columns)
    for name, body in list(bodies.items())[:MOST_ROWS]:
        for k, (word, moved, turned) in enumerate(_levels(body)):
            linear = [number(x, _size(moved)) for x in moved]
            angular = [number(x, _size(turned)) for x in turned]
            angular = [""] * (len(turn) - len(angular)) + angular  # ω has no scalar part
            made.add_row(name if k == 0 else "", word, *linear, *angular, end_section=word == "acceleration")
    if len(bodies) > MOST_ROWS:
        made.add_row(f"and {len(bodies) - MOST_ROWS} more (--json has all)")
    return made


def _levels(body: Mapping[str, Any]) -> list[tuple[str, list[float], list[float]]]:
    """Return (word, translation, rotation) at position, velocity and acceleration level."""
    turn = body["angle"] if "angle" in body else body["rotation"]
    rows = [("position", body["position"], turn), ("velocity", body["velocity"], body["angular_velocity"])]
    if "acceleration" in body:
        rows.append(("acceleration", body["acceleration"], body["angular_acceleration"]))
    return [(word, moved, turned if isinstance(turned, list) else [turned]) for word, moved, turned in rows]


def _size(values: Sequence[float]) -> float:
    """Return the largest absolute value, at least 1."""
    return max([1.0, *(abs(value) for value in values)])


def _joints(joints: Mapping[str, Mapping[str, Any]], kinds: Mapping[str, tuple[str, list[str]]]) -> Table:
    """Return the table of joints: a line for each coordinate."""
    headings = [("joint", "left"), ("kind", "left"), ("coordinate", "left")]
    levels = [("coordinates", "value"), ("rates", "rate"), ("accelerations", "acceleration")]
    present = [(key, word) for key, word in levels if any(key in joint for joint in joints.values())]
    made = table("joints", [*headings, *((word, "right") for _, word in present)])
    moving = {name: joint for name, joint in joints.items() if joint["coordinates"]}
    for name, joint in list(moving.items())[:MOST_ROWS]:
        kind, names = kinds[name]
        labels = [*names, *(f"rotation {axis}" for axis in "wxyz")]
        count = len(joint["coordinates"])
        for k in range(count):
            cells = [number(_rate(joint.get(key, []), k, count), 1.0) for key, _ in present]
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
