"""Gears: a planetary set and a rack with its pinion."""

from __future__ import annotations

import multibody as mb
from multibody.library._registry import example, period, whole, word


@example("planetary")
def planetary(
    n: int = 3, zs: float = 24, zp: float = 18, module: float = 0.002, drive: str = "sun", speed: float = 1500.0,
    torque: float = 1.0,
) -> mb.Model:  # fmt: skip
    """Planetary gear set with a fixed ring, a sun and n planets on an arm.

    The ring belongs to the ground and has z_r = z_s + 2 z_p teeth. Angles are counter-clockwise: ``S`` of the sun,
    ``C`` of the arm, ``P1`` … of the planets relative to the arm. Willis' equation gives

        ω_arm = ω_sun z_s / (z_s + z_r),  ω_planet − ω_arm = −(ω_sun − ω_arm) z_s / z_p

    Each planet closes the train again, so all meshes but two are redundant: mobility 1 for every n.

    Parameters
    ----------
    n : int
        Number of planets.
    zs, zp : float
        Teeth of sun and planet.
    module : float
        Pitch diameter over teeth [m].
    drive : {"sun", "carrier", "torque"}
        What drives it: the sun's speed, the arm's speed, or a torque on the sun from rest.
    speed : float
        Speed of the driven shaft [rpm].
    torque : float
        Torque on the sun [N m].

    Notes
    -----
    The load is a torque of −5 N m on the arm. Data are ours.
    """
    count = whole(n, "n", "planetary")
    chosen = word(drive, "drive", "planetary", ("sun", "carrier", "torque"))
    m = mb.Model("planetary", dimension=2)
    zs_, zp_ = m.parameter("zs", zs, doc="teeth of the sun"), m.parameter("zp", zp, doc="teeth of a planet")
    zr = m.parameter("zr", zs_ + 2 * zp_, doc="teeth of the ring")
    size = m.parameter("module", module, unit="m", doc="pitch diameter over teeth")
    m.parameter("a", size * (zs_ + zp_) / 2, unit="m", doc="distance of the planets' axes from the sun's")
    sun = m.body("sun", mass=0.3, inertia=2e-5)
    arm = m.body("arm", mass=0.4, inertia=3e-4)
    m.revolute("S", m.ground, sun)
    m.revolute("C", m.ground, arm)
    for k in range(1, count + 1):
        place = (f"a*cos(2*pi*{k}/{count})", f"a*sin(2*pi*{k}/{count})")
        planet = m.body(f"planet{k}", mass=0.1, inertia=1e-5, at=place)
        m.revolute(f"P{k}", arm, planet, at=place)
        m.gear(f"sun_mesh{k}", sun, planet, carrier=arm, teeth=(zs_, zp_))
        m.gear(f"ring_mesh{k}", m.ground, planet, carrier=arm, teeth=(zr, zp_), internal=True)
    m.effort("load", "C", value=-5.0)
    if chosen == "torque":
        m.effort("drive", "S", value=m.parameter("torque", torque, unit="N m", doc="torque on the sun"))
        m.initial({"S": 0.0, "S.rate": 0.0})
        m.defaults["run"] = {"until": 1.0}
    else:
        rate = m.parameter("speed", speed, unit="rpm", doc="speed of the driven shaft")
        m.motion("S" if chosen == "sun" else "C", rate * mb.rpm * mb.t)
        period(m, 60.0, speed)
    return m


@example("rack-and-pinion")
def rack_and_pinion(radius: float = 0.02, swing: float = 90.0, frequency: float = 1.0) -> mb.Model:
    """Rack that runs below a pinion whose angle swings.

    The pinion turns about (0, radius), the rack slides along x below it: a counter-clockwise turn moves it to the
    right, ``R`` = radius · ``P``. A negative radius puts the pinion below the rack and turns the sense round.

    Parameters
    ----------
    radius : float
        Pitch radius [m].
    swing : float
        Amplitude of the pinion's angle [degrees].
    frequency : float
        Of the swing [Hz].

    Notes
    -----
    Data are ours.
    """
    m = mb.Model("rack-and-pinion", dimension=2, gravity=(0, -9.81))
    r = m.parameter("radius", radius, unit="m", doc="pitch radius of the pinion")
    pinion = m.body("pinion", mass=0.2, inertia=0.1 * r**2, at=(0, r))
    rack = m.body("rack", mass=0.5, inertia=1e-3)
    m.revolute("P", m.ground, pinion, at=(0, r))
    m.translational("R", m.ground, rack, axis=(1, 0))
    m.rack("mesh", pinion, rack, radius=r, axis=(1, 0))
    amplitude = m.parameter("swing", swing, unit="deg", doc="amplitude of the pinion's angle")
    rate = m.parameter("frequency", frequency, unit="Hz", doc="frequency of the swing")
    m.motion("P", amplitude * mb.deg * mb.sin(2 * mb.pi * rate * mb.t))
    period(m, 1.0, frequency)
    return m
