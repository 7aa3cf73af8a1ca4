"""Fixed steps at jumps of forces: the step that contains one is made anew up to it, with the law of one side only.

A step across a jump mixes the laws of both sides; its error is of first order whatever the method is, and nobody controls it.
The step is therefore taken back. Two shorter ones lead most of the way to the jump, each well before it, so that all their
stages lie on the near side; the last hundredth is left to the polynomial of the second. There the integrator begins anew with
the law of the far side. Where the law of the near side turns the motion round before the jump, there is none.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from multibody.analyses.dynamics.step_events import count, crossings, crossings_between, record, values
from multibody.integrators import contract as C

if TYPE_CHECKING:
    from multibody.analyses.dynamics.simulation import Simulation
    from multibody.state.system import Floats

PART = 0.9  # of the way to a jump: length of a step toward it
NEAR = 1e-9  # of a step: a jump that is no further from its start needs no steps of its own
TRIES = 60  # steps toward a jump; each that meets it makes the next one shorter by a tenth at least
LATER = 20  # doublings of the resolution of time by which a jump is left behind
FAR = 4.0  # times the way that was expected: how far beyond a step the jump is looked for


def distance_of_jump(sim: Simulation, found: list[tuple[float, int]]) -> float | None:
    """Return how far a jump is from the start of the last stored step, whose zeros are `found`; None if there is none in it.

    Where only the last stage lies beyond, it is by a straight line to there.
    """
    distances = [d for d, k in found if sim.watches[k].kind == "switch"]
    h = abs(float(sim._steps[int(sim.counts[C.STORED]) - 1, 1]))
    if sim.g.shape[0] > 2:
        for k, watch in enumerate(sim.watches):
            before, stage = sim.g[0, k], sim.g[2, k]
            if watch.kind == "switch" and np.sign(before) * np.sign(stage) < 0.0:
                distances.append(h * before / (before - stage))
    return min(distances, default=None)


def approach(sim: Simulation, distance: float) -> bool:
    """Take the last stored step back and go on to the jump in it; return whether a terminal event came first.

    Parameters
    ----------
    sim : Simulation
    distance : float
        From the start of the step to the jump, as its polynomial has it.
    """
    end, dense = float(sim.control[C.END]), int(sim.counts[C.DENSE])
    start, h = (float(x) for x in sim._steps[int(sim.counts[C.STORED]) - 1])
    if distance <= NEAR * abs(h):
        return _pass(sim, start, start + math.copysign(distance, h), end)
    _take_back(sim)
    jump, made = start + math.copysign(distance, end - start), 0
    stored = int(sim.counts[C.STORED])
    sim.counts[C.DENSE] = 1
    try:
        for _ in range(TRIES):
            target = sim.t + PART * (jump - sim.t)
            status = sim.call(target, 1)
            if status == C.OUTPUT_FULL:
                sim.drain()
                stored = 0
                continue
            if status == C.EVENT:
                found = crossings(sim)
                first = distance_of_jump(sim, found)
                if first is not None:
                    start = _take_back(sim)
                    jump = start + math.copysign(first, end - start)
                    continue
                if record(sim, found):
                    return True
            elif status not in (C.DONE, C.CONTINUE):
                return False  # the run meets it again and says what it is
            if sim.t != target:
                continue
            made += 1
            found_jump = _beyond(sim, jump)
            if found_jump is None:  # this side turns round before
                return False
            jump = found_jump
            if made == 2:
                sim.g[0] = sim.g[1]
                return _pass(sim, sim.t, jump, end)
        return False
    finally:
        sim.counts[C.DENSE] = dense
        if not dense:
            sim.counts[C.STORED] = min(stored, int(sim.counts[C.STORED]))


def _take_back(sim: Simulation) -> float:
    """Begin anew at the start of the last stored step, which counts as rejected; return the time there."""
    last = int(sim.counts[C.STORED]) - 1
    t0, h = (float(x) for x in sim._steps[last])
    sim.restart(t0, sim.interpolate(sim._dense[last], t0, h, t0), sim._refs[last])
    sim.counts[C.STORED] = last
    sim.counts[C.STEPS] -= 1
    sim.counts[C.ORDER_SUM] -= sim.integrator.order
    sim.counts[C.REJECTED] += 1
    return t0


def _beyond(sim: Simulation, expected: float) -> float | None:
    """Return the first instant behind a jump on the polynomial of the last step, continued beyond its end; None without one."""
    last = int(sim.counts[C.STORED]) - 1
    t0, h = (float(x) for x in sim._steps[last])
    now, way = t0 + h, expected - (t0 + h)
    switches = [k for k, watch in enumerate(sim.watches) if watch.kind == "switch"]
    signs = np.sign(values(sim, last, now))
    smallest = 4.0 * math.ulp(max(abs(now), abs(h)))
    low, high = now, None
    for factor in (1.0, 1.25, 1.5, 2.0, 3.0, FAR):
        t = now + math.copysign(max(factor * abs(way), factor * smallest), h)
        if _behind(sim, last, t, switches, signs):
            high = t
            break
        low = t
    if high is None:
        return None
    while abs(high - low) > smallest:
        middle = 0.5 * (low + high)
        if _behind(sim, last, middle, switches, signs):
            high = middle
        else:
            low = middle
    return high


def _behind(sim: Simulation, last: int, t: float, switches: list[int], signs: Floats) -> bool:
    """Return whether a switch has the other sign at t: the law of the far side must hold there, not that of the jump itself."""
    now = np.sign(values(sim, last, t))
    return any(now[k] * signs[k] < 0.0 for k in switches)


def _pass(sim: Simulation, start: float, jump: float, end: float) -> bool:
    """Begin anew behind the jump, or at the end of the run where that comes first; return whether a terminal event did.

    ``sim.g[0]`` has the watched values at `start`. Round-off of a projection may put the new state before the jump again, where
    the law of the near side holds: it is then taken a little later.
    """
    last = int(sim.counts[C.STORED]) - 1
    t0, h = (float(x) for x in sim._steps[last])
    row, refs, before = sim._dense[last].copy(), sim._refs[last].copy(), sim.g[0].copy()
    over = (jump - end) * h >= 0.0
    jump = end if over else jump
    sim.g[1] = values(sim, last, jump)
    found = crossings_between(sim, last, start, jump)
    if record(sim, [(d, k) for d, k in found if sim.watches[k].kind == "event"]):
        return True
    switches = [k for _, k in found if sim.watches[k].kind == "switch"]
    for k in switches:
        count(sim, k, jump)
    for n in range(LATER):
        time = jump if n == 0 else jump + math.copysign(2.0**n * math.ulp(max(abs(jump), abs(h))), h)
        sim.cut(time, sim.interpolate(row, t0, h, time), refs)
        now = _watched(sim)
        if over or all(np.sign(before[k]) * np.sign(now[k]) < 0.0 for k in switches):
            break
    return False


def _watched(sim: Simulation) -> Floats:
    """Return all watched expressions at the present state."""
    b, out = sim.bundle, np.zeros(len(sim.watches))
    sim.space.monitor(*b.run, sim.t, sim.y, out)
    return out
