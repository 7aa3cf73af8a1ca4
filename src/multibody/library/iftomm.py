"""Problems of the IFToMM library of computational benchmarks for multibody dynamics."""

from __future__ import annotations

import math
from typing import Any

import multibody as mb
from multibody.library._registry import example, flag, period, whole
from multibody.library.criteria import Problem, checks


@example("iftomm-pendulum")
def simple_pendulum() -> mb.Model:
    """IFToMM A01, simple pendulum: a point mass on a massless bar, released from the horizontal.

    1 kg at 1 m from the pivot in the origin, started at (−1, 0) at rest; gravity 9.81 along −y. ``O`` is the bar's
    angle from the x axis, π at the start.

    Notes
    -----
    Body bar, joint O; ten seconds.
    """
    m = mb.Model("iftomm-pendulum", dimension=2, gravity=(0, -9.81))
    size = m.parameter("l", 1.0, unit="m", doc="length of the bar")
    bar = m.body("bar", mass=1, inertia=0, com=(size, 0), angle=mb.pi)
    m.revolute("O", m.ground, bar)
    m.initial({"O": mb.pi, "O.rate": 0})
    m.defaults["run"] = {"until": 10.0}
    return m


@example("iftomm-n-four-bar")
def n_four_bar(n: int = 2, v0: float = 1.0, drive: bool = False) -> mb.Model:
    """IFToMM A02, n four-bars side by side, all links 1 m and 1 kg, started upright.

    Cranks ``crank0`` … stand on the ground at (k, 0), joined by couplers at their tips B0 …. ``A0`` is the angle of the
    first crank from the x axis, π/2 at the start, where its tip moves with v0 to the right. When the links lie flat,
    n + 1 branches meet: the rank of the joints falls there. Gravity 9.81 along −y.

    Parameters
    ----------
    n : int
        Number of four-bars (the benchmark: 2, 40, …).
    v0 : float
        First speed of the tips [m/s].
    drive : bool
        True drives the first crank as π/2 + π/3 sin 2πt, which stays clear of the flat position.

    Notes
    -----
    2n + 1 bodies and one degree of freedom: ((n + 1)/3 + n) θ̈ = −g ((n + 1)/2 + n) cos θ for links of 1 m. Joints A0
    … on the ground, B0 … from a crank's tip to the coupler on its right, C1 … from a coupler's end to the next
    crank's tip.
    """
    count = whole(n, "n", "iftomm-n-four-bar")
    m = mb.Model("iftomm-n-four-bar", dimension=2, gravity=(0, -9.81))
    size = m.parameter("l", 1.0, unit="m", doc="length of the links")
    mass = m.parameter("m", 1.0, unit="kg", doc="mass of a link")
    moment = m.parameter("J", mass * size**2 / 12, unit="kg m^2", doc="inertia of a link")
    middle, end = (size / 2, 0), {"end": (size, 0)}
    m.frames(**{f"O{k}": (k * size, 0) for k in range(count + 1)})
    for k in range(count + 1):
        drawn = (k * size, 0)
        crank = m.body(f"crank{k}", mass=mass, inertia=moment, com=middle, frames=end, at=drawn, angle=mb.pi / 2)
        m.revolute(f"A{k}", f"ground.O{k}", crank)
    for k in range(count):
        coupler = m.body(f"coupler{k}", mass=mass, inertia=moment, com=middle, frames=end, at=(k * size, size))
        m.revolute(f"B{k}", f"crank{k}.end", coupler)
        m.revolute(f"C{k + 1}", coupler["end"], f"crank{k + 1}.end")
    if flag(drive, "drive", "iftomm-n-four-bar"):
        m.motion("A0", mb.pi / 2 + mb.pi / 3 * mb.sin(2 * mb.pi * mb.t))
        period(m, 1.0)
    else:
        speed = m.parameter("v0", v0, unit="m/s", doc="first speed of the tips")
        m.initial({"A0": mb.pi / 2, "A0.rate": -speed / size})
        m.defaults["run"] = {"until": 10.0}
    return m


_ANDREWS = {
    "d": 0.028, "da": 0.0115, "e": 0.02, "ea": 0.01421, "rr": 0.007, "ra": 0.00092, "ss": 0.035, "sa": 0.01874,
    "sb": 0.01043, "sc": 0.018, "sd": 0.02, "ta": 0.02308, "tb": 0.00916, "u": 0.04, "ua": 0.01228, "ub": 0.00449,
    "zf": 0.02, "zt": 0.04, "fa": 0.01421,
}  # fmt: skip
_ANDREWS_MASSES = (
    (0.04325, 2.194e-6), (0.00365, 4.410e-7), (0.02373, 5.255e-6), (0.00706, 5.667e-7), (0.07050, 1.169e-5),
    (0.00706, 5.667e-7), (0.05498, 1.912e-5),
)  # fmt: skip


@example("iftomm-andrews")
def andrews(mom: float = 0.033, c0: float = 4530.0, l0: float = 0.07785) -> mb.Model:
    """IFToMM A03, Andrews' squeezing mechanism: seven bodies moved by a constant torque against a spring.

    Bodies K1 … K7 as in the literature, each with its origin at its inboard joint. ``O`` = β, ``F`` = Θ, ``B`` = γ,
    ``G`` = Φ, ``A5`` = δ, ``H`` = Ω, ``A7`` = ε; K2, K3, K4 and K6 meet in E (pins E3, E4, E6). No gravity.

    Parameters
    ----------
    mom : float
        Torque on K1 [N m].
    c0, l0 : float
        Stiffness [N/m] and free length [m] of the spring from the ground point C to K3.

    Notes
    -----
    Hairer and Wanner, Solving Ordinary Differential Equations II, ch. VII.7, for geometry, masses and first values; the
    benchmark runs to 0.05 s. The lengths are parameters with the letters of that book.
    """
    m = mb.Model("iftomm-andrews", dimension=2)
    p = {key: m.parameter(key, value, unit="m") for key, value in _ANDREWS.items()}
    A, B, C = (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)
    m.frames(A=A, B=B, C=C)
    _andrews_bodies(m, p)
    m.revolute("O", m.ground, "K1")
    m.revolute("F", "K1.F", "K2")
    m.revolute("B", "ground.B", "K3")
    m.revolute("E3", "K2.E", "K3.E")
    m.revolute("A5", "ground.A", "K5")
    m.revolute("G", "K5.G", "K4")
    m.revolute("E4", "K2.E", "K4.E")
    m.revolute("A7", "ground.A", "K7")
    m.revolute("H", "K7.H", "K6")
    m.revolute("E6", "K2.E", "K6.E")
    stiffness = m.parameter("c0", c0, unit="N/m", doc="stiffness of the spring")
    free = m.parameter("l0", l0, unit="m", doc="free length of the spring")
    m.spring("CD", "ground.C", "K3.D", stiffness=stiffness, length=free)
    m.effort("drive", "O", value=m.parameter("mom", mom, unit="N m", doc="torque on K1"))
    m.initial(
        {"O": -0.0617138900142764496, "O.rate": 0},
        guess={
            "F": 0.0, "B": 0.455279819163070380, "G": 0.222668390165885885, "A5": 0.487364979543842550,
            "H": -0.222668390165885885, "A7": 1.230547444549821192,
        },
    )  # fmt: skip
    m.defaults["run"] = {"until": 0.05}
    return m


def _andrews_bodies(m: mb.Model, p: dict[str, Any]) -> None:
    """Add K1 … K7 of Andrews' mechanism: center of mass and outboard points of each."""
    geometry: dict[str, tuple[Any, dict[str, Any]]] = {
        "K1": ((p["ra"], 0), {"F": (p["rr"], 0)}),
        "K2": ((-p["da"], 0), {"E": (-p["d"], 0)}),
        "K3": ((p["sb"], -p["sa"]), {"E": (0, -p["ss"]), "D": (p["sd"], -p["sc"])}),
        "K4": ((0, p["ea"] - p["e"]), {"E": (0, -p["e"])}),
        "K5": ((p["ta"], p["tb"]), {"G": (p["zt"], 0)}),
        "K6": ((p["zf"] - p["fa"], 0), {"E": (p["zf"], 0)}),
        "K7": ((p["ua"], -p["ub"]), {"H": (0, -p["u"])}),
    }
    for (name, (com, frames)), (mass, moment) in zip(geometry.items(), _ANDREWS_MASSES, strict=True):
        m.body(name, mass=mass, inertia=moment, com=com, frames=frames)


@example("iftomm-bricard")
def bricard(section: float = 0.1) -> mb.Model:
    """IFToMM A04, Bricard's mechanism: six rods and six joints that should be rigid by count and yet move.

    The rods lie along edges of a cube, P0 = (0,0,0), (1,0,0), (1,−1,0), (1,−1,1), (0,−1,1), P5 = (0,0,1); the sixth,
    from P5 to P0, is the ground. The joints ``J0`` … ``J5`` at these points turn about y, z, x, y, z, x as drawn. 30
    equations of rank 29 for 30 coordinates: one degree of freedom, a = J0 = J2 = J4 and b = J1 = J3 = J5 up to sign
    with sin a + sin b + sin a sin b = 0. Falls from rest; gravity 9.81 along −y.

    Parameters
    ----------
    section : float
        Side of the rods' square cross section [m]; 0 for slender rods.

    Notes
    -----
    Rods of 1 m and 1 kg. Bodies rod1 … rod5, rod k from point k − 1 to point k; point k is the frame ``end`` of rod k.
    """
    m = mb.Model("iftomm-bricard", gravity=(0, -9.81, 0))
    side = m.parameter("section", section, unit="m", doc="side of the cross section")
    points = [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)]
    axes = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}
    rods: list[Any] = [m.ground]
    for k in range(1, 6):
        P, Q = points[k - 1], points[k]
        moments = [side**2 / 6 if P[i] != Q[i] else (1 + side**2) / 12 for i in range(3)]
        middle = tuple((P[i] + Q[i]) / 2 for i in range(3))
        rods.append(m.body(f"rod{k}", mass=1, inertia=moments, com=middle, frames={"end": Q}))
    for k, letter in enumerate("yzxyzx"):
        m.revolute(f"J{k}", rods[k], rods[(k + 1) % 6], at=points[k], axis=axes[letter])
    m.initial({"J0": 0, "J0.rate": 0})
    m.defaults["run"] = {"until": 10.0}
    return m


@example("iftomm-flyball")
def flyball(omega: float = 2 * math.pi, k: float = 8e5, c: float = 4e4) -> mb.Model:
    """IFToMM A05, stiff flyball governor: two arms with heavy balls, held by stiff springs to a slider on the shaft.

    The shaft turns about z (``spin``). Arms of 1 m hang on it at z = 1, 0.05 m off the axis; ``hinge1`` and
    ``hinge2`` are their angles below the horizontal, 30° at the start. The slider's height is ``slide``, 0.5 at the
    start. A spring-damper joins the middle of each arm with the slider's side. Gravity 9.81 along −z.

    Parameters
    ----------
    omega : float
        First speed of the shaft [rad/s].
    k, c : float
        Stiffness [N/m] and damping [N s/m] of the springs, whose free length is 0.5 m.

    Notes
    -----
    Shaft and arms 1 × 0.01 × 0.01 m, slider a cube of 0.1 m, density 3000 kg/m³; balls of 5 kg as points at the arms'
    ends. Bodies shaft, rod1, rod2, slider; four degrees of freedom. The benchmark runs to 10 s.
    """
    m = mb.Model("iftomm-flyball", gravity=(0, 0, -9.81))
    offset = m.parameter("offset", 0.05, unit="m", doc="distance of hinges and spring ends from the axis")
    density = m.parameter("density", 3000, unit="kg/m^3")
    stiffness = m.parameter("k", k, unit="N/m", doc="stiffness of a spring")
    damping = m.parameter("c", c, unit="N s/m", doc="damping of a spring")
    speed = m.parameter("omega", omega, unit="rad/s", doc="first speed of the shaft")
    hinges = {"hinge1": (offset, 0, 1), "hinge2": (-offset, 0, 1)}
    column = {"box": (0.01, 0.01, 1), "at": (0, 0, 0.5), "density": density}
    shaft = m.body("shaft", shape=column, frames=hinges)
    slider = m.body(
        "slider", shape={"box": (0.1, 0.1, 0.1), "density": density},
        frames={"side1": (offset, 0, 0), "side2": (-offset, 0, 0)}, at=(0, 0, 0.5),
    )  # fmt: skip
    m.revolute("spin", m.ground, shaft)
    m.translational("slide", shaft, slider, axis=(0, 0, 1))
    for j, sign in ((1, 1), (2, -1)):
        bar = {"box": (1, 0.01, 0.01), "at": (0.5 * sign, 0, 0), "density": density}
        ball = {"point": (sign, 0, 0), "mass": 5}
        frames = {"middle": (0.5 * sign, 0, 0), "ball": (sign, 0, 0)}
        rod = m.body(f"rod{j}", shape=[bar, ball], frames=frames, at=hinges[f"hinge{j}"])
        m.revolute(f"hinge{j}", shaft[f"hinge{j}"], rod, axis=(0, sign, 0))
        m.spring(f"spring{j}", rod["middle"], slider[f"side{j}"], stiffness=stiffness, damping=damping, length=0.5)
        m.initial({f"hinge{j}": 30 * mb.deg, f"hinge{j}.rate": 0})
    m.initial({"spin": 0, "spin.rate": speed, "slide": 0.5, "slide.rate": 0})
    m.defaults["run"] = {"until": 10.0}
    return m


# --- acceptance criteria ------------------------------------------------------------------------------------------------
# Reference solutions: minimal coordinates (A01, A02, A04, A05) or the equations of index 1 (A03), integrated to 1e-12 by two
# methods that agree to 1e-11 or better; that of A03 is within 1.5e-9 of the published one (test set for initial values).
_PENDULUM = {
    1.0: {"bar.x": 0.986291751132, "bar.y": -0.165010853126},
    10.0: {"bar.x": -0.275087462576, "bar.y": -0.961419205099},
}
_N_FOUR_BAR = {
    2: {
        1.0: {"crank0.end.x": -0.195020301949, "crank0.end.y": -0.980799205662},
        10.0: {"crank0.end.x": 0.328458111541, "crank0.end.y": 0.944518538179},
    },
    40: {
        1.0: {"crank0.end.x": -0.115356880632, "crank0.end.y": -0.993324111300},
        10.0: {"crank0.end.x": 0.180512226687, "crank0.end.y": 0.983572740582},
    },
}
_SQUEEZER = {
    0.03: {"O": 15.810771195154, "F": -15.756371058412, "B": 0.040822240120},
    0.05: {"O": 33.825867766955, "F": -33.583431517464, "B": 0.113395073813},
}
_BRICARD = {
    1.0: {"rod3.end.x": 0.508664760230, "rod3.end.y": -1.649827063211, "rod3.end.z": 0.139035330748},
    7.75: {"rod3.end.x": -0.997366003746, "rod3.end.y": -1.070077686347, "rod3.end.z": 0.927466872591},
    10.0: {"rod3.end.x": 0.999999729402, "rod3.end.y": -1.000735389911, "rod3.end.z": 0.999264339690},
}
_FLYBALL = {
    0.5: {"slide": 0.743249424786, "spin": 2.807679488368},
    1.0: {"slide": 0.501420922380, "spin": 5.586346965869},
    10.0: {"slide": 0.619622917061, "spin": 55.935409909102},
}


def _side_by_side(n: int, seconds: float) -> Problem:
    """Return the problem of n four-bars."""
    found, steps = checks(1e-3, _N_FOUR_BAR[n]), {4: 2_000, 3: 10_000, 2: 10_000}
    return Problem(f"n-four-bar-{n}", "iftomm-n-four-bar", 10.0, found, 1e-4, 1e-6, seconds, steps, parameters={"n": n})


PROBLEMS: tuple[Problem, ...] = (
    Problem("pendulum", "iftomm-pendulum", 10.0, checks(1e-4, _PENDULUM), 1e-5, 1e-5, 5.0, {4: 2_000, 3: 10_000, 2: 20_000}),
    _side_by_side(2, 5.0),
    _side_by_side(40, 10.0),
    Problem("andrews", "iftomm-andrews", 0.05, checks(1e-3, _SQUEEZER), 1e-4, 1e-4, 5.0, {4: 2_000, 3: 10_000, 2: 10_000}),
    Problem(
        "bricard", "iftomm-bricard", 10.0, checks(1e-4, _BRICARD), 1e-5, 1e-6, 5.0, {4: 2_000, 3: 8_000, 2: 10_000},
        parameters={"section": 0.0},
    ),
    Problem("flyball", "iftomm-flyball", 10.0, checks(1e-4, _FLYBALL), 1e-5, 1e-6, 10.0, {4: 80_000, 3: 200_000, 2: 20_000}),
)  # fmt: skip
