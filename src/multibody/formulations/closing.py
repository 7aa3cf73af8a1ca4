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
def function_count(I):
    """Return the number of coordinate functions."""
    return (I[L.ROWS] - I[L.FUNCTIONS]) // L.FUNCTION_STRIDE


@inner_kernel
def tidy(space, I, y):
    """Make the quaternions in y unit, and numbers that are nothing zero.

    What leaves a plane by round-off only dies out until its numbers are subnormal, with which processors reckon a hundred times
    slower.
    """
    normalize(space, I, y)
    for c in range(y.shape[0]):
        if abs(y[c]) < NOTHING:
            y[c] = 0.0


@inner_kernel
def gap(I, W, x):
    """Return the largest scaled value of all rows at W[x…]."""
    worst = 0.0
    for r in range(I[R.ALL_COUNT]):
        k = abs(W[x + r]) * W[I[R.W_SCALE] + r]
        if not k <= worst:
            worst = k
    return worst


@inner_kernel
def position_gap(space, I, F, W, ref, t, q, gradients):
    """Write Φ(q, t) of all rows to W_X and the poses to W, with `gradients` = 1 also Φ_q; return the largest scaled Φ."""
    set_poses(space, I, F, W, ref, t, q)
    rows_at_pose(space, I, F, W, ref, t, 1, gradients)
    return gap(I, W, I[R.W_X])


@inner_kernel
def velocity_gap(space, I, F, W, ref, t, v):
    """Write ν − Φ_q v of all rows to W_X, Φ_q and poses from W; return the largest scaled value."""
    velocity_gaps(space, I, F, W, ref, t, v)
    return gap(I, W, I[R.W_X])


@inner_kernel
def raise_to(W, at, value):
    """Keep the largest value in W[at]."""
    if not value <= W[at]:
        W[at] = value


@inner_kernel
def scaled_size(space, I, W, x):
    """Return the largest component of a displacement or of rates, lengths over L."""
    worst, scale = 0.0, I[R.W_SCALE] + I[R.ALL_COUNT]
    for c in range(sizes(space, I)[1]):
        k = abs(x[c]) / W[scale + c]
        if not k <= worst:
            worst = k
    return worst


@inlined
def too_near(I, W, ratio):
    """Return whether a change point is so near that round-off shows: ε in positions is ε/θ³ in accelerations, θ² the ratio."""
    return ratio < TOO_NEAR * W[I[R.W_SETTINGS] + R.REGULAR_RATIO]


@inner_kernel
def project(space, I, F, W, ref, t, y, gently):
    """Bring q and v of y onto the constraints by the smallest change in the metric of the masses.

    Simplified Newton with the factors at the given pose, made anew where it converges slowly. With `gently` = 1 (the end of a
    step) and a method that avoids no change points, a state too near one is left as it is unless its gaps are worth more than
    the round-off that comes with closing them: the next one is closed.

    Returns
    -------
    tuple
        (UNMOVED, MOVED, or REFUSED where it cannot be closed; smallest pivot ratio).
    """
    nq, n = sizes(space, I)
    s, settings, x = I[R.W_STATISTICS], I[R.W_SETTINGS], I[R.W_X]
    m, v, near = I[R.ALL_COUNT], y[nq:], W[settings + R.NEAR_CHANGE] > 0.0
    tolerance = 0.0 if near else W[settings + R.CLOSED]  # S⁻¹ amplifies what is left near a change point
    moved, open_ = 0.0, position_gap(space, I, F, W, ref, t, y, 1)
    raise_to(W, s + R.POSITION_BEFORE, open_)
    ratio = factor(space, I, F, W, ref)
    if not ratio > 0.0:
        return (REFUSED, ratio)
    if gently == 1 and W[settings + R.AVOIDABLE] < 0.0 and too_near(I, W, ratio):
        tolerance = GROSS
    for _ in range(8):
        if open_ <= tolerance:
            break
        for r in range(m):
            W[x + r] = -W[x + r]
        correct(space, I, W)
        moved += scaled_size(space, I, W, W[I[R.W_A] :])
        if not moved < 0.1:
            return (REFUSED, ratio)
        displace(space, I, y, W[I[R.W_A] : I[R.W_A] + n], 1.0, y)
        before, open_ = open_, position_gap(space, I, F, W, ref, t, y, 0)
        if open_ > 0.1 * before and open_ > tolerance:
            if open_ < 1e-12:  # round-off
                break
            rows_at_pose(space, I, F, W, ref, t, 0, 1)
            factor(space, I, F, W, ref)
    if not open_ < GROSS:
        return (REFUSED, ratio)
    if moved > 0.0:
        rows_at_pose(space, I, F, W, ref, t, 0, 1)
    change, open_v, unit = 0.0, velocity_gap(space, I, F, W, ref, t, v), 1.0 / W[settings + R.SECOND]
    raise_to(W, s + R.VELOCITY_BEFORE, open_v)
    for _ in range(4):
        if open_v <= tolerance * unit:
            break
        correct(space, I, W)
        change += scaled_size(space, I, W, W[I[R.W_A] :])
        for c in range(n):
            v[c] += W[I[R.W_A] + c]
        before, open_v = open_v, velocity_gap(space, I, F, W, ref, t, v)
        if open_v > 0.1 * before and open_v < 1e-12 * (unit + scaled_size(space, I, W, v)):
            break
    raise_to(W, s + R.POSITION_AFTER, open_)
    raise_to(W, s + R.VELOCITY_AFTER, open_v)
    return (MOVED if moved + change / unit > W[settings + R.NOTICEABLE] else UNMOVED, ratio)


@inlined
def evaluate(space, I, F, W, ref, t, y):
    """Write Φ_q, γ and the factors of S at y to W; return the smallest pivot ratio, ≤ 0 where there is no solution."""
    set_state(space, I, F, W, ref, t, y, 0)
    rows_at_state(space, I, F, W, ref, t)
    return factor(space, I, F, W, ref)


@inner_kernel
def _evaluate_closed(space, I, F, W, ref, t, y):
    """Evaluate at the state nearest to y that satisfies the constraints."""
    nq, n = sizes(space, I)
    s = I[R.W_STATISTICS]
    z = W[I[R.W_STATE] : I[R.W_STATE] + nq + n]
    for c in range(nq + n):
        z[c] = y[c]
    kept = (W[s], W[s + 1], W[s + 2], W[s + 3])  # violations of stages are not those of accepted states
    normalize(space, I, z)
    project(space, I, F, W, ref, t, z, 0)
    W[s], W[s + 1], W[s + 2], W[s + 3] = kept
    return evaluate(space, I, F, W, ref, t, z)


@inner_kernel
def bridge(space, I, F, W, ref, t, y):
    """Write v̇ at a state too near a change point to W_A, from regular states before and behind it; return the power.

    The motion is smooth there, only its equations are not: v̇ is the polynomial through six states along the line
    q ⊕ τ v, at equal distances on both sides.
    """
    nq, n = sizes(space, I)
    near = I[R.W_SETTINGS] + R.NEAR_CHANGE
    at, sum_ = I[R.W_BRIDGE], I[R.W_BRIDGE] + nq + n
    kept, power = W[near], 0.0
    W[near] = 1.0
    speed = scaled_size(space, I, W, y[nq:])
    stride, lowest = STRIDE / speed, 0.0
    for attempt in range(3):  # a support that lies at the change point itself is no use: wider ones then
        if attempt > 0 and not too_near(I, W, lowest):
            break
        lowest, power = math.inf, 0.0
        for c in range(n):
            W[sum_ + c] = 0.0
        for k in range(-3, 4):
            if k == 0:
                continue
            weight, tau = (0.75, -0.3, 0.05)[abs(k) - 1], stride * k
            displace(space, I, y, y[nq:], tau, W[at : at + nq])
            for c in range(n):
                W[at + nq + c] = y[nq + c]
            lowest = min(lowest, _evaluate_closed(space, I, F, W, ref, t + tau, W[at : at + nq + n]))
            power += weight * applied(space, I, F, W, ref, t + tau)
            solve(space, I, F, W, ref)
            power += weight * driving_power(space, I, F, W, ref, t + tau)
            for c in range(n):
                W[sum_ + c] += weight * W[I[R.W_A] + c]
        stride *= 1.7
    W[near] = kept
    set_state(space, I, F, W, ref, t, y, 1)
    for c in range(n):
        W[I[R.W_A] + c] = W[sum_ + c]
    return power


@inlined
def accelerate(space, I, F, W, ref, t, y):
    """Write v̇ at (t, y) to W_A and λ to W_LAMBDA; return (whether there is a solution, power).

    Near a change point S⁻¹ amplifies the distance of a stage from the constraints; on steps that begin near one the equations
    are therefore evaluated at the nearest state that satisfies them.
    """
    if W[I[R.W_SETTINGS] + R.NEAR_CHANGE] == 0.0:
        ratio = evaluate(space, I, F, W, ref, t, y)
    else:
        ratio = _evaluate_closed(space, I, F, W, ref, t, y)
    if not ratio > 0.0:
        return (False, 0.0)
    if too_near(I, W, ratio) and scaled_size(space, I, W, y[sizes(space, I)[0] :]) > 0.0:
        return (True, bridge(space, I, F, W, ref, t, y))
    power = applied(space, I, F, W, ref, t)
    solve(space, I, F, W, ref)
    return (True, power + driving_power(space, I, F, W, ref, t))


@inner_kernel
def _locked(I, W, h):
    """Return whether the motion stays at a change point, at the end of a step there; h: its length.

    A crossing takes few steps or many, as short as the user likes them. What locks is reached in steps that become ever
    shorter: it is judged by the time that a number of steps make beside the longest one near by.
    """
    settings = I[R.W_SETTINGS]
    W[settings + R.STUCK] += 1.0
    W[settings + R.STUCK_TIME] += h
    if W[settings + R.STUCK] < PATIENCE:
        return False
    mean = W[settings + R.STUCK_TIME] / W[settings + R.STUCK]
    W[settings + R.STUCK], W[settings + R.STUCK_TIME] = 0.0, 0.0
    return mean < CREEPING * W[settings + R.LONGEST]


@inner_kernel
def note_ratio(space, I, W, t, ratio):
    """Keep the smallest pivot ratio met, and the largest as the regular one.

    Returns
    -------
    int
        0, ROUGH where a change point is near, −1 where it is so near that the step had better end elsewhere, −2 where the
        motion does not get away from it.
    """
    lowest, settings = I[R.W_STATISTICS] + R.LOWEST_RATIO, I[R.W_SETTINGS]
    remember(space, I, W)
    if too_near(I, W, ratio) and W[settings + R.AVOIDED] < W[settings + R.AVOIDABLE]:
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
    if too_near(I, W, ratio) and W[settings + R.AVOIDABLE] != 0.0 and _locked(I, W, h):
        return -2
    return ROUGH if W[settings + R.LINGERING] < 40.0 or W[settings + R.AVOIDABLE] < 0.0 else 0


@inner_kernel
def turned_too_far(space, I, F, W, ref, t, y):
    """Return whether a counted angle moved by more than a quarter turn; the poses in W are those of y, or what they were."""
    if turned(space, I, W, y):
        return True
    if I[L.DIMENSION] == 2:  # angles in the plane count themselves
        return False
    set_poses(space, I, F, W, ref, t, y)
    return largest_turn(I, F, W, ref, function_count(I)) > 0.5 * math.pi


@inner_kernel
def settle_references(space, I, F, W, ref, t, y):
    """Write the poses of y to W and move the angle references to them."""
    settled(space, I, W, y)
    if I[L.DIMENSION] == 3:
        set_poses(space, I, F, W, ref, t, y)
        set_references(I, F, W, ref, function_count(I))
