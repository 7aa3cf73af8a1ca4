"""Events: zeros of watched expressions, located on the interpolant of the step in which a sign changed.

An event of the model is recorded, and ends the run if it is terminal. A switching point of a force law (of ``if``, ``abs``,
``min``, …) cuts the step: the integrator begins anew behind it and never steps across a kink.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from multibody.integrators import contract as C

if TYPE_CHECKING:
    from multibody.analyses.simulation import Simulation

MOST = 10_000  # occurrences of one expression before a run is stopped


class EndlessEventsError(Exception):
    """An expression changes its sign without end."""

    def __init__(self, name: str, time: float) -> None:
        super().__init__(name)
        self.name, self.time = name, time


def handle_events(sim: Simulation) -> bool:
    """Locate the zeros in the last stored step, record events, cut at a switch; return whether a terminal one ended the run."""
    from multibody.analyses.simulation import Occurrence

    last = int(sim.counts[C.STORED]) - 1
    t0, h = (float(x) for x in sim._steps[last])
    found = sorted(
        (abs(_root(sim, last, k) - t0), k) for k in range(len(sim.watches)) if _changed(sim.g[0, k], sim.g[1, k])
    )
    for distance, k in found:
        watch, time = sim.watches[k], t0 + np.copysign(distance, h)
        rising = sim.g[1, k] > sim.g[0, k]
        if watch.direction and rising != (watch.direction > 0):
            continue
        if watch.kind == "event" and not abs(_value(sim, last, t0, h, time, k)) <= max(abs(sim.g[0, k]), abs(sim.g[1, k])):
            sim.notes.append(f'event "{watch.name}": it has a pole at t = {time:.6g}, which is no zero')
            continue
        sim.event_counts[k] += 1
        if sim.event_counts[k] > MOST:
            raise EndlessEventsError(watch.name, time)
        if watch.kind == "switch" and watch.name in sim.system.tables.model.motions and sim.ahead.add(time):
            _go_back(sim, last)
            return False
        y = sim.interpolate(sim._dense[last], t0, h, time)
        if watch.kind == "event":
            sim.events.append(Occurrence(watch.name, time, y, watch.terminal))
        if watch.terminal or watch.kind == "switch":
            sim.cut(time, y, sim._refs[last])
            return bool(watch.terminal)
    return False


def _go_back(sim: Simulation, last: int) -> None:
    """Take back the last step: a motion switches in it unforeseen, and is to be met from before."""
    t0, h = (float(x) for x in sim._steps[last])
    sim.restart(t0, sim.interpolate(sim._dense[last], t0, h, t0), sim._refs[last])
    sim.counts[C.STORED] = last
    sim.went_back = True


def _changed(before: float, after: float) -> bool:
    """Return whether a watched value changed its sign in a step."""
    return bool(before * after < 0.0 or (after == 0.0 and before != 0.0))


def _root(sim: Simulation, last: int, k: int) -> float:
    """Return the first instant behind the zero of a watched expression, to the resolution of time."""
    t0, h = (float(x) for x in sim._steps[last])
    low, high, sign = 0.0, 1.0, np.sign(sim.g[0, k])
    a, b = float(sim.g[0, k]), float(sim.g[1, k])
    for iteration in range(200):
        middle = 0.5 * (low + high)
        if iteration % 3 and a != b:  # false position, with a halving every third time
            middle = min(max(low + (high - low) * a / (a - b), low + 0.01 * (high - low)), high - 0.01 * (high - low))
        if middle in (low, high) or high - low < 1e-15 or abs(h) * (high - low) < 4e-16 * max(abs(t0), abs(h)):
            break
        value = _value(sim, last, t0, h, t0 + middle * h, k)
        if np.sign(value) == sign:
            low, a = middle, value
        else:
            high, b = middle, value
    return t0 + high * h


def _value(sim: Simulation, last: int, t0: float, h: float, t: float, k: int) -> float:
    """Return a watched expression on the interpolant."""
    b, out = sim.bundle, np.zeros(len(sim.watches))
    now = b.ref.copy()
    b.ref[:] = sim._refs[last]
    sim.space.monitor(b.I, b.F, b.W, b.ref, t, sim.interpolate(sim._dense[last], t0, h, t), out)
    b.ref[:] = now
    return float(out[k])
