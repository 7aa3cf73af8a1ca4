"""Events and switches on the ways of members: what is watched, and what was met.

What compiled loops do there is what a simulation does (``analyses/dynamics/step_events.py``). A terminal event is the end of a
member, whose last instant it is. Motions that switch and jumps in steps of one length are not passed there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from multibody.integrators import Integrator
from multibody.integrators.passing import MOST
from multibody.integrators.zeros import EVENT, SWITCH, ZEROS, zeros_in_step
from multibody.kernels.calls import INTERPOLATE, address_with
from multibody.state.system import Floats, Integers
from multibody.tables.watches import Watch

if TYPE_CHECKING:
    from multibody.analyses.members.batch import Batch


def passable(b: Batch) -> bool:
    """Return whether what is watched can be passed without asking Python."""
    tables, integrator = b.tables, b.members.choice.integrator
    switches = [watch for watch in tables.watches if watch.kind == "switch"]
    own = all(watch.name in tables.model.forces for watch in switches)
    return bool(tables.watches) and (not switches or (integrator.adaptive and own))


class Watching:
    """What is watched in some members, and the events that they met.

    Parameters
    ----------
    watches : sequence of Watch
    count : int
        Members.
    size, references : int
        Lengths of y and of the angle references.

    Attributes
    ----------
    watched, room, found : tuples of arrays
        As ``integrators.passing.pass_zeros`` takes them, the last ones of all members.
    """

    def __init__(self, watches: Sequence[Watch], count: int, size: int, references: int) -> None:
        self.watches = watches
        kinds = [EVENT if watch.kind == "event" else SWITCH for watch in watches]
        columns = kinds, [watch.direction for watch in watches], [int(watch.terminal) for watch in watches]
        self.watched = tuple(np.array(column, dtype=np.int64) for column in columns)
        self.room = tuple(np.zeros(n) for n in (references, size, len(watches), len(watches)))
        most = MOST + len(watches) if watches else 0
        self.events, self.tally = np.zeros((count, most, 2)), np.zeros((count, 2), dtype=np.int64)
        self.stops, self.nothing = np.full((count, 1), math.nan), np.zeros((count, 0))

    @property
    def found(self) -> tuple[Floats, Integers, Floats]:
        """Number and time of the events of members (members, rows, 2), how many there were, when one ended a member."""
        return self.events, self.tally, self.stops

    def calls(self, integrator: Integrator) -> tuple[int, int]:
        """Return the addresses of what finds zeros, and of dense output."""
        return address_with(zeros_in_step, ZEROS), address_with(integrator.interpolate, INTERPOLATE)

    def note(self, k: int, events: Sequence[tuple[str, float]], stop: float) -> None:
        """Note the events of a member that a simulation in Python has met, and when one ended it."""
        known = {watch.name: n for n, watch in enumerate(self.watches) if watch.kind == "event"}
        own = [(known[name], time) for name, time in events if name in known][: self.events.shape[1]]
        self.tally[k], self.stops[k, 0] = len(own), stop
        if own:
            self.events[k, : len(own)] = own

    def first(self, event: str, which: Integers) -> Floats:
        """Return the first time of an event of members (which,), NaN where it did not happen."""
        number = next(n for n, watch in enumerate(self.watches) if watch.kind == "event" and watch.name == event)
        most = int(np.max(self.tally[which, 1], initial=0))
        events = self.events[:, :most][which]
        met = (events[:, :, 0] == number) & (np.arange(most) < self.tally[which, 1, None])
        times = np.full((len(which), most + 1), math.nan)
        times[:, :most] = np.where(met, events[:, :, 1], math.nan)
        order = np.argmax(np.hstack([met, np.ones((len(which), 1), dtype=bool)]), axis=1)
        return np.asarray(times[np.arange(len(which)), order])
