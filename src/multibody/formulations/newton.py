"""Joining a formulation with an implicit method: the arrays and the addresses that it calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from multibody.formulations.pattern import full_pattern, sparse_pattern
from multibody.formulations.prepare import Bundle
from multibody.formulations.prepare_newton import attach_newton

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
    if relative:
        pattern = full_pattern(bundle.velocities, len(bundle.chosen))
    else:
        pattern = sparse_pattern(bundle.tables, bundle.chosen)
    attach_newton(bundle, pattern, row_entries(bundle, relative), complex_)


def implicit_kernels(relative: bool, dimension: int) -> tuple[Any, ...]:
    """Return the compiled functions in the order in which implicit methods take their addresses."""
    from multibody.formulations import implicit as c

    if not relative:
        first = (c.start_implicit, c.residual_implicit, c.linearize_implicit)
        last = (c.move_implicit, c.correct_implicit)
    else:
        from multibody.formulations import implicit_relative as r
        from multibody.kernels.tree.newton import newton_units

        first = (r.start_relative, *newton_units(dimension))
        last = (r.move_relative, r.correct_relative)
    return (*first, c.factor_newton, c.solve_newton, c.product_newton, *last)
