"""Files of a study, by their ending, written whole or not at all."""

from __future__ import annotations

import csv
import io
import json
import pathlib
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody._target import check_target, write_whole
from multibody.errors import ModelError
from multibody.results.finite import finite
from multibody.results.netcdf import netcdf

if TYPE_CHECKING:
    from multibody.study.result import Study

ENDINGS = (".nc", ".csv", ".parquet", ".json")


def save(study: Study, file: pathlib.Path) -> None:
    """Write a study, by the ending of the file.

    ``.csv`` and ``.parquet``: a row a member; ``.nc``: everything, for :func:`multibody.read_study`; ``.json``: what the
    command line prints. One that ended early says so in all of them, in CSV in a first line that begins with ``#``.
    """
    ending = check_target(file, ENDINGS, () if study.model is None else study.model._files)
    makers = {".csv": _csv, ".nc": _netcdf, ".parquet": _parquet, ".json": _json}
    write_whole(file, makers[ending](study))


def _csv(study: Study) -> bytes:
    """Return a table with a row a member."""
    made = io.StringIO()
    if not study.ok:
        made.write(f"# partial: {' '.join(study.status.message.split())}\n")
    out = csv.writer(made, lineterminator="\n")
    named = [f"{name} [{unit}]" if unit else name for name, unit in zip(study.names, study.about.units, strict=True)]
    out.writerow(["member", *study.keys, *named, "status", "message"])
    for k, (values, outputs, state) in enumerate(zip(study.values, study.outputs, study.states, strict=True)):
        numbers = [f"{x:.17g}" if x == x else "" for x in (*values, *outputs)]
        out.writerow([k, *numbers, state, study.messages.get(k, "")])
    return made.getvalue().encode()


def _json(study: Study) -> bytes:
    """Return what the command line prints."""
    return json.dumps(finite(study.plain()), indent=1, allow_nan=False).encode()


def _parquet(study: Study) -> bytes:
    """Return a table with a row a member; units are in the metadata of the fields."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ModelError("Parquet needs a further package (pyarrow)", hint="pip install multibody[parquet]") from None
    columns: dict[str, Any] = {key: pyarrow.array(study.values[:, k].copy()) for k, key in enumerate(study.keys)}
    columns |= {name: pyarrow.array(study.outputs[:, k].copy()) for k, name in enumerate(study.names)}
    said = [study.messages.get(k, "") for k in range(len(study))]
    columns |= {"status": pyarrow.array(study.states), "message": pyarrow.array(said)}
    units = dict(zip(study.names, study.about.units, strict=True))
    fields = [pyarrow.field(key, column.type, metadata={"unit": units.get(key, "")}) for key, column in columns.items()]
    about = {"model": study.about.name, "status": study.status.message, "success": "1" if study.ok else "0"}
    made = io.BytesIO()
    table = pyarrow.table(list(columns.values()), schema=pyarrow.schema(fields, metadata=about))
    pyarrow.parquet.write_table(table, made)
    return made.getvalue()


def _netcdf(study: Study) -> bytes:
    """Return everything as arrays; names of outputs, which are formulas, are values of a coordinate."""
    import xarray

    said = {str(k): text for k, text in study.messages.items()}
    ended = "" if study.ok else study.status.message
    made = xarray.Dataset(
        {
            "values": (("member", "varied"), np.array(study.values)),
            "outputs": (("member", "output"), np.array(study.outputs)),
            "status": ("member", np.array(study.codes)),
        },
        coords={"varied": list(study.keys), "output": list(study.names)},
        attrs={
            "study": json.dumps(asdict(study.about)), "messages": json.dumps(said), "status": ended, "success": int(study.ok),
        },
    )  # fmt: skip
    return netcdf(made)
