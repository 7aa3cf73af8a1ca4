"""Zeros of watched values in a step that is stored with its dense output: whether there is one, and when."""

from __future__ import annotations

import math

from numba import types

from multibody.integrators.driver import changed
from multibody.kernels.calls import call, call_interpolant
from multibody.kernels.compile import inner_kernel, kernel

ROUNDING = 1e-10  # a value at the start that is smaller than so much of the one behind the first step is zero
HALVINGS = 200
EVENT, SWITCH = 1, 0  # what is watched
ZEROS = types.none(
    types.UniTuple(types.int64, 2), types.UniTuple(types.int64, 3), types.float64[:, ::1], types.UniTuple(types.float64, 4),
    types.float64[:, ::1], types.int64[::1], types.int64, *(types.float64[::1],) * 6,
)  # fmt: skip


@inner_kernel
def between(iteration, low, high, a, b):
    """Return where a zero is looked for next, parts of the step: by false position, with a halving every third time."""
    middle = 0.5 * (low + high)
    if iteration % 3 != 0 and a != b:
        middle = min(max(low + (high - low) * a / (a - b), low + 0.01 * (high - low)), high - 0.01 * (high - low))
    return middle


@inner_kernel
def resolved(middle, low, high, start, h):
    """Return whether a zero between two parts of a step is known to the resolution of time."""
    return middle in (low, high) or high - low < 1e-15 or abs(h) * (high - low) < 4e-16 * max(abs(start), abs(h))


@inner_kernel
def _sign(x):
    """Return 1, −1 or 0."""
    return 1 if x > 0.0 else -1 if x < 0.0 else 0


@inner_kernel
def watch_step(calls, run, row, t0, h, t, y, out):
    """Write watched values at a time on the polynomial of a step whose angle references are set."""
    interpolate, monitor = calls
    call_interpolant(interpolate, row, t0, h, t, y)
    call(monitor, run, t, y, out)


@kernel
def zeros_in_step(calls, run, row, times, g, kinds, steps, ref, own, kept, y, out, distances):
    """Write how far from the start of a step each watched value is zero, NaN where it is not.

    Parameters
    ----------
    calls : addresses
        Dense output of the integrator, and the watched values.
    run : addresses
        The blocks.
    row : array
        Dense output of the step.
    times : tuple of float
        Start and length of the step; between which two times it is looked.
    g : array (2 or more, watches)
        Watched values at these two times.
    kinds : array of int (watches,)
        EVENT or SWITCH.
    steps : int
        Made so far: in the first one an event that begins at zero does not come to it.
    ref, own, kept : arrays
        The angle references, which are left as they are; those at the start of the step; room for them.
    y, out : arrays
        Room.
    distances : array (watches,), written
    """
    t0, h, start, end = times
    _exchange(ref, own, kept)
    for k in range(kinds.shape[0]):
        distances[k], a, b = math.nan, g[0, k], g[1, k]
        begins = steps == 1 and kinds[k] == EVENT and abs(a) <= ROUNDING * abs(b)
        if not changed(a, b) or begins:
            continue
        low, high, sign = 0.0, 1.0, _sign(a)
        for iteration in range(HALVINGS):
            middle = between(iteration, low, high, a, b)
            if resolved(middle, low, high, start, end - start):
                break
            watch_step(calls, run, row, t0, h, start + middle * (end - start), y, out)
            if _sign(out[k]) == sign:
                low, a = middle, out[k]
            else:
                high, b = middle, out[k]
        distances[k] = abs(start + high * (end - start) - t0)
    for i in range(ref.shape[0]):
        ref[i] = kept[i]


@inner_kernel
def _exchange(ref, own, kept):
    """Set angle references to those of a step; the present ones are kept."""
    for i in range(ref.shape[0]):
        kept[i] = ref[i]
        ref[i] = own[i]
