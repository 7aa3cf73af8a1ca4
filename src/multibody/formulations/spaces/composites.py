"""From composites to the bodies that they are made of: poses, velocities, accelerations, and the reactions of the welds.

With r_b = r_c + A_c ρ_b and A_b = A_c E_b everything of body b follows from its composite c. What a weld carries is what its
outer body lacks for its own balance: Φ_wᵀ λ_w = Q − M v̇ − Φ_qᵀ λ of all other joints (Newton and Euler), from the outermost
body of a composite inward.
"""

from __future__ import annotations

import numpy as np

from multibody.kernels.codes import FIRST_BODY
from multibody.state.poses import matrix_of, quaternion_of
from multibody.state.system import Floats, Integers, System
from multibody.tables.lower import Tables
from multibody.tables.welds import Weld, Welds


class Composites:
    """Conversion between the coordinates of composites and those of bodies.

    Parameters
    ----------
    tables : Tables
        On bodies.
    welds : Welds
    q : array (nq)
        A pose of the bodies, which settles the signs of quaternions.
    """

    def __init__(self, tables: Tables, welds: Welds, q: Floats) -> None:
        self.tables, self.welds, self.planar, self.layout = tables, welds, tables.dimension == 2, tables.layout
        self.bodies, self.extras = len(tables.bodies) - 1, len(tables.extras)
        self.count = len(welds.roots) - 1
        self.quaternions = np.zeros((0, 4)) if self.planar else self._relative_quaternions(q)

    def _relative_quaternions(self, q: Floats) -> Floats:
        """Return the quaternion of every body in its composite, with the sign that it has at q."""
        own = np.vstack([[1.0, 0.0, 0.0, 0.0], self.layout.split(q, self.bodies)[:, self.layout.turn]])
        found = np.array([quaternion_of(turn) for turn in self.welds.turns])
        roots = own[np.array(self.welds.roots)[self.welds.composite]]
        sign = np.sign(np.einsum("bi,bi->b", _product(roots, found), own))
        return np.asarray(found * np.where(sign == 0.0, 1.0, sign)[:, None])

    def of_state(self, q: Floats, v: Floats) -> tuple[Floats, Floats]:
        """Return the coordinates and velocities of the composites at a state of the bodies, (nq) and (nv)."""
        roots, layout = np.array(self.welds.roots[1:]), self.layout
        s, shift, turn = self.welds.points[roots], layout.shift, layout.turn
        pose = layout.split(q, self.bodies)[roots - FIRST_BODY].copy()
        rate = layout.split_rates(v, self.bodies)[roots - FIRST_BODY].copy()
        if self.planar:
            arm = _turned(pose[:, layout.angle], s)
            pose[:, shift] -= arm
            rate[:, shift] -= rate[:, turn] * _quarter(arm)
        else:
            A = np.ascontiguousarray(matrix_of(pose[:, turn]))
            pose[:, shift] -= np.einsum("bij,bj->bi", A, s)
            rate[:, shift] -= np.einsum("bij,bj->bi", A, np.cross(rate[:, turn], s))
        extra, more = q[layout.extras(self.bodies)], v[layout.extra_rates(self.bodies)]
        return np.append(pose.ravel(), extra), np.append(rate.ravel(), more)

    def to_bodies(self, q: Floats, v: Floats, a: Floats | None = None) -> tuple[Floats, Floats, Floats]:
        """Return coordinates, velocities and accelerations of all bodies from those of the composites, (instants, ·)."""
        a = np.zeros_like(v) if a is None else a
        n, layout, which = len(q), self.layout, self.welds.composite[1:]
        ground = np.zeros((n, 1, layout.coordinates))
        if not self.planar:
            ground[:, 0, layout.scalar] = 1.0  # its quaternion
        pose = np.concatenate([ground, layout.split(q, self.count)], axis=1)[:, which]
        zero = np.zeros((n, 1, layout.velocities))
        rate, change = (np.concatenate([zero, layout.split_rates(x, self.count)], axis=1)[:, which] for x in (v, a))
        (self._planar if self.planar else self._spatial)(pose, rate, change)
        more = layout.extra_rates(self.count)
        extra = (q[:, layout.extras(self.count)], v[:, more], a[:, more])
        parts = (pose, rate, change)
        done = [np.concatenate([part.reshape(n, -1), tail], axis=1) for part, tail in zip(parts, extra, strict=True)]
        return done[0], done[1], done[2]

    def _planar(self, pose: Floats, rate: Floats, change: Floats) -> None:
        """Move what is at the composites' centers to the bodies', in place; (instants, bodies, 3)."""
        angle, shift, turn = self.layout.angle, self.layout.shift, self.layout.turn
        arm = _turned(pose[..., angle], self.welds.points[1:])
        across, w = _quarter(arm), rate[..., turn]
        pose[..., shift] += arm
        pose[..., angle] += self.welds.angles[1:]
        rate[..., shift] += w * across
        change[..., shift] += change[..., turn] * across - w * w * arm

    def _spatial(self, pose: Floats, rate: Floats, change: Floats) -> None:
        """Move what is at the composites' centers to the bodies', in place; rotations to the bodies' axes."""
        shift, turn = self.layout.shift, self.layout.turn
        A, s, E = np.ascontiguousarray(matrix_of(pose[..., turn])), self.welds.points[1:], self.welds.turns[1:]
        w, dw = rate[..., turn].copy(), change[..., turn].copy()
        pose[..., shift] += np.einsum("tbij,bj->tbi", A, s)
        pose[..., turn] = _product(pose[..., turn], self.quaternions[1:])
        speed = np.cross(w, s)
        rate[..., shift] += np.einsum("tbij,tbj->tbi", A, speed)
        rate[..., turn] = np.einsum("bji,tbj->tbi", E, w)
        change[..., shift] += np.einsum("tbij,tbj->tbi", A, np.cross(dw, s) + np.cross(w, speed))
        change[..., turn] = np.einsum("bji,tbj->tbi", E, dw)


def weld_multipliers(system: System, welds: list[Weld], entries: Floats, rest: Floats, multipliers: Floats) -> None:
    """Write the multipliers of welds, from the outermost inward.

    Parameters
    ----------
    system : System
        On bodies.
    welds : list of Weld
        Inner ones before outer ones.
    entries : array (instants, entries of Φ_q)
    rest : array (instants, nv)
        Q − M v̇.
    multipliers : array (instants, rows)
        λ of all other rows; those of the welds are written.
    """
    tables, layout = system.tables, system.tables.layout
    pointer = tables.row_pointer[: system.rows + 1]
    row_of = np.repeat(np.arange(system.rows), np.diff(pointer))
    left = rest.T.copy()
    np.subtract.at(left, tables.columns[: pointer[-1]], (entries * multipliers[:, row_of]).T)
    for weld in reversed(welds):
        rows = tables.joint_rows[weld.joint]
        span = layout.motion(weld.child)
        own = _block(tables, entries, rows, weld.child)
        found = np.linalg.solve(np.swapaxes(own, 1, 2), left[span].T[:, :, None])[:, :, 0]
        multipliers[:, rows.start : rows.stop] = found
        if weld.parent:
            carrier = _block(tables, entries, rows, weld.parent)
            left[layout.motion(weld.parent)] -= np.einsum("trc,tr->ct", carrier, found)


def _block(tables: Tables, entries: Floats, rows: range, body: int) -> Floats:
    """Return the columns of a body in some rows of Φ_q, (instants, rows, width)."""
    width = tables.width
    out = np.zeros((len(entries), len(rows), width))
    for i, r in enumerate(rows):
        for e in tables.entries_of(r):
            owner, part = divmod(int(tables.columns[e]), width)
            if owner == body - FIRST_BODY:
                out[:, i, part] += entries[:, e]
    return out


def _turned(angle: Floats, s: Floats) -> Floats:
    """Return planar vectors turned by angles."""
    c, n = np.cos(angle), np.sin(angle)
    return np.stack([c * s[..., 0] - n * s[..., 1], n * s[..., 0] + c * s[..., 1]], axis=-1)


def _quarter(arm: Floats) -> Floats:
    """Return planar vectors turned by a right angle."""
    return np.stack([-arm[..., 1], arm[..., 0]], axis=-1)


def _product(p: Floats, q: Floats) -> Floats:
    """Return quaternion products, scalar first."""
    p0, q0, u, w = p[..., :1], q[..., :1], p[..., 1:], q[..., 1:]
    scalar = p0 * q0 - np.sum(u * w, axis=-1, keepdims=True)
    return np.concatenate([scalar, p0 * w + q0 * u + np.cross(u, w)], axis=-1)


def independent_of(welds: Welds, tables: Tables, chosen: Integers, kept: Integers) -> Integers:
    """Return independent rows of the bodies' model: those chosen on composites, and all of the welds."""
    own = [r for name in welds.owners for r in tables.joint_rows[name]]
    return np.sort(np.concatenate([kept[chosen], np.array(own, dtype=np.int64)]))
