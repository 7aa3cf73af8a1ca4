"""The way of a driven mechanism for one member, from instant to instant, as a kernel that is joined to its structure later.

Nothing is solved here: ``kernels/tracking.py`` is asked for one instant after the other. A member that it cannot bring there
stops, and says where.
"""

from __future__ import annotations

import math

from numba import types

from multibody.kernels.calls import EVALUATE
from multibody.kernels.compile import inner_kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.square_system import square_at
from multibody.kernels.tracking import DONE, follow, path_at
from multibody.specialize.stepping import REASONS, REFUSED

TIME, STEP, KNOWN, NUMBERS = range(4)  # what is kept of a path beside its arrays
SETTLING = 3  # times that the first instant is solved: the smallest singular value comes by iteration from an arbitrary vector


@inner_kernel
def follow_instants(
    model, state, scratch, square, path, t, spacing, first, count, last, end, words, y, kept, states, known
):
    """Write the states at some instants; return 0, or where and why the member stopped.

    Parameters
    ----------
    square, path : addresses of a SquareSystem and a Path
        The path's arrays are those of `y`, what lives on of the square system is the member's own.
    t, spacing : float
        Time of instant 0, and from one to the next.
    first, count, last : int
        The first instant that is asked for, how many, and the last one of all.
    end : float
        The time of that one.
    words : array
        What the member has in the block ``State``.
    y : array (nq + 2 nv,)
        Positions, velocities and accelerations; at the beginning the positions alone count.
    kept : array (NUMBERS,), changed
    states, known : arrays (count, ·), written
        y and words at the instants.
    """
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    square, path = square_at(square), path_at(path)
    if first == 0:
        kept[TIME], kept[STEP], kept[KNOWN] = t, 0.0, 0.0
        for c in range(square.null.size):
            square.null[c] = 1.0 / math.sqrt(square.null.size)
    path.time, path.step, path.known = kept[TIME], kept[STEP], int(kept[KNOWN])
    settling = SETTLING - 1 if first == 0 else 0
    for k in range(count + settling):
        j = max(k - settling, 0)
        status = follow(model, state, scratch, square, path, end if first + j == last else t + (first + j) * spacing)
        if status != DONE:
            return REASONS * (first + j) + REFUSED
        for i in range(words.size):
            known[j, i] = words[i]
        for i in range(y.size):
            states[j, i] = y[i]
    kept[TIME], kept[STEP], kept[KNOWN] = path.time, path.step, float(path.known)
    return 0


_WORD, _NUMBER, _ROW = types.int64, types.float64, types.float64[::1]
_ASKED = (_WORD, _WORD, _NUMBER, _NUMBER, _WORD, _WORD, _WORD, _NUMBER, _ROW, _ROW, _ROW)
SIGNATURES = {
    "follow_instants": {
        version: _WORD(*EVALUATE[version == "planar"].args[:3], *_ASKED, *(types.float64[:, :],) * 2)
        for version in ("planar", "spatial")
    }
}
