"""Numbers packed for a page: rounded to a quantum, differenced, bytes of one weight together, deflated, base64.

A smooth curve of which neighbors are foreseen by a polynomial leaves small differences: about one byte a number, where eight
bytes of a double would hardly deflate at all. What is read back differs from the run by half a quantum at most.
"""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np

from multibody.view.geometry import Floats

BITS = 27
"""Bits that a number's size is told with: the quantum is 2⁻²⁷ of the largest number of its column."""
MOST_BITS = 30
"""The same where a quantum is given: that of an angle of many turns is not below 2⁻³⁰ of it."""
MOST_ORDER = 6
HOLE = -(2**31)
"""Stands for a number that is not finite."""

Integers = np.ndarray[Any, np.dtype[np.int64]]


def packed(columns: list[Floats], quanta: list[float | None] | None = None) -> dict[str, Any]:
    """Return columns of equal length as one block.

    Parameters
    ----------
    columns : list of arrays (count,)
        Numbers that are not finite come back as NaN.
    quanta : list of float or None, optional
        What each column is rounded to a multiple of; None, and default: 2⁻²⁷ of its largest size, below 1e-8.

    Returns
    -------
    dict
        ``count``, ``columns`` (quantum and order of the differences of each) and ``z``, as `common.js` reads them.
    """
    count = len(columns[0]) if columns else 0
    table = np.array(columns, dtype=float).reshape(len(columns), count)
    wanted = np.array([x or 0.0 for x in quanta]) if quanta is not None else np.zeros(len(columns))
    steps, multiples, holes = _rounded(table, wanted, BITS if quanta is None else MOST_BITS)
    orders = np.where(holes, 0, _orders(multiples))
    whole = _differenced(multiples, orders)
    planes = np.ascontiguousarray(whole, dtype="<i4").view(np.uint8).reshape(-1, 4).T  # bytes of one weight lie together
    heads = [[float(step), int(order)] for step, order in zip(steps, orders, strict=True)]
    return {"count": count, "columns": heads, "z": deflated(planes.tobytes())}


def _rounded(table: Floats, wanted: Floats, bits: int) -> tuple[Floats, Integers, Any]:
    """Return the quantum of each column, the columns in multiples of it, and which have numbers that are not finite."""
    finite = np.isfinite(table)
    kept = np.where(finite, table, 0.0)
    steps = np.maximum(wanted, np.max(np.abs(kept), axis=1, initial=0.0) * 2.0**-bits)
    steps[steps == 0.0] = 1.0  # a column of zeros has no size; one below the smallest double has none either
    multiples = np.rint(kept / steps[:, None]).astype(np.int64)
    multiples[~finite] = HOLE
    return steps, multiples, ~np.all(finite, axis=1)


def _orders(multiples: Integers) -> Integers:
    """Return for each column how many differences leave the smallest numbers."""
    sizes, current = [], multiples
    for _ in range(MOST_ORDER + 1):
        sizes.append(np.sum(np.log2(1.0 + np.abs(current)), axis=1))  # bits, roughly
        current = np.diff(current, axis=1)
    return np.asarray(np.argmin(np.array(sizes), axis=0), dtype=np.int64)


def _differenced(multiples: Integers, orders: Integers) -> np.ndarray[Any, np.dtype[np.int32]]:
    """Return the differences, each with the first number of the column before it, modulo 2³²."""
    current = multiples.copy()
    for order in range(1, MOST_ORDER + 1):
        some = orders >= order
        if np.any(some):
            current[some, 1:] = np.diff(current[some], axis=1)
    return (current & 0xFFFFFFFF).astype(np.uint32).view(np.int32)


def raw(array: Any, kind: str) -> dict[str, Any]:
    """Return an array deflated as it is: "f4", "f8" or "i4"."""
    return {"type": kind, "z": deflated(np.ascontiguousarray(array, dtype=f"<{kind}").tobytes())}


def deflated(content: bytes) -> str:
    """Return bytes as zlib and base64 write them."""
    return base64.b64encode(zlib.compress(content, 7)).decode("ascii")
