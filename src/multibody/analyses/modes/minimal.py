"""Motions near a state in as few coordinates as there are degrees of freedom: z̈ = A₂₁ z + A₂₂ ż + B u.

Coordinates are those of joints as far as they suffice, then translations and rotations (ground axes) of bodies. In them the
linearized motion is that of the mechanism, whatever the state: displacements d and changes of velocity w follow from (z, ż) by

    [Φ_q; G] d = [0; z],   [Φ_q; G] w = [−V d; ż − V_G d],

where ż = G w + V_G d is the change of the coordinates' rates. Changes of accelerations follow from M δv̇ + C w + K d ⟂ free
directions and Φ_q δv̇ = δ(γ − Φ_q v̇). At an equilibrium V, V_G and these changes vanish, and M z̈ + C ż + K z = 0 with the
matrices of the free directions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody.analyses.linear.linearization import Linearization
from multibody.state.named_columns import joint_coordinates
from multibody.state.poses import read_pose
from multibody.state.system import Floats, Integers, System

WEIGHTS = (4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0)  # of central differences of order 8
STEP = 1.5e-2  # of differences along displacements, scaled
CHOSEN = 1e-3  # part of the largest pivot that a joint coordinate needs to be taken


@dataclass(frozen=True)
class Minimal:
    """The linearized motion in minimal coordinates.

    Attributes
    ----------
    names : list of str
        What the coordinates z are.
    is_length : array of bool
    D : array (nv, f)
        d for unit z; w for unit ż.
    W : array (nv, f)
        w for unit z.
    Az, Ay : arrays (nv, f)
        Changes of the accelerations v̇ for unit z and unit ż.
    M, C, K : arrays (f, f)
        Mass, damping and stiffness of the free directions, M z̈ + C ż + K z = 0 at rest.
    stiffness, damping : arrays (f, f)
        A₂₁ and A₂₂ of z̈ = A₂₁ z + A₂₂ ż.
    """

    names: list[str]
    is_length: Floats
    D: Floats
    W: Floats
    Az: Floats
    Ay: Floats
    M: Floats
    C: Floats
    K: Floats
    stiffness: Floats
    damping: Floats

    @property
    def A(self) -> Floats:
        """The matrix of ẋ = A x, x = (z, ż)."""
        f = len(self.names)
        return np.block([[np.zeros((f, f)), np.eye(f)], [self.stiffness, self.damping]])

    def response(self, forces: Floats) -> tuple[Floats, Floats]:
        """Return z̈ and v̇ that generalized forces (nv, inputs) bring about."""
        b = np.asarray(np.linalg.solve(self.M, self.D.T @ forces), dtype=float)
        return b, np.asarray(self.D @ b)


@dataclass
class _Chosen:
    """Coordinates that were chosen: rows G, whether they are functions, and what they are called."""

    names: list[str]
    is_length: list[bool]
    G: Floats
    functions: list[int]  # −1: a column of a body
    turns: list[tuple[int, int]]  # (body, axis) of a rotation of a spatial body, (0, 0) for others


def minimal(system: System, at: Linearization, rows: Integers) -> Minimal:
    """Return the linearized motion in minimal coordinates.

    Parameters
    ----------
    system : System
        With the angle references of the state.
    at : Linearization
        Consistent accelerations and multipliers where the state moves.
    rows : array of int
        Independent rows.
    """
    rows = np.sort(rows)
    J, m = at.J.toarray()[rows], len(rows)
    chosen = choose(system, at.q, J)
    G = chosen.G
    scale = np.concatenate([system.scale_rows[rows], [1.0 / system.tables.length if x else 1.0 for x in chosen.is_length]])
    inverse = np.linalg.inv(scale[:, None] * np.vstack([J, G]) * system.scale_columns)
    inverse = system.scale_columns[:, None] * inverse * scale  # of [J; G]
    P, D = inverse[:, :m], inverse[:, m:]
    W = -inverse @ np.vstack([at.V.toarray()[rows] @ D, rates_along(system, at, chosen, D)])
    gz, gy = gamma_partials(system, at, rows, D, W)
    M, C, K = at.M.toarray(), at.C.toarray(), at.K.toarray()
    Mr = D.T @ M @ D
    bz = -np.linalg.solve(Mr, D.T @ (C @ W + K @ D + M @ P @ gz))
    by = -np.linalg.solve(Mr, D.T @ (C @ D + M @ P @ gy))
    Xz, Xy = own_terms(system, at, chosen, D, W)
    return Minimal(
        chosen.names, np.array(chosen.is_length, dtype=bool), D, W, P @ gz + D @ bz, P @ gy + D @ by,
        Mr, D.T @ C @ D, D.T @ K @ D, bz + Xz, by + Xy,
    )  # fmt: skip


# --- which coordinates ------------------------------------------------------------------------------------------------
def choose(system: System, q: Floats, J: Floats) -> _Chosen:
    """Return as many coordinates as there are free directions: joints' first, then those of bodies."""
    tables, free = system.tables, system.nv - len(J)
    scaled = J * system.scale_columns
    sizes = np.maximum(np.linalg.norm(scaled, axis=1, keepdims=True), 1e-300)
    N = np.linalg.svd(scaled / sizes)[2][len(J) :].T if len(J) else np.eye(system.nv)
    joints = joint_coordinates(system, q)
    names, lengths, rows = list(joints.names), [bool(x) for x in joints.is_length], list(joints.gradients)
    functions, turns = list(joints.functions), [(0, 0)] * len(joints.names)
    own = len(names)
    for b, body in enumerate(tables.bodies[1:], start=1):
        for name, is_length, row, turn in _of_body(system, q, b):
            names.append(f"{body}.{name}")
            lengths.append(is_length)
            rows.append(row)
            functions.append(-1)
            turns.append(turn)
    G = np.array(rows).reshape(len(rows), system.nv)
    unit = np.where(np.array(lengths, dtype=bool), 1.0 / tables.length, 1.0)
    Z = unit[:, None] * G * system.scale_columns @ N
    taken = _pivots(Z[:own], free, CHOSEN)
    if len(taken) < free:
        rest = np.linalg.svd(Z[taken])[2][len(taken) :].T if taken else np.eye(free)
        taken += [own + k for k in _pivots(Z[own:] @ rest, free - len(taken), 0.0)]
    taken.sort()
    pick = [names[k] for k in taken], [lengths[k] for k in taken], G[taken]
    return _Chosen(*pick, [functions[k] for k in taken], [turns[k] for k in taken])


def _of_body(system: System, q: Floats, b: int) -> list[tuple[str, bool, Floats, tuple[int, int]]]:
    """Return translations and rotations of a body: name, whether it is a length, row, (body, axis) of a rotation in space."""
    layout = system.tables.layout
    d, first = layout.dimension, layout.first_rate(b)
    unit = np.eye(system.nv)
    found = [("xyz"[k], True, unit[first + k], (0, 0)) for k in range(d)]
    if d == 2:
        return [*found, ("angle", False, unit[first + layout.angle], (0, 0))]
    A = read_pose(system, q, b)[1]
    for axis in range(3):
        row = np.zeros(system.nv)
        row[layout.spin(b)] = A[axis]
        found.append((f"turn.{'xyz'[axis]}", False, row, (b, axis)))
    return found


def _pivots(Z: Floats, most: int, cut: float) -> list[int]:
    """Return rows by QR with pivoting, as many as are wanted and above `cut` times the largest pivot."""
    from scipy.linalg import qr

    if Z.size == 0 or most == 0:
        return []
    _, R, order = qr(Z.T, mode="economic", pivoting=True)
    sizes = np.abs(np.diag(R))
    count = min(int(np.sum(sizes > max(cut * float(sizes[0]), 1e-9))), most)
    return [int(k) for k in order[:count]]


# --- terms of a moving state ------------------------------------------------------------------------------------------
def rates_along(system: System, at: Linearization, chosen: _Chosen, D: Floats) -> Floats:
    """Return V_G D, the derivative of the coordinates' rates (velocities held) for unit z; a body's columns have none."""
    found = np.zeros((len(chosen.names), D.shape[1]))
    if np.any(at.v):
        for k, f in enumerate(chosen.functions):
            if f >= 0:
                found[k] = [_rate_along(system, at, f, d) for d in D.T]
    return found


def _rate_along(system: System, at: Linearization, f: int, d: Floats) -> float:
    """Return the derivative of a coordinate function's rate along a displacement, velocities held."""
    size = _size(system, d)
    return float(difference(lambda s: system.functions(system.displaced(at.q, d, s / size), at.v, f, f + 1)[1][0])) * size


def difference(f: Callable[[float], Any]) -> Floats:
    """Return f′(0) of a function of one number by central differences of order 8."""
    total = sum(w * (f(k * STEP) - f(-k * STEP)) for k, w in enumerate(WEIGHTS, start=1))
    return np.asarray(total / STEP)


def gamma_partials(system: System, at: Linearization, rows: Integers, D: Floats, W: Floats) -> tuple[Floats, Floats]:
    """Return the change of γ − Φ_q v̇, v̇ held, for unit z and unit ż.

    It is what Φ_q δv̇ must be. Along velocities it is quadratic, so that differences are exact.
    """
    f, m = D.shape[1], len(rows)
    if m == 0 or not (np.any(at.v) or np.any(at.a)):
        return np.zeros((m, f)), np.zeros((m, f))

    def gamma(q: Floats, v: Floats) -> Floats:
        return np.asarray((system.gamma(q, np.ascontiguousarray(v), at.t) - system.jacobian(q, at.t) @ at.a)[rows])

    by_z, by_y = np.zeros((m, f)), np.zeros((m, f))
    for k in range(f):
        size = _size(system, D[:, k])
        by_z[:, k] = difference(lambda s, k=k, size=size: gamma(system.displaced(at.q, D[:, k], s / size), at.v)) * size  # type: ignore[misc]
        by_z[:, k] += 0.5 * (gamma(at.q, at.v + W[:, k]) - gamma(at.q, at.v - W[:, k]))
        by_y[:, k] = 0.5 * (gamma(at.q, at.v + D[:, k]) - gamma(at.q, at.v - D[:, k]))
    return by_z, by_y


def _size(system: System, d: Floats) -> float:
    """Return the largest scaled component of a displacement."""
    return float(np.max(np.abs(d / system.scale_columns))) or 1.0


def own_terms(system: System, at: Linearization, chosen: _Chosen, D: Floats, W: Floats) -> tuple[Floats, Floats]:
    """Return what z̈ has beside G δv̇, for unit z and unit ż.

    A coordinate function has c̈ = G v̇ − γ_c; a rotation of a body about ground axes, whose rate is A w, has A (ω′ × w).
    """
    f = len(chosen.names)
    by_z, by_y = np.zeros((f, f)), np.zeros((f, f))
    if not np.any(at.v) and not np.any(at.a):
        return by_z, by_y
    for k, function in enumerate(chosen.functions):
        if function >= 0:
            by_z[k], by_y[k] = _own_terms_of(system, at, function, D, W)
        elif chosen.turns[k][0]:
            b, axis = chosen.turns[k]
            part = system.tables.layout.spin(b)
            row = np.cross(read_pose(system, at.q, b)[1][axis], at.v[part])  # A (ω′ × w) = (A_row × ω′)·w
            by_z[k], by_y[k] = row @ W[part], row @ D[part]
    return by_z, by_y


def _own_terms_of(system: System, at: Linearization, f: int, D: Floats, W: Floats) -> tuple[Floats, Floats]:
    """Return the derivatives of G v̇ − γ_c of a coordinate function along the columns, v̇ held."""

    def own(q: Floats, v: Floats) -> Floats:
        return np.asarray(system.gradient(q, f) @ at.a - system.functions(q, np.ascontiguousarray(v), f, f + 1)[2][0])

    by_z, by_y = np.zeros(D.shape[1]), np.zeros(D.shape[1])
    for k in range(D.shape[1]):
        size = _size(system, D[:, k])
        by_z[k] = difference(lambda s, k=k, size=size: own(system.displaced(at.q, D[:, k], s / size), at.v)) * size  # type: ignore[misc]
        by_z[k] += 0.5 * (own(at.q, at.v + W[:, k]) - own(at.q, at.v - W[:, k]))
        by_y[k] = 0.5 * (own(at.q, at.v + D[:, k]) - own(at.q, at.v - D[:, k]))
    return by_z, by_y
