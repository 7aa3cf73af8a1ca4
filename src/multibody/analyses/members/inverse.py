"""Members of a study of ``inverse``: followed as in ``kinematics``, and their efforts found, in compiled loops.

What is not regular is left to the ordinary path.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from multibody.analyses.given.own_options import own_options
from multibody.analyses.inverse.inverse import actuator_column, find_actuators, with_actuators
from multibody.analyses.inverse.virtual_power import CHUNK, Solver
from multibody.analyses.members.drive import DriveBatch, DriveMembers
from multibody.analyses.members.numbers import NotServed
from multibody.analyses.members.together import Stack, StackedAnswers
from multibody.formulations import formulation_of
from multibody.formulations.driven import forces_at, solve_square
from multibody.formulations.one_drive import REGULAR, ROOM, efforts_at
from multibody.formulations.square_forces import Along, Found, lu_room
from multibody.integrators import driven_members as DM
from multibody.kernels.calls import address_with
from multibody.kernels.codes import ENERGIES, KINETIC, POTENTIAL
from multibody.model.model import Model
from multibody.state.kinetics import Dynamics
from multibody.state.system import Floats, Integers


class InverseMembers(DriveMembers):
    """The members of a study of ``inverse``, by virtual power."""

    verb = "inverse"
    lost = "no accelerations"
    between = False

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
        if formulation_of("auto" if asked["formulation"] is None else asked["formulation"]).own_forces:
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
        sizes = (t.nv, t.nv, ENERGIES, t.effort_count, t.load_count)
        made = [np.zeros((m, n, size)) for size in sizes]
        DM.force_members(
            b.at(forces_at, DM.FORCES), s.which, b.models, b.states, b.scratch.address, s.t, s.Q,
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
        kinetic, potential = self.forces.energies[:, KINETIC], self.forces.energies[:, POTENTIAL]
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
