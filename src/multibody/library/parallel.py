"""Parallel robots: a Stewart platform on six legs and a Delta robot, mechanisms of many coupled loops."""

from __future__ import annotations

from typing import Any

import multibody as mb
from multibody.library._registry import example

_BASE = (-15, 15, 105, 135, 225, 255)  # angles [degrees] of the feet and of the platform's pins, leg by leg
_TOP = (-45, 45, 75, 165, 195, 285)


def _at(angle: float, radius: Any, z: Any = 0) -> tuple[Any, Any, Any]:
    """Return the point at an angle [degrees] on a circle about z."""
    return (f"({radius})*cos({angle}*deg)", f"({radius})*sin({angle}*deg)", z)  # as text, which keeps the angle readable


def _across(along: Any) -> list[mb.Expression | float]:
    """Return the axes of a universal joint on a rod: the first one level, both perpendicular to the rod."""
    level = mb.cross((0, 0, 1), along)
    return [level, mb.cross(along, level)]


@example("stewart-platform")
def stewart_platform(
    rb: float = 0.6, rp: float = 0.3, height: float = 0.8, stiffness: float = 2000.0, damping: float = 20.0, tilt: float = 0.2
) -> mb.Model:
    """Stewart platform on six springy legs (UPS), released from rest under its weight with a spin.

    Each leg is a cylinder on a universal joint ``U1`` … ``U6`` at the base, a rod that slides in it (``L1`` … ``L6``, zero as
    drawn) and a ball ``S1`` … ``S6`` under the platform. A spring and a damper act along every leg, free as drawn. Five
    coupled loops, mobility 6.

    Parameters
    ----------
    rb, rp : float
        Radii of the circles of the feet and of the pins under the platform [m].
    height : float
        Of the pins above the feet as drawn [m].
    stiffness, damping : float
        Of the legs [N/m], [N s/m].
    tilt : float
        Initial angular velocity of the platform about x [rad/s].

    Notes
    -----
    Gough 1956, Stewart 1965; data are ours. Feet at ±15° and pins at ±45° around three axes 120° apart. Bodies platform
    (12 kg), cylinder1 … (1.5 kg), rod1 … (0.8 kg). Gravity 9.81 along −z.
    """
    m = mb.Model("stewart-platform", gravity=(0, 0, -9.81))
    foot = m.parameter("rb", rb, unit="m", doc="radius of the feet")
    pin = m.parameter("rp", rp, unit="m", doc="radius of the pins")
    up = m.parameter("height", height, unit="m", doc="height of the pins as drawn")
    k = m.parameter("stiffness", stiffness, unit="N/m", doc="stiffness of a leg")
    c = m.parameter("damping", damping, unit="N s/m", doc="damping of a leg")
    spin = m.parameter("tilt", tilt, unit="rad/s", doc="initial angular velocity about x")
    platform = m.body("platform", mass=12.0, inertia=(0.35, 0.35, 0.6), com=(0, 0, 0.02), at=(0, 0, up))
    for n, (base, top) in enumerate(zip(_BASE, _TOP, strict=True), start=1):
        B = m.parameter(f"pB{n}", _at(base, foot), unit="m", doc=f"foot of leg {n}")
        P = m.parameter(f"pP{n}", _at(top, pin, up), unit="m", doc=f"pin of leg {n} as drawn")
        along = P - B
        cylinder = m.body(f"cylinder{n}", mass=1.5, shape={"rod": [B, B + 0.6 * along], "radius": 0.025})
        rod = m.body(f"rod{n}", mass=0.8, shape={"rod": [B + 0.4 * along, P], "radius": 0.012})
        m.universal(f"U{n}", m.ground, cylinder, at=B, axes=_across(along))
        m.translational(f"L{n}", cylinder, rod, at=P, axis=along)
        m.spherical(f"S{n}", rod, platform, at=P)
        m.effort(f"leg{n}", f"L{n}", stiffness=k, damping=c)
    m.initial({"platform.x.rate": 0, "platform.y.rate": 0, "platform.z.rate": 0})
    m.initial({"platform.omega.x": spin, "platform.omega.y": 0, "platform.omega.z": 0})
    m.defaults["run"] = {"until": 1.0}
    return m


@example("delta-robot")
def delta_robot(
    base: float = 0.2, arm: float = 0.3, forearm: float = 0.7, platform: float = 0.05, half: float = 0.04, torque: float = 2.0
) -> mb.Model:
    """Delta robot: three arms and three parallelograms of two rods keep the plate level.

    Arm k turns about the horizontal tangent of the base circle (``A1`` … ``A3``, zero as drawn, where it is level; positive
    lowers it). Rods ``a`` and ``b`` of its parallelogram have a universal joint on the arm (``Ua1`` …) and a ball on the
    plate (``Sa1`` …), so that none can spin idly; the plate does not turn. With e the direction of arm k as drawn,

        | p + platform e − (base + arm cos A) e + arm sin A z | = forearm

    for the center p of the plate. Springs and dampers of the drives hold the arms; torques in three phases lead the plate
    around.

    Parameters
    ----------
    base, platform : float
        Radii of the circles of the arms' axes and of the pins on the platform [m].
    arm, forearm : float
        Lengths of arms and rods [m].
    half : float
        Half the distance of the two rods [m].
    torque : float
        Amplitude of the drives' torques [N m].

    Notes
    -----
    Clavel 1988; data are ours. Bodies plate (0.6 kg), arm1 … (0.5 kg), a1, b1 … (0.08 kg). Mobility 3, no redundant
    equation, five coupled loops. Gravity 9.81 along −z.
    """
    m = mb.Model("delta-robot", gravity=(0, 0, -9.81))
    R = m.parameter("base", base, unit="m", doc="radius of the arms' axes")
    l1 = m.parameter("arm", arm, unit="m", doc="length of an arm")
    l2 = m.parameter("forearm", forearm, unit="m", doc="length of the rods")
    r = m.parameter("platform", platform, unit="m", doc="radius of the pins on the platform")
    w = m.parameter("half", half, unit="m", doc="half the distance of two rods")
    size = m.parameter("torque", torque, unit="N m", doc="amplitude of the drives' torques")
    depth = m.parameter("depth", -mb.sqrt(l2**2 - (R + l1 - r) ** 2), unit="m", doc="z of the platform as drawn")
    plate = m.body("plate", mass=0.6, inertia=(1e-3, 1e-3, 2e-3), at=(0, 0, depth))
    for k in (1, 2, 3):
        angle = 120 * (k - 1)
        hip = m.parameter(f"hip{k}", _at(angle, R), unit="m", doc=f"axis of arm {k}")
        elbow = m.parameter(f"elbow{k}", _at(angle, R + l1), unit="m", doc=f"end of arm {k} as drawn")
        pin = m.parameter(f"pin{k}", _at(angle, r, depth), unit="m", doc=f"pins of arm {k} as drawn, their middle")
        side = m.parameter(f"side{k}", _at(angle + 90, w), unit="m", doc=f"from there to the second rod of arm {k}")
        link = m.body(f"arm{k}", mass=0.5, shape={"rod": [hip, elbow], "radius": 0.015})
        m.revolute(f"A{k}", m.ground, link, at=hip, axis=_at(angle + 90, 1))
        for name, sign in (("a", -1), ("b", 1)):
            rod = m.body(f"{name}{k}", mass=0.08, shape={"rod": [elbow + sign * side, pin + sign * side], "radius": 0.005})
            m.universal(f"U{name}{k}", link, rod, at=elbow + sign * side, axes=_across(pin - elbow))
            m.spherical(f"S{name}{k}", rod, plate, at=pin + sign * side)
        m.effort(f"drive{k}", f"A{k}", value=size * mb.sin(4 * mb.pi * mb.t - angle * mb.deg), stiffness=20.0, damping=0.4)
        m.initial({f"A{k}": 0, f"A{k}.rate": 0})
    m.defaults["run"] = {"until": 1.0}
    return m
