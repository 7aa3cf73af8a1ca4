"""Coordinates of the bodies as the space of a simulation."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from multibody.formulations.choosing import choose_partition
from multibody.formulations.of_bodies import OfBodies
from multibody.formulations.prepare import Bundle, prepare
from multibody.formulations.spaces.expanded import Expanded, expanded
from multibody.formulations.spaces.other_rows import allow_others, better_rows, carry_on, least_size, read_by_rows
from multibody.formulations.spaces.space import Reader, SpaceBase, reader_of
from multibody.kernels.watch import monitor
from multibody.rank.leastnorm import is_large
from multibody.rank.run_rows import NOISE
from multibody.state.state import State
from multibody.state.system import Flags, Floats, Integers, System


class CartesianSpace(SpaceBase):
    """Poses and velocities of all bodies."""

    monitor: Any = staticmethod(monitor)
    choose: Any = staticmethod(choose_partition)
    of_bodies = True

    def __init__(self, system: System, state: State, rows: Integers, formulation: OfBodies) -> None:
        self.system, self.partitioned = system, formulation.partitioned
        self.bundle: Bundle = prepare(system.tables, rows, state.references, formulation.partitioned)
        self.before: list[Bundle] = []  # those with other rows
        if not is_large(system.nv):
            allow_others(self.bundle, system.rows)
        self.nq, self.nv, self.rate_scales = system.nq, system.nv, system.scale_columns

    @property
    def plain(self) -> Bundle:
        """The arrays in Cartesian coordinates: its own."""
        return self.bundle

    def start(self, state: State, work: float = 0.0) -> Floats:
        """Return y of a state."""
        return np.concatenate([state.q, state.v, [work]])

    @property
    def lengths(self) -> Flags:
        """Which components of y are lengths or their rates."""
        tables, layout = self.system.tables, self.system.tables.layout
        bodies, (q, v) = len(tables.bodies) - 1, (np.zeros(count, dtype=bool) for count in (tables.nq, tables.nv))
        layout.split(q, bodies)[:, layout.shift] = True
        layout.split_rates(v, bodies)[:, layout.shift] = True
        return np.concatenate([q, v, [False]])

    @property
    def rows(self) -> Integers:
        """The rows of joints and motions whose scales stand in the blocks: all of them."""
        return np.arange(self.system.rows, dtype=np.int64)

    def independent_rows(self) -> Integers:
        """Return the rows that carry multipliers."""
        return self.bundle.chosen

    def scales(self) -> Floats:
        """Return L for lengths and their rates, 1 for angles, quaternions and the work."""
        return np.where(self.lengths, self.system.tables.length, 1.0)

    def cartesian(self, times: Floats, Y: Floats, references: Floats, like: Floats, closing: bool = False) -> Floats:
        """Return Cartesian (q, v, w) of states y: they are that already; `closing` is left to :meth:`expanded`."""
        return Y

    def expanded(self, times: Floats, Y: Floats, references: Floats, like: Floats, closing: bool) -> Expanded:
        """Return everything that follows from states y."""
        if not self.before:
            return expanded(self.bundle, times, Y, references, closing)

        def read(b: Bundle, some: slice, before: Expanded | None) -> Expanded:
            return expanded(b, times[some], Y[some], references[some], closing)

        def size(b: Bundle, k: int) -> float:
            return least_size(self._scaled_rows(Y[k], float(times[k]), references[k])[b.chosen])

        return read_by_rows([*self.before, self.bundle], size, times, read)

    def _scaled_rows(self, y: Floats, t: float, references: Floats) -> Floats:
        """Return Φ_q of all rows, free of units."""
        s = self.system
        kept = s.ref.copy()
        s.ref[:] = references[: len(s.ref)]
        found = s.scaled(s.jacobian(y[: self.nq].copy(), t))
        s.ref[:] = kept
        return np.asarray(found)

    def take_other_rows(self, y: Floats, t: float) -> bool:
        """Choose independent rows anew at y; return whether others serve better, so that the blocks are new ones."""
        b = self.bundle
        rows = better_rows(self._scaled_rows(y, t, b.ref), b.chosen, NOISE)
        b.settings(other_rows=0.0)
        if rows is None:
            return False
        made = next((other for other in self.before if set(other.chosen) == set(rows)), None)
        if made is None:
            made = prepare(self.system.tables, rows, b.ref, self.partitioned)
        self.before = [other for other in (*self.before, b) if other is not made]
        carry_on(b, made)
        self.bundle = made
        return True

    def reading(self) -> CartesianSpace:
        """Return a copy with state and scratch of its own; the model stays the living one."""
        return self.apart(self.system)

    def apart(self, system: System) -> CartesianSpace:
        """Return a copy with another workspace, and state and scratch of its own."""
        other = copy.copy(self)
        other.system, other.bundle, other.before = system, self.bundle.working(), [b.working() for b in self.before]
        return other

    def reader(self) -> Reader:
        """Return what coordinate functions are read with."""
        return reader_of(self.bundle)
