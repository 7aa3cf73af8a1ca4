"""Small motions about a pose: the freedoms that joints leave, the shapes of modes, the direction that opens at a singular one.

A freedom is a column of null(Φ_q) of the joints, free of units. Of all bases of that space one is taken that people can read:
each freedom moves one joint coordinate, a driven one where there is a choice, and holds the others that were chosen. The motion
leaves the pose along the freedom and is closed onto the joints by Newton's method, so that links keep their lengths.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody.analyses.assembly.held import driven_functions
from multibody.errors import ModelError
from multibody.rank.leastnorm import CUT, DENSE_LIMIT, least_norm
from multibody.state.named_columns import in_words, joint_coordinates
from multibody.state.state import State
from multibody.state.system import Floats, System

SHOWN = 0.15  # largest displacement: lengths over the characteristic length, angles in rad
QUARTER = 12  # instants of a quarter of an oscillation
ITERATIONS, CLOSED = 20, 1e-10


@dataclass(frozen=True, eq=False)
class SmallMotion:
    """One oscillation about a pose.

    Attributes
    ----------
    words : str
        What moves.
    q : array (instants, nq)
    """

    words: str
    q: Floats


def wiggle(state: State) -> list[SmallMotion]:
    """Return the freedoms of a mechanism at a pose, each as one oscillation; motions are not held.

    Parameters
    ----------
    state : State

    Raises
    ------
    ModelError
        For models of more than 400 velocity coordinates.
    """
    system, q = system_at(state), np.array(state.q)
    phases = np.sin(2.0 * np.pi * np.arange(4 * QUARTER + 1) / (4 * QUARTER))
    closed, found = Closing(system, q, state.t), []
    for d in freedoms(system, q, state.t).T:
        poses = {x: closed(SHOWN * x * d) for x in set(np.round(phases, 12))}
        found.append(SmallMotion(in_words(system, q, d), np.array([poses[x] for x in np.round(phases, 12)])))
    return found


def system_at(state: State) -> System:
    """Return the system with the angle references of a state; refuse large models."""
    system = System(state.tables)
    if system.nv > DENSE_LIMIT:
        hint = f"models of up to {DENSE_LIMIT} have them"
        raise ModelError(f"small motions of {system.nv} velocity coordinates", where=state.tables.model.name, hint=hint)
    system.ref[:] = state.references
    return system


def freedoms(system: System, q: Floats, t: float) -> Floats:
    """Return the freedoms that the joints leave at a pose (nv, freedoms), each of size 1, lengths over L.

    Every freedom moves one joint coordinate and holds the others that were chosen; what no joint coordinate tells apart, as
    the spin of a rod between two ball joints, is left over in a basis of its own.
    """
    J = system.scaled(system.jacobian(q, t, 0, system.joint_rows))
    N = least_norm(J, np.zeros(len(J)), CUT)[1]
    coordinates = joint_coordinates(system, q)
    lengths = np.where(coordinates.is_length, system.tables.length, 1.0)
    G = (coordinates.gradients / lengths[:, None]) * system.scale_columns @ N
    acted = _acted_on(system)
    first = np.array([f in acted for f in coordinates.functions], dtype=bool)
    chosen = _independent(G, N.shape[1], first)
    told = np.linalg.pinv(G[chosen]) if len(chosen) else np.zeros((N.shape[1], 0))
    rest = least_norm(G[chosen], np.zeros(len(chosen)), CUT)[1] if len(chosen) < N.shape[1] else np.zeros((N.shape[1], 0))
    directions = (N @ np.hstack([told, rest])) * system.scale_columns[:, None]
    return np.asarray(directions / _sizes(system, directions))


def _acted_on(system: System) -> set[int]:
    """Return the coordinate functions along which a motion or a force acts."""
    tables = system.tables
    return {*driven_functions(system), *(law.function for law in tables.laws)}


def _independent(G: Floats, most: int, first: Any) -> list[int]:
    """Return rows that are clearly independent: of those that come first as many as there are, then others."""
    chosen: list[int] = []
    rest = G.copy()
    for group in (np.flatnonzero(first), np.flatnonzero(~first)):
        while len(chosen) < most and len(group):
            sizes = np.linalg.norm(rest[group], axis=1)
            k = int(group[np.argmax(sizes > 0.7 * np.max(sizes))])  # an early one, unless a later one is far better
            if np.max(sizes) < 1e-6:
                break
            unit = rest[k] / np.linalg.norm(rest[k])
            rest -= np.outer(rest @ unit, unit)
            chosen.append(k)
    return sorted(chosen)


def _sizes(system: System, directions: Floats) -> Floats:
    """Return the largest displacement of each direction, free of units."""
    scaled = np.abs(directions / system.scale_columns[:, None])
    return np.asarray(np.maximum(np.max(scaled, axis=0, initial=0.0), 1e-300))


class Closing:
    """Closes poses near a given one onto the joints.

    Newton's method with the inverse of Φ_q at the given pose; it is formed anew only where the residual does not fall fast.

    Parameters
    ----------
    system : System
    q : array
        The pose, closed.
    t : float
    rows : int, optional
        Rows that are closed, from the first; default those of the joints.
    """

    def __init__(self, system: System, q: Floats, t: float, rows: int | None = None) -> None:
        self.system, self.q, self.t = system, q, t
        self.rows = system.joint_rows if rows is None else rows
        self.inverse = self._inverse(q)

    def _inverse(self, q: Floats) -> Floats:
        """Return the inverse of the scaled rows at a pose, least norm."""
        return np.asarray(np.linalg.pinv(self.system.scaled(self.system.jacobian(q, self.t, 0, self.rows)), rcond=1e-6))

    def _residual(self, q: Floats) -> Floats:
        return np.asarray(self.system.phi(q, self.t, 0, self.rows) * self.system.scale_rows[: self.rows])

    def __call__(self, d: Floats) -> Floats:
        """Return the pose q ⊕ d, closed; where that fails, the displacement is halved and tried again."""
        for part in (1.0, 0.5, 0.25):
            now, inverse, before = self.system.displaced(self.q, part * d), self.inverse, np.inf
            for _ in range(ITERATIONS):
                phi = self._residual(now)
                size = float(np.max(np.abs(phi), initial=0.0))
                if size < CLOSED:
                    return now
                if not size < 1.0:  # NaN too
                    break
                if size > 0.3 * before:
                    inverse = self._inverse(now)
                before = size
                now = self.system.displaced(now, -(inverse @ phi) * self.system.scale_columns)
        return self.q.copy()
