"""The choice of dependent columns: Gauss elimination with full pivoting on the chosen rows at a state."""

from __future__ import annotations

from multibody.formulations.cartesian import CARTESIAN
from multibody.formulations.partitioned import factor_dependent
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.modes import BODIES, GRADIENTS, NO_VALUES
from multibody.kernels.tree.space import JOINT


@inner_kernel
def choose_dependent(space, model, state, scratch, t, y, A, order, active):
    """Write dependent and independent columns at (t, y) to the state; return the pivot ratio of Φ_d.

    Parameters
    ----------
    A : array (chosen rows · columns)
        Room for the rows.
    order : array of int (columns,)
        Room for the order of elimination.
    active : array, written
        Which components of y the error test counts: the independent ones.
    """
    nq, n = space.sizes(model)
    m, first, last = model.chosen.size, 0, 0
    space.set_state(model, state, scratch, t, y, BODIES)
    space.rows_at_pose(model, state, scratch, t, NO_VALUES, GRADIENTS)
    _fill(space, model, scratch, n, A)
    _eliminate(A, m, n, order)
    for c in range(n):
        state.place[c] = -1
    for k in range(m):
        state.place[order[k]] = 0
    for c in range(n):
        if state.place[c] == 0:
            state.dependent[first], state.place[c] = c, first
            first += 1
        else:
            state.independent[last] = c
            last += 1
        active[nq + c] = 1.0 if state.place[c] < 0 else 0.0
    active[nq + n] = 0.0
    space.count_independent(model, active)
    return factor_dependent(space, model, state, scratch)


@inner_kernel
def _fill(space, model, scratch, n, A):
    """Write the chosen rows, free of units."""
    for k in range(model.chosen.size):
        r = model.chosen[k]
        for c in range(n):
            A[k * n + c] = 0.0
        for e in range(space.entry_count(model, r)):
            c, value = space.entry(model, scratch, r, e)
            A[k * n + c] += model.row_scale[r] * value * model.column_scale[c]


@inner_kernel
def _eliminate(A, m, n, order):
    """Eliminate m rows of n columns with full pivoting; `order` begins with the columns of the pivots."""
    for c in range(n):
        order[c] = c
    for k in range(m):
        row, column = k, k
        for i in range(k, m):
            for j in range(k, n):
                if abs(A[i * n + j]) > abs(A[row * n + column]):
                    row, column = i, j
        for c in range(n):
            A[k * n + c], A[row * n + c] = A[row * n + c], A[k * n + c]
        for r in range(m):
            A[r * n + k], A[r * n + column] = A[r * n + column], A[r * n + k]
        order[k], order[column] = order[column], order[k]
        pivot = A[k * n + k]
        if not abs(pivot) > 0.0:
            return
        for i in range(k + 1, m):
            factor = A[i * n + k] / pivot
            for c in range(k, n):
                A[i * n + c] -= factor * A[k * n + c]


@kernel
def choose_partition(model, state, scratch, t, y, A, order, active):
    """Choose dependent columns in Cartesian coordinates."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    return choose_dependent(CARTESIAN, model, state, scratch, t, y, A, order, active)


@kernel
def choose_joint_partition(model, state, scratch, t, y, A, order, active):
    """Choose dependent columns in joint coordinates."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    return choose_dependent(JOINT, model, state, scratch, t, y, A, order, active)
