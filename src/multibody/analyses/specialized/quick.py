"""Members before they move, all at once: numbers, assembly and scales in the compiled loops that studies on cores have."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from multibody.analyses.dynamics.simulation import Simulation
from multibody.analyses.members.batch import GAPS, Batch
from multibody.analyses.members.numbers import NotServed
from multibody.analyses.members.run import RunMembers
from multibody.kernels.mass import set_masses
from multibody.model.model import Model
from multibody.specialize.image import MADE_OF_NUMBERS, Floats, Part, Words, parts_of
from multibody.state.state import State

KNOWN = ("model.numbers", "model.row_scale", "model.column_scale", *(f"scratch.{name}" for name in MADE_OF_NUMBERS))
THREADS = 4  # a third of the work holds Python's lock: more threads stand in each other's way
OWN_WORDS = ("state.ref", "state.statistics", "state.settings")


class QuickPreparation:
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
        self.run = RunMembers(model, names, told)
        self.numbers, self.words = parts_of(base.bundle)
        others = {part.path for part in self.numbers} - set(KNOWN)
        if others:
            raise NotServed(f"numbers of {', '.join(sorted(others))}")
        self.accept = base.formulation.kernels()[1]
        self._free: list[Batch] = []  # rooms that no thread uses

    def __call__(self, values: Floats, numbers: Floats, y: Floats, words: Words, atol: Floats) -> Any:
        """Write members into arrays (members, ·) that hold those of the model as it is; return which of them fit.

        Parameters
        ----------
        values : array (members, varied)
        numbers, y, words : arrays (members, ·), written
        atol : array (members, size), written
            Absolute tolerances.
        """
        fits, most = np.zeros(len(values), dtype=bool), self.run.most

        def some(first: int) -> None:
            part = slice(first, min(first + most, len(values)))
            try:
                room = self._free.pop()
            except IndexError:
                room = self.run.batch(most)
            own = (numbers[part], y[part], words[part], atol[part])
            fits[part] = self._some(room, np.ascontiguousarray(values[part]), *own)
            self._free.append(room)

        with ThreadPoolExecutor(max(1, min(THREADS, os.cpu_count() or 1, -(-len(values) // most)))) as pool:
            list(pool.map(some, range(0, len(values), most)))
        return fits

    def _some(self, room: Batch, values: Floats, numbers: Floats, y: Floats, words: Words, atol: Floats) -> Any:
        """Do the same for as many members as there is room for."""
        n, why = len(values), np.full(len(values), "", dtype=object)
        state, nq = room.base.state, room.Q.shape[1]
        room.statistics[:n], room.settings[:n] = state.statistics.view(np.float64), state.settings.view(np.float64)
        self.run._start(room, values, why)
        y[:, :nq], y[:, nq:-1], y[:, -1], atol[:] = room.Q[:n], room.V[:n], 0.0, room.atol[:n]
        masses = self._settled(room, y)
        room.statistics[:n, GAPS] = 0.0
        own = {"model.numbers": room.numbers, "model.row_scale": room.row_scale, "model.column_scale": room.column_scale}
        for part in self.numbers:
            _put(numbers, part, own[part.path][:n] if part.path in own else masses)
        states = {"state.ref": room.refs, "state.statistics": room.statistics, "state.settings": room.settings}
        for part in self.words:
            if part.path in OWN_WORDS:
                _put(words, part, states[part.path][:n].view(np.int64))
        return why == ""

    def _settled(self, room: Batch, y: Floats) -> Floats:
        """Let members accept their starts, as a simulation does; return their masses (members, ·)."""
        active, scratch, moved = np.ones(self.run.size), room.scratch.address, y.copy()
        name = next(name for name in MADE_OF_NUMBERS if len(getattr(room.scratch, name)))
        record = np.asarray(getattr(room.scratch, name)).view(np.float64).reshape(-1)
        masses = np.zeros((len(y), len(record)))
        kind = type(room.blocks(0)[0].address)  # by which planar models are told from those in space
        for k, (model, state) in enumerate(zip(room.models[: len(y)].tolist(), room.states[: len(y)].tolist(), strict=True)):
            set_masses(kind(model), scratch)
            masses[k] = record
            self.accept(kind(model), state, scratch, 0.0, moved[k], active)
        return masses


def _put(rows: Any, part: Part, values: Any) -> None:
    """Write a part of all members."""
    rows[:, part.at : part.at + part.words] = values
