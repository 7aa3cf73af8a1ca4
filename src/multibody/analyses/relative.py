"""Geometry of motion: relative motion with its parts, instant centers, toggle positions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody.analyses.measure import Measurer, cross
from multibody.analyses.system import Floats
from multibody.errors import ModelError
from multibody.model.names import unknown


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
    _, _, _, w, _, dw = measurer.body_motion(body)
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
    r, _, dr, w, _, _ = measurer.body_motion(body)
    s, _, ds, u, _, _ = measurer.body_motion(other)
    relative = dr - ds - cross(u, r - s)  # velocity of the point of the one body seen from the other
    turn = w - u
    with np.errstate(divide="ignore", invalid="ignore"):
        center = r + np.stack([-relative[:, 1], relative[:, 0]], -1) / turn[:, None]
    center[np.abs(turn) < 1e-14 * max(1.0, float(np.max(np.abs(w), initial=0.0)))] = np.inf
    return np.asarray(center)


def toggle_positions(measurer: Measurer) -> list[dict[str, Any]]:
    """Return the instants at which three pins that follow each other in a planar mechanism come into line.

    Found between grid points from the sign of the triangle's area and placed by a cubic (Hermite) of the area.
    """
    if measurer.tables.dimension != 2:
        raise ModelError("toggle positions need dimension 2", hint="see the smallest singular value in space")
    found = []
    for name, (a, b, c) in _triples(measurer).items():
        (pa, va), (pb, vb), (pc, vc) = (_pin(measurer, joint) for joint in (a, b, c))
        area = _wedge(pb - pa, pc - pb)
        rate = _wedge(vb - va, pc - pb) + _wedge(pb - pa, vc - vb)
        size = np.linalg.norm(pb - pa, axis=1) * np.linalg.norm(pc - pb, axis=1)
        flat = np.abs(area) <= 1e-10 * size
        for k in range(len(area)):
            if flat[k]:
                if k == 0 or not flat[k - 1]:
                    found.append(_toggle(measurer.t[k], name, (a, b, c), (pb - pa)[k] @ (pc - pb)[k]))
            elif k and not flat[k - 1] and area[k - 1] * area[k] < 0.0:
                time = _hermite_root(measurer.t[k - 1], measurer.t[k], area[k - 1 : k + 1], rate[k - 1 : k + 1])
                found.append(_toggle(time, name, (a, b, c), (pb - pa)[k] @ (pc - pb)[k]))
    return sorted(found, key=lambda item: item["time"])


def _toggle(time: float, body: str, pins: tuple[str, ...], along: float) -> dict[str, Any]:
    """Return a toggle position: stretched (pins in order) or folded (one over the other)."""
    return {"time": float(time), "pins": list(pins), "links": body, "kind": "stretched" if along > 0.0 else "folded"}


def _wedge(a: Floats, b: Floats) -> Floats:
    """Return a₁b₂ − a₂b₁."""
    return np.asarray(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])


def _pin(measurer: Measurer, joint: str) -> tuple[Floats, Floats]:
    """Return position and velocity of a joint's point."""
    end = measurer.tables.ends[joint][1]
    r, A, dr, w, _, _ = measurer.body_motion(measurer.tables.bodies[end.body])
    arm = A @ measurer.tables.vector(end.point)
    return r + arm, dr + cross(w, arm)


def _triples(measurer: Measurer) -> dict[str, tuple[str, str, str]]:
    """Return chains pin–link–pin–link–pin: two links that share a pin, with one further pin each."""
    tables = measurer.tables
    pins: dict[int, list[str]] = {}
    for name, pair in tables.ends.items():
        if tables.model.joints[name].kind.name == "revolute":
            for end in pair:
                pins.setdefault(end.body, []).append(name)
    triples = {}
    for name, (first, second) in tables.ends.items():
        if tables.model.joints[name].kind.name == "revolute" and first.body and second.body:
            for a in pins[first.body]:
                for c in pins[second.body]:
                    if len({a, name, c}) == 3:
                        links = f"{tables.bodies[first.body]}–{tables.bodies[second.body]}"
                        triples[f"{links} ({a}, {name}, {c})"] = (a, name, c)
    return triples


def _hermite_root(t0: float, t1: float, values: Floats, rates: Floats) -> float:
    """Return where the cubic through two values with their rates crosses zero."""
    h, low, high = t1 - t0, 0.0, 1.0

    def cubic(u: float) -> float:
        return float(
            (1 + 2 * u) * (1 - u) ** 2 * values[0] + u * (1 - u) ** 2 * h * rates[0]
            + u * u * (3 - 2 * u) * values[1] + u * u * (u - 1) * h * rates[1]
        )  # fmt: skip

    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if cubic(middle) * values[0] > 0.0 else (low, middle)
    return t0 + h * 0.5 * (low + high)
