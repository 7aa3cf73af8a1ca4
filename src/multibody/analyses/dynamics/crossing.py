"""How a simulation passes the instants at which motions switch: to just before them, across, and on from just behind.

Every formulation is taken across in the coordinates of the bodies, so that all of them go on with the same velocities.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from multibody.analyses.events.impulse import jump, refuse_positions
from multibody.analyses.events.switching import Switching
from multibody.integrators import contract as C
from multibody.state.state import State, Status

if TYPE_CHECKING:
    from multibody.analyses.dynamics.simulation import Simulation


def pass_switching(sim: Simulation, switching: Switching) -> None:
    """Take a simulation from just before a switching instant to just behind it; a jump of velocities becomes an event."""
    from multibody.analyses.dynamics.simulation import Occurrence

    state, nq = body_state(sim, switching.before), sim.space.nq
    found = jump(sim.system, state, switching, sim.rows)
    y = sim.y.copy()
    if found is not None:
        behind = sim.space.start(replace(state, v=found.after), float(y[-1]) + found.work)
        y[nq:] = behind[nq:]  # positions stay as they are, to the last digit
        sim.events.append(Occurrence(", ".join(found.names), switching.time, y.copy(), False, found))
    sim.cut(switching.after, y, sim.bundle.ref.copy())
    sim.passed.append(switching)


def leave_switching(sim: Simulation, switching: Switching) -> None:
    """Let a simulation that begins at a switching instant begin just behind it: its velocities are those there."""
    s = sim.system
    state = body_state(sim, switching.after)
    refuse_positions(s, switching, np.abs(s.phi(state.q, switching.after)) * s.scale_rows[: s.rows])
    sim.control[C.T] = switching.after
    sim.counts[C.FRESH] = 1
    sim.passed.append(switching)


def body_state(sim: Simulation, t: float) -> State:
    """Return the present state in the coordinates of the bodies, with prescribed rates as they are at t."""
    s = sim.system
    full = sim.cartesian(t, sim.y, sim.bundle.ref)
    s.ref[:] = sim.bundle.ref[: len(s.ref)]
    q, v = full[: s.nq].copy(), full[s.nq : s.nq + s.nv].copy()
    return State(s.tables, t, q, v, s.ref.copy(), "", Status(True, "on the way", t))
