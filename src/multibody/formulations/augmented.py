"""Index 1 with projection: M v̇ + Φ_qᵀ λ = Q, Φ_q v̇ = γ; positions and velocities are projected at accepted steps."""

from __future__ import annotations

from multibody.formulations.cartesian import CARTESIAN
from multibody.formulations.closing import accelerate, accept_projected, tidy, turned_too_far
from multibody.kernels.acceptance import REFUSED
from multibody.kernels.compile import inlined, inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at


@inlined
def rates_augmented(space, model, state, scratch, t, y, dy):
    """Write ẏ at (t, y); return 0, or 1 where the equations cannot be solved."""
    solvable, power = accelerate(space, model, state, scratch, t, y)
    if not solvable:
        return 1
    space.write_rates(model, scratch, y, power, dy)
    return 0


@inner_kernel
def close_augmented(space, model, state, scratch, t, y):
    """Project an accepted state onto the constraints and move the angle references."""
    tidy(space, model, y)
    if turned_too_far(space, model, state, scratch, t, y):
        return REFUSED
    return accept_projected(space, model, state, scratch, t, y)


@kernel
def rhs_augmented(model, state, scratch, t, y, dy):
    """Write ẏ in Cartesian coordinates."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    return rates_augmented(CARTESIAN, model, state, scratch, t, y, dy)


@kernel
def accept_augmented(model, state, scratch, t, y, active):
    """Accept a state in Cartesian coordinates."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    return close_augmented(CARTESIAN, model, state, scratch, t, y)
