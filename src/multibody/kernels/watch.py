"""Watched expressions: events and the points where force laws may jump, at a state that an integrator hands over."""

from __future__ import annotations

from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.forces import program_value, set_inputs
from multibody.kernels.state import set_positions, set_velocities


@inner_kernel
def watched_values(model, state, scratch, t, out):
    """Write the values of all watched expressions at the poses and twists."""
    for n in range(model.watches.size):
        watch = model.watches[n]
        set_inputs(model, state, scratch, t, watch.first_input, watch.inputs)
        out[n] = program_value(model, scratch, watch.program)


@kernel
def monitor(model, state, scratch, t, y, out):
    """Write the values of all watched expressions at y = (q, v, …); return 0."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    nq, nv = model.coordinates, model.velocities
    set_positions(model, scratch, y[:nq])
    set_velocities(model, scratch, y[nq : nq + nv])
    watched_values(model, state, scratch, t, out)
    return 0
