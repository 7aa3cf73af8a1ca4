"""Paths of many members read at once: their instants one behind the other, as if they were one long motion.

Numbers of the model differ from member to member, so that a number here is an array over the instants. What kernels find by a
member's own blocks is asked of the batch.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from multibody.analyses.measures.force_values import ForceValues
from multibody.analyses.measures.measure import Measurer
from multibody.analyses.members.batch import Batch, Read
from multibody.analyses.reactions.reactions import Blocks, Reactions
from multibody.kernels import codes as L
from multibody.state.kinetics import Dynamics
from multibody.state.system import Floats, System
from multibody.tables.lower import Tables


class _Columns:
    """Numbers by their place, each over the instants of all members."""

    def __init__(self, numbers: Floats, instants: int) -> None:
        self.numbers, self.instants = numbers, instants

    def __getitem__(self, place: int) -> Floats:
        return np.repeat(self.numbers[:, place], self.instants)


class StackedTables(Tables):
    """Tables whose numbers are arrays over the instants of members."""

    _columns: _Columns

    @classmethod
    def of(cls, tables: Tables, numbers: Floats, instants: int) -> StackedTables:
        """Return the tables of members with these numbers (members, numbers), each at so many instants."""
        made = object.__new__(cls)
        vars(made).update(vars(tables))
        made._columns, made.cache = _Columns(numbers, instants), {}
        return made

    @property
    def F(self) -> Any:  # type: ignore[override]
        """All numbers of the members."""
        return self._columns

    @property
    def length(self) -> Any:  # type: ignore[override]
        """Characteristic length (instants,)."""
        return self._columns[self.packed.length]

    def vector(self, offset: int, count: int | None = None) -> Floats:
        """Return numbers as arrays (instants, count)."""
        c = self._columns
        return np.repeat(c.numbers[:, offset : offset + (self.dimension if count is None else count)], c.instants, axis=0)

    def matrix(self, offset: int) -> Floats:
        """Return matrices (instants, d, d)."""
        d = self.dimension
        return self.vector(offset, d * d).reshape(-1, d, d)


class StackedMeasurer(Measurer):
    """Evaluates paths on all instants of some members.

    Parameters
    ----------
    batch : Batch
    read : Read
    """

    def __init__(self, batch: Batch, read: Read) -> None:
        self.batch, self.read = batch, read
        base = batch.members.tables
        (m, n), nq, nv = read.t.shape, base.nq, base.nv
        tables = StackedTables.of(base, batch.numbers[read.which], n)
        self.Q, self.V = read.Y[:, :, :nq].copy(), read.Y[:, :, nq : nq + nv].copy()
        flat = m * n
        dynamics = Dynamics(
            read.multipliers.reshape(flat, -1), read.energies.reshape(flat, 2)[:, 0], read.energies.reshape(flat, 2)[:, 1],
            read.Y[:, :, nq + nv].reshape(flat), read.efforts.reshape(flat, read.efforts.shape[2]),
            read.loads.reshape(flat, read.loads.shape[2]), batch.members.base.chosen, bundle=batch.members.base,
        )  # fmt: skip
        super().__init__(
            tables, read.t.reshape(flat), self.Q.reshape(flat, nq), self.V.reshape(flat, nv), read.A.reshape(flat, nv),
            np.zeros(0), dynamics,
        )  # fmt: skip

    @property
    def instant_references(self) -> Floats:
        """Angle references of every instant in space; in the plane turns are counted from the start."""
        return self.read.references if self.tables.dimension == 3 else self.read.references[:, :, :0]

    def _evaluate(self, functions: list[int]) -> None:
        for function in functions:
            found = self.batch.coordinate(self.read.which, function, self.Q, self.V, self.read.A, self.instant_references)
            self._coordinates[function] = (found[0].reshape(-1), found[1].reshape(-1), found[2].reshape(-1))

    @cached_property
    def forces(self) -> ForceValues:
        """Reactions, efforts, energies and momentum."""
        assert self.dynamics is not None
        return ForceValues(self, self.dynamics, StackedReactions(self, self.dynamics))


class StackedReactions(Reactions):
    """What joints, motions and forces do to the bodies of some members."""

    measurer: StackedMeasurer

    @cached_property
    def system(self) -> System:
        """The tables of the model with a workspace: for what the structure says."""
        return System(self.measurer.batch.members.tables)

    @cached_property
    def entries(self) -> Floats:
        """Entries of Φ_q of joints and motions at every instant."""
        m = self.measurer
        start = m.batch.begin_refs[m.read.which][:, None, :]
        references = m.read.references if self.tables.dimension == 3 else np.ascontiguousarray(start)
        found = m.batch.entries(m.read.which, m.read.t, m.Q, references)
        return found.reshape(-1, found.shape[2])

    def _gradient(self, function: int) -> Blocks:
        if function not in self._gradients:
            m, width, blocks = self.measurer, self.tables.width, Blocks()
            f = self.tables.packed.functions[function]
            out = m.batch.gradients(m.read.which, function, m.Q).reshape(-1, self.tables.nv)
            if f.kind != L.EXTRA:
                for body in {int(f.first), int(f.second)} - {0}:
                    blocks[body] = out[:, width * (body - 1) : width * body]
            self._gradients[function] = blocks
        return self._gradients[function]


class StackedAnswers:
    """The answers of some members of a batch, as reductions read them.

    Parameters
    ----------
    batch : Batch
    read : Read
    """

    known_between = True

    def __init__(self, batch: Batch, read: Read) -> None:
        self.batch, self.which, self.times = batch, read.which, read.t
        self.measurer = StackedMeasurer(batch, read)
        self._numbers = batch.numbers[read.which]

    def lookup(self, parts: tuple[str, ...]) -> Any:
        """Return the values of a path at all instants of all members, one member behind the other."""
        return self.measurer.lookup(parts)

    def parameter(self, parts: tuple[str, ...]) -> Floats:
        """Return a parameter (members,)."""
        return self._numbers[:, self.measurer.tables.parameter_slots[parts]].copy()

    def first(self, event: str) -> Floats:
        """Return the first time of an event: a member on whose way one happens is not computed here."""
        return np.full(len(self.which), np.nan)

    def splines(self) -> dict[str, Any]:
        """Return the model's tables as functions."""
        return self.measurer.splines()

    def between(self, which: Any, times: Floats) -> StackedAnswers:
        """Return the answers of some members at other times of their motions (which, times)."""
        return StackedAnswers(self.batch, self.batch.read(self.which[which], times))
