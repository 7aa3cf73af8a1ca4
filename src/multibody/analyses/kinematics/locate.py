"""Where and how a mechanism passes a singular position: times from determinants, answers from both sides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multibody.analyses.kinematics.follower import Crossing
from multibody.analyses.kinematics.instant import Instant, between
from multibody.analyses.kinematics.square import Factors, Square
from multibody.rank.decider import scaled_rows
from multibody.rank.leastnorm import is_large, least_norm, sparse_step
from multibody.state.system import Floats, System

APART = 1e-3  # of a noted interval: zeros of determinants that are nearer count as one singular position


def least_change(system: System, q: Floats, t: float, side: Floats) -> Floats:
    """Return the smallest x (scaled) with Φ_q x = side (scaled) over all rows; nearly free directions are left alone."""
    if is_large(system.nv):
        return sparse_step(scaled_rows(system, q, t, system.rows), -side, damping=1e-14)
    return least_norm(system.scaled(system.jacobian(q, t)), side, 1e-7)[0]


def resolved_rates(system: System, q: Floats, t: float, v: Floats, a: Floats) -> tuple[Floats, Floats]:
    """Return v and v̇ that satisfy the regular part of the equations and lie nearest to the given ones."""
    rows, columns = system.scale_rows[: system.rows], system.scale_columns
    J = scaled_rows(system, q, t, system.rows)
    v = v + least_change(system, q, t, system.velocity_side(q, t) * rows - J @ (v / columns)) * columns
    a = a + least_change(system, q, t, system.gamma(q, v, t) * rows - J @ (a / columns)) * columns
    return v, a


def state_between(system: System, before: Instant, after: Instant, t: float) -> Instant | None:
    """Return the state on a singular position from regular instants on both sides, None where it does not close.

    Rates there are noise divided by zero; between two regular instants they are smooth.
    """
    v, a = between(before, after, t)
    h = t - before.t
    middle, _ = between(before, after, before.t + 0.5 * h)
    q = system.displaced(before.q, (before.v + 4.0 * middle + v) / 6.0, h)
    rows = system.scale_rows[: system.rows]
    for _ in range(20):
        step = least_change(system, q, t, -system.phi(q, t) * rows)
        q = system.displaced(q, step * system.scale_columns)
        if np.max(np.abs(step), initial=0.0) < 1e-11:
            break
    return None if np.max(np.abs(system.phi(q, t) * rows)) > 1e-9 else Instant(t, q, v, a)


@dataclass(frozen=True)
class Located:
    """Times at which determinants vanish in a noted interval, and regular instants on both sides of it."""

    times: list[float]
    before: Instant
    after: Instant

    def pose(self, system: System, t: float) -> Floats:
        """Return the pose at one of the times; where it does not close, the one before."""
        found = state_between(system, self.before, self.after, t)
        return self.before.q if found is None else found.q


def locate(square: Square, crossing: Crossing) -> Located:
    """Return when determinants of blocks vanish in a noted interval, equal times once.

    A determinant is smooth through its zero, so a cubic through four points places it; the points keep away from the
    zero itself, where Newton's method would lose digits.
    """
    low, width = crossing.before.t, crossing.end - crossing.before.t
    u = np.array([-0.5, 0.0, 1.0, 1.5])
    found = [regular_near(square, crossing.before, float(low + x * width)) for x in u]
    points = [item for item in found if item is not None]
    if len(points) < 4:
        return Located([low + 0.5 * width], crossing.before, points[-1][0] if points else crossing.before)
    signs, logarithms = (np.array(part) for part in zip(*(f.determinants() for _, f in points), strict=True))
    values = signs * np.exp(logarithms - np.max(logarithms, axis=0))
    zeros: list[float] = []
    for zero in sorted(_zero(u, values[:, k]) for k in np.flatnonzero(signs[1] != signs[2])):
        if not zeros or zero > zeros[-1] + APART:
            zeros.append(zero)
    return Located([low + x * width for x in zeros or [0.5]], points[0][0], points[-1][0])


def regular_near(square: Square, start: Instant, t: float) -> tuple[Instant, Factors] | None:
    """Return the state at a time near a known instant, and the factors there; None where it is singular."""
    system, h = square.system, t - start.t
    system.take_references(start.q)  # angles are counted from there
    q = square.closed(system.displaced(start.q, start.v + 0.5 * h * start.a, h), t)
    factors = square.factor(q, t)
    if factors is None:
        return None
    v = factors.solve(system.velocity_side(q, t))
    return Instant(t, q, v, factors.solve(system.gamma(q, v, t))), factors


def _zero(u: Floats, values: Floats) -> float:
    """Return where the cubic through four points vanishes between the second and the third."""
    roots = np.atleast_1d(np.roots(np.polyfit(u, values, 3)))
    real = [float(r.real) for r in roots if abs(r.imag) < 1e-6 and -0.01 <= r.real <= 1.01]
    return real[0] if real else 0.5
