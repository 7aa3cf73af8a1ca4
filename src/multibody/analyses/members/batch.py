"""Room for some members of a study of ``run``, and the loops over them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from multibody.analyses.events.switching import Switching, limits_behind
from multibody.analyses.members.blocks import Blocks
from multibody.analyses.members.numbers import note
from multibody.analyses.members.passing import Watching, passable
from multibody.analyses.members.telling import tell
from multibody.formulations.expand import expand
from multibody.integrators import contract as C
from multibody.integrators import crossing_members as X
from multibody.integrators import deciding_members as W
from multibody.integrators import members as M
from multibody.kernels.assembly.given import adopt_state
from multibody.kernels.assembly.member import DEPENDENT
from multibody.kernels.calls import INTERPOLATE, address_of, address_with
from multibody.kernels.codes import ENERGIES
from multibody.kernels.crossing import ROWS, is_bounded, is_closed, is_smooth
from multibody.kernels.declared import Statistics
from multibody.kernels.mass import set_masses
from multibody.kernels.subnormals import FLUSH, exchange_mode
from multibody.state.state import State
from multibody.state.system import Floats, Integers

if TYPE_CHECKING:
    from multibody.analyses.members.joints import Trees
    from multibody.analyses.members.run import RunMembers

_GAPS = ("position_before", "velocity_before", "position_after", "velocity_after")
UNITS = ("unit", "units", "matrix_units", "entry_units")  # of an iteration matrix
GAPS = np.array([Statistics.fields[name].slot for name in _GAPS], dtype=np.int64)


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


class Batch(Blocks):
    """Some members of a study of ``run``, in the coordinates of bodies; others are a class of their own, see ``batches.py``.

    Parameters
    ----------
    members : RunMembers
    count : int
        How many there is room for.
    room : int
        Steps whose dense output there is room for.
    trees : Trees, optional
        Their spanning trees, in joint coordinates.

    Attributes
    ----------
    reads_all : bool
        Whether all instants are read, also where the last one alone is wanted.
    """

    reads_all: ClassVar[bool] = False

    @classmethod
    def check(cls, space: Any) -> None:
        """Raise where members in the coordinates of a space are not served for this model."""

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
            address_of(accept, planar), address_of(members.space.monitor, planar) if tables.watches else 0,
            address_with(exchange_mode, M.MODE),
        )  # fmt: skip
        self.first = address_of(rhs, planar) if members.matrices is None else members.matrices.ops
        self._read_calls = self._readers()
        self.work = np.zeros(0 if members.matrices is None else members.matrices.work)
        self.watching = Watching(tables.watches, count, size, self.refs.shape[1])
        self.passing = self.watching.calls(integrator) if passable(self) else (0, 0)
        self.passed = dict[int, list[Switching]]()  # instants at which the motions of a member switched
        self._stored: list[Floats] = []
        self._read_rooms: list[Floats] = []
        self.grow(room)

    def own_numbers(self) -> dict[str, Any]:
        """Return what members have of their own among the numbers of their models (members, ·), by its path."""
        own = {"numbers": self.numbers, "row_scale": self.row_scale, "column_scale": self.column_scale}
        own["planar_mass" if self.planar else "spatial_mass"] = self.masses
        if self.matrices is not None:
            own |= {f"newton.{name}": getattr(self.matrices, name) for name in UNITS}
        return own

    def own_words(self) -> dict[str, Any]:
        """Return what members have of their own among the numbers of their states (members, ·), by its path."""
        return {"ref": self.refs, "statistics": self.statistics, "settings": self.settings}

    def _readers(self) -> tuple[int, ...]:
        """Return the addresses of what reads members."""
        interpolate = address_with(self.members.choice.integrator.interpolate, INTERPOLATE)
        return interpolate, self.at(expand, M.EXPAND)

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
            self.masses, self.scratch.address, self.plan.block.address, self.assembly.address, float(state.t), self.Q, self.V,
            moved, heavy,
        )  # fmt: skip
        self.begin_refs[:n], self.codes[:n, M.CLOSED], self.codes[:n, M.HEAVY] = self.refs[:n], DEPENDENT, heavy
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
        """Integrate members from their starts; events and switches on the way are passed as far as they can be."""
        M.run_members(*self._run(which))

    def cross(self, which: Integers, passed: list[Switching]) -> None:
        """Integrate members from their starts across instants at which the motions of all of them switch."""
        t, rows = self.tables, self.tables.count_joint + self.tables.count_motion
        crossing = (
            self.at(is_bounded, X.BOUNDED), self.at(is_closed, X.CLOSED), self.at(is_smooth, X.SMOOTH), self.to_bodies,
        )  # fmt: skip
        instants = np.array([[item.before for item in passed], [item.after for item in passed]])
        bodies = (
            np.zeros(1), np.zeros((1, self.starts.shape[1])), np.zeros((1, self.refs.shape[1])),
            np.zeros((1, t.nq + t.nv + 1)), np.zeros((ROWS, rows)), np.zeros(int(t.row_pointer[rows])),
        )  # fmt: skip
        X.cross_members(*self._run(which), crossing, instants, rows, self.Q, bodies)
        self.passed |= dict.fromkeys(which.tolist(), passed)

    @property
    def to_bodies(self) -> int:
        """The address of what makes states of the bodies of those that are integrated, 0 where they are that."""
        return 0

    def _run(self, which: Integers) -> tuple[Any, ...]:
        """Make members ready to be run; return what compiled loops take."""
        m, watching = self.members, self.watching
        self.reset(which)
        tell(self, which)
        self.Y[which] = self.starts[which]
        return (
            self._run_calls, self.first, self.work, FLUSH, which, self.models, self.states, self.scratch.address, m.start,
            self.ends, m.control, m.counts, self.refs, self.statistics, GAPS, self.atol, self.counted, self.Y, self.control,
            self.counting, self.active, self.memory, self.g, self.steps, self.dense, self.step_refs, self.accepted,
            self.passing, watching.watched, watching.room, watching.found, self.answers,
        )  # fmt: skip

    @property
    def accepted(self) -> Floats:
        """What spanning trees remember of the last accepted states (members, ·)."""
        return self.watching.nothing

    def end(self, which: Integers) -> None:
        """Let the instants of members that an event ended end at its time, as those of a run do."""
        stops = self.watching.stops[which, 0]
        ended, t = which[np.isfinite(stops)], stops[np.isfinite(stops), None]
        sign = np.where(self.ends[ended] >= self.members.start, 1.0, -1.0)[:, None]
        before = np.sum(sign * self.times[ended] < sign * t, axis=1)
        self.lasting[ended] = before + 1
        self.times[ended, before] = t[:, 0]

    def alike(self, which: Integers) -> list[Integers]:
        """Return members by the number of their instants, which those of an answer share."""
        if self.members.last_only:
            return [which]
        return [which[self.lasting[which] == count] for count in np.unique(self.lasting[which])]

    def instants(self, which: Integers) -> Floats:
        """Return the instants of members that have as many of them (read, instants)."""
        return self.times[which, : self.lasting[which[0]]]

    def last_instants(self, which: Integers) -> Floats:
        """Return the last instants of members (read, 1)."""
        return np.asarray(self.times[which, self.lasting[which] - 1][:, None])

    def limits(self, which: Integers, times: Floats) -> Floats:
        """Return the times at which states of members are taken: just behind an instant at which motions switched."""
        found, together = np.array(times), dict[int, tuple[list[Switching], list[int]]]()
        for j, k in enumerate(which.tolist() if self.passed else ()):
            passed = self.passed.get(k, [])
            together.setdefault(id(passed), (passed, []))[1].append(j)
        for passed, some in together.values():
            found[some] = limits_behind(passed, found[some])
        return found

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
        at = times if times is not None else self.last_instants(which) if last else self.instants(which)
        at = np.ascontiguousarray(at)
        found = self._read_room(which, at, at.shape[1], kept=times is None and (last or at.shape[1] == self.times.shape[1]))
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
        rows = t.count_joint + t.count_motion
        states, forces = (t.nq + t.nv + 1, self.refs.shape[1]), (t.nv, rows, ENERGIES, t.effort_count, t.load_count)
        widths = [*((instants, width) for width in states), *((last, width) for width in forces)]
        return [np.zeros((count, *shape)) for shape in widths]

    def unsolved(self, which: Integers) -> npt.NDArray[np.bool_]:
        """Return at which of these members the equations had no solution at an instant that was read."""
        return np.asarray(self.answers[which, M.ANSWER] == M.UNSOLVED)
