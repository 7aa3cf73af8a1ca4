"""Result files, by their ending."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING

import numpy as np

from multibody.analyses.measure import Measure
from multibody.errors import ModelError
from multibody.results.dataset import force_paths, standard_paths
from multibody.results.finite import finite

if TYPE_CHECKING:
    from multibody.results.run import Run

ENDINGS = (".nc", ".parquet", ".csv", ".json")


def save(run: Run, file: pathlib.Path) -> None:
    """Write a run, by the ending of the file.

    ``.csv`` and ``.parquet``: one column a path; ``.nc``: the whole dataset; ``.json``: what the command line prints.
    """
    if file.suffix == ".csv":
        table = _table(run)
        header = ",".join(f"{path} [{measure.unit}]" for path, measure in table.items())
        values = np.column_stack([measure.values for measure in table.values()])
        np.savetxt(file, values, delimiter=",", header=header, comments="", fmt="%.17g")
    elif file.suffix == ".nc":
        try:
            run.data.to_netcdf(file)
        except (ValueError, ImportError) as error:
            raise ModelError(f"netCDF needs a further package ({error})", hint="pip install multibody[netcdf]") from None
    elif file.suffix == ".parquet":
        _parquet(run, file)
    elif file.suffix == ".json":
        file.write_text(json.dumps(finite(run.plain()), indent=1, allow_nan=False))
    else:
        hint = f"use {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}"
        raise ModelError(f'unknown ending "{file.suffix}"', where=str(file), hint=hint)


def _table(run: Run) -> dict[str, Measure]:
    """Return the columns of a table: time, then all scalar paths of the run."""
    table = {"time": Measure(run.time, run.model.units.time, {})}
    for path in (*standard_paths(run.model), *force_paths(run)):
        table[path] = run.measurer(path)
    return table


def _parquet(run: Run, file: pathlib.Path) -> None:
    """Write one column a path; the unit of each is in the metadata of its field."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ModelError("Parquet needs a further package (pyarrow)", hint="pip install multibody[parquet]") from None
    table = _table(run)
    fields = [pyarrow.field(path, pyarrow.float64(), metadata={"unit": m.unit}) for path, m in table.items()]
    about = {"model": run.model.name, "units": json.dumps(run.model.units.plain()), "status": run.status.message}
    columns = [pyarrow.array(np.ascontiguousarray(m.values)) for m in table.values()]
    pyarrow.parquet.write_table(pyarrow.table(columns, schema=pyarrow.schema(fields, metadata=about)), file)
