"""Coordinates and constraint violations along a whole motion, one compiled loop each."""

from __future__ import annotations

from multibody.kernels import layout as L
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.functions import dot_gradient, function_gamma, function_gradient, function_value
from multibody.kernels.rows import row_gamma, row_jacobian, row_values, row_velocity
from multibody.kernels.state import set_positions, set_velocities


@kernel
def measure_functions(I, F, W, ref, Q, V, A, which, values, rates, accelerations):
    """Write value, rate and acceleration of the functions `which` at every instant; angles count their turns.

    Parameters
    ----------
    Q, V, A : arrays (instants, ·)
    which : array of int
    values, rates, accelerations : arrays (instants, functions), written
    """
    width = 3 if I[L.DIMENSION] == 2 else 6
    g, plain = I[L.W_GRADIENT], I[L.W_VELOCITY]
    for k in range(Q.shape[0]):
        set_positions(I, W, Q[k])
        set_velocities(I, W, V[k])
        for c in range(which.shape[0]):
            f = which[c]
            values[k, c] = function_value(I, F, W, ref, f)
            ref[f] = values[k, c]
            function_gradient(I, F, W, f, g)
            rates[k, c] = dot_gradient(I, W, f, g, plain)
            accelerations[k, c] = -function_gamma(I, F, W, f)
        for c in range(I[L.VELOCITIES]):
            W[plain + width + c] = A[k, c]
        for c in range(which.shape[0]):
            function_gradient(I, F, W, which[c], g)
            accelerations[k, c] += dot_gradient(I, W, which[c], g, plain)


@kernel
def violations(I, F, W, ref, nf, times, Q, V, A, m, values, J, worst):
    """Write the largest violation over all instants of each row at position, velocity and acceleration level.

    Parameters
    ----------
    worst : array (3, m), written
        In the unit of each row.
    """
    for r in range(m):
        worst[0, r] = worst[1, r] = worst[2, r] = 0.0
    for k in range(Q.shape[0]):
        set_positions(I, W, Q[k])
        set_velocities(I, W, V[k])
        if I[L.DIMENSION] == 3:
            for f in range(nf):
                ref[f] = function_value(I, F, W, ref, f)
        row_values(I, F, W, ref, times[k], 0, m, values)
        for r in range(m):
            worst[0, r] = max(worst[0, r], abs(values[r]))
        row_jacobian(I, F, W, ref, times[k], 0, m, J)
        row_velocity(I, F, W, ref, times[k], 0, m, values)
        _compare(I, J, V[k], m, values, worst[1])
        row_gamma(I, F, W, ref, times[k], 0, m, values)
        _compare(I, J, A[k], m, values, worst[2])


@inner_kernel
def _compare(I, J, x, m, side, worst):
    """Raise worst to |J x − side| row by row."""
    for r in range(m):
        row = I[L.ROWS] + L.ROW_STRIDE * r
        total = -side[r]
        for e in range(I[row + 3]):
            total += J[I[row + 2] + e] * x[I[I[L.COLUMNS] + I[row + 2] + e]]
        if not abs(total) <= worst[r]:
            worst[r] = abs(total)
