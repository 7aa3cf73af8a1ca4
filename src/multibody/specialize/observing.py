"""What can be read of a member at an instant: accelerations, multipliers, energies, efforts, Φ_q and coordinates.

Nothing is computed here: these kernels ask those that results are made of (``formulations/expand.py`` and others), one instant
at a time. What no output needs, LLVM leaves out.
"""

from __future__ import annotations

from numba import types

from multibody.formulations.driven import entries_at
from multibody.formulations.expand import expand
from multibody.formulations.relative import cartesian_states, expand_relative
from multibody.kernels.calls import EVALUATE
from multibody.kernels.compile import inner_kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.measure import measure_functions


@inner_kernel
def observe_bodies(
    model, state, scratch, times, Y, refs, B, V, A, multipliers, energies, efforts, loads, rows, entries, which, values, rates,
    accelerations, closing,
):  # fmt: skip
    """Write what is known at one state of the bodies; return 0, or 1 where the equations cannot be solved.

    Parameters
    ----------
    times : array (1,)
    Y : array (1, size)
        y of the run.
    refs : array (1, functions)
        Angle references.
    B : array (1, nq + nv + 1)
        (q, v, w) of the bodies: the same memory as Y here, written where y are joint coordinates.
    V : array (1, nv)
        The part v of it.
    A, multipliers, energies, efforts, loads : arrays (1, ·), written
        As ``expand`` has them.
    rows : int
        Rows of joints and motions.
    entries : array (1, entries of Φ_q), written
    which : array of int
        Coordinate functions that are read.
    values, rates, accelerations : arrays (1, functions read), written
    closing : int
        1: the state comes from an interpolant and is brought onto the constraints first, Y with it.
    """
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    if expand(model, state, scratch, times, Y, refs, closing, A, multipliers, energies, efforts, loads) == 0:
        return 1
    entries_at(model, state, scratch, times, B, refs, rows, entries)
    measure_functions(model, state, scratch, B, V, A, refs, which, values, rates, accelerations)
    return 0


@inner_kernel
def observe_joints(
    model, state, scratch, times, Y, refs, B, V, A, multipliers, energies, efforts, loads, rows, entries, which, values, rates,
    accelerations, closing,
):  # fmt: skip
    """Write what is known at one state in joint coordinates; see :func:`observe_bodies`."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    cartesian_states(model, state, scratch, times, Y, refs, closing, B)
    if expand_relative(model, state, scratch, times, Y, refs, A, multipliers, energies, efforts, loads) == 0:
        return 1
    entries_at(model, state, scratch, times, B, refs, rows, entries)
    measure_functions(model, state, scratch, B, V, A, refs, which, values, rates, accelerations)
    return 0


_ROW = types.float64[:, ::1]
_REST = (types.float64[::1], *(_ROW,) * 9, types.int64, _ROW, types.int64[::1], *(_ROW,) * 3, types.int64)
SIGNATURES = {
    name: {version: types.int64(*EVALUATE[version == "planar"].args[:3], *_REST) for version in ("planar", "spatial")}
    for name in ("observe_bodies", "observe_joints")
}
