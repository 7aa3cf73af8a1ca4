"""The system Jacobian in joint coordinates: y = (q, u, λ, μ) of a spanning tree, loops closed at its cut joints.

Lee, Sohn, Kim, Yoo (2001) derive it by hand for two mechanisms; here ``kernels/tree/partials.py`` builds it for any.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from multibody.analyses.dynamics.opening import Opening
from multibody.analyses.linear.linearization import Matrix
from multibody.analyses.linear.system_jacobian import SystemJacobian, assembled, named
from multibody.errors import AnalysisError, ModelError
from multibody.formulations import JointFormulation
from multibody.formulations.newton import kept_matrices
from multibody.formulations.spaces.joint_space import JointSpace
from multibody.kernels.tree import declared as T
from multibody.kernels.tree.newton import newton_units
from multibody.state.system import Floats


def of_joints(opening: Opening, formulation: JointFormulation, acceleration: Any, multipliers: Any) -> SystemJacobian:
    """Return the derivatives in joint coordinates.

    Parameters
    ----------
    opening : Opening
        In the coordinates of bodies.
    formulation : JointFormulation
    acceleration, multipliers : arrays, optional
        u̇ of the joint coordinates and λ of the independent loop rows.
    """
    system, state = opening.system, opening.state
    space = JointSpace(system, state, opening.rows, formulation)
    b, y, n, m = space.bundle, space.start(state), space.nv, len(space.bundle.chosen)
    b.attach(complex_=False)
    u_dot, forces = _given(space, y, state.t, acceleration, multipliers)
    x, out = np.concatenate([y[:-1], u_dot, forces]), np.zeros(n + 3 * m + 1)
    residual, linearize = newton_units(system.tables.dimension)
    linearize(*b.run, state.t, x, x)
    H, C, K, P, V = kept_matrices(b)
    residual(*b.run, state.t, x, out)
    q, u = y[: space.nq], y[space.nq : space.nq + n]
    by_y, by_rate = assembled(_turning(space, u), H, C, K, P, V)
    F = np.concatenate([np.zeros(n), out[:n], out[n + m : n + 2 * m], out[n : n + m]])
    lines = [system.tables.rows[b.loops[k]].name for k in b.chosen]
    unknowns, equations = named(_names(space), lines)
    return SystemJacobian(state.t, formulation.name, by_y, by_rate, F, unknowns, equations, q, u, u_dot, forces)


def _given(space: JointSpace, y: Floats, t: float, acceleration: Any, multipliers: Any) -> tuple[Floats, Floats]:
    """Return u̇ and λ: what is given, else the consistent ones."""
    b, n = space.bundle, space.nv
    dy = np.zeros_like(y)
    if acceleration is None or multipliers is None:
        rhs, _ = space.formulation.kernels()
        if rhs(*b.run, t, y, dy) != 0:
            raise AnalysisError(f"the equations of motion have no solution at t = {t:g}")
    own = (dy[space.nq : space.nq + n].copy(), b.scratch.multipliers.copy())
    made = []
    for given, found, name in zip((acceleration, multipliers), own, ("acceleration", "multipliers"), strict=True):
        array = np.array(found if given is None else given, dtype=float)
        if array.shape != found.shape or not np.all(np.isfinite(array)):
            raise ModelError(f"{name} has the shape {array.shape}", where=name, hint=f"give {len(found)} finite numbers")
        made.append(array)
    return made[0], made[1]


def _turning(space: JointSpace, u: Floats) -> Matrix:
    """Return Ω of ḋ = w − Ω d: −ω̃ at the rotations of ball joints, whose rates are in the axes of the carrier."""
    from scipy.sparse import coo_array

    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    for column, rate in zip(space.columns.columns, space.columns.rates, strict=True):
        if rate >= 0 and column.kind == T.BALL and column.axis == 0:
            x, y, z = u[rate : rate + 3]
            rows += [rate, rate, rate + 1, rate + 1, rate + 2, rate + 2]
            columns += [rate + 1, rate + 2, rate, rate + 2, rate, rate + 1]
            values += [z, -y, -z, x, y, -x]
    return coo_array((values, (rows, columns)), shape=(space.nv, space.nv)).tocsr()


def _names(space: JointSpace) -> list[str]:
    """Return a name for every unknown rate."""
    found = [""] * space.nv
    for column, rate in zip(space.columns.columns, space.columns.rates, strict=True):
        if rate >= 0:
            found[rate] = column.name
    extras = space.system.tables.extras
    found[space.nv - len(extras) :] = extras
    return found
