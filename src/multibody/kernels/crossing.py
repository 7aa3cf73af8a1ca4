"""Whether a mechanism passes an instant at which motions switch as if nothing were there: no pole, no jump of values or rates.

What does not is asked about in ``analyses/events``, with names and impulses.
"""

from __future__ import annotations

import math

from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at
from multibody.kernels.rows import row_gamma, row_jacobian, row_values, row_velocity
from multibody.kernels.scales import column_scale, row_scale
from multibody.kernels.state import set_positions, set_velocities

JUMPS = 1e-9  # part of the speeds at play above which a change of a rate is a jump
MOVES = 1e-9  # scaled change of a position between two neighboring instants that is a jump
NEAR, FAR, GROWS = 1e-9, 1e-7, 2.0  # a quantity that grows so much from far to near has no bound; a logarithm does not
ROWS = 6  # of the room that all of these take
NEARER, MIDDLE, FARTHER = 0, 1, 2  # of them in ``is_bounded``: what is found at three times toward an instant …
VALUES, RATES = 0, 3  # … first rows of those of values and of rates
BEFORE, AFTER = 0, 1  # in the others: Φ on both sides of an instant …
RATES_BEFORE, RATES_AFTER = 2, 3  # … ν there …
MISSED, GAMMA = 4, 5  # … and what is missing in the rates at first; γ behind it


@kernel
def is_bounded(model, state, scratch, q, t, before, rows, room):
    """Return 1 where no prescribed value or rate grows beyond all bounds toward an instant, as ``undefined.unbounded`` asks.

    Parameters
    ----------
    q : array
        Of the bodies.
    t : float
        Where the way to the instant begins.
    before : float
        The instant at which everything is still decided.
    rows : int
        Of joints and motions.
    room : array (ROWS, rows or more)
    """
    set_positions(model, scratch, q)
    span = before - t
    for k in range(3):
        at = before - (NEAR, math.sqrt(NEAR * FAR), FAR)[k] * span
        row_values(model, state, scratch, at, 0, rows, room[VALUES + k])
        row_velocity(model, state, scratch, at, 0, rows, room[RATES + k])
    for first in (VALUES, RATES):
        near, middle, far, size = room[first + NEARER], room[first + MIDDLE], room[first + FARTHER], 0.0
        for r in range(rows):
            size = max(size, abs(far[r]))
        for r in range(rows):
            grows = abs(near[r]) > GROWS * abs(middle[r]) and abs(middle[r]) > GROWS * abs(far[r])
            if not abs(near[r]) < math.inf or (grows and abs(near[r]) > size):
                return 0
    return 1


@kernel
def is_closed(model, state, scratch, q, t, rows, room):
    """Return 1 where all rows are closed at a time: a motion that begins behind an instant has not jumped there."""
    set_positions(model, scratch, q)
    row_values(model, state, scratch, t, 0, rows, room[BEFORE])
    for r in range(rows):
        if not abs(room[BEFORE, r]) * row_scale(model_at(model), r) <= MOVES:
            return 0
    return 1


@kernel
def is_smooth(model, state, scratch, q, v, before, after, rows, room, entries):
    """Return 1 where neither prescribed values nor rates jump between two neighboring instants, as ``impulse.jump`` asks.

    Parameters
    ----------
    q, v : arrays
        Of the bodies, at the first of them.
    before, after : float
    rows : int
    room : array (ROWS, rows or more)
    entries : array
        For Φ_q.
    """
    later, rates, rates_later, missed = room[AFTER], room[RATES_BEFORE], room[RATES_AFTER], room[MISSED]
    set_positions(model, scratch, q)
    set_velocities(model, scratch, v)
    if not _is_continuous(model, state, scratch, before, after, 0, rows, room):
        return 0
    speed = _speed(model, v)
    for r in range(rows):
        speed = max(speed, abs(rates[r]) * row_scale(model_at(model), r), abs(rates_later[r]) * row_scale(model_at(model), r))
    _miss(model, state, scratch, before, v, rows, rates, entries, missed)
    _miss(model, state, scratch, after, v, rows, rates_later, entries, later)
    for r in range(rows):
        if not abs(later[r] - missed[r]) * row_scale(model_at(model), r) <= JUMPS * speed:
            return 0
    return 1


@kernel
def is_continuous(model, state, scratch, q, rest, before, after, lo, rows, room):
    """Return 1 where no prescribed value jumps between two instants, of the rows from `lo` on, and all have values behind.

    Parameters
    ----------
    q : array
        Of the bodies; `rest` are rates of zero.
    before, after : float
    lo, rows : int
    room : array (ROWS, rows or more)
    """
    set_positions(model, scratch, q)
    set_velocities(model, scratch, rest)
    return 1 if _is_continuous(model, state, scratch, before, after, lo, rows, room) else 0


@inner_kernel
def _is_continuous(model, state, scratch, before, after, lo, rows, room):
    """Return the same at the state that is set; write Φ and ν on both sides."""
    values, later = room[BEFORE], room[AFTER]
    rates, rates_later, gamma = room[RATES_BEFORE], room[RATES_AFTER], room[GAMMA]
    row_values(model, state, scratch, before, 0, rows, values)
    row_values(model, state, scratch, after, 0, rows, later)
    row_velocity(model, state, scratch, before, 0, rows, rates)
    row_velocity(model, state, scratch, after, 0, rows, rates_later)
    row_gamma(model, state, scratch, after, 0, rows, gamma)
    for r in range(rows):
        gone = abs(rates[r]) * abs(after - before)
        if not abs(later[r]) + abs(rates_later[r]) + abs(gamma[r]) < math.inf:
            return False
        if r >= lo and not (abs(later[r] - values[r]) - gone) * row_scale(model_at(model), r) <= MOVES:
            return False
    return True


@inner_kernel
def _speed(model, v):
    """Return the largest scaled rate."""
    m, found = model_at(model), 0.0
    for c in range(m.velocities):
        found = max(found, abs(v[c]) / column_scale(m, c))
    return found


@inner_kernel
def _miss(model, state, scratch, t, v, rows, rates, entries, out):
    """Write Φ_q v − ν at the poses that are set."""
    m = model_at(model)
    row_jacobian(model, state, scratch, t, 0, rows, entries)
    for r in range(rows):
        out[r] = -rates[r]
        for e in range(m.rows[r].entry, m.rows[r].entry + m.rows[r].entries):
            out[r] += entries[e] * v[m.columns[e]]
