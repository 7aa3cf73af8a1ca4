"""Members before they move, all at once: numbers, assembly and scales in the compiled loops that studies on cores have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from multibody.analyses.dynamics.simulation import Simulation
from multibody.analyses.members.batch import GAPS, Batch
from multibody.analyses.members.numbers import NotServed
from multibody.analyses.members.run import RunMembers
from multibody.analyses.members.telling import tell
from multibody.analyses.specialized.rooms import Rooms, addresses_of, put
from multibody.kernels.declared import Statistics
from multibody.model.model import Model
from multibody.specialize.image import Floats, parts_of
from multibody.state.state import State

UNUSED = "model.row_weight"  # where masses can be inverted
FACTORED = Statistics.fields["factorizations"].slot


class QuickPreparation(Rooms):
    """Prepares members of a run.

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
        if base.formulation.partitioned:
            raise NotServed(f"formulation {base.formulation.name}")
        super().__init__(RunMembers(model, names, told, state))
        self.numbers, self.words = parts_of(base.bundle)
        self.factored = base.bundle.statistic("factorizations")  # an implicit method tries its matrix beforehand
        self.accept, self.told = base.formulation.kernels()[1], base.formulation.stabilized
        room = self.loops.batch(self.loops.most)
        known = {*self._own_numbers(room), UNUSED}
        others = {part.path for part in self.numbers} - known
        if others or not base.bundle.regular:
            raise NotServed(f"numbers of {', '.join(sorted(others))}" if others else "masses that do not count")
        self._free.append(room)

    def counted(self, count: int) -> Any:
        """Return which of a member's numbers are of any account."""
        found = np.ones(count, dtype=bool)
        for part in self.numbers:
            found[part.at : part.at + part.words] = part.path != UNUSED
        return found

    def _own_numbers(self, room: Batch) -> dict[str, Any]:
        """Return the numbers of members (members, ·) by their paths."""
        return {f"model.{name}": rows for name, rows in room.own_numbers().items()}

    def _own_words(self, room: Batch) -> dict[str, Any]:
        """Return the words of members (members, ·) by their paths, as numbers."""
        return {f"state.{name}": rows for name, rows in room.own_words().items()}

    def _some(self, room: Batch, values: Floats, *arrays: Any) -> Any:
        """Write numbers, y, words and absolute tolerances of as many members as there is room for."""
        numbers, y, words, atol = arrays
        n, why = len(values), np.full(len(values), "", dtype=object)
        self.loops._start(room, values, why)
        room.reset(np.arange(n))
        if self.told:
            tell(room, np.flatnonzero(why == ""))
        y[:], atol[:] = room.starts[:n], room.atol[:n]
        self._settle(room, y)
        own = self._own_numbers(room)
        room.statistics[:n, GAPS], room.statistics[:n, FACTORED] = 0.0, self.factored
        for part in self.numbers:
            if part.path != UNUSED:
                put(numbers, part, own[part.path][:n])
        states = self._own_words(room)
        for part in self.words:
            if part.path in states:
                put(words, part, np.ascontiguousarray(states[part.path][:n]).view(np.int64))
        return why == ""

    def _settle(self, room: Batch, y: Floats) -> None:
        """Let members accept their starts, as a simulation does."""
        active, scratch, moved = np.ones(self.loops.size), room.scratch.address, y.copy()
        for k, (model, state) in enumerate(addresses_of(room, len(y))):
            self.accept(model, state, scratch, self.loops.start, moved[k], active)
