"""What can be read of a member at an instant: accelerations, multipliers, energies, efforts, Φ_q and coordinates.

Nothing is computed here: these kernels ask those that results are made of (``formulations/expand.py`` and others), one instant
at a time. What no output needs, LLVM leaves out.
"""

from __future__ import annotations

import math

from numba import types

from multibody.formulations.driven import entries_at, forces_at
from multibody.formulations.expand import expand
from multibody.formulations.one_drive import CODE, EFFORT, FOUND, GIVEN, IDLE, REGULAR, ROOM, efforts_at
from multibody.formulations.relative import cartesian_states, expand_relative
from multibody.kernels.calls import EVALUATE
from multibody.kernels.compile import inner_kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.measure import measure_functions
from multibody.kernels.memory.compiled import table
from multibody.kernels.scales import column_scale, row_scale

MOTION, FUNCTION, IS_LENGTH, ROW, LAW = range(5)  # what is said of the only actuator


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


@inner_kernel
def observe_kinematics(
    model, state, scratch, times, Y, refs, B, V, A, multipliers, energies, efforts, loads, rows, entries, which, values, rates,
    accelerations, closing,
):  # fmt: skip
    """Write what is known of a driven mechanism, whose y is (q, v, v̇); see :func:`observe_bodies`."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    for c in range(model.coordinates + model.velocities):
        B[0, c] = Y[0, c]
    for c in range(model.velocities):
        A[0, c] = Y[0, model.coordinates + model.velocities + c]
    entries_at(model, state, scratch, times, B, refs, rows, entries)
    measure_functions(model, state, scratch, B, V, A, refs, which, values, rates, accelerations)
    return 0


@inner_kernel
def observe_inverse(
    model, state, scratch, times, Y, refs, B, V, A, multipliers, energies, efforts, loads, rows, entries, which, values, rates,
    accelerations, closing, about, slots, moved, needed, room, places,
):  # fmt: skip
    """Write the same with the forces of the motion and the effort of its only actuator; return 1 where there is none.

    Parameters
    ----------
    about : array of int
        By ``MOTION`` and the others: where the motion is among the rows, the actuator's coordinate, whether that is a length,
        its row and its law, −1 where it has none.
    slots : array of int
        Where the entries of Φ_q lie in the square matrix by rows.
    moved, needed : float
        Limits, see ``one_drive.efforts_at``.
    room : array
        Room for ``drive_room`` numbers.
    places : array of int
        And for so many integers.
    """
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    observe_kinematics(
        model, state, scratch, times, Y, refs, B, V, A, multipliers, energies, efforts, loads, rows, entries, which, values,
        rates, accelerations, closing,
    )  # fmt: skip
    n, length = model.velocities, model.numbers[model.length]
    at_forces, at_inertia, at_applied, at_basis, at_null, at_columns, at_found, at_rows, at_weights, end = _numbers(
        n, rows, slots.size
    )
    inertia, applied, basis = table(room[at_inertia:], 1, n), table(room[at_applied:], 1, n), table(room[at_basis:], 1, n)
    null, columns, found = room[at_null:at_columns], room[at_columns:at_found], table(room[at_found:], 1, FOUND)
    row_scales, weights = room[at_rows:at_weights], room[at_weights:end]
    at_ends, at_pivots, at_order, last = _places(n)
    order = places[at_order:last]
    for c in range(n):
        null[c], columns[c] = 1.0 / math.sqrt(n), column_scale(model, c)
        order[c] = c
    for r in range(rows):
        row = model.rows[r]
        row_scales[r] = row_scale(model, r)
        for e in range(row.entry, row.entry + row.entries):
            weights[e] = row_scales[r] * columns[model.columns[e]]
    forces_at(model, state, scratch, times, B, V, A, refs, inertia, applied, energies, efforts, loads)
    efforts_at(
        model, state, scratch, times, B, refs, inertia, applied,
        (slots, weights, table(room, 0, 0), order, about[MOTION], entries[0]),
        (table(room, n, n), places[at_pivots:at_order], table(places, n, n), table(places[at_ends:], 2, n), null),
        (row_scales, columns), (about[FUNCTION], length if about[IS_LENGTH] == 1 else 1.0), (REGULAR, moved, needed),
        table(room[at_forces:], ROOM, n), found, basis, multipliers,
    )  # fmt: skip
    if found[0, CODE] != GIVEN and found[0, CODE] != IDLE:
        return 1
    if about[ROW] >= 0:
        multipliers[0, about[ROW]] = -found[0, EFFORT]
    else:
        efforts[0, about[LAW]] = found[0, EFFORT]
    return 0


def _drive_numbers(n, rows, entries):
    """Return where the numbers of a drive lie behind T, in this order, and where they end.

    Room of ``efforts_at``, M v̇, Q, B, the vector of the smallest singular value, scales of columns, what is found, scales of
    rows, weights of entries.
    """
    forces = n * n
    inertia = forces + ROOM * n
    applied = inertia + n
    basis = applied + n
    null = basis + n
    columns = null + n
    found = columns + n
    row_scales = found + FOUND
    weights = row_scales + rows
    return (forces, inertia, applied, basis, null, columns, found, row_scales, weights, weights + entries)


def _drive_places(n):
    """Return where integers of a drive lie behind those of ``factor``: its ends, pivots, the order of rows, and their end."""
    ends = n * n
    pivots = ends + 2 * n
    order = pivots + n
    return (ends, pivots, order, order + n)


_numbers, _places = inner_kernel(_drive_numbers), inner_kernel(_drive_places)


def drive_room(velocities: int, rows: int, entries: int) -> tuple[int, int]:
    """Return how many numbers and integers :func:`observe_inverse` has to have room for."""
    return _drive_numbers(velocities, rows, entries)[-1], _drive_places(velocities)[-1]


_ROW = types.float64[:, ::1]
_REST = (types.float64[::1], *(_ROW,) * 9, types.int64, _ROW, types.int64[::1], *(_ROW,) * 3, types.int64)
SIGNATURES = {
    name: {version: types.int64(*EVALUATE[version == "planar"].args[:3], *_REST) for version in ("planar", "spatial")}
    for name in ("observe_bodies", "observe_joints", "observe_kinematics")
}
_DRIVE = (types.int64[::1], types.int64[::1], types.float64, types.float64, types.float64[::1], types.int64[::1])
SIGNATURES["observe_inverse"] = {
    version: types.int64(*signature.args, *_DRIVE) for version, signature in SIGNATURES["observe_kinematics"].items()
}
