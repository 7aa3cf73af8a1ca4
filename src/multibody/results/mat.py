"""MAT files for MATLAB and Octave: columns under names that these accept, with paths, units and notes beside them.

The rule for names: every character that is no letter, digit or underscore of ASCII becomes an underscore; what does not begin
with a letter gets ``x`` before it; MATLAB's own words get an underscore behind them; a name has 63 characters at most; of names
that come out equal the later ones get ``_2``, ``_3`` and so on. ``names``, ``paths`` and ``units`` say which is which.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.errors import ModelError
from multibody.results.columns import Columns
from multibody.results.stored import PREFIX, damaged

if TYPE_CHECKING:
    import xarray

LONGEST = 63  # characters of a name: MATLAB's namelengthmax
KEYWORDS = (
    "break", "case", "catch", "classdef", "continue", "else", "elseif", "end", "for", "function", "global", "if", "otherwise",
    "parfor", "persistent", "return", "spmd", "switch", "try", "while",
)  # fmt: skip
OWN = ("names", "paths", "units", "notes", "model", "unit_system", "status", "success", "kept", "model_text")


def matlab_names(paths: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Return a valid and different name for each path, by the rule above.

    Parameters
    ----------
    paths : iterable of str
    taken : iterable of str
        Names that are in use.
    """
    used, found = set(taken), []
    for path in paths:
        name = re.sub(r"[^A-Za-z0-9_]", "_", path)
        name = name if re.match(r"[A-Za-z]", name) else f"x{name}"
        name = (f"{name}_" if name in KEYWORDS else name)[:LONGEST]
        made, k = name, 1
        while made in used:
            k += 1
            made = f"{name[: LONGEST - len(str(k)) - 1]}_{k}"
        used.add(made)
        found.append(made)
    return found


def mat_bytes(contents: Mapping[str, Any]) -> bytes:
    """Return variables as a MAT file (level 5, compressed); what is 1-D becomes a column, a list of text a cell array."""
    from scipy.io import savemat

    cells = {name: _cells(value) if isinstance(value, list) else value for name, value in contents.items()}
    made: Any = io.BytesIO()
    savemat(made, cells, long_field_names=True, do_compression=True, oned_as="column")
    content: bytes = made.getvalue()
    return content


def _cells(texts: list[str]) -> Any:
    made = np.empty(len(texts), dtype=object)
    made[:] = texts
    return made


def table_contents(table: Columns) -> dict[str, Any]:
    """Return the variables of a table: a column each, and what they are."""
    names = matlab_names((column.path for column in table.columns), OWN)
    found: dict[str, Any] = dict(zip(names, (column.values for column in table.columns), strict=True))
    found |= {"names": names, "paths": [column.path for column in table.columns]}
    found |= {"units": [column.unit for column in table.columns], "notes": list(table.notes), "model": table.model.name}
    system = dict(zip(matlab_names(table.model.units.plain()), table.model.units.plain().values(), strict=True))
    return found | {"unit_system": system, "status": table.status.message, "success": table.status.success}


def run_contents(table: Columns, kept: xarray.Dataset | None) -> dict[str, Any]:
    """Return the variables of a run; with what the program keeps of it, so that the file gives the run back."""
    found = table_contents(table)
    if kept is None:
        return found
    arrays = {str(name).removeprefix(PREFIX): kept[name].values for name in kept if str(name).startswith(PREFIX)}
    arrays["time"] = kept["time"].values
    shapes = {name: list(array.shape) for name, array in arrays.items()}
    arrays = {name: array.astype(np.int64) if array.dtype == bool else array for name, array in arrays.items()}
    filled = {name: array for name, array in arrays.items() if array.size}
    about = {"shapes": json.dumps(shapes), "about": kept.attrs["kept"]}
    return found | {"kept": {**filled, **about}, "model_text": kept.attrs["model_text"]}


def read_mat(file: str) -> xarray.Dataset:
    """Return what :func:`run_contents` kept, as a netCDF file holds it.

    Raises
    ------
    ModelError
        If it is no MAT file of a run, or is damaged.
    """
    import xarray
    from scipy.io import loadmat

    try:
        found = loadmat(file, chars_as_strings=True, squeeze_me=False, variable_names=["kept", "model_text"])
    except Exception:  # SciPy has many ways to say it
        raise damaged(file) from None
    if "kept" not in found or "model_text" not in found:
        raise ModelError("it holds no run", file=file, hint='save the run again with run.save("run.mat")')
    try:
        kept = found["kept"][0, 0]
        shapes = json.loads(str(kept["shapes"][0]))
        data = xarray.Dataset(attrs={"kept": str(kept["about"][0]), "model_text": str(found["model_text"][0])})
        for name, shape in shapes.items():
            values = np.ascontiguousarray(kept[name]).reshape(shape) if 0 not in shape else np.zeros(shape)
            own = "time" if name == "time" else f"{PREFIX}{name}"
            data[own] = (("time",) if name == "time" else tuple(f"{own}_{k}" for k in range(len(shape))), values)
        return data
    except (LookupError, TypeError, ValueError):  # whatever is missing, or is something else
        raise damaged(file) from None
