"""How a simulation ended, in words: what stopped it, whose formula or which row is to blame, and what would help."""

from __future__ import annotations

import numpy as np

from multibody.analyses.dynamics.crossing import body_state
from multibody.analyses.dynamics.headway import NO_HEADWAY
from multibody.analyses.dynamics.simulation import Simulation
from multibody.analyses.events.undefined import culprit_ahead
from multibody.integrators import contract as C
from multibody.kernels.acceptance import LOST_RANK
from multibody.state.state import Status


def status_of(sim: Simulation, code: int) -> Status:
    """Return an integrator's last answer in words."""
    t, stiff = sim.t, bool(sim.counts[C.STIFF])
    if code == C.DONE:
        advice = "the problem is stiff: an implicit integrator would need far fewer steps" if stiff else ""
        return Status(True, "finished", sim.goal, advice=advice)
    if code == C.EVENT:
        event = sim.events[-1]
        return Status(True, f'stopped by event "{event.name}" at t = {event.time:.9g}', event.time)
    cause = _cause(sim)
    if cause is not None:
        return cause
    worst, size = _worst(sim)
    advice = "an explicit method needs such small steps where a model is stiff: use an implicit integrator" if stiff else ""
    words = {
        C.STEP_TOO_SMALL: ("the step became too small", advice or "look for a force that jumps or a position that locks"),
        C.RHS_FAILED: ("the equations of motion cannot be solved", advice or "look for a massless or locked position"),
        C.ACCEPT_FAILED: ("it locks: the motion does not get past a singular position", "let the motion end before it"),
        C.NOT_FINITE: ("a number that is not finite came up", advice or "check the forces and motions there"),
        NO_HEADWAY: ("it makes no headway: steps make next to no time", advice or "try another integrator or a larger rtol"),
    }
    text, advice = words.get(code, (f"it stopped (code {code})", advice))
    switch = _switching(sim) if code == C.STEP_TOO_SMALL else ""
    if switch:
        advice = f"{switch} switches there (abs, min, max, sign, if or step): make it smooth over a short range"
    if code == C.ACCEPT_FAILED and int(sim.counts[C.CODE]) == LOST_RANK:
        text, advice = sim.space.trouble() or (text, advice)
    return Status(False, f"{text} at t = {t:.9g}", t, worst, size, advice)


def _cause(sim: Simulation) -> Status | None:
    """Return the status that names a formula which ends or changes abruptly where a run could not go on, None if none does."""
    t = sim.t
    state = body_state(sim, t)
    span = float(sim.control[C.END]) - t or 1.0
    owner, ends = culprit_ahead(sim.system, state.q, state.v, t, span)
    if not owner:
        return None
    what = "has no finite value at or behind" if ends else "changes beyond all bounds at"
    return Status(False, f"{owner}: it {what} t = {t:.9g}", t, owner, 0.0, "check its formula there, or let the run end before")


def _switching(sim: Simulation) -> str:
    """Return whose expression is at a switching point now, nothing if none is."""
    values = np.abs(sim.g[1]) if sim.g.shape[1] else np.zeros(0)
    near = [(value, watch.name) for value, watch in zip(values, sim.watches, strict=True) if watch.kind == "switch"]
    return min(near)[1] if near and min(near)[0] < 1e-6 else ""


def _worst(sim: Simulation) -> tuple[str, float]:
    """Return the name and the residual of the row that is violated most."""
    s = sim.system
    q = sim.cartesian(sim.t, sim.y, sim.bundle.ref)[: s.nq]
    phi = np.abs(s.phi(q, sim.t)) * s.scale_rows[: s.rows]
    if len(phi) == 0 or not np.all(np.isfinite(phi)):
        return "", 0.0
    k = int(np.argmax(phi))
    return s.tables.rows[k].name, float(phi[k])
