"""Members of one model side by side: their own states, times and inputs, stepped in one compiled call."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from multibody.analyses.dynamics.simulation import Simulation
from multibody.analyses.dynamics.stepper import Stepper
from multibody.analyses.measures.measure import Measurer
from multibody.errors import ModelError
from multibody.formulations.spaces.space import Space
from multibody.integrators import contract as C
from multibody.integrators.rk4 import RK4
from multibody.integrators.side_by_side import advance_members
from multibody.kernels.acceptance import OTHER_ROWS
from multibody.kernels.subnormals import flushed
from multibody.state.state import State
from multibody.state.system import Floats, Integers
from multibody.tables.lower import Tables

STEPPED_BY = RK4.name  # the integrator of members, compiled into one call with them
NEAR = 0.5 * math.pi  # how far angles may be from those of the first state in all, so that turns are counted as there

WHY = {
    C.STEP_TOO_SMALL: "the step became too small", C.RHS_FAILED: "the equations of motion cannot be solved",
    C.ACCEPT_FAILED: "it locks", C.NOT_FINITE: "a number that is not finite came up",
}  # fmt: skip


class SideBySide:
    """Members that move side by side, each as if it were alone.

    Parameters
    ----------
    simulation : Simulation
        At its start, with the integrator `STEPPED_BY`.
    inputs : list of str
        Components that are set in every step, as :class:`Stepper` takes them, one number each.
    members : int
    step : float
        Length of time of a step; that of the integrator divides it.

    Attributes
    ----------
    Y : array (members, n)
    times : array (members,)
    columns : dict
        Column of Y for (coordinate function, order); empty in the coordinates of bodies.
    notes : list of str
        What is not located between the steps.
    """

    def __init__(self, simulation: Simulation, inputs: Sequence[str], members: int, step: float) -> None:
        self.simulation, self.step, self.count = simulation, step, members
        self.tables: Tables = simulation.system.tables
        _require_plain(simulation)
        stepper = Stepper(simulation)
        self.slots = np.array([_slot(stepper, path) for path in inputs], dtype=np.int64)
        simulation.face(simulation.t + step)
        simulation.space.forget()
        self._choices = [_Choice(simulation.space)]
        self._choice = np.zeros(members, dtype=np.int64)
        self._first = simulation.y.copy(), simulation.t, np.concatenate(self._choices[0].parts)
        self._reading = simulation.space.reading()
        self.Y = np.tile(self._first[0], (members, 1))
        self.times = np.full(members, self._first[1])
        self._kept = np.tile(self._first[2], (members, 1))
        self.statuses = np.zeros(members, dtype=np.int64)
        self.notes = _notes(simulation)
        self.columns, self._angles = simulation.space.state_columns()

    def advance(self, inputs: Floats, going: Integers) -> Integers:
        """Step the members whose `going` is 1, with their inputs (members, inputs); return statuses, DONE where all is well."""
        ends, codes = self.times + self.step, np.zeros(self.count, dtype=np.int64)
        self.statuses[:] = C.DONE
        while True:
            for k, choice in enumerate(self._choices):
                some = going * (self._choice == k)
                if len(self._choices) == 1 or np.any(some):
                    self._advance(choice, inputs, some, ends, codes)
            asking = np.flatnonzero((going == 1) & (self.statuses == C.ACCEPT_FAILED) & (codes == OTHER_ROWS))
            if len(asking) == 0:
                return self.statuses
            going = np.zeros_like(going)
            going[asking] = 1
            for member in asking.tolist():
                self._take_other_rows(member)

    def _advance(self, choice: _Choice, inputs: Floats, going: Integers, ends: Floats, codes: Integers) -> None:
        """Step members with the same rows to their ends."""
        s, b = self.simulation, choice.space.bundle
        with flushed():
            advance_members(
                *s.addresses[:2], b.handed, *choice.parts, b.F, self.slots, inputs, going, ends, s.control, s.counts, s.atol,
                s.active, s.memory, s.g[:2, :0].copy(), s._steps, s._dense, s._refs, self.times, self.Y, self._kept,
                self.statuses, codes,
            )  # fmt: skip

    def _take_other_rows(self, member: int) -> None:
        """Let a member go on with other rows among redundant ones, if these serve better where it is."""
        choice, kept = self._choices[self._choice[member]], self._kept[member]
        choice.put(kept)
        other = choice.space.branch()
        if other.take_other_rows(self.Y[member].copy(), float(self.times[member])):
            other.forget()
            choice = _Choice(other)
            known = (k for k, one in enumerate(self._choices) if one.has_rows_of(choice))
            self._choice[member] = next(known, len(self._choices))
            self._choices += [choice] * int(self._choice[member] == len(self._choices))
        kept[:] = np.concatenate(choice.parts)

    def why(self, member: int) -> str:
        """Return in words why a member stopped."""
        return f"{WHY.get(int(self.statuses[member]), 'it stopped')} at t = {self.times[member]:.9g}"

    # --- starts -------------------------------------------------------------------------------------------------------
    def restart(self, member: int) -> None:
        """Put a member back to the first state."""
        y, t, kept = self._first
        self.Y[member], self.times[member], self._kept[member], self._choice[member] = y, t, kept, 0

    def place(self, member: int, state: State) -> None:
        """Put a member to a state of the bodies, which is consistent."""
        self.restart(member)
        self.Y[member], self.times[member] = self.simulation.space.start(state), state.t
        self._kept[member, : len(self._choices[0].parts[0])] = state.references

    def near(self, columns: Sequence[int], values: Floats) -> Any:
        """Return which rows of values (rows, columns of y) are so near to the first state that turns are counted as there."""
        apart = np.abs(values - self._first[0][np.asarray(columns, dtype=np.int64)])
        return np.sum(apart[:, np.isin(columns, self._angles)], axis=1) < NEAR

    def put(self, members: Integers, columns: Sequence[int], values: Floats) -> None:
        """Put members to the first state with other values of some columns of y; nothing depends on these (no loops)."""
        y, t, kept = self._first
        self.Y[members], self.times[members], self._kept[members], self._choice[members] = y, t, kept, 0
        self.Y[np.ix_(members, np.asarray(columns, dtype=np.int64))] = values

    @property
    def free(self) -> bool:
        """Whether columns of y may be chosen freely: nothing depends on them."""
        return self.simulation.space.free

    # --- reading ------------------------------------------------------------------------------------------------------
    def measurer(self) -> Measurer:
        """Return what reads paths of all members, one in the place of an instant each; no accelerations, no forces."""
        s, tables = self.simulation, self.tables
        references = self._kept[:, : len(self._choices[0].parts[0])].copy()
        Y = self.Y if s.space.of_bodies else self._reading.cartesian(self.times, self.Y.copy(), references, s.begin)
        q, v = Y[:, : tables.nq].copy(), Y[:, tables.nq : tables.nq + tables.nv].copy()
        return Measurer(tables, self.times.copy(), q, v, np.zeros_like(v), references)


class _Choice:
    """A choice among redundant rows: the blocks with these rows, and what of them a member has of its own beside y.

    Parameters
    ----------
    space : Space
    """

    def __init__(self, space: Space) -> None:
        self.space, b = space, space.bundle
        self.parts: tuple[Floats, Floats, Floats, Floats] = (b.ref, b.state.settings.view(np.float64), *b.remembered)

    def put(self, kept: Floats) -> None:
        """Put what a member has of its own into the blocks."""
        ends = np.cumsum([len(part) for part in self.parts])
        for part, own in zip(self.parts, np.split(kept, ends[:-1]), strict=True):
            part[:] = own

    def has_rows_of(self, other: _Choice) -> bool:
        """Return whether another choice is the same."""
        return set(self.space.bundle.chosen.tolist()) == set(other.space.bundle.chosen.tolist())


def _require_plain(simulation: Simulation) -> None:
    """Refuse what members cannot do by themselves: new partitions and charts, and motions that switch."""
    where, formulation = simulation.system.tables.model.name, simulation.formulation
    if formulation.renewed:
        hint = "use augmented, recursive or articulated"
        raise ModelError(f"members are not stepped side by side with {formulation.name}", where=where, hint=hint)
    if simulation.ahead:
        hint = "make them smooth (step5 in place of step), or use model.simulator"
        raise ModelError("it has motions that switch, which members side by side do not locate", where=where, hint=hint)


def _notes(simulation: Simulation) -> list[str]:
    """Return what is not located between the steps."""
    switching = dict.fromkeys(watch.name for watch in simulation.watches if watch.kind == "switch")
    events = dict.fromkeys(watch.name for watch in simulation.watches if watch.kind == "event")
    found = [f"{name} switches (abs, min, max, sign, if or step): steps go over it as they come" for name in switching]
    return found + [f'event "{name}" is not looked for: say it in terminated' for name in events]


def _slot(stepper: Stepper, path: str) -> int:
    """Take an input over from its formula; return where its number stands."""
    stepper.set(path, 0.0)
    slot = stepper._taken[path]
    if not isinstance(slot, int):
        raise ModelError(f'"{path}" is a vector', where="inputs", hint=f"name a component, such as {path}.x")
    return slot
