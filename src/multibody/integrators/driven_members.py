"""Driven members in compiled loops: followed over their grids, with the forces and efforts along their ways.

As in ``members``, everything is called by address.
"""

from __future__ import annotations

import math

from numba import types

from multibody.integrators.members import (
    _BLOCKS,
    _CUBE,
    _NUMBER,
    _ROW,
    _TABLE,
    _WORD,
    _WORDS,
    ANSWER,
    UNSOLVED,
    _copy,
    _expand,
    _free,
)
from multibody.kernels.calls import entering

FORCES = types.none(*_BLOCKS, _ROW, *(_TABLE,) * 9)
VALUES = types.none(*_BLOCKS, _ROW, _ROW, _WORD, _WORD, _TABLE)
TRACK = types.UniTuple(_WORD, 2)(*_BLOCKS, _WORD, _WORD, _ROW, _WORD, *(_TABLE,) * 4, _ROW)
_PLACES = types.int64[:, ::1]
SQUARE = types.none(_TABLE, _WORDS, _ROW, _TABLE, _WORDS, _CUBE, _TABLE, _WORDS, _PLACES, _PLACES, _ROW, _ROW, _CUBE, _CUBE)
_PAIR = types.UniTuple(_ROW, 2)
_SQUARE = types.Tuple((_WORDS, _ROW, _TABLE, _WORDS, _WORD, _ROW))
_FACTORS = types.Tuple((_TABLE, _WORDS, _PLACES, _PLACES, _ROW))
EFFORTS = types.none(
    *_BLOCKS, _ROW, *(_TABLE,) * 4, _SQUARE, _FACTORS, _PAIR, types.Tuple((_WORD, _NUMBER)), types.UniTuple(_NUMBER, 3),
    *(_TABLE,) * 4,
)
_forces, _values, _track, _square, _efforts = (entering(each) for each in (FORCES, VALUES, TRACK, SQUARE, EFFORTS))


@_free
def track_members(
    calls, which, models, states, scratch, square, null, drives, path, times, begins, Q, V, A, R, sigma, turned, codes,
):  # fmt: skip
    """Follow driven members over their grids.

    Parameters
    ----------
    calls : tuple of addresses
        ``kernels.tracking.track`` and ``values_over``.
    which : array of int
    square : address of a SquareSystem
    null : array
        Of the square system: begins anew with every member.
    drives : tuple (who, rows, gauges, chosen, gauge)
        Which members are followed, the rows that solve each of all members and what holds its idle freedom (members, ·), and
        where the square system has them.
    path : tuple (address, words, blank, numbers, time, q, v, a)
        A Path, its words and what they are at the start, the same words as numbers, which of them is the time, its arrays.
    times : array (members, instants)
    begins : array (members, nq)
    Q, V, A, R, sigma : arrays (members, instants, ·), written
    turned : tuple (first row, last row, times, values)
        Rows of the motions, and what they ask for at some of the times (members, some, rows), written.
    codes : array of int (members,), written
    """
    follow, values = calls
    lo, hi, some, asked = turned
    at_path, words, blank, numbers, time, q, v, a = path
    who, rows, gauges, chosen, gauge = drives
    for j in range(which.shape[0]):
        k = which[j]
        for i in range(rows.shape[1]):
            chosen[i] = rows[who[j], i]
        for i in range(gauges.shape[1]):
            gauge[i] = gauges[who[j], i]
        _values(values, (models[k], states[k], scratch, some[k], begins[k], lo, hi, asked[k]))
        for i in range(null.shape[0]):
            null[i] = 1.0 / math.sqrt(null.shape[0])
        for i in range(words.shape[0]):
            words[i] = blank[i]
        numbers[time] = times[k, 0]
        _copy(begins[k], q)
        for i in range(v.shape[0]):
            v[i] = 0.0
            a[i] = 0.0
        code = 0
        for _ in range(3):  # as a single one does: the smallest singular value by inverse iteration from an arbitrary vector
            code, _ = _track(
                follow, (models[k], states[k], scratch, square, at_path, times[k, :1], 0, Q[k], V[k], A[k], R[k], sigma[k])
            )
        if code == 0:
            code, _ = _track(
                follow, (models[k], states[k], scratch, square, at_path, times[k], 1, Q[k], V[k], A[k], R[k], sigma[k])
            )
        codes[k] = code


@_free
def force_members(forces, which, models, states, scratch, times, Q, V, A, R, inertia, applied, energies, laws, loads):
    """Write M v̇, Q, energies, efforts of laws and loads along known motions, arrays (read, instants, ·).

    Parameters
    ----------
    forces : address
        ``forces_at``.
    """
    for j in range(which.shape[0]):
        k = which[j]
        _forces(
            forces,
            (
                models[k], states[k], scratch, times[j], Q[j], V[j], A[j], R[j], inertia[j], applied[j], energies[j], laws[j],
                loads[j],
            ),
        )  # fmt: skip


@_free
def effort_members(
    efforts, which, models, states, scratch, times, Q, R, inertia, applied, square, factors, rows, columns, function, units,
    limits, room, found, basis, multipliers,
):  # fmt: skip
    """Find the efforts of members with one motion and one actuator, arrays (read, instants, ·).

    Parameters
    ----------
    efforts : address
        ``formulations.one_drive.efforts_at``, which says what the rest is.
    square : tuple
        As there, with the weights of every member (read, entries).
    factors : tuple
        Its null vector begins anew with every member.
    rows, columns : arrays (read, ·)
        Scales.
    function : int
    units : array (read,)
    """
    slots, weights, gauge, chosen, motion, entries = square
    T, pivots, places, ends, null = factors
    for j in range(which.shape[0]):
        k = which[j]
        for i in range(null.shape[0]):
            null[i] = 1.0 / math.sqrt(null.shape[0])
        _efforts(
            efforts,
            (
                models[k], states[k], scratch, times[j], Q[j], R[j], inertia[j], applied[j],
                (slots, weights[j], gauge, chosen, motion, entries), (T, pivots, places, ends, null), (rows[j], columns[j]),
                (function, units[j]), limits, room, found[j], basis[j], multipliers[j],
            ),
        )  # fmt: skip


@_free
def square_members(solve, entries, slots, weights, gauge, driving, sides, room, null, sigma, basis, multipliers):
    """Solve the square systems of members at all their instants, see ``formulations.driven.solve_square``.

    Parameters
    ----------
    entries, sides, sigma, basis, multipliers : arrays (members, instants, ·)
    weights : array (members, entries)
    room : tuple
        T, pivots, places and ends.
    null : array
        Begins anew with every member.
    """
    T, pivots, places, ends = room
    for j in range(entries.shape[0]):
        for i in range(null.shape[0]):
            null[i] = 1.0 / math.sqrt(null.shape[0])
        _square(
            solve,
            (
                entries[j], slots, weights[j], gauge, driving, sides[j], T, pivots, places, ends, null, sigma[j], basis[j],
                multipliers[j],
            ),
        )  # fmt: skip


@_free
def expand_members(
    expand, which, models, states, scratch, answers, times, Y, R, statistics, kept, A, multipliers, energies, efforts,
    loads,
):  # fmt: skip
    """Write what follows from known states (read, instants, ·): accelerations, multipliers, energies, efforts and loads.

    Parameters
    ----------
    expand : address
        ``formulations.expand.expand``.
    which : array of int
    answers : array of int (members, ·), changed
        UNSOLVED where the equations have no solution at an instant.
    times, Y, R : arrays (read, instants, ·)
    statistics : array (members, ·)
        Of the states: left as they are.
    kept : array
        Room for them.
    A, multipliers, energies, efforts, loads : arrays (read, instants, ·), written
    """
    for j in range(which.shape[0]):
        k = which[j]
        _copy(statistics[k], kept)
        done = _expand(
            expand,
            (
                models[k], states[k], scratch, times[j], Y[j], R[j], 0, A[j], multipliers[j], energies[j], efforts[j], loads[j]
            ),
        )  # fmt: skip
        _copy(kept, statistics[k])
        if done < times.shape[1]:
            answers[k, ANSWER] = UNSOLVED
