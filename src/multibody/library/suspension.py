"""A wheel suspension in rubber bushings: a stiff model as vehicle engineers have them."""

from __future__ import annotations

from typing import Any

import multibody as mb
from multibody.library._registry import example

# Points of the left front suspension in its design position [m]: x forward, y outboard, z up from the road.
_POINTS = {
    "lower_front": (0.15, 0.40, 0.20), "lower_rear": (-0.20, 0.40, 0.21), "lower_ball": (0.0, 0.72, 0.19),
    "upper_front": (0.12, 0.46, 0.53), "upper_rear": (-0.15, 0.46, 0.52), "upper_ball": (-0.02, 0.68, 0.50),
    "rack": (-0.12, 0.42, 0.28), "steer": (-0.12, 0.70, 0.27), "wheel": (0.0, 0.76, 0.32),
    "seat": (0.0, 0.58, 0.20), "top": (0.0, 0.52, 0.62),
}  # fmt: skip
_WEIGHT = 360.0 * 9.81  # of the chassis, about what the wheel carries beside its own


@example("bushing-suspension")
def bushing_suspension(k: float = 1e7, c: float = 2e4, bump: float = 0.04) -> mb.Model:
    """Double wishbone of a car's front wheel in stiff rubber bushings, driven over a bump: a stiff model.

    Two wishbones hang on the chassis by two bushings each and carry the wheel carrier by ball joints; the tie rod has a bushing
    at both ends. The chassis (a quarter of a car) moves vertically; spring and damper stand on the lower wishbone, and the tire
    is a spring from the road, raised by a bump of 0.1 s at t = 0.2. Starts at rest in the design position, near equilibrium.

    Parameters
    ----------
    k, c : float
        Radial stiffness [N/m] and damping [N s/m] of the bushings: a loss factor of 0.2 at 16 Hz.
    bump : float
        Height of the bump [m].

    Notes
    -----
    The data are not those of a certain car. Bodies chassis, lower, upper, tie, carrier (with the wheel); 19 degrees of freedom.
    The wheel hops at 12 Hz and the body moves at 0.6 Hz, while the tie rod turns in its bushings with a time constant of 5 µs:
    explicit methods need steps of that kind long after such motions have died away.
    """
    m = mb.Model("bushing-suspension", gravity=(0, 0, -9.81))
    stiffness = m.parameter("k", k, unit="N/m", doc="radial stiffness of a bushing")
    damping = m.parameter("c", c, unit="N s/m", doc="radial damping of a bushing")
    height = m.parameter("bump", bump, unit="m", doc="height of the bump")
    _bodies(m)
    m.translational("heave", m.ground, "chassis", axis=(0, 0, 1))
    m.spherical("lower_ball", "lower.lower_ball", "carrier.lower_ball")
    m.spherical("upper_ball", "upper.upper_ball", "carrier.upper_ball")
    for arm in ("lower", "upper"):
        for end in ("front", "rear"):  # soft about x, about which the wishbones swing, and along it
            laws = [(0.2 * x, x, x, 4e-6 * x, 4e-5 * x, 4e-5 * x) for x in (stiffness, damping)]
            point = f"{arm}_{end}"
            m.bushing(point, f"chassis.{point}", f"{arm}.{point}", stiffness=laws[0], damping=laws[1])
    for point, (first, second) in {"rack": ("chassis", "tie"), "steer": ("tie", "carrier")}.items():
        laws = [(x, x, x, 2e-6 * x, 2e-6 * x, 2e-6 * x) for x in (stiffness, damping)]
        m.bushing(point, f"{first}.{point}", f"{second}.{point}", stiffness=laws[0], damping=laws[1])
    _wheel(m, height)
    m.defaults["run"] = {"until": 4.0, "rtol": 1e-6, "atol": 1e-8}
    return m


def _bodies(m: mb.Model) -> None:
    """Add the bodies, all with their origin on the road below the middle of the car."""

    def frames(*names: str) -> dict[str, Any]:
        return {name: _POINTS[name] for name in names}

    inner = [f"{arm}_{end}" for arm in ("lower", "upper") for end in ("front", "rear")]
    m.body("chassis", mass=360, inertia=(60, 180, 200), com=(0, 0, 0.5), frames=frames(*inner, "rack", "top"))
    m.body(
        "lower", mass=6, inertia=(0.08, 0.07, 0.14), com=(-0.02, 0.52, 0.20),
        frames=frames("lower_front", "lower_rear", "lower_ball", "seat"),
    )  # fmt: skip
    m.body(
        "upper", mass=2.5, inertia=(0.02, 0.02, 0.04), com=(-0.02, 0.55, 0.515),
        frames=frames("upper_front", "upper_rear", "upper_ball"),
    )  # fmt: skip
    m.body("tie", mass=0.6, inertia=(3.9e-3, 5e-5, 3.9e-3), com=(-0.12, 0.56, 0.275), frames=frames("rack", "steer"))
    m.body(
        "carrier", mass=38, inertia=(0.9, 1.5, 0.9), com=(0, 0.74, 0.32),
        frames=frames("lower_ball", "upper_ball", "steer", "wheel"),
    )  # fmt: skip


def _wheel(m: mb.Model, height: Any) -> None:
    """Add the spring with its damper and the tire, preloaded as the chassis' weight asks for."""
    rate, lever = 3e4, 0.56  # [N/m]; force at the wheel over force of the spring
    long = sum((a - b) ** 2 for a, b in zip(_POINTS["top"], _POINTS["seat"], strict=True)) ** 0.5
    m.spring("strut", "lower.seat", "chassis.top", stiffness=rate, damping=2500, length=long + _WEIGHT / lever / rate)
    m.frames(road=(*_POINTS["wheel"][:2], 0.0))
    tire, unsprung = 2.2e5, 9.81 * (38 + 0.6 + 0.5 * 8.5)
    free = _POINTS["wheel"][2] + (_WEIGHT + unsprung) / tire
    up, down = mb.haversine(mb.t, 0.2, 0, 0.25, 1), mb.haversine(mb.t, 0.25, 0, 0.3, 1)
    lift = tire * height * (up - down)
    m.spring("tire", "ground.road", "carrier.wheel", stiffness=tire, damping=150, length=free, force=lift)
