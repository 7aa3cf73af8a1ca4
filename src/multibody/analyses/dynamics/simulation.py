"""The loop around an integrator: chunks, dense output, new partitions, events, progress, interruption.

A formulation and an integrator are compiled apart and meet here through addresses; everything that survives between chunks
lies in arrays, so that a simulation can stop after any step and go on.
"""

from __future__ import annotations

import copy
import math
import time as clock
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.analyses.dynamics.headway import NO_HEADWAY, Headway
from multibody.analyses.dynamics.segments import Segments, complete, interpolated
from multibody.analyses.dynamics.settling import tell_feedback, tell_partition, tell_tolerances, told_integrator
from multibody.analyses.events.switching import Switching, SwitchingTimes
from multibody.formulations import Formulation
from multibody.formulations.prepare import Bundle
from multibody.formulations.spaces.space import Space
from multibody.integrators import Integrator
from multibody.integrators import contract as C
from multibody.kernels.acceptance import MOVING_CHART, OTHER_ROWS, WEAK_PARTITION
from multibody.kernels.calls import address_of
from multibody.kernels.subnormals import flushed
from multibody.state.kinetics import Event
from multibody.state.state import State
from multibody.state.system import Floats, Integers, System
from multibody.tables.scales import second

if TYPE_CHECKING:
    from multibody.analyses.events.impulse import Impulse

RECOVERABLE = (WEAK_PARTITION, MOVING_CHART, OTHER_ROWS)
CHUNK = 0.05  # seconds between looks at the clock
ROWS, FEW = 256, 32  # steps that one chunk can store; that there is memory for at first where every step is stored
MOST_DENSE = 50_000_000  # numbers of dense output (400 MB) that are kept


@dataclass
class Occurrence:
    """A located event: its name, its time and the state there; the impulse where velocities jumped."""

    name: str
    time: float
    y: Floats
    terminal: bool
    impulse: Impulse | None = None


class Simulation:
    """A model in motion: the state now, and the means to go on.

    Parameters
    ----------
    system, state, rows
        As :meth:`Formulation.space` takes them: a consistent start and the independent rows.
    formulation : Formulation
    integrator : Integrator
    rtol, atol : float
        Tolerances; atol holds for angles [rad] and for lengths over the characteristic length, and for their changes in a
        second.
    dense : bool
        Whether every step keeps its dense output.
    """

    def __init__(
        self, system: System, state: State, rows: Integers, formulation: Formulation, integrator: Integrator, *,
        rtol: float, atol: float, dense: bool = True,
    ) -> None:  # fmt: skip
        self.system, self.formulation, self.integrator, self.rows = system, formulation, integrator, rows
        self.space: Space = formulation.space(system, state, rows)
        self.bundle: Bundle = self.space.bundle
        self.y: Floats = self.space.start(state)
        self.begin: Floats = state.q.copy()
        self.tolerances = rtol, atol
        self.alpha = 0.0  # feedback of stabilized formulations
        n = len(self.y)
        self.control, self.counts = told_integrator(integrator, system.tables, state.t, rtol)
        self.first_step = float(self.control[C.H])
        self.atol = atol * self.space.scales()
        self.atol[self.space.nq : self.space.nq + self.space.nv] /= second(system.tables)
        self.active = np.ones(n)
        self.active[-1] = 0.0
        self.memory = np.zeros((integrator.memory_rows, n))
        self.watches, self.ahead = system.tables.watches, SwitchingTimes(system.tables.model)
        later = integrator.kept_rows > 0 and formulation.pure and not (self.watches or self.ahead)  # nobody looks between steps
        self.counts[C.DENSE] = (C.LATER if later else 1) if dense else 0
        self.record_rows = integrator.kept_rows if dense and later else integrator.dense_rows
        jumps = not integrator.adaptive and any(watch.kind == "switch" for watch in self.watches)
        self.g = np.zeros((3 if jumps else 2, len(self.watches)))
        self.room = max(8, min(ROWS, 32_000_000 // (8 * n * max(integrator.dense_rows, 1)))) if dense or self.watches else 1
        self._make_room(min(FEW, self.room) if dense else self.room)
        self.segments = Segments()
        self.grid: Floats = np.zeros(0)  # instants of the output
        self.harvest: list[tuple[Floats, Floats, Floats]] = []  # instants, states and references of steps let go
        self.events: list[Occurrence] = []
        self.event_counts = np.zeros(len(self.watches), dtype=np.int64)
        self.reach = 1.0  # how many times as far as asked switching instants are looked for
        self.passed: list[Switching] = []  # those met
        self.went_back = False  # whether the last step was taken back because a motion switches in it
        self.goal = state.t  # where the last way ended, or was to end
        self.partitions = 0
        self.wall_time = 0.0
        self.switching = False  # whether to stop where stiffness limits the steps
        self.gave_up = False  # whether it did
        (rhs, accept), planar = formulation.kernels(), system.tables.dimension == 2
        self.work: tuple[Floats, ...] = ()
        calls = self._equations() if integrator.implicit else address_of(rhs, planar)
        self.addresses = (calls, address_of(accept, planar), address_of(self.space.monitor, planar) if self.watches else 0)
        self._settings(rtol)
        self.notes: list[str] = self._check_factors() if integrator.implicit else []

    # --- set-up -------------------------------------------------------------------------------------------------------
    def again(self) -> Simulation:
        """Return another one at this start, with memory of its own; what no run changes is shared.

        It must not have been advanced, and its integrator must be explicit.
        """
        made = object.__new__(Simulation)
        vars(made).update(vars(self))
        made.system = self.system.working()
        made.space = self.space.apart(made.system)
        made.bundle = made.space.bundle
        for name in ("y", "control", "counts", "active", "memory", "g", "event_counts"):
            setattr(made, name, getattr(self, name).copy())
        made._make_room(len(self._steps))
        made.segments, made.harvest, made.events, made.passed, made.notes = Segments(), [], [], [], [*self.notes]
        made.ahead = copy.copy(self.ahead) if self.ahead else self.ahead
        return made

    def _make_room(self, rows: int) -> None:
        """Provide memory for some steps: their starts and lengths, dense outputs and references, not set yet."""
        self._steps, self._refs = np.empty((rows, 2)), np.empty((rows, len(self.bundle.ref)))
        self._dense = np.empty((rows, self.record_rows, len(self.y)))

    def _make_more_room(self) -> None:
        """Provide memory for as many steps as a chunk can store; those that are stored stay."""
        k, *stored = int(self.counts[C.STORED]), self._steps, self._dense, self._refs
        self._make_room(self.room)
        for place, before in zip((self._steps, self._dense, self._refs), stored, strict=True):
            place[:k] = before[:k]

    def _settings(self, rtol: float) -> None:
        """Write tolerances, feedback and the first partition."""
        b, y = self.bundle, self.y.copy()
        tell_tolerances(b, self.integrator, rtol)
        if self.formulation.stabilized:
            self.alpha = tell_feedback(self.space, self.formulation, self.t, self.y)
        if self.formulation.partitioned:
            self.repartition()
        self.formulation.kernels()[1](*b.run, self.t, y, self.active)
        b.forget_gaps()

    def _equations(self) -> Integers:
        """Prepare what an implicit method needs; return the addresses of the functions that it calls."""
        from multibody.formulations.newton import newton_calls

        s, m = self.space, len(self.bundle.chosen)
        self.counts[C.NQ], self.counts[C.NV], self.counts[C.NM] = s.nq, s.nv, m
        self.counts[C.DRIVEN] = self.bundle.model.driven
        self.work = (np.zeros(self.integrator.work_size(s.nq, s.nv, m)),)
        rhs = self.formulation.kernels()[0]
        return newton_calls(self.bundle, rhs, self.integrator.complex_factors)

    def _check_factors(self) -> list[str]:
        """Try the sparse linear systems of an implicit method; return notes."""
        if not self.formulation.sparse:  # full matrices, or a check of its own
            return []
        from multibody.formulations.dependable import make_dependable

        note = make_dependable(self.bundle, self.t, self.y.copy(), self.integrator.complex_factors)
        return [note] if note else []

    def repartition(self) -> None:
        """Choose dependent columns by full pivoting at the present pose."""
        tell_partition(self.space, self.t, self.y, self.active, self.partitions > 0)
        self.partitions += 1

    # --- going on -----------------------------------------------------------------------------------------------------
    @property
    def t(self) -> float:
        """The time now."""
        return float(self.control[C.T])

    def face(self, end: float) -> None:
        """Turn toward `end`: feedback must damp in the direction in which time goes."""
        if self.formulation.stabilized:
            self.bundle.settings(alpha=math.copysign(self.alpha, end - self.t))

    def call(self, end: float, limit: int) -> int:
        """Let the integrator make at most `limit` steps toward `end`; return its answer."""
        self.face(end)
        if len(self._steps) == 0:
            self._make_room(self.room)
        begin = int(self.counts[C.STEPS])
        while True:
            self.control[C.END], self.counts[C.LIMIT] = end, begin + limit - int(self.counts[C.STEPS])
            with flushed():
                status = self.integrator.advance(*self.arguments)
            if status != C.OUTPUT_FULL or len(self._steps) == self.room:
                return int(status)
            self._make_more_room()

    @property
    def arguments(self) -> tuple[Any, ...]:
        """What the integrator is handed; its addresses are good as long as the bundle's blocks live."""
        b = self.bundle
        return (
            *self.addresses, b.handed, b.ref, self.control, self.counts, self.y, self.atol, self.active, self.memory, self.g,
            self._steps, self._dense, self._refs, *self.work,
        )  # fmt: skip

    def drain(self) -> None:
        """Move the stored steps out of the way."""
        k = int(self.counts[C.STORED])
        if k:
            given = bool(self.counts[C.DENSE]) and 2 * k > len(self._steps)  # hardly larger than what is kept of it
            self.segments.append(self._steps[:k], self._dense[:k], self._refs[:k], copied=not given)
            if given:
                self._make_room(0)
            if self.segments.count * self.integrator.dense_rows * len(self.y) > MOST_DENSE:
                self._let_go()
        self.counts[C.STORED] = 0

    def _let_go(self) -> None:
        """Keep of all stored steps but the last ones only the states at the instants of the output: memory stays bounded."""
        if len(self.segments.parts) < 2:
            return
        complete(self)
        older, last = Segments(), Segments()
        older.parts, last.parts = self.segments.parts[:-1], self.segments.parts[-1:]
        steps, records, references = older.joined()
        direction = math.copysign(1.0, steps[0, 1])
        first, end = direction * steps[0, 0], direction * last.parts[0][0][0, 0]
        times = self.grid[(direction * self.grid >= first) & (direction * self.grid < end)]
        Y, refs = interpolated(self.integrator, len(self.y), steps, records, references, times)
        self.harvest.append((times, Y, refs))
        self.segments = last

    def advance(self, end: float, progress: Callable[[float], None] | None = None, patience: int = 60) -> int:
        """Go on to `end`; return the integrator's last answer, EVENT where a terminal event ended it, or NO_HEADWAY.

        Parameters
        ----------
        end : float
        progress : callable, optional
            Called with the time about twenty times a second.
        patience : int
            How often in a row a partition may be renewed without a step.
        """
        from multibody.analyses.dynamics.crossing import body_state, leave_switching, pass_switching
        from multibody.analyses.events.impulse import JumpError
        from multibody.analyses.events.undefined import unbounded

        self.goal = end
        self.headway = Headway(end, self.t, self._attempts(), int(self.counts[C.REJECTED]))
        while True:  # bounded by the switching instants, and by headway between them
            switching, direction = self.ahead.next(self.t, end, self.reach), math.copysign(1.0, end - self.t)
            self.went_back = False
            if switching is None:
                status = self._advance(end, progress, patience)
                if self.went_back:
                    continue
                return status
            pole = unbounded(self.system, body_state(self, self.t).q, switching, switching.before - self.t)
            if pole is not None:
                self._advance(pole.time_reached, progress, patience)
                raise JumpError(replace(pole, time_reached=self.t))
            if direction * (switching.before - self.t) > C.SHORTEST * abs(self.t):
                status = self._advance(switching.before, progress, patience)
                if self.went_back:
                    continue
                if status != C.DONE or self.gave_up:
                    return status
            elif direction > 0.0 and self.t > switching.before:
                leave_switching(self, switching)
                continue
            pass_switching(self, switching)
            if direction * self.t >= direction * end:
                return C.DONE

    def _advance(self, end: float, progress: Callable[[float], None] | None, patience: int) -> int:
        """Go on to `end`, between two switching instants of motions."""
        from multibody.analyses.dynamics.step_events import handle_events

        limit, begin, fruitless, reached = 200, clock.perf_counter(), 0, -1
        try:
            while True:  # bounded by headway
                before = clock.perf_counter()
                status = self.call(end, limit)
                took = clock.perf_counter() - before
                if self.headway.lost(self.t, self._attempts(), int(self.counts[C.REJECTED]), bool(self.counts[C.STIFF])):
                    return NO_HEADWAY
                if status == C.EVENT:
                    if handle_events(self):
                        return C.EVENT
                    if self.went_back:
                        return C.CONTINUE
                    continue
                if status == C.OUTPUT_FULL:
                    self.drain()
                elif status == C.ACCEPT_FAILED and int(self.counts[C.CODE]) in RECOVERABLE and fruitless < patience:
                    fruitless = fruitless + 1 if int(self.counts[C.STEPS]) == reached else 0
                    reached = int(self.counts[C.STEPS])
                    self._recover(int(self.counts[C.CODE]))
                    continue
                if self.switching and self.counts[C.STIFF] and status != C.DONE:
                    self.gave_up = True
                    return status
                if status not in (C.CONTINUE, C.OUTPUT_FULL):
                    return status
                limit = max(20, min(1_000_000, 2 * limit, int(limit * CHUNK / max(took, 1e-6))))
                if progress is not None:
                    progress(self.t)
        finally:
            self.drain()
            self.wall_time += clock.perf_counter() - begin

    def _attempts(self) -> int:
        """Return the number of steps made and refused."""
        return int(self.counts[C.STEPS] + self.counts[C.REJECTED])

    def _recover(self, code: int) -> None:
        """Take what the acceptance asks for: a new partition, other angles of balls, or other rows among redundant ones."""
        if code == WEAK_PARTITION:
            self.repartition()
            return
        if code == OTHER_ROWS:
            self._take_other_rows()
            return
        self.restart(self.t, self.space.with_new_charts(self.y))

    def _take_other_rows(self) -> None:
        """Go on with other rows among redundant ones, if these serve better here."""
        self.drain()
        complete(self)  # what is left of the steps so far is found with the rows that they were made with
        if not self.space.take_other_rows(self.y, self.t):
            return
        self.bundle = self.space.bundle
        if self.integrator.implicit:
            self.addresses = (self._equations(), *self.addresses[1:])
            self.notes += [note for note in self._check_factors() if note not in self.notes]
        if self.formulation.partitioned:
            self.repartition()
        self.restart(self.t, self.y.copy())

    def cut(self, t: float, y: Floats, references: Floats) -> None:
        """Go back to the instant t within the last step and begin anew there, on the constraints."""
        b = self.bundle
        self.restart(t, y, references)
        self.formulation.kernels()[1](*b.run, t, self.y, self.active)

    def restart(self, t: float, y: Floats, references: Floats | None = None) -> None:
        """Begin anew at (t, y)."""
        self.control[C.T], self.control[C.H] = t, self.first_step
        self.y[:] = y
        self.g[2:] = 0.0
        self.space.forget()
        if references is not None:
            self.bundle.ref[:] = references
        self.counts[C.FRESH] = 1

    def interpolate(self, row: Floats, t0: float, h: float, t: float) -> Floats:
        """Return the state at t from one step's dense record."""
        out = np.zeros(len(self.y))
        self.integrator.interpolate(row, t0, h, t, out)
        return out

    def cartesian(self, t: float, y: Floats, references: Floats) -> Floats:
        """Return the Cartesian (q, v, w) of a state y."""
        Y, refs = y.reshape(1, -1).copy(), references.reshape(1, -1).copy()
        return np.asarray(self.space.cartesian(np.array([t]), Y, refs, self.begin)[0])

    def event(self, found: Occurrence) -> Event:
        """Return an occurrence as an event, with the Cartesian state."""
        if found.impulse is not None:
            there = found.impulse.motion
            return Event(found.name, found.time, found.terminal, there.q[0], there.v[0], found.impulse)
        q = self.cartesian(found.time, found.y, self.bundle.ref)
        nq, nv = self.system.nq, self.system.nv
        return Event(found.name, found.time, found.terminal, q[:nq], q[nq : nq + nv])

    def statistics(self) -> dict[str, Any]:
        """Return the work that was done."""
        c = self.counts
        steps = int(c[C.STEPS])
        return {
            "formulation": self.formulation.name, "integrator": self.integrator.name, "steps": steps,
            "rejected": int(c[C.REJECTED]), "rhs_evaluations": int(c[C.EVALUATIONS]),
            "jacobian_evaluations": int(c[C.JACOBIANS]), "iterations": int(c[C.ITERATIONS]),
            "factorizations": int(c[C.FACTORIZATIONS]) + int(self.bundle.statistic("factorizations")),
            "projections": int(c[C.MOVED]),
            "partitions": self.partitions, "mean_order": float(c[C.ORDER_SUM]) / steps if steps else 0.0,
            "stiff": bool(c[C.STIFF]), "wall_time": self.wall_time,
        }  # fmt: skip
