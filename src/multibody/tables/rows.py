"""Rows on a set of functions: terms, entries of Φ_q and their columns, for bodies, composites and pairs alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from multibody.kernels import codes as L
from multibody.kernels import declared as D
from multibody.kernels.memory.declaration import Record

Integers = npt.NDArray[np.int64]
Records = npt.NDArray[Any]


def listed(kind: type[Record], rows: Sequence[tuple[Any, ...]]) -> Records:
    """Return records from their numbers."""
    return np.array(rows, dtype=kind.dtype).reshape(-1)


def record(kind: type[Record], /, **values: Any) -> tuple[Any, ...]:
    """Return the numbers of a record, all given by name, in the order of its declaration."""
    if values.keys() != kind.fields.keys():
        raise TypeError(f"{kind.__name__} has other fields: {', '.join(sorted(values.keys() ^ kind.fields.keys()))}")
    return tuple(values[name] for name in kind.fields)


class WeightedFunction(NamedTuple):
    """A term of a row: the function, its record (``kind``, ``first``, ``second``, ``extra``), where its weight lies in F."""

    function: int
    record: Any
    weight: int


class PackedRow(NamedTuple):
    """A row as kernels read it, see ``kernels/declared.py``."""

    first_term: int
    terms: int
    entry: int
    entries: int
    program: int
    is_length: int


class PackedTerm(NamedTuple):
    """A term as kernels read it, see ``kernels/declared.py``."""

    function: int
    weight: int
    entry: tuple[int, int]


@dataclass
class Rows:
    """Rows, their terms and the columns of their entries, collected one by one.

    Attributes
    ----------
    width, bodies : int
        Velocity columns of a body, and number of moving bodies.
    """

    width: int
    bodies: int
    rows: list[PackedRow] = field(default_factory=list)
    terms: list[PackedTerm] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)

    def add(self, functions: Sequence[WeightedFunction], program: int, is_length: bool) -> None:
        """Add a row of weighted functions.

        Parameters
        ----------
        functions : list of WeightedFunction
        program : int
            Its program table, −1 for none.
        is_length : bool
        """
        own: list[int] = []
        blocks: dict[int, int] = {}
        first = len(self.terms)
        for term in functions:
            entries = [*(self._block(own, blocks, *side) for side in self._sides(term.record)), -1]
            self.terms.append(PackedTerm(term.function, term.weight, (entries[0], entries[1])))
        self.rows.append(PackedRow(first, len(functions), len(self.columns), len(own), program, int(is_length)))
        self.columns += own

    def _sides(self, f: Any) -> list[tuple[int, int]]:
        """Return first column and number of columns of what a function depends on; a negative column is the ground's."""
        if f.kind == L.EXTRA:
            return [(self.width * self.bodies + int(f.extra), 1)]
        return [(self.width * (int(body) - L.FIRST_BODY), self.width) for body in (f.first, f.second)]

    @staticmethod
    def _block(own: list[int], blocks: dict[int, int], column: int, size: int) -> int:
        """Return the place of a block among a row's entries, added if it is new; −1 for the ground."""
        if column < 0:
            return -1
        if column not in blocks:
            blocks[column] = len(own)
            own += range(column, column + size)
        return blocks[column]

    def add_block(self, columns: Sequence[int], is_length: bool) -> None:
        """Add a row without terms that has these columns."""
        self.rows.append(PackedRow(len(self.terms), 0, len(self.columns), len(columns), -1, int(is_length)))
        self.columns += columns

    def add_of(self, packed: D.Model, functions: Records, kept: Iterable[int]) -> None:
        """Add rows of a model over other records of the same functions.

        Parameters
        ----------
        packed : Model
        functions : records of Function
        kept : list of int
            The rows.
        """
        records = functions.view(np.recarray)
        for r in kept:
            row = packed.rows[r]
            terms = packed.terms[row.first_term : row.first_term + row.terms]
            own = [WeightedFunction(int(term.function), records[term.function], int(term.weight)) for term in terms]
            self.add(own, int(row.program), bool(row.is_length))

    @property
    def pointer(self) -> Integers:
        """Where the entries of each row begin, and the end of the last."""
        return np.array([*(row.entry for row in self.rows), len(self.columns)], dtype=np.int64)

    def packed(self) -> tuple[Records, Records, Integers]:
        """Return the records of rows and terms, and the columns."""
        return listed(D.Row, self.rows), listed(D.Term, self.terms), np.array(self.columns, dtype=np.int64)
