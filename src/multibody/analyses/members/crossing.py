"""Members of a study of ``run`` with motions that switch: to just before such an instant, across, and on from just behind.

It is what a simulation does (``Simulation.advance``), on the blocks of a member. A motion whose value jumps, or has no bound,
is left to the ordinary path, which says so.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.analyses.dynamics.crossing import body_state, leave_switching, pass_switching
from multibody.analyses.dynamics.simulation import Occurrence, Simulation
from multibody.analyses.dynamics.step_events import handle_events
from multibody.analyses.events.impulse import JumpError
from multibody.analyses.events.switching import Switching, SwitchingTimes
from multibody.analyses.events.undefined import unbounded
from multibody.analyses.members.passing import passable
from multibody.analyses.members.telling import tell
from multibody.integrators import contract as C
from multibody.integrators import members as columns
from multibody.integrators.crossing_members import NOT_SMOOTH
from multibody.integrators.passing import MOST
from multibody.state.system import Floats, Integers

if TYPE_CHECKING:
    from multibody.analyses.members.batch import Batch
    from multibody.analyses.members.switched import Switches

JUMPED = -22  # of a member beside the answers of integrators


def cross_members(b: Batch, which: Integers, switches: Switches) -> None:
    """Integrate members to their ends across the instants at which their motions switch; note events and these instants.

    Those that switch together, where nothing jumps, do so in compiled loops.
    """
    times, left = switches.of_members(b), [which[~switches.alike(b, which)]]
    alike = which[switches.alike(b, which)]
    for end in np.unique(b.ends[alike]):
        some = alike[b.ends[alike] == end]
        passed = times(int(some[0])).on_the_way(b.members.start, float(end), MOST + 1)
        if len(passed) <= MOST:
            b.cross(some, passed)
            some = some[b.answers[some, columns.ANSWER] == NOT_SMOOTH]
        left.append(some)
    for k in np.concatenate(left).tolist():
        one = Crossing(b, k, times(k))
        b.answers[k] = one.go(), one.counts[C.STORED], one.counts[C.STIFF]
        b.passed[k] = one.passed
        stop = float(one.control[C.T]) if one.ended else math.nan
        b.watching.note(k, [(found.name, found.time) for found in one.events], stop)
    b.end(which)


class Crossing:
    """A member in motion from its start on, as far as switching instants and events ask a simulation.

    Parameters
    ----------
    b : Batch
    k : int
    ahead : SwitchingTimes
        When its motions switch.
    """

    call, cut, restart, interpolate, face, cartesian = (
        Simulation.call, Simulation.cut, Simulation.restart, Simulation.interpolate, Simulation.face, Simulation.cartesian,
    )  # fmt: skip
    t, arguments = Simulation.t, Simulation.arguments

    def __init__(self, b: Batch, k: int, ahead: SwitchingTimes) -> None:
        _make_ready(b, k)
        members, choice = b.members, b.members.choice
        self.integrator, self.formulation, self.watches = choice.integrator, choice.formulation, b.tables.watches
        self.space = b.one.space(k)
        self.bundle, self.system, self.begin, self.rows = self.space.bundle, self.space.system, b.Q[k], members.rows
        self.control, self.counts, self.memory, self.active, self.g = b.control, b.counting, b.memory, b.active, b.g
        self._steps, self._dense, self._refs = b.steps[k], b.dense[k], b.step_refs[k]
        self.room = len(self._steps)
        self.y, self.atol, self.end = b.Y[k], b.atol[k], float(b.ends[k])
        self.first_step, self.limit = float(members.control[C.H]), int(members.counts[C.LIMIT])
        self.alpha = abs(float(self.bundle.state.settings["alpha"][0]))
        self.addresses: tuple[Any, ...] = (b.first, *b._run_calls[1:3])
        self.work: tuple[Floats, ...] = () if members.matrices is None else (b.work,)
        self.events: list[Occurrence] = []
        self.notes: list[str] = []
        self.event_counts, self.ended = np.zeros(len(self.watches), dtype=np.int64), False
        self.ahead, self.passed, self.can_pass = ahead, list[Switching](), passable(b)
        self.formulation.kernels()[1](*self.bundle.run, b.members.start, self.y.copy(), self.active)
        self.bundle.forget_gaps()

    def go(self) -> int:
        """Go to the end; return the integrator's last answer."""
        try:
            return self._advance()
        except JumpError:
            return JUMPED

    def _advance(self) -> int:
        """Do the same; raise where a motion jumps. Where it switches very often, EVENT is the answer."""
        sim: Any = self
        end = self.end
        while len(self.passed) < MOST:
            t, direction = float(self.control[C.T]), math.copysign(1.0, end - float(self.control[C.T]))
            switching = self.ahead.next(t, end)
            if switching is None:
                return self._to(end)
            if unbounded(self.system, body_state(sim, t).q, switching, switching.before - t) is not None:
                return JUMPED
            if direction * (switching.before - t) > C.SHORTEST * abs(t):
                status = self._to(switching.before)
                if status != C.DONE or self.ended:
                    return status
            elif direction > 0.0 and t > switching.before:
                leave_switching(sim, switching)
                continue
            pass_switching(sim, switching)
            if direction * float(self.control[C.T]) >= direction * end:
                return C.DONE
        return C.EVENT

    def _to(self, end: float) -> int:
        """Go on to a time, between two switching instants."""
        last, self.end = self.end, end
        status = int(self.call(end, self.limit))  # type: ignore[misc]  # that of a simulation
        if self.can_pass:
            status = self._go_on(status)
        self.end = last
        return status

    def _go_on(self, status: int) -> int:
        """Pass what is met until the end; return the integrator's last answer, EVENT where there is too much of it.

        A terminal event is an end like any other.
        """
        sim: Any = self
        while status == C.EVENT and int(np.sum(self.event_counts)) < MOST:
            if handle_events(sim):
                self.ended = True
                return C.DONE
            status = int(self.call(self.end, self.limit))  # type: ignore[misc]  # that of a simulation
        return status


def _make_ready(b: Batch, k: int) -> None:
    """Put the room of the integrator and the blocks of a member back to what they are before a run."""
    one, m = np.array([k]), b.members
    b.reset(one)
    tell(b, one)
    b.Y[k], b.active[:], b.control[:], b.counting[:] = b.starts[k], b.counted[k], m.control, m.counts
    b.memory[:], b.g[:], b.work[:] = 0.0, 0.0, 0.0
