"""Minimal equations compared with the kernels: the kernels' own Φ_q, γ, M and Q, seen along the tree's coordinates.

At coordinates y and speeds of the tree the bodies are at q with the velocities v = J u. There the joints of the tree must
close, Φ_q J = 0, the rate that the kernels measure of each coordinate must be its speed, and likewise for accelerations.
What is left follows: M̂ = Tᵀ Jᵀ M J T, ĥ − τ̂ = Tᵀ Jᵀ (M v̇ − Q) at u̇ = 0, C_d K = −C_i, C_d b = γ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from multibody.state.poses import read_pose, write_pose
from multibody.symbolic.check import Reference, require_equal
from multibody.symbolic.closing import Opened
from multibody.symbolic.embedding import Choice
from multibody.symbolic.minimal import Minimal

Floats = npt.NDArray[np.float64]
STEEP = 300.0  # condition of the dependent columns of a closure

Routines = Mapping[str, Callable[..., Any]]


class MinimalCheck:
    """Compares the routines of minimal equations with the kernels."""

    def __init__(
        self, reference: Reference, opened: Opened, own: Minimal, chosen: Choice | None, routines: Routines
    ) -> None:
        self.reference, self.opened, self.own, self.chosen, self.p = reference, opened, own, chosen, reference.p
        self.routines, self.system, self.tables = routines, reference.system, reference.tables
        tree = {link.joint for link in opened.tree.links}
        self.tree_rows = [r for name, span in self.tables.joint_rows.items() if name in tree for r in span]

    def _value(self, name: str, t: float, y: Floats, u: Floats, shape: tuple[int, ...]) -> Floats:
        if name not in self.routines:
            return np.zeros(shape)
        return np.array(self.routines[name](t, y.tolist(), u.tolist(), self.p), dtype=float).reshape(shape)

    def at(self, seed: int) -> float | None:
        """Return the largest difference at one random state, None where a formula has no value there."""
        own, draw, motion = self.own, np.random.default_rng(100 + seed), self.opened.own.motion
        n, m, d, nv = len(own.speeds), len(own.u), len(own.dependent), self.system.nv
        t, y = float(draw.uniform()), self._random(draw)
        i = self.chosen.independent if self.chosen else list(range(n))
        u = draw.normal(size=m) * self.opened.columns[i]
        K, drift = self._value("ratios", t, y, u, (d, m)), self._value("dependent_drift", t, y, u, (d,))
        speeds, T, turn = np.zeros(n), np.zeros((n, m)), np.zeros(n)
        speeds[i], T[i, range(m)] = u, 1.0
        if self.chosen:
            speeds[self.chosen.dependent] = self._value("dependent_speeds", t, y, u, (d,))
            T[self.chosen.dependent], turn[self.chosen.dependent] = K, drift
        q, J = self._positions(self._value("minimal_poses", t, y, u, (-1,))), self._value("minimal_jacobian", t, y, u, (nv, n))
        bias = self._value("minimal_bias", t, y, u, (nv,))
        self.system.ref[:] = 0.0
        worst = self._tree(t, q, y, J, bias, speeds, motion)
        if self.chosen:
            if self._steep(t, q, J):
                return None
            worst = max(worst, self._loops(t, q, y, u, J, bias, speeds, K, drift))
        values = self.reference.values(t, q, J @ speeds)
        if not all(np.all(np.isfinite(x)) for x in values.values()):
            return None
        W, v_dot = J @ T, J @ turn + bias
        M, Q = values["mass_matrix"], values["force"]
        scale = self.opened.columns[i]
        expected, size = W.T @ M @ W, np.abs(W.T) @ np.abs(M) @ np.abs(W)
        worst = max(worst, _close("minimal M", scale[:, None] * self._value("minimal_mass", t, y, u, (m, m)) * scale,
                                  scale[:, None] * expected * scale, scale[:, None] * size * scale))  # fmt: skip
        found = self._value("minimal_h", t, y, u, (m,)) - self._value("minimal_tau", t, y, u, (m,))
        size = np.abs(W.T) @ (np.abs(M) @ (np.abs(J) @ np.abs(turn) + np.abs(bias)) + np.abs(Q))
        size = size + np.abs(W.T) @ np.abs(M) @ np.abs(W) @ np.abs(u)
        return max(worst, _close("minimal h − τ", scale * found, scale * (W.T @ (M @ v_dot - Q)), scale * size))

    def _random(self, draw: np.random.Generator) -> Floats:
        """Return random coordinates: lengths about as large as the model, any Euler parameters of unit length."""
        found: list[float] = []
        for own in self.opened.own.motion.coordinates:
            if own.link is not None:
                e = draw.normal(size=4)
                found += (e / np.linalg.norm(e)).tolist()
            else:
                found.append(float(draw.normal() * (self.tables.length if own.is_length else 1.0)))
        return np.array(found)

    def _positions(self, poses: Floats) -> Floats:
        """Return q of the bodies' poses, and extra coordinates."""
        d, bodies = self.tables.dimension, len(self.tables.bodies) - 1
        q = np.zeros(self.system.nq)
        if d == 2:
            q[: self.tables.layout.coordinates * bodies] = poses
            return q
        for b in range(bodies):
            own = poses.reshape(bodies, -1)[b]  # center of mass, then axes by rows
            write_pose(self.system, q, b + 1, own[:d], own[d:].reshape(d, d))
        return q

    def _tree(self, t: float, q: Floats, y: Floats, J: Floats, bias: Floats, speeds: Floats, motion: Any) -> float:
        """Compare joints of the tree and its coordinates with what the kernels measure."""
        self._put_extras(q, y)
        system, rows = self.system, self.tree_rows
        scale, v, none = self.reference.rows[rows], J @ speeds, np.zeros(len(rows))
        worst = _close("Φ of the tree", scale * system.phi(q, t)[rows], none, none + 1.0 + self._size(q))
        Phi_q = system.jacobian(q, t)[rows]
        size = (scale[:, None] * np.abs(Phi_q)) @ (np.abs(J) * self.opened.columns)
        found = (scale[:, None] * Phi_q) @ (J * self.opened.columns)
        worst = max(worst, _close("Φ_q J of the tree", found, np.zeros_like(found), 1.0 + size))
        gamma = system.gamma(q, v, t)[rows]
        size = (scale[:, None] * np.abs(Phi_q)) @ np.abs(bias) + scale * np.abs(gamma)
        worst = max(worst, _close("γ of the tree", scale * (Phi_q @ bias), scale * gamma, 1.0 + size))
        for f, (_, _, k) in motion.own.items():
            g = system.gradient(q, f)
            unit = np.zeros(len(speeds))
            unit[k] = 1.0
            own = self.opened.columns / self.opened.columns[k]
            worst = max(worst, _close("rate of a coordinate", (g @ J) * own, unit * own, 1.0 + (np.abs(g) @ np.abs(J)) * own))
            term, size = system.functions(q, v, f, f + 1)[2][0], (np.abs(g) @ np.abs(bias)) / self.opened.columns[k]
            worst = max(worst, _close("acceleration of a coordinate", np.array([g @ bias / self.opened.columns[k]]),
                                      np.array([term / self.opened.columns[k]]), np.array([1.0 + size])))  # fmt: skip
        return max(worst, self._balls(q, J, bias, speeds))

    def _size(self, q: Floats) -> float:
        """Return how large positions are in parts of the characteristic length."""
        return float(np.max(np.abs(q), initial=0.0)) / self.tables.length

    def _put_extras(self, q: Floats, y: Floats) -> None:
        """Write extra coordinates to q."""
        at = 0
        for own in self.opened.own.motion.coordinates:
            if own.place >= self.system.nq - len(self.tables.extras):
                q[own.place] = y[at]
            at += len(own.y)

    def _balls(self, q: Floats, J: Floats, bias: Floats, speeds: Floats) -> float:
        """Compare the speeds of balls, which no function measures, with the angular velocities of their bodies."""
        worst, k = 0.0, 0
        for own in self.opened.own.motion.coordinates:
            if own.link is not None:
                link = own.link
                if link.joint:
                    (i, j), axes = self.tables.pairs[link.joint].ends, self.tables.matrix(self.tables.ends[link.joint][0].axes)
                    first, second = i.body, j.body
                else:
                    first, second, axes = 0, link.body, np.eye(3)
                Ji, wi, ai = self._turning(q, first, J, bias, speeds)
                Jj, wj, aj = self._turning(q, second, J, bias, speeds)
                C = read_pose(self.system, q, first)[1] @ axes
                unit = np.zeros((3, len(speeds)))
                unit[range(3), range(k, k + 3)] = 1.0
                size = 1.0 + np.abs(C.T) @ (np.abs(Jj) + np.abs(Ji))
                worst = max(worst, _close("rate of a ball", C.T @ (Jj - Ji), unit, size))
                turned = C.T @ (aj - ai - np.cross(wi, wj - wi))
                size = 1.0 + np.abs(C.T) @ (np.abs(aj) + np.abs(ai) + np.linalg.norm(wi) * np.linalg.norm(wj - wi))
                worst = max(worst, _close("acceleration of a ball", turned, np.zeros(3), size))
            k += len(own.u)
        return worst

    def _turning(self, q: Floats, body: int, J: Floats, bias: Floats, speeds: Floats) -> tuple[Floats, Floats, Floats]:
        """Return Jacobian of a body's angular velocity, it itself, and its acceleration at constant speeds, ground axes."""
        if body == 0:
            return np.zeros((3, len(speeds))), np.zeros(3), np.zeros(3)
        A, own = read_pose(self.system, q, body)[1], self.tables.layout.spin(body)
        return A @ J[own], A @ J[own] @ speeds, A @ bias[own]

    def _steep(self, t: float, q: Floats, J: Floats) -> bool:
        """Return whether the dependent coordinates are nearly undetermined: rounding is no measure there."""
        assert self.chosen is not None
        C = self.opened.rows[:, None] * (self.system.jacobian(q, t)[self.opened.own.rows] @ J) * self.opened.columns
        return not np.linalg.cond(C[np.ix_(self.chosen.rows, self.chosen.dependent)]) < STEEP

    def _loops(
        self, t: float, q: Floats, y: Floats, u: Floats, J: Floats, bias: Floats, speeds: Floats, K: Floats, drift: Floats
    ) -> float:
        """Compare closure, ratios and accelerations of the dependent coordinates with the kernels' equations."""
        assert self.chosen is not None
        rows, scale = self.opened.own.rows, self.opened.rows
        i, d = self.chosen.independent, self.chosen.dependent
        closure = self._value("closure", t, y, u, (len(rows),))
        expected = self.system.phi(q, t)[rows]
        worst = require_equal("closure", scale * closure, scale * expected, lambda k: self.own.closure_rows[k[0]])
        Phi_q, v = self.system.jacobian(q, t)[rows], J @ speeds
        own = self.chosen.rows
        C, s = (scale[:, None] * (Phi_q @ J))[own], self.opened.columns
        right = (scale * self.system.velocity_side(q, t)[rows])[own]
        parts = np.abs(C[:, d]) @ np.abs(speeds[d]) + np.abs(C[:, i]) @ np.abs(speeds[i]) + np.abs(right)
        worst = max(worst, _close("velocity of the closure", C @ speeds, right, 1.0 + parts))
        size = np.abs(C[:, d]) @ np.abs(K * s[i]) + np.abs(C[:, i]) * s[i]
        worst = max(worst, _close("velocity ratios", C[:, d] @ (K * s[i]), -C[:, i] * s[i], 1.0 + size))
        gamma = (scale * self.system.gamma(q, v, t)[rows])[own]
        pushed = (scale[:, None] * Phi_q)[own] @ bias
        size = np.abs(C[:, d]) @ np.abs(drift) + (scale[:, None] * np.abs(Phi_q))[own] @ np.abs(bias) + np.abs(gamma)
        return max(worst, _close("acceleration of the closure", C[:, d] @ drift + pushed, gamma, 1.0 + size))


def _close(name: str, found: Floats, expected: Floats, size: Floats) -> float:
    """Compare numbers in parts of the terms that they are sums of."""
    parts = np.where(size > 0.0, size, 1.0)
    return require_equal(name, found / parts, expected / parts, lambda index: f"entry {tuple(k + 1 for k in index)}")
