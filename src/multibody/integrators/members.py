"""Many members of one structure, one after the other in compiled loops that let go of Python's lock.

A member is three blocks of its own (numbers, what lives from step to step, and a scratch that the thread's members share). All
that is done with them is called by address: it is the machine code of single runs, so that a member is a single run to the last
bit, whichever thread computes it.
"""

from __future__ import annotations

import math
from typing import Any

from numba import types
from numba.extending import intrinsic

from multibody.integrators import contract as at
from multibody.integrators.passing import ENDED, GO_ON, pass_zeros
from multibody.kernels import joined
from multibody.kernels.calls import _enter, call, call_interpolant, entering
from multibody.kernels.compile import _compiled, inner_kernel
from multibody.kernels.memory.compiled import address_type

_WORD, _NUMBER, _WORDS, _ROW = types.int64, types.float64, types.int64[::1], types.float64[::1]
_TABLE, _CUBE = types.float64[:, ::1], types.float64[:, :, ::1]
_BLOCKS = (_WORD,) * 3
NUMBERS = types.none(_WORD, _WORD, _WORDS, _WORDS, _ROW)
MASSES = types.boolean(_WORD, _ROW)
MODE = types.int64(_WORD, _WORD)
ASSEMBLE = types.int64(*_BLOCKS, _WORD, _WORD, _NUMBER, _ROW, _ROW)
_ADVANCED = (  # all but the first
    _WORD, _WORD, types.UniTuple(_WORD, 3), _ROW, _ROW, _WORDS, _ROW, _ROW, _ROW, _TABLE, _TABLE, _TABLE, _CUBE, _TABLE,
)  # fmt: skip
ADVANCE, ADVANCE_IMPLICIT = types.int64(_WORD, *_ADVANCED), types.int64(_WORDS, *_ADVANCED, _ROW)
EXPAND = types.int64(*_BLOCKS, _ROW, _TABLE, _TABLE, _WORD, *(_TABLE,) * 5)
TO_BODIES = types.none(*_BLOCKS, _ROW, _TABLE, _TABLE, _WORD, _TABLE)
EXPAND_JOINTS = types.int64(*_BLOCKS, _ROW, _TABLE, _TABLE, *(_TABLE,) * 5)
MEASURE = types.none(*_BLOCKS, *(_TABLE,) * 4, _WORDS, *(_TABLE,) * 3)
ENTRIES = types.none(*_BLOCKS, _ROW, _TABLE, _TABLE, _WORD, _TABLE)
WRENCHES = types.none(
    *_BLOCKS, _ROW, *(_TABLE,) * 3, _WORD, *(_WORDS,) * 3, _NUMBER, _WORD, _WORD, _ROW, _TABLE
)
GRADIENTS = types.none(_WORD, _WORD, _TABLE, _WORDS, _ROW, _CUBE)
UNSOLVED = -21  # of a member beside the answers of integrators: no accelerations
ANSWER, STORED, STIFF = 0, 1, 2  # columns of answers: of the integrator; steps that are stored; 1 where stiffness limits steps
CLOSED, HEAVY = 0, 1  # columns of codes: what assembly answers; 1 where all masses can be inverted


def _free(function: Any) -> Any:
    """Compile a kernel that lets go of Python's lock."""
    return _compiled(function, no_cfunc_wrapper=True, no_cpython_wrapper=joined.ALL_WAIT, nogil=True)


def as_called(signature: Any, planar: bool) -> Any:
    """Return the signature with which a function that takes a model first is compiled, for planar models or those in space."""
    key = id(signature), planar
    if key not in _KNOWN:
        _KNOWN[key] = signature.return_type(address_type(not planar), *signature.args[1:])
    return _KNOWN[key]


_KNOWN: dict[tuple[int, bool], Any] = {}


_numbers, _weigh, _assemble, _mode = (entering(each) for each in (NUMBERS, MASSES, ASSEMBLE, MODE))
_expand, _measure, _entries, _gradients = (entering(each) for each in (EXPAND, MEASURE, ENTRIES, GRADIENTS))
_to_bodies, _expand_joints = (entering(each) for each in (TO_BODIES, EXPAND_JOINTS))
_wrenches = entering(WRENCHES)


@_free
def number_members(evaluate, models, scratch, starts, slots, numbers):
    """Evaluate the numbers of all members that depend on parameters.

    Parameters
    ----------
    evaluate : address
        ``kernels.programs.evaluate_programs``.
    models : array of int (members,)
        Addresses.
    scratch : address
    starts, slots : arrays of int
        Programs, and where their values go.
    numbers : array (members, numbers), changed
        Those that the models read.
    """
    for k in range(models.shape[0]):
        _numbers(evaluate, (models[k], scratch, starts, slots, numbers[k]))


@_free
def start_members(assemble, weigh, models, states, masses, scratch, plan, room, times, Q, V, codes):
    """Assemble all members; write q, v and how it went, and leave the angle references in their states.

    Parameters
    ----------
    assemble, weigh : addresses
        ``assemble_member`` and ``set_masses``.
    models, states : arrays of int (members,)
    masses : array (members, ·), written
        Numbers of the models.
    scratch, plan, room : addresses
    times : array (members,)
    Q, V : arrays (members, ·), written
    codes : array of int (members, 2), written
        What assembly answers; whether all masses can be inverted.
    """
    for k in range(models.shape[0]):
        codes[k, HEAVY] = 1 if _weigh(weigh, (models[k], masses[k])) else 0
        codes[k, CLOSED] = _assemble(assemble, (models[k], states[k], scratch, plan, room, times[k], Q[k], V[k]))


@intrinsic
def _advance(typing_context, integrate, first, given, work):
    """Call an integrator; an implicit method takes addresses of the equations in the place of f, and more room at the end."""
    implicit = isinstance(first, types.Array)
    signature = ADVANCE_IMPLICIT if implicit else ADVANCE

    def generate(context, builder, called, arguments):
        address, begin, rest, room = arguments
        parts = [begin, *(builder.extract_value(rest, k) for k in range(len(_ADVANCED)))]
        return _enter(context, builder, address, signature, [*parts, room] if implicit else parts)

    return types.int64(types.int64, first, types.Tuple(_ADVANCED), _ROW), generate


@_free
def run_members(
    calls, first, work, flush, which, models, states, scratch, begin, ends, control_of, counts_of, refs, statistics, gaps, atol,
    active_of, Y, control, counts, active, memory, g, steps, dense, refs_of_steps, accepted, passing, watched, room, found,
    answers,
):  # fmt: skip
    """Integrate members to their ends, in one call of the integrator from event to event.

    Parameters
    ----------
    calls : tuple of addresses
        Integrator, acceptance, monitor, and ``kernels.subnormals.exchange_mode``.
    first : address or array of int
        The right-hand side; of an implicit method the addresses of its equations, see ``implicit``.
    work : array
        Room of an implicit method, zero at every start.
    flush : int
        Mode of the processor in which subnormal numbers are zero.
    which : array of int
        Members to be run.
    models, states : arrays of int (members,)
    scratch : address
    begin : float
    ends : array (members,)
    control_of, counts_of : arrays
        What the integrator is told at every start.
    refs : array (members, functions), changed
        Angle references in the states.
    statistics : array (members, ·), changed
        Of the states.
    gaps : array of int
        Those of them that begin anew after the first acceptance.
    atol, active_of : arrays (members, size)
        Tolerances, and which components the error test counts.
    Y : array (members, size), changed
        From the start to the end.
    control, counts, active, memory, g : arrays
        Room of the integrator.
    steps, dense, refs_of_steps : arrays (members, steps, ·)
        Dense output of all members.
    accepted : array (members, ·), changed
        What their spanning trees remember of the last accepted state.
    passing : tuple of addresses
        ``zeros_in_step`` and dense output, 0 where events and switches are not to be passed.
    watched, room, found : tuples of arrays
        What is watched, room, and events by member, see ``passing.pass_zeros``.
    answers : array of int (members, 3), written
        What the integrator answers, how many steps are stored, whether it is stiff.
    """
    for j in range(which.shape[0]):
        k = which[j]
        run, own = (models[k], states[k], scratch), (found[0][k], found[1][k], found[2][k])
        room_of = control, counts, active, memory, g
        start_member(
            calls, work, run, begin, ends[k], control_of, counts_of, active_of[k], Y[k], room_of, gaps, statistics[k], own
        )
        status = go_on(
            calls, first, work, flush, control_of[at.H], run, refs[k], Y[k], atol[k], room_of,
            (steps[k], dense[k], refs_of_steps[k]), accepted[k], passing, watched, room, own,
        )  # fmt: skip
        answers[k, ANSWER], answers[k, STORED], answers[k, STIFF] = status, counts[at.STORED], counts[at.STIFF]


@inner_kernel
def start_member(calls, work, run, begin, end, control_of, counts_of, active_of, y, room_of, gaps, statistics, found):
    """Put the rooms of an integrator back to what they are before a run, and let the formulation accept the start."""
    accept = calls[1]
    control, counts, active, memory, g = room_of
    _make_ready(end, control_of, counts_of, active_of, control, counts, active, memory, g)
    for i in range(work.shape[0]):
        work[i] = 0.0
    _accept_start(accept, run, begin, y, active, memory[0], gaps, statistics)
    _, tally, stop = found
    tally[0], tally[1], stop[0] = 0, 0, math.nan


@inner_kernel
def go_on(calls, first, work, flush, first_step, run, ref, y, atol, room_of, stored, accepted, passing, watched, room, found):
    """Let a member go to its end, from event to event; return the integrator's last answer, DONE where an event ends it."""
    integrate, accept, monitor, mode = calls
    control, counts, active, memory, g = room_of
    steps, dense, refs_of_steps = stored
    while True:
        before = _mode(mode, (1, flush))
        status = _advance(
            integrate, first,
            (accept, monitor, run, ref, control, counts, y, atol, active, memory, g, steps, dense, refs_of_steps), work,
        )  # fmt: skip
        _mode(mode, (0, before))
        if status != at.EVENT or passing[0] == 0:
            return status
        outcome = pass_zeros(
            (*passing, monitor, accept), first_step, run, control, counts, y, active, g, steps, dense, refs_of_steps, ref,
            accepted, watched, room, found,
        )  # fmt: skip
        if outcome == ENDED:
            return at.DONE
        if outcome != GO_ON:
            return status


@inner_kernel
def _make_ready(end, control_of, counts_of, active_of, control, counts, active, memory, g):
    """Put the room of an integrator back to what it is before a run."""
    _copy(control_of, control)
    _copy(counts_of, counts)
    _copy(active_of, active)
    control[at.END] = end
    for i in range(memory.shape[0]):
        for c in range(memory.shape[1]):
            memory[i, c] = 0.0
    for i in range(g.shape[0]):
        for c in range(g.shape[1]):
            g[i, c] = 0.0


@inner_kernel
def _accept_start(accept, run, begin, y, active, room, gaps, statistics):
    """Let a formulation accept the start, which stays as it is: it finds the pivot ratio of regular positions."""
    _copy(y, room)
    call(accept, run, begin, room, active)
    for i in range(gaps.shape[0]):
        statistics[gaps[i]] = 0.0
    for i in range(room.shape[0]):
        room[i] = 0.0


@_free
def read_members(
    calls, which, models, states, scratch, answers, steps, dense, refs_of_steps, times, ends, begins, begin_refs, refs,
    statistics, kept, Y, R, A, multipliers, energies, efforts, loads,
):  # fmt: skip
    """Write states at times by dense output, closed, with accelerations, multipliers, energies, efforts and loads.

    Parameters
    ----------
    calls : tuple of addresses
        Interpolant, expansion.
    which : array of int
        Members to be read.
    answers : array of int (members, 3), changed
        UNSOLVED where the equations have no solution at an instant.
    steps, dense, refs_of_steps : arrays (members, steps, ·)
    times : array (read, instants)
        Of every member in `which`, in the order of its motion.
    ends : array (members, size) or (0, size)
        The last states: the first and the last instant are the start and this then, as they are.
    begins : array (members, size)
    begin_refs, refs : arrays (members, functions)
        Angle references at the start, and now.
    statistics : array (members, ·)
        Of the states: left as they are.
    kept : array
        Room for them and the references.
    Y, R, A, multipliers, energies, efforts, loads : arrays (read, instants, ·), written
    """
    interpolate, expand = calls
    for j in range(which.shape[0]):
        k, n, nf = which[j], times.shape[1], refs.shape[1]
        _look_up(
            interpolate, k, answers[k, STORED], steps, dense, refs_of_steps, times[j], ends, begins, begin_refs, refs, Y[j],
            R[j],
        )  # fmt: skip
        _copy(refs[k], kept[:nf])
        _copy(statistics[k], kept[nf:])
        done = _expand(
            expand,
            (
                models[k], states[k], scratch, times[j], Y[j], R[j], 1, A[j], multipliers[j], energies[j], efforts[j], loads[j]
            ),
        )  # fmt: skip
        _copy(kept[:nf], refs[k])
        _copy(kept[nf:], statistics[k])
        if done < n:
            answers[k, ANSWER] = UNSOLVED
        if ends.shape[0] > 0:  # closed already: they stay as they are, to the last digit
            _copy(begins[k], Y[j, 0])
            _copy(ends[k], Y[j, n - 1])


@_free
def read_joint_members(
    calls, which, models, states, scratch, answers, steps, dense, refs_of_steps, times, ends, begins, begin_refs, refs,
    statistics, kept, like, Y, bodies, R, A, multipliers, energies, efforts, loads,
):  # fmt: skip
    """Write the same of members in joint coordinates.

    Parameters
    ----------
    calls : tuple of addresses
        Interpolant, ``cartesian_states``, ``expand_relative``.
    like : array (read, nq)
        Poses of the bodies that settle the signs of the first quaternions.
    Y, bodies, R : arrays (read, instants, ·), written
        States in joint coordinates and of the bodies, and angle references.
    A, multipliers, energies, efforts, loads : arrays (read, last instants, ·), written
        Fewer instants than times are the last ones.
    """
    interpolate, to_bodies, expand = calls
    first = times.shape[1] - A.shape[1]
    for j in range(which.shape[0]):
        k, nf = which[j], refs.shape[1]
        _look_up(
            interpolate, k, answers[k, STORED], steps, dense, refs_of_steps, times[j], ends, begins, begin_refs, refs, Y[j],
            R[j],
        )  # fmt: skip
        _copy(refs[k], kept[:nf])
        _copy(statistics[k], kept[nf:])
        for c in range(like.shape[1]):
            bodies[j, 0, c] = like[j, c]
        _to_bodies(to_bodies, (models[k], states[k], scratch, times[j], Y[j], R[j], 1, bodies[j]))
        _copy(kept[:nf], refs[k])
        done = _expand_joints(
            expand,
            (
                models[k], states[k], scratch, times[j, first:], Y[j, first:], R[j, first:], A[j], multipliers[j], energies[j],
                efforts[j], loads[j],
            ),
        )  # fmt: skip
        _copy(kept[:nf], refs[k])
        _copy(kept[nf:], statistics[k])
        if done < A.shape[1]:
            answers[k, ANSWER] = UNSOLVED


@_free
def measure_members(measure, which, models, states, scratch, Q, V, A, R, functions, values, rates, accelerations):
    """Write value, rate and acceleration of coordinate functions, arrays (read, instants, ·).

    Parameters
    ----------
    measure : address
        ``kernels.measure.measure_functions``.
    R : array (read, instants, functions or 0)
        References of every instant; without columns turns are counted from those in the states.
    """
    for j in range(which.shape[0]):
        k = which[j]
        _measure(
            measure,
            (models[k], states[k], scratch, Q[j], V[j], A[j], R[j], functions, values[j], rates[j], accelerations[j]),
        )


@_free
def entry_members(entries, which, models, states, scratch, times, Q, R, rows, out):
    """Write the entries of Φ_q, out (read, instants, entries)."""
    for j in range(which.shape[0]):
        k = which[j]
        _entries(entries, (models[k], states[k], scratch, times[j], Q[j], R[j], rows, out[j]))


@_free
def wrench_members(wrenches, which, models, states, scratch, times, Q, R, multipliers, asked, room, out):
    """Write what rows do to bodies, out (read, instants, ·).

    Parameters
    ----------
    wrenches : address
        ``formulations.row_wrenches.wrenches_at``.
    multipliers : array (read, instants, all rows)
    asked : tuple
        First row, columns and ends of their entries, bodies, sign, body and numbers of the point.
    room : array
    """
    row, columns, ends, bodies, sign, home, point = asked
    for j in range(which.shape[0]):
        k = which[j]
        _wrenches(
            wrenches,
            (
                models[k], states[k], scratch, times[j], Q[j], R[j], multipliers[j], row, columns, ends, bodies, sign, home,
                point, room, out[j],
            ),
        )  # fmt: skip


@_free
def gradient_members(gradients, which, models, scratch, Q, functions, scale, out):
    """Write gradients of coordinate functions times the scales of columns (read, nv), out (read, instants, functions, nv)."""
    for j in range(which.shape[0]):
        _gradients(gradients, (models[which[j]], scratch, Q[j], functions, scale[j], out[j]))


@inner_kernel
def _look_up(interpolate, k, stored, steps, dense, refs_of_steps, times, ends, begins, begin_refs, refs, Y, R):
    """Write states and references of one member at its times by dense output; its start and end, where asked, as they are."""
    n = times.shape[0]
    for i in range(n):
        s = _step_at(steps[k], stored, times[i])
        call_interpolant(interpolate, dense[k, s], steps[k, s, 0], steps[k, s, 1], times[i], Y[i])
        _copy(refs_of_steps[k, s], R[i])
    if ends.shape[0] > 0:
        _copy(begins[k], Y[0])
        _copy(begin_refs[k], R[0])
        _copy(ends[k], Y[n - 1])
        _copy(refs[k], R[n - 1])


@inner_kernel
def _copy(source, target):
    """Copy a row."""
    for i in range(target.shape[0]):
        target[i] = source[i]


@inner_kernel
def _step_at(steps, count, t):
    """Return the step whose dense output serves a time: the last that begins before it, the first one at least."""
    sign = 1.0 if steps[0, 1] >= 0.0 else -1.0
    low, high = 0, count
    while high - low > 1:
        middle = (low + high) // 2
        if sign * steps[middle, 0] <= sign * t:
            low = middle
        else:
            high = middle
    return low
