"""The motion of a model at one time, with its forces: by kinematics, at the start, or by a run until then."""

from __future__ import annotations

from typing import Any

import numpy as np

from multibody.analyses.dynamics import expanded
from multibody.analyses.dynamics_start import require_inertia, require_masses, run_rows, start_state
from multibody.analyses.inverse import inverse
from multibody.analyses.leastnorm import DENSE_LIMIT
from multibody.analyses.motion import Motion
from multibody.analyses.run import as_motion, run
from multibody.analyses.state import State, Status
from multibody.analyses.system import Integers, System, tables_of
from multibody.formulations.prepare import prepare
from multibody.model.model import Model


def motion_at(model: Model, at: float, options: dict[str, Any]) -> Motion:
    """Return a motion whose last instant is the given time, with multipliers and efforts.

    Parameters
    ----------
    model : Model
        One that its motions determine is solved at that time alone; another one runs until then.
    at : float
    options : dict
        Those of :func:`run`.

    Returns
    -------
    Motion
        One that stopped early ends where it stopped; its status says why.
    """
    system = System(tables_of(model))
    require_masses(system)
    initial = options.get("initial")
    state, _ = start_state(model, initial, None)
    if not state.ok:
        return run(model, at, **options)
    system.ref[:] = state.references
    rows = run_rows(system, state.q, state.t)
    if len(rows) == system.nv and system.rows > system.joint_rows:
        return inverse(model, at=at, initial=initial).motion
    if at == state.t:
        return _start(system, state, rows)
    return run(model, at, **(options | {"output_step": abs(at - state.t)}))


def _start(system: System, state: State, rows: Integers) -> Motion:
    """Return the start alone."""
    if system.nv <= DENSE_LIMIT:
        require_inertia(system, state.q, state.t, rows)
    bundle = prepare(system.tables, rows, state.references, False)
    Y, times = np.concatenate([state.q, state.v, [0.0]])[None, :], np.array([state.t])
    found = expanded(bundle, times, Y, state.references[None, :].copy(), closing=False)
    return as_motion(system.tables, times, found, Status(True, "finished", state.t), state)
