"""Rows that are one basic function with weight 1, as almost all rows of joints are."""

from __future__ import annotations

from multibody.kernels import layout as L
from multibody.tables.lower import Tables


def plain_row(tables: Tables, r: int) -> tuple[int, int, int, int]:
    """Return kind, first body, second body and place of the numbers of row r, zeros where it is more than one function."""
    I, row = tables.I, int(tables.I[L.ROWS]) + L.ROW_STRIDE * r
    if int(I[row + 1]) != 1:
        return 0, 0, 0, 0
    term = int(I[L.TERMS]) + L.TERM_STRIDE * int(I[row])
    kind, i, j, numbers, _ = (int(x) for x in I[I[L.FUNCTIONS] + L.FUNCTION_STRIDE * I[term] :][: L.FUNCTION_STRIDE])
    constant = int(I[term + 1]) not in tables.slots and float(tables.F[I[term + 1]]) == 1.0
    if int(I[row + 4]) >= 0 or kind == L.EXTRA or not constant or i == j:
        return 0, 0, 0, 0
    return kind, i, j, numbers
