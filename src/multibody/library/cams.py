"""Cams with the three classic followers: knife edge, roller and flat face.

All three have the profile r(φ) = base + lift (1 − cos φ)/2 in the cam's frame, turn counter-clockwise about the
origin, and lift their follower along the y axis; ``O`` is the cam's angle θ and ``guide`` the follower's place.
"""

from __future__ import annotations

import multibody as mb
from multibody.library._registry import example, period


@example("cam-knife")
def cam_knife(base: float = 0.03, lift: float = 0.01, speed: float = 300.0) -> mb.Model:
    """Cam with a knife-edge follower, in line with the cam's axis.

    The edge meets the profile at φ = π/2 − θ, so the lift curve is the profile: guide = r(π/2 − θ).

    Parameters
    ----------
    base, lift : float
        Base radius and rise of the profile [m].
    speed : float
        Of the cam [rpm].

    Notes
    -----
    Shabana, Computational Dynamics, ch. 3, for the contact equations; data are ours.
    """
    m, profile, rest = _cam("cam-knife", base, lift, speed)
    m.cam("contact", "cam", "follower", profile=profile)
    _follow(m, rest)
    return m


@example("cam-roller")
def cam_roller(base: float = 0.03, lift: float = 0.01, rr: float = 0.008, speed: float = 300.0) -> mb.Model:
    """Cam with a roller follower and a valve spring.

    The roller's center runs on the pitch curve, the profile offset by rr along its outward normal n:
    P(φ) + rr n(φ), turned by θ, equals (0, guide).

    Parameters
    ----------
    base, lift : float
        Base radius and rise of the profile [m].
    rr : float
        Radius of the roller [m].
    speed : float
        Of the cam [rpm].

    Notes
    -----
    Shabana, Computational Dynamics, ch. 3, for the contact equations; data are ours.
    """
    m, profile, rest = _cam("cam-roller", base, lift, speed)
    radius = m.parameter("rr", rr, unit="m", doc="radius of the roller")
    m.cam("contact", "cam", "follower", profile=profile, roller=radius)
    _follow(m, rest + radius)
    return m


@example("cam-flat")
def cam_flat(base: float = 0.03, lift: float = 0.01, speed: float = 300.0) -> mb.Model:
    """Cam with a flat-faced follower, whose face is square to its guide.

    The face touches the highest point of the turned profile, so guide = max over φ of r(φ) sin(φ + θ), and the
    follower's speed over the cam's is the distance of the contact from the guide. The profile stays convex while
    lift < 2 base; a flat face cannot follow a hollow one.

    Parameters
    ----------
    base, lift : float
        Base radius and rise of the profile [m].
    speed : float
        Of the cam [rpm].

    Notes
    -----
    Shabana, Computational Dynamics, ch. 3, for the contact equations; data are ours.
    """
    m, profile, rest = _cam("cam-flat", base, lift, speed)
    m.cam("contact", "cam", "follower", profile=profile, flat=(0, 1))
    _follow(m, rest)
    return m


def _cam(name: str, base: float, lift: float, speed: float) -> tuple[mb.Model, str, mb.Expression]:
    """Return a model with a driven cam and a guided follower, the profile and the base radius."""
    m = mb.Model(name, dimension=2, gravity=(0, -9.81))
    b = m.parameter("base", base, unit="m", doc="base radius")
    m.parameter("lift", lift, unit="m", doc="rise of the profile")
    m.frames(seat=(0, 0.16))
    cam = m.body("cam", mass=0.5, inertia=4e-4)
    follower = m.body("follower", mass=0.2, inertia=1e-4, frames={"top": (0, 0.06)})
    m.revolute("O", m.ground, cam)
    m.translational("guide", m.ground, follower, axis=(0, 1))
    m.motion("O", m.parameter("speed", speed, unit="rpm", doc="speed of the cam") * mb.rpm * mb.t)
    m.spring("valve_spring", m.ground["seat"], follower["top"], stiffness=800, damping=2, length=0.08)
    period(m, 60.0, speed)
    return m, "base + lift*(1 - cos(phi))/2", b


def _follow(m: mb.Model, rest: mb.Expression | float) -> None:
    """Start the follower at the height of the base circle and measure its lift from there."""
    m.initial(guess={"guide": rest})
    m.output("valve_lift", f"guide.position - ({rest})")
