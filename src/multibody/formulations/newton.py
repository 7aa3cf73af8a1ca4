"""Joining a formulation with an implicit method: the arrays and the addresses that it calls."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import numpy.typing as npt

from multibody.formulations.pattern import Pattern, full_pattern, sparse_pattern
from multibody.formulations.prepare import Bundle
from multibody.formulations.prepare_newton import attach_newton, attach_pattern, numbered
from multibody.kernels import blocks as B
from multibody.kernels import sections as R
from multibody.kernels.calls import address_of

Integers = npt.NDArray[np.int64]


def row_entries(bundle: Bundle, relative: bool) -> Integers:
    """Return (place in W_J, chosen row, column) of the entries of Φ_q of a run."""
    if relative:
        n = bundle.velocities
        found = [(n * int(r) + c, k, c) for k, r in enumerate(bundle.chosen) for c in range(n)]
    else:
        tables = bundle.tables
        pointer, columns = tables.row_pointer, tables.columns
        found = [(e, k, int(columns[e])) for k, r in enumerate(bundle.chosen) for e in range(pointer[r], pointer[r + 1])]
    return np.array(found, dtype=np.int64).reshape(-1, 3)


def prepare_newton(bundle: Bundle, relative: bool = False, complex_: bool = False) -> None:
    """Append what an implicit method needs to the arrays of a run: sparse in Cartesian coordinates, full in joint coordinates.

    Parameters
    ----------
    bundle : Bundle
    relative : bool
        Whether it is one in joint coordinates.
    complex_ : bool
        Whether complex factors are needed.
    """
    if bundle.I[R.PARAMETRIC] > 0:
        from multibody.formulations.parametric import ParametricBundle

        assert isinstance(bundle, ParametricBundle)
        bundle.attach(complex_)
        return
    if relative:
        _prepare_partials(bundle)
        pattern = full_pattern(bundle.velocities, len(bundle.chosen))
    else:
        pattern = sparse_pattern(bundle.tables, bundle.chosen)
    attach_newton(bundle, pattern, row_entries(bundle, relative), complex_)


def _prepare_partials(bundle: Any) -> None:
    """Append what the derivatives in joint coordinates need: the bodies' block matrices, rows and scratch."""
    from multibody.tables.tree_arrays import add_partials

    tables = bundle.tables
    rows = np.array([bundle.loops[k] for k in bundle.chosen], dtype=np.int64)
    entries = int(sum(tables.row_pointer[r + 1] - tables.row_pointer[r] for r in rows))
    add_partials(bundle.tree, tables.dimension == 2)
    attach_pattern(bundle, sparse_pattern(tables, rows, ordered=False), entries)


def newton_kernels(relative: bool, dimension: int, complex_: bool) -> tuple[Any, ...]:
    """Return the compiled functions in the order in which implicit methods take their addresses, then the regular residual."""
    from multibody.formulations import implicit as c

    if not relative:
        first: tuple[Any, ...] = (c.residual_implicit, c.linearize_implicit)
        last: tuple[Any, ...] = (c.move_implicit, c.correct_implicit)
    else:
        from multibody.formulations import implicit_relative as r
        from multibody.kernels.tree.newton import newton_units

        first, last = newton_units(dimension), (r.move_relative, r.correct_relative)
    linear = (c.factor_complex, c.solve_complex) if complex_ else (c.factor_newton, c.solve_newton)
    return (c.start_newton, c.residual_newton, first[1], *linear, c.product_newton, *last, first[0])


def newton_calls(bundle: Bundle, rhs: Any, relative: bool, complex_: bool) -> Integers:
    """Prepare the arrays of a run for an implicit method; return the addresses that it calls.

    Parameters
    ----------
    bundle : Bundle
    rhs : kernel
        The formulation's right-hand side, which finds consistent accelerations.
    relative : bool
        Whether the run is one in joint coordinates.
    complex_ : bool
        Whether complex matrices are factored too.
    """
    from multibody.formulations import implicit as c

    prepare_newton(bundle, relative, complex_)
    h = int(bundle.I[R.NEWTON])
    bundle.I[h + B.RHS] = address_of(rhs)
    if complex_:
        bundle.I[h + B.FACTOR_REAL], bundle.I[h + B.SOLVE_REAL] = address_of(c.factor_newton), address_of(c.solve_newton)
    *found, residual = newton_kernels(relative, bundle.tables.dimension, complex_)
    if bundle.I[R.PARAMETRIC] > 0:
        from multibody.kernels.parametric import linear

        found[1], found[4], found[5] = linear.residual_turned, linear.solve_turned, linear.product_turned
    bundle.I[h + B.RESIDUAL] = address_of(residual)
    return np.array([address_of(each) for each in found], dtype=np.int64)


def kept_matrices(bundle: Bundle) -> tuple[Any, Any, Any, Any, Any]:
    """Return M, C, K (columns squared), Φ_q and V (chosen rows by columns) as a linearization left them, as sparse arrays."""
    from scipy.sparse import coo_array

    I, W, h, n = bundle.I, bundle.W, int(bundle.I[R.NEWTON]), bundle.velocities
    nodes = I[I[h + B.NODES] :][: B.NODE_STRIDE * int(I[h + B.NODE_COUNT])].reshape(-1, B.NODE_STRIDE)
    starts = I[I[h + B.MEETINGS] :][: len(nodes) + 1]
    meetings = [[int(q) for q in I[a:b:B.MEETING_STRIDE]] for a, b in itertools.pairwise(starts)]
    where = numbered(Pattern([range(first, first + width) for first, width in nodes], meetings, []))
    size = int(I[h + B.MATRIX_SIZE])
    square = [
        coo_array((W[I[h + k] : I[h + k] + size].copy(), where), shape=(n, n)).tocsr() for k in (B.W_M, B.W_C, B.W_K)
    ]
    records = I[I[h + B.ENTRIES] :][: B.ENTRY_STRIDE * int(I[h + B.ENTRY_COUNT])].reshape(-1, B.ENTRY_STRIDE)
    at, shape = (records[:, 2], records[:, 1]), (len(bundle.chosen), n)
    flat = [coo_array((W[I[h + k] + records[:, 0]], at), shape=shape).tocsr() for k in (B.W_P, B.W_V)]
    for matrix in (*square, *flat):
        matrix.eliminate_zeros()
    return (square[0], square[1], square[2], flat[0], flat[1])
