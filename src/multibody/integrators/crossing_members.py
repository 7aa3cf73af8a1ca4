"""Members with motions that switch: to just before such an instant, across, and on from just behind it.

What ``Simulation.advance`` does where nothing jumps and nothing has a pole. A member at which something does is left to Python,
which names it and knows impulses.
"""

from __future__ import annotations

import math

from numba import types

from multibody.integrators import contract as at
from multibody.integrators import members as M
from multibody.integrators.passing import cut
from multibody.kernels.calls import entering
from multibody.kernels.compile import inner_kernel

NOT_SMOOTH = -23  # of a member beside the answers of integrators: Python has to look at it
_ROW, _TABLE = types.float64[::1], types.float64[:, ::1]
BOUNDED = types.int64(*M._BLOCKS, _ROW, types.float64, types.float64, types.int64, _TABLE)
CLOSED = types.int64(*M._BLOCKS, _ROW, types.float64, types.int64, _TABLE)
SMOOTH = types.int64(*M._BLOCKS, _ROW, _ROW, types.float64, types.float64, types.int64, _TABLE, _ROW)
CONTINUOUS = types.int64(
    *M._BLOCKS, _ROW, _ROW, types.float64, types.float64, types.int64, types.int64, _TABLE
)  # fmt: skip
_bounded, _closed, _smooth, _continuous = (entering(each) for each in (BOUNDED, CLOSED, SMOOTH, CONTINUOUS))


@M._free
def cross_members(
    calls, first, work, flush, which, models, states, scratch, begin, ends, control_of, counts_of, refs, statistics, gaps, atol,
    active_of, Y, control, counts, active, memory, g, steps, dense, refs_of_steps, accepted, passing, watched, room, found,
    answers, crossing, instants, count, like, bodies,
):  # fmt: skip
    """Integrate members across the instants at which their motions switch, otherwise as :func:`members.run_members`.

    Parameters
    ----------
    crossing : tuple of addresses
        ``is_bounded``, ``is_closed``, ``is_smooth`` of ``kernels.crossing``; ``cartesian_states``, 0 where y is of the bodies.
    instants : array (2, switches)
        Just before and just behind the instants at which the motions of all these members switch, in their order.
    count : int
        Rows of joints and motions.
    like : array (members, nq)
        Poses of the bodies at the start.
    bodies : tuple of arrays
        Room: a time (1,), states (1, ·) as integrated, references (1, ·), states of bodies (1, ·), (6, rows), entries of Φ_q.
    """
    for j in range(which.shape[0]):
        k = which[j]
        run = (models[k], states[k], scratch)
        room_of = control, counts, active, memory, g
        own = (found[0][k], found[1][k], found[2][k])
        M.start_member(
            calls, work, run, begin, ends[k], control_of, counts_of, active_of[k], Y[k], room_of, gaps, statistics[k], own
        )
        status = at.DONE
        for n in range(instants.shape[1] + 1):
            sign, last = math.copysign(1.0, ends[k] - control[at.T]), n == instants.shape[1]
            goes = True
            if not last:
                before, after = instants[0, n], instants[1, n]
                goes = sign * (before - control[at.T]) > at.SHORTEST * abs(control[at.T])
                if not _ahead(crossing, run, control[at.T], before, after, Y[k], refs[k], like[k], count, bodies, goes, sign):
                    status = NOT_SMOOTH
                    break
            if goes:
                control[at.END] = ends[k] if last else before
                status = M.go_on(
                    calls, first, work, flush, control_of[at.H], run, refs[k], Y[k], atol[k], room_of,
                    (steps[k], dense[k], refs_of_steps[k]), accepted[k], passing, watched, room, own,
                )  # fmt: skip
                if status != at.DONE or own[2][0] == own[2][0] or last:  # an event ended it, or it is at its end
                    break
            elif sign > 0.0 and control[at.T] > before:  # it begins there: its velocities are those behind
                control[at.T], counts[at.FRESH] = after, 1
                continue
            if not _is_smooth(crossing, run, before, after, Y[k], refs[k], like[k], count, bodies):
                status = NOT_SMOOTH
                break
            cut(
                calls[1], control_of[at.H], run, control, counts, Y[k], active, g, refs[k], accepted[k], after, Y[k], refs[k]
            )
            if sign * control[at.T] >= sign * ends[k]:
                break
        answers[k, M.ANSWER], answers[k, M.STORED], answers[k, M.STIFF] = status, counts[at.STORED], counts[at.STIFF]


@inner_kernel
def _ahead(crossing, run, t, before, after, y, ref, like, count, bodies, goes, sign):
    """Return whether a member can go toward a switching instant, or begins behind it with its rows closed."""
    q, _ = _bodies(crossing, run, t, y, ref, like, bodies)
    if _bounded(crossing[0], (*run, q, t, before, count, bodies[4])) == 0:
        return False
    if not goes and sign > 0.0 and t > before:
        return _closed(crossing[1], (*run, q, after, count, bodies[4])) == 1
    return True


@inner_kernel
def _is_smooth(crossing, run, before, after, y, ref, like, count, bodies):
    """Return whether neither values nor rates jump between two neighboring instants."""
    q, v = _bodies(crossing, run, before, y, ref, like, bodies)
    return _smooth(crossing[2], (*run, q, v, before, after, count, bodies[4], bodies[5])) == 1


@inner_kernel
def _bodies(crossing, run, t, y, ref, like, bodies):
    """Return q and v of the bodies at a state as it is integrated."""
    time, Y, R, out, nq = bodies[0], bodies[1], bodies[2], bodies[3], like.shape[0]
    if crossing[3] == 0:
        M._copy(y, out[0])
    else:
        time[0] = t
        M._copy(y, Y[0])
        M._copy(ref, R[0])
        M._copy(like, out[0, :nq])
        M._to_bodies(crossing[3], (*run, time, Y, R, 0, out))
        M._copy(R[0], ref)
    return out[0, :nq], out[0, nq : out.shape[1] - 1]


@M._free
def look_members(calls, which, models, states, scratch, begin, Q, rest, instants, joint_rows, count, room, quiet):
    """Write 1 for driven members whose motions neither jump nor have a pole at their switching instants.

    Parameters
    ----------
    calls : tuple of addresses
        ``is_bounded`` and ``is_continuous`` of ``kernels.crossing``.
    begin : float
        Where their way begins, the same for all.
    Q : array (members, nq)
        Poses there.
    rest : array (nv,)
        Rates of zero.
    instants : array (2, switches)
    joint_rows, count : int
        Rows of joints, and of these and motions.
    room : array (6, rows)
    quiet : array of int (which,), written
    """
    for j in range(which.shape[0]):
        k = which[j]
        run = (models[k], states[k], scratch)
        quiet[j] = 1
        for n in range(instants.shape[1]):
            before, after = instants[0, n], instants[1, n]
            if (
                _bounded(calls[0], (*run, Q[k], begin, before, count, room)) == 0
                or _continuous(calls[1], (*run, Q[k], rest, before, after, joint_rows, count, room)) == 0
            ):
                quiet[j] = 0
                break


@M._free
def settle_members(rates, which, models, states, scratch, plan, room, t, Q, V, codes):
    """Find the rates of members once more at another time, their poses as they are, in the place of what assembly left.

    Parameters
    ----------
    rates : address
        ``kernels.assembly.member.rates_member``.
    plan, room : addresses
    t : float
    Q, V : arrays (members, ·)
        V is written.
    codes : array of int (members, 2)
        What assembly answers is written.
    """
    for j in range(which.shape[0]):
        k = which[j]
        codes[k, M.CLOSED] = M._assemble(rates, (models[k], states[k], scratch, plan, room, t, Q[k], V[k]))
