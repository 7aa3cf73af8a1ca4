"""Members before they move, all at once: numbers, assembly and scales in the compiled loops that studies on cores have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from multibody.analyses.dynamics.simulation import Simulation
from multibody.analyses.members.batch import GAPS, Batch
from multibody.analyses.members.numbers import NotServed
from multibody.analyses.members.run import RunMembers
from multibody.analyses.specialized.rooms import Masses, Rooms, addresses_of, put
from multibody.model.model import Model
from multibody.specialize.image import MADE_OF_NUMBERS, Floats, parts_of
from multibody.state.state import State

KNOWN = ("model.numbers", "model.row_scale", "model.column_scale", *(f"scratch.{name}" for name in MADE_OF_NUMBERS))
OWN_WORDS = ("state.ref", "state.statistics", "state.settings")


class QuickPreparation(Rooms):
    """Prepares members of a run in the coordinates of bodies.

    Parameters
    ----------
    model, names, state, told
        As for ``Preparation``.
    base : Simulation
        Of the model as it is.

    Raises
    ------
    NotServed
        Where compiled loops do not know the model or the options.
    """

    def __init__(
        self, model: Model, names: Sequence[str], state: State | None, told: Mapping[str, Any], base: Simulation
    ) -> None:
        if state is not None:
            raise NotServed("a given state")
        if base.formulation.relative or base.formulation.partitioned or base.formulation.stabilized or base.integrator.implicit:
            raise NotServed(f"formulation {base.formulation.name}, integrator {base.integrator.name}")
        super().__init__(RunMembers(model, names, told))
        self.numbers, self.words = parts_of(base.bundle)
        others = {part.path for part in self.numbers} - set(KNOWN)
        if others:
            raise NotServed(f"numbers of {', '.join(sorted(others))}")
        self.accept = base.formulation.kernels()[1]

    def _some(self, room: Batch, values: Floats, *arrays: Any) -> Any:
        """Write numbers, y, words and absolute tolerances of as many members as there is room for."""
        numbers, y, words, atol = arrays
        n, why = len(values), np.full(len(values), "", dtype=object)
        state, nq = room.base.state, room.Q.shape[1]
        room.statistics[:n], room.settings[:n] = state.statistics.view(np.float64), state.settings.view(np.float64)
        self.loops._start(room, values, why)
        y[:, :nq], y[:, nq:-1], y[:, -1], atol[:] = room.Q[:n], room.V[:n], 0.0, room.atol[:n]
        masses = self._settled(room, y)
        room.statistics[:n, GAPS] = 0.0
        own = {"model.numbers": room.numbers, "model.row_scale": room.row_scale, "model.column_scale": room.column_scale}
        for part in self.numbers:
            put(numbers, part, own[part.path][:n] if part.path in own else masses)
        states = {"state.ref": room.refs, "state.statistics": room.statistics, "state.settings": room.settings}
        for part in self.words:
            if part.path in OWN_WORDS:
                put(words, part, states[part.path][:n].view(np.int64))
        return why == ""

    def _settled(self, room: Batch, y: Floats) -> Floats:
        """Let members accept their starts, as a simulation does; return their masses (members, ·)."""
        active, scratch, moved, masses = np.ones(self.loops.size), room.scratch.address, y.copy(), Masses(room, len(y))
        for k, (model, state) in enumerate(addresses_of(room, len(y))):
            masses.find(k, model)
            self.accept(model, state, scratch, 0.0, moved[k], active)
        return masses.rows
