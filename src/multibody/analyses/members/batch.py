"""Room for some members at a time: blocks of their own over arrays with a row a member, and the loops over them."""

from __future__ import annotations

import copy
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from multibody.analyses.assembly.member import Plan
from multibody.analyses.events.switching import Switching, limits_behind
from multibody.analyses.members.many import Many
from multibody.analyses.members.numbers import note
from multibody.analyses.members.telling import tell
from multibody.analyses.reactions.wrenches import RowPattern
from multibody.formulations.driven import entries_at, gradients_at
from multibody.formulations.expand import expand
from multibody.formulations.row_wrenches import wrenches_at
from multibody.integrators import contract as C
from multibody.integrators import deciding_members as W
from multibody.integrators import members as M
from multibody.kernels import declared as D
from multibody.kernels.arrays import Arrays
from multibody.kernels.assembly.given import adopt_state
from multibody.kernels.assembly.member import DEPENDENT, assemble_member
from multibody.kernels.calls import INTERPOLATE, address_of, address_with
from multibody.kernels.declared import Settings, Statistics
from multibody.kernels.mass import set_masses
from multibody.kernels.measure import measure_functions
from multibody.kernels.subnormals import FLUSH, exchange_mode
from multibody.state.state import State
from multibody.state.system import Floats, Integers, System
from multibody.tables.lower import Tables

if TYPE_CHECKING:
    from multibody.analyses.members.joints import Trees
    from multibody.analyses.members.matrices import Matrices
    from multibody.analyses.members.run import RunMembers

NOTHING: Mapping[str, Floats] = MappingProxyType({})
_GAPS = ("position_before", "velocity_before", "position_after", "velocity_after")
GAPS = np.array([Statistics.fields[name].slot for name in _GAPS], dtype=np.int64)


def address(function: Any, signature: Any, planar: bool) -> int:
    """Return where the machine code of a kernel that takes a model first begins."""
    return address_with(function, M.as_called(signature, planar))


@dataclass
class Read:
    """Members at instants, arrays (members, instants, ·)."""

    which: Integers
    t: Floats
    Y: Floats
    references: Floats
    A: Floats
    multipliers: Floats
    energies: Floats
    efforts: Floats
    loads: Floats


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
        models: Many[D.Model] = Many(base.model, count, {"numbers": self.numbers, **scales})
        own = {"ref": self.refs, "statistics": statistics, "settings": settings}
        states: Many[D.State] = Many(base.state, count, own, own=True)
        if trees is not None:
            models.join("tree", trees.models)
            states.join("tree", trees.states)
        if matrices is not None:
            models.join("newton", matrices.models)
            states.join("newton", matrices.state)
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
            self.scratch.address, self.plan.block.address, self.assembly.address, times, self.Q[:n], self.V[:n], self.codes[:n],
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


class Batch(Blocks):
    """Some members of a study of ``run``, in the coordinates of bodies.

    Parameters
    ----------
    members : RunMembers
    count : int
        How many there is room for.
    room : int
        Steps whose dense output there is room for.
    trees : Trees, optional
        Their spanning trees, in joint coordinates.
    """

    def __init__(self, members: RunMembers, count: int, room: int, trees: Trees | None = None) -> None:
        base, tables, size = members.base, members.tables, members.size
        self.members, self.row_scale = members, np.zeros((count, len(base.model.row_scale)))
        self.column_scale = np.zeros((count, len(base.model.column_scale)))
        self.row_weight = np.zeros((count, len(base.model.row_weight)))
        scales = {"row_scale": self.row_scale, "column_scale": self.column_scale, "row_weight": self.row_weight}
        self.matrices = None if members.matrices is None else members.matrices.room(count)
        super().__init__(tables, base, members.plan, count, scales, trees, self.matrices)
        self.answers = np.zeros((count, 3), dtype=np.int64)
        self.ends, self.times = np.zeros(count), np.zeros((count, members.count))
        self.lasting = np.full(count, members.count)  # instants of members: those that an event ends have fewer
        self.starts, self.Y, self.atol, self.counted = (np.zeros((count, size)) for _ in range(4))
        integrator = members.choice.integrator
        jumps = not integrator.adaptive and any(watch.kind == "switch" for watch in tables.watches)
        self.g = np.zeros((3 if jumps else 2, len(tables.watches)))
        self.memory, self.active = np.zeros((integrator.memory_rows, size)), np.zeros(size)
        self.control, self.counting = np.zeros(C.CONTROL_SIZE), np.zeros(C.COUNTS_SIZE, dtype=np.int64)
        self.kept = np.zeros(self.refs.shape[1] + self.statistics.shape[1])
        (rhs, accept), planar = members.choice.formulation.kernels(), self.planar
        self._run_calls = (
            address_with(integrator.advance, M.ADVANCE_IMPLICIT if integrator.implicit else M.ADVANCE),
            *([] if integrator.implicit else [address_of(rhs, planar)]), address_of(accept, planar),
            address_of(members.space.monitor, planar) if tables.watches else 0, self.at(set_masses, M.MASSES),
            address_with(exchange_mode, M.MODE),
        )  # fmt: skip
        self._read_calls = self._readers()
        self.work = np.zeros(0 if members.matrices is None else members.matrices.work)
        self.events = dict[int, list[tuple[str, float]]]()  # name and time of those of a member, where it met some
        self.passed = dict[int, list[Switching]]()  # instants at which the motions of a member switched
        self._stored: list[Floats] = []
        self._read_rooms: list[Floats] = []
        self.grow(room)

    def _readers(self) -> tuple[int, ...]:
        """Return the addresses of what reads members."""
        interpolate = address_with(self.members.choice.integrator.interpolate, INTERPOLATE)
        return interpolate, self.at(expand, M.EXPAND), self.at(set_masses, M.MASSES)

    def grow(self, room: int) -> None:
        """Make room for more steps; what is stored of members is kept."""
        shapes = ((2,), (self.members.choice.integrator.dense_rows, self.members.size), (self.refs.shape[1],))
        made = [np.zeros((self.count, room, *shape)) for shape in shapes]
        for new, old in zip(made, self._stored, strict=False):
            new[:, : old.shape[1]] = old
        self._stored = made

    @property
    def room(self) -> int:
        """How many steps of a member there is room for."""
        return int(self.steps.shape[1])

    @property
    def steps(self) -> Floats:
        """Start and length of the steps of all members (members, steps, 2)."""
        return self._stored[0]

    @property
    def dense(self) -> Floats:
        """Their dense output (members, steps, ·, size)."""
        return self._stored[1]

    @property
    def step_refs(self) -> Floats:
        """The angle references at their starts (members, steps, functions)."""
        return self._stored[2]

    def adopt(self, state: State, n: int, why: Any) -> None:
        """Bring a given state onto the constraints of the first members."""
        moved, heavy = np.zeros(n), np.zeros(n, dtype=np.int64)
        self.Q[:n], self.V[:n], self.refs[:n] = state.q, state.v, state.references
        W.adopt_members(
            (self.at(adopt_state, W.ADOPT), self.at(set_masses, M.MASSES)), self.models[:n], self.states[:n],
            self.scratch.address, self.plan.block.address, self.assembly.address, float(state.t), self.Q, self.V, moved, heavy,
        )  # fmt: skip
        self.begin_refs[:n], self.codes[:n, 0], self.codes[:n, 1] = self.refs[:n], DEPENDENT, heavy
        note(why, np.isfinite(moved), "it cannot be closed from the given state")

    def begin(self, n: int, why: Any) -> None:
        """Write y of the first members at their starts; note whose structure is another one."""
        nq = self.tables.nq
        self.starts[:n, :nq], self.starts[:n, nq:-1], self.starts[:n, -1] = self.Q[:n], self.V[:n], 0.0

    def reset(self, which: Integers) -> None:
        """Put the blocks of members back to what they are before a run."""
        base = self.base.state
        self.statistics[which], self.settings[which] = base.statistics.view(np.float64), base.settings.view(np.float64)
        self.refs[which] = self.begin_refs[which]

    def run(self, which: Integers) -> None:
        """Integrate members from their starts."""
        m = self.members
        self.reset(which)
        tell(self, which)
        self.Y[which] = self.starts[which]
        calls: tuple[Any, ...] = (self._run_calls,)
        run: Any = M.run_members
        if m.matrices is not None:
            calls, run = (self._run_calls, m.matrices.ops, self.work), M.run_implicit_members
        run(
            *calls, FLUSH, which, self.models, self.states, self.scratch.address, m.start,
            self.ends, m.control, m.counts, self.refs, self.statistics, GAPS, self.atol, self.counted, self.Y, self.control,
            self.counting, self.active, self.memory, self.g, self.steps, self.dense, self.step_refs, self.answers,
        )  # fmt: skip

    def end(self, k: int, t: float) -> None:
        """Let the instants of a member end at a time, as those of a run do that an event ends."""
        sign = 1.0 if self.ends[k] >= self.members.start else -1.0
        before = self.times[k][sign * self.times[k] < sign * t]
        self.lasting[k] = len(before) + 1
        self.times[k, : len(before)], self.times[k, len(before)] = before, t

    def alike(self, which: Integers) -> list[Integers]:
        """Return members by the number of their instants, which those of an answer share."""
        return [which[self.lasting[which] == count] for count in np.unique(self.lasting[which])]

    def instants(self, which: Integers) -> Floats:
        """Return the instants of members that have as many of them (read, instants)."""
        return self.times[which, : self.lasting[which[0]]]

    def limits(self, which: Integers, times: Floats) -> Floats:
        """Return the times at which states of members are taken: just behind an instant at which motions switched."""
        if not self.passed:
            return np.ascontiguousarray(times)
        return np.array([limits_behind(self.passed.get(k, []), row) for k, row in zip(which.tolist(), times, strict=True)])

    def read(self, which: Integers, times: Floats | None = None, last: bool = False, like: Floats | None = None) -> Read:
        """Return members at times (read, instants), by default at their instants, the start and the end as they are.

        Parameters
        ----------
        which : array of int
            With times, or with as many instants each.
        times : array (read, instants), optional
        last : bool
            Whether the last instant alone is wanted.
        like : array (read, nq), optional
            Poses near the first of these times, by default those at the start; they settle signs of quaternions.
        """
        own = self.instants(which)
        at = np.ascontiguousarray(times if times is not None else own[:, -1:] if last else own)
        found = self._read_room(which, at, at.shape[1], kept=times is None and own.shape[1] == self.times.shape[1])
        M.read_members(
            self._read_calls, which, self.models, self.states, self.scratch.address, self.answers, self.steps,
            self.dense, self.step_refs, self.limits(which, at), self.Y if times is None else self.Y[:0], self.starts,
            self.begin_refs, self.refs, self.statistics, self.kept, found.Y, found.references, found.A, found.multipliers,
            found.energies, found.efforts, found.loads,
        )  # fmt: skip
        return found

    def _read_room(self, which: Integers, at: Floats, last: int, kept: bool = False) -> Read:
        """Return arrays for members at times, forces of the last ones; kept ones serve again: new pages take longer to fill."""
        if not kept:
            return Read(which, at, *self._made(len(which), at.shape[1], last))
        if not self._read_rooms or self._read_rooms[0].shape[1] != at.shape[1]:
            self._read_rooms = self._made(self.count, at.shape[1], last)
        return Read(which, at, *(room[: len(which)] for room in self._read_rooms))

    def _made(self, count: int, instants: int, last: int) -> list[Floats]:
        """Return arrays for everything that is read of so many members."""
        t = self.tables
        rows, loads = t.count_joint + t.count_motion, (3 if t.dimension == 2 else 6) * len(t.loads)
        states, forces = (t.nq + t.nv + 1, self.refs.shape[1]), (t.nv, rows, 2, t.effort_count, loads)
        widths = [*((instants, width) for width in states), *((last, width) for width in forces)]
        return [np.zeros((count, *shape)) for shape in widths]

    def unsolved(self, which: Integers) -> npt.NDArray[np.bool_]:
        """Return at which of these members the equations had no solution at an instant that was read."""
        return np.asarray(self.answers[which, 0] == M.UNSOLVED)
