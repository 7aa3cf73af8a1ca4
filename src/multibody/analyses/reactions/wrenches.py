"""Wrenches over time: a force and a moment about a point, moved and turned; which bodies rows act on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multibody.state.system import Floats, Integers
from multibody.tables.lower import Tables
from multibody.tables.products import turned_back


@dataclass(frozen=True)
class Wrench:
    """A force and a moment over time, ground axes.

    Attributes
    ----------
    force : array (instants, 2 or 3)
    moment : array (instants, 1 or 3)
        About `point`.
    point : array (instants, 2 or 3)
    """

    force: Floats
    moment: Floats
    point: Floats

    @classmethod
    def packed(cls, numbers: Floats, dimension: int) -> Wrench:
        """Return wrenches of which force, moment and point stand side by side (instants, 5 or 9)."""
        return cls(numbers[:, :dimension], numbers[:, dimension:-dimension], numbers[:, -dimension:])

    def at(self, point: Floats) -> Wrench:
        """Return the same wrench with its moment about another point."""
        return Wrench(self.force, self.moment + arm_cross(self.point - point, self.force), point)

    def __add__(self, other: Wrench) -> Wrench:
        moved = other.at(self.point)
        return Wrench(self.force + moved.force, self.moment + moved.moment, self.point)

    def __neg__(self) -> Wrench:
        return Wrench(-self.force, -self.moment, self.point)

    def along(self, axes: Floats) -> tuple[Floats, Floats]:
        """Return force and moment in components along the columns of `axes` (instants, d, d)."""
        force = turned_back(axes, self.force)
        moment = self.moment if self.moment.shape[1] == 1 else turned_back(axes, self.moment)
        return np.asarray(force), np.asarray(moment)


@dataclass(frozen=True)
class RowPattern:
    """Where the entries of some rows of Φ_q lie.

    Attributes
    ----------
    columns : array of int (entries,)
    ends : array of int (rows,)
        Where the entries of every row end.
    bodies : list of int
        Those that the rows act on, but the ground.
    dimension : int
    """

    columns: Integers
    ends: Integers
    bodies: list[int]
    dimension: int

    @classmethod
    def of(cls, tables: Tables, rows: range) -> RowPattern:
        """Return that of rows one behind the other, found once for a structure."""
        key = cls, rows
        if key not in tables.structure:
            tables.structure[key] = cls._found(tables, rows)
        made: RowPattern = tables.structure[key]
        return made

    @classmethod
    def _found(cls, tables: Tables, rows: range) -> RowPattern:
        pointer = tables.row_pointer[rows.start : rows.stop + 1]
        columns = tables.columns[int(pointer[0]) : int(pointer[-1])]
        body = np.unique(columns // tables.width)
        bodies = [int(b) + 1 for b in body[body < len(tables.bodies) - 1]]  # beyond are extra coordinates
        ends = (pointer[1:] - pointer[0]).astype(np.int64)
        return cls(np.ascontiguousarray(columns, dtype=np.int64), ends, bodies, tables.dimension)

    def room(self) -> Floats:
        """Return what the kernel needs to write in."""
        return np.zeros(len(self.columns) + 6)

    def answers(self, *shape: int) -> Floats:
        """Return room for force, moment and point, at so many instants."""
        return np.zeros((*shape, self.width))

    @property
    def width(self) -> int:
        """How many numbers force, moment and point are."""
        return 5 if self.dimension == 2 else 9


def arm_cross(arm: Floats, force: Floats) -> Floats:
    """Return arm × force over time: (instants, 1) in the plane, (instants, 3) in space."""
    if arm.shape[1] == 2:
        return np.asarray(arm[:, :1] * force[:, 1:] - arm[:, 1:] * force[:, :1])
    return np.cross(arm, force)
