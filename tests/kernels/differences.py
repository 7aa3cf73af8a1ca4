"""Derivatives of Φ by central differences of eighth order, to hold the analytic ones against.

Nothing here knows a formula of a joint: everything comes from values along q ⊕ s d, where positions add and
orientations turn by exp(½ s δπ′). The velocity (ṙ, ω′) of such a path is constant, so its acceleration vanishes.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from multibody.state.system import System

Floats = npt.NDArray[np.float64]

WEIGHTS = (4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0)
STEPS = (4e-2, 1.6e-2, 6e-3, 2.4e-3, 1e-3)


def central(f: Callable[[float], Floats], h: float) -> Floats:
    """Return f′(0) with an error of order h⁸."""
    total = sum(w * (f(k * h) - f(-k * h)) for k, w in enumerate(WEIGHTS, start=1))
    return np.asarray(total / h)


def derivative(f: Callable[[float], Floats]) -> Floats:
    """Return f′(0), with the step at which going on to a smaller one changes the result least.

    Large steps lose digits where f bends sharply (an angle near its singular position), small ones by rounding.
    """
    found = [central(f, h) for h in STEPS]
    changes = [float(np.max(np.abs(b - a), initial=0.0)) for a, b in pairwise(found)]
    return found[int(np.argmin(changes)) + 1]


def along_columns(system: System, q: Floats, f: Callable[[Floats], Floats]) -> Floats:
    """Return the derivatives of f(q) along the velocity columns, the column as last index."""
    unit = np.eye(system.nv)
    return np.stack([derivative(lambda s, e=e: f(system.displaced(q, e, s))) for e in unit], axis=-1)  # type: ignore[misc]


def jacobian(system: System, q: Floats, t: float) -> Floats:
    """Return Φ_q from differences of Φ."""
    return along_columns(system, q, lambda moved: system.phi(moved, t, 0, system.all_rows))


def velocity_side(system: System, q: Floats, t: float) -> Floats:
    """Return ν = −∂Φ/∂t from differences of Φ."""
    return -derivative(lambda s: system.phi(q, t + s, 0, system.all_rows))


def gamma(system: System, q: Floats, v: Floats, t: float) -> Floats:
    """Return γ from differences of dΦ/dt = Φ_q v − ν along the path of constant velocity v: d²Φ/dt² = −γ there."""
    hi = system.all_rows

    def rate(s: float) -> Floats:
        moved = system.displaced(q, v, s)
        return np.asarray(system.jacobian(moved, t + s, 0, hi) @ v - system.velocity_side(moved, t + s, 0, hi))

    return -derivative(rate)


def hessian(system: System, q: Floats, t: float, multipliers: Floats) -> Floats:
    """Return (Φ_qᵀ λ)_q from differences of Φ_qᵀ λ."""
    hi = system.all_rows
    return along_columns(system, q, lambda moved: np.asarray(system.jacobian(moved, t, 0, hi).T @ multipliers))


def relative_error(found: Floats, expected: Floats) -> float:
    """Return the largest deviation over the largest expected number (at least 1: models are of size one)."""
    assert found.shape == expected.shape
    scale = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
    worst = float(np.max(np.abs(found - expected), initial=0.0))
    return worst / scale
