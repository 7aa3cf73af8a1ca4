"""What the tolerances of a run promise of its energy balance: how far E − E₀ − W may be off before that is worth a word."""

from __future__ import annotations

import numpy as np

from multibody.kernels.body_layout import BodyLayout
from multibody.state.motion import Motion
from multibody.state.system import Floats
from multibody.tables.scales import second

FIXED = 1e-3  # of a method with a fixed step, which promises nothing
ONCE, EACH = 300.0, 0.01  # errors of the size of the tolerance that may add up: in all, and of every step
LEAST, MOST = 1e-8, 0.1  # round-off; what is too much at any tolerance


def promised_drift(motion: Motion, adaptive: bool, rtol: float, atol: float) -> float:
    """Return the energy drift of a motion up to which it is what its tolerances promise.

    An error of the tolerance's size in every position and velocity changes the energy by |F|·δr + |p|·δv; forces are taken as
    those that accelerate the bodies and carry their weight.

    Parameters
    ----------
    motion : Motion
        With its dynamics.
    adaptive : bool
        Whether tolerances chose the steps.
    rtol, atol : float
        Tolerances of the run.
    """
    dynamics, tables = motion.dynamics, motion.tables
    if not adaptive:
        return FIXED
    assert dynamics is not None
    size = float(np.max(dynamics.kinetic, initial=0.0) + np.ptp(dynamics.potential)) if len(motion.t) else 0.0
    if not size > 0.0:
        return MOST
    layout, F = tables.layout, tables.F
    masses = np.array([F[slots.mass] if slots.mass >= 0 else 0.0 for slots in tables.masses])
    bodies, weight = len(tables.bodies) - 1, float(np.linalg.norm(tables.gravity))
    force = masses * (_lengths(layout.split_rates(np.nan_to_num(motion.a), bodies), layout) + weight)
    relative = 2.0 * dynamics.kinetic + np.sum(force * _lengths(layout.split(motion.q, bodies), layout), axis=1)
    momentum = masses * _lengths(layout.split_rates(motion.v, bodies), layout)
    absolute = tables.length * np.sum(force + momentum / second(tables), axis=1)
    one = float(np.max(rtol * relative + atol * absolute)) / size
    promised = one * (ONCE + EACH * int(motion.statistics.get("steps", 0)))
    return min(max(LEAST, promised), MOST)


def _lengths(parts: Floats, layout: BodyLayout) -> Floats:
    """Return the magnitudes of the translations of bodies (instants, bodies) from their numbers (instants, bodies, ·)."""
    return np.asarray(np.linalg.norm(parts[:, :, layout.shift], axis=2))
