"""Constraint stabilization (Baumgarte): Φ̈ + 2α Φ̇ + β² Φ = 0 in place of Φ̈ = 0; steps are projected near change points alone.

Park, Yoo, Hwang, Bae 1997, the method they call CS: γ̄ = γ − 2α Φ̇ − β² Φ.
"""

from __future__ import annotations

from multibody.formulations.cartesian import CARTESIAN
from multibody.formulations.closing import (
    accelerate,
    bridge,
    evaluate,
    larger,
    note_ratio,
    position_gap,
    project,
    scaled_size,
    settle_references,
    stops,
    tidy,
    too_near,
    turned_too_far,
    velocity_gap,
)
from multibody.kernels.acceptance import REFUSED, UNMOVED
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.modes import GENTLE, GRADIENTS, NO_GRADIENTS, VALUES


@inner_kernel
def rates_baumgarte(space, model, state, scratch, t, y, dy):
    """Write ẏ at (t, y); return 0, or 1 where the equations cannot be solved."""
    m, x, b, settings = model.all_rows, scratch.by_row, scratch.feedback, state.settings[0]
    alpha, beta = settings.alpha, settings.beta
    if settings.near_change > 0.0:  # near a change point states are closed, and nothing is to be fed back
        solvable, power = accelerate(space, model, state, scratch, t, y)
        if not solvable:
            return 1
        space.write_rates(model, scratch, y, power, dy)
        return 0
    ratio = evaluate(space, model, state, scratch, t, y)
    if not ratio > 0.0:
        return 1
    if too_near(state, ratio) and scaled_size(model, y[space.sizes(model)[0] :]) > 0.0:
        space.write_rates(model, scratch, y, bridge(space, model, state, scratch, t, y), dy)
        return 0
    for r in range(m):
        b[r] = x[r]
    velocity_gap(space, model, state, scratch, t, y[space.sizes(model)[0] :])  # −Φ̇
    for r in range(m):
        b[r] += 2.0 * alpha * x[r]
    space.rows_at_pose(model, state, scratch, t, VALUES, NO_GRADIENTS)
    for r in range(m):
        x[r] = b[r] - beta * beta * x[r]
    power = space.applied(model, state, scratch, t)
    space.solve(model, state, scratch)
    space.write_rates(model, scratch, y, power + space.driving_power(model, state, scratch, t), dy)
    return 0


@inner_kernel
def watch_baumgarte(space, model, state, scratch, t, y):
    """Normalize quaternions, note how far the constraints are open, and move the angle references."""
    s = state.statistics[0]
    tidy(space, model, y)
    if turned_too_far(space, model, state, scratch, t, y):
        return REFUSED
    open_ = position_gap(space, model, state, scratch, t, y, GRADIENTS)
    open_v = velocity_gap(space, model, state, scratch, t, y[space.sizes(model)[0] :])
    rough = note_ratio(space, model, state, scratch, t, space.factor(model, state, scratch))
    if stops(rough):
        return rough
    if rough > 0:  # feedback alone cannot hold a branch across a change point
        outcome = project(space, model, state, scratch, t, y, GENTLE)[0]
        if outcome == REFUSED:
            return outcome
        settle_references(space, model, state, scratch, t, y)
        return outcome + rough
    s.position_before, s.velocity_before = larger(s.position_before, open_), larger(s.velocity_before, open_v)
    s.position_after, s.velocity_after = larger(s.position_after, open_), larger(s.velocity_after, open_v)
    settle_references(space, model, state, scratch, t, y)
    return UNMOVED


@kernel
def rhs_baumgarte(model, state, scratch, t, y, dy):
    """Write ẏ in Cartesian coordinates."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    return rates_baumgarte(CARTESIAN, model, state, scratch, t, y, dy)


@kernel
def accept_baumgarte(model, state, scratch, t, y, active):
    """Accept a state in Cartesian coordinates."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    return watch_baumgarte(CARTESIAN, model, state, scratch, t, y)
