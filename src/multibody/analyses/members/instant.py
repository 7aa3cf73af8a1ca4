"""Members of a study of ``assemble`` or ``statics``: one instant each, found in compiled loops.

What does not close at once, or is not led to rest by steps downhill, is left to the ordinary path, which tries everything and
says why.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from multibody.analyses.assembly.member import Plan, plan_of
from multibody.analyses.dynamics.opening import opened
from multibody.analyses.members.blocks import Blocks
from multibody.analyses.members.numbers import OPENED, NotServed, Numbers, note
from multibody.analyses.members.rows import note_rows
from multibody.analyses.members.together import Stack, StackedAnswers
from multibody.analyses.statics.member import Room, forces_of, room_of
from multibody.arguments import number_in
from multibody.errors import AnalysisError, ModelError
from multibody.integrators import members as columns
from multibody.integrators import rest_members as M
from multibody.kernels.assembly.member import OPEN
from multibody.kernels.statics.search import BALANCED, find_rest
from multibody.model.model import Model
from multibody.state.kinetics import Dynamics
from multibody.state.system import Flags, Floats, Integers, System, tables_of

MOST_MEMBERS = 512  # of a batch
TOLERANCE = 1e-10  # of statics, where none is given


class AssembleMembers:
    """The members of a study of ``assemble``.

    Parameters
    ----------
    model, names, options
        As for ``RunMembers``.
    """

    verb = "assemble"
    last_only = False
    most = MOST_MEMBERS

    def __init__(self, model: Model, names: Sequence[str], options: Mapping[str, Any]) -> None:
        self.model, self.tables = model, tables_of(model)
        plan = plan_of(self.tables)
        if plan is None:
            raise NotServed("its assembly is not compiled")
        self.plan: Plan = plan
        self.numbers = Numbers(self.tables, names)
        self.given = {**model.defaults.of(self.verb), **options}
        given = self.given.get("t")
        self.time: Any = 0.0 if given is None else self.numbers.number(model, given, f"{self.verb}.t")

    def batch(self, count: int) -> InstantBatch:
        """Return room for so many members at a time."""
        return InstantBatch(self.tables, System(self.tables), self.plan, count)

    def computed(self, b: InstantBatch, values: Floats, why: Any) -> Integers:
        """Assemble members; return those that closed.

        Parameters
        ----------
        b : InstantBatch
        values : array (members, varied)
        why : array of text (members,), written
            Why the others are left to the ordinary path.
        """
        n = len(values)
        numbers = b.numbers[:n]
        note(why, self.numbers.fill(values, b.models[:n], b.scratch.address, numbers), "values that are refused")
        numbers[why != ""] = self.tables.F  # of no account
        b.times[:n] = self.numbers.evaluated(self.time, numbers)
        note(why, np.isfinite(b.times[:n]), "values that are refused")
        b.times[:n][why != ""] = 0.0
        b.assemble(b.times[:n])
        note(why, b.codes[:n, columns.CLOSED] != OPEN, OPENED)
        self._go_on(b, why)
        return np.flatnonzero(why == "")

    def _go_on(self, b: InstantBatch, why: Any) -> None:
        """Do what comes after assembly: nothing."""

    def answers(self, b: InstantBatch, which: Integers) -> StackedAnswers:
        """Return what was computed of members."""
        return StackedAnswers(b.stack(which, b.V[which]))


class InstantBatch(Blocks):
    """Some members, each at an instant of its own."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.times = np.zeros(self.count)

    def stack(self, which: Integers, V: Floats, A: Floats | None = None, dynamics: Dynamics | None = None) -> Stack:
        """Return instants of members."""
        Q, R, t = (np.ascontiguousarray(x[which][:, None]) for x in (self.Q, self.refs, self.times))
        return Stack(self, which, t, Q, V[:, None], None if A is None else A[:, None], R, dynamics, counted=True)

    def unsolved(self, which: Integers) -> Flags:
        """Return at which of these members forces were not found: at none."""
        return np.zeros(len(which), dtype=bool)


class StaticsMembers(AssembleMembers):
    """The members of a study of ``statics``."""

    verb = "statics"

    def __init__(self, model: Model, names: Sequence[str], options: Mapping[str, Any]) -> None:
        super().__init__(model, names, options)
        method, tolerance = self.given.get("method"), self.given.get("tolerance")
        if method not in (None, "newton"):
            raise NotServed(f"method {method}")
        self.tolerance = TOLERANCE if tolerance is None else number_in(tolerance)
        if not 0.0 < self.tolerance < 1.0:
            raise NotServed("tolerance is a formula")
        try:
            t = float(self.numbers.evaluated(self.time, self.tables.F[None, :])[0])
            opening = opened(model, None, t, lambda _: None)
        except (ModelError, AnalysisError) as error:
            raise NotServed("its own start") from error
        self.rows = opening.rows if opening.state.ok else np.arange(opening.system.rows, dtype=np.int64)
        self.weightless = any(slots.mass < 0 for slots in self.tables.masses)

    def batch(self, count: int) -> RestBatch:
        """Return room for so many members at a time."""
        return RestBatch(self.tables, System(self.tables), self.plan, count)

    def _go_on(self, b: InstantBatch, why: Any) -> None:
        """Look for positions of rest."""
        assert isinstance(b, RestBatch)
        n, tables = len(why), self.tables
        if self.weightless:
            gravity = b.numbers[:n, tables.packed.gravity : tables.packed.gravity + tables.dimension]
            note(why, ~np.any(gravity, axis=1), "some bodies have no mass")
        note_rows(b, self.rows, b.times, why)
        which = np.flatnonzero(why == "")
        if len(which):
            b.rest(which, len(self.rows), self.tolerance)
            note(why, b.answers[:n] == BALANCED, "it does not come to rest at once")

    def answers(self, b: InstantBatch, which: Integers) -> StackedAnswers:
        """Return what was computed of members."""
        assert isinstance(b, RestBatch)
        none, still = np.zeros(len(which)), np.zeros((len(which), self.tables.nv))
        multipliers, efforts, loads = (np.ascontiguousarray(x[which]) for x in b.forces)
        dynamics = Dynamics(multipliers, none, b.potential[which], none, efforts, loads, self.rows)
        return StackedAnswers(b.stack(which, still, still, dynamics))


class RestBatch(InstantBatch):
    """Some members that are led to rest."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        room, rows = room_of(self.tables), self.tables.count_joint + self.tables.count_motion
        assert room is not None
        self.room: Room = room
        self.forces = [np.zeros((self.count, size)) for size in (rows, *forces_of(self.tables))]
        self.potential, self.answers = np.zeros(self.count), np.zeros(self.count, dtype=np.int64)

    def rest(self, which: Integers, rank: int, tolerance: float) -> None:
        """Look for positions of rest from where members are assembled."""
        M.rest_members(
            self.at(find_rest, M.REST), which, self.models, self.states, self.scratch.address, self.room.addresses, self.times,
            rank, tolerance, self.Q, *self.forces, self.potential, self.answers,
        )  # fmt: skip
