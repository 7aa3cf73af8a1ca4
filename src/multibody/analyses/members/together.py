"""Paths of many members read at once: their instants one behind the other, as if they were one long motion.

Numbers of the model differ from member to member, so that a number here is an array over the instants. What kernels find by a
member's own blocks is asked of the batch.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from multibody.analyses.measures.force_values import ForceValues
from multibody.analyses.measures.measure import Measurer
from multibody.analyses.measures.readable import no_forces
from multibody.analyses.members.blocks import Blocks as Members
from multibody.analyses.reactions.reactions import Blocks, Reactions
from multibody.analyses.reactions.uniqueness import Dependency
from multibody.analyses.reactions.wrenches import RowPattern, Wrench
from multibody.state.kinetics import Dynamics
from multibody.state.system import Floats, Integers, System
from multibody.tables.lower import Tables


@dataclass
class Stack:
    """Instants of some members.

    Attributes
    ----------
    members : Members
        Blocks of a batch.
    which : array of int
        Those of its members.
    t : array (members, instants)
    Q, V, A : arrays (members, instants, ·)
        Rows of Q may be longer; A is None where accelerations are not known.
    R : array (members, instants or 1, functions)
        Angle references of every instant; in the plane those at the start.
    dynamics : Dynamics, optional
        Its arrays have the instants of all members one behind the other.
    counted : bool
        Whether R has the references of every instant in the plane too.
    lasting : bool
        Whether these are the instants of the members, the same in every batch: rooms of the batch serve again.
    """

    members: Members
    which: Integers
    t: Floats
    Q: Floats
    V: Floats
    A: Floats | None
    R: Floats
    dynamics: Dynamics | None = None
    counted: bool = False
    lasting: bool = False


class _Columns:
    """Numbers by their place, each over the instants of all members; taken when asked for, as few of them are."""

    def __init__(self, numbers: Floats, instants: int, which: Integers | slice) -> None:
        self.numbers, self.instants, self.which = numbers, instants, which

    def __getitem__(self, place: int | slice) -> Floats:
        return np.repeat(self.numbers[self.which, place], self.instants, axis=0)


class StackedTables(Tables):
    """Tables whose numbers are arrays over the instants of members."""

    _columns: _Columns

    @classmethod
    def of(cls, tables: Tables, numbers: Floats, instants: int, which: Integers | slice = slice(None)) -> StackedTables:
        """Return the tables of members with these numbers (members, numbers), by default of all, each at so many instants."""
        made = object.__new__(cls)
        vars(made).update(vars(tables))
        made._columns, made.cache = _Columns(numbers, instants, which), {}
        return made

    @property
    def F(self) -> Any:
        """All numbers of the members."""
        return self._columns

    @property
    def length(self) -> Any:
        """Characteristic length (instants,)."""
        return self._columns[self.packed.length]

    def vector(self, offset: int, count: int | None = None) -> Floats:
        """Return numbers as arrays (instants, count)."""
        return self._columns[offset : offset + (self.dimension if count is None else count)]

    def matrix(self, offset: int) -> Floats:
        """Return matrices (instants, d, d)."""
        d = self.dimension
        return self.vector(offset, d * d).reshape(-1, d, d)


def _flat(x: Floats) -> Floats:
    """Return an array (members, instants, ·) with the instants of all members one behind the other.

    Parts of longer rows stay where they are: to copy them takes longer than to read the few columns that are asked for.
    """
    m, n, width = x.shape
    if m == 0 or n == 0 or x.strides[0] != n * x.strides[1]:
        return x.reshape(m * n, width)
    return np.lib.stride_tricks.as_strided(x, (m * n, width), x.strides[1:], writeable=False)


class StackedMeasurer(Measurer):
    """Evaluates paths on all instants of some members.

    Parameters
    ----------
    stack : Stack
    """

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        base, (m, n) = stack.members.tables, stack.t.shape
        tables = StackedTables.of(base, stack.members.numbers, n, stack.which)
        a = None if stack.A is None else _flat(stack.A)
        super().__init__(tables, stack.t.reshape(m * n), _flat(stack.Q), _flat(stack.V), a, np.zeros(0), stack.dynamics)

    def _evaluate(self, functions: list[int]) -> None:
        s = self.stack
        every = s.counted or self.tables.dimension == 3
        references = s.R if every else s.R[:, :, :0]  # turns are counted from the start
        A = np.zeros_like(s.V) if s.A is None else s.A
        for function in functions:
            found = s.members.coordinate(s.which, function, s.Q, s.V, A, references, s.lasting)
            self._coordinates[function] = (found[0].reshape(-1), found[1].reshape(-1), found[2].reshape(-1))

    @cached_property
    def forces(self) -> ForceValues:
        """Reactions, efforts, energies and momentum."""
        if self.dynamics is None:
            raise no_forces()
        return ForceValues(self, self.dynamics, StackedReactions(self, self.dynamics))


class StackedReactions(Reactions):
    """What joints, motions and forces do to the bodies of some members."""

    measurer: StackedMeasurer

    @cached_property
    def system(self) -> System:
        """The tables of the model with a workspace: for what the structure says."""
        return self.measurer.stack.members.system

    @cached_property
    def entries(self) -> Floats:
        """Entries of Φ_q of joints and motions at every instant."""
        s = self.measurer.stack
        found = s.members.entries(s.which, s.t, s.Q, s.R)
        return found.reshape(-1, found.shape[2])

    def of_rows(
        self, rows: range, multipliers: Floats, bodies: Sequence[int], home: int, point: int, sign: float = -1.0,
        which: Integers | None = None,
    ) -> Wrench:  # fmt: skip
        """Return −Φ_qᵀ λ of some rows on some bodies together as a wrench about a point of a body, ground axes."""
        s, own = self.measurer.stack, RowPattern.of(self.tables, rows)
        (m, n), key = s.t.shape, (rows, tuple(bodies), home, point)
        out = s.members.kept_room(key, (m, n, own.width)) if s.lasting else own.answers(m, n)
        each = multipliers.reshape(m, n, -1)
        s.members.wrenches(s.which, s.t, s.Q, s.R, each, rows.start, own, bodies, sign, (home, point), out)
        return Wrench.packed(out.reshape(m * n, -1), self.tables.dimension)

    @cached_property
    def multipliers(self) -> Floats:
        """λ of joint and motion rows, of minimum norm where rows are redundant, each member by its own scales."""
        found, s = self.dynamics.multipliers, self.measurer.stack
        if len(self.dynamics.rows) == self.system.rows:
            return found
        n, parts = s.t.shape[1], []
        for j, k in enumerate(s.which):
            part, own = slice(j * n, (j + 1) * n), copy.copy(self.redundancy)
            own.system = s.members.one.system(int(k))
            parts.append(own.smallest(found[part], self.entries[part]))
        return np.concatenate(parts)

    @cached_property
    def dependencies(self) -> list[Dependency]:
        """Combinations of multipliers that no body feels: outputs do not ask whether they have one value only."""
        return []

    def _gradient(self, function: int) -> Blocks:
        if function not in self._gradients:
            s, nv, blocks = self.measurer.stack, self.tables.nv, Blocks()
            ones = np.ones((len(s.which), nv))
            out = s.members.gradients(s.which, np.array([function], dtype=np.int64), s.Q, ones).reshape(-1, nv)
            for body in self.tables.functions[function].moving:
                blocks[body] = out[:, self.tables.layout.motion(body)]
            self._gradients[function] = blocks
        return self._gradients[function]


class StackedAnswers:
    """The answers of some members, as reductions read them.

    Parameters
    ----------
    stack : Stack
    known_between : bool
        Whether anything is known between the instants.
    """

    def __init__(self, stack: Stack, known_between: bool = False) -> None:
        self.stack, self.times, self.known_between = stack, stack.t, known_between
        self.measurer = StackedMeasurer(stack)

    def lookup(self, parts: tuple[str, ...]) -> Any:
        """Return the values of a path at all instants of all members, one member behind the other."""
        return self.measurer.lookup(parts)

    def parameter(self, parts: tuple[str, ...]) -> Floats:
        """Return a parameter (members,)."""
        return np.asarray(self.stack.members.numbers[self.stack.which, self.measurer.tables.parameter_slots[parts]])

    def first(self, event: str) -> Floats:
        """Return the first time of an event: a member on whose way one happens is not computed here."""
        return np.full(len(self.times), np.nan)

    def certificate(self, key: str) -> Floats:
        """Return a number of the certificates (members,): only runs that are integrated have them here."""
        return np.full(len(self.times), np.nan)

    def splines(self) -> dict[str, Any]:
        """Return the model's tables as functions."""
        return self.measurer.splines()

    def between(self, which: Any, times: Floats) -> StackedAnswers | None:
        """Return the answers of some members at other times of their motions (which, times); None where they are not known."""
        return None
