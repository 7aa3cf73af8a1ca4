"""Index 1 with projection: M v̇ + Φ_qᵀ λ = Q, Φ_q v̇ = γ; positions and velocities are projected at accepted steps."""

from __future__ import annotations

from multibody.formulations.cartesian import (
    ELSEWHERE,
    LOCKED,
    REFUSED,
    accelerate,
    normalize,
    note_ratio,
    project,
    settle_references,
    turned_too_far,
    write_rates,
)
from multibody.kernels.compile import kernel


@kernel
def rhs_augmented(I, F, W, ref, t, y, dy):
    """Write ẏ at (t, y); return 0, or 1 where the equations cannot be solved."""
    solvable, power = accelerate(I, F, W, ref, t, y)
    if not solvable:
        return 1
    write_rates(I, W, y, power, dy)
    return 0


@kernel
def accept_augmented(I, F, W, ref, t, y, active):
    """Project an accepted state onto the constraints and move the angle references."""
    normalize(I, y)
    if turned_too_far(I, F, W, ref, y):
        return REFUSED
    outcome, ratio = project(I, F, W, ref, t, y)
    if outcome == REFUSED:
        return outcome
    rough = note_ratio(I, W, ratio)
    if rough < 0:
        return ELSEWHERE if rough == -1 else LOCKED
    settle_references(I, F, W, ref, y)
    return outcome + rough
