"""Arms with tool frames: bodies without much mass, welded to links."""

from __future__ import annotations

import multibody as mb


def arm(n: int, tools: int = 0, mass: float = 0.0) -> mb.Model:
    """Return a spatial chain of n links with tool frames welded to the first ones."""
    m = mb.Model("arm", gravity=(0, 0, -9.81))
    carrier = "ground"
    for k in range(n):
        m.body(f"b{k}", mass=1, inertia=(0.01, 0.01, 0.01), com=(0.1, 0, 0), frames={"end": (0.2, 0, 0)})
        m.revolute(f"j{k}", carrier, f"b{k}", axis=((0, 1, 0), (0, 0, 1))[k % 2])
        carrier = f"b{k}.end"
        if k < tools:
            m.body(f"t{k}", mass=mass, inertia=(mass * 1e-3,) * 3)
            m.fixed(f"f{k}", carrier, f"t{k}")
    return m
