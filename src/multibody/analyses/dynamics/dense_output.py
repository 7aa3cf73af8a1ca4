"""The motion of a run between its steps, by the interpolant of its integrator."""

from __future__ import annotations

import numpy as np

from multibody.analyses.dynamics.segments import complete, interpolated
from multibody.analyses.dynamics.simulation import Simulation
from multibody.analyses.events.switching import limits_behind
from multibody.errors import ModelError
from multibody.formulations.spaces.space import Space
from multibody.state.system import Floats


class DenseOutput:
    """The motion between the steps of an integrator, by its own interpolant."""

    def __init__(self, sim: Simulation) -> None:
        self._integrator, self._size = sim.integrator, len(sim.y)
        self._harvest, self._passed = sim.harvest, sim.passed
        complete(sim)
        self.steps, self.records, self.references = sim.segments.joined()
        self.direction = 1.0 if self.steps[0, 1] >= 0.0 else -1.0
        self.space: Space = sim.space

    def limits(self, times: Floats) -> Floats:
        """Return the times at which states are evaluated: just behind an instant at which a motion switched."""
        return limits_behind(self._passed, times)

    def states(self, times: Floats) -> tuple[Floats, Floats]:
        """Return (q, v, w) at the times, and the angle references to read them with."""
        Y, references = interpolated(self._integrator, self._size, self.steps, self.records, self.references, times)
        lost = self.direction * times < self.direction * self.steps[0, 0]
        for instants, states, refs in self._harvest:  # steps whose dense output was let go
            at = np.searchsorted(self.direction * instants, self.direction * times)
            known = at < len(instants)
            known[known] = instants[at[known]] == times[known]
            Y[known], references[known] = states[at[known]], refs[at[known]]
            lost &= ~known
        if np.any(lost):
            hint = "run it in parts, each with initial=run.final"
            raise ModelError(f"the motion between the instants before t = {self.steps[0, 0]:.6g} was let go", hint=hint)
        return Y, references
