"""Coordinate partitioning, shared by GCP and Kane: Φ_q splits into dependent and independent columns.

Park, Yoo, Hwang, Bae 1997, eqs. (10)–(19): q_d from Newton's method on Φ = 0 with Φ_{q_d}, then q̇_d from Φ_q q̇ = −Φ_t. y holds
all coordinates, so that a new partition never restarts a multistep method; the dependent ones serve as first guess.
"""

from __future__ import annotations

from multibody.formulations.closing import (
    ELSEWHERE,
    LOCKED,
    MOVED,
    REFUSED,
    TOO_NEAR,
    UNMOVED,
    WEAK_PARTITION,
    note_ratio,
    position_gap,
    project,
    raise_to,
    settle_references,
    tidy,
    turned_too_far,
    velocity_gap,
)
from multibody.formulations.space import (
    count_independent,
    displace,
    entry,
    entry_count,
    factor,
    normalize,
    rows_at_pose,
    set_state,
    sizes,
)
from multibody.kernels import sections as R
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.lu import factor as lu_factor
from multibody.kernels.lu import solve as lu_solve

WEAKER = 0.3  # of the pivot ratio that a partition began with: time for a new one


@inner_kernel
def factor_dependent(space, model, scratch):
    """Factor Φ_d (rows and columns scaled) from the entries in W; return its smallest pivot over its largest."""
    I, W = model.I, scratch.W
    m, A, n = I[R.CHOSEN_COUNT], I[R.W_PARTITION], sizes(space, model)[1]
    scale = I[R.W_SCALE] + I[R.ALL_COUNT]
    for k in range(m * m):
        W[A + k] = 0.0
    for k in range(m):
        r = I[I[R.CHOSEN] + k]
        for e in range(entry_count(space, model, r)):
            c, value = entry(space, model, scratch, r, e)
            place = I[I[R.PLACE] + c]
            if place >= 0:
                W[A + m * k + place] += W[I[R.W_SCALE] + r] * value * W[scale + c]
    if m == 0:
        return 1.0
    return lu_factor(W[A : A + m * m].reshape((m, m)), m, I[I[R.PIVOTS] : I[R.PIVOTS] + n])[1]


@inner_kernel
def solve_dependent(model, scratch, x):
    """Turn values of the chosen rows at W[x…] into unscaled dependent columns Φ_d⁻¹ x, in place."""
    I, W = model.I, scratch.W
    m, A, scale = I[R.CHOSEN_COUNT], I[R.W_PARTITION], I[R.W_SCALE] + I[R.ALL_COUNT]
    for k in range(m):
        W[x + k] *= W[I[R.W_SCALE] + I[I[R.CHOSEN] + k]]
    lu_solve(W[A : A + m * m].reshape((m, m)), m, I[I[R.PIVOTS] : I[R.PIVOTS] + m], W[x : x + m])
    for k in range(m):
        W[x + k] *= W[scale + I[I[R.DEPENDENT] + k]]


@inner_kernel
def spread(space, model, scratch, x, out):
    """Write dependent values at W[x…] to their columns of the vector at W[out…]; independent columns get 0."""
    I, W = model.I, scratch.W
    for c in range(sizes(space, model)[1]):
        place = I[I[R.PLACE] + c]
        W[out + c] = W[x + place] if place >= 0 else 0.0


@inner_kernel
def settle(space, model, state, scratch, t, y, given):
    """Write the state with the independent columns of y that satisfies the constraints to W_STATE and to the poses in W.

    Returns
    -------
    float
        Pivot ratio of Φ_d there; 0 where a change point is near, negative where Newton's method does not settle.
    """
    I, W = model.I, scratch.W
    nq, n = sizes(space, model)
    m = I[R.CHOSEN_COUNT]
    if W[I[R.W_SETTINGS] + R.NEAR_CHANGE] > 0.0:
        return 0.0
    q, x, b = W[I[R.W_STATE] : I[R.W_STATE] + nq], I[R.W_X], I[R.W_B]
    for c in range(nq):
        q[c] = y[c]
    normalize(space, model, q)
    open_, before, fresh, ratio, tolerance = position_gap(space, model, state, scratch, t, q, 0), 1e300, False, 0.0, given
    for _ in range(12):
        if open_ <= tolerance and fresh:
            break
        if not fresh or open_ > 0.1 * before:
            rows_at_pose(space, model, state, scratch, t, 0, 1)
            ratio = factor_dependent(space, model, scratch)
            weakness = min(1.0, ratio / W[I[R.W_SETTINGS] + R.PARTITION_RATIO])
            if not weakness * weakness > TOO_NEAR:
                return 0.0
            fresh = True
            tolerance = given * weakness * weakness  # near a change point what is left is amplified twice
        if open_ <= tolerance:
            break
        for k in range(m):
            W[b + k] = -W[x + I[I[R.CHOSEN] + k]]
        solve_dependent(model, scratch, b)
        spread(space, model, scratch, b, I[R.W_A])
        displace(space, model, q, W[I[R.W_A] : I[R.W_A] + n], 1.0, q)
        before, open_ = open_, position_gap(space, model, state, scratch, t, q, 0)
        if not open_ < 1.0:
            return -1.0
        if open_ > 0.1 * before and open_ < 1e-12:  # round-off
            break
        fresh = fresh and open_ <= 1e-3 * before  # factors serve on while they converge fast
    if not open_ <= max(given, 1e-9):
        return -1.0
    if before < 1e299:  # q moved: Φ_q and its factors at the settled pose
        rows_at_pose(space, model, state, scratch, t, 0, 1)
        ratio = factor_dependent(space, model, scratch)
    _settle_velocities(space, model, state, scratch, t, y)
    return ratio


@inner_kernel
def _settle_velocities(space, model, state, scratch, t, y):
    """Write v = (v_i of y, v_d = Φ_d⁻¹(ν − Φ_i v_i)) to W_STATE and the twists to W."""
    I, W = model.I, scratch.W
    nq, n = sizes(space, model)
    m = I[R.CHOSEN_COUNT]
    at, x, b = I[R.W_STATE] + nq, I[R.W_X], I[R.W_B]
    for c in range(n):
        W[at + c] = y[nq + c] if I[I[R.PLACE] + c] < 0 else 0.0
    velocity_gap(space, model, state, scratch, t, W[at : at + n])
    for k in range(m):
        W[b + k] = W[x + I[I[R.CHOSEN] + k]]
    solve_dependent(model, scratch, b)
    for k in range(m):
        W[at + I[I[R.DEPENDENT] + k]] = W[b + k]
    set_state(space, model, state, scratch, t, W[at - nq : at + n], 1)


@inner_kernel
def close_partitioned(space, model, state, scratch, t, y, active):
    """Make the dependent coordinates of an accepted state exact; ask for a new partition where this one got weak."""
    I, W = model.I, scratch.W
    nq, n = sizes(space, model)
    s, settings, at, moved = I[R.W_STATISTICS], I[R.W_SETTINGS], I[R.W_STATE], 0.0
    tidy(space, model, y)
    if turned_too_far(space, model, state, scratch, t, y):
        return REFUSED
    if W[settings + R.NEAR_CHANGE] > 0.0:  # no partition is good here: the smallest correction takes over
        outcome, ratio = project(space, model, state, scratch, t, y, 1)
        if outcome == REFUSED:
            return outcome
        rough = note_ratio(space, model, scratch, t, ratio)
        if rough < 0:
            return ELSEWHERE if rough == -1 else LOCKED
        settle_references(space, model, state, scratch, t, y)
        return outcome + rough
    raise_to(W, s + R.POSITION_BEFORE, position_gap(space, model, state, scratch, t, y, 0))
    ratio = settle(space, model, state, scratch, t, y, W[settings + R.CLOSED])
    if ratio < 0.0:
        return REFUSED
    if ratio <= WEAKER * W[settings + R.PARTITION_RATIO]:
        return WEAK_PARTITION
    scale = W[I[R.W_SCALE] + I[R.ALL_COUNT]]
    for c in range(nq):
        moved = max(moved, abs(W[at + c] - y[c]) / scale)
        y[c] = W[at + c]
    for c in range(n):
        moved = max(moved, abs(W[at + nq + c] - y[nq + c]) / scale)
        y[nq + c] = W[at + nq + c]
        active[nq + c] = 1.0 if I[I[R.PLACE] + c] < 0 else 0.0
    count_independent(space, model, active)
    raise_to(W, s + R.POSITION_AFTER, position_gap(space, model, state, scratch, t, y, 0))
    raise_to(W, s + R.VELOCITY_AFTER, velocity_gap(space, model, state, scratch, t, y[nq:]))
    rough = note_ratio(space, model, scratch, t, factor(space, model, state, scratch))
    if rough < 0:
        return ELSEWHERE if rough == -1 else LOCKED
    settle_references(space, model, state, scratch, t, y)
    return rough + (MOVED if moved > W[settings + R.NOTICEABLE] else UNMOVED)


@kernel
def accept_partitioned(model, state, scratch, t, y, active):
    """Accept a state in Cartesian coordinates."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    return close_partitioned(None, model, state, scratch, t, y, active)
