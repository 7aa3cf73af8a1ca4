"""One instant of a run: a state that also knows accelerations and forces."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.analyses.given.initial import adopted
from multibody.analyses.measures.measure import Measurer
from multibody.errors import ModelError
from multibody.results.state import State
from multibody.state.kinetics import Dynamics
from multibody.state.motion import Motion
from multibody.state.state import Status
from multibody.state.system import Floats

if TYPE_CHECKING:
    from multibody.results.run import Run


@dataclass(frozen=True, repr=False)
class Instant(State):
    """A state of a run; ``run.at(0.3)["slider.x.acceleration"]`` and ``["A.reaction.force"]`` do too."""

    motion: Motion | None = None

    @cached_property
    def measurer(self) -> Measurer:
        """Reads paths at this one instant."""
        m = self.motion
        assert m is not None
        return Measurer(m.tables, m.t, m.q, m.v, m.a, m.references, m.dynamics)


def instant_of(motion: Motion) -> Instant:
    """Return a motion of one instant as a state."""
    t = float(motion.t[0])
    references = motion.references[0] if motion.references.ndim == 2 else motion.references
    status = Status(True, "from a run", t)
    return Instant(motion.tables, t, motion.q[0].copy(), motion.v[0].copy(), references.copy(), "", status, motion=motion)


def instant_at(run: Run, t: float) -> Instant:
    """Return the motion at a time between the instants of a run.

    An integrated run is read from its dense output and closed onto the constraints; a kinematic one is solved there.
    """
    motion = run.motion
    if len(motion.t) == 0:
        raise ModelError("the run has no instants", hint=run.status.message)
    low, high = sorted((float(motion.t[0]), float(motion.t[-1])))
    if not low <= t <= high:
        raise ModelError(f"t = {t:g} is outside of the run", hint=f"it goes from {low:g} to {high:g}")
    same = np.flatnonzero(motion.t == t)
    if len(same):
        return instant_of(slice_of(motion, int(same[0])))
    found = motion_between(run, np.array([t]))
    if found is not None:
        return instant_of(found)
    if motion.dynamics is not None and motion.dynamics.stored:
        hint = "what lies between needs the live run: run the model again"
        raise ModelError(f"a file holds the instants of a run alone, and t = {t:g} is none", hint=hint)
    raise ModelError(f"the run kept nothing between its instants, and t = {t:g} is none", hint="run it with dense=True")


def motion_between(run: Run, times: Floats) -> Motion | None:
    """Return the motion at times between the instants of a run, in their order; None where nothing is kept there.

    Parameters
    ----------
    run : Run
    times : array (times,)
        None of them beyond the instants of the run. A kinematic run is followed from the instant before the first of them.
    """
    dynamics = run.motion.dynamics
    if dynamics is not None and dynamics.dense is not None:
        return _interpolated(run.motion, dynamics, times)
    if dynamics is None or len(dynamics.rows) == run.motion.tables.nv:
        return _solved(run, times)
    return None


def slice_of(motion: Motion, k: int) -> Motion:
    """Return one instant of a motion as a motion."""
    return _part_of(motion, slice(k, k + 1))


def _part_of(motion: Motion, only: slice) -> Motion:
    """Return some instants of a motion as a motion."""
    references = motion.references[only] if motion.references.ndim == 2 else motion.references
    d = motion.dynamics
    if d is not None:
        names = ("multipliers", "kinetic", "potential", "work", "efforts", "loads")
        parts: dict[str, Any] = {name: getattr(d, name)[only] for name in names}
        d = replace(d, events=[], notes=[], dense=None, **parts)
    return replace(
        motion, t=motion.t[only], q=motion.q[only], v=motion.v[only], a=motion.a[only], sigma=motion.sigma[only],
        references=references, dynamics=d,
    )  # fmt: skip


def _interpolated(motion: Motion, dynamics: Dynamics, times: Floats) -> Motion:
    """Return instants by dense output, closed onto the constraints."""
    assert dynamics.dense is not None
    nq, nv = motion.tables.nq, motion.tables.nv
    limits = dynamics.dense.limits(times)
    Y, references = dynamics.dense.states(limits)
    like = motion.q[int(np.argmin(np.abs(motion.t - times[0])))]
    found = dynamics.dense.space.expanded(limits, Y, references, like, closing=True)
    kept = found.references if motion.references.ndim == 2 else motion.references
    return replace(
        motion, t=times, q=found.Y[:, :nq].copy(), v=found.Y[:, nq : nq + nv].copy(), a=found.A,
        sigma=np.full(len(times), np.nan), references=kept,
        dynamics=found.dynamics,
    )  # fmt: skip


def _solved(run: Run, times: Floats) -> Motion:
    """Return instants of a kinematic run, followed from the instant before."""
    from multibody.analyses.kinematics.between import followed_from

    motion = run.motion
    forward = motion.t[-1] >= motion.t[0]
    k = int(np.searchsorted(motion.t if forward else -motion.t, times[0] if forward else -times[0])) - 1
    last = followed_from(motion, max(k, 0), times)
    last = _assembled(run, k, times) if last is None else last
    if motion.dynamics is not None and motion.dynamics.along is not None:
        last.dynamics = motion.dynamics.along(last).dynamics
    return last


def _assembled(run: Run, k: int, times: Floats) -> Motion:
    """Return the same where an instant is no place to follow the mechanism from: it is assembled there anew.

    Parameters
    ----------
    k : int
        The instant before, −1 where the times begin with the first one itself.
    """
    from multibody.analyses.kinematics.kinematics import kinematics

    lead = [float(run.motion.t[k])] if k >= 0 else []
    start = adopted(run.state_at(max(k, 0)), run.motion.tables, "initial")
    found = kinematics(run.model, times=[*lead, *times], initial=start)
    if not found.status.success:
        raise ModelError(found.status.message, hint=found.status.advice)
    return _part_of(found, slice(len(lead), None))
