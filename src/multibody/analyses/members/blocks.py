"""Blocks of some members over arrays with a row a member, and what is read of them at instants."""

from __future__ import annotations

import copy
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.analyses.assembly.member import Plan
from multibody.analyses.members.many import Many
from multibody.analyses.reactions.wrenches import RowPattern
from multibody.formulations.driven import entries_at, gradients_at
from multibody.formulations.row_wrenches import wrenches_at
from multibody.integrators import members as M
from multibody.kernels import declared as D
from multibody.kernels.arrays import Arrays
from multibody.kernels.assembly.member import assemble_member
from multibody.kernels.calls import address_with
from multibody.kernels.declared import Settings, Statistics
from multibody.kernels.mass import set_masses
from multibody.kernels.measure import measure_functions
from multibody.state.system import Floats, Integers, System
from multibody.tables.lower import Tables

if TYPE_CHECKING:
    from multibody.analyses.members.joints import Trees
    from multibody.analyses.members.matrices import Matrices

NOTHING: Mapping[str, Floats] = MappingProxyType({})


def address(function: Any, signature: Any, planar: bool) -> int:
    """Return where the machine code of a kernel that takes a model first begins."""
    return address_with(function, M.as_called(signature, planar))


class One:
    """One member at a time as what single analyses ask: for what is decided in Python.

    Parameters
    ----------
    batch : Blocks
    """

    def __init__(self, batch: Any) -> None:
        self.batch = weakref.proxy(batch)  # its owner: no circle that waits for a collector
        tables: Tables = copy.copy(batch.tables)
        tables.packed, tables.cache = tables.packed.sharing(numbers=batch.tables.F.copy()), {}
        self.tables, self._spaces = tables, dict[int, Any]()

    def load(self, k: int) -> Tables:
        """Return the tables of a member, good until the next one is asked for."""
        self.tables.F[:] = self.batch.numbers[k]
        self.tables.cache.clear()
        return self.tables

    def system(self, k: int) -> System:
        """Return a member as a system, good until the next one is asked for."""
        self.load(k)
        made = System(self.tables)
        made.ref[:] = self.batch.begin_refs[k]
        return made

    def coordinates(self, k: int) -> Any:
        """Return the coordinates of a member, with its own blocks; its system is that of the model."""
        b = self.batch
        if k not in self._spaces:
            made, (model, state) = copy.copy(b.members.space), b.blocks(k)
            made.rate_scales = b.column_scale[k]
            made.bundle = replace(b.members.base, tables=self.tables, model=model, state=state, scratch=b.scratch)
            self._spaces[k] = made
        return self._spaces[k]

    def space(self, k: int) -> Any:
        """Return the same with its own system, good until the next one is asked for."""
        made = self.coordinates(k)
        made.system = self.system(k)
        return made


class Blocks:
    """Blocks of some members: numbers and angle references of their own, the rest of the structure shared.

    Parameters
    ----------
    tables : Tables
    base : Arrays
        Blocks of the model itself.
    plan : Plan
        Of assembly.
    count : int
        How many there is room for.
    scales : mapping of arrays (members, ·)
        Further numbers of the models by name.
    trees : Trees, optional
        Their spanning trees.
    matrices : Matrices, optional
        Their iteration matrices.
    """

    def __init__(
        self, tables: Tables, base: Arrays, plan: Plan, count: int, scales: Mapping[str, Floats] = NOTHING,
        trees: Trees | None = None, matrices: Matrices | None = None,
    ) -> None:  # fmt: skip
        self.tables, self.base, self.plan, self.count = tables, base, plan, count
        self.planar, self.lost = tables.dimension == 2, "no accelerations"  # why members that are unsolved are left
        self.numbers, self.refs = np.zeros((count, len(tables.F))), np.zeros((count, len(base.ref)))
        statistics, settings = np.zeros(count, Statistics.dtype), np.zeros(count, Settings.dtype)
        self.statistics, self.settings = (each.view(np.float64).reshape(count, -1) for each in (statistics, settings))
        name, kind = ("planar_mass", D.PlanarMass) if self.planar else ("spatial_mass", D.SpatialMass)
        masses = np.zeros((count, base.model.bodies), kind.dtype)
        self.masses = masses.view(np.float64).reshape(count, -1)
        models: Many[D.Model] = Many(base.model, count, {"numbers": self.numbers, name: masses, **scales})
        own = {"ref": self.refs, "statistics": statistics, "settings": settings}
        shared = {"factors": base.state.factors.copy()} | ({} if matrices is None else {"newton": matrices.state})
        states: Many[D.State] = Many(base.state, count, own, own=True, **shared)
        if trees is not None:
            models.join("tree", trees.models)
            states.join("tree", trees.states)
        if matrices is not None:
            models.join("newton", matrices.models)
        self._blocks, self.models, self.states = (models, states), models.addresses, states.addresses
        self.scratch, self.assembly, self.one = base.scratch.copy(), plan.room(), One(self)
        self.Q, self.V = np.zeros((count, tables.nq)), np.zeros((count, tables.nv))
        self.begin_refs, self.codes = np.zeros_like(self.refs), np.zeros((count, 2), dtype=np.int64)
        self._rooms = dict[Any, Floats]()

    @cached_property
    def system(self) -> System:
        """The tables of the model with a workspace: for what the structure says."""
        return System(self.tables)

    def blocks(self, k: int) -> tuple[D.Model, D.State]:
        """Return model and state of a member."""
        models, states = self._blocks
        return models[k], states[k]

    def at(self, function: Any, signature: Any) -> int:
        """Return the address of a kernel for these models."""
        return address(function, signature, self.planar)

    def assemble(self, times: Floats) -> None:
        """Assemble the first members, whose numbers are there, each at its time."""
        n = len(times)
        M.start_members(
            self.at(assemble_member, M.ASSEMBLE), self.at(set_masses, M.MASSES), self.models[:n], self.states[:n],
            self.masses, self.scratch.address, self.plan.block.address, self.assembly.address, times, self.Q[:n], self.V[:n],
            self.codes[:n],
        )  # fmt: skip
        self.begin_refs[:n] = self.refs[:n]

    def alike(self, which: Integers) -> list[Integers]:
        """Return members by the number of their instants, which those of an answer share."""
        return [which]

    # --- what is read of them -----------------------------------------------------------------------------------------
    def coordinate(
        self, which: Integers, function: int, Q: Floats, V: Floats, A: Floats, R: Floats, lasting: bool = False
    ) -> list[Floats]:
        """Return value, rate and acceleration of a coordinate function, arrays (members, instants).

        Parameters
        ----------
        which : array of int
        Q, V, A : arrays (members, instants, ·)
            Rows of Q may be longer.
        R : array (members, instants, functions or 0)
            References of every instant; without columns turns are counted from those at the start.
        lasting : bool
            Whether these are the instants of the members: the answer is good until the next ones are read.
        """
        shape, kept = (*Q.shape[:2], 1), self.refs[which]
        out = [self.kept_room((function, k), shape) if lasting else np.zeros(shape) for k in range(3)]
        if lasting and not V.flags.c_contiguous:
            room = self.kept_room("rates", V.shape)
            room[:] = V
            V = room
        self.refs[which] = self.begin_refs[which] if R.shape[2] == 0 else 0.0
        M.measure_members(
            self.at(measure_functions, M.MEASURE), which, self.models, self.states, self.scratch.address, Q,
            np.ascontiguousarray(V), A, R, np.array([function], dtype=np.int64), *out,
        )  # fmt: skip
        self.refs[which] = kept
        return [x[..., 0] for x in out]

    def entries(self, which: Integers, times: Floats, Q: Floats, R: Floats) -> Floats:
        """Return the entries of Φ_q of joints and motions (members, instants, entries)."""
        rows, kept = self.tables.count_joint + self.tables.count_motion, self.refs[which]
        out = np.zeros((*Q.shape[:2], int(self.tables.row_pointer[rows])))
        M.entry_members(
            self.at(entries_at, M.ENTRIES), which, self.models, self.states, self.scratch.address, times, Q, R, rows, out
        )
        self.refs[which] = kept
        return out

    def kept_room(self, key: Any, shape: tuple[int, ...]) -> Floats:
        """Return room (members, instants, ·) that is kept: new pages take longer to fill.

        Workers of Dask have every large array in new pages, since the C library is told there to give memory back at once.

        Parameters
        ----------
        key : hashable
            What it is for; one of another shape takes the place of the one before.
        shape : tuple of int
        """
        made = self._rooms.get(key)
        if made is None or made.shape[1:] != shape[1:]:
            made = self._rooms[key] = np.zeros((self.count, *shape[1:]))
        return made[: shape[0]]

    def wrenches(
        self, which: Integers, times: Floats, Q: Floats, R: Floats, multipliers: Floats, row: int, rows: RowPattern,
        bodies: Sequence[int], sign: float, about: tuple[int, int], out: Floats,
    ) -> None:  # fmt: skip
        """Write what rows from `row` on do to bodies about a point (body, number), out (members, instants, 5 or 9)."""
        kept = self.refs[which]
        M.wrench_members(
            self.at(wrenches_at, M.WRENCHES), which, self.models, self.states, self.scratch.address, times, Q, R,
            np.ascontiguousarray(multipliers), (row, rows.columns, rows.ends, np.array(bodies, dtype=np.int64), sign, *about),
            rows.room(), out,
        )  # fmt: skip
        self.refs[which] = kept

    def gradients(self, which: Integers, functions: Integers, Q: Floats, scales: Floats) -> Floats:
        """Return gradients of coordinate functions times columns' scales (members, instants, functions, nv)."""
        out = np.zeros((*Q.shape[:2], len(functions), self.tables.nv))
        M.gradient_members(
            self.at(gradients_at, M.GRADIENTS), which, self.models, self.scratch.address, Q, functions, scales, out
        )
        return out
