"""Joint coordinates of a spanning tree as the space of a simulation."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from multibody.errors import ModelError
from multibody.formulations.choosing import choose_joint_partition
from multibody.formulations.of_joints import JointFormulation
from multibody.formulations.prepare_relative import JointBundle, column_scales, prepare_relative
from multibody.formulations.relative import (
    COLUMN,
    PROBED,
    RATIO,
    cartesian_states,
    expand_relative,
    monitor_relative,
    probe_relative,
)
from multibody.formulations.spaces.expanded import Expanded, no_solution
from multibody.formulations.spaces.joint_coordinates import count_turns, joint_coordinates
from multibody.formulations.spaces.other_rows import allow_others, better_rows, carry_on, least_size, read_by_rows
from multibody.formulations.spaces.space import Reader, SpaceBase, reader_of
from multibody.kernels.codes import ENERGIES, KINETIC, POTENTIAL
from multibody.rank.leastnorm import all_independent, independent_rows
from multibody.state.kinetics import Dynamics
from multibody.state.state import State
from multibody.state.system import Flags, Floats, Integers, System
from multibody.tables.columns import Columns, columns_of
from multibody.tables.lower import Tables
from multibody.tables.tree import spanning_tree

MOST_DENSE = 1000  # unknown rates that `recursive` and `transformation` take: their mass matrices are full
MOST_LOOPS = 400  # loop equations, whose matrix S is full
VANISHES = 1e-10  # size of a row, free of units, that the tree satisfies by itself
SINGULAR = 1e-11  # pivot ratio of the mass matrix below which loops are added to it


def joint_columns(tables: Tables, formulation: JointFormulation) -> Columns:
    """Return the joint coordinates that a formulation works in; raise where full matrices would be too large, with advice."""
    columns, name = columns_of(tables, spanning_tree(tables, formulation.cut)), formulation.name
    loops = len(columns.loop_rows())
    if formulation.full_mass and columns.nv > MOST_DENSE:
        raise ModelError(
            f"{columns.nv} joint coordinates are too many, {name} forms a full matrix and takes {MOST_DENSE}",
            where="formulation", hint="use articulated (open chains and few loops) or augmented",
        )  # fmt: skip
    if loops > MOST_LOOPS:
        raise ModelError(
            f"{loops} loop equations are too many for {name}, which takes {MOST_LOOPS}", where="formulation",
            hint="use augmented",
        )  # fmt: skip
    return columns


class JointSpace(SpaceBase):
    """Joint coordinates of a spanning tree; loops are closed at the cut joints."""

    monitor: Any = staticmethod(monitor_relative)
    choose: Any = staticmethod(choose_joint_partition)

    def __init__(self, system: System, state: State, rows: Integers, formulation: JointFormulation) -> None:
        self.system, self.formulation = system, formulation
        self.columns = joint_columns(system.tables, formulation)
        self.nq, self.nv = self.columns.nq, self.columns.nv
        self.rate_scales = column_scales(self.columns)
        self.mobility = system.nv - len(rows)
        self.before: list[JointBundle] = []  # those with other rows
        self.bundle: JointBundle = self._prepared(state)

    def _prepared(self, state: State) -> JointBundle:
        """Return the arrays of a run: independent loop rows, and whether the mass matrix serves by itself."""
        formulation, none = self.formulation, np.zeros(0, dtype=np.int64)
        partitioned = formulation.partitioned
        self.bundle = b = prepare_relative(self.columns, formulation, state.references, none, regular=True, partitioned=False)
        self._count_turns(b, state)
        regular, chosen = self.decided(self.start(state), state.t)
        if not regular and not formulation.full_mass:
            raise self._weightless(self._probe(b, self.start(state), state.t))
        if len(chosen) < self.nv - self.mobility:
            chosen = self._generic(b, state, chosen)
        made = prepare_relative(self.columns, formulation, state.references, chosen, regular=regular, partitioned=partitioned)
        self._count_turns(made, state)
        allow_others(made, len(made.loops))
        return made

    def take_other_rows(self, y: Floats, t: float) -> bool:
        """Choose independent loop rows anew at y; return whether others serve better, so that the blocks are new ones."""
        b, formulation = self.bundle, self.formulation
        self._probe(b, y, t)
        rows = better_rows(self._scaled(b), b.chosen, VANISHES)
        b.settings(other_rows=0.0)
        if rows is None:
            return False
        made = next((other for other in self.before if np.array_equal(other.chosen, rows)), None)
        if made is None:
            made = prepare_relative(
                self.columns, formulation, b.ref, rows, regular=b.regular, partitioned=formulation.partitioned
            )
            for name in ("planar_constants", "spatial_constants"):  # whole turns that angles began with
                getattr(made.tree.model, name)[:] = getattr(b.tree.model, name)
        self.before = [other for other in (*self.before, b) if other is not made]
        carry_on(b, made)
        self.bundle = made
        self.forget()
        return True

    def decided(self, y: Floats, t: float) -> tuple[bool, Integers]:
        """Return what numbers decide at (t, y): whether the mass matrix serves by itself, and independent loop rows."""
        ratio = self._probe(self.bundle, y, t)[RATIO]
        rows = self.loop_rows(self._scaled(self.bundle)) if self.bundle.loops else np.zeros(0, dtype=np.int64)
        return bool(self.serves(ratio)), rows

    def serves(self, ratio: Any) -> Any:
        """Return whether mass matrices serve by themselves, by their smallest pivot ratios."""
        return np.asarray(ratio > SINGULAR) & (not self.columns.tables.extras)

    def loop_rows(self, J: Floats) -> Integers:
        """Return independent rows of Φ_u, free of units."""
        return independent_rows(J, floor=VANISHES, most=self.nv - self.mobility)

    def has_loop_rows(self, J: Floats) -> Flags:
        """Return whether the independent rows of Φ_u (..., rows, rates) are those of the run."""
        chosen, every = self.bundle.chosen, len(self.bundle.chosen) == J.shape[1] <= self.nv - self.mobility
        same = all_independent(J, floor=VANISHES) if every else np.zeros(len(J), dtype=bool)
        for k in np.flatnonzero(~same):
            same[k] = np.array_equal(self.loop_rows(J[k]), chosen)
        return np.asarray(same)

    def _probe(self, b: JointBundle, y: Floats, t: float) -> Floats:
        """Write Φ_u of the loop rows at (t, y) to the scratch; return what the mass matrix is like, see ``probe_relative``."""
        found = np.zeros(PROBED)
        probe_relative(*b.run, t, y, found)
        return found

    def _weightless(self, found: Floats) -> ModelError:
        """Return the error for a coordinate that moves no mass, with the name of its joint and body."""
        if self.system.tables.extras:
            hint = "use recursive or augmented"
            return ModelError("articulated does not take cams: their contact has no mass", where="formulation", hint=hint)
        k = int(found[COLUMN])
        column = self.columns.columns[k]
        body = self.system.tables.bodies[self.columns.tree.links[column.link].body]
        return ModelError(
            f"articulated cannot move it: {column.name} moves no mass", where=f"bodies.{body}",
            hint="give it a mass or inertia, or use recursive or augmented, which let loops carry it",
        )  # fmt: skip

    def _generic(self, b: JointBundle, state: State, best: Integers) -> Integers:
        """Return independent loop rows where the pose is singular and has too few: poses around are looked at."""
        from multibody.rank.generic import Joints

        s = self.system
        kept = s.ref.copy()
        for pose in Joints(s, state.t, np.zeros(s.joint_rows)).neighbors(state.q, 4)[0]:
            s.take_references(pose)
            near = replace(state, q=pose, references=s.ref.copy())
            self._probe(b, self.start(near), state.t)
            found = self.loop_rows(self._scaled(b))
            best = found if len(found) > len(best) else best
        s.ref[:] = kept
        return best

    def _scaled(self, b: JointBundle) -> Floats:
        """Return Φ_u of all loop rows as it stands in the scratch, free of units."""
        J = b.scratch.J.reshape(len(b.loops), self.nv)
        return np.asarray(b.model.row_scale[:, None] * J * self.rate_scales)

    def _count_turns(self, b: JointBundle, state: State) -> None:
        """Give the constant angles of planar links the whole turns that they have at a state."""
        count_turns(self.system, self.columns, b.tree.model, state)

    def keep_closed(self, found: Expanded, closed: Sequence[int], times: Floats, ends: Floats, like: Floats) -> None:
        """Leave all states as they were closed."""

    # --- states -------------------------------------------------------------------------------------------------------
    def start(self, state: State, work: float = 0.0) -> Floats:
        """Return y of a state of the bodies."""
        return np.concatenate([*joint_coordinates(self.system, self.columns, state), [work]])

    @property
    def lengths(self) -> Flags:
        """Which components of y are lengths or their rates: slides."""
        found = np.zeros(self.nq + self.nv + 1, dtype=bool)
        for column, place, rate in zip(self.columns.columns, self.columns.places, self.columns.rates, strict=True):
            if column.is_length and rate >= 0:
                found[place], found[self.nq + rate] = True, True
        return found

    @property
    def free(self) -> bool:
        """Whether the columns of y may be chosen freely: there are no loops."""
        return not len(self.bundle.chosen)

    def state_columns(self) -> tuple[dict[tuple[int, int], int], list[int]]:
        """Return where coordinate functions (order 0) and their rates (order 1) stand in y, and which columns are angles."""
        columns, found, angles = self.columns, dict[tuple[int, int], int](), list[int]()
        for column, place, rate in zip(columns.columns, columns.places, columns.rates, strict=True):
            if column.function >= 0 and place >= 0:
                found[column.function, 0], found[column.function, 1] = place, self.nq + rate
                angles += [] if column.is_length else [place]
        return found, angles

    @property
    def rows(self) -> Integers:
        """The rows of joints and motions whose scales stand in the blocks: those that the tree does not satisfy by itself."""
        return np.array(self.bundle.loops, dtype=np.int64)

    def scales(self) -> Floats:
        """Return L for slides and their rates, 1 for everything else."""
        return np.where(self.lengths, self.system.tables.length, 1.0)

    def cartesian(self, times: Floats, Y: Floats, references: Floats, like: Floats, closing: bool = False) -> Floats:
        """Return Cartesian (q, v, w) of states y; `like` (nq) settles the signs of the first quaternions."""
        b, tables = self.bundle, self.system.tables
        out = np.zeros((len(times), tables.nq + tables.nv + 1))
        if len(times):
            out[0, : tables.nq] = like
        kept = b.ref.copy()
        cartesian_states(*b.run, times, Y, references, int(closing), out)
        b.ref[:] = kept
        return out

    def expanded(self, times: Floats, Y: Floats, references: Floats, like: Floats, closing: bool) -> Expanded:
        """Return everything that follows from states y, with Cartesian states."""
        if not self.before:
            return self._expanded(times, Y, references, like, closing)
        living = self.bundle

        def read(b: Any, some: slice, before: Expanded | None) -> Expanded:
            self.bundle = b
            near = like if before is None else before.Y[-1, : self.system.nq]
            return self._expanded(times[some], Y[some], references[some], near, closing)

        def size(b: Any, k: int) -> float:
            b.ref[:] = references[k]
            self._probe(b, Y[k], float(times[k]))
            return least_size(self._scaled(b)[b.chosen])

        kept = living.ref.copy()
        try:
            return read_by_rows([*self.before, living], size, times, read)
        finally:
            self.bundle = living
            living.ref[:] = kept

    def _expanded(self, times: Floats, Y: Floats, references: Floats, like: Floats, closing: bool) -> Expanded:
        """Return the same by the present rows."""
        b, tables, n = self.bundle, self.system.tables, len(times)
        statistics = b.state.statistics.copy()
        bodies = self.cartesian(times, Y, references, like, closing)
        A, energies = np.zeros((n, tables.nv)), np.zeros((n, ENERGIES))
        multipliers = self.unknown_multipliers(n)
        efforts = np.zeros((n, tables.effort_count))
        loads = np.zeros((n, tables.load_count))
        kept = b.ref.copy()
        done = expand_relative(*b.run, times, Y, references, A, multipliers, energies, efforts, loads)
        b.ref[:] = kept
        b.state.statistics[:] = statistics
        if done < n:
            raise no_solution(tables, times[done])
        rows = self.independent_rows()
        kinetic, potential = energies[:, KINETIC], energies[:, POTENTIAL]
        dynamics = Dynamics(multipliers, kinetic, potential, bodies[:, -1].copy(), efforts, loads, rows)
        return Expanded(bodies, references, A, dynamics)

    def select(self, joints: Sequence[str]) -> None:
        """Let :meth:`expanded` find the forces of these joints only, by eq. (30); the others' multipliers are then NaN.

        Composite inertias are what `recursive` makes; other methods, and models with redundant rows, find all of them.
        """
        b, tables = self.bundle, self.system.tables
        rows = tables.count_joint + tables.count_motion
        if self.formulation.selective and len(self.independent_rows()) == rows:
            wanted = set(joints)
            links = [i for i, link in enumerate(self.columns.tree.links) if link.joint in wanted]
            b.tree.model.all_joints, b.tree.model.selected = 0, np.array(links, dtype=np.int64)

    def unknown_multipliers(self, n: int) -> Floats:
        """Return an array for the multipliers: NaN for the rows of joints that are not selected."""
        tables, tree = self.system.tables, self.bundle.tree.model
        found = np.zeros((n, tables.count_joint + tables.count_motion))
        if tree.all_joints == 0:
            chosen = {int(k) for k in tree.selected}
            for i, link in enumerate(self.columns.tree.links):
                own = list(tables.joint_rows[link.joint]) if link.joint else []
                own += [c.motion for c in self.columns.columns if c.link == i and c.motion >= 0]
                if i not in chosen:
                    found[:, own] = np.nan
        return found

    def independent_rows(self) -> Integers:
        """Return the rows that carry multipliers: all rows of tree joints and their motions, and the chosen loop rows."""
        tables, b = self.system.tables, self.bundle
        loops = set(b.loops)
        own = [r for r in range(tables.count_joint + tables.count_motion) if r not in loops]
        return np.array(sorted([*own, *(b.loops[k] for k in b.chosen)]), dtype=np.int64)

    def forget(self) -> None:
        """Forget the last accepted state: the next one is elsewhere."""
        self.bundle.tree.state.accepted[:] = np.nan

    def reading(self) -> JointSpace:
        """Return a copy with state and scratch of its own; the model stays the living one."""
        return self.apart(self.system)

    def apart(self, system: System) -> JointSpace:
        """Return a copy with another workspace, and state and scratch of its own."""
        other = copy.copy(self)
        other.system, other.bundle, other.before = system, self.bundle.working(), [b.working() for b in self.before]
        return other

    def reader(self) -> Reader:
        """Return what coordinate functions are read with."""
        return reader_of(self.bundle)
