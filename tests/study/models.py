"""Models of the tests of studies, whose numbers are known in closed form."""

from __future__ import annotations

import math
from typing import Any

import multibody as mb


def oscillator(k: float = 4.0, m: float = 1.0, x0: float = 0.3, scale: tuple[float, float] = (1.0, 1.0)) -> mb.Model:
    """Return a mass on a spring that is let go at x0: x = x0 cos(ωt), ω² = k/m; in units of length and mass by `scale`."""
    length, mass = scale
    units = {"length": "m" if length == 1.0 else "mm", "time": "s", "mass": "kg" if mass == 1.0 else "g"}
    made = mb.Model("oscillator", dimension=2, units=units)
    stiffness = made.parameter("k", k * mass)
    weight = made.parameter("m", m * mass, min=0.1 * mass)
    made.parameter("pair", (1.0, 2.0))
    block = made.body("block", mass=weight, inertia=1.0 * mass * length**2)
    made.translational("S", made.ground, block, axis=(math.cos(0.7), math.sin(0.7)))
    made.effort("spring", "S", stiffness=stiffness, rest=0.0)
    made.initial({"S": x0 * length, "S.rate": 0.0})
    made.event("middle", "S", direction="falling")
    return made


def swing() -> mb.Model:
    """Return a four-bar of the library, which every analysis of motion takes."""
    return mb.load("four-bar")


def ishigami() -> tuple[mb.Model, str]:
    """Return a model with three parameters, and a formula of them whose Sobol' indices are known."""
    made = mb.Model("ishigami", dimension=2)
    for name in ("x1", "x2", "x3"):
        made.parameter(name, 0.0)
    made.body("block", mass=1, inertia=1)
    made.translational("S", made.ground, "block", axis=(1, 0))
    return made, "sin(x1) + 7*sin(x2)^2 + 0.1*x3^4*sin(x1)"


def single(model: mb.Model, values: dict[str, float], **options: Any) -> Any:
    """Return the run of one member, as a user would do it by hand."""
    plain = {key: x for key, x in values.items() if not key.startswith("initial.")}
    starts = {key.removeprefix("initial."): x for key, x in values.items() if key.startswith("initial.")}
    return model.set(**plain).run(**options, initial=starts or None)


def closed_form(k: float, m: float, x0: float, until: float) -> dict[str, float]:
    """Return numbers of the oscillator over its motion, more than half a period long."""
    w = math.sqrt(k / m)
    s, c = math.sin(w * until), math.cos(w * until)
    return {
        "max(S)": x0, "min(S)": -x0, "time of max S": 0.0, "time of min S": math.pi / w, "final S": x0 * c,
        "integral(S)": x0 * s / w, "mean S": x0 * s / w / until,
        "rms(S)": x0 * math.sqrt(0.5 + s * c / (2 * w * until)), "max(abs(S.rate))": x0 * w,
        "time of max abs(S.rate)": math.pi / 2 / w, "at(0.25*pi, S)": x0 * math.cos(w * math.pi / 4),
        "first(middle)": math.pi / 2 / w, "first middle": math.pi / 2 / w,
        "max(norm(block.com))": x0, "max(energy.kinetic)/k": 0.5 * x0**2,
        "max(S - mean(S))": x0 - x0 * s / w / until, "max(final(S), 0) + 1": max(x0 * c, 0.0) + 1.0, "2*k": 2 * k,
    }  # fmt: skip


def hanging(scale: tuple[float, float] = (1.0, 1.0)) -> mb.Model:
    """Return a driven crank that carries a rod with a slider on a spring: an open chain in the plane, in units by `scale`."""
    length, mass = scale
    units = {"length": "m" if length == 1.0 else "mm", "time": "s", "mass": "kg" if mass == 1.0 else "g"}
    made, inertia = mb.Model("hanging", dimension=2, units=units), mass * length**2
    made.gravity = (0.5 * length, -9.81 * length)
    made.parameter("w", 3.0)
    l = made.parameter("l", 0.5 * length)
    made.body("crank", mass=mass, inertia=0.02 * inertia, com=(0.2 * length, 0.01 * length), frames={"e": (l, 0.02 * length)})
    made.body("rod", mass=0.5 * mass, inertia=0.01 * inertia, com=(0.3 * length, 0.0), frames={"e": (0.6 * length, 0.0)})
    made.body("block", mass=0.4 * mass, inertia=0.01 * inertia)
    made.revolute("O", "ground", "crank")
    made.revolute("A", "crank.e", "rod")
    made.translational("S", "rod.e", "block", axis=(1, 0.3))
    made.motion("O", "w*t + 0.1*sin(5*t)")
    made.spring("k", "rod.e", "block", stiffness=40.0 * mass, damping=0.3 * mass, length=0.1 * length)
    made.initial({"A": 0.3, "A.rate": -1.0, "S": 0.15 * length})
    return made


def tumbling() -> mb.Model:
    """Return a chain in space with a ball, a hinge and a cylinder, axes and centers of mass in general position."""
    made = mb.Model("tumbling", gravity=(1.0, 2.0, -9.0))
    l, m = made.parameter("l", 0.4), made.parameter("m", 1.2)
    made.body("a", mass=m, inertia=(0.02, 0.03, 0.04), com=(l / 2, 0.02, -0.03), frames={"e": (l, 0.1, 0.05)})
    for name in "bc":
        made.body(name, mass=0.7, inertia=(0.01, 0.02, 0.015), com=(0.1, -0.05, 0.2), frames={"e": (0.3, 0.1, 0.2)})
    made.spherical("O", "ground", "a")
    made.revolute("A", "a.e", "b", axis=(1, 2, 3))
    made.cylindrical("B", "b.e", "c", axis=(3, -1, 2))
    made.effort("k", "B.position", stiffness=30.0, damping=0.5)
    made.initial({"A.rate": 2.0, "a.omega.z": 1.0, "a.omega.x": -1.3, "B.angle.rate": 3.0})
    return made


def door(scale: tuple[float, float] = (1.0, 1.0)) -> mb.Model:
    """Return a door on two hinges about one inclined axis, five of whose ten equations are redundant, in units by `scale`."""
    length, mass = scale
    units = {"length": "m" if length == 1.0 else "mm", "time": "s", "mass": "kg" if mass == 1.0 else "g"}
    made = mb.Model("door", gravity=(0, 0, -9.81 * length), units=units)
    width = made.parameter("width", 0.45 * length)
    inertia = tuple(x * mass * length**2 for x in (4.0, 3.0, 1.5))
    made.body("door", mass=20.0 * mass, com=(width, 0.02 * length, length), inertia=inertia)
    for k in range(2):
        at = (0.15 * k * length, 0.0, (0.2 + 1.5 * k) * length)
        made.revolute(f"hinge{k}", "ground", "door", at=at, axis=(0.1, 0.0, 1.0))
    made.initial({"hinge0": 0.8, "hinge0.rate": 0.5})
    return made
