"""Members of a study of ``kinematics``: followed over their instants, and between them, in compiled loops.

Where there are as many independent rows as velocities nothing has to be chosen. Where some are redundant, or something is idle,
every member has the rows that solve it. What is singular or blocked on its way is left to the ordinary path.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from multibody.analyses.assembly.member import Plan, compiled_state, plan_of
from multibody.analyses.events.switching import Switching, limits_behind
from multibody.analyses.kinematics.kinematics import time_grid
from multibody.analyses.kinematics.solvers import DenseSolver
from multibody.analyses.kinematics.switched_grid import with_limits
from multibody.analyses.kinematics.turning import MANY, TURN
from multibody.analyses.members.blocks import NOTHING, Blocks
from multibody.analyses.members.numbers import OPENED, NotServed, Numbers, note
from multibody.analyses.members.rows import take_rows
from multibody.analyses.members.switched import Switches
from multibody.analyses.members.together import Stack, StackedAnswers
from multibody.errors import ModelError
from multibody.integrators import driven_members as DM
from multibody.integrators import members as columns
from multibody.kernels import tracking
from multibody.kernels.arrays import Arrays
from multibody.kernels.assembly.member import CLOSED, OPEN
from multibody.model.model import Model
from multibody.rank.drive import Drive, find_drive, plain_drive
from multibody.rank.leastnorm import DENSE_ASSEMBLY, is_large
from multibody.state.system import Flags, Floats, Integers, System, tables_of

MOST_NUMBERS = 4_000_000  # that a batch may fill, 32 MB
MOST_MEMBERS = 512  # of a batch
LOOKS = 200  # instants at which it is looked how far motions turn


class DriveMembers:
    """The members of a study of ``kinematics``.

    Parameters
    ----------
    model, names, options
        As for ``RunMembers``.
    """

    verb = "kinematics"
    lost = "it is singular between its instants"
    last_only = False
    between = True  # whether mechanisms are solved between their instants, with redundant rows and motions that switch too

    def __init__(self, model: Model, names: Sequence[str], options: Mapping[str, Any]) -> None:
        self.given = dict(options)
        self.model = self._acted(model)
        self.tables = tables = tables_of(self.model)
        system, plan = System(tables), plan_of(tables, switching=True)
        if plan is None or is_large(tables.nv) or tables.nv > DENSE_ASSEMBLY:
            raise NotServed("its assembly is not compiled")
        if tables.model.events:
            raise NotServed("events")
        self.plan: Plan = plan
        self.numbers = Numbers(tables, names)
        self._read_times(model, options)
        self.switches = Switches.of(tables, names)
        if self.switches is not None and not self.between:
            raise NotServed("motions that switch")
        self.drive = self._own_drive(system)
        self.base = self._blocks(system)

    def _own_drive(self, system: System) -> Drive:
        """Return the rows that solve the model itself."""
        found = compiled_state(system, float(self.instants[0]))
        self.solved = self.count
        if self.switches is not None:
            if found is None:
                raise NotServed("its own start")
            self.solved = self.switches.count(system, found[0].q, self.instants)
        self.plain = system.rows == system.nv and (found is None or found[1] is not None)
        if self.plain:
            return plain_drive(system.nv)
        if found is None or not self.between:
            raise NotServed("its own start" if found is None else "dependent rows")
        try:
            return find_drive(system, found[0].q, found[0].t)
        except ModelError as error:
            raise NotServed("its own start") from error

    def _have_drive(self, b: DriveBatch, why: Any) -> Flags:
        """Return whether as many rows as those of the model solve members; these and what holds idle freedom are noted."""
        own, same = self.drive, why != ""
        which = np.flatnonzero(~same)
        b.chosen[which], b.gauges[which] = own.rows, own.gauge.ravel()
        if len(own.rows) == self.tables.nv:  # nothing is idle
            same[which] = take_rows(b, which, own.rows, b.times[:, 0], 0.0)
        for k in np.flatnonzero(~same):
            same[k] = self._has_drive(b, int(k))
        return np.asarray(same, dtype=bool)

    def _has_drive(self, b: DriveBatch, k: int) -> bool:
        """Return whether as many rows as those of the model solve a member; they are noted, with what holds idle freedom."""
        try:
            found = find_drive(b.one.system(k), b.Q[k], float(b.times[k, 0]))
        except ModelError:
            return False
        if len(found.rows) != len(self.drive.rows) or found.gauge.shape != self.drive.gauge.shape:
            return False
        b.chosen[k], b.gauges[k] = found.rows, found.gauge.ravel()
        return True

    def _blocks(self, system: System) -> Arrays:
        """Return the blocks of the model that those of members are like."""
        return system

    def _read_times(self, model: Model, options: Mapping[str, Any]) -> None:
        """Find out how many instants members have, and when they begin and end."""
        grid = time_grid(model, options.get("start"), options.get("until"), options.get("steps"), None, None, self.verb)
        if len(grid) < 2:
            raise NotServed("one instant")
        self.count, self.instants = len(grid), grid
        self.ends = [self._time(key, value) for key, value in (("start", grid[0]), ("until", grid[-1]))]

    def _acted(self, model: Model) -> Model:
        """Return the model that is analyzed."""
        return model

    def _time(self, key: str, value: float) -> Any:
        """Return a first or last time, which may be a formula of parameters."""
        stated = [self.model.defaults.of(each) for each in (self.verb, "kinematics")]
        own: Mapping[str, Any] = next((each for each in stated if each.keys() & {"start", "until", "steps", "at", "times"}), {})
        given = self.given.get(key, own.get(key))
        if given is None or (isinstance(given, int | float) and not isinstance(given, bool)):
            return float(value)
        return self.numbers.number(self.model, given, f"{self.verb}.{key}")

    @property
    def most(self) -> int:
        """How many members a batch has."""
        t = self.tables
        instant = t.nq + 7 * t.nv + len(t.functions) + 2 * len(t.rows) + t.effort_count + self._beside
        return max(1, min(MOST_MEMBERS, MOST_NUMBERS // (self.solved * instant)))

    @property
    def _beside(self) -> int:
        """How many further numbers of an instant the rows need."""
        return int(self.tables.row_pointer[-1])

    def batch(self, count: int) -> DriveBatch:
        """Return room for so many members at a time."""
        return DriveBatch(self, count)

    def computed(self, b: DriveBatch, values: Floats, why: Any) -> Integers:
        """Follow members; return those that came to their ends.

        Parameters
        ----------
        b : DriveBatch
        values : array (members, varied)
        why : array of text (members,), written
            Why the others are left to the ordinary path.
        """
        n = len(values)
        self.start(b, values, why)
        which = np.flatnonzero(why == "")
        if len(which):
            b.follow(which)
            note(why, b.reached[:n] == tracking.DONE, "it does not come to its end")
            note(why, self._turns_little(b, n), "many turns")
        return np.flatnonzero(why == "")

    def start(self, b: DriveBatch, values: Floats, why: Any) -> None:
        """Write numbers, instants and assembled positions of members; see :meth:`computed`."""
        n = len(values)
        numbers = b.numbers[:n]
        note(why, self.numbers.fill(values, b.models[:n], b.scratch.address, numbers), "values that are refused")
        numbers[why != ""] = self.tables.F  # of no account
        self._set_times(b, n, why)
        b.assemble(b.times[:n, 0].copy())
        note(why, b.codes[:n, columns.CLOSED] != OPEN, OPENED)
        if self.plain:
            note(why, b.codes[:n, columns.CLOSED] == CLOSED, "dependent rows")
        else:
            note(why, self._have_drive(b, why), "other rows")
        if self.switches is not None:
            self.switches.begin(b, n, why)
        self._begin(b, n, why)

    def _begin(self, b: DriveBatch, n: int, why: Any) -> None:
        """Tell the first members, which are assembled, what else they need; note who does not fit."""

    def _set_times(self, b: DriveBatch, n: int, why: Any) -> None:
        """Write the instants of members, evenly spaced."""
        first, last = (self.numbers.evaluated(formula, b.numbers[:n]) for formula in self.ends)
        good = np.isfinite(first) & np.isfinite(last) & (first != last)
        note(why, good, "values that are refused")
        first, last = np.where(good, first, self.instants[0]), np.where(good, last, self.instants[-1])  # of no account
        step = (last - first) / (self.count - 1)
        b.times[:n] = np.arange(self.count) * step[:, None] + first[:, None]
        b.times[:n, -1] = last

    def _turns_little(self, b: DriveBatch, n: int) -> Flags:
        """Return whether the motions turn so little that every turn is followed."""
        angles = [k for k, row in enumerate(self.tables.rows[self.tables.count_joint : b.rows]) if not row.is_length]
        way = np.sum(np.abs(np.diff(b.asked[:n], axis=1)), axis=1)[:, angles]
        return np.asarray(np.max(way, axis=1, initial=0.0) < max(MANY, self.solved) * TURN)

    def answers(self, b: DriveBatch, which: Integers) -> StackedAnswers:
        """Return what was computed of members."""
        return DriveAnswers(b.stack(which, self.last_only))


class DriveBatch(Blocks):
    """Some driven members.

    Parameters
    ----------
    members : DriveMembers
    count : int
        How many there is room for.
    """

    def __init__(self, members: DriveMembers, count: int) -> None:
        self.members, tables, system = members, members.tables, System(members.tables)
        super().__init__(tables, members.base, members.plan, count, self._scales(count))
        n, nq, nv, rows = members.solved, tables.nq, tables.nv, system.rows
        self.rows, self.times = rows, np.zeros((count, members.count))
        self.switched, self.passed = members.switches is not None, dict[int, list[Switching]]()
        self.grid = np.zeros((count, n)) if self.switched else self.times  # instants at which members are solved
        self.index = np.tile(np.arange(members.count), (count, 1))  # those among them that were asked for
        self.solver = DenseSolver(system)
        self.solver.use(members.drive)
        width = tracking.ENDS + nq + 2 * nv
        self.path = tracking.Path(
            q=nq, v=nv, a=nv, trial_q=nq, trial_v=nv, trial_a=nv, violation=3, worst=3, signs=len(self.solver.block.signs),
            crossings=width * 64,
        )  # fmt: skip
        self._blank, self.lost = self.path._slots.copy(), members.lost
        counted = 0 if self.planar else self.refs.shape[1]
        self.at_instants = [np.zeros((count, n, size)) for size in (nq, nv, nv, counted)]
        self.sigma, self.reached = np.zeros((count, n)), np.zeros(count, dtype=np.int64)
        self.asked = np.zeros((count, len(range(0, n, max(1, n // LOOKS))), rows - tables.count_joint))
        self.bad = np.zeros(count, dtype=bool)
        self.chosen, self.gauges = np.tile(members.drive.rows, (count, 1)), np.zeros((count, members.drive.gauge.size))
        block, drive = self.solver.block, members.drive
        block.chosen, block.gauge = drive.rows.copy(), drive.gauge.ravel().copy()  # where those of a member are written

    def _scales(self, count: int) -> Mapping[str, Floats]:
        """Return further numbers of the models by name (members, ·)."""
        return NOTHING

    def follow(self, which: Integers) -> None:
        """Follow members over their instants."""
        some = np.ascontiguousarray(self.grid[:, :: max(1, self.grid.shape[1] // LOOKS)])
        self.bad[:] = False
        turned = (self.tables.count_joint, self.rows, some, self.asked)
        arrays = (self.models, self.states, self.grid, self.Q, *self.at_instants, self.sigma)
        self._track(which, which, arrays, turned, self.reached)

    def followed_from(self, which: Integers, near: Integers, times: Floats) -> Stack:
        """Return members at times (read, times) behind one of their instants each, as ``kinematics.between`` has single ones.

        One that does not get there is noted in `bad`.
        """
        begins = self.index[which, near]
        asked = np.hstack([self.grid[which, begins][:, None], times])
        if not self.switched:
            Q, V, A, R = self._followed(which, begins, asked, np.arange(1, asked.shape[1]))
            return Stack(self, which, times, Q, V, A, R)
        parts, order = list[list[Floats]](), list[Integers]()
        for some, grid, index in self._with_limits(which, asked):
            parts.append(self._followed(which[some], begins[some], grid, index))
            order.append(some)
        back = np.argsort(np.concatenate(order))
        Q, V, A, R = (np.concatenate(same)[back] for same in zip(*parts, strict=True))
        return Stack(self, which, times, Q, V, A, R)

    def _with_limits(self, which: Integers, asked: Floats) -> Iterator[tuple[Integers, Floats, Integers]]:
        """Yield who is solved at as many instants together, the instants, and which of them were asked for behind the first."""
        for some, passed in self._by_switching(which):
            grids, solved = with_limits(passed, asked[some])
            counts = np.sum(np.isfinite(grids), axis=1)
            for count in np.unique(counts):
                alike = counts == count
                grid = grids[alike, :count]
                index = np.argmax(grid[:, None, :] == solved[alike, 1:, None], axis=2)
                yield some[alike], grid, index

    def _by_switching(self, which: Integers) -> Iterator[tuple[Integers, list[Switching]]]:
        """Yield who has the same switching instants, and these."""
        lists = np.array([id(self.passed[k]) for k in which.tolist()])
        for own in np.unique(lists):
            some = np.flatnonzero(lists == own)
            yield some, self.passed[int(which[some[0]])]

    def limits(self, which: Integers, times: Floats) -> Floats:
        """Return times (read, times) with the limits behind switching instants in place of these."""
        if not self.switched:
            return times
        found = times.copy()
        for some, passed in self._by_switching(which):
            found[some] = limits_behind(passed, times[some])
        return found

    def _followed(self, which: Integers, begins: Integers, grid: Floats, index: Integers) -> list[Floats]:
        """Return q, v, a and angle references of members at some of the instants of a grid that begins at one of their own.

        Parameters
        ----------
        which, begins : arrays (members,)
            Who, and which of the instants at which they were solved is the first of the grid.
        grid : array (members, instants)
        index : array (instants,) or (members, instants)
        """
        (m, n), kept, references = grid.shape, self.refs[which], self.at_instants[3]
        self.refs[which] = self.begin_refs[which] if self.planar else references[which, begins]
        made = [np.zeros((m, n, x.shape[2])) for x in self.at_instants]
        codes, nothing = np.zeros(m, dtype=np.int64), (0, 0, np.zeros((m, 0)), np.zeros((m, 0, 0)))
        places = np.ascontiguousarray(self.at_instants[0][which, begins])
        tracked = (self.models[which], self.states[which], np.ascontiguousarray(grid), places, *made, np.zeros((m, n)))
        self._track(np.arange(m), which, tracked, nothing, codes)
        self.refs[which] = kept
        self.bad[which] |= codes != tracking.DONE
        rows = np.arange(m)[:, None]
        Q, V, A, R = (np.ascontiguousarray(x[:, index] if index.ndim == 1 else x[rows, index]) for x in made)
        return [Q, V, A, self._references(which, R)]

    def _track(self, rows: Integers, which: Integers, arrays: Any, turned: tuple[Any, ...], codes: Integers) -> None:
        """Follow members over times, see ``driven_members.track_members``.

        Parameters
        ----------
        rows, which : arrays of int
            Where members stand in the arrays, and which they are.
        arrays : models, states, times, begins, then what is written
        turned, codes
            As there.
        """
        p, block, (models, states, *others) = self.path, self.solver.block, arrays
        path = (p.address, p._slots, self._blank, p._floats, tracking.Path.fields["time"].slot, p.q, p.v, p.a)
        calls = (self.at(tracking.track, DM.TRACK), self.at(tracking.values_over, DM.VALUES))
        drives = (which, self.chosen, self.gauges, block.chosen, block.gauge)
        blocks = (models, states, self.scratch.address, block.address, block.null)
        DM.track_members(calls, rows, *blocks, drives, path, *others, turned, codes)

    def _references(self, which: Integers, R: Floats) -> Floats:
        """Return angle references as a stack has them: in the plane those at the start."""
        return np.ascontiguousarray(self.begin_refs[which][:, None, :]) if self.planar else R

    def stack(self, which: Integers, last: bool = False) -> Stack:
        """Return instants of members, all of them or the last one alone."""
        if self.switched or last:
            index = self.index[which, -1:] if last else self.index[which]
            parts = [np.ascontiguousarray(x[which[:, None], index]) for x in self.at_instants]
        else:
            every = len(which) == which[-1] + 1  # from the first one on: nothing is copied
            parts = [x[: len(which)] if every else np.ascontiguousarray(x[which]) for x in self.at_instants]
        Q, V, A, R = parts
        return Stack(self, which, self.times[which][:, -1:] if last else self.times[which], Q, V, A, self._references(which, R))

    def unsolved(self, which: Integers) -> Flags:
        """Return at which of these members efforts were not found at some instant."""
        return self.bad[which]


class DriveAnswers(StackedAnswers):
    """Driven members, which are solved between their instants too."""

    def __init__(self, stack: Stack) -> None:
        super().__init__(stack, known_between=True)

    def between(self, which: Any, times: Floats) -> DriveAnswers:
        """Return the answers of some members at other times of their motions (which, times)."""
        s, b = self.stack, self.stack.members
        assert isinstance(b, DriveBatch)
        t = s.t[which]
        sign = np.where(t[:, -1:] >= t[:, :1], 1.0, -1.0)
        near = np.maximum(np.sum(sign * t < sign * times[:, :1], axis=1) - 1, 0)
        return type(self)(b.followed_from(s.which[which], near, np.ascontiguousarray(times)))
