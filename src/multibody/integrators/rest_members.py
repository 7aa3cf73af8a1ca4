"""Positions of rest of many members, one after the other in a compiled loop; see ``members``."""

from __future__ import annotations

from numba import types

from multibody.integrators import members as M
from multibody.kernels.calls import entering

REST = types.Tuple((types.int64, types.float64))(
    *M._BLOCKS, *(types.int64,) * 3, types.float64, types.int64, types.float64, *(types.float64[::1],) * 4
)
_rest = entering(REST)


@M._free
def rest_members(
    rest, which, models, states, scratch, rooms, times, rank, tolerance, Q, multipliers, efforts, loads, potential, codes
):  # fmt: skip
    """Find positions of rest; the angle references of the states move along.

    Parameters
    ----------
    rest : address
        ``kernels.statics.search.find_rest``.
    which : array of int
    models, states : arrays of int (members,)
    scratch : address
    rooms : tuple of addresses
        Plan and room of assembly, room of statics.
    times : array (members,)
    rank : int
        How many rows are independent.
    tolerance : float
    Q : array (members, nq), changed
    multipliers, efforts, loads : arrays (members, ·), written
    potential : array (members,), written
    codes : array of int (members,), written
    """
    plan, room, own = rooms
    for j in range(which.shape[0]):
        k = which[j]
        codes[k], potential[k] = _rest(
            rest,
            (
                models[k], states[k], scratch, plan, room, own, times[k], rank, tolerance, Q[k], multipliers[k], efforts[k],
                loads[k],
            ),
        )  # fmt: skip
