"""Tables of measured points, used in expressions as functions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from multibody.errors import ModelError
from multibody.model.values import is_number, write_value

TABLE_KINDS = ("spline", "periodic", "linear")


@dataclass(frozen=True)
class Table:
    """Points (x, y) joined by a curve.

    Attributes
    ----------
    name : str
    x, y : tuple of float
        Knots, x strictly increasing.
    kind : str
        ``spline`` (cubic, twice differentiable, held constant outside), ``periodic`` (cubic, last point = first) or
        ``linear``.
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    kind: str = "spline"

    def plain(self) -> dict[str, Any]:
        """Return the mapping a file has for it."""
        return {"x": write_value(self.x), "y": write_value(self.y), "kind": self.kind}


def read_table(name: str, given: Mapping[str, Any]) -> Table:
    """Return a checked table."""
    where = f"tables.{name}"
    for key in given:
        if key not in ("x", "y", "kind"):
            raise ModelError(f'unknown field "{key}"', where=where, hint="a table has x, y and kind")
    kind = given.get("kind", "spline")
    if kind not in TABLE_KINDS:
        raise ModelError(f'unknown kind "{kind}"', where=where, hint=f"it is one of {', '.join(TABLE_KINDS)}")
    columns = []
    for key in ("x", "y"):
        values: Any = given.get(key)
        if hasattr(values, "tolist"):
            values = values.tolist()
        for k, value in enumerate(values if isinstance(values, list | tuple) else (), start=1):
            if isinstance(value, float) and not math.isfinite(value):
                hint = "leave the point out, or give its value"
                raise ModelError(f"{key}, item {k}: {value} is not a finite number", where=where, hint=hint)
        if not isinstance(values, list | tuple) or not all(is_number(v) for v in values):
            raise ModelError(f"{key} is not a list of numbers", where=where, hint=f"write {key}: [0, 1, …]")
        columns.append(tuple(float(v) for v in values))
    x, y = columns
    if len(x) != len(y) or len(x) < 2:
        raise ModelError(f"{len(x)} x and {len(y)} y", where=where, hint="give as many x as y, at least two")
    if any(b <= a for a, b in itertools.pairwise(x)):
        raise ModelError("x does not increase", where=where, hint="sort the points by x")
    if kind == "periodic" and abs(y[0] - y[-1]) > 1e-12 * max(map(abs, y)):
        raise ModelError("the last y differs from the first", where=where, hint="a periodic table ends where it begins")
    return Table(name, x, y, kind)
