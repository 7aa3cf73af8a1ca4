"""One accepted instant of a motion, and what lies between two of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multibody.state.system import Floats


@dataclass(frozen=True)
class Instant:
    """Time, positions, velocities and accelerations of one accepted state."""

    t: float
    q: Floats
    v: Floats
    a: Floats


def between(one: Instant, two: Instant, t: float) -> tuple[Floats, Floats]:
    """Return velocity and acceleration at t from the cubic through the velocities and accelerations of two instants."""
    h = two.t - one.t
    u = (t - one.t) / h
    slope = (two.v - one.v) / h
    v = one.v + h * u * (one.a + u * (3.0 * slope - 2.0 * one.a - two.a + u * (one.a + two.a - 2.0 * slope)))
    a = one.a + 2.0 * u * (3.0 * slope - 2.0 * one.a - two.a) + 3.0 * u * u * (one.a + two.a - 2.0 * slope)
    return np.asarray(v), np.asarray(a)
