"""The five models of tests/files/models, written in Python."""

import math

import multibody as mb
from multibody.model.expressions import name


def slider_crank() -> mb.Model:
    m = mb.Model("slider-crank", dimension=2, gravity=(0, -9.81))
    l2 = m.parameter("l2", 0.15)
    l3 = m.parameter("l3", 0.35)
    crank = m.body("crank", mass=1.0, inertia=0.01, frames={"pin": (l2, 0)})
    rod = m.body("rod", mass=0.5, inertia=0.5 * l3**2 / 12, com=(l3 / 2, 0), frames={"small": (l3, 0)})
    slide = m.body("slider", mass=0.4, inertia=1e-3)
    m.revolute("O", m.ground, crank)
    m.revolute("A", crank["pin"], rod)
    m.revolute("B", rod["small"], slide)
    m.translational("S", m.ground, slide, axis=(1, 0))
    m.initial({"O": 0.3, "O.rate": 15.0}, guess={"S": l2 + l3})
    return m


def planetary(n: int = 3) -> mb.Model:
    m = mb.Model("planetary", dimension=2)
    count = m.parameter("n", n)
    zs, zp = m.parameter("zs", 24), m.parameter("zp", 18)
    zr = m.parameter("zr", zs + 2 * zp)
    module = m.parameter("module", 0.002)
    a = m.parameter("a", module * (zs + zp) / 2)
    sun = m.body("sun", mass=0.3, inertia=2e-5)
    arm = m.body("arm", mass=0.4, inertia=3e-4)
    m.revolute("S", m.ground, sun)
    m.revolute("C", m.ground, arm)
    for k in range(1, n + 1):
        place = (a * mb.cos(2 * math.pi * k / count), a * mb.sin(2 * math.pi * k / count))
        planet = m.body(f"planet{k}", mass=0.1, inertia=1e-5, at=place)
        m.revolute(f"P{k}", arm, planet, at=place)
        m.gear(f"sun_mesh{k}", sun, planet, carrier=arm, teeth=(zs, zp))
        m.gear(f"ring_mesh{k}", m.ground, planet, carrier=arm, teeth=(zr, zp), internal=True)
    m.motion("S", 1500 * mb.rpm * mb.t)
    m.effort("load", "C", value=-5.0)
    return m


def rssr() -> mb.Model:
    m = mb.Model("rssr", gravity=(0, 0, -9.81))
    p_o2 = m.parameter("pO2", (0, 0, 0))
    p_a = m.parameter("pA", (0.01, -0.03, 0.08))
    p_b = m.parameter("pB", (0.25, 0.20, 0.10))
    p_o4 = m.parameter("pO4", (0.30, 0.05, 0.0))
    crank = m.body("crank", mass=0.5, shape={"rod": [p_o2, p_a], "radius": 0.01})
    coupler = m.body("coupler", mass=0.3, shape={"rod": [p_a, p_b], "radius": 0.005})
    rocker = m.body("rocker", mass=0.4, shape={"rod": [p_o4, p_b], "radius": 0.01})
    m.revolute("crank_pivot", m.ground, crank, at=p_o2, axis=(1, 0.2, -0.05))
    m.spherical("crank_pin", crank, coupler, at=p_a)
    m.spherical("rocker_pin", coupler, rocker, at=p_b)
    m.revolute("rocker_pivot", m.ground, rocker, at=p_o4, axis=(0.1, -0.3, 1))
    m.motion("crank_pivot.angle", 10 * mb.t)
    return m


def cam_roller() -> mb.Model:
    m = mb.Model("cam-roller", dimension=2, gravity=(0, -9.81))
    base, lift, rr = m.parameter("base", 0.03), m.parameter("lift", 0.01), m.parameter("rr", 0.008)
    profile = base + lift * (1 - mb.cos(name("phi"))) / 2
    m.frames(seat=(0, 0.16))
    cam = m.body("cam", mass=0.5, inertia=4e-4)
    follower = m.body("follower", mass=0.2, inertia=1e-4, frames={"top": (0, 0.06)})
    m.revolute("O", m.ground, cam)
    m.translational("guide", m.ground, follower, axis=(0, 1))
    m.cam("contact", cam, follower, profile=profile, roller=rr)
    m.motion("O", 300 * mb.rpm * mb.t)
    m.spring("valve_spring", m.ground["seat"], follower["top"], stiffness=800, damping=2, length=0.08)
    m.initial(guess={"guide": base + rr})
    m.output("valve_lift", "guide.position - base - rr")
    return m


def rrc_arm() -> mb.Model:
    m = mb.Model("rrc-arm", gravity=(0, 0, -386.08858), units={"length": "in", "force": "lbf", "time": "s"})
    g0, k = m.parameter("g0", 386.08858), m.parameter("k", 1e5)
    m.frames(anchor=(76, 0, -1))
    weights = (229.5, 122, 63.5, 45, 24.5, 12.5, 8)
    inertias = (
        (6.907, 10, 10), (3.056, 7, 7), (1.773, 4.868, 4.868), (1.559, 1.7823, 1.7823), (0.374, 1.197, 1.197),
        (0.299, 0.37, 0.37), (0.2, 0.2, 0.2),
    )  # fmt: skip
    centers = (10, 26, 38, 49, 59, 67, 73)
    places = (0, 20, 32, 44, 54, 64, 70)
    before = m.ground
    for i in range(7):
        frames = {"tip": (76, 0, 0)} if i == 6 else {}
        link = m.body(f"link{i + 1}", weights[i] / g0, inertias[i], (centers[i], 0, 0), frames)
        axis = (1, 0, 0) if i % 2 == 0 else (0, 1, 0)
        m.revolute(f"joint{i + 1}", before, link, at=(places[i], 0, 0), axis=axis)
        before = link
    for i in (1, 2, 3):
        m.motion(f"joint{i}", 0)
    m.motion("joint4", mb.pi / 30 * mb.sin(mb.pi * mb.t - mb.pi))
    m.motion("joint5", 0)
    m.motion("joint7", 0)
    m.spring("tip_spring", m.ground["anchor"], before["tip"], stiffness=k, length=1)
    return m


MODELS = {
    "slider-crank": slider_crank,
    "planetary": planetary,
    "rssr": rssr,
    "cam-roller": cam_roller,
    "rrc-arm": rrc_arm,
}
