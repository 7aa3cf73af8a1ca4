"""Members on whose way an expression changes its sign: events are noted, at a switch of a force the integrator begins anew.

It is what a simulation does (``analyses/dynamics/step_events.py``), on the blocks of a member. A terminal event is the end of a
member, whose last instant it is. Motions that switch and jumps in steps of one length are left to the ordinary path.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.analyses.dynamics.simulation import Occurrence, Simulation
from multibody.analyses.dynamics.step_events import handle_events
from multibody.integrators import contract as C
from multibody.kernels.mass import set_masses
from multibody.state.system import Floats, Integers

if TYPE_CHECKING:
    from multibody.analyses.members.batch import Batch

MOST = 200  # events and switches of a member; where there are more, headway is to be watched


def passable(b: Batch) -> bool:
    """Return whether what is watched can be passed here."""
    tables, integrator = b.tables, b.members.choice.integrator
    switches = [watch for watch in tables.watches if watch.kind == "switch"]
    own = all(watch.name in tables.model.forces for watch in switches)
    return not switches or (integrator.adaptive and own)


def pass_events(b: Batch, which: Integers) -> None:
    """Let the members among these that met an event go on to their ends; note their events."""
    met = which[b.answers[which, 0] == C.EVENT]
    if len(met) == 0 or not passable(b):
        return
    for k in met:
        b.run(met[met == k])  # again, so that the room of the integrator is that of this member
        passing = Passing(b, int(k))
        b.answers[k] = passing.go_on(int(b.answers[k, 0])), passing.counts[C.STORED], passing.counts[C.STIFF]
        b.events[int(k)] = [(found.name, found.time) for found in passing.events]
        if passing.ended:
            b.end(int(k), float(passing.control[C.T]))


class Passing:
    """A member in motion, as far as the handling of events asks a simulation.

    Parameters
    ----------
    b : Batch
        In whose room the member has just been run.
    k : int
    """

    call, cut, restart, interpolate, face = (
        Simulation.call, Simulation.cut, Simulation.restart, Simulation.interpolate, Simulation.face,
    )  # fmt: skip
    t, arguments = Simulation.t, Simulation.arguments

    def __init__(self, b: Batch, k: int) -> None:
        members = b.members
        self.integrator, self.formulation = members.choice.integrator, members.choice.formulation
        self.space, self.system, self.watches = b.one.coordinates(k), b.system, b.tables.watches
        self.bundle = self.space.bundle
        self.control, self.counts, self.memory, self.active, self.g = b.control, b.counting, b.memory, b.active, b.g
        self._steps, self._dense, self._refs = b.steps[k], b.dense[k], b.step_refs[k]
        self.room = len(self._steps)
        self.y, self.atol, self.end = b.Y[k], b.atol[k], float(b.ends[k])
        self.first_step, self.limit = float(members.control[C.H]), int(members.counts[C.LIMIT])
        self.alpha = abs(float(self.bundle.state.settings["alpha"][0]))
        self.addresses: tuple[Any, ...] = b._run_calls[1:4]
        self.work: tuple[Floats, ...] = ()
        if members.matrices is not None:
            self.addresses, self.work = (members.matrices.ops, *b._run_calls[1:3]), (b.work,)
        self.events: list[Occurrence] = []
        self.notes: list[str] = []
        self.event_counts, self.ended = np.zeros(len(self.watches), dtype=np.int64), False
        set_masses(self.bundle.model.address, b.scratch.address)

    def go_on(self, status: int) -> int:
        """Pass what is met until the end; return the integrator's last answer, EVENT where there is too much of it.

        A terminal event is an end like any other.
        """
        sim: Any = self
        while status == C.EVENT and int(np.sum(self.event_counts)) < MOST:
            if handle_events(sim):
                self.ended = True
                return C.DONE
            status = self.call(self.end, self.limit)  # type: ignore[misc]  # that of a simulation
        return status
