"""Result files, by their ending, written whole or not at all."""

from __future__ import annotations

import io
import json
import pathlib
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody._target import check_target, write_whole
from multibody.analyses.measures.measure import Measure
from multibody.errors import ModelError
from multibody.results.dataset import force_paths, standard_paths
from multibody.results.finite import finite
from multibody.results.netcdf import netcdf
from multibody.state.state import Status

if TYPE_CHECKING:
    from multibody.results.run import Run

ENDINGS = (".nc", ".parquet", ".csv", ".json", ".glb")


def save(run: Run, file: pathlib.Path) -> None:
    """Write a run, by the ending of the file.

    ``.csv`` and ``.parquet``: one column a path; ``.nc``: the whole dataset; ``.json``: what the command line prints; ``.glb``:
    moving 3-D bodies. A run that did not reach its end says so in all of them, in CSV in a first line that begins with ``#``.
    """
    ending = check_target(file, ENDINGS, run.model._files)
    if ending == ".glb":
        run.animate(file, force=True)  # as other files are replaced
        return
    makers = {".csv": _csv, ".nc": _netcdf, ".parquet": _parquet, ".json": _json}
    write_whole(file, makers[ending](run))


def _netcdf(run: Run) -> bytes:
    """Return the dataset with the model and all that the program keeps: :func:`multibody.read_run` gives the run back."""
    from multibody.results.stored import kept

    write = getattr(run.model, "text", None)
    return netcdf(run.data if write is None else kept(run, write()))


def _csv(run: Run) -> bytes:
    """Return the table as text, under a line that says so where the run is not complete."""
    table = _table(run)
    header = ",".join(f"{path} [{measure.unit}]" for path, measure in table.items())
    return csv_text(header, [measure.values for measure in table.values()], run.status)


def csv_text(header: str, columns: list[Any], status: Status) -> bytes:
    """Return columns as CSV; a line with ``#`` comes first if they are not all that was asked for."""
    made = io.BytesIO()
    np.savetxt(made, np.column_stack(columns), delimiter=",", header=header, comments="", fmt="%.17g", encoding="utf-8")
    first = "" if status.success else f"# partial: {' '.join(status.message.split())}\n"
    return first.encode() + made.getvalue()


def _json(run: Run) -> bytes:
    """Return what the command line prints."""
    return json.dumps(finite(run.plain()), indent=1, allow_nan=False).encode()


def _table(run: Run) -> dict[str, Measure]:
    """Return the columns of a table: time, then all scalar paths of the run."""
    table = {"time": Measure(run.time, run.model.units.time, {})}
    for path in (*standard_paths(run.model), *force_paths(run)):
        table[path] = run.measurer(path)
    return table


def _parquet(run: Run) -> bytes:
    """Return one column a path; the unit of each is in the metadata of its field."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ModelError("Parquet needs a further package (pyarrow)", hint="pip install multibody[parquet]") from None
    table = _table(run)
    fields = [pyarrow.field(path, pyarrow.float64(), metadata={"unit": m.unit}) for path, m in table.items()]
    about = {"model": run.model.name, "units": json.dumps(run.model.units.plain()), "status": run.status.message}
    about["success"] = "1" if run.status.success else "0"
    columns = [pyarrow.array(np.ascontiguousarray(m.values)) for m in table.values()]
    made = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns, schema=pyarrow.schema(fields, metadata=about)), made)
    return made.getvalue()
