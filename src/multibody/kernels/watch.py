"""Watched expressions: events and the points where force laws may jump, at a state that an integrator hands over."""

from __future__ import annotations

from multibody.kernels import layout as L
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.forces import program_value, set_inputs
from multibody.kernels.state import set_positions, set_velocities


@inner_kernel
def watched_values(model, state, scratch, t, out):
    """Write the values of all watched expressions at the poses and twists in W."""
    I = model.I
    for n in range(I[L.WATCH_COUNT]):
        watch = I[L.WATCHES] + L.WATCH_STRIDE * n
        set_inputs(model, state, scratch, t, I[watch + 1], I[watch + 2])
        out[n] = program_value(model, scratch, watch)


@kernel
def monitor(model, state, scratch, t, y, out):
    """Write the values of all watched expressions at y = (q, v, …); return 0."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I = model.I
    nq, nv = I[L.COORDINATES], I[L.VELOCITIES]
    set_positions(model, scratch, y[:nq])
    set_velocities(model, scratch, y[nq : nq + nv])
    watched_values(model, state, scratch, t, out)
    return 0
