"""Kane's method with the null space: v = B u + C and [BᵀM; Φ_q] v̇ = [BᵀQ; γ].

Park, Yoo, Hwang, Bae 1997, eqs. (22)–(46). B = [−Φ_d⁻¹ Φ_i; E] spans the null space of Φ_q, so that the multipliers drop out:
with v̇ = B u̇ + c, c_d = Φ_d⁻¹ γ, eq. (46) becomes BᵀM B u̇ = Bᵀ(Q − M c), as many equations as degrees of freedom.
"""

from __future__ import annotations

from multibody.formulations.cartesian import applied, driving_power, write_rates
from multibody.formulations.closing import accelerate
from multibody.formulations.partitioned import settle, solve_dependent, spread
from multibody.kernels import layout as L
from multibody.kernels import sections as R
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.lu import factor as lu_factor
from multibody.kernels.lu import solve as lu_solve
from multibody.kernels.lu import solve_transposed
from multibody.kernels.mass import mass_times
from multibody.kernels.plain_rows import rows_at_state


@kernel
def rhs_kane(model, state, scratch, t, y, dy):
    """Write ẏ at the settled state nearest to (t, y); return 0, or 1 where it cannot be settled."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, W = model.I, scratch.W
    ratio = settle(None, model, state, scratch, t, y, W[I[R.W_SETTINGS] + R.STAGE_CLOSED])
    if ratio < 0.0:
        return 1
    power = 0.0
    regular = ratio > 0.0
    if regular:
        rows_at_state(model, state, scratch, t)
        power = applied(model, state, scratch, t)
        _null_space(model, scratch)
        regular = _reduced(model, scratch)
        if regular and I[R.DRIVEN] == 1:
            _multipliers(model, scratch)
            power += driving_power(model, state, scratch, t)
    if not regular:  # a change point (Φ_d is singular whatever the partition) or an idle body without inertia
        solvable, power = accelerate(None, model, state, scratch, t, y)
        if not solvable:
            return 1
    write_rates(model, scratch, y, power, dy)
    return 0


@inner_kernel
def _null_space(model, scratch):
    """Write B by columns of full length behind Φ_d, and c (with c_i = 0) to W_A."""
    I, W = model.I, scratch.W
    n, m, b = I[L.VELOCITIES], I[R.CHOSEN_COUNT], I[R.W_B]
    B, f = I[R.W_PARTITION] + m * m, I[L.VELOCITIES] - I[R.CHOSEN_COUNT]
    for k in range(m):
        W[b + k] = W[I[R.W_X] + I[I[R.CHOSEN] + k]]
    solve_dependent(model, scratch, b)
    spread(None, model, scratch, b, I[R.W_A])
    for j in range(f):
        column = I[I[R.INDEPENDENT] + j]
        for k in range(m):
            W[b + k] = 0.0
        for k in range(m):
            row = I[L.ROWS] + L.ROW_STRIDE * I[I[R.CHOSEN] + k]
            for e in range(I[row + 3]):
                if I[I[L.COLUMNS] + I[row + 2] + e] == column:
                    W[b + k] -= W[I[R.W_J] + I[row + 2] + e]
        solve_dependent(model, scratch, b)
        spread(None, model, scratch, b, B + n * j)
        W[B + n * j + column] = 1.0


@inner_kernel
def _reduced(model, scratch):
    """Solve BᵀM B u̇ = Bᵀ(Q − M c) and write v̇ = B u̇ + c to W_A; return whether BᵀM B is regular.

    Its pivots are compared with each other: lengths among the independent columns are taken over L.
    """
    I, W = model.I, scratch.W
    n, m = I[L.VELOCITIES], I[R.CHOSEN_COUNT]
    f = n - m
    B = I[R.W_PARTITION] + m * m
    A, x, b, scale = B + n * f, B + n * f + f * f, I[R.W_B], I[R.W_SCALE] + I[R.ALL_COUNT]
    mass_times(model, scratch, W[I[R.W_A] :], W[b:], 0)
    for j in range(f):
        total = 0.0
        for c in range(n):
            total += W[B + n * j + c] * (W[I[R.W_Q] + c] - W[b + c])
        W[x + j] = total * W[scale + I[I[R.INDEPENDENT] + j]]
    for j in range(f):
        mass_times(model, scratch, W[B + n * j :], W[b:], 0)
        for k in range(f):
            total = 0.0
            for c in range(n):
                total += W[B + n * k + c] * W[b + c]
            W[A + f * k + j] = total * W[scale + I[I[R.INDEPENDENT] + j]] * W[scale + I[I[R.INDEPENDENT] + k]]
    if f > 0:
        pivots = I[I[R.PIVOTS] + m : I[R.PIVOTS] + n]
        matrix = W[A : A + f * f].reshape((f, f))
        if not lu_factor(matrix, f, pivots)[1] > 1e-14:
            return False
        lu_solve(matrix, f, pivots, W[x : x + f])
    for j in range(f):
        value = W[x + j] * W[scale + I[I[R.INDEPENDENT] + j]]
        for c in range(n):
            W[I[R.W_A] + c] += value * W[B + n * j + c]
    return True


@inner_kernel
def _multipliers(model, scratch):
    """Write λ = Φ_d⁻ᵀ (Q − M v̇)_d of the chosen rows to W_LAMBDA."""
    I, W = model.I, scratch.W
    m, A, x = I[R.CHOSEN_COUNT], I[R.W_PARTITION], I[R.W_LAMBDA]
    scale = I[R.W_SCALE] + I[R.ALL_COUNT]
    mass_times(model, scratch, W[I[R.W_A] :], W[I[R.W_B] :], 0)
    for k in range(m):
        c = I[I[R.DEPENDENT] + k]
        W[x + k] = (W[I[R.W_Q] + c] - W[I[R.W_B] + c]) * W[scale + c]
    solve_transposed(W[A : A + m * m].reshape((m, m)), m, I[I[R.PIVOTS] : I[R.PIVOTS] + m], W[x : x + m])
    for k in range(m):
        W[x + k] *= W[I[R.W_SCALE] + I[I[R.CHOSEN] + k]]
