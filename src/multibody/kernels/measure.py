"""Coordinates along a whole motion, in one compiled loop."""

from __future__ import annotations

from multibody.kernels.compile import kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.functions import function_gamma, function_gradient, function_rate, function_value
from multibody.kernels.state import set_positions, set_velocities


@kernel
def measure_functions(model, state, scratch, Q, V, A, R, which, values, rates, accelerations):
    """Write value, rate and acceleration of the functions `which` at every instant; angles count their turns.

    Parameters
    ----------
    Q, V, A : arrays (instants, ·)
    R : array (instants, functions or 0)
        Angle references of every instant; without columns turns are counted from one instant to the next.
    which : array of int
    values, rates, accelerations : arrays (instants, functions), written
    """
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    ref, g = state.ref, scratch.gradient
    for k in range(Q.shape[0]):
        set_positions(model, scratch, Q[k])
        set_velocities(model, scratch, V[k])
        for c in range(which.shape[0]):
            f = which[c]
            if f < R.shape[1]:
                ref[f] = R[k, f]
            values[k, c] = function_value(model, state, scratch, f)
            ref[f] = values[k, c]
            function_gradient(model, scratch, f, g)
            rates[k, c] = function_rate(model, scratch, f, g)
            accelerations[k, c] = -function_gamma(model, scratch, f)
        for c in range(model.velocities):
            scratch.velocity[model.width + c] = A[k, c]
        for c in range(which.shape[0]):
            function_gradient(model, scratch, which[c], g)
            accelerations[k, c] += function_rate(model, scratch, which[c], g)
