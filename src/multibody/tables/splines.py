"""Tables of points as piecewise cubics."""

from __future__ import annotations

import numpy as np

from multibody.kernels import layout as L
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
