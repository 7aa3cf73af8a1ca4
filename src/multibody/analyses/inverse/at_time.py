"""The motion of a model at one time, with its forces: by kinematics, at the start, or by a run until then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from multibody.analyses.dynamics.known_forces import KnownForces
from multibody.analyses.dynamics.opening import Opening, opened
from multibody.analyses.dynamics.run import as_motion, run
from multibody.analyses.events.undefined import require_values
from multibody.analyses.given.run_options import formulation_asked
from multibody.analyses.inverse.inverse import inverse
from multibody.formulations import Augmented, Formulation
from multibody.model.model import Model
from multibody.state.motion import Motion
from multibody.state.state import Status


def motion_at(model: Model, at: float, options: dict[str, Any], joints: Sequence[str] | None = None) -> Motion:
    """Return a motion whose last instant is the given time, with multipliers and efforts.

    Parameters
    ----------
    model : Model
        One that its motions determine is solved at that time alone; another one runs until then.
    at : float
    options : dict
        Those of :func:`run`.
    joints : list of str, optional
        Joints whose forces are wanted; `recursive` finds only these.

    Returns
    -------
    Motion
        One that stopped early ends where it stopped; its status says why.
    """
    initial = options.get("initial")
    opening = opened(model, initial)
    system, state = opening.system, opening.state
    if not state.ok:
        return run(model, at, **options, opening=opening)
    formulation = formulation_asked(model, options.get("formulation"), options.get("cut")) or Augmented()
    if opening.determined and system.rows > system.joint_rows:
        return inverse(model, at=at, initial=initial, formulation=formulation, joints=joints).motion
    if at == state.t:
        return _start(opening, formulation, joints)
    return run(model, at, joints=joints, **(options | {"output_step": abs(at - state.t)}), opening=opening)


def _start(opening: Opening, formulation: Formulation, joints: Sequence[str] | None) -> Motion:
    """Return the start alone."""
    system, state = opening.with_inertia().system, opening.state
    require_values(system, state.q, state.v, state.t)
    status, times = Status(True, "finished", state.t), np.array([state.t])
    alone = Motion(
        system.tables, times, state.q[None, :].copy(), state.v[None, :].copy(), np.zeros((1, system.nv)), np.full(1, np.nan),
        state.references[None, :].copy(), status, state,
    )  # fmt: skip
    found = KnownForces(alone, state, opening.rows, formulation, joints)(alone)
    return as_motion(system.tables, times, found, status, state)
