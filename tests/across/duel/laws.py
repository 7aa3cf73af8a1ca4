"""Laws of efforts along a coordinate, as the reference pages state them: e(c, ċ)."""

from __future__ import annotations

import math
from collections.abc import Callable

Law = Callable[[float, float], float]


def linear(stiffness: float, rest: float, damping: float, value: float) -> Law:
    """Return a spring, a damper and a constant."""
    return lambda c, rate: value - stiffness * (c - rest) - damping * rate


def friction(coulomb: float, static: float, viscous: float, smooth: float, stribeck: float, load: float) -> Law:
    """Return dry friction with the Stribeck effect, and viscous friction."""

    def law(_: float, rate: float) -> float:
        dry = coulomb + (static - coulomb) * math.exp(-((rate / stribeck) ** 2))
        return -abs(load) * dry * math.tanh(rate / smooth) - viscous * rate

    return law


def stop(lower: float, upper: float, stiffness: float, damping: float, smooth: float) -> Law:
    """Return elastic end stops that never pull."""

    def push(depth: float, rate: float) -> float:
        if depth <= 0.0:
            return 0.0
        if depth < smooth:
            r = depth**3 / smooth**2 - depth**4 / (2 * smooth**3)
            slope = 3 * depth**2 / smooth**2 - 2 * depth**3 / smooth**3
        else:
            r, slope = depth - smooth / 2, 1.0
        return max(0.0, stiffness * r + damping * slope * rate)

    return lambda c, rate: push(lower - c, -rate) - push(c - upper, rate)
