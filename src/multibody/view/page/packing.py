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

BITS = 30
"""Bits that a number's size is told with: the quantum is 2⁻³⁰ of the largest number of its column."""
MOST_ORDER = 6
HOLE = -(2**31)
"""Stands for a number that is not finite."""


def packed(columns: list[Floats], quanta: list[float | None] | None = None) -> dict[str, Any]:
    """Return columns of equal length as one block.

    Parameters
    ----------
    columns : list of arrays (count,)
        Numbers that are not finite come back as NaN.
    quanta : list of float or None, optional
        What each column is rounded to a multiple of; None, and default: 2⁻³⁰ of its largest size, about 1e-9.

    Returns
    -------
    dict
        ``count``, ``columns`` (quantum and order of the differences of each) and ``z``, as `common.js` reads them.
    """
    count = len(columns[0]) if columns else 0
    wanted = quanta if quanta is not None else [None] * len(columns)
    heads, whole = [], np.zeros((len(columns), count), dtype="<i4")
    for k, (column, quantum) in enumerate(zip(columns, wanted, strict=True)):
        step, rounded, hole = _rounded(np.asarray(column, dtype=float), quantum)
        order = 0 if hole else _order(rounded)
        whole[k] = _differenced(rounded, order)
        heads.append([step, order])
    planes = np.ascontiguousarray(whole).view(np.uint8).reshape(-1, 4).T  # bytes of one weight lie together
    return {"count": count, "columns": heads, "z": deflated(planes.tobytes())}


def _rounded(column: Floats, quantum: float | None) -> tuple[float, np.ndarray[Any, np.dtype[np.int64]], bool]:
    """Return the quantum, the column in multiples of it, and whether it has numbers that are not finite."""
    finite = np.isfinite(column)
    largest = float(np.max(np.abs(column[finite]), initial=0.0))
    floor = largest * 2.0**-BITS
    step = max(quantum or 0.0, floor) or 1.0  # a column of zeros has no size; one below the smallest double has none either
    multiples = np.rint(np.where(finite, column, 0.0) / step).astype(np.int64)
    multiples[~finite] = HOLE
    return step, multiples, not bool(np.all(finite))


def _order(multiples: np.ndarray[Any, np.dtype[np.int64]]) -> int:
    """Return how many differences leave the smallest numbers."""
    best, least, current = 0, np.inf, multiples
    for order in range(MOST_ORDER + 1):
        size = float(np.sum(np.log2(1.0 + np.abs(current))))  # bits, roughly
        if size < least:
            best, least = order, size
        current = np.diff(current)
    return best


def _differenced(multiples: np.ndarray[Any, np.dtype[np.int64]], order: int) -> np.ndarray[Any, np.dtype[np.int32]]:
    """Return the differences, each with the first number of the column before it, modulo 2³²."""
    current = multiples.copy()
    for _ in range(order):
        current[1:] = np.diff(current)
    return (current & 0xFFFFFFFF).astype(np.uint32).view(np.int32)


def raw(array: Any, kind: str) -> dict[str, Any]:
    """Return an array deflated as it is: "f4", "f8" or "i4"."""
    return {"type": kind, "z": deflated(np.ascontiguousarray(array, dtype=f"<{kind}").tobytes())}


def deflated(content: bytes) -> str:
    """Return bytes as zlib and base64 write them."""
    return base64.b64encode(zlib.compress(content, 9)).decode("ascii")


def unpacked(block: dict[str, Any]) -> list[Floats]:
    """Return the columns of a block as a page reads them: the other half of :func:`packed`, for whoever reads pages."""
    count, heads = block["count"], block["columns"]
    planes = np.frombuffer(zlib.decompress(base64.b64decode(block["z"])), dtype=np.uint8).reshape(4, -1)
    whole = np.ascontiguousarray(planes.T).view("<i4").reshape(len(heads), count)
    found = []
    for (step, order), row in zip(heads, whole, strict=True):
        current = row.astype(np.int32)
        for _ in range(order):
            current = np.cumsum(current, dtype=np.int32)
        found.append(np.where(current == HOLE, np.nan, current * step))
    return found
