"""Toggle positions of planar mechanisms: two links that share a pin come into line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody.analyses.measures.measure import Measurer, cross
from multibody.errors import ModelError
from multibody.state.system import Floats

SAME = 1e-9  # part of the characteristic length within which points of a body are one


def toggle_positions(measurer: Measurer) -> list[dict[str, Any]]:
    """Return the instants at which three pins that follow each other in a planar mechanism come into line.

    Joints that share a point are one pin. Links that are in line the whole time have no toggle position. Found between grid
    points from the sign of the triangle's area and placed by a cubic (Hermite) of the area.
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
        if len(flat) > 1 and np.all(flat):
            continue
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
    motion = measurer.body_motion(measurer.tables.bodies[end.body])
    r, A, dr, w = motion.position, motion.axes, motion.velocity, motion.spin
    arm = A @ measurer.tables.vector(end.point)
    return r + arm, dr + cross(w, arm)


@dataclass
class _Pin:
    """Revolute joints that share one point, and the bodies that turn about it."""

    joints: list[str]
    bodies: set[int]


def _pins(measurer: Measurer) -> list[_Pin]:
    """Return the pins of a mechanism: two joints are one pin where they have the same point of a body that they share."""
    tables = measurer.tables
    found: list[_Pin] = []
    places: dict[int, list[tuple[Floats, _Pin]]] = {}  # points of each body with their pins
    for name, pair in tables.ends.items():
        if tables.model.joints[name].kind.name != "revolute":
            continue
        points = [(end.body, tables.vector(end.point)) for end in pair]
        met = [
            pin for body, point in points for other, pin in places.get(body, [])
            if float(np.linalg.norm(point - other)) <= SAME * tables.length
        ]  # fmt: skip
        pin = met[0] if met else _Pin([], set())
        for other in met[1:]:  # this joint brings two pins together
            if other is not pin and other in found:
                pin.joints += other.joints
                pin.bodies |= other.bodies
                found.remove(other)
                for items in places.values():
                    items[:] = [(point, pin if own is other else own) for point, own in items]
        if not met:
            found.append(pin)
        pin.joints.append(name)
        pin.bodies |= {body for body, _ in points}
        for body, point in points:
            places.setdefault(body, []).append((point, pin))
    return found


def _triples(measurer: Measurer) -> dict[str, tuple[str, str, str]]:
    """Return chains pin–link–pin–link–pin: two links that share a pin, with one further pin each."""
    tables, pins, triples = measurer.tables, _pins(measurer), dict[str, tuple[str, str, str]]()

    def joint_on(pin: _Pin, body: int) -> str:
        return next(name for name in pin.joints if body in {end.body for end in tables.ends[name]})

    for pin in pins:
        links = [body for name in pin.joints for end in tables.ends[name] if (body := end.body)]
        links = list(dict.fromkeys(links))
        for k, first in enumerate(links):
            for second in links[k + 1 :]:
                both = [name for name in pin.joints if {end.body for end in tables.ends[name]} == {first, second}]
                for a in (other for other in pins if other is not pin and first in other.bodies):
                    for c in (other for other in pins if other is not pin and other is not a and second in other.bodies):
                        three = (joint_on(a, first), both[0] if both else joint_on(pin, first), joint_on(c, second))
                        triples[f"{tables.bodies[first]}–{tables.bodies[second]} ({', '.join(three)})"] = three
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
