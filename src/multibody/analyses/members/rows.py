"""Whether the rows that are independent in members are those of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.analyses.members.numbers import note
from multibody.integrators import deciding_members as M
from multibody.integrators import members as columns
from multibody.kernels.assembly.around import ranks_around
from multibody.kernels.assembly.choice import takes_rows_at
from multibody.kernels.assembly.levels import UNCLEAR
from multibody.kernels.assembly.member import CLOSED
from multibody.rank.around import Surroundings
from multibody.rank.leastnorm import independent_rows
from multibody.rank.run_rows import NOISE
from multibody.state.system import Flags, Floats, Integers

if TYPE_CHECKING:
    from multibody.analyses.members.blocks import Blocks


def note_rows(b: Blocks, rows: Integers, times: Floats, why: Any) -> None:
    """Note whose independent rows are others than those of the model; see :func:`have_rows`."""
    which, same = np.flatnonzero(why == ""), np.ones(len(why), dtype=bool)
    same[which] = have_rows(b, which, rows, times)
    note(why, same, "other rows")


def have_rows(b: Blocks, which: Integers, rows: Integers, times: Floats) -> Flags:
    """Return whether these rows are independent in members that are assembled, and no others are taken in their place.

    Parameters
    ----------
    b : Blocks
    which : array of int
    rows : array of int
        Of the model.
    times : array (members,)
        At which the members are assembled.
    """
    count = b.tables.count_joint + b.tables.count_motion
    closed = b.codes[which, columns.CLOSED] == CLOSED
    same = closed & (len(rows) == count)
    open_ = np.flatnonzero(~closed)
    if len(open_):
        same[open_] = take_rows(b, which[open_], rows, times, NOISE)
        left = open_[same[open_]] if len(rows) < min(count, b.tables.nv) else open_[:0]
        same[left] = _ranks(b, which[left], times) <= len(rows)
    return np.asarray(same)


def take_rows(b: Blocks, which: Integers, rows: Integers, times: Floats, floor: float, cut: float = 1e-9) -> Flags:
    """Return whether these are the rows that :func:`independent_rows` takes at the poses of members.

    Parameters
    ----------
    b : Blocks
    which : array of int
    rows : array of int
        Of joints and motions, in increasing order.
    times : array (members,)
        At which the members are assembled.
    floor, cut : float
        As for :func:`independent_rows`.
    """
    system, answers, chosen = b.system, np.full(len(which), UNCLEAR), np.ascontiguousarray(rows)
    if 0 < len(rows) < system.rows:
        M.taking_members(
            b.at(takes_rows_at, M.TAKES), which, b.models, b.states, b.scratch.address, b.plan.block.address,
            b.assembly.address, times, b.Q, system.rows, cut, floor, chosen, answers,
        )  # fmt: skip
    for j in np.flatnonzero(answers == UNCLEAR):
        own, k = b.one.system(int(which[j])), which[j]
        found = independent_rows(own.scaled(own.jacobian(b.Q[k].copy(), float(times[k]))), cut, floor)
        answers[j] = np.array_equal(found, rows)
    return np.asarray(answers == 1)


def _ranks(b: Blocks, which: Integers, times: Floats) -> Integers:
    """Return how many rows of members are independent around their poses, at most."""
    near = Surroundings.of(b.tables)
    room, ranks = near.room(), np.zeros(len(which), dtype=np.int64)
    M.around_members(
        b.at(ranks_around, M.AROUND), which, b.models, b.states, b.scratch.address, near.rows.address, room.address, times,
        b.Q, near.directions, near.directions.copy(), near.lengths, ranks,
    )  # fmt: skip
    return ranks
