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
from multibody.analyses.kinematics.switched_grid import MOST, SwitchedGrid, solved_grid
from multibody.analyses.members.numbers import OPENED, NotServed
from multibody.formulations.prepare import depend_on_time
from multibody.integrators import crossing_members as X
from multibody.integrators import members as columns
from multibody.kernels.assembly.member import OPEN, rates_member
from multibody.kernels.crossing import ROWS, is_bounded, is_continuous
from multibody.model.model import Model
from multibody.model.parameters import changed
from multibody.state.system import Flags, Floats, Integers, System
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

    def alike(self, b: Batch | DriveBatch, which: Integers) -> Flags:
        """Return which members have the parameters of the model in what switches."""
        return np.asarray(np.all(b.numbers[which][:, self.slots] == self.tables.F[self.slots], axis=1))

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

    def settle(self, b: Batch, which: Integers) -> None:
        """Give members whose motions switch at the time zero the rates behind it."""
        times, alike = self.of_members(b), self.alike(b, which)
        here = self.times.around(0.0)
        settle_rates(b, which[alike], 0.0, here)
        for k in which[~alike].tolist():
            settle_rates(b, np.array([k]), 0.0, times(k).around(0.0))

    def begin(self, b: DriveBatch, n: int, why: Any) -> None:
        """Write the instants at which the first members, which are assembled, are solved; note who does not fit."""
        times, which = self.of_members(b), np.flatnonzero(why[:n] == "")
        for k in self._begin_together(b, which, why).tolist():
            made = SwitchedGrid(b.one.system(k), b.Q[k], b.times[k], times(k))
            if made.refused is not None or len(made.grid) != b.grid.shape[1]:
                why[k] = "a motion that jumps" if made.refused is not None else "other instants"
            elif not settle_rates(b, np.array([k]), float(b.times[k, 0]), made.passed[0] if made.passed else None)[0]:
                why[k] = OPENED
            else:
                b.grid[k], b.index[k], b.passed[k] = made.grid, made.index, made.passed

    def _begin_together(self, b: DriveBatch, which: Integers, why: Any) -> Integers:
        """Do the same for members that switch at the same instants, if nothing jumps there; return the others."""
        alike = which[self.alike(b, which)]
        alike = alike[np.all(b.times[alike] == b.times[alike[:1]], axis=1)]
        asked = b.times[alike[0]] if len(alike) else np.zeros(0)
        passed = copy.copy(self.times).on_the_way(float(asked[0]), float(asked[-1]), MOST) if len(asked) > 1 else []
        if not passed or asked[0] == asked[-1]:
            return which
        grid, index = solved_grid(passed, asked)
        quiet, t = np.zeros(len(alike), dtype=np.int64), b.tables
        instants = np.array([[item.before for item in passed], [item.after for item in passed]])
        X.look_members(
            (b.at(is_bounded, X.BOUNDED), b.at(is_continuous, X.CONTINUOUS)), alike, b.models, b.states, b.scratch.address,
            float(asked[0]), b.Q, np.zeros(t.nv), instants, t.count_joint, b.rows, np.zeros((ROWS, b.rows)), quiet,
        )  # fmt: skip
        alike = alike[quiet == 1]
        if len(grid) != b.grid.shape[1]:
            return which
        b.grid[alike], b.index[alike] = grid, index
        b.passed.update(dict.fromkeys(alike.tolist(), passed))
        why[alike[~settle_rates(b, alike, float(asked[0]), passed[0])]] = OPENED
        return np.setdiff1d(which, alike)

    def _varied(self, numbers: Floats) -> Model:
        """Return the model of a member."""
        slots = self.tables.parameter_slots
        return changed(self.tables.model, {name: float(numbers[slots[(name,)]]) for name in self.names})


def settle_rates(b: Blocks, which: Integers, t: float, here: Switching | None) -> Flags:
    """Give members that begin at a switching instant the rates behind it; return which of them have some (which,)."""
    if here is None or not min(here.before, here.after) <= t <= max(here.before, here.after):
        return np.ones(len(which), dtype=bool)
    X.settle_members(
        b.at(rates_member, columns.ASSEMBLE), which, b.models, b.states, b.scratch.address, b.plan.block.address,
        b.assembly.address, here.after, b.Q, b.V, b.codes,
    )  # fmt: skip
    return np.asarray(b.codes[which, columns.CLOSED] != OPEN)
