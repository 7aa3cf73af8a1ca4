"""The system Jacobian in parametric coordinates: y = (q, v, λ, μ) with the joints' parameters among q, six rows a joint."""

from __future__ import annotations

from typing import Any

import numpy as np

from multibody.analyses.dynamics.opening import Opening
from multibody.analyses.linear.linearization import turning
from multibody.analyses.linear.system_jacobian import SystemJacobian, assembled, named
from multibody.errors import AnalysisError, ModelError
from multibody.formulations import Parametric
from multibody.formulations.implicit import start_newton
from multibody.formulations.implicit_parametric import linearize_exact, product_parametric, residual_parametric
from multibody.formulations.newton import newton_calls
from multibody.formulations.spaces.parametric_space import ParametricSpace
from multibody.state.named_columns import column_names


def of_parameters(opening: Opening, formulation: Parametric, acceleration: Any, multipliers: Any) -> SystemJacobian:
    """Return the derivatives in parametric coordinates, exact in ground axes.

    Parameters
    ----------
    opening : Opening
        In the coordinates of bodies.
    formulation : Parametric
    acceleration, multipliers : arrays, optional
        v̇ with those of the parameters, and λ of the independent rows.
    """
    from scipy.sparse import block_diag, csr_array

    system, state = opening.system, opening.state
    space = ParametricSpace(system, state, opening.rows, formulation, exact=True)
    b, y, n, m = space.bundle, space.start(state), space.nv, len(space.bundle.chosen)
    newton_calls(b, formulation.kernels()[0], complex_=False)
    found, out = np.zeros(n + m + 1), np.zeros(n + 3 * m + 1)
    if start_newton(*b.run, state.t, y, found) != 0:
        raise AnalysisError(f"the equations of motion have no solution at t = {state.t:g}")
    a, forces = _given(found[:n], acceleration, "acceleration"), _given(found[n : n + m], multipliers, "multipliers")
    x = np.concatenate([y[:-1], a, forces])
    linearize_exact(*b.run, state.t, x, x)
    M, C, K, P, V = _matrices(b, state.t, n, m)
    residual_parametric(*b.run, state.t, x, out)
    q, v = y[: space.nq], y[space.nq : space.nq + n]
    more = n - system.nv
    turn = block_diag([turning(system, v[: system.nv]), csr_array((more, more))], format="csr")
    by_y, by_rate = assembled(turn, M, C, K, P, V)
    F = np.concatenate([np.zeros(n), out[:n], out[n + m : n + 2 * m], out[n : n + m]])
    names = [*column_names(system.tables), *(f"parameter {k + 1}" for k in range(more))]
    unknowns, equations = named(names, [f"row {k + 1}" for k in b.chosen])
    return SystemJacobian(state.t, formulation.name, by_y, by_rate, F, unknowns, equations, q, v, a, forces)


def _matrices(b: Any, t: float, n: int, m: int) -> list[Any]:
    """Return M, C, K, Φ_q and V, a column at a time from the products that implicit methods take."""
    from scipy.sparse import csr_array

    found = np.zeros((3, n + m, n))
    model, memory, scratch = b.run
    for part in range(3):
        for c in range(n):
            x, out = np.zeros(3 * n), np.zeros(n + m)
            x[part * n + c] = 1.0
            product_parametric(model, memory, scratch, t, x, out)
            found[part, :, c] = out
    inertia, rates, positions = found
    return [csr_array(matrix) for matrix in (inertia[:n], rates[:n], positions[:n], rates[n:], positions[n:])]


def _given(own: Any, given: Any, name: str) -> Any:
    """Return what is given, else the consistent values."""
    array = np.array(own if given is None else given, dtype=float)
    if array.shape != own.shape or not np.all(np.isfinite(array)):
        raise ModelError(f"{name} has the shape {array.shape}", where=name, hint=f"give {len(own)} finite numbers")
    return array
