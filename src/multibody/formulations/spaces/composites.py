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
        self.tables, self.welds, self.planar = tables, welds, tables.dimension == 2
        self.bodies, self.extras = len(tables.bodies) - 1, len(tables.extras)
        self.count = len(welds.roots) - 1
        self.quaternions = np.zeros((0, 4)) if self.planar else self._relative_quaternions(q)

    def _relative_quaternions(self, q: Floats) -> Floats:
        """Return the quaternion of every body in its composite, with the sign that it has at q."""
        own = np.vstack([[1.0, 0.0, 0.0, 0.0], q[: 7 * self.bodies].reshape(-1, 7)[:, 3:]])
        found = np.array([quaternion_of(turn) for turn in self.welds.turns])
        roots = own[np.array(self.welds.roots)[self.welds.composite]]
        sign = np.sign(np.einsum("bi,bi->b", _product(roots, found), own))
        return np.asarray(found * np.where(sign == 0.0, 1.0, sign)[:, None])

    def of_state(self, q: Floats, v: Floats) -> tuple[Floats, Floats]:
        """Return the coordinates and velocities of the composites at a state of the bodies, (nq) and (nv)."""
        roots = np.array(self.welds.roots[1:])
        s = self.welds.points[roots]
        wide, narrow = (3, 3) if self.planar else (7, 6)
        pose = q[: wide * self.bodies].reshape(-1, wide)[roots - FIRST_BODY].copy()
        rate = v[: narrow * self.bodies].reshape(-1, narrow)[roots - FIRST_BODY].copy()
        if self.planar:
            arm = _turned(pose[:, 2], s)
            pose[:, :2] -= arm
            rate[:, :2] -= rate[:, 2:] * _quarter(arm)
        else:
            A = np.ascontiguousarray(matrix_of(pose[:, 3:]))
            pose[:, :3] -= np.einsum("bij,bj->bi", A, s)
            rate[:, :3] -= np.einsum("bij,bj->bi", A, np.cross(rate[:, 3:], s))
        return np.append(pose.ravel(), q[wide * self.bodies :]), np.append(rate.ravel(), v[narrow * self.bodies :])

    def to_bodies(self, q: Floats, v: Floats, a: Floats | None = None) -> tuple[Floats, Floats, Floats]:
        """Return coordinates, velocities and accelerations of all bodies from those of the composites, (instants, ·)."""
        a = np.zeros_like(v) if a is None else a
        n, wide, narrow = len(q), *((3, 3) if self.planar else (7, 6))
        which = self.welds.composite[1:]
        ground = np.zeros((n, 1, wide))
        if not self.planar:
            ground[:, 0, 3] = 1.0  # its quaternion
        pose = np.concatenate([ground, q[:, : wide * self.count].reshape(n, -1, wide)], axis=1)[:, which]
        zero = np.zeros((n, 1, narrow))
        rate, change = (
            np.concatenate([zero, x[:, : narrow * self.count].reshape(n, -1, narrow)], axis=1)[:, which] for x in (v, a)
        )
        (self._planar if self.planar else self._spatial)(pose, rate, change)
        extra = (q[:, wide * self.count :], v[:, narrow * self.count :], a[:, narrow * self.count :])
        parts = (pose, rate, change)
        done = [np.concatenate([part.reshape(n, -1), tail], axis=1) for part, tail in zip(parts, extra, strict=True)]
        return done[0], done[1], done[2]

    def _planar(self, pose: Floats, rate: Floats, change: Floats) -> None:
        """Move what is at the composites' centers to the bodies', in place; (instants, bodies, 3)."""
        arm = _turned(pose[..., 2], self.welds.points[1:])
        across, w = _quarter(arm), rate[..., 2:]
        pose[..., :2] += arm
        pose[..., 2] += self.welds.angles[1:]
        rate[..., :2] += w * across
        change[..., :2] += change[..., 2:] * across - w * w * arm

    def _spatial(self, pose: Floats, rate: Floats, change: Floats) -> None:
        """Move what is at the composites' centers to the bodies', in place; rotations to the bodies' axes."""
        A, s, E = np.ascontiguousarray(matrix_of(pose[..., 3:])), self.welds.points[1:], self.welds.turns[1:]
        w, dw = rate[..., 3:].copy(), change[..., 3:].copy()
        pose[..., :3] += np.einsum("tbij,bj->tbi", A, s)
        pose[..., 3:] = _product(pose[..., 3:], self.quaternions[1:])
        speed = np.cross(w, s)
        rate[..., :3] += np.einsum("tbij,tbj->tbi", A, speed)
        rate[..., 3:] = np.einsum("bji,tbj->tbi", E, w)
        change[..., :3] += np.einsum("tbij,tbj->tbi", A, np.cross(dw, s) + np.cross(w, speed))
        change[..., 3:] = np.einsum("bji,tbj->tbi", E, dw)


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
    tables, width = system.tables, system.tables.width
    pointer = tables.row_pointer[: system.rows + 1]
    row_of = np.repeat(np.arange(system.rows), np.diff(pointer))
    left = rest.T.copy()
    np.subtract.at(left, tables.columns[: pointer[-1]], (entries * multipliers[:, row_of]).T)
    for weld in reversed(welds):
        rows = tables.joint_rows[weld.joint]
        span = slice(width * (weld.child - FIRST_BODY), width * weld.child)
        own = _block(tables, entries, rows, weld.child)
        found = np.linalg.solve(np.swapaxes(own, 1, 2), left[span].T[:, :, None])[:, :, 0]
        multipliers[:, rows.start : rows.stop] = found
        if weld.parent:
            carrier = _block(tables, entries, rows, weld.parent)
            left[width * (weld.parent - FIRST_BODY) : width * weld.parent] -= np.einsum("trc,tr->ct", carrier, found)


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
