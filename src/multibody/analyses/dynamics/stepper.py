"""Stepping from outside: a simulation that goes on by given lengths of time, and efforts that are set between the steps.

Everything that a step needs is looked up once. What is set stays constant until it is set again; the integrator begins anew
only where a value has changed, and Runge–Kutta methods keep their step length then.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, Self, SupportsFloat

import numpy as np

from multibody.analyses.dynamics.ending import status_of
from multibody.analyses.dynamics.idle_spin import stilled
from multibody.analyses.dynamics.opening import begun, opened, planned
from multibody.analyses.dynamics.run_start import start_state
from multibody.analyses.dynamics.simulation import Simulation
from multibody.analyses.dynamics.step_events import EndlessEventsError, handle_events
from multibody.analyses.events.impulse import JumpError
from multibody.analyses.given.initial import given
from multibody.analyses.given.run_options import read_options
from multibody.arguments import answered, short
from multibody.errors import AnalysisError, ModelError, nearest
from multibody.integrators import contract as C
from multibody.kernels.subnormals import flushed
from multibody.model.model import Model
from multibody.state.kinetics import Event
from multibody.state.state import State, Status
from multibody.state.system import Floats, tables_of
from multibody.tables.lower import Tables
from multibody.tables.lowered import LoweredLoad

REACH = 500.0  # how many steps ahead the instants are looked for at which motions switch
LIMIT = 1000  # steps of the integrator in one call; a longer way is gone in chunks that Ctrl-C can end


def started(
    model: Model, initial: State | None, formulation: Any, integrator: Any, rtol: float | None, atol: float | None,
    step: float | str | None,
) -> tuple[Simulation, str]:  # fmt: skip
    """Return a simulation at its start, and what to know of it: whether the given state, or a tolerance, had to be changed."""
    options = read_options(model, 0.0, formulation, integrator, rtol, atol, step, None, False)
    choice = planned(tables_of(model), options)
    opening = opened(model, initial).required()
    if opening.determined:
        raise ModelError(
            "its motions determine everything, nothing is left to be simulated", where=model.name,
            hint="use kinematics, or put an effort in place of a motion",
        )  # fmt: skip
    opening = opening.with_inertia(choice.regular)
    sim, _ = begun(opening, choice, options, dense=False)
    return sim, "; ".join(text for text in (opening.note, *options.notes) if text)


@answered
class Stepper:
    """A model in motion that is stepped from outside.

    Parameters
    ----------
    simulation : Simulation
        At its start, without dense output.
    """

    _bare = ("step", "set")  # called more often than anything else: Python's own answer to wrong arguments costs nothing

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = s = simulation
        self.tables: Tables = s.system.tables
        self.model = self.tables.model
        self.stopped = ""
        b = s.bundle
        self._control, self._counts, self._F, self._advance = s.control, s.counts, b.F, s.integrator.advance
        self._bind()
        s.counts[C.LIMIT] = LIMIT
        b.settings(avoidable=0.0)  # a step ends where it is told to, be it next to a change point
        self._stabilized = s.formulation.stabilized
        self._keeps_step = s.integrator.keeps_step
        self._inputs = input_slots(self.tables)
        self._switches = bool(s.ahead)  # whether motions may jump on the way
        s.reach = REACH
        self._taken: dict[str, int | list[int]] = {}
        self._stale = True  # whether the state changed since it was last read

    def _bind(self) -> None:
        """Note what a step hands to the integrator."""
        self._bundle, self._arguments = self.simulation.bundle, self.simulation.arguments

    # --- going on -----------------------------------------------------------------------------------------------------
    @property
    def t(self) -> float:
        """The time now."""
        return float(self._control[C.T])

    def step(self, dt: float) -> Self:
        """Go on by exactly dt, with everything that was set held constant.

        Parameters
        ----------
        dt : float
            Length of time, of any size: the integrator makes as many steps within it as its tolerances ask for. Negative
            goes back.

        Returns
        -------
        Simulator
            Itself. A terminal event ends the step early: ``stopped`` is its name then, and ``t`` its time.

        Raises
        ------
        AnalysisError
            If the motion cannot go on; the simulator stays at the last accepted state.
        """
        try:
            end = self._control.item(C.T) + dt
        except TypeError:
            raise ModelError(f"{short(dt)} is no length of time", where="simulator", hint="give a number") from None
        return self._go(end)

    def run_until(self, t: float) -> Self:
        """Go on to the time t exactly; otherwise as :meth:`step`."""
        if not isinstance(t, SupportsFloat):
            raise ModelError(f"{short(t)} is no time", where="simulator", hint="give a number")
        return self._go(float(t))

    def _go(self, end: float) -> Self:
        """Go on to `end`: in one call where nothing happens on the way."""
        if not math.isfinite(end):
            raise ModelError(f"the time {end} is not finite", where="simulator", hint="give a finite length of time")
        self._stale, self.stopped = True, ""
        self._control[C.END] = end
        if self._stabilized:
            self.simulation.face(end)
        with flushed():
            status = C.CONTINUE if self._switches else self._advance(*self._arguments)
        if status != C.DONE:
            self._go_on(int(status), end)
        return self

    def _go_on(self, status: int, end: float) -> None:
        """Go on where the integrator has stopped before the end: events, switching points, new partitions, long ways."""
        sim = self.simulation
        sim.event_counts[:] = 0
        try:
            if status != C.EVENT or not handle_events(sim):
                status = sim.advance(end)
            else:
                sim.drain()
        except JumpError as jump:
            raise AnalysisError(jump.status.sentence, jump.status) from jump
        except EndlessEventsError as many:
            message = f'event "{many.name}" happens without end near t = {many.time:.9g}'
            raise AnalysisError(message, Status(False, message, many.time)) from many
        finally:
            sim.segments.parts.clear()
            self._counts[C.LIMIT] = LIMIT
            if sim.bundle is not self._bundle:  # other rows of pairs were chosen on the way
                self._bind()
        if status == C.EVENT:
            self.stopped = sim.events[-1].name
        elif status != C.DONE:
            found = status_of(sim, status)
            raise AnalysisError("; ".join(part for part in (found.message, found.advice) if part), found)

    # --- efforts from outside -----------------------------------------------------------------------------------------
    @property
    def inputs(self) -> list[str]:
        """The paths that :meth:`set` takes."""
        return list(self._inputs)

    def set(self, path: str, value: float | Sequence[float]) -> None:
        """Set an effort or a force, constant from now on, in place of all that this force did before.

        Parameters
        ----------
        path : str
            ``motor.effort`` of an effort or a spring (positive raises the coordinate or the length), ``push.force`` or
            ``push.moment`` of a force at a frame, in the axes in which it is declared, or one component, ``push.force.x``.
        value : float or list of float
            In the model's units.
        """
        slot = self._taken.get(path)
        if slot is None:
            slot = self._take(path, value)
        F = self._F
        if isinstance(slot, int):
            number = self._number(path, value)
            if F.item(slot) == number:
                return
            F[slot] = number
        else:
            numbers = self._numbers(path, value, len(slot))
            if np.array_equal(F[slot], numbers):
                return
            F[slot] = numbers
        self._renew()

    @staticmethod
    def _number(path: str, value: Any) -> float:
        """Return a value as a finite number."""
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            raise ModelError(f"{value!r} is no finite number", where=path, hint="give one number")
        return number

    @staticmethod
    def _numbers(path: str, value: Any, count: int) -> Floats:
        """Return a value as a vector of finite numbers."""
        try:
            numbers = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            numbers = np.zeros(0)
        if numbers.shape != (count,) or not np.all(np.isfinite(numbers)):
            raise ModelError(f"{value!r} is no vector", where=path, hint=f"give {count} finite numbers")
        return numbers

    def _renew(self) -> None:
        """Let the integrator begin anew from the present state: the forces are no longer those of the step before."""
        self._counts[C.FRESH] = 1
        if not self._keeps_step:
            self._control[C.H] = self.simulation.first_step
        self._stale = True

    def _take(self, path: str, value: Any) -> int | list[int]:
        """Take a force over from its formula; return where its numbers lie. A value that will not do changes nothing."""
        if path not in self._inputs:
            raise self._unknown(path)
        slots, laws, formulas, others = self._inputs[path]
        if len(slots) == 1:
            self._number(path, value)
        else:
            self._numbers(path, value, len(slots))
        model = self.simulation.bundle.model
        model.laws.program[laws] = -1
        model.tables[formulas] = -1
        for slot in (*others, *slots):
            self._F[slot] = 0.0
        self._renew()
        self._taken[path] = slots[0] if len(slots) == 1 else slots
        return self._taken[path]

    def _unknown(self, path: str) -> ModelError:
        """Return the error for a path that cannot be set."""
        first = path.split(".")[0]
        there = f"It has {', '.join(self._inputs)}." if self._inputs else "The model has no effort: add model.effort(...)."
        if first in self.model.parameters:
            hint = f"parameters stay while a model moves: model.set({first}=...) gives another model. {there}"
            return ModelError(f'"{path}" is a parameter', where="simulator", hint=hint)
        if first in self.model.forces and not any(name.startswith(f"{first}.") for name in self._inputs):
            kind = self.model.forces[first].kind.name
            hint = f"only an effort, a spring or a force at a frame is set from outside. {there}"
            return ModelError(f'"{path}" cannot be set, {first} is a {kind}', where="simulator", hint=hint)
        guess = nearest(path, self._inputs)
        return ModelError(f'"{path}" cannot be set', where="simulator", hint=f"{guess} {there}".strip())

    # --- where it is --------------------------------------------------------------------------------------------------
    @property
    def events(self) -> list[Event]:
        """Events that happened since the start."""
        return [self.simulation.event(e) for e in self.simulation.events]

    @property
    def statistics(self) -> dict[str, Any]:
        """The work that was done since the start."""
        found = self.simulation.statistics()
        found.pop("wall_time")
        return found

    def restore(self, state: State) -> Self:
        """Go back, or elsewhere: take time, positions and velocities from a state; what was set stays as it is.

        Parameters
        ----------
        state : State
            Of this model: an earlier ``sim.state``, or one of ``assemble`` or ``run``, brought onto the constraints where it
            violates them.
        """
        sim = self.simulation
        model, given_state = given(self.model, state, "restore")
        work = getattr(state, "work", None)  # what a simulator gave away is consistent
        if given_state is None or work is None or state.tables is not self.tables:
            state, _ = start_state(model, given_state, None)
        else:
            state = given_state
        if not state.ok:
            raise AnalysisError(state.status.message, state.status)
        state = stilled(sim.system, state)
        sim.restart(state.t, sim.space.start(state, work or 0.0), state.references)
        if sim.formulation.partitioned:
            sim.repartition()
        self._stale, self.stopped = True, ""
        return self


class Slots(NamedTuple):
    """Where an effort or force lies: its numbers, its formulas, and numbers that are cleared with it."""

    values: list[int]
    laws: list[int]  # whose programs are dropped
    formulas: list[int]  # entries of program tables
    cleared: list[int]


def input_slots(tables: Tables) -> dict[str, Slots]:
    """Return what can be set."""
    found: dict[str, Slots] = {}
    axes = "xyz"[: tables.dimension]
    for name, force in tables.model.forces.items():
        if force.kind.name in ("effort", "spring"):
            k = tables.laws_of[name][0]
            law = tables.laws[k]
            found[f"{name}.effort"] = Slots([law.slot("effort")], [k], [], [law.slot("stiffness"), law.slot("damping")])
        elif force.kind.name == "force":
            load = tables.loads[tables.load_of[name]]
            d, moments = len(axes), 1 if len(axes) == 2 else 3
            parts = {"force": range(d), "moment": range(d, d + moments)}
            for part, components in parts.items():
                found[f"{name}.{part}"] = _load_slots(load, components)
                if len(components) > 1:
                    for axis, c in zip(axes, components, strict=True):
                        found[f"{name}.{part}.{axis}"] = _load_slots(load, range(c, c + 1))
    return found


def _load_slots(load: LoweredLoad, components: range) -> Slots:
    """Return where some components of a load lie, and their formulas."""
    formulas = [load.table_of(c) for c in components] if load.program >= 0 else []
    return Slots([load.components + c for c in components], [], formulas, [])
