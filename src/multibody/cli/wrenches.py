"""The table of what joints carry, for the verbs that find it at one time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from multibody.cli.output import number, table

if TYPE_CHECKING:
    from rich.table import Table


def wrench_table(title: str, found: Mapping[str, Mapping[str, Any]], planar: bool, doubt: Callable[[Any], str]) -> Table:
    """Return the table of reactions: force, moment and effort of every joint, and whether they are unique.

    Parameters
    ----------
    title : str
    found : mapping
        Reactions as results give them, by the name of the joint, coupler or coordinate.
    planar : bool
        Whether there are two components of the force and one of the moment.
    doubt : callable
        Returns what is said of an item that is not unique.
    """
    axes = ("x", "y") if planar else ("x", "y", "z")
    moments = ["moment"] if planar else [f"moment {axis}" for axis in axes]
    columns = [*(f"force {axis}" for axis in axes), *moments, "effort"]
    made = table(title, [("joint", "left"), ("on", "left"), *((text, "right") for text in columns), ("unique", "left")])
    for name, item in found.items():
        effort = ", ".join(number(x) for x in _listed(item["effort"]))
        if "force" in item:
            values = [*item["force"], *_listed(item["moment"])]
            size = max(abs(float(x)) for x in values)
            unique = "yes" if item["unique"] else doubt(item)
            made.add_row(name, item["on_body"], *(number(x, size) for x in values), effort, unique)
        else:  # a coupler, or a driven coordinate that is no joint's own
            made.add_row(name, "", *[""] * (len(columns) - 1), effort, "")
    return made


def open_components(item: Mapping[str, Any]) -> str:
    """Return in words which components are not unique."""
    flags = item["unique_components"]
    moment = _listed(flags["moment"])
    parts = [f"force {axis}" for axis, unique in zip("xyz", flags["force"], strict=False) if not unique]
    axes = "xyz" if len(moment) > 1 else "z"
    parts += [f"moment {axis}" for axis, unique in zip(axes, moment, strict=True) if not unique]
    return "no: " + ", ".join(parts)


def _listed(values: Any) -> list[Any]:
    """Return one number as a list of one."""
    return values if isinstance(values, list) else [values]
