"""What implicit integrators ask of the equations of motion: residuals, their exact derivatives, and linear systems with them.

R(t, q, v, v̇, λ) = M v̇ − Q + Φ_qᵀ λ = 0 with Φ = 0 and ψ = Φ_q v − ν = 0. Its linearization has M, C = ∂R/∂v, K = ∂R/∂q, Φ_q and
V = ∂ψ/∂q along the velocity columns (δr, δπ′), so that every method solves with one matrix (``kernels/newton/matrix.py``) whose
coefficients are the method's own (Lee, Lee, Bae 2013, eq. (1) and the algorithm behind it; Lee, Sohn, Kim, Yoo 2001,
eqs. (4)–(7)). Everything has the signature of ``evaluate`` (``kernels/calls.py``); `space` as in ``kernels/space.py``.
"""

from __future__ import annotations

from multibody.formulations.cartesian import CARTESIAN
from multibody.kernels.blocks import spot
from multibody.kernels.calls import call
from multibody.kernels.compile import inlined, inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.force_partials import force_partials
from multibody.kernels.mass import mass_times
from multibody.kernels.newton.matrix import (
    add_product,
    factor_complex_matrix,
    factor_matrix,
    solve_complex_matrix,
    solve_matrix,
    write_product,
)
from multibody.kernels.rotations import quaternion_place, quaternion_rates, quaternion_tangent
from multibody.kernels.rows import row_partials, row_velocity
from multibody.kernels.stacked import (
    ASKED,
    DISPLACED,
    IMAGINARY,
    OF_C,
    OF_K,
    OF_M,
    OF_P,
    OF_V,
    PLACE,
    RATES,
    TANGENT,
    chi_at,
    lambda_at,
    power_at,
)
from multibody.kernels.state import ANGLE, PLANE, POINT, SPACE, TURN
from multibody.kernels.vectors import entry, load3, load4, store3, store4


@kernel
def start_newton(model, state, scratch, t, y, out):
    """Write consistent v̇, λ and the power at (t, y), as the right-hand side of the formulation finds them."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    nq, n, m, rates = model.newton.nq, model.newton.nv, model.chosen.size, scratch.newton.rates
    status = call(model.newton.calls.rhs, (model, state, scratch), t, y, rates)
    for c in range(n):
        out[c] = rates[nq + c]
    for k in range(m):
        out[n + k] = scratch.multipliers[k]
    out[n + m] = rates[nq + n]
    return status


@kernel
def residual_newton(model, state, scratch, t, x, out):
    """Write R, ψ, Φ, χ and the power at x = (q, v, v̇, λ).

    Near a change point Φ_q loses rank and λ no longer follows from the equations, though the motion is smooth. There
    R = M (v̇ − f) takes their place, with f as the right-hand side finds it; constraints are left to the projection of the
    accepted state.
    """
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    calls = model.newton.calls
    if near(state) == 0:
        return call(calls.residual, (model, state, scratch), t, x, out)
    nq, n, m = model.newton.nq, model.newton.nv, model.chosen.size
    point, rates = scratch.newton.point, scratch.newton.rates
    for c in range(nq + n):
        point[c] = x[c]
    status = call(calls.rhs, (model, state, scratch), t, point, rates)
    for c in range(n):
        point[c] = x[nq + n + c] - rates[nq + c]
    power = power_at(n, m)
    for k in range(power):
        out[k] = 0.0
    add_product(model.newton.pattern, state.newton.M, point, out)
    out[power] = rates[nq + n]
    return status


@inner_kernel
def _set_point(space, model, state, scratch, t, x):
    """Write poses, twists, Φ_q, γ and Q at x = (q, v, …); return the power of forces without a potential."""
    point = scratch.newton.point
    for c in range(model.coordinates + model.velocities):
        point[c] = x[c]
    space.normalize(model, point)
    space.set_state(model, state, scratch, t, point, 1)
    space.rows_at_state(model, state, scratch, t)
    return space.applied(model, state, scratch, t)


@inner_kernel
def write_residual(space, model, state, scratch, t, x, out):
    """Write R, ψ, Φ, Φ_q v̇ − γ of the chosen rows and the power at x = (q, v, v̇, λ)."""
    nq, n, m = model.coordinates, model.velocities, model.chosen.size
    power = _set_point(space, model, state, scratch, t, x)
    for c in range(n):
        scratch.a[c] = x[nq + n + c]
    mass_times(model, scratch.a, scratch.b, 0)
    for c in range(n):
        out[c] = scratch.b[c] - scratch.Q[c]
    psi, phi, chi, multipliers = n, n + m, chi_at(n, m), x[lambda_at(nq, n) :]
    for k in range(m):
        out[psi + k] = 0.0
        out[chi + k] = -scratch.by_row[model.chosen[k]]
    for e in range(model.newton.entries.size):
        entry = model.newton.entries[e]
        value, c, k = scratch.J[entry.entry], entry.column, entry.row
        out[c] += value * multipliers[k]
        out[psi + k] += value * x[nq + c]
        out[chi + k] += value * x[nq + n + c]
    if model.driven == 1:
        row_velocity(model, state, scratch, t, 0, model.all_rows, scratch.by_row)
        for k in range(m):
            nu = scratch.by_row[model.chosen[k]]
            out[psi + k] -= nu
            power -= multipliers[k] * nu
    space.rows_at_pose(model, state, scratch, t, 1, 0)
    for k in range(m):
        out[phi + k] = scratch.by_row[model.chosen[k]]
    out[power_at(n, m)] = power


@inner_kernel
def linearize(space, model, state, scratch, t, x):
    """Keep M, C, K, Φ_q and V at x = (q, v, v̇, λ)."""
    nq, n, kept = model.coordinates, model.velocities, state.newton
    M, C, K = kept.M, kept.C, kept.K
    _set_point(space, model, state, scratch, t, x)
    for e in range(M.size):
        M[e] = 0.0
        C[e] = 0.0
        K[e] = 0.0
    force_partials(model, state, scratch, t, K, C)
    for e in range(M.size):
        C[e] = -C[e]
        K[e] = -K[e]
    write_mass(model, M)
    for k in range(model.chosen.size):
        r, multiplier = model.chosen[k], x[lambda_at(nq, n) + k :]
        row_partials(model, state, scratch, t, r, r + 1, multiplier, K, kept.V[model.rows[r].entry :])
    for e in range(model.newton.entries.size):
        entry = model.newton.entries[e].entry
        kept.P[entry] = scratch.J[entry]


@kernel
def residual_implicit(model, state, scratch, t, x, out):
    """Write the residuals in Cartesian coordinates."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    write_residual(CARTESIAN, model, state, scratch, t, x, out)
    return 0


@kernel
def linearize_implicit(model, state, scratch, t, x, out):
    """Keep the derivatives in Cartesian coordinates."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    linearize(CARTESIAN, model, state, scratch, t, x)
    return 0


@inner_kernel
def write_mass(model, M):
    """Write the masses and inertias of the bodies into the diagonal blocks of a matrix."""
    for b in range(model.bodies):
        at, stride = spot(model, model.width * b, model.width * b)
        if model.planar:
            for c in range(2):
                M[at + stride * c + c] = model.planar_mass[b].m
            M[at + stride * ANGLE + ANGLE] = model.planar_mass[b].J
        else:
            mass = model.spatial_mass[b]
            for r in range(3):
                M[at + stride * r + r] = mass.m
                for c in range(3):
                    M[at + stride * (POINT + r) + POINT + c] = entry(mass.J, r, c)


@inlined
def near(state):
    """Return 1 near a change point, else 0."""
    return 1 if state.settings[0].near_change > 0.0 else 0


@kernel
def factor_newton(model, state, scratch, t, x, out):
    """Form and factor the real matrix with the weights x; out[0]: pivot ratio."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    out[0] = factor_matrix(model.newton, state.newton, near(state), x[OF_M], x[OF_C], x[OF_K], x[OF_P], x[OF_V])
    return 0


@kernel
def solve_newton(model, state, scratch, t, x, out):
    """Solve with the real factors; return 1 if a change point has come near, or is left behind, since they were made."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    if near(state) != state.newton.near:
        return 1
    solve_matrix(model.newton, state.newton, scratch.newton, x, out)
    return 0


@inlined
def _weight(x, k):
    """Return one of the weights as a complex number."""
    return complex(x[k], x[k + IMAGINARY])


@kernel
def factor_complex(model, state, scratch, t, x, out):
    """Form and factor the real matrix, or with out of length 2 the complex one, which is kept beside it."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    if out.shape[0] == 1:
        return call(model.newton.calls.factor, (model, state, scratch), t, x, out)
    M, C, K, P, V = _weight(x, OF_M), _weight(x, OF_C), _weight(x, OF_K), _weight(x, OF_P), _weight(x, OF_V)
    out[0] = factor_complex_matrix(model.newton, state.newton, near(state), M, C, K, P, V)
    return 0


@kernel
def solve_complex(model, state, scratch, t, x, out):
    """Solve with the real factors, or with the complex ones where x is twice as long (real parts, then imaginary ones)."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    if x.shape[0] == model.newton.unknowns.size:
        return call(model.newton.calls.solve, (model, state, scratch), t, x, out)
    if near(state) != state.newton.near:
        return 1
    solve_complex_matrix(model.newton, state.newton, scratch.newton, x, out)
    return 0


@kernel
def product_newton(model, state, scratch, t, x, out):
    """Write M a + C v + K q and Φ_q v + V q for x = (a, v, q), with the kept matrices."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    write_product(model.newton, state.newton, x, out)
    return 0


@inner_kernel
def correction(space, model, state, scratch, x, out):
    """Write the smallest change (in the metric of the masses) with Φ_q out = x of the chosen rows; none near a change point."""
    n = space.sizes(model)[1]
    if near(state) == 1:
        for c in range(n):
            out[c] = 0.0
        return 0
    for k in range(model.chosen.size):
        scratch.by_row[model.chosen[k]] = x[k]
    space.correct(model, state, scratch)
    for c in range(n):
        out[c] = scratch.a[c]
    return 0


@inlined
def _moved(code, c, q, v):
    """Return what a question makes of a plain coordinate q and the number v beside it."""
    return (v - q) / c if code == PLACE else v


@inner_kernel
def move_cartesian(model, code, x, out):
    """Answer a question about coordinates and rates, see ``move_implicit``; x without its code."""
    wide, width = (PLANE, PLANE) if model.planar else (SPACE, TURN)
    shift = 1 if code == PLACE else 0
    first = model.coordinates + shift  # where the second vector begins
    given, answer = (wide, width) if code == TANGENT else (width, wide)  # numbers of a body in it, and in the answer
    for b in range(model.bodies):
        for c in range(PLANE if model.planar else POINT):
            out[answer * b + c] = _moved(code, x[0], x[shift + wide * b + c], x[first + given * b + c])
        if model.planar:
            continue
        e, at, to = load4(x, shift + wide * b + POINT), first + given * b + POINT, answer * b + POINT
        if code == TANGENT:
            w = quaternion_tangent(e, load4(x, at))
            store3(out, to, w)
            continue
        w = load3(x, at)
        p = quaternion_rates(e, w) if code == RATES else quaternion_place(x[0], e, w)
        store4(out, to, p)
    for e in range(model.extras):
        q, v = x[shift + wide * model.bodies + e], x[first + given * model.bodies + e]
        out[answer * model.bodies + e] = _moved(code, x[0], q, v)


@kernel
def move_implicit(model, state, scratch, t, x, out):
    """Answer a question about Cartesian coordinates and rates.

    x[0] says which: RATES (q, w) → N(q) w; TANGENT (q, q̇) → w; PLACE (c, b, w) → the q with c q + b = N(q) w; DISPLACED
    (q, d) → q ⊕ d.
    """
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    code = int(x[0])
    if code == DISPLACED:
        CARTESIAN.displace(model, x[ASKED:], x[ASKED + model.coordinates :], 1.0, out)
    else:
        move_cartesian(model, code, x[ASKED:], out)
    return 0


@kernel
def correct_implicit(model, state, scratch, t, x, out):
    """Write the smallest change that closes gaps in Cartesian coordinates."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    return correction(CARTESIAN, model, state, scratch, x, out)
