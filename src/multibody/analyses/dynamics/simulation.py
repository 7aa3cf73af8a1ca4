"""The loop around an integrator: chunks, dense output, new partitions, events, progress, interruption.

A formulation and an integrator are compiled apart and meet here through addresses; everything that survives between chunks
lies in arrays, so that a simulation can stop after any step and go on.
"""

from __future__ import annotations

import math
import time as clock
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.analyses.dynamics.headway import NO_HEADWAY, Headway
from multibody.analyses.dynamics.settling import tell_feedback, tell_partition, tell_tolerances, write_active
from multibody.analyses.events.switching import Switching, SwitchingTimes
from multibody.formulations import Formulation
from multibody.formulations.closing import WEAK_PARTITION
from multibody.formulations.prepare import Bundle
from multibody.formulations.spaces.space import Space
from multibody.integrators import Integrator
from multibody.integrators import contract as C
from multibody.integrators.reading import read_dense
from multibody.kernels.calls import INTERPOLATE, address_of, address_with
from multibody.kernels.parametric.declared import MOVING_CHART, OTHER_ROWS
from multibody.kernels.subnormals import flushed
from multibody.state.kinetics import Event
from multibody.state.state import State
from multibody.state.system import Floats, Integers, System
from multibody.tables.scales import second

if TYPE_CHECKING:
    from multibody.analyses.events.impulse import Impulse

RECOVERABLE = (WEAK_PARTITION, MOVING_CHART, OTHER_ROWS)
SHORTEST = 1e-12  # of the time: a shorter way to a switching instant is none
CHUNK = 0.05  # seconds between looks at the clock
ROWS = 256  # steps that one chunk can store
MOST_DENSE = 50_000_000  # numbers of dense output (400 MB) that are kept


@dataclass
class Occurrence:
    """A located event: its name, its time and the state there; the impulse where velocities jumped."""

    name: str
    time: float
    y: Floats
    terminal: bool
    impulse: Impulse | None = None


class Segments:
    """Dense output of steps: start and length of each, its record, and the angle references at its start."""

    def __init__(self) -> None:
        self.parts: list[tuple[Floats, Floats, Floats]] = []

    @property
    def size(self) -> int:
        """Numbers that are kept."""
        return sum(dense.size for _, dense, _ in self.parts)

    def append(self, steps: Floats, dense: Floats, refs: Floats) -> None:
        """Keep copies of some steps, all or nothing: an interruption may come at any moment."""
        self.parts.append((steps.copy(), dense.copy(), refs.copy()))

    def joined(self) -> tuple[Floats, Floats, Floats]:
        """Return all of them as three arrays."""
        if len(self.parts) > 1:
            steps, dense, refs = (np.concatenate(arrays) for arrays in zip(*self.parts, strict=True))
            self.parts = [(steps, dense, refs)]
        return self.parts[0]


class Simulation:
    """A model in motion: the state now, and the means to go on.

    Parameters
    ----------
    system : System
    state : State
        Consistent start.
    rows : array of int
        Independent rows.
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
        self.control, self.counts = np.zeros(C.CONTROL_SIZE), np.zeros(C.COUNTS_SIZE, dtype=np.int64)
        integrator.configure(self.control, self.counts)
        self.first_step = float(self.control[C.H])
        self.control[C.T], self.control[C.RTOL], self.control[C.SECOND] = state.t, rtol, second(system.tables)
        self.counts[C.FRESH], self.counts[C.DENSE] = 1, int(dense)
        self.atol = atol * self.space.scales()
        self.atol[self.space.nq : self.space.nq + self.space.nv] /= second(system.tables)
        self.active = np.ones(n)
        self.active[-1] = 0.0
        self.memory = np.zeros((integrator.memory_rows, n))
        self.watches = system.tables.watches
        jumps = not integrator.adaptive and any(watch.kind == "switch" for watch in self.watches)
        self.g = np.zeros((3 if jumps else 2, len(self.watches)))
        room = max(8, min(ROWS, 32_000_000 // (8 * n * max(integrator.dense_rows, 1)))) if dense or self.watches else 1
        self._steps, self._refs = np.zeros((room, 2)), np.zeros((room, len(self.bundle.ref)))
        self._dense = np.zeros((room, integrator.dense_rows, n))
        self.segments = Segments()
        self.grid: Floats = np.zeros(0)  # instants of the output
        self.harvest: list[tuple[Floats, Floats, Floats]] = []  # instants, states and references of steps let go
        self.events: list[Occurrence] = []
        self.event_counts = np.zeros(len(self.watches), dtype=np.int64)
        self.ahead = SwitchingTimes(system.tables.model)
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
        dependent = tell_partition(self.space, self.t, self.y, self.partitions > 0)
        self.partitions += 1
        write_active(self.space, dependent, self.active)

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
        b = self.bundle
        self.face(end)
        self.control[C.END], self.counts[C.LIMIT] = end, limit
        with flushed():
            status = self.integrator.advance(
                *self.addresses, b.handed, b.ref, self.control, self.counts, self.y, self.atol, self.active, self.memory,
                self.g, self._steps, self._dense, self._refs, *self.work,
            )  # fmt: skip
        return int(status)

    def drain(self) -> None:
        """Move the stored steps out of the way."""
        k = int(self.counts[C.STORED])
        if k:
            self.segments.append(self._steps[:k], self._dense[:k], self._refs[:k])
            if self.segments.size > MOST_DENSE:
                self._let_go()
        self.counts[C.STORED] = 0

    def _let_go(self) -> None:
        """Keep of all stored steps but the last ones only the states at the instants of the output: memory stays bounded."""
        if len(self.segments.parts) < 2:
            return
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
        from multibody.analyses.dynamics.passing import body_state, leave_switching, pass_switching
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
            if direction * (switching.before - self.t) > SHORTEST * abs(self.t):
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
        pairs = self.space.pairs
        assert pairs is not None  # nothing else asks for it
        if code == MOVING_CHART:
            self.restart(self.t, pairs.with_new_charts(self.y))
        elif pairs.take_other_rows(self.y, self.t):
            self.bundle = self.space.bundle
            if self.integrator.implicit:
                self.addresses = (self._equations(), *self.addresses[1:])
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


def interpolated(
    integrator: Integrator, size: int, steps: Floats, records: Floats, references: Floats, times: Floats
) -> tuple[Floats, Floats]:
    """Return (q, v, w) at the times by the dense output of some steps, and the angle references to read them with."""
    direction = math.copysign(1.0, steps[0, 1])
    starts = direction * steps[:, 0]
    index = np.clip(np.searchsorted(starts, direction * times, side="right") - 1, 0, len(starts) - 1)
    Y = np.zeros((len(times), size))
    read_dense(address_with(integrator.interpolate, INTERPOLATE), steps, records, index, times, Y)
    return Y, np.ascontiguousarray(references[index])
