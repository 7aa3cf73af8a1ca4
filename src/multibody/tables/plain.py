"""Rows that are one basic function with weight 1, as almost all rows of joints are."""

from __future__ import annotations

from multibody.kernels import layout as L
from multibody.tables.lower import Tables


def plain_row(tables: Tables, r: int) -> tuple[int, int, int, int]:
    """Return kind, first body, second body and place of the numbers of row r, zeros where it is more than one function."""
    packed = tables.packed
    row = packed.rows[r]
    if row.terms != 1:
        return 0, 0, 0, 0
    term = packed.terms[row.first_term]
    f = packed.functions[term.function]
    constant = int(term.weight) not in tables.slots and float(tables.F[term.weight]) == 1.0
    if row.program >= 0 or f.kind == L.EXTRA or not constant or f.first == f.second:
        return 0, 0, 0, 0
    return int(f.kind), int(f.first), int(f.second), int(f.numbers)
