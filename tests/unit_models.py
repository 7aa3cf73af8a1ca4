"""Models whose mass·length² is far from one in some units."""

from __future__ import annotations

import multibody as mb


def stiff_arm() -> mb.Model:
    """Return two hinged bodies of 1 m and 500 kg with one stiff, damped hinge."""
    m = mb.Model("arm", gravity=(0, 0, -9.81))
    for name in ("arm", "fore"):
        m.body(name, mass=500, com=(0.5, 0, 0), inertia=(1, 40, 40))
    m.revolute("O", "ground", "arm", axis=(0, 1, 0))
    m.revolute("A", "arm", "fore", at=(1, 0, 0), axis=(0, 1, 0))
    m.effort("brake", "A", stiffness=1e6, damping=1e6)
    return m


def heavy_pair() -> mb.Model:
    """Return a ball and a hinge with parts of 1 m and 1 t on a damped spring."""
    M, m = 1e3, mb.Model("pair", gravity=(0, 0, -9.81))
    for name in "ab":
        m.body(name, mass=M, inertia=(M / 120, M / 12, M / 12), com=(0.5, 0, 0), frames={"e": (1, 0, 0)})
    m.spherical("O", "ground", "a")
    m.revolute("A", "a.e", "b", axis=(0, 1, 0))
    m.initial({"A.rate": 1.0, "a.omega.z": 1.0})
    m.frames(h=(0, 0, 1))
    m.spring("k", "ground.h", "b.e", stiffness=50 * M, damping=2 * M, length=1)
    return m


def flyer() -> mb.Model:
    """Return a free body of 1 km and 1e6 kg that tumbles: it has no points, its size is that of its inertia."""
    m = mb.Model("flyer")
    m.body("ship", mass=1e6, inertia=(2e10, 8e10, 9e10))
    m.free("F", "ground", "ship")
    m.initial({"ship.x.rate": 50.0, "ship.omega.x": 0.02, "ship.omega.y": 0.5, "ship.omega.z": 0.01})
    return m
