"""What numbers of a member decide before its first step: feedback, partition, independent loop rows, the order of elimination.

Loops over many members as those of ``members``.
"""

from __future__ import annotations

from numba import types

from multibody.integrators import members as M
from multibody.kernels.calls import call, entering

CHOOSE = types.float64(*M._BLOCKS, types.float64, *(types.float64[::1],) * 2, types.int64[::1], types.float64[::1])
AROUND = types.int64(
    *M._BLOCKS, types.int64, types.int64, types.float64, types.float64[::1], types.float64[:, ::1], types.float64[::1]
)
TAKES = types.int64(
    *M._BLOCKS, types.int64, types.int64, types.float64, types.float64[::1], types.int64, types.float64, types.float64,
    types.int64[::1],
)  # fmt: skip
ADOPT = types.UniTuple(types.float64, 2)(*M._BLOCKS, types.int64, types.int64, types.float64, *(types.float64[::1],) * 2)
_choose, _around = entering(CHOOSE), entering(AROUND)
_adopt, _takes = entering(ADOPT), entering(TAKES)


@M._free
def rate_members(rhs, which, models, states, scratch, t, Y, rates):
    """Write ẏ at the starts Y (members, size), rates (which, size).

    Parameters
    ----------
    rhs : address
        Right-hand side.
    """
    for j in range(which.shape[0]):
        k = which[j]
        call(rhs, (models[k], states[k], scratch), t, Y[k], rates[j])


@M._free
def partition_members(choose, which, models, states, scratch, t, Y, A, order, active, ratios):
    """Choose the dependent columns of members at their starts.

    Parameters
    ----------
    choose : address
        The choice (``formulations.choosing``).
    A, order : arrays
        Its room.
    active : array (members, size), written
    ratios : array (which,), written
        Pivot ratios of the partitions.
    """
    for j in range(which.shape[0]):
        k = which[j]
        ratios[j] = _choose(choose, (models[k], states[k], scratch, t, Y[k], A, order, active[k]))


@M._free
def probe_members(probe, which, models, states, scratch, t, Y, J, found, answers):
    """Write Φ_u of the loop rows of members at their starts, and what their mass matrices are like.

    Parameters
    ----------
    probe : address
        ``formulations.relative.probe_relative``.
    J : array
        Of the scratch, where it leaves Φ_u.
    found : array (which, entries), written
    answers : array (which, ·), written
        What the probe answers.
    """
    for j in range(which.shape[0]):
        k = which[j]
        call(probe, (models[k], states[k], scratch), t, Y[k], answers[j])
        M._copy(J, found[j])


@M._free
def trial_members(calls, which, models, states, scratch, t, Y, sizes, told, newton, wave, room, errors):
    """Try the sparse linear systems of members at their starts, as ``formulations.dependable.trial_error`` does for one.

    Parameters
    ----------
    calls : tuple of addresses
        ``start_newton``, ``linearize_implicit``, ``factor_newton``, ``product_newton``, ``solve_newton``.
    sizes : tuple of int
        Numbers of rates and of chosen rows.
    told : tuple (array, float)
        Coefficients of the matrix, and of its acceleration.
    newton : tuple of arrays
        Unknowns in the order of elimination, what they were multiplied by, Φ_q on its entries; entry, row and column of them.
    wave : array (rates + rows)
        The solution that is tried, over its units.
    room : tuple of arrays
        For accelerations with multipliers and the power, the point, units, solution, its parts, right side, answer, ratio.
    errors : array (which,), written
        Relative errors of solutions.
    """
    start, linearize, factor, product, solve = calls
    (n, m), (coefficients, c) = sizes, told
    unknowns, scaled, P, entry, row, column = newton
    found, point, units, probe, parts, right, answer, ratio = room
    for j in range(which.shape[0]):
        k = which[j]
        run = (models[k], states[k], scratch)
        errors[j] = 0.0
        if call(start, run, t, Y[k], found) != 0:
            continue
        size = Y.shape[1] - 1
        for i in range(point.shape[0]):
            point[i] = Y[k, i] if i < size else found[i - size]
        call(linearize, run, t, point, point)
        call(factor, run, t, coefficients, ratio)
        for i in range(n + m):
            units[unknowns[i]] = scaled[i]
        for i in range(n + m):
            probe[i] = units[i] * wave[i]
            right[i] = 0.0
        for i in range(n):
            parts[i], parts[n + i], parts[n + n + i] = c * probe[i], probe[i], probe[i] / c
        call(product, run, t, parts, right)
        for e in range(entry.shape[0]):
            right[column[e]] += P[entry[e]] * probe[n + row[e]]
        for i in range(n + m):
            answer[i] = 0.0
        call(solve, run, t, right, answer)
        for i in range(n + m):
            wrong = abs(answer[i] - probe[i]) / units[i]
            errors[j] = max(errors[j], wrong) if wrong < 1e300 else 1e300


@M._free
def taking_members(takes, which, models, states, scratch, plan, room, times, Q, count, cut, floor, chosen, answers):
    """Ask of members whether some rows are the independent ones at their poses.

    Parameters
    ----------
    takes : address
        ``kernels.assembly.choice.takes_rows_at``.
    times : array (members,)
    Q : array (members, nq)
    count : int
        Rows among which these are.
    cut, floor : float
    chosen : array of int
    answers : array of int (which,), written
    """
    for j in range(which.shape[0]):
        k = which[j]
        answers[j] = _takes(takes, (models[k], states[k], scratch, plan, room, times[k], Q[k], count, cut, floor, chosen))


@M._free
def around_members(around, which, models, states, scratch, plan, room, times, Q, directions, work, lengths, ranks):
    """Write how many rows of members are independent at poses around theirs, at most, ranks (which,).

    Parameters
    ----------
    around : address
        ``kernels.assembly.around.ranks_around``, which says what the rest is.
    work : array
        Room for the directions, which it changes.
    """
    for j in range(which.shape[0]):
        k = which[j]
        for i in range(work.shape[0]):
            M._copy(directions[i], work[i])
        ranks[j] = _around(around, (models[k], states[k], scratch, plan, room, times[k], Q[k], work, lengths))


@M._free
def adopt_members(calls, models, states, masses, scratch, plan, room, t, Q, V, moved, codes):
    """Bring given states onto the constraints of all members; the angle references are in their states.

    Parameters
    ----------
    calls : tuple of addresses
        ``kernels.assembly.given.adopt_state`` and ``set_masses``.
    masses : array (members, ·), written
        Numbers of the models.
    Q, V : arrays (members, ·), changed
    moved : array (members,), written
        How far positions were moved, scaled; infinite where a mechanism cannot be closed.
    codes : array of int (members,), written
        Whether all masses can be inverted.
    """
    adopt, weigh = calls
    for k in range(models.shape[0]):
        codes[k] = 1 if M._weigh(weigh, (models[k], masses[k])) else 0
        moved[k], _ = _adopt(adopt, (models[k], states[k], scratch, plan, room, t, Q[k], V[k]))
