"""Whether the rows that are independent in members are those of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.analyses.members.numbers import Numbers, note
from multibody.integrators import deciding_members as M
from multibody.kernels.assembly.around import ranks_around
from multibody.kernels.assembly.member import CLOSED
from multibody.kernels.rows import row_jacobian
from multibody.kernels.state import set_positions
from multibody.rank.around import Surroundings
from multibody.rank.leastnorm import takes_rows
from multibody.rank.run_rows import NOISE
from multibody.state.system import Flags, Floats, Integers

if TYPE_CHECKING:
    from multibody.analyses.members.blocks import Blocks


def note_rows(b: Blocks, numbers: Numbers, rows: Integers, times: Floats, why: Any) -> None:
    """Note whose independent rows are others than those of the model; see :func:`have_rows`."""
    which, same = np.flatnonzero(why == ""), np.ones(len(why), dtype=bool)
    same[which] = have_rows(b, numbers, which, rows, times)
    note(why, same, "other rows")


def have_rows(b: Blocks, numbers: Numbers, which: Integers, rows: Integers, times: Floats) -> Flags:
    """Return whether these rows are independent in members that are assembled, and no others are taken in their place.

    Parameters
    ----------
    b : Blocks
    numbers : Numbers
        Which knows the scales of members.
    which : array of int
    rows : array of int
        Of the model.
    times : array (members,)
        At which the members are assembled.
    """
    count = b.tables.count_joint + b.tables.count_motion
    closed = b.codes[which, 0] == CLOSED
    same = closed & (len(rows) == count)
    open_ = np.flatnonzero(~closed)
    if len(open_):
        same[open_] = _take(b, numbers, which[open_], rows, times)
        left = open_[same[open_]] if len(rows) < min(count, b.tables.nv) else open_[:0]
        same[left] = _ranks(b, which[left], times) <= len(rows)
    return np.asarray(same)


def _take(b: Blocks, numbers: Numbers, which: Integers, rows: Integers, times: Floats) -> Flags:
    """Return whether the rows that single analyses take at the poses of members are these."""
    tables, system = b.tables, b.system
    pointer = tables.row_pointer[: system.rows + 1]
    entries = np.zeros((len(which), int(pointer[-1])))
    calls = b.at(set_positions, M.POSITIONS), b.at(row_jacobian, M.JACOBIAN)
    M.jacobian_members(calls, which, b.models, b.states, b.scratch.address, times, b.Q, system.rows, entries)
    row_of = np.repeat(np.arange(system.rows), np.diff(pointer))
    J, by_row = np.zeros((len(which), system.rows, system.nv)), np.zeros((len(which), system.rows))
    by_column = np.zeros((len(which), system.nv))
    numbers.scales(b.numbers[which], by_row, by_column)
    np.add.at(J, (slice(None), row_of, tables.columns[: pointer[-1]]), entries)  # type: ignore[arg-type]  # of all members
    J = by_row[:, :, None] * J * by_column[:, None, :]
    return np.array([takes_rows(each, rows, floor=NOISE) for each in J], dtype=bool)


def _ranks(b: Blocks, which: Integers, times: Floats) -> Integers:
    """Return how many rows of members are independent around their poses, at most."""
    near = Surroundings.of(b.tables)
    room, ranks = near.room(), np.zeros(len(which), dtype=np.int64)
    M.around_members(
        b.at(ranks_around, M.AROUND), which, b.models, b.states, b.scratch.address, near.rows.address, room.address, times,
        b.Q, near.directions, near.directions.copy(), near.lengths, ranks,
    )  # fmt: skip
    return ranks
