"""Coordinate partitioning, shared by GCP and Kane: Φ_q splits into dependent and independent columns.

Park, Yoo, Hwang, Bae 1997, eqs. (10)–(19): q_d from Newton's method on Φ = 0 with Φ_{q_d}, then q̇_d from Φ_q q̇ = −Φ_t. y holds
all coordinates, so that a new partition never restarts a multistep method; the dependent ones serve as first guess.
"""

from __future__ import annotations

from multibody.formulations.cartesian import CARTESIAN
from multibody.formulations.closing import (
    TOO_NEAR,
    accept_projected,
    larger,
    note_ratio,
    position_gap,
    settle_references,
    stops,
    tidy,
    turned_too_far,
    velocity_gap,
)
from multibody.kernels.acceptance import MOVED, REFUSED, UNMOVED, WEAK_PARTITION
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.lu import factor as lu_factor
from multibody.kernels.lu import solve as lu_solve
from multibody.kernels.modes import BODIES, GRADIENTS, NO_GRADIENTS, NO_VALUES

WEAKER = 0.3  # of the pivot ratio that a partition began with: time for a new one


@inner_kernel
def factor_dependent(space, model, state, scratch):
    """Factor Φ_d (rows and columns scaled) from the entries of Φ_q; return its smallest pivot over its largest."""
    m, A = model.chosen.size, scratch.phi_d
    for k in range(m * m):
        A[k] = 0.0
    for k in range(m):
        r = model.chosen[k]
        for e in range(space.entry_count(model, r)):
            c, value = space.entry(model, scratch, r, e)
            place = state.place[c]
            if place >= 0:
                A[m * k + place] += model.row_scale[r] * value * model.column_scale[c]
    return lu_factor(A.reshape((m, m)), m, state.pivots)[1] if m > 0 else 1.0


@inner_kernel
def solve_dependent(model, state, scratch, x):
    """Turn values x of the chosen rows into unscaled dependent columns Φ_d⁻¹ x, in place."""
    m = model.chosen.size
    for k in range(m):
        x[k] *= model.row_scale[model.chosen[k]]
    lu_solve(scratch.phi_d.reshape((m, m)), m, state.pivots, x)
    for k in range(m):
        x[k] *= model.column_scale[state.dependent[k]]


@inner_kernel
def spread(state, x, out):
    """Write dependent values x to their columns of a vector; independent columns get 0."""
    for c in range(state.place.size):
        place = state.place[c]
        out[c] = x[place] if place >= 0 else 0.0


@inner_kernel
def settle(space, model, state, scratch, t, y, given):
    """Write the state with the independent columns of y that satisfies the constraints as the point, and its poses.

    Returns
    -------
    float
        Pivot ratio of Φ_d there; 0 where a change point is near, negative where Newton's method does not settle.
    """
    nq, n = space.sizes(model)
    settings, q, b = state.settings[0], scratch.point[:nq], scratch.b
    if settings.near_change > 0.0:
        return 0.0
    for c in range(nq):
        q[c] = y[c]
    space.normalize(model, q)
    open_ = position_gap(space, model, state, scratch, t, q, NO_GRADIENTS)
    before, fresh, ratio, tolerance = 1e300, False, 0.0, given
    for _ in range(12):
        if open_ <= tolerance and fresh:
            break
        if not fresh or open_ > 0.1 * before:
            space.rows_at_pose(model, state, scratch, t, NO_VALUES, GRADIENTS)
            ratio = factor_dependent(space, model, state, scratch)
            weakness = min(1.0, ratio / settings.partition_ratio)
            if not weakness * weakness > TOO_NEAR:
                return 0.0
            fresh = True
            tolerance = given * weakness * weakness  # near a change point what is left is amplified twice
        if open_ <= tolerance:
            break
        for k in range(model.chosen.size):
            b[k] = -scratch.by_row[model.chosen[k]]
        solve_dependent(model, state, scratch, b)
        spread(state, b, scratch.a)
        space.displace(model, q, scratch.a[:n], 1.0, q)
        before, open_ = open_, position_gap(space, model, state, scratch, t, q, NO_GRADIENTS)
        if not open_ < 1.0:
            return -1.0
        if open_ > 0.1 * before and open_ < 1e-12:  # round-off
            break
        fresh = fresh and open_ <= 1e-3 * before  # factors serve on while they converge fast
    if not open_ <= max(given, 1e-9):
        return -1.0
    if before < 1e299:  # q moved: Φ_q and its factors at the settled pose
        space.rows_at_pose(model, state, scratch, t, NO_VALUES, GRADIENTS)
        ratio = factor_dependent(space, model, state, scratch)
    _settle_velocities(space, model, state, scratch, t, y)
    return ratio


@inner_kernel
def _settle_velocities(space, model, state, scratch, t, y):
    """Write v = (v_i of y, v_d = Φ_d⁻¹(ν − Φ_i v_i)) to the point, and its twists."""
    nq, n = space.sizes(model)
    v, b, m = scratch.point[nq:], scratch.b, model.chosen.size
    for c in range(n):
        v[c] = y[nq + c] if state.place[c] < 0 else 0.0
    velocity_gap(space, model, state, scratch, t, v)
    for k in range(m):
        b[k] = scratch.by_row[model.chosen[k]]
    solve_dependent(model, state, scratch, b)
    for k in range(m):
        v[state.dependent[k]] = b[k]
    space.set_state(model, state, scratch, t, scratch.point, BODIES)


@inner_kernel
def close_partitioned(space, model, state, scratch, t, y, active):
    """Make the dependent coordinates of an accepted state exact; ask for a new partition where this one got weak."""
    nq, n = space.sizes(model)
    s, settings, at, moved = state.statistics[0], state.settings[0], scratch.point, 0.0
    tidy(space, model, y)
    if turned_too_far(space, model, state, scratch, t, y):
        return REFUSED
    if settings.near_change > 0.0:  # no partition is good here: the smallest correction takes over
        return accept_projected(space, model, state, scratch, t, y)
    s.position_before = larger(s.position_before, position_gap(space, model, state, scratch, t, y, NO_GRADIENTS))
    ratio = settle(space, model, state, scratch, t, y, settings.closed)
    if ratio < 0.0:
        return REFUSED
    if ratio <= WEAKER * settings.partition_ratio:
        return WEAK_PARTITION
    scale = model.column_scale[0]
    for c in range(nq):
        moved = max(moved, abs(at[c] - y[c]) / scale)
        y[c] = at[c]
    for c in range(n):
        moved = max(moved, abs(at[nq + c] - y[nq + c]) / scale)
        y[nq + c] = at[nq + c]
        active[nq + c] = 1.0 if state.place[c] < 0 else 0.0
    space.count_independent(model, active)
    s.position_after = larger(s.position_after, position_gap(space, model, state, scratch, t, y, NO_GRADIENTS))
    s.velocity_after = larger(s.velocity_after, velocity_gap(space, model, state, scratch, t, y[nq:]))
    rough = note_ratio(space, model, state, scratch, t, space.factor(model, state, scratch))
    if stops(rough):
        return rough
    settle_references(space, model, state, scratch, t, y)
    return rough + (MOVED if moved > settings.noticeable else UNMOVED)


@kernel
def accept_partitioned(model, state, scratch, t, y, active):
    """Accept a state in Cartesian coordinates."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    return close_partitioned(CARTESIAN, model, state, scratch, t, y, active)
