"""Driven members before they are followed: numbers and assembled positions of each, as specialized code takes them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from multibody.analyses.inverse.virtual_power import LIMIT, NEEDED
from multibody.analyses.kinematics.solvers import DenseSolver
from multibody.analyses.kinematics.turning import MANY, TURN
from multibody.analyses.members.drive import DriveBatch, DriveMembers
from multibody.analyses.members.inverse import InverseMembers
from multibody.analyses.members.numbers import NotServed, note
from multibody.analyses.specialized.prepared import Prepared
from multibody.analyses.specialized.rooms import Rooms, addresses_of, put
from multibody.analyses.specialized.symbols import SymbolicEfforts, SymbolicMeasurer
from multibody.errors import ModelError
from multibody.kernels.tracking import values_over
from multibody.model.expressions import Expression
from multibody.model.model import Model
from multibody.specialize.image import Floats, parts_of
from multibody.specialize.observer import Acting
from multibody.specialize.observing import FUNCTION, IS_LENGTH, LAW, MOTION, ROW
from multibody.specialize.schedule import Schedule
from multibody.specialize.specialized import Specialized
from multibody.specialize.sweep import Sweep
from multibody.state.state import State
from multibody.state.system import Integers, System

LOOPS: dict[str, Any] = {"kinematics": DriveMembers, "inverse": InverseMembers}
LOOKS = 16  # instants at which it is looked how far motions turn


class DrivenPreparation(Rooms):
    """Prepares members of one structure whose motions drive them.

    Parameters
    ----------
    model : Model
        In which everything that is varied is a parameter.
    names : tuple of str
        These parameters.
    state : State or None
    told : mapping
        Options of the analysis.
    verb : str
        ``kinematics`` or ``inverse``.
    """

    loops: DriveMembers

    def __init__(
        self, model: Model, names: tuple[str, ...], state: State | None, told: Mapping[str, Any], verb: str
    ) -> None:
        try:
            if state is not None:
                raise NotServed("a given state")
            super().__init__(LOOPS[verb](model, names, told))
            self._check()
        except NotServed as reason:
            problem = f"{verb} is not made into specialized code here ({reason})"
            raise ModelError(problem, where="study.device", hint="leave device out") from None
        self.reading, self.tables, self.closing = verb, self.loops.tables, False  # every instant is solved
        (first, last), count = self.loops.ends, self.loops.count
        self.schedule = Schedule(first, (last - first) / (count - 1), 1, count - 1)
        self.system, solver = System(self.tables), DenseSolver(System(self.tables))
        solver.use(self.loops.drive)
        self.layout = Sweep(self.system.nq, self.system.nv, solver.block)
        self.system.weigh()
        self.code = Specialized(self.system, size=self.layout.size, kept=self.layout)
        self._numbers, self._words = parts_of(self.system)

    def _check(self) -> None:
        """Raise where members are not followed by code that all of them share."""
        if any(isinstance(end, Expression) for end in self.loops.ends):
            raise NotServed("times that are formulas of parameters")
        if self.loops.switches is not None:
            raise NotServed("motions that switch")
        if isinstance(self.loops, InverseMembers) and (len(self.loops.actuators), self.loops.tables.count_motion) != (1, 1):
            raise NotServed("more than one motion or actuator")

    @property
    def rows(self) -> Integers:
        """The rows that carry multipliers."""
        return self.loops.drive.rows

    def measurer(self, entries: int) -> SymbolicMeasurer:
        """Return what reads paths at an instant; Φ_q has so many entries."""
        if isinstance(self.loops, InverseMembers):
            return SymbolicEfforts(self.tables, self.rows, entries, self.loops.actuators)
        return SymbolicMeasurer(self.tables, self.rows, entries)

    def acting(self) -> Acting | None:
        """Return the actuator whose effort is sought, None for kinematics."""
        if not isinstance(self.loops, InverseMembers):
            return None
        own, t, count = self.loops.actuators[0], self.tables, self.system.rows
        row_of = np.repeat(np.arange(count), np.diff(t.row_pointer[: count + 1]))
        slots = row_of * t.nv + t.columns[: len(row_of)]
        about = {MOTION: t.count_joint, FUNCTION: own.function, IS_LENGTH: int(own.is_length), ROW: own.row, LAW: own.law}
        return Acting(tuple(about[k] for k in sorted(about)), tuple(slots.tolist()), 1.0 / LIMIT, NEEDED)

    def prepared(self, values: Floats) -> Prepared:
        """Return members from the values of their parameters, rows of an array (members, varied)."""
        n, (numbers, words) = len(values), self.code.member(self.system)
        made = Prepared(
            np.tile(numbers, (n, 1)), np.zeros((n, self.layout.size)), np.tile(words, (n, 1)), np.zeros(n, bool),
            np.full((n, self.layout.length("told")), self.loops.ends[1]),
        )  # fmt: skip
        made.fits[:] = self(values, (made.numbers, made.y, made.words, self.layout.told(made.told, "gauge")))
        return made

    def _some(self, room: DriveBatch, values: Floats, *arrays: Any) -> Any:
        """Assemble members at their first instants."""
        numbers, y, words, gauge = arrays
        n, why = len(values), np.full(len(values), "", dtype=object)
        self.loops.start(room, values, why)
        y[:, : room.Q.shape[1]], gauge[:] = room.Q[:n], room.gauges[:n]
        note(why, np.all(room.chosen[:n] == self.rows, axis=1), "other rows")
        self._looked(room, n, why)
        for part in self._numbers:
            if part.path == "model.numbers":
                put(numbers, part, room.numbers[:n])
            elif part.path.endswith("_mass"):
                put(numbers, part, room.masses[:n])
        for part in self._words:
            if part.path == "state.ref":
                put(words, part, room.begin_refs[:n].view(np.int64))
        return why == ""

    def _looked(self, room: DriveBatch, n: int, why: Any) -> None:
        """Note members that turn very often."""
        t, first = self.tables, self.tables.count_joint
        angles = [k for k, row in enumerate(t.rows[first : room.rows]) if not row.is_length]
        times = np.linspace(self.loops.ends[0], self.loops.ends[1], LOOKS)
        asked, most = np.zeros((LOOKS, room.rows - first)), max(MANY, self.loops.count) * TURN
        little = np.ones(n, dtype=bool)
        for k, (model, state) in enumerate(addresses_of(room, n)):
            if angles:
                values_over(model, state, room.scratch.address, times, room.Q[k], first, room.rows, asked)
                way = np.max(np.sum(np.abs(np.diff(asked[:, angles], axis=0)), axis=0))
                little[k] = math.isfinite(way) and way < most
        note(why, little, "many turns")

