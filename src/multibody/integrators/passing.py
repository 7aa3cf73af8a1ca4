"""How a member goes on where watched values change their signs: events are noted, behind a switch it begins anew.

What ``analyses/dynamics/step_events.py`` does for a simulation, on the blocks of a member, for what can be passed without
asking Python.
"""

from __future__ import annotations

import math

from multibody.integrators import contract as at
from multibody.integrators.zeros import EVENT, SWITCH, ZEROS, watch_step
from multibody.kernels.calls import call, call_interpolant, entering
from multibody.kernels.compile import inner_kernel

MOST = 200  # events and switches of a member; where there are more, headway is to be watched
GO_ON, ENDED, LEFT = 0, 1, 2  # what comes of it
STAGE = 2  # row of watched values in which methods with a fixed step put those of their last stage
_zeros = entering(ZEROS)


@inner_kernel
def pass_zeros(calls, first_step, run, control, counts, y, active, g, steps, dense, refs, ref, accepted, watched, room, found):
    """Record the events in the last stored step of a member; cut it at a switch or a terminal event.

    Parameters
    ----------
    calls : addresses
        ``zeros_in_step``, dense output, watched values, acceptance.
    first_step : float
        Length of the step with which the integrator begins anew.
    run, control, counts, y, active, g
        Of the integrator.
    steps, dense, refs : arrays (rows, ·)
        Its stored steps.
    ref : array
        The angle references.
    accepted : array
        What a spanning tree remembers of the last accepted state: forgotten where a step is cut.
    watched : tuple of arrays (watches,)
        EVENT or SWITCH; 1 and −1 for zeros passed upwards and downwards alone; 1 where they end the run.
    room : tuple of arrays
        For references, a state, watched values, distances.
    found : tuple of arrays (rows, 2), (2,), (1,), changed
        The number of an event and its time; how many zeros and how many events there were; the time at which one ended the run.

    Returns
    -------
    int
        GO_ON, ENDED, or LEFT where there are too many zeros.
    """
    zeros, interpolate, monitor, accept = calls
    (kinds, directions, terminal), (kept, z, out, distances), (events, tally, end) = watched, room, found
    if tally[0] >= MOST:
        return LEFT
    last = counts[at.STORED] - 1
    t0, h, own, row = steps[last, 0], steps[last, 1], refs[last], dense[last]
    _zeros(
        zeros,
        ((interpolate, monitor), run, row, (t0, h, t0, t0 + h), g, kinds, counts[at.STEPS], ref, own, kept, z, out, distances),
    )
    while True:
        k = _nearest(distances)
        if k < 0:
            return GO_ON
        time, rises = t0 + math.copysign(distances[k], h), g[1, k] > g[0, k]
        distances[k] = math.nan
        if (directions[k] > 0 and not rises) or (directions[k] < 0 and rises):
            continue
        if kinds[k] == EVENT:
            _set(ref, own, kept)
            watch_step((interpolate, monitor), run, row, t0, h, time, z, out)
            _set(ref, kept, kept)
            if not abs(out[k]) <= max(abs(g[0, k]), abs(g[1, k])):  # a pole, which is no zero
                continue
            events[tally[1], 0], events[tally[1], 1] = k, time
            tally[1] += 1
        tally[0] += 1
        if terminal[k] == 1 or kinds[k] == SWITCH:
            call_interpolant(interpolate, row, t0, h, time, z)
            cut(accept, first_step, run, control, counts, y, active, g, ref, accepted, time, z, own)
            if terminal[k] == 1:
                end[0] = time
                return ENDED
            return GO_ON


@inner_kernel
def _nearest(distances):
    """Return the watch whose zero comes first, −1 where there is none any more."""
    found, least = -1, math.inf
    for k in range(distances.shape[0]):
        if distances[k] < least:
            found, least = k, distances[k]
    return found


@inner_kernel
def _set(ref, values, kept):
    """Set angle references; the present ones are kept, unless it is these that are set."""
    for i in range(ref.shape[0]):
        before = ref[i]
        ref[i] = values[i]
        kept[i] = before


@inner_kernel
def cut(accept, first_step, run, control, counts, y, active, g, ref, accepted, t, z, own):
    """Go back to (t, z) with other references, and begin anew there, on the constraints."""
    control[at.T], control[at.H], counts[at.FRESH] = t, first_step, 1
    for i in range(y.shape[0]):
        y[i] = z[i]
    for n in range(STAGE, g.shape[0]):
        for k in range(g.shape[1]):
            g[n, k] = 0.0
    for i in range(ref.shape[0]):
        ref[i] = own[i]
    for i in range(accepted.shape[0]):
        accepted[i] = math.nan
    call(accept, run, t, y, active)
