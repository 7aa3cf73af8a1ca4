"""Models with known answers that several tests of linear analyses share."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

import multibody as mb
from kernels.differences import Floats


def hanging(n: int, span: float, link: float, mass: float, gravity: float = 9.81) -> mb.Model:
    """Return n links between two supports at the same height, drawn as an arc that sags."""
    m = mb.Model("hanging", dimension=2, gravity=(0, -gravity))
    m.frames(right=(span, 0))
    angles, _ = catenary(n, span, link, 1.0)
    x, y = 0.0, 0.0
    for k in range(1, n + 1):
        angle = float(0.7 * angles[k - 1])
        m.body(f"link{k}", mass=mass, inertia=mass * link**2 / 12, com=(link / 2, 0), frames={"end": (link, 0)},
               at=(x, y), angle=angle)  # fmt: skip
        m.revolute(f"P{k}", m.ground if k == 1 else f"link{k - 1}.end", f"link{k}")
        x, y = x + link * np.cos(angle), y + link * np.sin(angle)
    m.revolute(f"P{n + 1}", f"link{n}.end", "ground.right")
    m.initial(guess={f"link{k}.angle": float(0.7 * angles[k - 1]) for k in range(1, n + 1)})
    return m


def catenary(n: int, span: float, link: float, weight: float) -> tuple[Floats, float]:
    """Return the angles of n equal links that hang between supports at the same height, and the horizontal pull.

    The vertical force in the middle of link k is (k − (n + 1)/2) times its weight, so tan θ_k is that over the pull.
    """
    steps = np.arange(1, n + 1) - 0.5 * (n + 1)
    gap = lambda pull: float(np.sum(np.cos(np.arctan(steps * weight / pull)))) * link - span  # noqa: E731
    pull = brentq(gap, 1e-6 * weight, 1e6 * weight, xtol=1e-15 * weight, rtol=1e-14)
    return np.arctan(steps * weight / pull), float(pull)
