"""Geometry of motion: relative motion with its parts, instant centers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multibody.analyses.measures.measure import Measurer, cross
from multibody.errors import ModelError
from multibody.model.names import unknown
from multibody.state.system import Floats


@dataclass(frozen=True)
class RelativeMotion:
    """Motion of a point as seen from a moving body, ground components over time (planar and spatial).

    Attributes
    ----------
    position, velocity, acceleration : arrays (instants, axes)
        Of the point relative to the body: ū, A dū/dt, A d²ū/dt², turned into ground axes.
    carried_velocity, carried_acceleration : arrays
        Of the body's own reference point (its origin).
    transport : array
        ω×u.
    tangential, normal, coriolis : arrays
        α×u, ω×(ω×u), 2ω×(A dū/dt); with the carried and the relative part they add up to the point's acceleration.
    """

    position: Floats
    velocity: Floats
    acceleration: Floats
    carried_velocity: Floats
    carried_acceleration: Floats
    transport: Floats
    tangential: Floats
    normal: Floats
    coriolis: Floats


def relative_motion(measurer: Measurer, point: str, body: str) -> RelativeMotion:
    """Return the motion of a point relative to a body (Shabana, Computational Dynamics, section 3.3–3.6).

    Parameters
    ----------
    measurer : Measurer
    point : str
        ``body`` or ``body.frame``.
    body : str
        The body that the motion is seen from.
    """
    model = measurer.model
    if body not in measurer.tables.bodies:
        raise unknown("body", body, measurer.tables.bodies, "relative motion")
    p, dp, ddp = measurer.frame(*model.find_end(point, "relative"))
    o, do, ddo = measurer.frame(body, "origin")
    motion = measurer.body_motion(body)
    w, dw = motion.spin, motion.spin_rate
    u = p - o
    transport, tangential = cross(w, u), cross(dw, u)
    normal = cross(w, transport)
    velocity = dp - do - transport
    coriolis = 2.0 * cross(w, velocity)
    acceleration = ddp - ddo - tangential - normal - coriolis
    return RelativeMotion(u, velocity, acceleration, do, ddo, transport, tangential, normal, coriolis)


def instant_center(measurer: Measurer, body: str, other: str = "ground") -> Floats:
    """Return the instant center of a body relative to another over time (instants, 2); infinite where they do not turn.

    The point at which both bodies have the same velocity: o + ω⁻¹ (v_o)^⊥ of the relative motion.
    """
    if measurer.tables.dimension != 2:
        raise ModelError("instant centers need dimension 2", hint="in space bodies have a screw axis")
    for name in (body, other):
        if name not in measurer.tables.bodies:
            raise unknown("body", name, measurer.tables.bodies, "instant center")
    one, two = measurer.body_motion(body), measurer.body_motion(other)
    r, dr, w = one.position, one.velocity, one.spin
    s, ds, u = two.position, two.velocity, two.spin
    relative = dr - ds - cross(u, r - s)  # velocity of the point of the one body seen from the other
    turn = w - u
    with np.errstate(divide="ignore", invalid="ignore"):
        center = r + np.stack([-relative[:, 1], relative[:, 0]], -1) / turn[:, None]
    center[np.abs(turn) < 1e-14 * max(1.0, float(np.max(np.abs(w), initial=0.0)))] = np.inf
    return np.asarray(center)
