"""Reactions, efforts, energies and momentum along a motion, from the multipliers.

With M v̇ + Φ_qᵀ λ = Q the rows of a joint act on a body with −Φ_qᵀ λ: a force in ground axes and a moment about its center of
mass. The reaction of a joint is that wrench on its second body, about the origin of the second frame (of a cam: about the
contact point), in ground axes. Gears and racks act on three bodies, with moments about the wheels' axes and a force along the
rack; what they do to each body is in :meth:`Reactions.on_bodies`. A coupler acts on coordinates and has no reaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from multibody.analyses.reactions.uniqueness import Dependency, Redundancy
from multibody.analyses.reactions.wrenches import RowPattern, Wrench
from multibody.errors import ModelError
from multibody.formulations.driven import gradients_at
from multibody.formulations.row_wrenches import CENTER, wrenches_at
from multibody.formulations.square_forces import as_rows, jacobian_entries
from multibody.model.expressions import evaluate
from multibody.state.kinetics import Dynamics
from multibody.state.system import Floats, Integers, System
from multibody.tables.lowered import EndSlots
from multibody.tables.products import dot, times, turned
from multibody.tables.tree import driven_functions

if TYPE_CHECKING:
    from multibody.analyses.measures.measure import Measurer

VANISHES = 1e-6  # share of a dependency's size below which a component does not change with it
SHARED = ("gear", "rack", "coupler")  # relations that act on more than two bodies
Blocks = dict[int, Floats]  # generalized force (instants, 3 or 6) on each body


class Reactions:
    """What joints, motions and forces do, over time.

    Parameters
    ----------
    measurer : Measurer
        The motion.
    dynamics : Dynamics
        Its multipliers, energies and efforts.
    """

    def __init__(self, measurer: Measurer, dynamics: Dynamics) -> None:
        self.measurer, self.dynamics, self.tables = measurer, dynamics, measurer.tables
        self._gradients: dict[int, Blocks] = {}
        self._open: dict[str, list[tuple[int, Wrench]]] = {}

    @cached_property
    def system(self) -> System:
        """The tables with a workspace."""
        return System(self.tables)

    # --- multipliers --------------------------------------------------------------------------------------------------
    @cached_property
    def entries(self) -> Floats:
        """Entries of Φ_q of joints and motions at every instant."""
        m = self.measurer
        return jacobian_entries(self.system, np.ascontiguousarray(m.t), m.q, m.references)

    def refer(self, k: int) -> None:
        """Set the angle references of an instant."""
        references = self.measurer.references
        self.system.ref[:] = references[k] if references.ndim == 2 else references

    @cached_property
    def redundancy(self) -> Redundancy:
        """The rows that depend on each other."""
        return Redundancy(self.system, self.dynamics.rows)

    @cached_property
    def multipliers(self) -> Floats:
        """λ of joint and motion rows (instants, rows), of minimum norm where rows are redundant."""
        if len(self.dynamics.rows) == self.system.rows:
            return self.dynamics.multipliers
        return self.redundancy.smallest(self.dynamics.multipliers, self.entries)

    @cached_property
    def dependencies(self) -> list[Dependency]:
        """Combinations of multipliers that no body feels, at a few instants."""
        return [] if len(self.dynamics.rows) == self.system.rows else self.redundancy.dependencies(self.entries)

    # --- generalized forces -------------------------------------------------------------------------------------------
    def of_rows(
        self, rows: range, multipliers: Floats, bodies: Sequence[int], home: int, point: int, sign: float = -1.0,
        which: Integers | None = None,
    ) -> Wrench:  # fmt: skip
        """Return −Φ_qᵀ λ of some rows on some bodies together as a wrench about a point of a body, ground axes.

        Parameters
        ----------
        rows : range
        multipliers : array (instants, all rows)
        bodies : sequence of int
        home, point : int
            Body of the point, and where its numbers begin; ``CENTER``: the center of mass.
        sign : float
            1 for the opposite.
        which : array of int, optional
            Instants to which `multipliers` belong; default all.
        """
        m, own, R = self.measurer, RowPattern.of(self.tables, rows), as_rows(self.measurer.references)
        t, q = m.t, m.q
        if which is not None:
            t, q, R = t[which], q[which], R[which] if len(R) > 1 else R
        out = own.answers(len(t))
        wrenches_at(
            *self.system.run, np.ascontiguousarray(t), np.ascontiguousarray(q), R, np.ascontiguousarray(multipliers),
            rows.start, own.columns, own.ends, np.array(bodies, dtype=np.int64), sign, home, point, own.room(), out,
        )  # fmt: skip
        return Wrench.packed(out, self.tables.dimension)

    def _gradient(self, function: int) -> Blocks:
        """Return the gradient of a coordinate function by bodies, at every instant."""
        if function not in self._gradients:
            s, q = self.system, np.ascontiguousarray(self.measurer.q)
            out = np.zeros((len(q), 1, s.nv))
            gradients_at(s.at.model, s.at.scratch, q, np.array([function]), np.ones(s.nv), out)
            blocks: Blocks = {}
            for body in self.tables.functions[function].moving:
                blocks[body] = out[:, 0, self.tables.layout.motion(body)]
            self._gradients[function] = blocks
        return self._gradients[function]

    def along(self, function: int, effort: Floats) -> Blocks:
        """Return the generalized force of an effort along a coordinate function."""
        return {body: effort[:, None] * gradient for body, gradient in self._gradient(function).items()}

    def wrench(self, body: int, block: Floats) -> Wrench:
        """Return a generalized force on a body as a wrench at its center of mass."""
        r, A, *_ = self.measurer.body_motion(self.tables.bodies[body])
        layout = self.tables.layout
        moment = block[:, layout.turn] if layout.dimension == 2 else turned(A, block[:, layout.turn])
        return Wrench(block[:, layout.shift], np.asarray(moment), r)

    # --- joints -------------------------------------------------------------------------------------------------------
    def on_bodies(self, joint: str) -> dict[str, Wrench]:
        """Return what the rows of a joint do to each body (but the ground), at its center of mass, ground axes."""
        rows = self.tables.joint_rows[joint]
        touched = RowPattern.of(self.tables, rows).bodies
        return {self.tables.bodies[b]: self.of_rows(rows, self.multipliers, [b], b, CENTER) for b in touched}

    def joint_wrench(self, joint: str, drives: bool = False) -> Wrench:
        """Return a joint's wrench on its second body at its own point; with `drives`, efforts on its coordinates too."""
        found = self._at_point(joint, self._rows_on_second(joint, self.multipliers))
        if drives:
            for function in self.functions_of(joint):
                if function in self.acted_on:
                    found = self._with_effort(joint, function, found)
        return found

    def _rows_on_second(self, joint: str, multipliers: Floats, which: Integers | None = None) -> Wrench:
        """Return what the rows of a joint do to its second body at its second frame's origin."""
        rows, end = self.tables.joint_rows[joint], self._second(joint)
        if end.body:
            return self.of_rows(rows, multipliers, [end.body], end.body, end.point, which=which)
        others = RowPattern.of(self.tables, rows).bodies  # the ground gets the opposite of what all others get
        return self.of_rows(rows, multipliers, others, 0, end.point, 1.0, which)

    def _at_point(self, joint: str, wrench: Wrench, which: Integers | None = None) -> Wrench:
        """Return a joint's wrench at the joint's point, which is not the second frame's origin of a cam alone."""
        if self.tables.model.joints[joint].kind.relation != "cam":
            return wrench
        point = self._contact(joint)
        return wrench.at(point if which is None else point[which])

    def _with_effort(self, joint: str, function: int, wrench: Wrench) -> Wrench:
        """Return a joint's wrench with the effort along a coordinate, as far as its second body feels it."""
        second = self.tables.ends[joint][1].body
        for body, block in self.along(function, self.effort_along(function)).items():
            if body == second:
                wrench = wrench + self.wrench(body, block)
            elif not second:
                wrench = wrench + -self.wrench(body, block)
        return wrench

    def point_of(self, joint: str) -> Floats:
        """Return the point of a joint's wrench over time: the second frame's origin, of a cam the contact point."""
        self._second(joint)
        return self._contact(joint) if self.tables.model.joints[joint].kind.relation == "cam" else self.end_of(joint, 1)

    def _second(self, joint: str) -> EndSlots:
        """Return the second end of a joint; a coupler has none."""
        if joint not in self.tables.ends:
            raise ModelError(f'coupler "{joint}" has no reaction', hint=f"it acts on coordinates: read {joint}.effort")
        return self.tables.ends[joint][1]

    def end_of(self, joint: str, side: int) -> Floats:
        """Return the origin of a joint's first (0) or second (1) frame over time, ground axes."""
        end = self.tables.ends[joint][side]
        r, A, *_ = self.measurer.body_motion(self.tables.bodies[end.body])
        return np.asarray(r + turned(A, self.tables.vector(end.point)))

    def axes_of(self, joint: str, side: int) -> Floats:
        """Return a joint's axes f, g, h on its first (0) or second (1) body over time, as columns in ground axes."""
        end = self.tables.ends[joint][side]
        return times(self.measurer.body_motion(self.tables.bodies[end.body]).axes, self.tables.matrix(end.axes))

    def _contact(self, joint: str) -> Floats:
        """Return the point of a cam's profile that the follower touches."""
        from multibody.tables.scope import Scope

        model, measurer = self.tables.model, self.measurer
        fields = model.joints[joint].fields
        profile = Scope(model).formula(model.formula(fields["profile"], joint), joint)
        phi = measurer.coordinate(self.tables.coordinates["joint", joint, "contact", 0])[0]

        def lookup(parts: tuple[str, ...]) -> object:
            return phi if parts == ("phi",) else measurer.lookup(parts)

        radius = profile if isinstance(profile, float) else evaluate(profile, lookup, measurer.splines())
        radius = np.broadcast_to(np.asarray(radius, dtype=float), phi.shape)
        first, C = self.end_of(joint, 0), self.axes_of(joint, 0)
        point = first + radius[:, None] * (np.cos(phi)[:, None] * C[:, :, 0] + np.sin(phi)[:, None] * C[:, :, 1])
        if self.tables.dimension == 3 and fields["flat"] is None:  # a roller or knife edge may lie beside the cam's plane
            h = C[:, :, 2]
            point = point + dot(self.end_of(joint, 1) - first, h)[:, None] * h
        return np.asarray(point)

    # --- efforts ------------------------------------------------------------------------------------------------------
    def functions_of(self, joint: str) -> list[int]:
        """Return the coordinate functions of a joint, its own and those that can be read."""
        return self._functions.get(joint, [])

    @cached_property
    def _functions(self) -> dict[str, list[int]]:
        """Coordinate functions of every joint."""
        found: dict[str, list[int]] = {}
        for (kind, owner, _, _), function in self.tables.coordinates.items():
            if kind == "joint":
                found.setdefault(owner, []).append(function)
        return found

    @cached_property
    def motion_functions(self) -> dict[int, int]:
        """Row of the motion that drives each coordinate function."""
        return {function: r for r, function in driven_functions(self.tables).items()}

    @cached_property
    def acted_on(self) -> set[int]:
        """Coordinate functions along which a motion or a force law acts."""
        return {*self.motion_functions, *(law.function for law in self.tables.laws)}

    def effort_along(self, function: int) -> Floats:
        """Return everything that motions and force laws apply along a coordinate function, positive if it raises it."""
        total = np.zeros(len(self.measurer.t))
        if function not in self.acted_on:
            return total
        if function in self.motion_functions:
            total -= self.multipliers[:, self.motion_functions[function]]
        for k, law in enumerate(self.tables.laws):
            if law.function == function:
                total += self.dynamics.efforts[:, k]
        return total

    def load(self, name: str) -> Wrench:
        """Return a force at a frame as a wrench at that frame's point, ground axes."""
        d, k = self.tables.dimension, self.tables.load_of[name]
        own = self.dynamics.loads[:, self.tables.part_of_load(k)]
        point = self.measurer.frame(*self.tables.model.find_end(self.tables.model.forces[name].target[0], name))[0]
        return Wrench(own[:, :d], own[:, d:], point)

    def between(self, name: str) -> Wrench:
        """Return what a force between two frames, a bushing, does to the second body, at that frame's point, ground axes."""
        tables, d = self.tables, self.tables.dimension
        (first, frame), (second, other) = (tables.model.find_end(end, name) for end in tables.model.forces[name].target)
        point = self.measurer.frame(second, other)[0]
        if name in tables.wrench_of:
            own = self.dynamics.efforts[:, tables.efforts_of(name)]
            axes = times(self.measurer.body_motion(first).axes, tables.matrix(tables.frames[first, frame].axes))
            force, moment = turned(axes, own[:, :d]), own[:, d:]
            return Wrench(np.asarray(force), moment if d == 2 else turned(axes, moment), point)
        body = tables.bodies.index(second) or tables.bodies.index(first)  # the ground gets the opposite of the other one
        blocks = [self.along(tables.laws[law].function, self.dynamics.efforts[:, law])[body] for law in tables.laws_of[name]]
        found = self.wrench(body, np.sum(blocks, axis=0)).at(point)
        return found if second != "ground" else -found

    def on_ends(self, name: str) -> dict[str, Wrench]:
        """Return what a force between two frames does to each of its bodies but the ground, at its center of mass."""
        ends, wrench = self.tables.model.forces[name].target, self.between(name)
        found = dict[str, Wrench]()
        for end, own in zip(ends, (-wrench, wrench), strict=True):
            body = self.tables.model.find_end(end, name)[0]
            if body != "ground":
                moved = own.at(self.measurer.body_motion(body).position)
                found[body] = found[body] + moved if body in found else moved
        return found

    def actions(self) -> dict[tuple[str, str], Wrench]:
        """Return everything that acts on bodies beside joints between two of them, each at the body's center of mass.

        Keys are (name, body): forces at frames, springs, bushings, efforts and motions along coordinates that belong to no
        joint, and what gears, racks and couplers do to each of their bodies.
        """
        tables, found = self.tables, dict[tuple[str, str], Wrench]()

        def add(name: str, body: str, wrench: Wrench) -> None:
            found[name, body] = found[name, body] + wrench if (name, body) in found else wrench

        for name, joint in tables.model.joints.items():
            if joint.kind.relation in SHARED:
                for body, wrench in self.on_bodies(name).items():
                    add(name, body, wrench)
        own = {f for (kind, *_), f in tables.coordinates.items() if kind == "joint"}
        efforts = [(tables.rows[r].owner, f, -self.multipliers[:, r]) for f, r in self.motion_functions.items()]
        for name, laws in tables.laws_of.items():
            efforts += [(name, tables.laws[law].function, self.dynamics.efforts[:, law]) for law in laws]
        for name, function, effort in efforts:
            if function not in own:
                for b, block in self.along(function, effort).items():
                    add(name, tables.bodies[b], self.wrench(b, block))
        for name in tables.wrench_of:
            for body, wrench in self.on_ends(name).items():
                add(name, body, wrench)
        for name in tables.load_of:
            body = tables.model.find_end(tables.model.forces[name].target[0], name)[0]
            add(name, body, self.load(name).at(self.measurer.body_motion(body).position))
        return found

    # --- uniqueness ---------------------------------------------------------------------------------------------------
    def open_wrenches(self, joint: str) -> list[tuple[int, Wrench]]:
        """Return wrenches (with their instant) that could be added to a joint's reaction without any effect on bodies."""
        if joint in self._open:
            return self._open[joint]
        rows, found = self.tables.joint_rows[joint], []
        for item in self.dependencies:
            for column in np.unique(sparse_columns(item.left[rows.start : rows.stop])):
                multipliers, which = np.asarray(item.left[:, [column]].toarray()).T, np.array([item.instant])
                found.append((item.instant, self._at_point(joint, self._rows_on_second(joint, multipliers, which), which)))
        self._open[joint] = found
        return found

    def unique(self, joint: str, point: Floats | None = None, axes: Floats | None = None) -> tuple[list[bool], list[bool]]:
        """Return which components of a joint's force and moment have one value only.

        Parameters
        ----------
        joint : str
        point : array (instants, ·), optional
            Where the moment is taken; default the joint's point.
        axes : array (instants, d, d), optional
            Axes of the components, as columns; default the ground's.
        """
        d = self.tables.dimension
        if not self.dependencies:
            return [True] * d, [True] * (1 if d == 2 else 3)
        force, moment = np.zeros(d), np.zeros(1 if d == 2 else 3)
        for k, wrench in self.open_wrenches(joint):
            moved = wrench if point is None else wrench.at(point[k : k + 1])
            parts = (moved.force, moved.moment) if axes is None else moved.along(axes[k : k + 1])
            force, moment = (np.maximum(a, np.abs(b[0])) for a, b in zip((force, moment), parts, strict=True))
        return [bool(x) for x in force * self.tables.length < VANISHES], [bool(x) for x in moment < VANISHES]

    def unique_effort(self, function: int) -> bool:
        """Return whether the effort along a coordinate has one value only."""
        row = self.motion_functions.get(function)
        return row is None or all(item.left[[row]].nnz == 0 for item in self.dependencies)


def sparse_columns(matrix: object) -> Integers:
    """Return the columns of a sparse matrix that have entries."""
    return np.asarray(matrix.tocoo().col, dtype=np.int64)  # type: ignore[attr-defined]
