"""Models with bodies welded together: planar and spatial, trees and loops, massless parts, welds to ground and twice over."""

from __future__ import annotations

import multibody as mb


def planar(mass: float = 0.3, twice: bool = False) -> mb.Model:
    """Return a slider-crank whose rod is two bars and a plate welded at angles, with a bracket welded to the ground."""
    m = mb.Model("welded slider-crank", dimension=2, gravity=(0, -9.81))
    m.body("bracket", mass=0.7, inertia=0.01, com=(0.02, 0.03), frames={"seat": (0.05, 0.02)}, at=(0.1, 0))
    m.body("crank", mass=1.0, inertia=0.01, com=(0.03, 0.01), frames={"pin": (0.15, 0)})
    m.body("half", mass=mass, inertia=0.002 * bool(mass), com=(0.05, 0.01), frames={"mid": {"at": (0.17, 0.02), "angle": 0.3}})
    side = {"at": (0.05, 0.02), "angle": 2.0}
    m.body("end", mass=0.25, inertia=0.003, com=(0.06, 0), frames={"small": (0.18, -0.05), "side": side})
    m.body("plate", mass=0.1 * bool(mass), inertia=0.0005 * bool(mass), com=(0.01, 0.02), frames={"hook": (0.03, 0.04)})
    m.body("slider", mass=0.4, inertia=1e-3)
    m.frames(base={"at": (0.1, -0.2), "angle": 0.4}, far=(0.3, 0.4))
    m.fixed("W0", m.ground["base"], "bracket")
    m.revolute("O", m.ground, "crank")
    m.revolute("A", "crank.pin", "half")
    m.fixed("W1", "half.mid", "end")
    m.fixed("W2", "plate", "end.side")
    m.revolute("B", "end.small", "slider")
    m.translational("S", m.ground, "slider", axis=(1, 0))
    if twice:
        m.body("brace", mass=0.05, inertia=1e-4)
        m.fixed("W3", "half", "brace")
        m.fixed("W4", "brace", "half")
    m.spring("k1", "plate.hook", m.ground["far"], stiffness=40.0, length=0.2, damping=0.5)
    m.spring("k2", "end.small", "bracket.seat", stiffness=20.0, length=0.1)
    m.force("push", "end.side", value=("2*sin(3*t)", 1.0), moment="0.1*A.rate", axes="body")
    m.force("drag", "plate.hook", value=(0.3, "-0.2*A.rate"))
    m.initial({"O": 0.8, "O.rate": 6.0}, guess={"S": 0.45})
    return m


def spatial(mass: float = 0.4, loop: bool = True, twice: bool = False) -> mb.Model:
    """Return a spatial arm of welded parts in general position; with `loop`, its end is held by a rod with two balls."""
    m = mb.Model("welded arm", gravity=(1.0, -2.0, -9.0))
    tilt = {"rotvec": (0.3, -0.2, 0.5)}
    inertia = (0.02, 0.03, 0.025) if mass else (0.0, 0.0, 0.0)
    m.body("stand", mass=2.0, inertia=(0.1, 0.1, 0.1), com=(0.1, 0, 0.2), frames={"top": {"at": (0.1, 0.2, 0.5), **tilt}})
    m.body("upper", mass=1.2, inertia=(0.02, 0.05, 0.06), com=(0.2, 0.03, 0.01), frames={"end": {"at": (0.5, 0.1, 0), **tilt}})
    m.body("flange", mass=mass, inertia=inertia, com=(0.05, 0.02, 0.03), frames={"out": {"at": (0.1, 0.05, -0.05), **tilt}})
    m.body("lower", mass=0.9, inertia=(0.01, 0.03, 0.03), com=(0.15, 0.01, -0.02), frames={"tip": (0.4, 0.05, 0.02)})
    m.body("tool", mass=0.5 * mass, inertia=inertia, com=(0.02, 0.01, 0.04), frames={"point": (0.1, 0.02, 0.05)})
    m.frames(foot={"at": (0.2, -0.1, 0.05), **tilt}, hook=(0.25, 0.6, 1.2))
    m.fixed("W0", m.ground["foot"], "stand")
    m.revolute("J1", "stand.top", "upper", axis=(0.2, 0.1, 1))
    m.fixed("W1", "flange", "upper.end")
    m.universal("J2", "flange.out", "lower", axes=((0, 1, 0), (1, 0, 0)))
    m.fixed("W2", "lower.tip", "tool")
    if twice:
        m.fixed("W3", "tool", "lower.tip")
    if loop:
        m.body("rod", mass=0.3, inertia=(0.001, 0.002, 0.002), com=(0.3, 0, 0), frames={"end": (0.6, 0, 0)})
        m.universal("U", m.ground["hook"], "rod", axes=((0, 0, 1), (0, 1, 0)))
        m.spherical("P", "rod.end", "tool.point")
        m.initial(guess={"rod.rotation": {"rotvec": (0, -1.72, -1.76)}})
    m.spring("k", "tool.point", m.ground["hook"], stiffness=30.0, length=0.3, damping=0.2)
    m.force("push", "tool", value=("sin(2*t)", 0.5, 0), moment=(0, 0.05, "0.02*J1.rate"), axes="body")
    m.force("drag", "flange.out", value=("-0.2*upper.omega.x", 0, 0.1))
    m.initial({"J1": 0.2, "J1.rate": 0.8})
    for name, count in {"stand": 1, "upper": 2, "flange": 3, "lower": 4, "tool": 4}.items():
        m.initial(guess={f"{name}.rotation": {"rotvec": (0.3 * count, -0.2 * count, 0.5 * count)}})
    return m
