"""Kane's method with the null space: v = B u + C and [BᵀM; Φ_q] v̇ = [BᵀQ; γ].

Park, Yoo, Hwang, Bae 1997, eqs. (22)–(46). B = [−Φ_d⁻¹ Φ_i; E] spans the null space of Φ_q, so that the multipliers drop out:
with v̇ = B u̇ + c, c_d = Φ_d⁻¹ γ, eq. (46) becomes BᵀM B u̇ = Bᵀ(Q − M c), as many equations as degrees of freedom.
"""

from __future__ import annotations

from multibody.formulations.cartesian import CARTESIAN, applied, driving_power, write_rates
from multibody.formulations.closing import accelerate
from multibody.formulations.partitioned import settle, solve_dependent, spread
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.lu import factor as lu_factor
from multibody.kernels.lu import solve as lu_solve
from multibody.kernels.lu import solve_transposed
from multibody.kernels.mass import mass_times
from multibody.kernels.modes import STRAIGHT
from multibody.kernels.plain_rows import rows_at_state


@kernel
def rhs_kane(model, state, scratch, t, y, dy):
    """Write ẏ at the settled state nearest to (t, y); return 0, or 1 where it cannot be settled."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    ratio = settle(CARTESIAN, model, state, scratch, t, y, state.settings[0].stage_closed)
    if ratio < 0.0:
        return 1
    power = 0.0
    regular = ratio > 0.0
    if regular:
        rows_at_state(model, state, scratch, t)
        power = applied(model, state, scratch, t)
        _null_space(model, state, scratch)
        regular = _reduced(model, state, scratch)
        if regular and (model.driven == 1 or model.newton.nv > 0):  # implicit methods begin with multipliers
            _multipliers(model, state, scratch)
        if regular and model.driven == 1:
            power += driving_power(model, state, scratch, t)
    if not regular:  # a change point (Φ_d is singular whatever the partition) or an idle body without inertia
        solvable, power = accelerate(CARTESIAN, model, state, scratch, t, y)
        if not solvable:
            return 1
    write_rates(model, scratch, y, power, dy)
    return 0


@inner_kernel
def _null_space(model, state, scratch):
    """Write B by columns of full length, and c (with c_i = 0) as the acceleration."""
    n, m, b = model.velocities, model.chosen.size, scratch.b
    for k in range(m):
        b[k] = scratch.by_row[model.chosen[k]]
    solve_dependent(model, state, scratch, b)
    spread(state, b, scratch.a)
    for j in range(state.independent.size):
        column, B = state.independent[j], scratch.null[n * j : n * (j + 1)]
        for k in range(m):
            row, b[k] = model.rows[model.chosen[k]], 0.0
            for e in range(row.entry, row.entry + row.entries):
                if model.columns[e] == column:
                    b[k] -= scratch.J[e]
        solve_dependent(model, state, scratch, b)
        spread(state, b, B)
        B[column] = 1.0


@inner_kernel
def _reduced(model, state, scratch):
    """Solve BᵀM B u̇ = Bᵀ(Q − M c) and write v̇ = B u̇ + c; return whether BᵀM B is regular.

    Its pivots are compared with each other: lengths among the independent columns are taken over L.
    """
    n, m, f = model.velocities, model.chosen.size, state.independent.size
    B, A, x, b, scale = scratch.null, scratch.reduced, scratch.reduced_right, scratch.b, model.column_scale
    mass_times(model, scratch.a, b, STRAIGHT)
    for j in range(f):
        total = 0.0
        for c in range(n):
            total += B[n * j + c] * (scratch.Q[c] - b[c])
        x[j] = total * scale[state.independent[j]]
    for j in range(f):
        mass_times(model, B[n * j :], b, STRAIGHT)
        for k in range(f):
            total = 0.0
            for c in range(n):
                total += B[n * k + c] * b[c]
            A[f * k + j] = total * scale[state.independent[j]] * scale[state.independent[k]]
    if f > 0:
        pivots, matrix = state.pivots[m:], A.reshape((f, f))
        if not lu_factor(matrix, f, pivots)[1] > 1e-14:
            return False
        lu_solve(matrix, f, pivots, x)
    for j in range(f):
        value = x[j] * scale[state.independent[j]]
        for c in range(n):
            scratch.a[c] += value * B[n * j + c]
    return True


@inner_kernel
def _multipliers(model, state, scratch):
    """Write λ = Φ_d⁻ᵀ (Q − M v̇)_d of the chosen rows."""
    m, x, b = model.chosen.size, scratch.multipliers, scratch.b
    mass_times(model, scratch.a, b, STRAIGHT)
    for k in range(m):
        c = state.dependent[k]
        x[k] = (scratch.Q[c] - b[c]) * model.column_scale[c]
    solve_transposed(scratch.phi_d.reshape((m, m)), m, state.pivots, x)
    for k in range(m):
        x[k] *= model.row_scale[model.chosen[k]]
