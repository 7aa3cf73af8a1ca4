"""Constraint stabilization (Baumgarte): Φ̈ + 2α Φ̇ + β² Φ = 0 in place of Φ̈ = 0; accepted steps are not projected.

Park, Yoo, Hwang, Bae 1997, the method they call CS: γ̄ = γ − 2α Φ̇ − β² Φ.
"""

from __future__ import annotations

from multibody.formulations.cartesian import (
    ELSEWHERE,
    LOCKED,
    REFUSED,
    UNMOVED,
    accelerate,
    applied,
    bridge,
    driving_power,
    evaluate,
    jacobian,
    normalize,
    note_ratio,
    position_gap,
    project,
    raise_to,
    scaled_size,
    settle_references,
    too_near,
    turned_too_far,
    velocity_gap,
    write_rates,
)
from multibody.kernels import layout as L
from multibody.kernels import sections as R
from multibody.kernels.compile import kernel
from multibody.kernels.kkt import factor, solve
from multibody.kernels.rows import row_values


@kernel
def rhs_baumgarte(I, F, W, ref, t, y, dy):
    """Write ẏ at (t, y); return 0, or 1 where the equations cannot be solved."""
    m, x, b, settings = I[R.ALL_COUNT], I[R.W_X], I[R.W_FEEDBACK], I[R.W_SETTINGS]
    alpha, beta = W[settings + R.ALPHA], W[settings + R.BETA]
    if W[settings + R.NEAR_CHANGE] > 0.0:  # near a change point states are closed, and nothing is to be fed back
        solvable, power = accelerate(I, F, W, ref, t, y)
        if not solvable:
            return 1
        write_rates(I, W, y, power, dy)
        return 0
    ratio = evaluate(I, F, W, ref, t, y)
    if not ratio > 0.0:
        return 1
    if too_near(I, W, ratio) and scaled_size(I, W, I[L.W_VELOCITY] + (3 if I[L.DIMENSION] == 2 else 6)) > 0.0:
        write_rates(I, W, y, bridge(I, F, W, ref, t, y), dy)
        return 0
    for r in range(m):
        W[b + r] = W[x + r]
    velocity_gap(I, F, W, ref, t, y[I[L.COORDINATES] :])  # −Φ̇
    for r in range(m):
        W[b + r] += 2.0 * alpha * W[x + r]
    row_values(I, F, W, ref, t, 0, m, W[x:])
    for r in range(m):
        W[x + r] = W[b + r] - beta * beta * W[x + r]
    power = applied(I, F, W, ref, t)
    solve(I, W)
    write_rates(I, W, y, power + driving_power(I, F, W, ref, t), dy)
    return 0


@kernel
def accept_baumgarte(I, F, W, ref, t, y, active):
    """Normalize quaternions, note how far the constraints are open, and move the angle references."""
    s = I[R.W_STATISTICS]
    normalize(I, y)
    if turned_too_far(I, F, W, ref, y):
        return REFUSED
    open_ = position_gap(I, F, W, ref, t, y)
    jacobian(I, F, W, ref, t)
    open_v = velocity_gap(I, F, W, ref, t, y[I[L.COORDINATES] :])
    rough = note_ratio(I, W, factor(I, W))
    if rough < 0:
        return ELSEWHERE if rough == -1 else LOCKED
    if rough > 0:  # feedback alone cannot hold a branch across a change point
        outcome = project(I, F, W, ref, t, y)[0]
        if outcome == REFUSED:
            return outcome
        settle_references(I, F, W, ref, y)
        return outcome + rough
    raise_to(W, s + R.POSITION_BEFORE, open_)
    raise_to(W, s + R.VELOCITY_BEFORE, open_v)
    raise_to(W, s + R.POSITION_AFTER, open_)
    raise_to(W, s + R.VELOCITY_AFTER, open_v)
    settle_references(I, F, W, ref, y)
    return UNMOVED
