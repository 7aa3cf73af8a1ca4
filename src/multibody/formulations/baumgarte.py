"""Constraint stabilization (Baumgarte): Φ̈ + 2α Φ̇ + β² Φ = 0 in place of Φ̈ = 0; accepted steps are not projected.

Park, Yoo, Hwang, Bae 1997, the method they call CS: γ̄ = γ − 2α Φ̇ − β² Φ.
"""

from __future__ import annotations

from multibody.formulations.closing import (
    ELSEWHERE,
    LOCKED,
    REFUSED,
    UNMOVED,
    accelerate,
    bridge,
    evaluate,
    note_ratio,
    position_gap,
    project,
    raise_to,
    scaled_size,
    settle_references,
    tidy,
    too_near,
    turned_too_far,
    velocity_gap,
)
from multibody.formulations.space import (
    applied,
    driving_power,
    factor,
    rows_at_pose,
    sizes,
    solve,
    write_rates,
)
from multibody.kernels import sections as R
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at


@inner_kernel
def rates_baumgarte(space, model, state, scratch, t, y, dy):
    """Write ẏ at (t, y); return 0, or 1 where the equations cannot be solved."""
    I, W = model.I, scratch.W
    m, x, b, settings = I[R.ALL_COUNT], I[R.W_X], I[R.W_FEEDBACK], I[R.W_SETTINGS]
    alpha, beta = W[settings + R.ALPHA], W[settings + R.BETA]
    if W[settings + R.NEAR_CHANGE] > 0.0:  # near a change point states are closed, and nothing is to be fed back
        solvable, power = accelerate(space, model, state, scratch, t, y)
        if not solvable:
            return 1
        write_rates(space, model, scratch, y, power, dy)
        return 0
    ratio = evaluate(space, model, state, scratch, t, y)
    if not ratio > 0.0:
        return 1
    if too_near(model, scratch, ratio) and scaled_size(space, model, scratch, y[sizes(space, model)[0] :]) > 0.0:
        write_rates(space, model, scratch, y, bridge(space, model, state, scratch, t, y), dy)
        return 0
    for r in range(m):
        W[b + r] = W[x + r]
    velocity_gap(space, model, state, scratch, t, y[sizes(space, model)[0] :])  # −Φ̇
    for r in range(m):
        W[b + r] += 2.0 * alpha * W[x + r]
    rows_at_pose(space, model, state, scratch, t, 1, 0)
    for r in range(m):
        W[x + r] = W[b + r] - beta * beta * W[x + r]
    power = applied(space, model, state, scratch, t)
    solve(space, model, state, scratch)
    write_rates(space, model, scratch, y, power + driving_power(space, model, state, scratch, t), dy)
    return 0


@inner_kernel
def watch_baumgarte(space, model, state, scratch, t, y):
    """Normalize quaternions, note how far the constraints are open, and move the angle references."""
    I, W = model.I, scratch.W
    s = I[R.W_STATISTICS]
    tidy(space, model, y)
    if turned_too_far(space, model, state, scratch, t, y):
        return REFUSED
    open_ = position_gap(space, model, state, scratch, t, y, 1)
    open_v = velocity_gap(space, model, state, scratch, t, y[sizes(space, model)[0] :])
    rough = note_ratio(space, model, scratch, t, factor(space, model, state, scratch))
    if rough < 0:
        return ELSEWHERE if rough == -1 else LOCKED
    if rough > 0:  # feedback alone cannot hold a branch across a change point
        outcome = project(space, model, state, scratch, t, y, 1)[0]
        if outcome == REFUSED:
            return outcome
        settle_references(space, model, state, scratch, t, y)
        return outcome + rough
    raise_to(W, s + R.POSITION_BEFORE, open_)
    raise_to(W, s + R.VELOCITY_BEFORE, open_v)
    raise_to(W, s + R.POSITION_AFTER, open_)
    raise_to(W, s + R.VELOCITY_AFTER, open_v)
    settle_references(space, model, state, scratch, t, y)
    return UNMOVED


@kernel
def rhs_baumgarte(model, state, scratch, t, y, dy):
    """Write ẏ in Cartesian coordinates."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    return rates_baumgarte(None, model, state, scratch, t, y, dy)


@kernel
def accept_baumgarte(model, state, scratch, t, y, active):
    """Accept a state in Cartesian coordinates."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    return watch_baumgarte(None, model, state, scratch, t, y)
