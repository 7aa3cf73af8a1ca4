"""Numbers made of values over time while a member moves: extremes and when they are, integrals, values at an instant.

Values come one instant after the other. A running number has four places in a member's results: its answer, a companion (the
time of an extreme), and the values one and two instants ago.
"""

from __future__ import annotations

import math

from numba import types

from multibody.kernels.compile import inner_kernel

LARGEST, SMALLEST, INTEGRAL, SQUARE, VALUE = range(5)  # kinds of running numbers
ANSWER, COMPANION, BEFORE, EARLIER, PLACES = range(5)  # places of each


@inner_kernel
def note(kinds, series, instants, between, k, t, h, values, results):
    """Take the values at instant k into all running numbers.

    Parameters
    ----------
    kinds : array of int
        Kind of every running number.
    series : array of int
        Which of the values it is of.
    instants : array of int
        Of ``VALUE``: the instant that is asked for, −1 for the last one.
    between : int
        1: extremes lie on the parabola through three neighboring instants where it has its top between them.
    k : int
        Number of the instant; 0 begins anew.
    t, h : float
        Its time, and how far instants lie apart, negative where time goes back.
    values : array
    results : array (PLACES · running numbers), changed

    Returns
    -------
    int
        0.
    """
    for i in range(kinds.size):
        x, at = values[series[i]], PLACES * i
        if kinds[i] == VALUE:
            if instants[i] == k or instants[i] < 0:
                results[at] = x
        elif kinds[i] == INTEGRAL or kinds[i] == SQUARE:
            x = x * x if kinds[i] == SQUARE else x
            results[at] = results[at] + 0.5 * abs(h) * (results[at + BEFORE] + x) if k > 0 else 0.0
            results[at + BEFORE] = x
        else:
            _note_extreme(1.0 if kinds[i] == LARGEST else -1.0, between, k, t, h, x, at, results)
    return 0


@inner_kernel
def _note_extreme(sign, between, k, t, h, x, at, results):
    """Take a value into the largest (sign 1) or smallest (−1) one; ``NaN`` never is."""
    if k == 0:
        results[at + ANSWER], results[at + COMPANION] = math.nan, math.nan
    best = results[at + ANSWER]
    if sign * x > sign * best or (math.isnan(best) and not math.isnan(x)):
        results[at + ANSWER], results[at + COMPANION] = x, t
    if between == 1 and k > 1:
        middle, first = sign * results[at + BEFORE], sign * results[at + EARLIER]
        last = sign * x
        bend, slope = first - 2.0 * middle + last, 0.5 * (last - first)
        if bend < 0.0 and middle >= first and middle >= last:
            top = middle - 0.5 * slope * slope / bend
            if top > sign * results[at + ANSWER]:
                results[at + ANSWER], results[at + COMPANION] = sign * top, t - h - h * slope / bend
    results[at + EARLIER] = results[at + BEFORE]
    results[at + BEFORE] = x


_FLOATS, _WORDS = types.float64[::1], types.int64[::1]
SIGNATURES = {
    "note": types.int64(
        _WORDS, _WORDS, _WORDS, types.int64, types.int64, types.float64, types.float64, _FLOATS, _FLOATS
    )
}
