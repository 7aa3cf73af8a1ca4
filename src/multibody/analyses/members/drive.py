"""Members of a study of ``kinematics`` or ``inverse``: followed, and their efforts found, in compiled loops.

Where there are as many independent rows as velocities nothing has to be chosen. Where some are redundant, or something is idle,
every member has the rows that solve it. What is singular or blocked on its way is left to the ordinary path.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from multibody.analyses.assembly.member import Plan, compiled_state, plan_of
from multibody.analyses.given.own_options import own_options
from multibody.analyses.inverse.inverse import actuator_column, find_actuators, with_actuators
from multibody.analyses.inverse.virtual_power import CHUNK, Solver
from multibody.analyses.kinematics.kinematics import time_grid
from multibody.analyses.kinematics.solvers import DenseSolver
from multibody.analyses.kinematics.turning import MANY, TURN
from multibody.analyses.members.batch import NOTHING, Blocks
from multibody.analyses.members.numbers import NotServed, Numbers, note
from multibody.analyses.members.stacked import Stack, StackedAnswers
from multibody.errors import ModelError
from multibody.formulations import formulation_of
from multibody.formulations.driven import forces_at, solve_square
from multibody.formulations.one_drive import REGULAR, ROOM, efforts_at
from multibody.formulations.square_forces import Along, Found, lu_room
from multibody.integrators import driven_members as DM
from multibody.integrators import members as M
from multibody.kernels import tracking
from multibody.kernels.arrays import Arrays
from multibody.kernels.assembly.member import CLOSED, OPEN
from multibody.kernels.calls import address_with
from multibody.kernels.mass import set_masses
from multibody.model.model import Model
from multibody.rank.drive import Drive, find_drive, plain_drive
from multibody.rank.leastnorm import DENSE_ASSEMBLY, is_large
from multibody.state.kinetics import Dynamics
from multibody.state.system import Flags, Floats, Integers, System, tables_of

MOST_NUMBERS = 2_000_000  # that a batch may fill, 16 MB
MOST_MEMBERS = 256  # of a batch
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
    redundant = True  # whether rows may be

    def __init__(self, model: Model, names: Sequence[str], options: Mapping[str, Any]) -> None:
        self.given = dict(options)
        self.model = self._acted(model)
        self.tables = tables = tables_of(self.model)
        system, plan = System(tables), plan_of(tables)
        if plan is None or is_large(tables.nv) or tables.nv > DENSE_ASSEMBLY:
            raise NotServed("its assembly is not compiled")
        if tables.model.events:
            raise NotServed("events")
        self.plan: Plan = plan
        self.numbers = Numbers(tables, names)
        self._read_times(model, options)
        self.drive = self._own_drive(system)
        self.base = self._blocks(system)

    def _own_drive(self, system: System) -> Drive:
        """Return the rows that solve the model itself."""
        found = compiled_state(system, self.begin)
        self.plain = system.rows == system.nv and (found is None or found[1] is not None)
        if self.plain:
            return plain_drive(system.nv)
        if found is None or not self.redundant:
            raise NotServed("its own start" if found is None else "dependent rows")
        try:
            return find_drive(system, found[0].q, found[0].t)
        except ModelError as error:
            raise NotServed("its own start") from error

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
        self.count, self.begin = len(grid), float(grid[0])
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
        return max(1, min(MOST_MEMBERS, MOST_NUMBERS // (self.count * instant)))

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
        note(why, b.codes[:n, 0] != OPEN, "it does not close at once")
        if self.plain:
            note(why, b.codes[:n, 0] == CLOSED, "dependent rows")
        else:
            note(why, np.array([why[k] != "" or self._has_drive(b, k) for k in range(n)], dtype=bool), "other rows")
        self._begin(b, n, why)

    def _begin(self, b: DriveBatch, n: int, why: Any) -> None:
        """Tell the first members, which are assembled, what else they need; note who does not fit."""

    def _set_times(self, b: DriveBatch, n: int, why: Any) -> None:
        """Write the instants of members, evenly spaced."""
        first, last = (self.numbers.evaluated(formula, b.numbers[:n]) for formula in self.ends)
        note(why, np.isfinite(first) & np.isfinite(last) & (first != last), "values that are refused")
        step = (last - first) / (self.count - 1)
        b.times[:n] = np.arange(self.count) * step[:, None] + first[:, None]
        b.times[:n, -1] = last

    def _turns_little(self, b: DriveBatch, n: int) -> Flags:
        """Return whether the motions turn so little that every turn is followed."""
        angles = [k for k, row in enumerate(self.tables.rows[self.tables.count_joint : b.rows]) if not row.is_length]
        way = np.sum(np.abs(np.diff(b.asked[:n], axis=1)), axis=1)[:, angles]
        return np.asarray(np.max(way, axis=1, initial=0.0) < max(MANY, self.count) * TURN)

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
        n, nq, nv, rows = members.count, tables.nq, tables.nv, system.rows
        self.rows, self.times = rows, np.zeros((count, n))
        self.solver = DenseSolver(system)
        self.solver.use(members.drive)
        width = 2 + nq + 2 * nv
        self.path = tracking.Path(
            q=nq, v=nv, a=nv, trial_q=nq, trial_v=nv, trial_a=nv, violation=3, worst=3, signs=len(self.solver.block.signs),
            crossings=width * 64,
        )  # fmt: skip
        self._blank, self.lost = self.path._slots.copy(), members.lost
        counted = 0 if self.planar else self.refs.shape[1]
        self.at_instants = [np.zeros((count, n, size)) for size in (nq, nv, nv, counted)]
        self.sigma, self.reached = np.zeros((count, n)), np.zeros(count, dtype=np.int64)
        self.asked = np.zeros((count, len(range(0, n, max(1, n // LOOKS))), rows - tables.count_joint))
        self.bad, self.plain = np.zeros(count, dtype=bool), members.plain
        self.chosen, self.gauges = np.tile(members.drive.rows, (count, 1)), np.zeros((count, members.drive.gauge.size))
        block, drive = self.solver.block, members.drive
        block.chosen, block.gauge = drive.rows.copy(), drive.gauge.ravel().copy()  # where those of a member are written

    def _scales(self, count: int) -> Mapping[str, Floats]:
        """Return further numbers of the models by name (members, ·)."""
        return NOTHING

    def follow(self, which: Integers) -> None:
        """Follow members over their instants."""
        some = np.ascontiguousarray(self.times[:, :: max(1, self.times.shape[1] // LOOKS)])
        self.bad[:] = False
        turned = (self.tables.count_joint, self.rows, some, self.asked)
        arrays = (self.models, self.states, self.times, self.Q, *self.at_instants, self.sigma)
        self._track(which, which, arrays, turned, self.reached)

    def followed_from(self, which: Integers, near: Integers, times: Floats) -> Stack:
        """Return members at times (read, times) behind one of their instants each, as ``kinematics.between`` has single ones.

        One that does not get there is noted in `bad`.
        """
        m, n, kept = len(which), 1 + times.shape[1], self.refs[which]
        every = np.ascontiguousarray(np.hstack([self.times[which, near][:, None], times]))
        begins, _, _, references = self.at_instants
        self.refs[which] = self.begin_refs[which] if self.planar else references[which, near]
        made = [np.zeros((m, n, x.shape[2])) for x in self.at_instants]
        codes, nothing = np.zeros(m, dtype=np.int64), (0, 0, np.zeros((m, 0)), np.zeros((m, 0, 0)))
        begins = np.ascontiguousarray(begins[which, near])
        arrays = (self.models[which], self.states[which], every, begins, *made, np.zeros((m, n)))
        self._track(np.arange(m), which, arrays, nothing, codes)
        self.refs[which] = kept
        self.bad[which] |= codes != tracking.DONE
        Q, V, A, R = (np.ascontiguousarray(x[:, 1:]) for x in made)
        return Stack(self, which, times, Q, V, A, self._references(which, R))

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
        blocks = (models, states, self.scratch.address, block.address, block.null, path)
        if self.plain:
            DM.track_members(calls, rows, *blocks, *others, turned, codes)
            return
        for j, k in zip(rows, which, strict=True):  # each with its own rows, and with what holds its idle freedom
            block.chosen[:], block.gauge[:] = self.chosen[k], self.gauges[k]
            DM.track_members(calls, np.array([j]), *blocks, *others, turned, codes)

    def _references(self, which: Integers, R: Floats) -> Floats:
        """Return angle references as a stack has them: in the plane those at the start."""
        return np.ascontiguousarray(self.begin_refs[which][:, None, :]) if self.planar else R

    def stack(self, which: Integers, last: bool = False) -> Stack:
        """Return instants of members, all of them or the last one alone."""
        if last:
            parts = [np.ascontiguousarray(x[which, -1:]) for x in self.at_instants]
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


class InverseMembers(DriveMembers):
    """The members of a study of ``inverse``, by virtual power."""

    verb = "inverse"
    lost = "no accelerations"
    redundant = False

    def __init__(self, model: Model, names: Sequence[str], options: Mapping[str, Any]) -> None:
        super().__init__(model, names, options)
        if not all(slots.stated for slots in self.tables.masses):
            raise NotServed("some bodies have no mass")
        self.actuators = find_actuators(self.tables, self.named)
        width = self.tables.nv * (len(self.actuators) + (self.tables.count_motion) + 2)
        if self.count > CHUNK // width or len(self.actuators) < self.tables.count_motion or not self.tables.count_motion:
            raise NotServed("many instants")

    @property
    def _beside(self) -> int:
        """How many further numbers of an instant are needed: none with one motion and one actuator."""
        several = len(self.actuators) > 1 or self.tables.count_motion > 1
        return int(self.tables.row_pointer[-1]) + self.tables.nv * 3 * len(self.actuators) if several else 0

    def _acted(self, model: Model) -> Model:
        asked = own_options(model, "inverse", efforts=self.given.get("efforts"), formulation=self.given.get("formulation"))
        if formulation_of("auto" if asked["formulation"] is None else asked["formulation"]).relative:
            raise NotServed("formulation")
        acted, self.named = with_actuators(model, asked["efforts"])
        return acted

    def answers(self, b: DriveBatch, which: Integers) -> StackedAnswers:
        """Return what was computed of members."""
        return InverseAnswers(self, b, which)


class InverseAnswers(StackedAnswers):
    """Efforts of some members."""

    def __init__(self, members: InverseMembers, b: DriveBatch, which: Integers) -> None:
        stack = b.stack(which)
        solver = StackedSolver(members, b, stack)
        self.efforts = solver.efforts()
        stack.dynamics = solver.dynamics()
        self.members = members
        b.bad[which] |= solver.left
        super().__init__(stack)

    def lookup(self, parts: tuple[str, ...]) -> Any:
        """Return the values of a path; the effort of an actuator where there is one."""
        if parts[-1] == "effort":
            column = actuator_column(self.members.model, self.members.actuators, ".".join(parts[:-1]))
            if column >= 0:
                return self.efforts[:, column]
        return super().lookup(parts)


class StackedSolver(Solver):
    """Solves for the efforts of some members at all their instants; what is not regular is left out."""

    def __init__(self, members: InverseMembers, b: DriveBatch, stack: Stack) -> None:
        self.batch, self.stack, self.drive, tables = b, stack, members.drive, members.tables
        self.system, self.actuators = b.system, members.actuators
        (m, n), k = stack.t.shape, len(self.actuators)
        self.shape, flat = (m, n), m * n
        self.values, self.condition = np.full((flat, k), np.nan), np.full(flat, np.inf)
        self.unique, self.multipliers = np.ones(k, dtype=bool), np.zeros((flat, self.system.rows))
        self.left = np.max(b.sigma[stack.which], axis=1) <= REGULAR
        is_length = np.array([actuator.is_length for actuator in self.actuators])
        self.member_units = np.where(is_length, b.numbers[stack.which, tables.packed.length, None], 1.0)
        self.member_rows, self.member_columns = np.zeros((m, self.system.rows)), np.zeros((m, tables.nv))
        members.numbers.scales(b.numbers[stack.which], self.member_rows, self.member_columns)
        if m and not (k == 1 and len(self.drive.rows) == self.system.joint_rows + 1):  # the loop of one actuator has its own
            scales = (self.member_units, self.member_rows, self.member_columns)
            self.units, self.row_scales, self.column_scales = (np.repeat(x, n, axis=0) for x in scales)
        self.forces = self._forces()

    def _forces(self) -> Along:
        """Return what acts along the motions."""
        s, b, t, (m, n) = self.stack, self.batch, self.batch.tables, self.shape
        sizes = (t.nv, t.nv, 2, t.effort_count, (3 if t.dimension == 2 else 6) * len(t.loads))
        made = [np.zeros((m, n, size)) for size in sizes]
        DM.force_members(
            (b.at(forces_at, DM.FORCES), b.at(set_masses, M.MASSES)), s.which, b.models, b.states, b.scratch.address, s.t, s.Q,
            s.V, s.A, s.R, *made,
        )  # fmt: skip
        return Along(*(x.reshape(m * n, x.shape[2]) for x in made))

    def efforts(self) -> Floats:
        """Return the efforts (instants of all members, actuators); NaN where they were not found."""
        every = slice(0, self.shape[0] * self.shape[1])
        for k in self._regular(every, _Square(self)):  # type: ignore[arg-type]  # of many members
            self.left[k // self.shape[1]] = True
        return self.values

    @property
    def unit(self) -> Floats:
        """What makes the effort of the only actuator a moment, of every member."""
        return self.member_units[:, 0]

    def _lose(self, k: int, direction: Floats) -> None:
        self.left[k // self.shape[1]] = True

    def _block(self, k: int, direction: str) -> None:
        self.left[k // self.shape[1]] = True

    def dynamics(self) -> Dynamics:
        """Return forces and energies; the work is what the energy of each member gained."""
        kinetic, potential = self.forces.energies.T
        total = (kinetic + potential).reshape(self.shape)
        work = (total - total[:, :1]).reshape(-1)
        return Dynamics(self.multipliers, kinetic, potential, work, self.forces.laws, self.forces.loads, self.drive.rows)


class _Square:
    """The square matrices of members, as ``SquareForces`` has that of one."""

    def __init__(self, solver: StackedSolver) -> None:
        self.solver, self.rows, system = solver, solver.drive.rows, solver.system
        pointer = system.tables.row_pointer
        row_of = np.repeat(np.arange(system.rows), np.diff(pointer[: system.rows + 1]))
        columns = system.tables.columns[: pointer[system.rows]]
        self.slots = (row_of * system.nv + columns).astype(np.int64)
        self.weights = np.ascontiguousarray(solver.member_rows[:, row_of] * solver.member_columns[:, columns])
        self.driving = np.flatnonzero(self.rows >= system.joint_rows).astype(np.int64)

    @property
    def alone(self) -> bool:
        """Whether one motion drives everything."""
        return len(self.driving) == 1

    def one(self, part: slice, function: int, unit: Floats, forces: Along, limits: tuple[float, float]) -> Found:
        """Return the efforts of one actuator, where one motion drives everything."""
        own, s, system, (m, n) = self.solver, self.solver.stack, self.solver.system, self.solver.shape
        b, found = s.members, Found.room(system, m, n)
        inertia, applied = (x.reshape(m, n, -1) for x in (forces.inertia, forces.applied))
        DM.effort_members(
            b.at(efforts_at, DM.EFFORTS), s.which, b.models, b.states, b.scratch.address, s.t, s.Q, s.R, inertia, applied,
            (self.slots, self.weights, np.zeros((0, system.nv)), self.rows, int(self.driving[0]), np.zeros(len(self.slots))),
            (*lu_room(system.nv), np.zeros(system.nv)), own.member_rows, own.member_columns, function, unit,
            (REGULAR, *limits), np.zeros((ROOM, system.nv)), found.numbers, found.basis, found.multipliers,
        )  # fmt: skip
        return Found(*(x.reshape(m * n, -1) for x in (found.numbers, found.basis, found.multipliers)))

    def gradients(self, functions: Integers, part: slice) -> Floats:
        """Return gradients of coordinate functions, scaled columns, (instants, functions, nv)."""
        s = self.solver.stack
        out = s.members.gradients(s.which, functions, s.Q, self.solver.member_columns)
        return out.reshape(-1, *out.shape[2:])

    def solve(self, part: slice, sides: Floats) -> tuple[Floats, Floats, Floats]:
        """Return σ of T, unit velocities of the motions and multipliers of forces."""
        own, s, system = self.solver, self.solver.stack, self.solver.system
        (m, n), nv, count = own.shape, system.nv, len(self.driving)
        entries = s.members.entries(s.which, s.t, s.Q, s.R)
        sigma, basis, shared = np.zeros((m, n)), np.zeros((m, n, count, nv)), np.zeros((m, n, *sides.shape[1:]))
        DM.square_members(
            address_with(solve_square, DM.SQUARE), entries, self.slots, self.weights, np.zeros((0, nv)), self.driving,
            np.ascontiguousarray(sides).reshape(shared.shape), lu_room(nv), np.zeros(nv), sigma, basis, shared,
        )  # fmt: skip
        return sigma.reshape(-1), basis.reshape(m * n, count, nv), shared.reshape(m * n, *sides.shape[1:])
