"""Kinematic analysis: positions, velocities and accelerations of a driven mechanism over time.

Newton–Raphson on Φ(q, t) = 0, Φ_q v = ν, Φ_q v̇ = γ (Shabana, Computational Dynamics, ch. 3) inside one compiled loop,
for large mechanisms with sparse factors. The square system is made of independent rows; rows that are redundant are
monitored, idle degrees of freedom are held still.
"""

from __future__ import annotations

import time as clock
from typing import Any

import numpy as np

from multibody.analyses.assemble import assemble
from multibody.analyses.drive import find_drive, refuse_too_many
from multibody.analyses.motion import Motion
from multibody.analyses.state import State, Status
from multibody.analyses.system import Floats, System, tables_of
from multibody.analyses.tracker import Tracker
from multibody.errors import ModelError
from multibody.model.model import Model


def kinematics(
    model: Model, *, start: float | str = 0.0, until: float | str | None = None, steps: int | None = None,
    at: float | None = None, times: Any = None, initial: State | None = None,
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

    Returns
    -------
    Motion
        One that stopped early (lock-up) keeps everything up to there; its status says why.
    """
    grid = time_grid(model, start, until, steps, at, times)
    begin = clock.perf_counter()
    tables = tables_of(model)
    state = assemble(model, initial, float(grid[0]))
    system = System(tables)
    if not state.ok:
        refuse_too_many(system, state.q, state.t)
        return _failed(tables, state, grid)
    system.ref[:] = state.references
    drive = find_drive(system, state.q, state.t)
    tracker = Tracker(system, state, grid, drive)
    tracker.run()
    motion = tracker.motion()
    motion.statistics["wall_time"] = clock.perf_counter() - begin
    return motion


def time_grid(
    model: Model, start: float | str, until: float | str | None, steps: int | None, at: float | None, times: Any
) -> Floats:
    """Return the checked time grid; defaults come from the model's own `kinematics` options."""
    defaults = model.defaults.get("kinematics", {})
    if times is not None:
        grid = np.array(times, dtype=float).ravel()
        if len(grid) == 0 or not np.all(np.isfinite(grid)):
            raise ModelError("the times are empty or not finite", where="kinematics", hint="give at least one time")
        if len(grid) > 2 and not (np.all(np.diff(grid) > 0) or np.all(np.diff(grid) < 0)):
            raise ModelError("the times are not monotonic", where="kinematics", hint="sort them")
        return grid
    if at is not None:
        if not np.isfinite(at):
            raise ModelError(f"time {at} is not finite", where="kinematics", hint="give a finite time")
        return np.array([float(at)])
    until = defaults.get("until") if until is None else until
    steps = defaults.get("steps", 100) if steps is None else steps
    if until is None:
        raise ModelError("no end time", where="kinematics", hint="give until (or at, or times)")
    from multibody.tables.scope import Scope

    scope = Scope(model)
    formulas = [scope.scalar(model.formula(x, "kinematics"), "kinematics") for x in (start, until)]
    values = [scope.value(formula, "kinematics") for formula in formulas]
    if not np.all(np.isfinite(values)) or values[0] == values[1]:
        raise ModelError("the end time equals the start", where="kinematics", hint="give a later time")
    if not isinstance(steps, int) or isinstance(steps, bool) or steps < 1:
        raise ModelError(f"{steps!r} steps", where="kinematics", hint="a whole number of at least 1 is needed")
    return np.linspace(values[0], values[1], steps + 1)


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
