"""On the constraints and near change points, the same in Cartesian and in joint coordinates (`space`, see ``space.py``).

Projection of a state, evaluation of the equations of motion, and the bridge across a position in which they lose rank.
"""

from __future__ import annotations

import math

from multibody.formulations.space import (
    applied,
    correct,
    displace,
    driving_power,
    factor,
    normalize,
    remember,
    rows_at_pose,
    rows_at_state,
    set_poses,
    set_state,
    settled,
    sizes,
    solve,
    turned,
    velocity_gaps,
)
from multibody.kernels import layout as L
from multibody.kernels import sections as R
from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.functions import largest_turn, set_references

UNMOVED, MOVED, REFUSED, ELSEWHERE = 0, 1, 2, 3  # what an acceptance says of y
ROUGH = 4  # added: near a change point
LOCKED, WEAK_PARTITION = -1, -2  # why an acceptance gives up
NEAR, TOO_NEAR = 0.1, 1e-4  # of the regular pivot ratio: near a change point
STRIDE = 0.02  # between the states of a bridge across a change point: rad, or lengths over L
NOTHING = 1e-150  # neither a length nor a rate
GROSS = 1e-6  # a scaled gap that projection must get below
PATIENCE, CREEPING = 100.0, 0.01  # steps at a change point; of the longest step near by, what they must make on average


@inner_kernel
def function_count(model):
    """Return the number of coordinate functions."""
    I = model.I
    return (I[L.ROWS] - I[L.FUNCTIONS]) // L.FUNCTION_STRIDE


@inner_kernel
def tidy(space, model, y):
    """Make the quaternions in y unit, and numbers that are nothing zero.

    What leaves a plane by round-off only dies out until its numbers are subnormal, with which processors reckon a hundred times
    slower.
    """
    normalize(space, model, y)
    for c in range(y.shape[0]):
        if abs(y[c]) < NOTHING:
            y[c] = 0.0


@inner_kernel
def gap(model, scratch, x):
    """Return the largest scaled value of all rows at W[x…]."""
    I, W = model.I, scratch.W
    worst = 0.0
    for r in range(I[R.ALL_COUNT]):
        k = abs(W[x + r]) * W[I[R.W_SCALE] + r]
        if not k <= worst:
            worst = k
    return worst


@inner_kernel
def position_gap(space, model, state, scratch, t, q, gradients):
    """Write Φ(q, t) of all rows to W_X and the poses to W, with `gradients` = 1 also Φ_q; return the largest scaled Φ."""
    I = model.I
    set_poses(space, model, state, scratch, t, q)
    rows_at_pose(space, model, state, scratch, t, 1, gradients)
    return gap(model, scratch, I[R.W_X])


@inner_kernel
def velocity_gap(space, model, state, scratch, t, v):
    """Write ν − Φ_q v of all rows to W_X, Φ_q and poses from W; return the largest scaled value."""
    I = model.I
    velocity_gaps(space, model, state, scratch, t, v)
    return gap(model, scratch, I[R.W_X])


@inner_kernel
def raise_to(W, at, value):
    """Keep the largest value in W[at]."""
    if not value <= W[at]:
        W[at] = value


@inner_kernel
def scaled_size(space, model, scratch, x):
    """Return the largest component of a displacement or of rates, lengths over L."""
    I, W = model.I, scratch.W
    worst, scale = 0.0, I[R.W_SCALE] + I[R.ALL_COUNT]
    for c in range(sizes(space, model)[1]):
        k = abs(x[c]) / W[scale + c]
        if not k <= worst:
            worst = k
    return worst


@inlined
def too_near(model, scratch, ratio):
    """Return whether a change point is so near that round-off shows: ε in positions is ε/θ³ in accelerations, θ² the ratio."""
    I, W = model.I, scratch.W
    return ratio < TOO_NEAR * W[I[R.W_SETTINGS] + R.REGULAR_RATIO]


@inner_kernel
def project(space, model, state, scratch, t, y, gently):
    """Bring q and v of y onto the constraints by the smallest change in the metric of the masses.

    Simplified Newton with the factors at the given pose, made anew where it converges slowly. With `gently` = 1 (the end of a
    step) and a method that avoids no change points, a state too near one is left as it is unless its gaps are worth more than
    the round-off that comes with closing them: the next one is closed.

    Returns
    -------
    tuple
        (UNMOVED, MOVED, or REFUSED where it cannot be closed; smallest pivot ratio).
    """
    I, W = model.I, scratch.W
    nq, n = sizes(space, model)
    s, settings, x = I[R.W_STATISTICS], I[R.W_SETTINGS], I[R.W_X]
    m, v, near = I[R.ALL_COUNT], y[nq:], W[settings + R.NEAR_CHANGE] > 0.0
    tolerance = 0.0 if near else W[settings + R.CLOSED]  # S⁻¹ amplifies what is left near a change point
    moved, open_ = 0.0, position_gap(space, model, state, scratch, t, y, 1)
    raise_to(W, s + R.POSITION_BEFORE, open_)
    ratio = factor(space, model, state, scratch)
    if not ratio > 0.0:
        return (REFUSED, ratio)
    if gently == 1 and W[settings + R.AVOIDABLE] < 0.0 and too_near(model, scratch, ratio):
        tolerance = GROSS
    for _ in range(8):
        if open_ <= tolerance:
            break
        for r in range(m):
            W[x + r] = -W[x + r]
        correct(space, model, state, scratch)
        moved += scaled_size(space, model, scratch, W[I[R.W_A] :])
        if not moved < 0.1:
            return (REFUSED, ratio)
        displace(space, model, y, W[I[R.W_A] : I[R.W_A] + n], 1.0, y)
        before, open_ = open_, position_gap(space, model, state, scratch, t, y, 0)
        if open_ > 0.1 * before and open_ > tolerance:
            if open_ < 1e-12:  # round-off
                break
            rows_at_pose(space, model, state, scratch, t, 0, 1)
            factor(space, model, state, scratch)
    if not open_ < GROSS:
        return (REFUSED, ratio)
    if moved > 0.0:
        rows_at_pose(space, model, state, scratch, t, 0, 1)
    change, open_v, unit = 0.0, velocity_gap(space, model, state, scratch, t, v), 1.0 / W[settings + R.SECOND]
    raise_to(W, s + R.VELOCITY_BEFORE, open_v)
    for _ in range(4):
        if open_v <= tolerance * unit:
            break
        correct(space, model, state, scratch)
        change += scaled_size(space, model, scratch, W[I[R.W_A] :])
        for c in range(n):
            v[c] += W[I[R.W_A] + c]
        before, open_v = open_v, velocity_gap(space, model, state, scratch, t, v)
        if open_v > 0.1 * before and open_v < 1e-12 * (unit + scaled_size(space, model, scratch, v)):
            break
    raise_to(W, s + R.POSITION_AFTER, open_)
    raise_to(W, s + R.VELOCITY_AFTER, open_v)
    return (MOVED if moved + change / unit > W[settings + R.NOTICEABLE] else UNMOVED, ratio)


@inlined
def evaluate(space, model, state, scratch, t, y):
    """Write Φ_q, γ and the factors of S at y to W; return the smallest pivot ratio, ≤ 0 where there is no solution."""
    set_state(space, model, state, scratch, t, y, 0)
    rows_at_state(space, model, state, scratch, t)
    return factor(space, model, state, scratch)


@inner_kernel
def _evaluate_closed(space, model, state, scratch, t, y):
    """Evaluate at the state nearest to y that satisfies the constraints."""
    I, W = model.I, scratch.W
    nq, n = sizes(space, model)
    s = I[R.W_STATISTICS]
    z = W[I[R.W_STATE] : I[R.W_STATE] + nq + n]
    for c in range(nq + n):
        z[c] = y[c]
    kept = (W[s], W[s + 1], W[s + 2], W[s + 3])  # violations of stages are not those of accepted states
    normalize(space, model, z)
    project(space, model, state, scratch, t, z, 0)
    W[s], W[s + 1], W[s + 2], W[s + 3] = kept
    return evaluate(space, model, state, scratch, t, z)


@inner_kernel
def bridge(space, model, state, scratch, t, y):
    """Write v̇ at a state too near a change point to W_A, from regular states before and behind it; return the power.

    The motion is smooth there, only its equations are not: v̇ is the polynomial through six states along the line
    q ⊕ τ v, at equal distances on both sides.
    """
    I, W = model.I, scratch.W
    nq, n = sizes(space, model)
    near = I[R.W_SETTINGS] + R.NEAR_CHANGE
    at, sum_ = I[R.W_BRIDGE], I[R.W_BRIDGE] + nq + n
    kept, power = W[near], 0.0
    W[near] = 1.0
    speed = scaled_size(space, model, scratch, y[nq:])
    stride, lowest = STRIDE / speed, 0.0
    for attempt in range(3):  # a support that lies at the change point itself is no use: wider ones then
        if attempt > 0 and not too_near(model, scratch, lowest):
            break
        lowest, power = math.inf, 0.0
        for c in range(n):
            W[sum_ + c] = 0.0
        for k in range(-3, 4):
            if k == 0:
                continue
            weight, tau = (0.75, -0.3, 0.05)[abs(k) - 1], stride * k
            displace(space, model, y, y[nq:], tau, W[at : at + nq])
            for c in range(n):
                W[at + nq + c] = y[nq + c]
            lowest = min(lowest, _evaluate_closed(space, model, state, scratch, t + tau, W[at : at + nq + n]))
            power += weight * applied(space, model, state, scratch, t + tau)
            solve(space, model, state, scratch)
            power += weight * driving_power(space, model, state, scratch, t + tau)
            for c in range(n):
                W[sum_ + c] += weight * W[I[R.W_A] + c]
        stride *= 1.7
    W[near] = kept
    set_state(space, model, state, scratch, t, y, 1)
    for c in range(n):
        W[I[R.W_A] + c] = W[sum_ + c]
    return power


@inlined
def accelerate(space, model, state, scratch, t, y):
    """Write v̇ at (t, y) to W_A and λ to W_LAMBDA; return (whether there is a solution, power).

    Near a change point S⁻¹ amplifies the distance of a stage from the constraints; on steps that begin near one the equations
    are therefore evaluated at the nearest state that satisfies them.
    """
    I, W = model.I, scratch.W
    if W[I[R.W_SETTINGS] + R.NEAR_CHANGE] == 0.0:
        ratio = evaluate(space, model, state, scratch, t, y)
    else:
        ratio = _evaluate_closed(space, model, state, scratch, t, y)
    if not ratio > 0.0:
        return (False, 0.0)
    if too_near(model, scratch, ratio) and scaled_size(space, model, scratch, y[sizes(space, model)[0] :]) > 0.0:
        return (True, bridge(space, model, state, scratch, t, y))
    power = applied(space, model, state, scratch, t)
    solve(space, model, state, scratch)
    return (True, power + driving_power(space, model, state, scratch, t))


@inner_kernel
def _locked(model, scratch, h):
    """Return whether the motion stays at a change point, at the end of a step there; h: its length.

    A crossing takes few steps or many, as short as the user likes them. What locks is reached in steps that become ever
    shorter: it is judged by the time that a number of steps make beside the longest one near by.
    """
    I, W = model.I, scratch.W
    settings = I[R.W_SETTINGS]
    W[settings + R.STUCK] += 1.0
    W[settings + R.STUCK_TIME] += h
    if W[settings + R.STUCK] < PATIENCE:
        return False
    mean = W[settings + R.STUCK_TIME] / W[settings + R.STUCK]
    W[settings + R.STUCK], W[settings + R.STUCK_TIME] = 0.0, 0.0
    return mean < CREEPING * W[settings + R.LONGEST]


@inner_kernel
def note_ratio(space, model, scratch, t, ratio):
    """Keep the smallest pivot ratio met, and the largest as the regular one.

    Returns
    -------
    int
        0, ROUGH where a change point is near, −1 where it is so near that the step had better end elsewhere, −2 where the
        motion does not get away from it.
    """
    I, W = model.I, scratch.W
    lowest, settings = I[R.W_STATISTICS] + R.LOWEST_RATIO, I[R.W_SETTINGS]
    remember(space, model, scratch)
    if too_near(model, scratch, ratio) and W[settings + R.AVOIDED] < W[settings + R.AVOIDABLE]:
        W[settings + R.AVOIDED] += 1.0
        return -1
    h = abs(t - W[settings + R.LAST_TIME])
    W[settings + R.LAST_TIME] = t
    W[lowest] = min(W[lowest], ratio)
    W[settings + R.REGULAR_RATIO] = max(W[settings + R.REGULAR_RATIO], ratio)
    near = ratio < NEAR * W[settings + R.REGULAR_RATIO]
    W[settings + R.NEAR_CHANGE] = 1.0 if near else 0.0
    if not near:
        W[settings + R.AVOIDED], W[settings + R.LINGERING] = 0.0, 0.0
        W[settings + R.STUCK], W[settings + R.STUCK_TIME], W[settings + R.LONGEST] = 0.0, 0.0, 0.0
        return 0
    W[settings + R.LINGERING] += 1.0
    W[settings + R.LONGEST] = max(W[settings + R.LONGEST], h)
    if too_near(model, scratch, ratio) and W[settings + R.AVOIDABLE] != 0.0 and _locked(model, scratch, h):
        return -2
    return ROUGH if W[settings + R.LINGERING] < 40.0 or W[settings + R.AVOIDABLE] < 0.0 else 0


@inner_kernel
def turned_too_far(space, model, state, scratch, t, y):
    """Return whether a counted angle moved by more than a quarter turn; the poses in W are those of y, or what they were."""
    I = model.I
    if turned(space, model, scratch, y):
        return True
    if I[L.DIMENSION] == 2:  # angles in the plane count themselves
        return False
    set_poses(space, model, state, scratch, t, y)
    return largest_turn(model, state, scratch, function_count(model)) > 0.5 * math.pi


@inner_kernel
def settle_references(space, model, state, scratch, t, y):
    """Write the poses of y to W and move the angle references to them."""
    I = model.I
    settled(space, model, scratch, y)
    if I[L.DIMENSION] == 3:
        set_poses(space, model, state, scratch, t, y)
        set_references(model, state, scratch, function_count(model))
