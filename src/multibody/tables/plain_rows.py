"""Rows that are one basic function with weight 1, as almost all rows of joints are."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from multibody.kernels import codes as L
from multibody.kernels.declared import Plain
from multibody.tables.lower import Tables


def plain_rows(tables: Tables) -> npt.NDArray[Any]:
    """Return a record for every row, with kind 0 where it is more than one function; found once for a structure."""
    if "plain" not in tables.structure:
        tables.structure["plain"] = _found(tables)
    found: npt.NDArray[Any] = tables.structure["plain"]
    return found


def _found(tables: Tables) -> npt.NDArray[Any]:
    """Return them."""
    packed = tables.packed
    out = np.zeros(len(packed.rows), dtype=Plain.dtype)
    single = np.flatnonzero(packed.rows["terms"] == 1)
    rows = np.asarray(packed.rows)[single]
    terms = np.asarray(packed.terms)[rows["first_term"]]
    own = np.asarray(packed.functions)[terms["function"]]
    places = np.where(terms["entry"] >= 0, rows["entry"][:, None] + terms["entry"], -1)
    constant = ~np.isin(terms["weight"], tables.slots) & (tables.F[terms["weight"]] == 1.0)
    alone = (rows["program"] < 0) & (own["kind"] != L.EXTRA) & constant & (own["first"] != own["second"])
    values = {name: own[name] for name in ("kind", "first", "second", "numbers")}
    values |= {"at_first": places[:, 0], "at_second": places[:, 1], "row": single, "function": terms["function"]}
    for name, numbers in values.items():
        out[name][single[alone]] = numbers[alone]
    return out
