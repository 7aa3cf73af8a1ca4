"""Joining a formulation with an implicit method: the functions that it calls, and the matrices that they keep."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from multibody.formulations.prepare import Bundle
from multibody.formulations.prepare_newton import numbered, pattern_of
from multibody.kernels.calls import address_of

Integers = npt.NDArray[np.int64]


class NewtonKernels(NamedTuple):
    """What an implicit method asks of the equations of motion, in the order in which it takes addresses."""

    start: Any  # consistent v̇, λ and the power at (t, y)
    residual: Any  # R, ψ, Φ, χ and the power at x = (q, v, v̇, λ)
    linearize: Any  # keeps M, C, K, Φ_q and V at x
    factor: Any  # forms and factors the iteration matrix
    solve: Any  # solves with it
    product: Any  # multiplies the kept matrices by vectors
    move: Any  # answers questions about coordinates and rates
    correct: Any  # the smallest change that closes gaps
    regular: Any  # the residual away from change points, which `residual` calls


def cartesian_kernels(complex_: bool) -> NewtonKernels:
    """Return them in Cartesian coordinates."""
    from multibody.formulations import implicit as c

    linear = (c.factor_complex, c.solve_complex) if complex_ else (c.factor_newton, c.solve_newton)
    return NewtonKernels(
        c.start_newton, c.residual_newton, c.linearize_implicit, *linear, c.product_newton, c.move_implicit,
        c.correct_implicit, c.residual_implicit,
    )  # fmt: skip


def joint_kernels(complex_: bool) -> NewtonKernels:
    """Return them in joint coordinates."""
    from multibody.formulations import implicit_relative as r
    from multibody.kernels.tree.newton import linearize_joint, residual_joint

    return cartesian_kernels(complex_)._replace(
        linearize=linearize_joint, move=r.move_relative, correct=r.correct_relative, regular=residual_joint
    )


def newton_calls(bundle: Bundle, rhs: Any, complex_: bool) -> Integers:
    """Prepare a run for an implicit method; return the addresses that it calls.

    Parameters
    ----------
    bundle : Bundle
    rhs : kernel
        The formulation's right-hand side, which finds consistent accelerations.
    complex_ : bool
        Whether complex matrices are factored too.
    """
    from multibody.formulations import implicit as c

    bundle.attach(complex_)
    calls, kernels, planar = bundle.newton.model.calls, bundle.newton_kernels(complex_), bool(bundle.model.planar)
    calls.rhs, calls.residual = address_of(rhs, planar), address_of(kernels.regular, planar)
    if complex_:
        calls.factor, calls.solve = address_of(c.factor_newton, planar), address_of(c.solve_newton, planar)
    asked = kernels[: NewtonKernels._fields.index("regular")]
    return np.array([address_of(each, planar) for each in asked], dtype=np.int64)


def kept_matrices(bundle: Bundle) -> tuple[Any, Any, Any, Any, Any]:
    """Return M, C, K (columns squared), Φ_q and V (chosen rows by columns) as a linearization left them, as sparse arrays."""
    from scipy.sparse import coo_array

    newton, kept, n = bundle.newton.model, bundle.newton.state, bundle.velocities
    where = numbered(pattern_of(newton.pattern))
    square = [coo_array((values.copy(), where), shape=(n, n)).tocsr() for values in (kept.M, kept.C, kept.K)]
    entries, shape = newton.entries, (len(bundle.chosen), n)
    at = (entries.row, entries.column)
    flat = [coo_array((values[entries.entry], at), shape=shape).tocsr() for values in (kept.P, kept.V)]
    for matrix in (*square, *flat):
        matrix.eliminate_zeros()
    return (square[0], square[1], square[2], flat[0], flat[1])
