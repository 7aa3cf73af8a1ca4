"""Kinematic analysis: positions, velocities and accelerations of a driven mechanism over time.

Newton–Raphson on Φ(q, t) = 0, Φ_q v = ν, Φ_q v̇ = γ (Shabana, Computational Dynamics, ch. 3) inside one compiled loop,
for large mechanisms with sparse factors. The square system is made of independent rows; rows that are redundant are
monitored, idle degrees of freedom are held still.
"""

from __future__ import annotations

import math
import time as clock
from typing import Any

import numpy as np

from multibody.analyses.assembly.assemble import assemble
from multibody.analyses.assembly.member import compiled_state
from multibody.analyses.kinematics.switched_grid import SwitchedGrid
from multibody.analyses.kinematics.tracker import Tracker
from multibody.analyses.kinematics.turning import over_periods
from multibody.errors import ModelError
from multibody.model.expressions import CONSTANTS, ExpressionError, Number, evaluate, names
from multibody.model.model import Model
from multibody.rank.drive import Drive, find_drive, plain_drive, refuse_too_many
from multibody.state.motion import Motion
from multibody.state.state import State, Status
from multibody.state.system import Floats, System, tables_of
from multibody.tables.lower import Tables


def kinematics(
    model: Model, *, start: float | str | None = None, until: float | str | None = None, steps: int | None = None,
    at: float | str | None = None, times: Any = None, initial: State | None = None, verb: str = "kinematics",
) -> Motion:  # fmt: skip
    """Return the motion of a mechanism whose motions drive all its degrees of freedom.

    Parameters
    ----------
    model : Model
    start, until : float
        First and last time.
    steps : int
        Number of intervals of the grid; default 100.
    at : float, optional
        One time alone, in place of a grid.
    times : array, optional
        The grid itself, monotonic.
    initial : State, optional
        Where assembly starts, and with it the branch.
    verb : str
        Whose own options of the model count, before those of ``kinematics``.

    Returns
    -------
    Motion
        One that stopped early (lock-up) keeps everything up to there; its status says why.
    """
    grid = time_grid(model, start, until, steps, at, times, verb)
    return motion_over(System(tables_of(model)), grid, initial)


def motion_over(system: System, grid: Floats, initial: State | None = None) -> Motion:
    """Return the motion of a model that is lowered, over a grid that is checked; nothing of it leads back to the system."""
    begin, model = clock.perf_counter(), system.tables.model
    state, drive = _start(model, system, initial, float(grid[0]))
    if not state.ok:
        refuse_too_many(system, state.q, state.t)
        return _failed(system.tables, state, grid)
    motion = motion_from(system, state, grid, drive)
    motion.statistics["wall_time"] = clock.perf_counter() - begin
    return motion


def motion_from(system: System, state: State, grid: Floats, drive: Drive | None = None) -> Motion:
    """Return the motion over a grid from a consistent state; `drive` where the rows that solve it are known."""
    begin, model = clock.perf_counter(), system.tables.model
    system.ref[:] = state.references
    if drive is None:
        drive = find_drive(system, state.q, state.t)
    fine, parts = grid, 1
    if model.events:
        from multibody.analyses.kinematics.driven_events import searched, with_events  # here: it loads integrators

        fine, parts = searched(grid)
    switched = SwitchedGrid(system, state.q, fine)
    motion, follower = over_periods(system, state, switched.grid, drive), None
    if motion is None:
        tracker = Tracker(system, state, switched.grid, drive)
        tracker.run()
        motion, follower = tracker.motion(), tracker.follower
    motion = switched.thinned(motion)
    if model.events and len(motion.t):
        motion = with_events(system, None if follower is None else follower.square, motion, parts)
    motion.statistics["wall_time"] = clock.perf_counter() - begin
    return motion


def _start(model: Model, system: System, initial: State | None, t: float) -> tuple[State, Drive | None]:
    """Return the assembled start, and the square system where nothing has to be chosen for it.

    A start that comes from compiled assembly has no branch label yet: that is found when somebody reads it. Whether an
    expression that begins at zero has changed its sign since hangs on the last digits of the position: with events they stay
    those of ``assemble``.
    """
    found = compiled_state(system, t) if initial is None and not model.events else None
    if found is None:
        return assemble(model, initial, t), None
    state, rows = found
    return state, plain_drive(system.nv) if rows is not None and system.rows == system.nv else None


def time_grid(
    model: Model, start: Any, until: Any, steps: int | None, at: Any, times: Any, verb: str = "kinematics",
    tables: Tables | None = None,
) -> Floats:  # fmt: skip
    """Return the checked time grid; what is not given comes from the model's own options of the verb.

    With its tables, times that are formulas of parameters need no more than an evaluation.
    """
    given = {"start": start, "until": until, "steps": steps, "at": at, "times": times}
    asked = {key: value for key, value in given.items() if value is not None}
    single = [key for key in ("times", "at") if key in asked]
    if single and len(asked) > 1:
        other = next(key for key in asked if key != single[0])
        raise ModelError(f"{single[0]} together with {other}", where=verb, hint="give one time, the times or a range")
    if times is not None:
        return _checked_times(times, verb)
    stated = [model.defaults.of(each) for each in (verb, "kinematics")]
    own = next((each for each in stated if each.keys() & given.keys()), {})
    if not asked and own.get("at") is not None:
        asked["at"] = own["at"]
    if "at" in asked:
        return np.array([_time(model, asked["at"], verb, "at", tables)])
    range_ = {"start": 0.0, "steps": 100} | {key: value for key, value in own.items() if key != "at"} | asked
    if range_.get("until") is None:
        raise ModelError("no end time", where=verb, hint="give until (or at, or times)")
    first, last = (_time(model, range_[key], verb, key, tables) for key in ("start", "until"))
    if first == last:
        raise ModelError("the end time equals the start", where=verb, hint="give a later time")
    count = range_["steps"]
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise ModelError(f"{count!r} steps", where=verb, hint="a whole number of at least 1 is needed")
    return np.linspace(first, last, count + 1)


def _checked_times(times: Any, verb: str) -> Floats:
    """Return given times, finite and in one direction."""
    grid = np.array(times, dtype=float).ravel()
    if len(grid) == 0 or not np.all(np.isfinite(grid)):
        raise ModelError("the times are empty or not finite", where=verb, hint="give at least one time")
    if len(grid) > 2 and not (np.all(np.diff(grid) > 0) or np.all(np.diff(grid) < 0)):
        raise ModelError("the times are not monotonic", where=verb, hint="sort them")
    return grid


def _time(model: Model, value: Any, verb: str, key: str, tables: Tables | None) -> float:
    """Return a time from a number or a formula of parameters."""
    from multibody.tables.scope import Scope

    if isinstance(value, int | float) and not isinstance(value, bool):
        if not math.isfinite(value):
            raise ModelError(f"time {value} is not finite", where=verb, hint="give a finite time")
        return float(value)
    where = f"{verb}.{key}"
    formula = model.formula(value, where)
    known = math.nan if tables is None else _known_value(formula, tables)
    if math.isfinite(known):
        return known
    scope = Scope(model)
    number = scope.value(scope.scalar(formula, where), where)
    if not math.isfinite(number):
        raise ModelError(f"time {number} is not finite", where=verb, hint="give a finite time")
    return float(number)


def _known_value(formula: Number, tables: Tables) -> float:
    """Return the value of a formula of scalar parameters, NaN where it is another one: to be judged, or at fault."""
    slots = tables.parameter_slots
    if any(parts not in slots and parts not in CONSTANTS for parts in names(formula)):
        return math.nan
    try:
        return float(evaluate(formula, lambda parts: float(tables.F[slots[parts]])))
    except (ArithmeticError, ExpressionError, TypeError):
        return math.nan


def _failed(tables: Any, state: State, grid: Floats) -> Motion:
    """Return the motion of a mechanism that could not be assembled: empty, with the reason."""
    empty = np.zeros((0, tables.nv))
    status = Status(
        False, state.status.message, float(grid[0]), state.status.worst, state.status.gap, state.status.advice
    )
    return Motion(
        tables, np.zeros(0), np.zeros((0, tables.nq)), empty, empty, np.zeros(0), state.references, status, state,
        statistics={"steps": 0, "newton_iterations": 0, "rejected": 0},
    )  # fmt: skip
