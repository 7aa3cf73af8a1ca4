"""Index 1 with projection: M v̇ + Φ_qᵀ λ = Q, Φ_q v̇ = γ; positions and velocities are projected at accepted steps."""

from __future__ import annotations

from multibody.formulations.closing import (
    ELSEWHERE,
    LOCKED,
    REFUSED,
    accelerate,
    note_ratio,
    project,
    settle_references,
    tidy,
    turned_too_far,
)
from multibody.formulations.space import write_rates
from multibody.kernels.compile import inlined, inner_kernel, kernel


@inlined
def rates_augmented(space, I, F, W, ref, t, y, dy):
    """Write ẏ at (t, y); return 0, or 1 where the equations cannot be solved."""
    solvable, power = accelerate(space, I, F, W, ref, t, y)
    if not solvable:
        return 1
    write_rates(space, I, W, y, power, dy)
    return 0


@inner_kernel
def close_augmented(space, I, F, W, ref, t, y):
    """Project an accepted state onto the constraints and move the angle references."""
    tidy(space, I, y)
    if turned_too_far(space, I, F, W, ref, t, y):
        return REFUSED
    outcome, ratio = project(space, I, F, W, ref, t, y, 1)
    if outcome == REFUSED:
        return outcome
    rough = note_ratio(space, I, W, t, ratio)
    if rough < 0:
        return ELSEWHERE if rough == -1 else LOCKED
    settle_references(space, I, F, W, ref, t, y)
    return outcome + rough


@kernel
def rhs_augmented(I, F, W, ref, t, y, dy):
    """Write ẏ in Cartesian coordinates."""
    return rates_augmented(None, I, F, W, ref, t, y, dy)


@kernel
def accept_augmented(I, F, W, ref, t, y, active):
    """Accept a state in Cartesian coordinates."""
    return close_augmented(None, I, F, W, ref, t, y)
