"""The loads of a motion as data, text, HTML and files."""

from __future__ import annotations

import copy
import csv
import io
import json
import pathlib
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody._target import check_target, write_whole
from multibody.arguments import answered
from multibody.errors import ModelError, nearest
from multibody.model.units import Units
from multibody.results.finite import finite
from multibody.results.loads import Load, loads_of
from multibody.results.netcdf import netcdf
from multibody.results.reactions import check_axes
from multibody.results.reactions_at import check_joints
from multibody.results.tables import Table, number

if TYPE_CHECKING:
    import pandas
    import xarray

    from multibody.model.model import Model
    from multibody.results.run import Run

MOST_ROWS = 30  # of a table for people; the data has all
VECTORS = ("force", "moment")
NUMBERS = ("peak", "time", "rms", "lowest", "highest")
ENDINGS = (".csv", ".json", ".nc")


@answered
class Loads:
    """What every joint, drive and force carries over a motion.

    ``loads["A"]["force"].peak`` is a number, ``loads.data`` a dataset, ``print(loads)`` a table.

    Parameters
    ----------
    run : Run
        With forces.
    rows : list of Load
    """

    def __init__(self, run: Run, rows: list[Load]) -> None:
        self.model, self.status, self.rows, self.units = run.model, run.status, rows, run.model.units
        self.dimension, self.instants, self.length = run.tables.dimension, len(run.time), run.tables.length
        self.span = (float(run.time[0]), float(run.time[-1])) if self.instants else (0.0, 0.0)
        self.notes = _notes(run, rows)

    def __getitem__(self, name: str) -> dict[str, Load]:
        """Return the loads of a joint, force or driven coordinate by quantity."""
        found = {row.quantity: row for row in self.rows if row.name == name}
        if not found:
            names = list(dict.fromkeys(row.name for row in self.rows))
            hint = f"{nearest(str(name), names)} There are {', '.join(names[:12])}.".strip()
            raise ModelError(f'nothing is known of "{name}"', where="loads", hint=hint)
        return found

    def __iter__(self) -> Any:
        """Iterate over the names of what carries something."""
        return iter(dict.fromkeys(row.name for row in self.rows))

    @property
    def joints(self) -> list[str]:
        """Names of the joints that carry something, as the model orders them."""
        return list(dict.fromkeys(row.name for row in self.rows if row.name in self.model.joints and row.kind != "motion"))

    # --- data ---------------------------------------------------------------------------------------------------------
    @property
    def data(self) -> xarray.Dataset:
        """The table as a dataset: ``force_peak`` over ``joint``, ``force_vector`` over ``joint`` and ``component``, and so on.

        Forces of the model and drives are along ``force`` and ``drive``; what a part does not have is NaN.
        """
        import xarray

        columns: dict[str, Any] = {}
        coords: dict[str, Any] = {"component": list("xyz"[: self.dimension])}
        for dim, names, chosen in self._groups():
            coords[dim] = names
            for quantity in dict.fromkeys(row.quantity for row in chosen):
                own = {row.name: row for row in chosen if row.quantity == quantity}
                columns |= self._columns(dim, names, quantity, own)
        about = {"model": self.model.name, "units": json.dumps(self.units.plain()), "notes": "; ".join(self.notes)}
        return xarray.Dataset(columns, coords=coords, attrs=about | {"success": int(self.status.success)})

    def _groups(self) -> list[tuple[str, list[str], list[Load]]]:
        """Return joints, drives and forces: dimension, names and rows of each."""
        drives = [row for row in self.rows if row.kind == "motion"]
        rest = [row for row in self.rows if row.kind != "motion"]
        parts = {
            "joint": [row for row in rest if row.name in self.model.joints], "drive": drives,
            "force": [row for row in rest if row.name not in self.model.joints],
        }  # fmt: skip
        return [(dim, list(dict.fromkeys(row.name for row in own)), own) for dim, own in parts.items() if own]

    def _columns(self, dim: str, names: list[str], quantity: str, own: dict[str, Load]) -> dict[str, Any]:
        """Return the variables of one quantity of joints, drives or forces."""
        prefix = quantity if dim == "joint" else f"{dim}_{quantity}"
        units = ", ".join(dict.fromkeys(row.unit for row in own.values()))
        found: dict[str, Any] = {}
        for key in NUMBERS:
            values = [getattr(own[name], key) if name in own else np.nan for name in names]
            unit = self.units.time if key == "time" else units
            found[f"{prefix}_{key}"] = ((dim,), np.array(values), {"unit": unit})
        if quantity in VECTORS and (quantity == "force" or self.dimension == 3):
            for key in ("vector", "direction"):
                full = np.full((len(names), self.dimension), np.nan)
                for k, name in enumerate(names):
                    if name in own and getattr(own[name], key):
                        full[k] = getattr(own[name], key)
                axes = "ground" if key == "direction" else next(iter(own.values())).axes
                found[f"{prefix}_{key}"] = ((dim, "component"), full, {"axes": axes})
        if dim != "force":
            unique = np.array([name not in own or own[name].unique is not False for name in names])
            found[f"{prefix}_unique"] = ((dim,), unique)
        return found

    def in_units(self, units: str | None) -> Loads:
        """Return the same in SI units (``"SI"``), or in the model's own (None)."""
        if units != "SI" or self.units == Units():
            return self
        made, time = copy.copy(self), self.units.factor(0, 1, 0)
        made.rows = [_converted(row, self.units) for row in self.rows]
        made.span, made.length = (self.span[0] * time, self.span[1] * time), self.length * self.units.factor(1, 0, 0)
        made.units = Units()
        return made

    def plain(self, units: str | None = None) -> dict[str, Any]:
        """Return what the command line prints as JSON; ``units="SI"`` converts."""
        own = self.in_units(units)
        time = self.units.factor(0, 1, 0) if own is not self else 1.0
        return {
            "model": self.model.name, "units": own.units.plain(),
            "status": {**self.status.plain(), "time_reached": self.status.time_reached * time},
            "instants": self.instants, "span": list(own.span), "notes": self.notes,
            "loads": [asdict(row) for row in own.rows],
        }  # fmt: skip

    # --- for people ---------------------------------------------------------------------------------------------------
    def tables(self, most: int = MOST_ROWS) -> list[Table]:
        """Return tables for people: joints, how bearings are loaded along and across their axes, drives and forces.

        Of a large model the parts with the largest loads are shown.
        """
        made = [self._joints(most), self._bearings(most), self._efforts(most)]
        return [table for table in made if table.rows]

    def _joints(self, most: int) -> Table:
        """Return peak, time, direction and mean of force and moment of every joint."""
        names = {key: self.units.names[key] for key in VECTORS} | {"time": self.units.time}
        columns = [("joint", "left"), ("kind", "left"), ("on", "left")]
        for quantity in VECTORS:
            columns += [(f"{quantity} [{names[quantity]}]", "right"), (f"at [{names['time']}]", "right")]
            columns += [("direction", "left")] if quantity == "force" or self.dimension == 3 else []
            columns.append(("rms", "right"))
        pairs = [self[name] for name in self.joints if "force" in self[name]]
        shown, more = _largest(pairs, most, lambda pair: pair["force"].peak)
        table = Table("joints: peak over the instants", [*columns, ("unique", "left")], [], more)
        sizes = self._sizes()
        for pair in shown:
            cells = [pair["force"].name, pair["force"].kind, pair["force"].on]
            for quantity in VECTORS:
                cells += _peak_cells(pair[quantity], sizes[quantity], quantity == "force" or self.dimension == 3)
            table.rows.append([*cells, _unique_text(pair["force"], pair["moment"])])
        return table

    def _bearings(self, most: int) -> Table:
        """Return radial and axial force and tilting moment of pins in space."""
        force, moment, time = (self.units.names[key] for key in ("force", "moment", "time"))
        columns = [("joint", "left")]
        for word, unit in (("radial", force), ("axial", force), ("tilting", moment)):
            columns += [(f"{word} [{unit}]", "right"), (f"at [{time}]", "right"), ("rms", "right")]
        sets = [self[name] for name in self.joints if "radial" in self[name]]
        shown, more = _largest(sets, most, lambda item: item["force"].peak)
        table = Table("pins: across and along the axis, and the moment that tilts them", columns, [], more)
        sizes = self._sizes()
        for item in shown:
            cells = [item["force"].name]
            for quantity, key in (("radial", "force"), ("axial", "force"), ("tilting", "moment")):
                cells += _peak_cells(item[quantity], sizes[key], False)
            table.rows.append(cells)
        return table

    def _sizes(self) -> dict[str, float]:
        """Return the largest force and moment in joints: what is far below them is round-off, and shown as 0."""
        largest = {key: max((row.peak for row in self.rows if row.quantity == key), default=0.0) for key in VECTORS}
        return largest | {"moment": max(largest["moment"], largest["force"] * self.length)}

    def _efforts(self, most: int) -> Table:
        """Return drives, springs and other forces: one line a quantity."""
        columns = [("drive or force", "left"), ("kind", "left"), ("along or on", "left"), ("", "left"), ("peak", "right"),
                   ("unit", "left"), (f"at [{self.units.time}]", "right"), ("lowest", "right"), ("highest", "right"),
                   ("rms", "right")]  # fmt: skip
        rows = [row for row in self.rows if row.quantity == "effort" or row.name not in self.model.joints]
        rows = [row for row in rows if row.peak != 0.0 or row.quantity == "effort"]  # a pure moment has no force
        shown, more = _largest(rows, most, lambda row: abs(row.peak))
        table = Table("drives and forces", columns, [], more)
        for row in shown:
            size = abs(row.peak)
            numbers = [number(getattr(row, key), size) for key in ("lowest", "highest", "rms")]
            words = [row.name, row.kind, row.on, row.quantity]
            table.rows.append([*words, number(row.peak), row.unit, number(row.time), *numbers])
        return table

    def text(self) -> str:
        """Return the tables as text."""
        span = f"{self.span[0]:g} … {self.span[1]:g} {self.units.time}"
        first = f'loads of "{self.model.name}": {span}, {self.instants} instant{"" if self.instants == 1 else "s"}'
        notes = [f"note: {note}" for note in self.notes]
        return "\n\n".join([first, *(table.text() for table in self.tables()), *(["\n".join(notes)] if notes else [])])

    def __str__(self) -> str:
        """Return the tables as text."""
        return self.text()

    def _repr_html_(self) -> str:
        """Return the tables for a notebook."""
        return "\n".join(table.html() for table in self.tables())

    def __repr__(self) -> str:
        """Return a line for people."""
        return f"<Loads of {self.model.name!r}: {len(self.joints)} joints, {len(self.rows)} quantities>"

    # --- files --------------------------------------------------------------------------------------------------------
    def save(self, file: str | pathlib.Path, units: str | None = None) -> None:
        """Write the table to a file, by its ending: ``.csv`` (one line a quantity), ``.json`` or ``.nc`` (netCDF)."""
        ending = check_target(file, ENDINGS, self.model._files)
        if ending == ".csv":
            content = self.in_units(units).csv().encode()
        elif ending == ".json":
            content = json.dumps(finite(self.plain(units)), indent=1, allow_nan=False).encode()
        else:
            content = netcdf(self.in_units(units).data)
        write_whole(file, content)

    def to_pandas(self) -> pandas.DataFrame:
        """Return the table for pandas: the columns of the CSV file, a row a quantity; ``attrs`` has what it is of."""
        import pandas

        words = ("name", "kind", "quantity", "on", "unit", "axes", "unique", "open")
        head, *rows = csv.reader(line for line in self.csv().splitlines() if not line.startswith("#"))
        columns = dict(zip(head, zip(*rows, strict=True) if rows else [()] * len(head), strict=True))
        made = pandas.DataFrame({
            key: list(cells) if key in words else [float(cell or "nan") for cell in cells] for key, cells in columns.items()
        })  # fmt: skip
        about = {"model": self.model.name, "units": self.units.plain(), "success": self.status.success}
        made.attrs = {**about, "status": self.status.message, "notes": list(self.notes)}
        return made

    def csv(self) -> str:
        """Return the table as CSV text: one line a quantity, numbers with all their digits."""
        made = io.StringIO()
        if not self.status.success:
            made.write(f"# partial: {' '.join(self.status.message.split())}\n")
        out = csv.writer(made, lineterminator="\n")
        axes = "xyz"  # of a planar model too: its moments are about z
        out.writerow(["name", "kind", "quantity", "on", "unit", "peak", f"time [{self.units.time}]", "rms", "lowest", "highest",
                      *axes, *(f"direction {axis}" for axis in axes), "axes", "unique", "open"])  # fmt: skip
        for row in self.rows:
            vectors = [_padded(vector) for vector in (row.vector, row.direction)]
            unique = "" if row.unique is None else "yes" if row.unique else "no"
            numbers = [_exact(getattr(row, key)) for key in NUMBERS]
            out.writerow([row.name, row.kind, row.quantity, row.on, row.unit, *numbers, *vectors[0], *vectors[1],
                          row.axes if row.vector else "", unique, " ".join(row.open)])  # fmt: skip
        return made.getvalue()


def loads(run: Run, joints: Sequence[str] | None, axes: str, refine: bool) -> Loads:
    """Return the loads of a run; see :meth:`Run.loads`."""
    return Loads(run, loads_of(run, joints, axes, refine))


def check_asked(model: Model, joints: Sequence[str] | None, axes: str) -> None:
    """Judge what is asked for before the motion is computed."""
    if joints is not None:
        check_joints(model, joints)
    check_axes(axes, "loads")


def _converted(row: Load, own: Units) -> Load:
    """Return a load in SI units; one whose unit is not known (a coupler's multiplier) keeps its numbers."""
    powers = {own.names["force"]: ("force", (1, -2, 1)), own.names["moment"]: ("moment", (2, -2, 1))}
    row = replace(row, time=row.time * own.factor(0, 1, 0))
    if row.unit not in powers:
        return row
    key, power = powers[row.unit]
    factor = own.factor(*power)
    scaled = {name: getattr(row, name) * factor for name in NUMBERS if name != "time"}
    return replace(row, **scaled, vector=tuple(x * factor for x in row.vector), unit=Units().names[key])


def _notes(run: Run, rows: list[Load]) -> list[str]:
    """Return what one should know about the numbers."""
    shared = list(dict.fromkeys(row.name for row in rows if row.unique is False))
    notes = [] if run.ok else [f"the run is not complete: {run.status.message}"]
    if shared:
        listed = ", ".join(shared[:6]) + (f" and {len(shared) - 6} more" if len(shared) > 6 else "")
        notes.append(f"not unique, the smallest that fit are given (redundant constraints): {listed}")
    if any(event.impulse is not None for event in run.events):
        notes.append("velocities jump on the way: such impulses are no force and are not in the peaks")
    return notes


def _largest(items: list[Any], most: int, size: Any) -> tuple[list[Any], str]:
    """Return the items to show, the largest where there are too many, and what is said about the others."""
    if len(items) <= most:
        return items, ""
    known = sorted(range(len(items)), key=lambda k: (-size(items[k]) if size(items[k]) == size(items[k]) else 0.0, k))
    return [items[k] for k in known[:most]], f"the {most} largest of {len(items)}"


def _peak_cells(load: Load, scale: float, directed: bool) -> list[str]:
    """Return peak, time, direction and mean of a quantity."""
    known = not abs(load.peak) <= 1e-10 * scale
    direction = f"({', '.join(f'{round(x, 3) + 0.0:g}' for x in load.direction)})" if known and load.direction else ""
    time = number(load.time) if known else ""
    return [number(load.peak, scale), time, *([direction] if directed else []), number(load.rms, scale)]


def _unique_text(*loads: Load) -> str:
    """Return whether force and moment are unique, else which components are not: ``not Fz, Mx``."""
    missing = [f"{load.quantity[0].upper()}{letter}" for load in loads for letter in load.open]
    return f"not {', '.join(missing)}" if missing else "yes"


def _exact(value: float) -> str:
    """Return a number with all its digits, nothing where it is not known."""
    return f"{value:.17g}" if value == value else ""


def _padded(vector: Sequence[float]) -> list[str]:
    """Return x, y and z of a vector as text: a planar force has no z, a planar moment z alone."""
    own = [_exact(x) for x in vector]
    return ["", "", *own] if len(own) == 1 else [*own, *[""] * (3 - len(own))]
