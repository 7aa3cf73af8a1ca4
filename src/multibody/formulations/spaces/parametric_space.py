"""Coordinates of the bodies together with the parameters of their pairs as the space of a simulation."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np

from multibody.errors import ModelError
from multibody.formulations.of_bodies import Parametric
from multibody.formulations.prepare import Bundle, prepare
from multibody.formulations.prepare_parametric import ParametricBundle, prepare_parametric, set_scales, slide_columns
from multibody.formulations.spaces.expanded import Expanded, expanded
from multibody.formulations.spaces.other_rows import allow_others, better_rows, carry_on, share_numbers
from multibody.formulations.spaces.space import Reader, SpaceBase, reader_of
from multibody.kernels.body_layout import BodyLayout
from multibody.kernels.parametric.rows import pair_rows
from multibody.kernels.rows import row_jacobian
from multibody.kernels.state import set_positions
from multibody.kernels.watch import monitor
from multibody.rank.leastnorm import independent_rows
from multibody.state.poses import matrix_of
from multibody.state.state import State
from multibody.state.system import Floats, Integers, System
from multibody.tables.parametric import COSINE, ParametricPair, parametric

MOST = 4000  # columns for which independent rows are found by a full matrix
VANISHES = 1e-10  # size of a row, free of units, that the others satisfy by themselves
FLAT = 1e-4  # sine at which a cosine row counts as lost
MIDDLE = 1  # place of a ball's second angle


class ParametricSpace(SpaceBase):
    """Poses and velocities of all bodies, parameters of all pairs."""

    monitor: Any = staticmethod(monitor)

    def __init__(self, system: System, state: State, rows: Integers, formulation: Parametric, exact: bool = False) -> None:
        self.system, self.formulation, self.rows = system, formulation, rows
        self.tables = parametric(system.tables)
        self.nq, self.nv = self.tables.nq, self.tables.nv
        if self.nv > MOST:
            raise ModelError(
                f"{self.nv} coordinates of bodies and pairs are too many, parametric takes {MOST}", where="formulation",
                hint="use augmented",
            )  # fmt: skip
        self.rate_scales = np.ones(self.nv)
        self.rate_scales[: system.nv] = system.scale_columns
        self.rate_scales[slide_columns(self.tables)] = self.tables.length
        self._references = state.references
        self._plain: Bundle | None = None
        self.bundle: ParametricBundle = self._prepared(state, exact)

    def _prepared(self, state: State, exact: bool) -> ParametricBundle:
        """Return the arrays of a run: independent rows, charts in which no angle is singular, scales."""
        form, none = self.formulation.rotation, np.zeros(0, dtype=np.int64)
        self.bundle = prepare_parametric(self.tables, none, state.references, form, exact)
        self._choose_charts(state)
        charts = self.bundle.parametric.state.charts
        chosen = self._independent(state)
        made = prepare_parametric(self.tables, chosen, state.references, form, exact)
        made.parametric.state.charts = charts
        self.bundle = made
        y = self.start(state)
        set_scales(made, self.jacobian(y, state.t)[made.chosen])
        self._begin_cosines(y)
        self._allow_other_rows()
        return made

    def _allow_other_rows(self) -> None:
        """Let a run ask for other rows if some are left out, and the rotations' rows keep their rank."""
        if self.formulation.rotation != COSINE:
            allow_others(self.bundle, self.tables.count_joint + self.tables.count_motion)

    def take_other_rows(self, y: Floats, t: float) -> bool:
        """Choose independent rows anew at y; return whether others serve better, so that the arrays are new ones.

        Left out are rows that the others imply. In the axes of turning bodies these may become the very ones that are needed.
        """
        b, J = self.bundle, self.jacobian(y, t)
        rows = better_rows(self._scaled(J), b.chosen, VANISHES)
        b.settings(other_rows=0.0)
        if rows is None:
            return False
        made = prepare_parametric(self.tables, rows, b.ref, b.rotation, b.exact)
        carry_on(b, made)
        made.parametric.state.charts = b.parametric.state.charts
        self.bundle = made
        set_scales(made, J[made.chosen])
        return True

    # --- rows ---------------------------------------------------------------------------------------------------------
    def jacobian(self, y: Floats, t: float) -> Floats:
        """Return Φ_q of all rows at y."""
        b, tables = self.bundle, self.tables
        count = tables.count_joint + tables.count_motion
        set_positions(b.at.model, b.at.scratch, y[: self.nq].copy())
        entries = b.scratch.J[: tables.row_pointer[count]]
        row_jacobian(*b.run, t, 0, count, entries)
        pair_rows(*b.run)
        J = np.zeros((count, self.nv))
        which = np.repeat(np.arange(count), np.diff(tables.row_pointer[: count + 1]))
        np.add.at(J, (which, tables.columns[: len(entries)]), entries)
        return J

    def _scaled(self, J: Floats) -> Floats:
        """Return rows free of units."""
        scale = np.array([1.0 / self.tables.length if row.is_length else 1.0 for row in self.tables.rows[: len(J)]])
        return np.asarray(scale[:, None] * J * self.rate_scales)

    def _independent(self, state: State) -> Integers:
        """Return independent rows; where the pose is singular, poses around are looked at."""
        s, expected = self.system, len(self.rows) + self.nv - self.system.nv
        best = independent_rows(self._scaled(self.jacobian(self.start(state), state.t)), floor=VANISHES, most=expected)
        if len(best) >= expected:
            return best
        if self.formulation.rotation == COSINE:
            raise self._lost(self.start(state))
        from multibody.rank.generic import Joints

        kept = s.ref.copy()
        for pose in Joints(s, state.t, np.zeros(s.joint_rows)).neighbors(state.q, 4)[0]:
            s.take_references(pose)
            near = replace(state, q=pose, references=s.ref.copy())
            found = independent_rows(self._scaled(self.jacobian(self.start(near), state.t)), floor=VANISHES, most=expected)
            best = found if len(found) > len(best) else best
        s.ref[:] = kept
        return best

    # --- parameters ---------------------------------------------------------------------------------------------------
    def start(self, state: State, work: float = 0.0) -> Floats:
        """Return y of a state of the bodies: the parameters are the values of the joints' coordinates."""
        alpha, rates = np.zeros(self.nq - self.system.nq), np.zeros(self.nq - self.system.nq)
        s, first = self.system, len(self.system.tables.extras)
        kept = s.ref.copy()
        s.ref[:] = state.references
        count = len(s.tables.functions)
        values, speeds, _ = s.functions(state.q, state.v, 0, count) if count else (np.zeros(0),) * 3
        s.ref[:] = kept
        for k, pair in enumerate(self.tables.parametrized):
            at = pair.extra - first
            for n, f in enumerate(pair.functions):
                if f >= 0:
                    alpha[at + n], rates[at + n] = values[f], speeds[f]
            if pair.motion.ball:
                alpha[at : at + 3], rates[at : at + 3] = self._ball(k, pair, state)
        return np.concatenate([state.q, alpha, state.v, rates, [work]])

    def _ball(self, k: int, pair: ParametricPair, state: State) -> tuple[Floats, Floats]:
        """Return the angles of a ball in its present chart, and their rates."""
        (A, w), (B, u) = (_turned(self.tables.layout, state, body) for body in (pair.first, pair.second))
        left, right = A @ self.bundle.frame(k), B @ self.bundle.frame(k, second=True)
        angles = angles_of(left.T @ right)
        return angles, np.asarray(np.linalg.solve(axes_of(angles), right.T @ (u - w)), dtype=float)

    def _choose_charts(self, state: State) -> None:
        """Let the angles of balls be zero at a state; cosine rows would be singular there and keep their frames."""
        if self.formulation.rotation == COSINE:
            return
        for k, pair in enumerate(self.tables.parametrized):
            if pair.motion.ball:
                A, B = (_turned(self.tables.layout, state, body)[0] for body in (pair.first, pair.second))
                self.bundle.set_frame(k, A.T @ B @ self.bundle.frame(k, second=True))

    def with_new_charts(self, y: Floats) -> Floats:
        """Move the charts of all balls to where they are: C_i ← C_i H(α), α ← 0; return y with the new angles and rates."""
        y, first = y.copy(), self.nq - len(self.tables.extras)
        rate = self.nq + self.nv - len(self.tables.extras)
        for k, pair in enumerate(self.tables.parametrized):
            if pair.motion.ball:
                at, to = first + pair.extra, rate + pair.extra
                spin = axes_of(y[at : at + 3]) @ y[to : to + 3]
                self.bundle.set_frame(k, self.bundle.frame(k) @ rotation_of(y[at : at + 3]))
                y[at : at + 3], y[to : to + 3] = 0.0, spin[::-1]
        return y

    # --- cosine rows --------------------------------------------------------------------------------------------------
    def _sines(self, y: Floats) -> Floats:
        """Return what must not vanish of every pair with cosine rows: sines of its angles, the cosine of a ball's second."""
        found = np.ones((len(self.tables.parametrized), 3))
        for k, pair in enumerate(self.tables.parametrized):
            at = self.nq - len(self.tables.extras) + pair.extra + len(pair.motion.slides)
            found[k, : pair.motion.angles] = np.sin(y[at : at + pair.motion.angles])
            if pair.motion.ball:
                found[k, MIDDLE] = np.cos(y[at + MIDDLE])
        return found

    def _begin_cosines(self, y: Floats) -> None:
        """Note the signs that cosine rows must keep; refuse a start at which they have no rank."""
        if self.formulation.rotation != COSINE or self.tables.dimension == 2:
            return
        sines = self._sines(y)
        if np.min(np.abs(sines), initial=1.0) < FLAT:
            raise self._lost(y)
        self.bundle.parametric.state.charts.last[:] = sines

    def _lost(self, y: Floats) -> ModelError:
        """Return the error for a start at which cosine rows have no rank."""
        joint = self.tables.parametrized[int(np.argmin(np.min(np.abs(self._sines(y)), axis=1)))].joint
        return ModelError(
            "its cosine rows lose rank at the start: the sine of its angle vanishes", where=f"joints.{joint}",
            hint='use Parametric("regular")',
        )  # fmt: skip

    # --- what is reported ---------------------------------------------------------------------------------------------
    def scales(self) -> Floats:
        """Return L for lengths and their rates, 1 for angles, quaternions and the work."""
        tables, layout = self.tables, self.tables.layout
        scale = np.ones(self.nq)
        layout.split(scale, len(tables.bodies) - 1)[:, layout.shift] = tables.length
        scale[[column - self.nv + self.nq for column in slide_columns(tables)]] = tables.length
        return np.concatenate([scale, self.rate_scales, [1.0]])

    def cartesian(self, times: Floats, Y: Floats, references: Floats, like: Floats, closing: bool = False) -> Floats:
        """Return Cartesian (q, v, w) of states y: the parameters are left out."""
        s = self.system
        return np.hstack([Y[:, : s.nq], Y[:, self.nq : self.nq + s.nv], Y[:, -1:]])

    @property
    def plain(self) -> Bundle:
        """The blocks of the same model in Cartesian coordinates; its numbers and formulas are the living ones."""
        if self._plain is None:
            self._plain = prepare(self.system.tables, self.rows, self._references, partitioned=False)
        share_numbers(self.bundle, self._plain)
        return self._plain

    def expanded(self, times: Floats, Y: Floats, references: Floats, like: Floats, closing: bool) -> Expanded:
        """Return everything that follows from states y, with Cartesian states."""
        return expanded(self.plain, times, self.cartesian(times, Y, references, like), references, closing)

    def reader(self) -> Reader:
        """Return what coordinate functions are read with."""
        return reader_of(self.bundle)

    def reading(self) -> Any:
        """Return a copy for reading, whose blocks are those of Cartesian coordinates with state and scratch of their own."""
        other: Any = copy.copy(self)
        other.bundle = other._plain = self.plain.working()
        return other

    def apart(self, system: System) -> ParametricSpace:
        """Return a copy with another workspace, and state and scratch of its own."""
        other = copy.copy(self)
        other.system, other.bundle, other._plain = system, self.bundle.working(), None
        return other

    def trouble(self) -> tuple[str, str]:
        """Return which pair's cosine rows lost their rank, and what helps."""
        k = self.bundle.parametric.state.trouble
        text = f"the cosine rows of joint {self.tables.parametrized[k].joint} lose rank, the sine of its angle vanishes"
        return text, 'use Parametric("regular"), whose rows keep their rank'


def rotation_of(angles: Floats) -> Floats:
    """Return R_z(a) R_y(b) R_x(c)."""
    (sa, sb, sc), (ca, cb, cc) = np.sin(angles), np.cos(angles)
    return np.array([
        [ca * cb, ca * sb * sc - sa * cc, ca * sb * cc + sa * sc],
        [sa * cb, sa * sb * sc + ca * cc, sa * sb * cc - ca * sc],
        [-sb, cb * sc, cb * cc],
    ])  # fmt: skip


def angles_of(H: Floats) -> Floats:
    """Return (a, b, c) of R_z(a) R_y(b) R_x(c)."""
    b = np.arctan2(-H[2, 0], np.hypot(H[0, 0], H[1, 0]))
    return np.array([np.arctan2(H[1, 0], H[0, 0]), b, np.arctan2(H[2, 1], H[2, 2])])


def axes_of(angles: Floats) -> Floats:
    """Return W(α): the axes of the angles in the turned frame as columns."""
    (_, sb, sc), (_, cb, cc) = np.sin(angles), np.cos(angles)
    return np.array([[-sb, 0.0, 1.0], [cb * sc, cc, 0.0], [cb * cc, -sc, 0.0]])


def _turned(layout: BodyLayout, state: State, body: int) -> tuple[Floats, Floats]:
    """Return orientation and angular velocity (ground axes) of a spatial body."""
    if body == 0:
        return np.eye(3), np.zeros(3)
    A = matrix_of(state.q[layout.orientation(body)])
    return A, A @ state.v[layout.spin(body)]
