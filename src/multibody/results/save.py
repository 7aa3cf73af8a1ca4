"""Result files, by their ending, written whole or not at all."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from multibody._target import TABLES, check_target, is_keys, write_whole
from multibody.errors import ModelError
from multibody.results.columns import columns_of, csv_bytes, parquet_bytes
from multibody.results.finite import finite
from multibody.results.netcdf import netcdf

if TYPE_CHECKING:
    import xarray

    from multibody.results.run import Run

ENDINGS = (".nc", ".mat", ".parquet", ".csv", ".json", ".glb")
CHOSEN = (".csv", ".parquet", ".mat")  # whose columns can be chosen


def save(
    run: Run, file: pathlib.Path, *, long: bool = False, paths: Sequence[Any] | None = None, fps: float | None = None
) -> None:
    """Write a run, by the ending of the file.

    ``.csv`` and ``.parquet``: one column a path, or a row for each path at each instant (`long`); ``.mat``: columns for MATLAB
    and all that the program keeps; ``.nc``: the whole dataset; ``.json``: what the command line prints; ``.keys.csv`` and
    ``.keys.json``: poses frame by frame; ``.glb``: moving 3-D bodies. A run that did not reach its end says so in all of them,
    in CSV in a first line that begins with ``#``.
    """
    ending = check_target(file, ENDINGS, run.model._files)
    check_form(file, long=long, chosen=paths is not None, fps=fps is not None)
    if is_keys(file):
        (run.keyframes() if fps is None else run.keyframes(fps)).save(file)
    elif ending == ".glb":
        run.animate(file, force=True)  # as other files are replaced
    elif ending == ".json":
        write_whole(file, json.dumps(finite(run.plain()), indent=1, allow_nan=False).encode())
    elif ending == ".nc":
        whole = kept_of(run)
        write_whole(file, netcdf(run.data if whole is None else whole))
    elif ending == ".mat":
        from multibody.results.mat import mat_bytes, run_contents

        write_whole(file, mat_bytes(run_contents(columns_of(run, paths), kept_of(run))))
    else:
        make = csv_bytes if ending == ".csv" else parquet_bytes
        write_whole(file, make(columns_of(run, paths), long))


def check_form(file: pathlib.Path, *, long: bool, chosen: bool = False, fps: bool = False) -> None:
    """Refuse what has no meaning for a file's ending."""
    ending, keys = file.suffix.lower(), is_keys(file)
    if long and (ending not in TABLES or keys):
        raise ModelError("only a table has a long form", file=str(file), hint="use .csv or .parquet")
    if chosen and (ending not in CHOSEN or keys):
        raise ModelError("its columns cannot be chosen", file=str(file), hint="use .csv, .parquet or .mat")
    if fps and not keys:
        raise ModelError("fps has no meaning for it", file=str(file), hint="use .keys.csv or .keys.json, or run.animate")


def kept_of(run: Run) -> xarray.Dataset | None:
    """Return the dataset with the model and all that the program keeps: :func:`multibody.read_run` gives the run back.

    None where the model has no text.
    """
    from multibody.results.stored import kept

    write = getattr(run.model, "text", None)
    return None if write is None else kept(run, write())
