"""Events of a mechanism that its motions determine: zeros of watched expressions between the instants of its kinematics.

The mechanism is solved at every trial of the search, so that an event is as exact as the positions themselves. Where it is
singular, the state between two instants comes from their cubic.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from multibody.analyses.events.switching import MOST
from multibody.analyses.events.zeros import begins_at_zero, changed, zero_of
from multibody.analyses.kinematics.instant import Instant, between
from multibody.analyses.kinematics.locate import regular_near
from multibody.analyses.kinematics.square import Square
from multibody.kernels.watch import monitor
from multibody.state.kinetics import Event
from multibody.state.motion import Motion
from multibody.state.state import Status
from multibody.state.system import Floats, Integers, System

LEAST = 400  # intervals of the search over the whole time


def searched(grid: Floats) -> tuple[Floats, int]:
    """Return a grid on which events are looked for, and by how many its intervals are divided."""
    parts = max(1, -(-LEAST // max(len(grid) - 1, 1))) if len(grid) > 1 else 1
    if parts == 1:
        return grid, 1
    fine = grid[:-1, None] + np.diff(grid)[:, None] * np.arange(parts) / parts
    fine[:, 0] = grid[:-1]
    return np.append(fine.ravel(), grid[-1]), parts


class EventSearch:
    """Looks for the events of a model along a motion.

    Parameters
    ----------
    system : System
    square : Square
        The rows that are solved.
    motion : Motion
        On the grid of the search.
    """

    def __init__(self, system: System, square: Square, motion: Motion) -> None:
        self.system, self.square, self.motion = system, square, motion
        self.watches = system.tables.watches
        self.events = [k for k, watch in enumerate(self.watches) if watch.kind == "event"]
        self.counts = dict.fromkeys(self.events, 0)

    def run(self) -> tuple[list[Event], Instant | None]:
        """Return the events that happened, and the instant of the terminal one."""
        found: list[Event] = []
        values = np.array([self._values(self._at(k)) for k in range(len(self.motion.t))])
        if len(values) > 1:
            values[0, begins_at_zero(values[0], values[1])] = 0.0
        for k in range(len(self.motion.t) - 1):
            for time, number in self._zeros(k, values[k], values[k + 1]):
                watch, there = self.watches[number], self._between(k, time)
                self.counts[number] += 1
                if self.counts[number] <= MOST:
                    found.append(Event(watch.name, time, watch.terminal, there.q, there.v))
                if watch.terminal:
                    return found, there
        return found, None

    def _zeros(self, k: int, before: Floats, after: Floats) -> list[tuple[float, int]]:
        """Return times and numbers of the events between an instant and the next, in the order in which they are met."""
        t0, t1 = float(self.motion.t[k]), float(self.motion.t[k + 1])
        found = []
        for n in self.events:
            direction = self.watches[n].direction
            if not changed(before[n], after[n]) or (direction and (after[n] > before[n]) != (direction > 0)):
                continue
            found.append((zero_of(partial(self._value, k, n), t0, t1 - t0, before[n], after[n]), n))
        return sorted(found, reverse=t1 < t0)

    def _value(self, k: int, number: int, t: float) -> float:
        """Return a watched expression at a time between an instant and the next."""
        return float(self._values(self._between(k, t))[number])

    def _at(self, k: int) -> Instant:
        """Return an instant of the motion, from which angles are counted."""
        m = self.motion
        self.system.ref[:] = m.references[k] if m.references.ndim == 2 else m.references
        self.system.take_references(m.q[k])
        return Instant(float(m.t[k]), m.q[k], m.v[k], m.a[k])

    def _between(self, k: int, t: float) -> Instant:
        """Return the state at a time between an instant and the next."""
        one = self._at(k)
        if t == one.t:
            return one
        regular = regular_near(self.square, one, t)
        there = self._interpolated(k, one, t) if regular is None else regular[0]
        self.system.take_references(there.q)
        return there

    def _interpolated(self, k: int, one: Instant, t: float) -> Instant:
        """Return the state at a time from the instants around it, where the mechanism cannot be solved there."""
        two = self._at(k + 1)
        if t == two.t:
            return two
        v, a = between(one, two, t)
        return Instant(t, self.system.displaced(one.q, 0.5 * (one.v + v), t - one.t), v, a)

    def _values(self, there: Instant) -> Floats:
        """Return all watched expressions at an instant, angles counted from the references that are set."""
        s, out = self.system, np.zeros(len(self.watches))
        monitor(*s.run, there.t, np.concatenate([there.q, there.v]), out)
        return out


def with_events(system: System, square: Square | None, motion: Motion, parts: int) -> Motion:
    """Return a motion on the grid that was asked for, with its events; it ends at a terminal one.

    Parameters
    ----------
    system : System
    square : Square or None
        None where the mechanism was not followed from instant to instant, so that nothing is known between them.
    motion : Motion
        On the grid of the search.
    parts : int
        By how many the intervals were divided for the search.
    """
    asked = np.arange(0, len(motion.t), parts)
    if square is None:
        kept = thinned(motion, asked)
        kept.notes.append("events are not looked for: the time is too long for the motion to be followed through it")
        return kept
    search = EventSearch(system, square, motion)
    events, end = search.run()
    if not motion.status.success and len(motion.t) and asked[-1] != len(motion.t) - 1:
        asked = np.append(asked, len(motion.t) - 1)
    kept = replace(thinned(motion, asked), events=events)
    over = [search.watches[n].name for n, count in search.counts.items() if count > MOST]
    kept.notes += [f'event "{name}" happened more than {MOST} times: the others are not listed' for name in over]
    return kept if end is None else ended(kept, end, events[-1], system)


def thinned(motion: Motion, index: Integers) -> Motion:
    """Return some of the instants of a motion."""
    references = motion.references[index] if motion.references.ndim == 2 else motion.references
    return replace(
        motion, t=motion.t[index], q=motion.q[index], v=motion.v[index], a=motion.a[index], sigma=motion.sigma[index],
        references=references,
    )  # fmt: skip


def ended(motion: Motion, end: Instant, event: Event, system: System) -> Motion:
    """Return a motion that ends with an event: the instants before it, and its own."""
    direction = 1.0 if motion.t[-1] >= motion.t[0] else -1.0
    n = int(np.sum(direction * motion.t < direction * end.t))
    references = motion.references
    if references.ndim == 2:
        references = np.vstack([references[:n], system.ref])
    status = Status(True, f'stopped by event "{event.name}" at t = {end.t:.9g}', end.t)
    sigma = motion.sigma[min(n, len(motion.sigma) - 1)]
    return replace(
        motion, t=np.append(motion.t[:n], end.t), q=np.vstack([motion.q[:n], end.q]), v=np.vstack([motion.v[:n], end.v]),
        a=np.vstack([motion.a[:n], end.a]), sigma=np.append(motion.sigma[:n], sigma), references=references, status=status,
        singularities=[item for item in motion.singularities if direction * item.time <= direction * end.t],
        branches=[item for item in motion.branches if direction * item[0] <= direction * end.t],
    )  # fmt: skip
