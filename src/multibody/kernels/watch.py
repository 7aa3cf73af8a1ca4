"""Watched expressions: events and the points where force laws may jump, at a state that an integrator hands over."""

from __future__ import annotations

from multibody.kernels import layout as L
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.forces import program_value, set_inputs
from multibody.kernels.state import set_positions, set_velocities


@inner_kernel
def watched_values(I, F, W, ref, t, out):
    """Write the values of all watched expressions at the poses and twists in W."""
    for n in range(I[L.WATCH_COUNT]):
        watch = I[L.WATCHES] + L.WATCH_STRIDE * n
        set_inputs(I, F, W, ref, t, I[watch + 1], I[watch + 2])
        out[n] = program_value(I, F, W, watch)


@kernel
def monitor(I, F, W, ref, t, y, out):
    """Write the values of all watched expressions at y = (q, v, …); return 0."""
    nq, nv = I[L.COORDINATES], I[L.VELOCITIES]
    set_positions(I, W, y[:nq])
    set_velocities(I, W, y[nq : nq + nv])
    watched_values(I, F, W, ref, t, out)
    return 0
