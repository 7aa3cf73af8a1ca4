"""Members whose motions switch: when they do, and the instants at which driven ones are solved.

When motions switch is found once for all members that do not differ in parameters of these times. Whether a motion jumps, or
has no bound, is asked of every member.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.analyses.events.switching import Switching, SwitchingTimes, switching_times
from multibody.analyses.kinematics.switched_grid import SwitchedGrid
from multibody.analyses.members.numbers import NotServed
from multibody.formulations.prepare import depend_on_time
from multibody.kernels.assembly.member import OPEN, rates_member
from multibody.model.model import Model
from multibody.model.parameters import changed
from multibody.state.system import Floats, Integers, System
from multibody.tables.lower import Tables

if TYPE_CHECKING:
    from multibody.analyses.members.batch import Batch
    from multibody.analyses.members.blocks import Blocks
    from multibody.analyses.members.drive import DriveBatch


class Switches:
    """When the motions of a model switch, and those of its members.

    Parameters
    ----------
    tables : Tables
    names : sequence of str
        Parameters that differ from member to member.
    times : SwitchingTimes
    """

    def __init__(self, tables: Tables, names: Sequence[str], times: SwitchingTimes) -> None:
        if depend_on_time(tables, np.arange(tables.count_joint)):
            raise NotServed("couplers that switch")
        self.tables, self.names, self.times, slots = tables, names, times, tables.parameter_slots
        self.slots = np.array([slots[parts] for parts in times.parameters], dtype=np.int64)

    @classmethod
    def of(cls, tables: Tables, names: Sequence[str]) -> Switches | None:
        """Return those of a model, None where nothing switches."""
        found = switching_times(tables)
        return None if found is None else cls(tables, names, found)

    def count(self, system: System, q: Floats, asked: Floats) -> int:
        """Return at how many instants the model is solved for those that are asked for."""
        made = SwitchedGrid(system, q, asked, copy.copy(self.times))
        if made.refused is not None:
            raise NotServed("a motion that jumps")
        return len(made.grid)

    def of_members(self, b: Batch | DriveBatch) -> Callable[[int], SwitchingTimes]:
        """Return a function that says when the motions of a member switch.

        What one look found over the whole time of a member serves others of the same time; more looks than one depend on where
        the first ones ended, and are made anew as by a single analysis.
        """
        own, known = self.tables.F[self.slots], dict[tuple[float, float], SwitchingTimes]()

        def times(k: int) -> SwitchingTimes:
            if not np.array_equal(b.numbers[k, self.slots], own):
                return SwitchingTimes(self._varied(b.numbers[k]))
            span = float(b.times[k, 0]), float(b.times[k, -1])
            if span not in known or not known[span].looked(*span):
                known[span] = copy.copy(self.times)
            return known[span]

        return times

    def begin(self, b: DriveBatch, n: int, why: Any) -> None:
        """Write the instants at which the first members, which are assembled, are solved; note who does not fit."""
        times = self.of_members(b)
        for k in np.flatnonzero(why[:n] == "").tolist():
            made = SwitchedGrid(b.one.system(k), b.Q[k], b.times[k], times(k))
            if made.refused is not None or len(made.grid) != b.grid.shape[1]:
                why[k] = "a motion that jumps" if made.refused is not None else "other instants"
            elif not settle_rates(b, k, float(b.times[k, 0]), made.passed[0] if made.passed else None):
                why[k] = "it does not close at once"
            else:
                b.grid[k], b.index[k], b.passed[k] = made.grid, made.index, made.passed

    def _varied(self, numbers: Floats) -> Model:
        """Return the model of a member."""
        slots = self.tables.parameter_slots
        return changed(self.tables.model, {name: float(numbers[slots[(name,)]]) for name in self.names})


def settle_rates(b: Blocks, k: int, t: float, here: Switching | None) -> bool:
    """Give a member that begins at a switching instant the rates behind it; return whether there are any."""
    if here is None or not min(here.before, here.after) <= t <= max(here.before, here.after):
        return True
    model, state = b.blocks(k)
    room = (b.plan.block.address, b.assembly.address)
    b.codes[k, 0] = rates_member(model.address, state.address, b.scratch.address, *room, here.after, b.Q[k], b.V[k])
    return bool(b.codes[k, 0] != OPEN)


def limits(grid: Floats, index: Integers) -> Floats:
    """Return the times that stand for the instants of members (members, instants): limits behind switching instants."""
    return np.take_along_axis(grid, index, axis=1)
