"""Results as columns over time: what every table of a result has in common, whatever file or program it goes to."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from multibody.errors import ModelError
from multibody.results.dataset import force_paths, standard_paths
from multibody.results.reading import labels_of, path_text
from multibody.state.state import Status

if TYPE_CHECKING:
    import pandas

    from multibody.model.model import Model
    from multibody.results.run import Run

LONG = ("time", "path", "value", "unit")  # columns of the long form


class Column(NamedTuple):
    """Numbers over time under a name, with their unit."""

    path: str
    values: np.ndarray[Any, np.dtype[np.float64]]
    unit: str


@dataclass(frozen=True)
class Columns:
    """A table over time.

    Attributes
    ----------
    model : Model
    status : Status
        A table that is not all that was asked for says so in every form.
    columns : list of Column
        The first is the time.
    notes : list of str
    """

    model: Model
    status: Status
    columns: list[Column]
    notes: list[str] = field(default_factory=list)

    @property
    def time(self) -> Column:
        """The instants."""
        return self.columns[0]

    @property
    def units(self) -> dict[str, str]:
        """The unit of every column."""
        return {column.path: column.unit for column in self.columns}

    def about(self) -> dict[str, str]:
        """Return what a table is of, as text by name."""
        return {
            "model": self.model.name, "units": json.dumps(self.model.units.plain()), "status": self.status.message,
            "success": "1" if self.status.success else "0", "notes": "; ".join(self.notes),
        }  # fmt: skip

    def long(self) -> dict[str, Any]:
        """Return the long form: a row for each path at each instant, path by path."""
        rest, count = self.columns[1:], len(self.time.values)
        values = np.concatenate([column.values for column in rest]) if rest else np.zeros(0)
        paths, units = (np.repeat([column[k] for column in rest], count).astype(object) for k in (0, 2))
        return dict(zip(LONG, (np.tile(self.time.values, len(rest)), paths, values, units), strict=True))


def columns_of(run: Run, paths: Sequence[Any] | None = None) -> Columns:
    """Return a run as columns.

    Parameters
    ----------
    run : Run
    paths : sequence of str, optional
        Paths or expressions; a vector gives a column for each component. Default all scalar paths of the run.
    """
    found = [Column("time", np.array(run.time), run.model.units.time)]
    if isinstance(paths, str):
        raise ModelError(f'"{paths}" is no list', where="paths", hint=f'write ["{paths}"]')
    asked = (*standard_paths(run.model), *force_paths(run)) if paths is None else [path_text(path) for path in paths]
    for path in dict.fromkeys(asked):
        measure = run.measurer(path)
        names = labels_of(path, 1 if measure.values.ndim == 1 else measure.values.shape[1])
        each = np.array(measure.values).reshape(len(run.time), len(names)).T
        found += [Column(name, np.ascontiguousarray(values), measure.unit) for name, values in zip(names, each, strict=True)]
    return Columns(run.model, run.status, found, list(run.notes))


# --- forms ------------------------------------------------------------------------------------------------------------
def to_frame(table: Columns, long: bool) -> pandas.DataFrame:
    """Return a table for pandas.

    Parameters
    ----------
    table : Columns
    long : bool
        Whether there is a row for each path at each instant, with the columns ``time``, ``path``, ``value`` and ``unit``;
        else a column a path, indexed by time.

    Returns
    -------
    pandas.DataFrame
        What it is of, and whether it is complete, is in its ``attrs``.
    """
    import pandas

    if long:
        made = pandas.DataFrame(table.long())
    else:
        index = pandas.Index(table.time.values, name="time")
        made = pandas.DataFrame({column.path: column.values for column in table.columns[1:]}, index=index)
    about = {"model": table.model.name, "status": table.status.message, "success": table.status.success}
    made.attrs = {**about, "units": table.units, "notes": list(table.notes)}
    return made


def csv_bytes(table: Columns, long: bool = False) -> bytes:
    """Return a table as CSV, numbers with all their digits; a line with ``#`` comes first where it is not complete."""
    made = io.StringIO()
    if not table.status.success:
        made.write(f"# partial: {' '.join(table.status.message.split())}\n")
    out = csv.writer(made, lineterminator="\n")
    if long:
        form = table.long()
        out.writerow([f"time [{table.time.unit}]", *LONG[1:]])
        numbers = [map(_exact, form["time"]), form["path"], map(_exact, form["value"]), form["unit"]]
        out.writerows(zip(*numbers, strict=True))
    else:
        out.writerow([f"{column.path} [{column.unit}]" if column.unit else column.path for column in table.columns])
        out.writerows([_exact(x) for x in row] for row in np.column_stack([column.values for column in table.columns]))
    return made.getvalue().encode()


def _exact(x: float) -> str:
    """Return a number with all its digits."""
    return f"{x:.17g}"


def parquet_bytes(table: Columns, long: bool = False) -> bytes:
    """Return a table as Parquet: units are in the metadata of the fields, what it is of in that of the file."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ModelError("Parquet needs a further package (pyarrow)", hint="pip install multibody[parquet]") from None
    if long:
        form = table.long()
        kinds = [pyarrow.float64(), pyarrow.string(), pyarrow.float64(), pyarrow.string()]
        columns = [pyarrow.array(form[key], kind) for key, kind in zip(LONG, kinds, strict=True)]
        fields = [pyarrow.field(key, kind) for key, kind in zip(LONG, kinds, strict=True)]
        fields[0] = fields[0].with_metadata({"unit": table.time.unit})
    else:
        columns = [pyarrow.array(column.values) for column in table.columns]
        fields = [pyarrow.field(c.path, pyarrow.float64(), metadata={"unit": c.unit}) for c in table.columns]
    made = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns, schema=pyarrow.schema(fields, metadata=table.about())), made)
    return made.getvalue()
