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
