"""Square matrices of the width of a motion, and motions and forces as a body's velocity columns see them.

Matrices lie in arrays by rows, any number apart. The velocity columns of a body are ṙ of its center of mass in ground axes and
its angular velocity, in space in its own axes.
"""

from __future__ import annotations

from multibody.kernels import vectors
from multibody.kernels.body_layout import POINT
from multibody.kernels.compile import inlined
from multibody.kernels.tags import PLANAR
from multibody.kernels.tree.algebra import carried, inner, load_at, moved, width
from multibody.kernels.tree.bodies import axes_of_body
from multibody.kernels.vectors import (
    apply,
    apply_transposed,
    cross,
    load_column3,
    load_column6,
    store_column3,
    store_column6,
)


@inlined
def _row(d, M, k, x):
    """Return the row at M[k…] times x."""
    return inner(d, load_at(d, M, k), x)


@inlined
def column_times(d, M, k, s, x):
    """Return xᵀ times the column at M[k…], whose numbers are s apart."""
    return inner(d, load_column(d, M, k, s), x)


@inlined
def times(d, M, k, s, x):
    """Return the matrix at M[k…], whose rows are s apart, times x."""
    if d is PLANAR:
        return (_row(d, M, k, x), _row(d, M, k + s, x), _row(d, M, k + 2 * s, x))
    return (
        _row(d, M, k, x), _row(d, M, k + s, x), _row(d, M, k + 2 * s, x),
        _row(d, M, k + 3 * s, x), _row(d, M, k + 4 * s, x), _row(d, M, k + 5 * s, x),
    )  # fmt: skip


@inlined
def transposed_times(d, M, k, s, x):
    """Return xᵀ times the matrix at M[k…], whose rows are s apart."""
    if d is PLANAR:
        return (column_times(d, M, k, s, x), column_times(d, M, k + 1, s, x), column_times(d, M, k + 2, s, x))
    return (
        column_times(d, M, k, s, x), column_times(d, M, k + 1, s, x), column_times(d, M, k + 2, s, x),
        column_times(d, M, k + 3, s, x), column_times(d, M, k + 4, s, x), column_times(d, M, k + 5, s, x),
    )  # fmt: skip


@inlined
def square_times(d, M, x):
    """Return the matrix M, whose rows lie one behind the other, times x."""
    return times(d, M, 0, width(d), x)


@inlined
def transposed_square_times(d, M, x):
    """Return xᵀ times the matrix M, whose rows lie one behind the other."""
    return transposed_times(d, M, 0, width(d), x)


@inlined
def load_column(d, A, k, s):
    """Return the numbers of a column of A, at k, k + s, …."""
    if d is PLANAR:
        return load_column3(A, k, s)
    return load_column6(A, k, s)


@inlined
def store_column(d, A, k, s, x):
    """Write x to a column of A, at k, k + s, …."""
    if d is PLANAR:
        store_column3(A, k, s, x)
    else:
        store_column6(A, k, s, x)


@inlined
def basis(d, m):
    """Return the motion whose m-th component alone is 1."""
    v = vectors.basis(m)
    if d is PLANAR:
        return v
    w = vectors.basis(m - POINT)
    return (v[0], v[1], v[2], w[0], w[1], w[2])


# --- between links and the bodies' velocity columns --------------------------------------------------------------------------
@inlined
def own_columns(d, scratch, body, c, x):
    """Return the velocity columns of a body, whose center of mass is at c, for a motion x: ṙ, and ω (in space in its axes)."""
    y = moved(d, c, x)
    if d is PLANAR:
        return y
    own = apply_transposed(axes_of_body(scratch, body), (y[3], y[4], y[5]))
    return (y[0], y[1], y[2], own[0], own[1], own[2])


@inlined
def about(d, scratch, body, c, g):
    """Return a force over the velocity columns of a body about the point that c counts from: the dual of `own_columns`."""
    if d is PLANAR:
        return carried(d, c, g)
    n = apply(axes_of_body(scratch, body), (g[3], g[4], g[5]))
    return carried(d, c, (g[0], g[1], g[2], n[0], n[1], n[2]))


@inlined
def swung(d, x, p):
    """Return (ω × p, 0) of a motion x."""
    if d is PLANAR:
        return (-x[2] * p[1], x[2] * p[0], 0.0)
    u = cross((x[3], x[4], x[5]), (p[0], p[1], p[2]))
    return (u[0], u[1], u[2], 0.0, 0.0, 0.0)


@inlined
def swinging(d, p, f):
    """Return (0, p × f): what f does along `swung`."""
    if d is PLANAR:
        return (0.0, 0.0, p[0] * f[1] - p[1] * f[0])
    n = cross((p[0], p[1], p[2]), (f[0], f[1], f[2]))
    return (0.0, 0.0, 0.0, n[0], n[1], n[2])
