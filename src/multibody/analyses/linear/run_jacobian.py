"""The system Jacobian in the coordinates of a run: of joints, or of bodies with the parameters of their pairs.

y = (q, v, λ, μ): in joint coordinates those of a spanning tree, loops closed at its cut joints, which Lee, Sohn, Kim, Yoo
(2001) derive by hand for two mechanisms and ``kernels/tree/partials.py`` builds for any; in parametric ones with six rows a
joint.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody.analyses.dynamics.opening import Opening
from multibody.analyses.linear.linearization import Matrix, turning
from multibody.analyses.linear.system_jacobian import SystemJacobian, assembled, named
from multibody.errors import AnalysisError, ModelError
from multibody.formulations import Formulation
from multibody.formulations.newton import kept_matrices, newton_calls
from multibody.formulations.prepare_parametric import ParametricBundle
from multibody.formulations.spaces.joint_space import JointSpace
from multibody.formulations.spaces.parametric_space import ParametricSpace
from multibody.formulations.spaces.space import Space
from multibody.kernels.tree import declared as T
from multibody.state.named_columns import column_names
from multibody.state.state import State
from multibody.state.system import Floats

Parts = tuple[Matrix, tuple[Matrix, ...], list[str], list[str]]  # Ω; M, C, K, Φ_q and V; names of columns and of rows

def of_space(
    opening: Opening, formulation: Formulation, space: Space, acceleration: Any, multipliers: Any
) -> SystemJacobian:
    """Return the derivatives in the coordinates of a space.

    Parameters
    ----------
    opening : Opening
        In the coordinates of bodies.
    formulation : Formulation
    space : Space
        Its coordinates; ``PARTS`` knows their class.
    acceleration, multipliers : arrays, optional
        v̇ of the space's rates and λ of its independent rows.
    """
    parts = PARTS.get(type(space))
    if parts is None:
        what = f"the system Jacobian is not known in the coordinates of {formulation.name}"
        raise ModelError(what, where="formulation", hint="use augmented")
    made = _of_run(opening.state, formulation, space, acceleration, multipliers)
    return made.jacobian(*parts(space, made.v))


def of_joints(space: JointSpace, u: Floats) -> Parts:
    """Return what is linearized in joint coordinates: the loops' rows are those of the cut joints."""
    rows, loops = space.system.tables.rows, space.bundle.loops
    return _turning(space, u), kept_matrices(space.bundle), _names(space), [rows[loops[k]].name for k in space.bundle.chosen]


def of_parameters(space: ParametricSpace, v: Floats) -> Parts:
    """Return what is linearized in parametric coordinates, exact in ground axes."""
    from scipy.sparse import block_diag, csr_array

    system = space.system
    more = space.nv - system.nv
    turn = block_diag([turning(system, v[: system.nv]), csr_array((more, more))], format="csr")
    names = [*column_names(system.tables), *(f"parameter {k + 1}" for k in range(more))]
    return turn, _without_scales(space.bundle), names, [f"row {k + 1}" for k in space.bundle.chosen]


PARTS: dict[type, Callable[[Any, Floats], Parts]] = {JointSpace: of_joints, ParametricSpace: of_parameters}


@dataclass
class _OfRun:
    """What an implicit method solves in a space: its formulation, where it is asked, F."""

    t: float
    formulation: str
    q: Floats
    v: Floats
    acceleration: Floats
    multipliers: Floats
    residual: Floats

    def jacobian(self, turn: Matrix, matrices: tuple[Matrix, ...], names: list[str], lines: list[str]) -> SystemJacobian:
        """Return the derivatives from Ω, from M, C, K, Φ_q, V, and from the names of columns and rows."""
        by_y, by_rate = assembled(turn, *matrices)
        where = self.q, self.v, self.acceleration, self.multipliers
        return SystemJacobian(self.t, self.formulation, by_y, by_rate, self.residual, *named(names, lines), *where)


def _of_run(state: State, formulation: Formulation, space: Space, acceleration: Any, multipliers: Any) -> _OfRun:
    """Linearize what an implicit method solves in a space; its matrices are kept there."""
    t, b, y = state.t, space.bundle, space.start(state)
    n, m = space.nv, len(b.chosen)
    newton_calls(b, formulation.kernels()[0], complex_=False)
    ask, found, out = b.newton_kernels(complex_=False), np.zeros(n + m + 1), np.zeros(n + 3 * m + 1)
    if (acceleration is None or multipliers is None) and ask.start(*b.run, t, y, found) != 0:
        raise AnalysisError(f"the equations of motion have no solution at t = {t:g}")
    a, forces = _given(found[:n], acceleration, "acceleration"), _given(found[n : n + m], multipliers, "multipliers")
    x = np.concatenate([y[:-1], a, forces])
    ask.linearize(*b.run, t, x, x)
    ask.residual(*b.run, t, x, out)
    F = np.concatenate([np.zeros(n), out[:n], out[n + m : n + 2 * m], out[n : n + m]])
    return _OfRun(t, formulation.name, y[: space.nq], y[space.nq : space.nq + n], a, forces, F)


def _given(own: Floats, given: Any, name: str) -> Floats:
    """Return what is given, else the consistent values."""
    array = np.array(own if given is None else given, dtype=float)
    if array.shape != own.shape or not np.all(np.isfinite(array)):
        raise ModelError(f"{name} has the shape {array.shape}", where=name, hint=f"give {len(own)} finite numbers")
    return array


def _without_scales(bundle: ParametricBundle) -> tuple[Matrix, ...]:
    """Return M, C, K, Φ_q and V of a parametric run as they are: the kept ones are scaled."""
    from scipy.sparse import diags_array

    scales = bundle.parametric.model
    columns, rows = diags_array(1.0 / scales.column_scale), diags_array(1.0 / scales.row_scale)
    M, C, K, P, V = kept_matrices(bundle)
    return (*(columns @ matrix @ columns for matrix in (M, C, K)), *(rows @ matrix @ columns for matrix in (P, V)))


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
