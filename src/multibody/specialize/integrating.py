"""The integrators of every run for one member, from instant to instant, as kernels whose equations are joined to them later.

Nothing is integrated here: ``advance_dop853`` and its like are asked for one step after the other, and their dense output for
the states at the instants in it. A member that an integrator gives up stops, and says where.
"""

from __future__ import annotations

from dataclasses import dataclass

from numba import types

from multibody.integrators import contract as at
from multibody.integrators.alpha import advance_alpha, interpolate_alpha
from multibody.integrators.dop853 import advance_dop853, interpolate_dop853
from multibody.integrators.driver import SPARE
from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.objects import Kernel, KernelObject
from multibody.specialize.stepping import REASONS, REFUSED

MOST = 1_000_000  # steps of a member; one that needs more is left to the ordinary way, which can be interrupted


@dataclass(frozen=True, eq=False, kw_only=True)
class Way(KernelObject):
    """What is asked of an integrator.

    Attributes
    ----------
    advance : (equations, accept, run, ref, control, counts, y, atol, active, memory, g, steps, dense, refs, work)
        Go on as the contract says.
    interpolate : (row, t0, h, t, out)
        Read the dense output of a step.
    """

    advance: Kernel
    interpolate: Kernel


@inlined
def _advance_dop853(rhs, accept, run, ref, control, counts, y, atol, active, memory, g, steps, dense, refs, work):
    """Go on by ``dop853``, which needs no further room."""
    return advance_dop853(rhs, accept, 0, run, ref, control, counts, y, atol, active, memory, g, steps, dense, refs)


_DOP853 = Way("dop853", advance=_advance_dop853, interpolate=interpolate_dop853)


@inlined
def _to_instants(
    way, equations, accept, run, t, spacing, first, count, last, words, begin, ref, control, counts, y, atol, active, memory, g,
    steps, dense, refs, work, states, known,
):  # fmt: skip
    """Write the states at some instants; return 0, or where and why the member stopped.

    Parameters
    ----------
    equations, accept : addresses
    run : tuple of addresses
        Handed on.
    t, spacing : float
        Time of instant 0, and from one to the next.
    first, count, last : int
        The first instant that is asked for, how many, and the last one of all, which is at END.
    words, begin : array, int
        What the member has in the block ``State``, and where in it `ref` begins.
    control, counts, …, work : arrays, changed
        Of the integrator, see its contract; all there is between two calls.
    states, known : arrays (count, ·), written
        y and words at the instants.
    """
    sign = 1.0 if spacing >= 0.0 else -1.0
    for j in range(count):
        instant = control[at.END] if first + j == last else t + (first + j) * spacing
        while sign * control[at.T] < sign * instant:
            counts[at.STORED] = 0
            counts[at.LIMIT] = 1
            answer = way.advance(
                equations, accept, run, ref, control, counts, y, atol, active, memory, g, steps, dense, refs, work
            )
            if answer < 0 or counts[at.STEPS] > MOST:
                return REASONS * (first + j) + REFUSED
        for i in range(words.size):
            known[j, i] = words[i]
        there = instant == control[at.T]
        row = y if there else memory[SPARE]
        if not there:
            way.interpolate(dense[0], steps[0, 0], steps[0, 1], instant, row)
            for i in range(ref.size):
                known[j, begin + i] = refs[0, i]
        for i in range(y.size):
            states[j, i] = row[i]
    return 0


@inner_kernel
def to_instants_dop853(
    rhs, accept, run, t, spacing, first, count, last, words, begin, ref, control, counts, y, atol, active, memory, g, steps,
    dense, refs, states, known,
):  # fmt: skip
    """Integrate a member by ``dop853``; see :func:`_to_instants`."""
    return _to_instants(
        _DOP853, rhs, accept, run, t, spacing, first, count, last, words, begin, ref, control, counts, y, atol, active, memory,
        g, steps, dense, refs, None, states, known,
    )  # fmt: skip


@inlined
def _advance_alpha(ops, accept, run, ref, control, counts, y, atol, active, memory, g, steps, dense, refs, work):
    """Go on by ``alpha``."""
    return advance_alpha(ops, accept, 0, run, ref, control, counts, y, atol, active, memory, g, steps, dense, refs, work)


_ALPHA = Way("alpha", advance=_advance_alpha, interpolate=interpolate_alpha)


@inner_kernel
def to_instants_alpha(
    ops, accept, run, t, spacing, first, count, last, words, begin, ref, control, counts, y, atol, active, memory, g, steps,
    dense, refs, work, states, known,
):  # fmt: skip
    """Integrate a member by ``alpha``; see :func:`_to_instants`."""
    return _to_instants(
        _ALPHA, ops, accept, run, t, spacing, first, count, last, words, begin, ref, control, counts, y, atol, active, memory,
        g, steps, dense, refs, work, states, known,
    )  # fmt: skip


_WORD, _NUMBER, _ROW, _TABLE = types.int64, types.float64, types.float64[::1], types.float64[:, ::1]
_ASKED = (types.UniTuple(_WORD, 3), _NUMBER, _NUMBER, _WORD, _WORD, _WORD, _ROW, _WORD)
_OWN = (_ROW, _ROW, types.int64[::1], _ROW, _ROW, _ROW, _TABLE, _TABLE, _TABLE, types.float64[:, :, ::1], _TABLE)
_READ = (types.float64[:, :],) * 2
SIGNATURES = {
    "to_instants_dop853": types.int64(_WORD, _WORD, *_ASKED, *_OWN, *_READ),
    "to_instants_alpha": types.int64(types.int64[::1], _WORD, *_ASKED, *_OWN, _ROW, *_READ),
}
