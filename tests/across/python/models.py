"""Small models that build and run quickly."""

from __future__ import annotations

from typing import Any

import multibody as mb


def pendulum() -> mb.Model:
    """Return a planar pendulum with a motor and an event."""
    m = mb.Model("pendulum", dimension=2, gravity=(0, -9.81))
    l = m.parameter("l", 1.0)
    rod = m.body("rod", mass=1.0, inertia=0.1, com=(l / 2, 0), frames={"tip": (l, 0)})
    m.revolute("O", m.ground, rod)
    m.effort("motor", "O", value=0)
    m.event("low", "O + 0.5")
    m.output("height", "rod.tip.y + 1")
    m.initial({"O": 0.3})
    return m


def crank() -> mb.Model:
    """Return a driven slider-crank."""
    m = mb.Model("slider-crank", dimension=2, gravity=(0, -9.81))
    crank = m.body("crank", mass=1.0, inertia=0.01, frames={"pin": (0.15, 0)})
    rod = m.body("rod", mass=0.5, inertia=0.01, com=(0.175, 0), frames={"small": (0.35, 0)})
    slider = m.body("slider", mass=0.4, inertia=1e-3)
    m.revolute("O", m.ground, crank)
    m.revolute("A", crank["pin"], rod)
    m.revolute("B", rod["small"], slider)
    m.translational("S", m.ground, slider, axis=(1, 0))
    m.motion("O", 10 * mb.t)
    m.initial(guess={"S": 0.5})
    return m


def elsewhere(model: mb.Model, runs: list[mb.Run], state: mb.State) -> dict[str, Any]:
    """Read results and go on, in another process."""
    return {
        "run": model.run(0.2, initial=state, formulation="recursive"), "between": [run.at(0.2345)["O"] for run in runs],
        "force": [run["O.reaction.force"].values[-1] for run in runs],
        "going on": model.run(0.4, initial=runs[0].final)["O"].values[-1],
    }  # fmt: skip
