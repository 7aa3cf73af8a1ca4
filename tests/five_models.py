"""The five models of tests/files/models, written in Python, and one that uses every kind of item and field."""

import math

from scipy.spatial.transform import Rotation

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


def everything(dimension: int) -> mb.Model:
    """Return a model with every kind of item and of field."""
    d = dimension
    m = mb.Model("everything", d, gravity=("g0", 0, -9.81)[:d], units={"length": "mm", "time": "ms", "mass": "g"})
    m.length = 12.5
    m.parameter("g0", 0.25, unit="mm/ms²", doc="a: \"quoted\" # doc", min=0, max=1e6)
    a = m.parameter("a", 0.3)
    p = m.parameter("p", (1, a, 3)[:d])
    m.parameter("q", 2 * p - p / 3)
    m.table("lift", [0, 1, 2.5], [0, 1 / 3, 0], kind="periodic")
    m.frames(plain=p, tilted={"at": "q", **({"angle": "a"} if d == 2 else {"z": (0, a, 1), "x": "p"})})
    forms = [{"angle": 30 * mb.deg}] if d == 2 else [
        {"x": (1, 2, 3)}, {"x": "p", "z": (0, 0, 1)}, {"z": (0, 0, 1), "x": "p"}, {"quaternion": (1, "a", 0, 0)},
        {"rotvec": (0.1, 0.2, "a")}, {"rpy": (0, "a", 1)}, {"euler": {"ZXZ": ("a", 2, 3)}},
        {"rotation": Rotation.from_euler("xyz", [0.1, 0.2, 0.3])},
    ]  # fmt: skip
    for k, form in enumerate(forms):
        m.body(f"b{k}", at=(k, a, 2)[:d], **form)
    inertia = 0.5 if d == 2 else ((2, "a/10", 0), ("a/10", 2, 0), (0, 0, 3))
    shape = [{"rod": [p, "q"], "radius": "a/10", "mass": 1}, {"box": (1, 2, 3)[:d], "at": "q", "density": a}]
    m.body("c", mass=a * 2, inertia=inertia, com="q", frames={"f": p, "g": {"at": p, **forms[0]}}, shape=shape)
    m.body("e", shape={"mesh": "parts/e.stl", "scale": 2})
    m.revolute("J0", "ground.tilted", "c.f")
    m.translational("J1", "ground", "c", at="q", axis=("a", 1, 0)[:d])
    m.distance("J2", "b0", "c.g", length="a*2")
    m.gear("J3", "b0", "c", carrier="e", teeth=("a", 3), internal=True, phase=0.1)
    m.gear("J4", "b0", "c", radii=(1, 2))
    m.rack("J5", "b0", "c", radius=-2, axis=(1, 0, 0)[:d])
    m.cam("J6", "b0", "c", profile="lift(phi)*a", flat=(0, 1, 0)[:d])
    m.coupler("J7", "J0.angle - 2*J1*t")
    if d == 3:
        m.universal("J8", "b0", "c", axes=((1, 0, 0), (0, "a", 0)))
        m.screw("J9", "b1", "c", lead=0.2, axis=(0, 0, -1))
        m.spherical("S", "b2", "c")
    m.spring("F0", "ground.plain", "c.f", stiffness="a", damping=1, length=0.5)
    m.spring("F1", "ground", "c.f", force="-a*F1.length - F1.rate")
    m.effort("F2", "J0", stiffness=3, rest="a", damping=0.1)
    m.effort("F3", "J1.position", value="-J1.rate^3 + lift(t)")
    m.force("F4", "c.f", value=("sin(t)", 0, "a")[:d], moment=1 if d == 2 else (1, 0, "t"), axes="body")
    m.bushing("F5", "b0", "c", stiffness=(1, "a", 3, 4, 5, 6)[: 3 * (d - 1)])
    m.friction("F6", "J1", load="abs(t)", coulomb=0.1, static="a", smooth=0.01)
    m.motion("J1", "step(t, 0, 0, a, 1)*if(t < 1, 2, -3e-7)")
    m.initial({"J0": "a", "c.x.rate": 2.5}, guess={"c.y": {"value": "a", "weight": 3}, "b0.x": 1})
    if d == 3:
        turned = {"value": {"z": (0, 1, "a")}, "weight": 2}
        m.initial({"b1.rotation": {"rpy": (0, "a", 1)}}, guess={"S.rotation": turned})
    m.output("y", "c.f.y - lift(J0)/2^a^2")
    m.event("hit", "c.y - a", terminal=True, direction=-1)
    m.defaults["run"] = {"until": 1.5, "integrator": {"bdf": {"max_order": 3}}, "rtol": "a*1e-6"}
    m.defaults["kinematics"] = {"at": "a"}
    return m
