"""Joining a formulation with an implicit method: the arrays and the addresses that it calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from multibody.formulations.pattern import Pattern, full_pattern, sparse_pattern
from multibody.formulations.prepare import Bundle
from multibody.formulations.prepare_newton import attach_newton, block_pattern, numbered
from multibody.kernels.calls import address_of

Integers = npt.NDArray[np.int64]


def row_entries(bundle: Bundle, relative: bool) -> Integers:
    """Return (which entry of Φ_q, chosen row, column) of the entries in the chosen rows of a run."""
    if relative:
        n = bundle.velocities
        found = [(n * int(r) + c, k, c) for k, r in enumerate(bundle.chosen) for c in range(n)]
    else:
        tables = bundle.tables
        pointer, columns = tables.row_pointer, tables.columns
        found = [(e, k, int(columns[e])) for k, r in enumerate(bundle.chosen) for e in range(pointer[r], pointer[r + 1])]
    return np.array(found, dtype=np.int64).reshape(-1, 3)


def prepare_newton(bundle: Bundle, relative: bool = False, complex_: bool = False) -> None:
    """Give a run what an implicit method needs: matrices sparse in Cartesian coordinates, full in joint coordinates.

    Parameters
    ----------
    bundle : Bundle
    relative : bool
        Whether it is one in joint coordinates.
    complex_ : bool
        Whether complex factors are needed.
    """
    from multibody.formulations.prepare_parametric import ParametricBundle

    if isinstance(bundle, ParametricBundle):
        bundle.attach(complex_)
        return
    if relative:
        _prepare_partials(bundle)
        pattern = full_pattern(bundle.velocities, len(bundle.chosen))
    else:
        pattern = sparse_pattern(bundle.tables, bundle.chosen)
    attach_newton(bundle, pattern, row_entries(bundle, relative), complex_=complex_)


def _prepare_partials(bundle: Any) -> None:
    """Give a run what the derivatives in joint coordinates need: the bodies' block matrices, rows and scratch."""
    from multibody.tables.tree_arrays import add_partials

    tables = bundle.tables
    rows = np.array([bundle.loops[k] for k in bundle.chosen], dtype=np.int64)
    entries = int(sum(tables.row_pointer[r + 1] - tables.row_pointer[r] for r in rows))
    bundle.model.pattern = block_pattern(sparse_pattern(tables, rows, ordered=False))
    add_partials(bundle.tree, tables, bundle.model.pattern.numbers, entries)


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
    from multibody.formulations.prepare_parametric import ParametricBundle

    prepare_newton(bundle, relative, complex_)
    calls = bundle.newton.model.calls
    calls.rhs = address_of(rhs)
    if complex_:
        calls.factor, calls.solve = address_of(c.factor_newton), address_of(c.solve_newton)
    if isinstance(bundle, ParametricBundle):
        from multibody.formulations.implicit_parametric import parametric_kernels

        *found, residual = parametric_kernels(bundle.exact, complex_)
    else:
        *found, residual = newton_kernels(relative, bundle.tables.dimension, complex_)
    calls.residual = address_of(residual)
    return np.array([address_of(each) for each in found], dtype=np.int64)


def kept_matrices(bundle: Bundle) -> tuple[Any, Any, Any, Any, Any]:
    """Return M, C, K (columns squared), Φ_q and V (chosen rows by columns) as a linearization left them, as sparse arrays."""
    from scipy.sparse import coo_array

    newton, kept, n = bundle.newton.model, bundle.newton.state, bundle.velocities
    nodes, blocks = newton.pattern.nodes, newton.pattern.meetings
    meetings = [[int(q) for q in blocks.node[node["first"] : node["end"]]] for node in nodes]
    where = numbered(Pattern([range(node["column"], node["column"] + node["size"]) for node in nodes], meetings, []))
    square = [coo_array((values.copy(), where), shape=(n, n)).tocsr() for values in (kept.M, kept.C, kept.K)]
    entries, shape = newton.entries, (len(bundle.chosen), n)
    at = (entries.row, entries.column)
    flat = [coo_array((values[entries.entry], at), shape=shape).tocsr() for values in (kept.P, kept.V)]
    for matrix in (*square, *flat):
        matrix.eliminate_zeros()
    return (square[0], square[1], square[2], flat[0], flat[1])
