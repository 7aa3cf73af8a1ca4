"""Result files, by their ending."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING

import numpy as np

from multibody.errors import ModelError
from multibody.results.dataset import standard_paths
from multibody.results.finite import finite

if TYPE_CHECKING:
    from multibody.results.run import Run


def save(run: Run, file: pathlib.Path) -> None:
    """Write a run as ``.csv`` (one column a path), ``.nc`` (the whole dataset) or ``.json`` (the last instant)."""
    if file.suffix == ".csv":
        paths = standard_paths(run.model)
        measures = [run.measurer(path) for path in paths]
        header = ",".join(
            [f"time [{run.model.units.time}]", *(f"{p} [{m.unit}]" for p, m in zip(paths, measures, strict=True))]
        )
        table = np.column_stack([run.time, *(m.values for m in measures)])
        np.savetxt(file, table, delimiter=",", header=header, comments="", fmt="%.17g")
    elif file.suffix == ".nc":
        try:
            run.data.to_netcdf(file)
        except (ValueError, ImportError) as error:
            raise ModelError(
                f"netCDF needs a further package ({error})", hint="pip install multibody[netcdf]"
            ) from None
    elif file.suffix == ".json":
        file.write_text(json.dumps(finite(run.plain()), indent=1, allow_nan=False))
    else:
        raise ModelError(f'unknown ending "{file.suffix}"', where=str(file), hint="use .nc, .csv or .json")
