"""Every planar joint in motion against equations in minimal coordinates that are written here by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import multibody as mb
from analyses.dynamics.checks import Floats
from analyses.dynamics.lagrange import Minimal, Pose, flat
from analyses.dynamics.oracle_cases import Case, errors, kinds
from multibody.model.joints import KINDS

G = (0.0, -9.81, 0.0)


def rotated(angle: Floats, x: float, y: float) -> tuple[Floats, Floats]:
    """Return the components of a body's vector in ground."""
    return np.cos(angle) * x - np.sin(angle) * y, np.sin(angle) * x + np.cos(angle) * y


def cart() -> Case:
    """Return a cart on an oblique rail, a pendulum on it and blocks welded to that (translational, revolute, fixed)."""
    m = mb.Model("cart", dimension=2, gravity=(0, -9.81))
    m.body("cart", mass=2.0, inertia=0.3)
    m.body("rod", mass=0.7, inertia=0.05, com=(0.1, -0.4))
    m.body("block", mass=0.5, inertia=0.02)
    m.translational("rail", "ground", "cart", axis=(4, 3))
    m.revolute("pin", "cart", "rod")
    m.body("hook", mass=0.1, inertia=0.001)
    m.fixed("weld", "rod", "block")
    m.fixed("weld2", "block", "hook")
    m.effort("spring", "rail", stiffness=30, rest=0.2, damping=1.5)
    m.effort("hinge", "pin", damping=0.2)

    def embed(u: Floats, t: Floats) -> list[Pose]:
        s, a = u[:, 0], u[:, 1]
        x, y = 0.8 * s, 0.6 * s
        dx, dy = rotated(a, 0.1, -0.4)
        return [flat(x, y, 0.0 * a), flat(x + dx, y + dy, a), flat(x, y, a), flat(x, y, a)]

    def efforts(t: float, u: Floats, v: Floats) -> Floats:
        return np.array([-30 * (u[0] - 0.2) - 1.5 * v[0], -0.2 * v[1]])

    minimal = Minimal([2.0, 0.7, 0.5, 0.1], [0.3, 0.05, 0.02, 0.001], embed, G, efforts)
    return Case(m, minimal, [0.0, 0.0], [0.7, 3.0], 1.0, {"rail": 0, "pin": 1})


def bead() -> Case:
    """Return a rod with one point on an oblique line of a turning arm (point_on_line on a moving body)."""
    m = mb.Model("bead", dimension=2, gravity=(0, -9.81))
    m.body("arm", mass=1.5, inertia=0.4, com=(0.3, 0.1), frames={"line": (0.2, 0.1)})
    m.body("rod", mass=0.8, inertia=0.06, com=(0.25, -0.35), frames={"P": (0.2, 0.1)})
    m.revolute("O", "ground", "arm")
    m.point_on_line("bead", "arm.line", "rod.P", axis=(1, 2))
    m.effort("motor", "O", value=4.0, damping=0.3)

    def embed(u: Floats, t: Floats) -> list[Pose]:
        a, s, b = u.T
        d = s / math.sqrt(5.0)
        ax, ay = rotated(a, 0.3, 0.1)
        px, py = rotated(a, 0.2, 0.1)
        lx, ly = rotated(a, 1.0, 2.0)
        cx, cy = rotated(b, 0.05, -0.45)
        return [flat(ax, ay, a), flat(px + d * lx + cx, py + d * ly + cy, b)]

    def efforts(t: float, u: Floats, v: Floats) -> Floats:
        return np.array([4.0 - 0.3 * v[0], 0.0, 0.0])

    minimal = Minimal([1.5, 0.8], [0.4, 0.06], embed, G, efforts)
    return Case(m, minimal, [0.0, 0.0, 0.0], [1.0, 0.5, -2.0], 0.8, {"O": 0, "bead.position": 1, "rod.angle": 2})


def hung() -> Case:
    """Return two plates hung on massless rods, one below the other (distance)."""
    m = mb.Model("hung", dimension=2, gravity=(0, -9.81))
    m.body("first", mass=1.0, inertia=0.1, com=(0.5, -1.2), frames={"P": (0.3, -1.0), "Q": (0.8, -1.3)})
    m.body("second", mass=2.0, inertia=0.2, com=(1.0, -2.0), frames={"P": (0.9, -1.7)})
    m.distance("rod1", "ground", "first.P", length=math.hypot(0.3, 1.0))
    m.distance("rod2", "first.Q", "second.P", length=math.hypot(0.1, 0.4))

    def embed(u: Floats, t: Floats) -> list[Pose]:
        a, b, c, d = u.T
        px, py = rotated(a, 0.3, -1.0)
        x1, y1 = rotated(b, 0.2, -0.2)
        qx, qy = rotated(b, 0.5, -0.3)
        rx, ry = rotated(c, 0.1, -0.4)
        x2, y2 = rotated(d, 0.1, -0.3)
        return [flat(px + x1, py + y1, b), flat(px + qx + rx + x2, py + qy + ry + y2, d)]

    minimal = Minimal([1.0, 2.0], [0.1, 0.2], embed, G)
    return Case(m, minimal, [0.0] * 4, [0.4, 1.0, -1.5, 2.0], 0.8, {"first.angle": 1, "second.angle": 3})


def epicyclic() -> Case:
    """Return sun, planet with an eccentric mass on a turning arm, ring with inertia (gear: external, internal)."""
    m = mb.Model("epicyclic", dimension=2, gravity=(0, -9.81))
    m.body("arm", mass=0.6, inertia=0.02, com=(0.15, 0.0))
    m.body("sun", mass=0.5, inertia=0.01, com=(0.03, 0.02))
    m.body("planet", mass=0.4, inertia=0.005, com=(0.04, 0.0), at=(0.3, 0.0))
    m.body("ring", mass=1.0, inertia=0.1, com=(0.0, 0.1))
    for name in ("arm", "sun", "ring"):
        m.revolute(f"O_{name}", "ground", name)
    m.revolute("pin", "arm", "planet", at=(0.3, 0.0))
    m.gear("inner", "sun", "planet", carrier="arm", radii=(0.2, 0.1))
    m.gear("outer", "ring", "planet", carrier="arm", radii=(0.4, 0.1), internal=True)
    m.effort("motor", "O_sun", value=0.3)
    m.effort("load", "O_arm", damping=0.05)

    def embed(u: Floats, t: Floats) -> list[Pose]:
        arm, sun = u.T
        planet = arm - 2.0 * (sun - arm)  # rolls on the sun, seen from the arm
        ring = arm + 0.25 * (planet - arm)
        px, py = rotated(arm, 0.3, 0.0)
        cx, cy = rotated(planet, 0.04, 0.0)
        return [flat(*rotated(arm, 0.15, 0.0), arm), flat(*rotated(sun, 0.03, 0.02), sun), flat(px + cx, py + cy, planet),
                flat(*rotated(ring, 0.0, 0.1), ring)]  # fmt: skip

    def efforts(t: float, u: Floats, v: Floats) -> Floats:
        return np.array([-0.05 * v[0], 0.3])

    minimal = Minimal([0.6, 0.5, 0.4, 1.0], [0.02, 0.01, 0.005, 0.1], embed, G, efforts)
    return Case(m, minimal, [0.0, 0.0], [1.0, -2.0], 1.0, {"O_arm": 0, "O_sun": 1})


def steering() -> Case:
    """Return a pinion with an eccentric mass, an oblique rack with a spring (rack)."""
    m = mb.Model("steering", dimension=2, gravity=(0, -9.81))
    m.body("pinion", mass=1.2, inertia=0.01, com=(0.02, 0.05))
    m.body("rack", mass=0.7, inertia=0.01, com=(0.1, -0.1))
    m.revolute("O", "ground", "pinion")
    m.translational("guide", "ground", "rack", axis=(3, 4))
    m.rack("mesh", "pinion", "rack", radius=-0.08, axis=(3, 4))
    m.effort("spring", "guide", stiffness=40)

    def embed(u: Floats, t: Floats) -> list[Pose]:
        a = u[:, 0]
        s = -0.08 * a
        return [flat(*rotated(a, 0.02, 0.05), a), flat(0.1 + 0.6 * s, -0.1 + 0.8 * s, 0.0 * a)]

    def efforts(t: float, u: Floats, v: Floats) -> Floats:
        return np.array([-40 * 0.08**2 * u[0]])

    minimal = Minimal([1.2, 0.7], [0.01, 0.01], embed, G, efforts)
    return Case(m, minimal, [0.0], [3.0], 2.0, {"O": 0})


RADIUS, OFFSET = 0.05, 0.02  # of a round cam about its shaft


def cam(follower: str) -> Case:
    """Return a round cam turning about a point beside its center lifts a follower along y (cam)."""
    m = mb.Model("cam", dimension=2, gravity=(0, -9.81))
    m.body("cam", mass=0.8, inertia=0.002, com=(0.01, 0.004))
    m.body("follower", mass=0.3, inertia=0.001)
    m.revolute("O", "ground", "cam")
    m.translational("guide", "ground", "follower", axis=(0, 1))
    extra: dict[str, Any] = {"knife": {}, "roller": {"roller": 0.015}, "flat": {"flat": (0, 1)}}[follower]
    profile = f"{OFFSET}*cos(phi) + sqrt({RADIUS**2} - ({OFFSET}*sin(phi))^2)"
    m.cam("contact", "cam", "follower", profile=profile, **extra)
    m.effort("spring", "guide", stiffness=600)
    reach = RADIUS + {"knife": 0.0, "roller": 0.015, "flat": 0.0}[follower]

    def lift(a: Floats) -> Floats:
        height = OFFSET * np.sin(a)
        return height + (reach if follower == "flat" else np.sqrt(reach**2 - (OFFSET * np.cos(a)) ** 2))

    m.initial({"O": 0.4, "O.rate": 9.0}, guess={"guide": float(lift(np.array(0.4)))})

    def embed(u: Floats, t: Floats) -> list[Pose]:
        a = u[:, 0]
        return [flat(*rotated(a, 0.01, 0.004), a), flat(0.0 * a, lift(a), 0.0 * a)]

    def efforts(t: float, u: Floats, v: Floats) -> Floats:
        h = 1e-3 * np.arange(-4, 5)
        slope = float(np.dot([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280], lift(u[0] + h)) / 1e-3)
        return np.array([-600 * float(lift(u[0])) * slope])

    minimal = Minimal([0.8, 0.3], [0.002, 0.001], embed, G, efforts)
    return Case(m, minimal, [0.4], [9.0], 0.5, {"O": 0}, own_start=True)


def coupled() -> Case:
    """Return two pendulums whose angles obey an expression with time (coupler)."""
    m = mb.Model("coupled", dimension=2, gravity=(0, -9.81))
    m.body("first", mass=1.0, inertia=0.1, com=(0.4, 0.0))
    m.body("second", mass=0.5, inertia=0.05, com=(0.1, 0.3), at=(1.0, 0.0))
    m.revolute("A", "ground", "first")
    m.revolute("B", "ground", "second", at=(1.0, 0.0))
    m.coupler("link", "B - 0.7*A - 0.3*sin(A) - 0.2*sin(3*t)")

    def embed(u: Floats, t: Floats) -> list[Pose]:
        a = u[:, 0]
        b = 0.7 * a + 0.3 * np.sin(a) + 0.2 * np.sin(3 * t)
        x, y = rotated(b, 0.1, 0.3)
        return [flat(*rotated(a, 0.4, 0.0), a), flat(1.0 + x, y, b)]

    return Case(m, Minimal([1.0, 0.5], [0.1, 0.05], embed, G), [0.0], [1.0], 2.0, {"A": 0})


def thrown() -> Case:
    """Return a body thrown (free), and one that does not turn, on a spring (parallel)."""
    m = mb.Model("thrown", dimension=2, gravity=(0, -9.81))
    m.body("stone", mass=1.0, inertia=0.1, com=(0.2, 0.1))
    m.body("tray", mass=2.0, inertia=0.1, com=(0.3, -0.2))
    m.free("flight", "ground", "stone")
    m.parallel("level", "stone", "tray")
    m.effort("pull", "tray.x", stiffness=20)

    def embed(u: Floats, t: Floats) -> list[Pose]:
        x, y, a, p, q = u.T
        dx, dy = rotated(a, 0.2, 0.1)
        return [flat(x + dx, y + dy, a), flat(p, q, a)]

    def efforts(t: float, u: Floats, v: Floats) -> Floats:
        return np.array([0.0, 0.0, 0.0, -20 * u[3], 0.0])

    minimal = Minimal([1.0, 2.0], [0.1, 0.1], embed, G, efforts)
    paths = {"flight.x": 0, "flight.y": 1, "flight.angle": 2, "tray.x": 3, "tray.y": 4}
    return Case(m, minimal, [0.0, 0.0, 0.0, 0.3, -0.2], [1.0, 4.0, 2.0, -0.5, 0.3], 1.0, paths)


MAKERS: dict[str, Callable[[], Case]] = {
    "cart": cart, "bead": bead, "hung": hung, "epicyclic": epicyclic, "steering": steering, "knife": lambda: cam("knife"),
    "roller": lambda: cam("roller"), "flat": lambda: cam("flat"), "coupled": coupled, "thrown": thrown,
}  # fmt: skip


@pytest.mark.parametrize("name", MAKERS)
def test_motion_agrees_with_minimal_coordinates(name: str) -> None:
    found = errors(MAKERS[name]())
    assert max(found.values()) < 1e-8, found


def test_every_planar_kind_has_an_oracle() -> None:
    planar = {kind.name for kind in KINDS.values() if kind.planar is not None}
    assert kinds([make() for make in MAKERS.values()]) == planar


def test_an_oracle_can_fail() -> None:
    case = cart()
    case.minimal.masses = [2.0, 0.7001, 0.5, 0.1]
    assert max(errors(case, ["kane"]).values()) > 1e-6
