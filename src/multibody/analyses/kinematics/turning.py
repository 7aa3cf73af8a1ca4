"""Very many turns from one instant to the next: a mechanism that repeats itself is followed over one period.

To follow a crank over a million turns takes as long as the turns do. Where all motions come back to the same position after one
period, so does the mechanism, if it is where it began after it has been followed over one: every instant is then a place in
that period, with the turns since counted. Without a period, too many turns are refused.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from multibody.analyses.kinematics.instant import Instant
from multibody.analyses.kinematics.locate import regular_near
from multibody.analyses.kinematics.tracker import Tracker
from multibody.kernels.tracking import values_over
from multibody.rank.drive import Drive
from multibody.state.motion import Motion
from multibody.state.state import State, Status
from multibody.state.system import Floats, System

MANY = 1000.0  # periods over a grid with fewer instants: only then they are not all followed
FOLLOWED = 1e6  # rad of a motion that are followed one after another
MULTIPLES = 24  # of the period of the slowest motion that are tried for all of them
SAME = 1e-8  # scaled difference of two positions that are the same
LOOKS = 9  # times at which a period is tried
TURN = 2.0 * math.pi


def turned(system: System, q: Floats, grid: Floats) -> tuple[str, float]:
    """Return the motion that turns most over a grid, and by how much [rad], as far as the instants of the grid show it."""
    angles = [r for r in range(system.joint_rows, system.rows) if not system.tables.rows[r].is_length]
    if not angles or len(grid) < 2:
        return "", 0.0
    times = np.ascontiguousarray(grid[:: max(1, len(grid) // 200)])
    values = np.zeros((len(times), system.rows - system.joint_rows))
    values_over(*system.run, times, q, system.joint_rows, system.rows, values)
    values = values[:, [r - system.joint_rows for r in angles]]
    way = np.sum(np.abs(np.diff(values, axis=0)), axis=0)
    k = int(np.argmax(way))
    return system.tables.rows[angles[k]].owner, float(way[k])


def find_period(system: System, q: Floats, grid: Floats) -> float | None:
    """Return a time after which all prescribed positions are the same but for whole turns, None where none is found."""
    low, high = sorted((float(grid[0]), float(grid[-1])))
    times = np.linspace(low, high, LOOKS)
    rates = np.array([system.velocity_side(q, float(t)) for t in times])
    steady = [r for r in range(system.joint_rows, system.rows) if np.ptp(rates[:, r]) <= 1e-12 * np.max(np.abs(rates[:, r]))]
    speeds = [abs(float(rates[0, r])) for r in steady if not system.tables.rows[r].is_length and rates[0, r] != 0.0]
    if not speeds:
        return None
    for multiple in range(1, MULTIPLES + 1):
        period = multiple * TURN / min(speeds)
        if period < high - low and all(_repeats(system, q, float(t), period) for t in np.linspace(low, high - period, LOOKS)):
            return period
    return None


def _repeats(system: System, q: Floats, t: float, period: float) -> bool:
    """Return whether rows and their rates are the same a period later, angles of motions but for whole turns."""
    a, b = system.phi(q, t), system.phi(q, t + period)
    change, size = b - a, 1.0 + np.maximum(np.abs(a), np.abs(b))
    for r in range(system.joint_rows, system.rows):
        if not system.tables.rows[r].is_length:
            change[r] -= TURN * round(change[r] / TURN)
    rates = [system.velocity_side(q, x) for x in (t, t + period)]
    speed = float(np.max(np.abs(rates), initial=0.0))
    return bool(np.all(np.abs(change) <= SAME * 1e-1 * size) and np.all(np.abs(rates[1] - rates[0]) <= SAME * speed))


def over_periods(system: System, state: State, grid: Floats, drive: Drive) -> Motion | None:
    """Return the motion over a grid of very many turns; None where they are few, or can be followed one after another.

    Parameters
    ----------
    system : System
        With the angle references of the start.
    state : State
        The start.
    grid : array
        Monotonic times.
    drive : Drive
    """
    name, way = turned(system, state.q, grid)
    if way < MANY * TURN or way < TURN * len(grid):
        return None
    period = find_period(system, state.q, grid)
    found = None if period is None else _one_period(system, state, grid, drive, period)
    if found is None and way > FOLLOWED:
        return _refused(system, state, grid, name, way)
    return found


def _one_period(system: System, state: State, grid: Floats, drive: Drive, period: float) -> Motion | None:
    """Follow one period, and read every instant from it; None where the mechanism is not where it began after it."""
    begin, sign = system.ref.copy(), 1.0 if grid[-1] >= grid[0] else -1.0
    count = np.floor(sign * (grid - grid[0]) / period)
    places = np.clip(sign * (grid - grid[0]) - count * period, 0.0, period)
    fine = grid[0] + sign * np.unique(np.concatenate([places, np.linspace(0.0, period, 65)]))
    tracker = Tracker(system, state, fine, drive)
    tracker.run()
    motion = tracker.motion()
    turns = _whole_turns(system, motion) if motion.status.success else None
    if turns is None:
        system.ref[:] = begin
        return None
    index = np.searchsorted(sign * fine, sign * (grid[0] + sign * places))
    return _unrolled(tracker, motion, grid, index, count, turns)


def _whole_turns(system: System, motion: Motion) -> tuple[Floats, Floats] | None:
    """Return what q and the angle references gain in a period, None where the mechanism is elsewhere after it."""
    tables, layout, bodies = system.tables, system.tables.layout, len(system.tables.bodies) - 1
    first, last = motion.q[0], motion.q[-1]
    gain = last - first
    angles = np.zeros(len(gain), dtype=bool)
    angles[layout.extras(bodies)] = True
    scale = np.ones(len(gain))
    layout.split(scale, bodies)[:, layout.shift] = tables.length
    if layout.dimension == 2:
        angles[layout.each(layout.angle, bodies)] = True
    else:  # p and −p are one orientation
        for b in range(1, len(tables.bodies)):
            p = layout.orientation(b)
            gain[p] = 0.0 if np.max(np.abs(np.abs(first[p] @ last[p]) - 1.0)) < SAME else 1.0
    turns = np.where(angles, TURN * np.round(gain / TURN), 0.0)
    if np.max(np.abs((gain - turns) / scale), initial=0.0) > SAME:
        return None
    if motion.references.ndim == 1:
        return turns, np.zeros_like(motion.references)
    return turns, TURN * np.round((motion.references[-1] - motion.references[0]) / TURN)


def _unrolled(
    tracker: Tracker, motion: Motion, grid: Floats, index: Floats, count: Floats, turns: tuple[Floats, Floats]
) -> Motion:
    """Return the motion over the grid: each instant at its place in the period, with its turns, closed at its own time."""
    system, square = tracker.system, tracker.follower.square
    q, v, a = motion.q[index] + count[:, None] * turns[0], motion.v[index].copy(), motion.a[index].copy()
    counted = motion.references.ndim == 2
    references = motion.references[index] + count[:, None] * turns[1] if counted else motion.references
    for k, t in enumerate(grid):
        system.ref[:] = references[k] if counted else references
        found = regular_near(square, Instant(float(t), q[k].copy(), v[k].copy(), a[k].copy()), float(t))
        if found is not None:
            q[k], v[k], a[k] = found[0].q, found[0].v, found[0].a
    note = f"the motions repeat themselves: one period was followed, and {count[-1]:.0f} periods were counted"
    return replace(
        motion, t=grid, q=q, v=v, a=a, sigma=motion.sigma[index], references=references,
        status=Status(True, "finished", float(grid[-1])), notes=[*motion.notes, note], drive=None,
    )  # fmt: skip


def _refused(system: System, state: State, grid: Floats, name: str, way: float) -> Motion:
    """Return the start alone, with the reason: too many turns."""
    message = f'motion "{name}" turns by {way:.3g} rad up to t = {grid[-1]:g}, too many turns to be followed'
    advice = f"about {FOLLOWED:g} rad can be followed: let the analysis end earlier, or start it later"
    status, n = Status(False, message, float(grid[0]), advice=advice), system.nv
    return Motion(
        system.tables, grid[:1], state.q[None, :].copy(), state.v[None, :].copy(), np.zeros((1, n)), np.zeros(1),
        state.references[None, :].copy() if system.tables.dimension == 3 else state.references, status, state,
        statistics={"steps": 0, "newton_iterations": 0, "rejected": 0},
    )  # fmt: skip
