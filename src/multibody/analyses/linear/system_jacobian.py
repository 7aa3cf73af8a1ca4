"""The system Jacobian: exact derivatives of the implicit equations F(t, y, ẏ) = 0 with respect to y and ẏ.

In the coordinates of bodies y = (q, v, λ, μ) and, in the stabilized form of index 2 (Gear, Gupta, Leimkuhler),

    F = [ q̇ − v + Φ_qᵀ μ;  M v̇ − Q + Φ_qᵀ λ;  Φ;  Φ_q v − ν ],

where q̇ stands for the velocities (ṙ, ω′) of the positions and μ vanishes on every solution. Columns of q are displacements
q ⊕ d; along them a rotating body's q̇ changes too, which gives the block Ω.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody.analyses.dynamics.opening import Opening, opened
from multibody.analyses.linear.linearization import Matrix, applied_forces, linearize, motion_at, turning
from multibody.errors import ModelError
from multibody.formulations import formulation_of
from multibody.model.model import Model
from multibody.state.named_columns import column_names
from multibody.state.state import State
from multibody.state.system import Floats, Integers


@dataclass(frozen=True)
class SystemJacobian:
    """Exact derivatives of F(t, y, ẏ) at one state.

    Attributes
    ----------
    t : float
    formulation : str
    dF_dy, dF_dydot : sparse arrays (size, size)
        Rows by equations, columns by unknowns.
    residual : array (size,)
        F itself; nothing at a consistent state with its own accelerations and multipliers.
    unknowns, equations : list of str
        What columns and rows mean, by bodies and by the names of rows.
    q, v, acceleration, multipliers : arrays
        Where it was taken.
    """

    t: float
    formulation: str
    dF_dy: Matrix
    dF_dydot: Matrix
    residual: Floats
    unknowns: list[str]
    equations: list[str]
    q: Floats
    v: Floats
    acceleration: Floats
    multipliers: Floats

    @property
    def names(self) -> dict[str, list[str]]:
        """Names of unknowns and equations."""
        return {"unknowns": self.unknowns, "equations": self.equations}

    def iteration_matrix(self, alpha: float) -> Matrix:
        """Return ∂F/∂y + α ∂F/∂ẏ, the matrix of Newton's method in implicit integrators."""
        return (self.dF_dy + alpha * self.dF_dydot).tocsr()

    def __repr__(self) -> str:
        """Return a line for people."""
        size, filled = len(self.residual), self.dF_dy.nnz + self.dF_dydot.nnz
        return f"<SystemJacobian, {self.formulation}: {size} equations, {filled} entries, t = {self.t:g}>"


def system_jacobian(
    model: Model, formulation: Any = "augmented", initial: State | None = None, t: float | None = None,
    acceleration: Any = None, multipliers: Any = None,
) -> SystemJacobian:  # fmt: skip
    """Return the exact derivatives of the implicit equations of motion.

    Parameters
    ----------
    model : Model
    formulation : str or Formulation
        ``recursive``, ``transformation``, ``articulated``: coordinates of joints; ``parametric``: of bodies with the joints'
        parameters; all others have the implicit equations of ``augmented``.
    initial : State, optional
        Where; default the model's own initial state.
    t : float, optional
        Time; default that of the state.
    acceleration, multipliers : arrays, optional
        v̇ and λ of all rows of joints and motions; default the consistent ones of a run.
    """
    chosen = formulation_of(formulation)
    opening = opened(model, initial, t).required()
    space = chosen.implicit_space(opening.system, opening.state, opening.rows)
    if space is None:
        return _of_bodies(opening, acceleration, multipliers)
    from multibody.analyses.linear.run_jacobian import of_space

    return of_space(opening, chosen, space, acceleration, multipliers)


def _of_bodies(opening: Opening, acceleration: Any, multipliers: Any) -> SystemJacobian:
    """Return the derivatives in the coordinates of bodies."""
    from scipy.sparse import csr_array

    system, state, rows = opening.system, opening.state, np.sort(opening.rows)
    n, q, v, t = system.nv, state.q, state.v, state.t
    a, every = _given(opening, rows, acceleration, multipliers)
    carried = np.zeros(system.rows)
    carried[rows] = every[rows]
    at = linearize(system, state, a, carried)
    J, V = csr_array(at.J[rows]), csr_array(at.V[rows])
    by_y, by_rate = assembled(turning(system, v), at.M, at.C, at.K, J, V)
    F = np.concatenate([
        np.zeros(n), at.M @ a - applied_forces(system, q, v, t) + J.T @ carried[rows],
        system.phi(q, t)[rows], J @ v - system.velocity_side(q, t)[rows],
    ])  # fmt: skip
    unknowns, equations = named(column_names(system.tables), [system.tables.rows[r].name for r in rows])
    return SystemJacobian(t, "augmented", by_y, by_rate, F, unknowns, equations, q, v, a, carried)


def assembled(turn: Matrix, M: Matrix, C: Matrix, K: Matrix, J: Matrix, V: Matrix) -> tuple[Matrix, Matrix]:
    """Return ∂F/∂y and ∂F/∂ẏ of y = (q, v, λ, μ) from the parts of a linearization."""
    from scipy.sparse import block_array, block_diag, csr_array, eye_array

    m, n = J.shape
    wide, none = csr_array((n, m)), csr_array((m, m))
    by_y = block_array(
        [[turn, -eye_array(n), wide, J.T], [K, C, J.T, wide], [J, csr_array((m, n)), none, none], [V, J, none, none]],
        format="csr",
    )
    by_rate = block_diag([eye_array(n), M, csr_array((2 * m, 2 * m))], format="csr")
    for matrix in (by_y, by_rate):
        matrix.eliminate_zeros()
    return by_y, by_rate


def named(columns: list[str], lines: list[str]) -> tuple[list[str], list[str]]:
    """Return the names of unknowns and equations from those of the columns and of the rows."""
    unknowns = [*columns, *(f"{x}.rate" for x in columns)]
    unknowns += [*(f"multiplier of {x}" for x in lines), *(f"closing of {x}" for x in lines)]
    equations = [*(f"{x}: kinematics" for x in columns), *(f"{x}: balance" for x in columns)]
    equations += [*lines, *(f"{x}, velocity" for x in lines)]
    return unknowns, equations


def _given(opening: Opening, rows: Integers, acceleration: Any, multipliers: Any) -> tuple[Floats, Floats]:
    """Return accelerations and multipliers: what is given, else those of a run."""
    own: tuple[Floats, Floats] | None = None
    if acceleration is None or multipliers is None:
        found = motion_at(opening.with_inertia().system, opening.state, rows)
        own = found.A[0], found.dynamics.multipliers[0]
    made = []
    for k, (value, size, name) in enumerate(
        ((acceleration, opening.system.nv, "acceleration"), (multipliers, opening.system.rows, "multipliers"))
    ):
        array = np.array(own[k] if value is None and own is not None else value, dtype=float)
        if array.shape != (size,) or not np.all(np.isfinite(array)):
            raise ModelError(f"{name} has the shape {array.shape}", where=name, hint=f"give {size} finite numbers")
        made.append(array)
    return made[0], made[1]
