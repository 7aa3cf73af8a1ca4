"""Tables of points as piecewise cubics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from multibody.kernels import codes as L
from multibody.model.tables import Table


def pack_table(table: Table) -> tuple[int, list[float], list[float]]:
    """Return (kind, knots, coefficients from the constant on, four an interval) of a table."""
    x, y = np.array(table.x), np.array(table.y)
    kind = L.SPLINE_PERIODIC if table.kind == "periodic" else L.SPLINE_CLAMPED
    if table.kind == "linear" or len(x) == 2:
        slopes = np.diff(y) / np.diff(x)
        pieces = np.column_stack([y[:-1], slopes, np.zeros_like(slopes), np.zeros_like(slopes)])
        return kind, x.tolist(), pieces.ravel().tolist()
    from scipy.interpolate import CubicSpline  # costs import time: only where a table asks for it

    if table.kind == "periodic":
        y[-1] = y[0]
    spline = CubicSpline(x, y, bc_type="periodic" if table.kind == "periodic" else "not-a-knot")
    return kind, x.tolist(), spline.c[::-1].T.ravel().tolist()


def table_function(table: Table) -> Callable[..., Any]:
    """Return a table as a Python function of (x, order of the derivative), for formulas of parameters."""
    kind, knots, flat = pack_table(table)
    x, pieces = np.array(knots), np.array(flat).reshape(-1, 4)

    def function(value: Any, order: int = 0) -> Any:
        first, last = x[0], x[-1]
        inside = first + np.mod(value - first, last - first) if kind == L.SPLINE_PERIODIC else np.clip(value, first, last)
        k = np.clip(np.searchsorted(x, inside, side="right") - 1, 0, len(pieces) - 1)
        polynomial = np.polynomial.polynomial.Polynomial(pieces[k]) if np.ndim(k) == 0 else None
        if polynomial is None:
            return np.array([function(item, order) for item in np.ravel(value)]).reshape(np.shape(value))
        outside = kind != L.SPLINE_PERIODIC and (value < first or value > last)
        curve = polynomial.deriv(order) if order else polynomial
        return 0.0 if order and outside else float(curve(inside - x[k]))

    return function
