"""Members in joint coordinates: a spanning tree of each with its own constants, from poses of the bodies and back to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from multibody.analyses.members.batch import Batch, Read
from multibody.analyses.members.many import Many
from multibody.analyses.members.numbers import NotServed, note
from multibody.analyses.members.together import StackedTables
from multibody.formulations.relative import PROBED, RATIO, cartesian_states, expand_relative, probe_relative
from multibody.formulations.spaces.joint_coordinates import placed_coordinates, placed_values, settle_turns
from multibody.formulations.spaces.joint_space import JointSpace
from multibody.integrators import deciding_members as W
from multibody.integrators import members as M
from multibody.kernels.calls import INTERPOLATE, address_of, address_with
from multibody.kernels.tree import declared as T
from multibody.state.system import Flags, Floats, Integers
from multibody.tables.columns import constants
from multibody.tables.tree_arrays import ground_acceleration, tree_constants

if TYPE_CHECKING:
    from multibody.analyses.members.run import RunMembers


class Trees:
    """Numbers and memory of the spanning trees of some members.

    Parameters
    ----------
    base : TreeBlocks
        Of the model.
    count : int
    """

    def __init__(self, base: T.TreeBlocks, count: int) -> None:
        self.constants = np.zeros((count, len(base.model.links)), dtype=tree_constants(base.model).dtype)
        self.ground = np.zeros((count, len(base.model.base)))
        self.accepted, self.row_size = (np.zeros((count, len(x))) for x in (base.state.accepted, base.state.row_size))
        name = "planar_constants" if len(base.model.planar_constants) else "spatial_constants"
        self.models: Many[T.Tree] = Many(base.model, count, {name: self.constants, "base": self.ground})
        self.states: Many[T.TreeState] = Many(T.TreeState(), count, {"accepted": self.accepted, "row_size": self.row_size})


class JointBatch(Batch):
    """Some members of a study of ``run`` in joint coordinates."""

    reads_all: ClassVar[bool] = True  # signs of quaternions go on from instant to instant

    @classmethod
    def check(cls, space: JointSpace) -> None:
        """Raise where the mass matrix does not serve by itself."""
        if not space.bundle.regular:
            raise NotServed("some coordinates move no mass")

    def __init__(self, members: RunMembers, count: int, room: int) -> None:
        self.space: JointSpace = members.space
        self.trees, self._joint_room = Trees(self.space.bundle.tree, count), np.zeros((0, 0, 0))
        super().__init__(members, count, room, self.trees)

    def own_numbers(self) -> dict[str, Any]:
        """Return what members have of their own among the numbers of their models (members, ·), by its path."""
        name, constants = "planar" if self.planar else "spatial", self.trees.constants.view(np.float64)
        own = {f"tree.{name}_constants": constants.reshape(self.count, -1), "tree.base": self.trees.ground}
        return super().own_numbers() | own

    def own_words(self) -> dict[str, Any]:
        """Return what members have of their own among the numbers of their states (members, ·), by its path."""
        return super().own_words() | {"tree.accepted": self.trees.accepted, "tree.row_size": self.trees.row_size}

    def _readers(self) -> tuple[int, ...]:
        interpolate = address_with(self.members.choice.integrator.interpolate, INTERPOLATE)
        return interpolate, self.to_bodies, self.at(expand_relative, M.EXPAND_JOINTS)

    def begin(self, n: int, why: Any) -> None:
        """Write y of the first members at their starts; note whose structure is another one."""
        columns, q, v, every = self.space.columns, self.Q[:n], self.V[:n], np.arange(n)
        tables = StackedTables.of(self.tables, self.numbers[:n], 1)
        self.trees.constants[:n], self.trees.ground[:n] = constants(columns, tables), ground_acceleration(tables)
        functions = {}
        for f in {column.function for column in columns.columns if column.function >= 0}:
            found = self.coordinate(every, f, q[:, None], v[:, None], np.zeros((n, 1, v.shape[1])), np.zeros((n, 1, 0)))
            functions[f] = found[0][:, 0], found[1][:, 0]
        values, rates = placed_values(columns, functions, q, v)
        if self.planar:
            settle_turns(columns, values, q, self.trees.constants["angle"][:n])
        nq, y = self.space.nq, self.starts[:n]
        y[:, :nq], y[:, nq:-1] = placed_coordinates(columns, tables, values, rates, q, v)
        y[:, -1] = 0.0
        self.reset(every)
        which = np.flatnonzero(why == "")
        holds = np.ones(n, dtype=bool)
        holds[which] = self._hold(which)
        note(why, holds, "other loop equations")

    def _hold(self, which: Integers) -> Flags:
        """Return whether the mass matrices of members serve by themselves, and the same loop rows are independent."""
        base, scratch = self.space.bundle, self.scratch
        found, answers = np.zeros((len(which), len(scratch.J))), np.zeros((len(which), PROBED))
        W.probe_members(
            address_of(probe_relative, self.planar), which, self.models, self.states, scratch.address, self.members.start,
            self.starts, scratch.J, found, answers,
        )  # fmt: skip
        same = self.space.serves(answers[:, RATIO]) == base.regular
        if base.loops:
            J = found.reshape(len(which), len(base.loops), self.space.nv)
            same &= self.space.has_loop_rows(self.row_scale[which, :, None] * J * self.column_scale[which, None, :])
        return np.asarray(same)

    def _made(self, count: int, instants: int, last: int) -> list[Floats]:
        made = super()._made(count, instants, last)
        Read(np.zeros(0, dtype=np.int64), np.zeros(0), *made).multipliers[:] = self.space.unknown_multipliers(1)
        return made

    @property
    def to_bodies(self) -> int:
        """The address of what makes states of the bodies."""
        return self.at(cartesian_states, M.TO_BODIES)

    @property
    def accepted(self) -> Floats:
        """What spanning trees remember of the last accepted states (members, ·)."""
        return self.trees.accepted

    def alike(self, which: Integers) -> list[Integers]:
        """Return members by the number of their instants: all are read, for signs go on from one to the next."""
        return [which[self.lasting[which] == count] for count in np.unique(self.lasting[which])]

    def reset(self, which: Integers) -> None:
        """Put the blocks of members back to what they are before a run."""
        super().reset(which)
        self.trees.accepted[which], self.trees.row_size[which] = np.nan, 0.0

    def read(self, which: Integers, times: Floats | None = None, last: bool = False, like: Floats | None = None) -> Read:
        """Return members at times; signs of quaternions go on from instant to instant, also where the last alone is wanted."""
        at = np.ascontiguousarray(self.instants(which) if times is None else times)
        kept = times is None and at.shape[1] == self.times.shape[1]
        found = self._read_room(which, at, 1 if last else at.shape[1], kept)
        if kept and len(self._joint_room) < len(which):
            self._joint_room = np.zeros((self.count, at.shape[1], self.starts.shape[1]))
        joints = self._joint_room[: len(which)] if kept else np.zeros((*at.shape, self.starts.shape[1]))
        M.read_joint_members(
            self._read_calls, which, self.models, self.states, self.scratch.address, self.answers, self.steps,
            self.dense, self.step_refs, self.limits(which, at), self.Y if times is None else self.Y[:0], self.starts,
            self.begin_refs, self.refs, self.statistics, self.kept, self.Q[which] if like is None else like, joints, found.Y,
            found.references, found.A, found.multipliers, found.energies, found.efforts, found.loads,
        )  # fmt: skip
        if last:
            found.t, found.Y, found.references = (np.ascontiguousarray(x[:, -1:]) for x in (found.t, found.Y, found.references))
        return found
