"""On the constraints and near change points, the same in all coordinates (`space`, see ``kernels/space.py``).

Projection of a state, evaluation of the equations of motion, and the bridge across a position in which they lose rank.
"""

from __future__ import annotations

import math

from multibody.kernels.acceptance import ELSEWHERE, LOCKED, MOVED, OTHER_ROWS, REFUSED, ROUGH, UNMOVED
from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.functions import largest_turn, set_references
from multibody.kernels.modes import BODIES, GENTLE, GRADIENTS, NO_BODIES, NO_GRADIENTS, NO_VALUES, VALUES, WHOLE

NEAR, TOO_NEAR = 0.1, 1e-4  # of the regular pivot ratio: near a change point
SOUND = 0.3  # of the same: other rows may be asked for again
STRIDE = 0.02  # between the states of a bridge across a change point: rad, or lengths over L
NOTHING = 1e-150  # neither a length nor a rate
GROSS = 1e-6  # a scaled gap that projection must get below
PATIENCE, CREEPING = 100.0, 0.01  # steps at a change point; of the longest step near by, what they must make on average


@inner_kernel
def tidy(space, model, y):
    """Make the quaternions in y unit, and numbers that are nothing zero.

    What leaves a plane by round-off only dies out until its numbers are subnormal, with which processors reckon a hundred times
    slower.
    """
    space.normalize(model, y)
    for c in range(y.shape[0]):
        if abs(y[c]) < NOTHING:
            y[c] = 0.0


@inner_kernel
def gap(model, scratch):
    """Return the largest scaled value of all rows."""
    worst = 0.0
    for r in range(model.all_rows):
        k = abs(scratch.by_row[r]) * model.row_scale[r]
        if not k <= worst:
            worst = k
    return worst


@inner_kernel
def position_gap(space, model, state, scratch, t, q, gradients):
    """Write Φ(q, t) of all rows and the poses, with ``GRADIENTS`` also Φ_q; return the largest scaled Φ."""
    space.set_poses(model, state, scratch, t, q)
    space.rows_at_pose(model, state, scratch, t, VALUES, gradients)
    return gap(model, scratch)


@inner_kernel
def velocity_gap(space, model, state, scratch, t, v):
    """Write ν − Φ_q v of all rows, Φ_q and poses being known; return the largest scaled value."""
    space.velocity_gaps(model, state, scratch, t, v)
    return gap(model, scratch)


@inlined
def larger(kept, value):
    """Return the larger of two values; what is no number is larger than any."""
    return kept if value <= kept else value


@inner_kernel
def scaled_size(model, x):
    """Return the largest component of a displacement or of rates, lengths over L."""
    worst = 0.0
    for c in range(model.column_scale.size):
        k = abs(x[c]) / model.column_scale[c]
        if not k <= worst:
            worst = k
    return worst


@inlined
def too_near(state, ratio):
    """Return whether a change point is so near that round-off shows: ε in positions is ε/θ³ in accelerations, θ² the ratio."""
    return ratio < TOO_NEAR * state.settings[0].regular_ratio


@inner_kernel
def project(space, model, state, scratch, t, y, gently):
    """Bring q and v of y onto the constraints by the smallest change in the metric of the masses.

    Simplified Newton with the factors at the given pose, made anew where it converges slowly. With ``GENTLE`` (the end of a
    step) and a method that avoids no change points, a state too near one is left as it is unless its gaps are worth more than
    the round-off that comes with closing them: the next one is closed.

    Returns
    -------
    tuple
        (UNMOVED, MOVED, or REFUSED where it cannot be closed; smallest pivot ratio).
    """
    n, v = model.column_scale.size, y[space.sizes(model)[0] :]
    statistics, settings, a, x = state.statistics[0], state.settings[0], scratch.a, scratch.by_row
    tolerance = 0.0 if settings.near_change > 0.0 else settings.closed  # S⁻¹ amplifies what is left near a change point
    moved, open_ = 0.0, position_gap(space, model, state, scratch, t, y, GRADIENTS)
    statistics.position_before = larger(statistics.position_before, open_)
    ratio = space.factor(model, state, scratch)
    if not ratio > 0.0:
        return (REFUSED, ratio)
    if gently == GENTLE and settings.avoidable < 0.0 and too_near(state, ratio):
        tolerance = GROSS
    for _ in range(8):
        if open_ <= tolerance:
            break
        for r in range(model.all_rows):
            x[r] = -x[r]
        space.correct(model, state, scratch)
        moved += scaled_size(model, a)
        if not moved < 0.1:
            return (REFUSED, ratio)
        space.displace(model, y, a[:n], 1.0, y)
        before, open_ = open_, position_gap(space, model, state, scratch, t, y, NO_GRADIENTS)
        if open_ > 0.1 * before and open_ > tolerance:
            if open_ < 1e-12:  # round-off
                break
            space.rows_at_pose(model, state, scratch, t, NO_VALUES, GRADIENTS)
            space.factor(model, state, scratch)
    if not open_ < GROSS:
        return (REFUSED, ratio)
    if moved > 0.0:
        space.rows_at_pose(model, state, scratch, t, NO_VALUES, GRADIENTS)
    change, open_v, unit = 0.0, velocity_gap(space, model, state, scratch, t, v), 1.0 / settings.second
    statistics.velocity_before = larger(statistics.velocity_before, open_v)
    for _ in range(4):
        if open_v <= tolerance * unit:
            break
        space.correct(model, state, scratch)
        change += scaled_size(model, a)
        for c in range(n):
            v[c] += a[c]
        before, open_v = open_v, velocity_gap(space, model, state, scratch, t, v)
        if open_v > 0.1 * before and open_v < 1e-12 * (unit + scaled_size(model, v)):
            break
    statistics.position_after = larger(statistics.position_after, open_)
    statistics.velocity_after = larger(statistics.velocity_after, open_v)
    return (MOVED if moved + change / unit > settings.noticeable else UNMOVED, ratio)


@inlined
def evaluate(space, model, state, scratch, t, y):
    """Write Φ_q, γ and the factors of S at y; return the smallest pivot ratio, ≤ 0 where there is no solution."""
    space.set_state(model, state, scratch, t, y, NO_BODIES)
    space.rows_at_state(model, state, scratch, t)
    return space.factor(model, state, scratch)


@inner_kernel
def _evaluate_closed(space, model, state, scratch, t, y):
    """Evaluate at the state nearest to y that satisfies the constraints."""
    s, z = state.statistics[0], scratch.point
    for c in range(z.size):
        z[c] = y[c]
    kept = (s.position_before, s.velocity_before, s.position_after, s.velocity_after)  # those of stages do not count
    space.normalize(model, z)
    project(space, model, state, scratch, t, z, WHOLE)
    s.position_before, s.velocity_before, s.position_after, s.velocity_after = kept
    return evaluate(space, model, state, scratch, t, z)


@inner_kernel
def bridge(space, model, state, scratch, t, y):
    """Write v̇ at a state too near a change point, from regular states before and behind it; return the power.

    The motion is smooth there, only its equations are not: v̇ is the polynomial through six states along the line
    q ⊕ τ v, at equal distances on both sides.
    """
    nq, n = space.sizes(model)
    settings, at, total = state.settings[0], scratch.support, scratch.support_sum
    kept, power = settings.near_change, 0.0
    settings.near_change = 1.0
    stride, lowest = STRIDE / scaled_size(model, y[nq:]), 0.0
    for attempt in range(3):  # a support that lies at the change point itself is no use: wider ones then
        if attempt > 0 and not too_near(state, lowest):
            break
        lowest, power = math.inf, 0.0
        for c in range(n):
            total[c] = 0.0
        for k in range(-3, 4):
            if k == 0:
                continue
            weight, tau = (0.75, -0.3, 0.05)[abs(k) - 1], stride * k
            space.displace(model, y, y[nq:], tau, at[:nq])
            for c in range(n):
                at[nq + c] = y[nq + c]
            lowest = min(lowest, _evaluate_closed(space, model, state, scratch, t + tau, at))
            power += weight * space.applied(model, state, scratch, t + tau)
            space.solve(model, state, scratch)
            power += weight * space.driving_power(model, state, scratch, t + tau)
            for c in range(n):
                total[c] += weight * scratch.a[c]
        stride *= 1.7
    settings.near_change = kept
    space.set_state(model, state, scratch, t, y, BODIES)
    for c in range(n):
        scratch.a[c] = total[c]
    return power


@inlined
def accelerate(space, model, state, scratch, t, y):
    """Write v̇ and λ at (t, y); return (whether there is a solution, power).

    Near a change point S⁻¹ amplifies the distance of a stage from the constraints; on steps that begin near one the equations
    are therefore evaluated at the nearest state that satisfies them.
    """
    if state.settings[0].near_change == 0.0:
        ratio = evaluate(space, model, state, scratch, t, y)
    else:
        ratio = _evaluate_closed(space, model, state, scratch, t, y)
    if not ratio > 0.0:
        return (False, 0.0)
    if too_near(state, ratio) and scaled_size(model, y[space.sizes(model)[0] :]) > 0.0:
        return (True, bridge(space, model, state, scratch, t, y))
    power = space.applied(model, state, scratch, t)
    space.solve(model, state, scratch)
    return (True, power + space.driving_power(model, state, scratch, t))


@inner_kernel
def _locked(settings, h):
    """Return whether the motion stays at a change point, at the end of a step there; h: its length.

    A crossing takes few steps or many, as short as the user likes them. What locks is reached in steps that become ever
    shorter: it is judged by the time that a number of steps make beside the longest one near by.
    """
    settings.stuck += 1.0
    settings.stuck_time += h
    if settings.stuck < PATIENCE:
        return False
    mean = settings.stuck_time / settings.stuck
    settings.stuck, settings.stuck_time = 0.0, 0.0
    return mean < CREEPING * settings.longest


@inlined
def stops(rough):
    """Return whether what :func:`note_ratio` says is an answer of the acceptance."""
    return rough != 0 and rough != ROUGH


@inner_kernel
def note_ratio(space, model, state, scratch, t, ratio):
    """Keep the smallest pivot ratio met, and the largest as the regular one.

    Returns
    -------
    int
        0, ROUGH where a change point is near, or what the acceptance says instead, which the step does not pass then:
        OTHER_ROWS where rows that were left out may serve better, ELSEWHERE where the change point is so near that the step
        had better end elsewhere, LOCKED where the motion does not get away from it.
    """
    statistics, settings = state.statistics[0], state.settings[0]
    space.remember(model, state, scratch)
    if settings.other_rows > 0.0 and ratio < NEAR * settings.regular_ratio:
        return OTHER_ROWS
    if settings.other_rows == 0.0 and ratio > SOUND * settings.regular_ratio:
        settings.other_rows = 1.0
    if too_near(state, ratio) and settings.avoided < settings.avoidable:
        settings.avoided += 1.0
        return ELSEWHERE
    h = abs(t - settings.last_time)
    settings.last_time = t
    statistics.lowest_ratio = min(statistics.lowest_ratio, ratio)
    settings.regular_ratio = max(settings.regular_ratio, ratio)
    near = ratio < NEAR * settings.regular_ratio
    settings.near_change = 1.0 if near else 0.0
    if not near:
        settings.avoided, settings.lingering = 0.0, 0.0
        settings.stuck, settings.stuck_time, settings.longest = 0.0, 0.0, 0.0
        return 0
    settings.lingering += 1.0
    settings.longest = max(settings.longest, h)
    if too_near(state, ratio) and settings.avoidable != 0.0 and _locked(settings, h):
        return LOCKED
    return ROUGH if settings.lingering < 40.0 or settings.avoidable < 0.0 else 0


@inner_kernel
def turned_too_far(space, model, state, scratch, t, y):
    """Return whether a counted angle moved by more than a quarter turn; the poses become those of y, or stay what they were."""
    if space.turned(model, state, y):
        return True
    if model.planar:  # angles in the plane count themselves
        return False
    space.set_poses(model, state, scratch, t, y)
    return largest_turn(model, state, scratch, model.function_count) > 0.5 * math.pi


@inner_kernel
def settle_references(space, model, state, scratch, t, y):
    """Write the poses of y and move the angle references to them."""
    space.settled(state, y)
    if not model.planar:
        space.set_poses(model, state, scratch, t, y)
        set_references(model, state, scratch, model.function_count)


@inner_kernel
def accept_projected(space, model, state, scratch, t, y):
    """Bring an accepted state onto the constraints, note how near a change point it is; return what the integrator is told."""
    outcome, ratio = project(space, model, state, scratch, t, y, GENTLE)
    if outcome == REFUSED:
        return outcome
    rough = note_ratio(space, model, state, scratch, t, ratio)
    if stops(rough):
        return rough
    settle_references(space, model, state, scratch, t, y)
    return outcome + rough
