"""States between steps: the dense output of many steps read at many instants in one call."""

from __future__ import annotations

from multibody.kernels.calls import call_interpolant
from multibody.kernels.compile import kernel


@kernel
def read_dense(interpolate, steps, records, index, times, Y):
    """Write the states at all times.

    Parameters
    ----------
    interpolate : address
        Of what reads the dense output of one step (``calls.INTERPOLATE``).
    steps, records : arrays (steps, 2), (steps, ·, n)
        Start and length of each step, and its dense output.
    index : array of int
        Step of each time.
    times : array
    Y : array (times, n), written
    """
    for k in range(times.shape[0]):
        i = index[k]
        call_interpolant(interpolate, records[i], steps[i, 0], steps[i, 1], times[k], Y[k])
