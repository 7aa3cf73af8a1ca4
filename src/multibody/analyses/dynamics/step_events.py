"""Events: zeros of watched expressions, located on the interpolant of the step in which a sign changed.

An event of the model is recorded, and ends the run if it is terminal. A switching point of a force law (of ``if``, ``abs``,
``min``, …) cuts the step: the integrator begins anew behind it and never steps across a kink. Methods with a fixed step come up
to it first, see ``approach``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from multibody.analyses.events.switching import MOST
from multibody.integrators import contract as C
from multibody.integrators.zeros import EVENT, SWITCH, zeros_in_step
from multibody.kernels.calls import INTERPOLATE, address_with

if TYPE_CHECKING:
    from multibody.analyses.dynamics.simulation import Simulation
    from multibody.state.system import Floats

ASIDE = 1e-4  # of a step, before and behind a zero: where the rows of a coupler are compared
KINK = 1e-2  # part of the rows by which they turn in a kink


class EndlessEventsError(Exception):
    """An expression changes its sign without end."""

    def __init__(self, name: str, time: float) -> None:
        super().__init__(name)
        self.name, self.time = name, time


def handle_events(sim: Simulation) -> bool:
    """Locate the zeros in the last stored step, record events, cut at a switch; return whether a terminal one ended the run."""
    found = crossings(sim)
    if not (sim.integrator.adaptive or _of_motion(sim, found)):
        from multibody.analyses.dynamics.approach import approach, distance_of_jump

        distance = distance_of_jump(sim, found)
        if distance is not None:
            return approach(sim, distance)
    return record(sim, found)


def _of_motion(sim: Simulation, found: list[tuple[float, int]]) -> bool:
    """Return whether the first switch among zeros is a motion's or a coupler's: steps are to end there from the start."""
    owner = next((sim.watches[k].name for _, k in found if sim.watches[k].kind == "switch"), "")
    return owner != "" and owner not in sim.system.tables.model.forces


def crossings(sim: Simulation) -> list[tuple[float, int]]:
    """Return the zeros in the last stored step: their distances from its start and what is watched, the nearest first."""
    last = int(sim.counts[C.STORED]) - 1
    t0, h = (float(x) for x in sim._steps[last])
    return crossings_between(sim, last, t0, t0 + h)


def crossings_between(sim: Simulation, last: int, start: float, end: float) -> list[tuple[float, int]]:
    """Return the zeros on the polynomial of a stored step between two times, at which ``sim.g`` has the watched values."""
    (t0, h), b, count = (float(x) for x in sim._steps[last]), sim.bundle, len(sim.watches)
    calls = address_with(sim.integrator.interpolate, INTERPOLATE), sim.addresses[2]
    kinds = np.array([EVENT if watch.kind == "event" else SWITCH for watch in sim.watches], dtype=np.int64)
    kept, y, out, distances = np.zeros(len(b.ref)), np.zeros(len(sim.y)), np.zeros(count), np.zeros(count)
    zeros_in_step(
        calls, b.handed, sim._dense[last], (t0, h, start, end), sim.g, kinds, int(sim.counts[C.STEPS]), b.ref, sim._refs[last],
        kept, y, out, distances,
    )  # fmt: skip
    return sorted((float(distance), k) for k, distance in enumerate(distances) if np.isfinite(distance))


def record(sim: Simulation, found: list[tuple[float, int]]) -> bool:
    """Record the events among zeros in the last stored step, cut at a switch; return whether a terminal one ended the run."""
    from multibody.analyses.dynamics.simulation import Occurrence

    last = int(sim.counts[C.STORED]) - 1
    t0, h = (float(x) for x in sim._steps[last])
    for distance, k in found:
        watch, time = sim.watches[k], t0 + np.copysign(distance, h)
        rising = sim.g[1, k] > sim.g[0, k]
        if watch.direction and rising != (watch.direction > 0):
            continue
        if watch.kind == "event" and not abs(values(sim, last, time)[k]) <= max(abs(sim.g[0, k]), abs(sim.g[1, k])):
            sim.notes.append(f'event "{watch.name}": it has a pole at t = {time:.6g}, which is no zero')
            continue
        count(sim, k, time)
        prescribes = watch.kind == "switch" and watch.name not in sim.system.tables.model.forces
        if prescribes and sim.ahead.add(time):
            _go_back(sim, last)
            return False
        y = sim.interpolate(sim._dense[last], t0, h, time)
        if prescribes:
            _refuse_kink(sim, last, watch.name, time)
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


def count(sim: Simulation, k: int, time: float) -> None:
    """Count an occurrence; stop a run in which there is no end of them."""
    sim.event_counts[k] += 1
    if sim.event_counts[k] > MOST:
        raise EndlessEventsError(sim.watches[k].name, time)


def _refuse_kink(sim: Simulation, last: int, name: str, time: float) -> None:
    """End a run where a coupler has a kink in a coordinate: its rows turn at once, and how velocities pass that is not said."""
    from multibody.analyses.events.impulse import JumpError
    from multibody.state.state import Status

    tables, system = sim.system.tables, sim.system
    t0, h = (float(x) for x in sim._steps[last])
    sides = []
    for t in (time - ASIDE * h, time + ASIDE * h):
        y = sim.interpolate(sim._dense[last], t0, h, t)
        q = sim.cartesian(t, y, sim._refs[last])[: system.nq]
        system.ref[:] = sim._refs[last][: len(system.ref)]
        sides.append(system.scaled(system.jacobian(q.copy(), t))[list(tables.joint_rows[name])])
    if np.max(np.abs(sides[1] - sides[0])) > KINK * np.max(np.abs(sides)):
        message = f'coupler "{name}" has a kink at t = {time:.9g}'
        advice = "how velocities pass a kink in a coordinate is not defined; round it, such as sqrt(x^2 + d^2) for abs(x)"
        _go_back(sim, last)  # a step across a kink has nothing right behind it
        raise JumpError(Status(False, message, t0, name, 0.0, advice))


def values(sim: Simulation, last: int, t: float) -> Floats:
    """Return all watched expressions at a time on the polynomial of a stored step."""
    (t0, h), ref, out = (float(x) for x in sim._steps[last]), sim.bundle.ref, np.zeros(len(sim.watches))
    now = ref.copy()
    ref[:] = sim._refs[last]
    sim.space.monitor(*sim.bundle.run, t, sim.interpolate(sim._dense[last], t0, h, t), out)
    ref[:] = now
    return out
