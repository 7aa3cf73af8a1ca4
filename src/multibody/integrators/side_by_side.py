"""Many members of one model, each stepped by the classical Runge–Kutta method, in one call.

Members share the model's tables and have their own state, time and inputs. What lives from step to step beside the state
(angle references, what is remembered of change points and of the tree) is put into the blocks before a member is stepped, and
taken out again: a member moves as if it were alone.
"""

from __future__ import annotations

from multibody.integrators import contract as at
from multibody.integrators.driver import advance_by
from multibody.integrators.rk4 import RK4
from multibody.kernels.compile import inner_kernel, kernel

_STEPS = 1 << 40  # of one member in one call: no limit


@inner_kernel
def _exchange(kept, row, ref, settings, accepted, row_size, put):
    """Put a row of `kept` into the blocks (put = 1), or take it out of them."""
    k = 0
    for part in (ref, settings, accepted, row_size):
        for i in range(part.shape[0]):
            if put == 1:
                part[i] = kept[row, k]
            else:
                kept[row, k] = part[i]
            k += 1


@kernel
def advance_members(
    rhs, accept, run, ref, settings, accepted, row_size, numbers, slots, inputs, going, ends, control, counts, atol, active,
    memory, g, steps, dense, refs, times, Y, kept, statuses, codes,
):  # fmt: skip
    """Step members to the ends of their steps, with their inputs held.

    Parameters
    ----------
    rhs, accept : addresses
    run : addresses of the blocks
    ref, settings, accepted, row_size : arrays of the blocks
        What a member has of its own beside y.
    numbers, slots : arrays
        Numbers of the model, and where the inputs stand among them.
    inputs : array (members, slots)
    going : array (members,) of int
        1: the member is stepped, 0: it is left alone.
    ends : array (members,)
        Times to be reached.
    control, counts, atol, active, memory, g, steps, dense, refs
        Of the integrator, see its contract; its step is in control.
    times, Y, kept : arrays (members,), (members, n), (members, kept), changed
    statuses, codes : arrays (members,) of int, written where a member is stepped
        DONE, or why it stopped before the end, and what the acceptance or f said; its state is the last one that was accepted.
    """
    for b in range(Y.shape[0]):
        if going[b] == 0:
            continue
        _exchange(kept, b, ref, settings, accepted, row_size, 1)
        for k in range(slots.shape[0]):
            numbers[slots[k]] = inputs[b, k]
        control[at.T] = times[b]
        control[at.END] = ends[b]
        counts[at.FRESH] = 1
        counts[at.STORED] = 0
        counts[at.LIMIT] = _STEPS
        statuses[b] = advance_by(
            RK4, rhs, accept, 0, run, ref, control, counts, Y[b], atol, active, memory, g, steps, dense, refs, None
        )
        times[b], codes[b] = control[at.T], counts[at.CODE]
        _exchange(kept, b, ref, settings, accepted, row_size, 0)
