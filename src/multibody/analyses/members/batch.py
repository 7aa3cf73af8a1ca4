"""Room for some members at a time: blocks of their own over arrays with a row a member, and the loops over them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from multibody.analyses.dynamics.choice import Choice
from multibody.formulations.driven import entries_at, gradients_at
from multibody.formulations.expand import expand
from multibody.integrators import contract as C
from multibody.integrators import members as M
from multibody.kernels.assembly.member import assemble_member
from multibody.kernels.calls import INTERPOLATE, address_of, address_with
from multibody.kernels.declared import Settings, Statistics
from multibody.kernels.mass import set_masses
from multibody.kernels.measure import measure_functions
from multibody.kernels.watch import monitor
from multibody.state.system import Floats, Integers
from multibody.tables.lower import Tables

if TYPE_CHECKING:
    from multibody.analyses.members.run import RunMembers

GAPS = np.array(
    [Statistics.fields[n].slot for n in ("position_before", "velocity_before", "position_after", "velocity_after")], dtype=np.int64
)


@dataclass(frozen=True)
class Calls:
    """Addresses of the machine code that members are computed with: that of single runs."""

    integrate: int
    rhs: int
    accept: int
    monitor: int
    interpolate: int
    expand: int
    masses: int
    assemble: int
    measure: int
    entries: int
    gradients: int

    @classmethod
    def of(cls, choice: Choice, tables: Tables) -> Calls:
        """Return those of a formulation and an integrator."""
        planar = tables.dimension == 2
        rhs, accept = choice.formulation.kernels()

        def at(function: Any, signature: Any) -> int:
            return address_with(function, M.as_called(signature, planar))

        return cls(
            address_with(choice.integrator.advance, M.ADVANCE), address_of(rhs, planar), address_of(accept, planar),
            address_of(monitor, planar) if tables.watches else 0, address_with(choice.integrator.interpolate, INTERPOLATE),
            at(expand, M.EXPAND), at(set_masses, M.MASSES), at(assemble_member, M.ASSEMBLE), at(measure_functions, M.MEASURE),
            at(entries_at, M.ENTRIES), at(gradients_at, M.GRADIENTS),
        )  # fmt: skip


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


class Batch:
    """Some members.

    Parameters
    ----------
    members : RunMembers
    count : int
        How many there is room for.
    room : int
        Steps whose dense output there is room for.
    """

    def __init__(self, members: RunMembers, count: int, room: int) -> None:
        self.members, self.count = members, count
        base, tables, size = members.base, members.tables, members.size
        planar = tables.dimension == 2
        self.numbers = np.zeros((count, len(tables.F)))
        self.row_scale = np.zeros((count, len(base.model.row_scale)))
        self.column_scale = np.zeros((count, len(base.model.column_scale)))
        self.refs = np.zeros((count, members.functions))
        own_statistics, own_settings = np.zeros(count, Statistics.dtype), np.zeros(count, Settings.dtype)
        self.statistics = own_statistics.view(np.float64).reshape(count, -1)
        self.settings = own_settings.view(np.float64).reshape(count, -1)
        self._kept: list[Any] = []
        self.models, self.states = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
        for k in range(count):
            model = base.model.sharing(
                numbers=self.numbers[k], row_scale=self.row_scale[k], column_scale=self.column_scale[k]
            )
            state = base.state.copy(
                ref=self.refs[k], statistics=own_statistics[k : k + 1], settings=own_settings[k : k + 1]
            )
            self._kept.append((model, state))
            self.models[k], self.states[k] = int(model.address), int(state.address)
        self.scratch, self.assembly = base.scratch.copy(), members.plan.room()
        self.Q, self.V = np.zeros((count, tables.nq)), np.zeros((count, tables.nv))
        self.codes, self.answers = np.zeros((count, 2), dtype=np.int64), np.zeros((count, 3), dtype=np.int64)
        self.ends, self.times = np.zeros(count), np.zeros((count, members.count))
        self.begin_refs, self.starts, self.Y = np.zeros_like(self.refs), np.zeros((count, size)), np.zeros((count, size))
        self.atol = np.zeros((count, size))
        integrator = members.choice.integrator
        jumps = not integrator.adaptive and any(watch.kind == "switch" for watch in tables.watches)
        self.g = np.zeros((3 if jumps else 2, len(tables.watches)))
        self.memory, self.active = np.zeros((integrator.memory_rows, size)), np.zeros(size)
        self.control, self.counting = np.zeros(C.CONTROL_SIZE), np.zeros(C.COUNTS_SIZE, dtype=np.int64)
        self.kept = np.zeros(members.functions + self.statistics.shape[1])
        self.planar = planar
        self.grow(room)

    def grow(self, room: int) -> None:
        """Make room for more steps; what is stored of members is kept."""
        integrator, before = self.members.choice.integrator, getattr(self, "steps", None)
        shapes = ((2,), (integrator.dense_rows, self.members.size), (self.members.functions,))
        made = [np.zeros((self.count, room, *shape)) for shape in shapes]
        if before is not None:
            for new, old in zip(made, (self.steps, self.dense, self.step_refs), strict=True):
                new[:, : old.shape[1]] = old
        self.steps, self.dense, self.step_refs = made

    def begin(self, n: int) -> None:
        """Forget what was computed before."""
        base = self.members.base.state
        self.statistics[:n] = base.statistics.view(np.float64)
        self.settings[:n] = base.settings.view(np.float64)

    def assemble(self, n: int) -> None:
        """Assemble the first n members, whose numbers are there."""
        calls, plan = self.members.calls, self.members.plan
        M.start_members(
            calls.assemble, calls.masses, self.models[:n], self.states[:n], self.scratch.address, plan.block.address,
            self.assembly.address, np.zeros(n), self.Q[:n], self.V[:n], self.codes[:n],
        )  # fmt: skip
        nq, nv = self.Q.shape[1], self.V.shape[1]
        self.begin_refs[:n] = self.refs[:n]
        self.starts[:n, :nq], self.starts[:n, nq : nq + nv], self.starts[:n, -1] = self.Q[:n], self.V[:n], 0.0

    def run(self, which: Integers) -> None:
        """Integrate members from their starts."""
        m, base = self.members, self.members.base.state
        c = m.calls
        self.statistics[which], self.settings[which] = base.statistics.view(np.float64), base.settings.view(np.float64)
        self.refs[which], self.Y[which] = self.begin_refs[which], self.starts[which]
        M.run_members(
            (c.integrate, c.rhs, c.accept, c.monitor, c.masses), which, self.models, self.states, self.scratch.address, 0.0,
            self.ends, m.control, m.counts, self.refs, self.statistics, GAPS, self.atol, self.Y, self.control, self.counting,
            self.active, self.memory, self.g, self.steps, self.dense, self.step_refs, self.answers,
        )  # fmt: skip

    def read(self, which: Integers, times: Floats | None = None) -> Read:
        """Return members at times (read, instants), by default at their instants, the start and the end as they are."""
        m, t, size = self.members, self.members.tables, self.members.size
        at = self.times[which] if times is None else np.ascontiguousarray(times)
        shape, rows = at.shape, t.count_joint + t.count_motion
        loads = (3 if t.dimension == 2 else 6) * len(t.loads)
        widths = (size, m.functions, t.nv, rows, 2, t.effort_count, loads)
        found = Read(which, at, *(np.zeros((*shape, width)) for width in widths))
        c = m.calls
        M.read_members(
            (c.interpolate, c.expand, c.masses), which, self.models, self.states, self.scratch.address, self.answers, self.steps,
            self.dense, self.step_refs, at, self.Y if times is None else self.Y[:0], self.starts, self.begin_refs, self.refs,
            self.statistics, self.kept, found.Y, found.references, found.A, found.multipliers, found.energies, found.efforts,
            found.loads,
        )  # fmt: skip
        return found

    def unsolved(self, which: Integers) -> npt.NDArray[np.bool_]:
        """Return at which of these members the equations had no solution at an instant that was read."""
        return np.asarray(self.answers[which, 0] == M.UNSOLVED)

    # --- what is read of them -----------------------------------------------------------------------------------------
    def coordinate(self, which: Integers, function: int, Q: Floats, V: Floats, A: Floats, R: Floats) -> Floats:
        """Return value, rate and acceleration of a coordinate function (3, members, instants).

        Parameters
        ----------
        which : array of int
        Q, V, A : arrays (members, instants, ·)
        R : array (members, instants, functions or 0)
            References of every instant; without columns turns are counted from those at the start.
        """
        out, kept = np.zeros((3, *Q.shape[:2], 1)), self.refs[which]
        self.refs[which] = self.begin_refs[which] if R.shape[2] == 0 else 0.0
        M.measure_members(
            self.members.calls.measure, which, self.models, self.states, self.scratch.address, self.refs, Q, V, A, R,
            np.array([function], dtype=np.int64), *out,
        )  # fmt: skip
        self.refs[which] = kept
        return out[..., 0]

    def entries(self, which: Integers, times: Floats, Q: Floats, R: Floats) -> Floats:
        """Return the entries of Φ_q of joints and motions (members, instants, entries)."""
        tables = self.members.tables
        rows, kept = tables.count_joint + tables.count_motion, self.refs[which]
        out = np.zeros((*Q.shape[:2], int(tables.row_pointer[rows])))
        M.entry_members(
            self.members.calls.entries, which, self.models, self.states, self.scratch.address, times, Q, R, rows, out
        )
        self.refs[which] = kept
        return out

    def gradients(self, which: Integers, function: int, Q: Floats) -> Floats:
        """Return the gradient of a coordinate function (members, instants, nv)."""
        nv = self.members.tables.nv
        out = np.zeros((*Q.shape[:2], 1, nv))
        M.gradient_members(
            self.members.calls.gradients, which, self.models, self.scratch.address, Q, np.array([function], dtype=np.int64),
            np.ones(nv), out,
        )  # fmt: skip
        return out[:, :, 0]
