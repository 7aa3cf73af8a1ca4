"""The examples of Park, Yoo, Hwang, Bae 1997 (Kane's method with the null space): pendulum and four-bars."""

from __future__ import annotations

import multibody as mb
from multibody.library._registry import example

Point = tuple[float, float, float]


@example("double-pendulum")
def double_pendulum(g: float = 0.0, load_at: float = 1.0) -> mb.Model:
    """Double pendulum under a torque and a constant force, ten seconds from rest.

    Angles count from the x axis; the first link hangs on the origin. A torque of 10 N m acts on link 1 and the force
    (8, 7) N at the free end of link 2. Released at rest at θ = (0.5236, 0.7854).

    Parameters
    ----------
    g : float
        Gravity along −y [m/s²]; the example has none.
    load_at : float
        Where the force acts, from the center of mass of link 2 along the link [m]: 1 is the free end.

    Notes
    -----
    Park, Yoo, Hwang, Bae 1997, example 1: joints 1 m from the centers of mass, masses 5 and 7 kg, inertias 10 and 20
    kg m². The paper does not say where the force acts; the free end is assumed. Bodies link1, link2; joints O, A.
    """
    m = mb.Model("double-pendulum", dimension=2, gravity=_gravity(g))
    _declare_gravity(m, g)
    a = m.parameter("a", 1.0, unit="m", doc="distance of a link's ends from its center of mass")
    place = m.parameter("load_at", load_at, unit="m", doc="place of the force, from the center of mass of link 2")
    link1 = m.body("link1", mass=5, inertia=10, com=(a, 0), frames={"end": (2 * a, 0)})
    link2 = m.body("link2", mass=7, inertia=20, com=(a, 0), frames={"end": (2 * a, 0), "P": (a + place, 0)})
    m.revolute("O", m.ground, link1)
    m.revolute("A", link1["end"], link2)
    m.force("torque", link1, moment=10)
    m.force("load", link2["P"], value=(8, 7))
    m.initial({"link1.angle": 0.5236, "link2.angle": 0.7854, "link1.angle.rate": 0, "link2.angle.rate": 0})
    m.defaults["run"] = {"until": 10.0}
    return m


@example("four-bar")
def four_bar(l0: float = 1.9, start: float = 1.1036, g: float = 0.0, load_at: float = 0.0) -> mb.Model:
    """Planar four-bar with a torsion spring and a force on the coupler (case II, no change point).

    Angles count from the x axis, links 1 and 3 pointing from the ground pivots (0, 0) and (l₀, 0) to the coupler:

        2 e(θ₁) + 2 e(θ₂) − 2 e(θ₃) = (l₀, 0)

    A torsion spring of 100 N m/rad pulls link 1 to 0.524 rad, and (80, 70) N act on the coupler. With l₀ = 1.9 the
    linkage is a drag link. Released at rest at θ₁ = 1.1036 on the branch with θ₃ ≈ 60°.

    Parameters
    ----------
    l0 : float
        Distance of the ground pivots [m].
    start : float
        Angle of link 1 at the start [rad].
    g : float
        Gravity along −y [m/s²]; the example has none.
    load_at : float
        Where the force acts, from the coupler's center of mass along the coupler [m].

    Notes
    -----
    Park, Yoo, Hwang, Bae 1997, example 2: links of 2 m, masses 5, 7, 9 kg, inertias 10, 20, 25 kg m². The paper does
    not say where the force acts; the coupler's center of mass is assumed. Bodies link1, link2, link3; joints O1, A,
    B, O3.
    """
    return _four_bar("four-bar", l0, start, g, load_at)


@example("four-bar-singular")
def four_bar_singular(start: float = 1.047, g: float = 9.81) -> mb.Model:
    """Planar four-bar that is a parallelogram and passes its change point (case I, with gravity).

    As ``four-bar`` with l₀ = 2: at θ₁ = 0 all links lie on the x axis, the rank of the joints falls by one, and a
    second branch (crank at rest, coupler and rocker turning together) crosses the parallelogram. With gravity the
    motion passes there six times in ten seconds, first at t = 0.8226 s; without gravity it never comes so far.

    Parameters
    ----------
    start : float
        Angle of link 1 at the start [rad].
    g : float
        Gravity along −y [m/s²].

    Notes
    -----
    Park, Yoo, Hwang, Bae 1997, example 2. The paper states gravity for its third example only, yet describes the
    passage through the change point, which needs it.
    """
    return _four_bar("four-bar-singular", 2.0, start, g, 0.0)


def _four_bar(name: str, l0: float, start: float, g: float, load_at: float) -> mb.Model:
    """Return the planar four-bar of the paper."""
    m = mb.Model(name, dimension=2, gravity=_gravity(g))
    _declare_gravity(m, g)
    ground = m.parameter("l0", l0, unit="m", doc="distance of the ground pivots")
    size = m.parameter("length", 2.0, unit="m", doc="length of the links")
    angle = m.parameter("start", start, unit="rad", doc="angle of link 1 at the start")
    m.frames(O3=(ground, 0))
    ends = {"end": (size, 0)}
    load = (size / 2 + m.parameter("load_at", load_at, unit="m", doc="place of the force on the coupler"), 0)
    link1 = m.body("link1", mass=5, inertia=10, com=(size / 2, 0), frames=ends)
    link2 = m.body("link2", mass=7, inertia=20, com=(size / 2, 0), frames={**ends, "P": load})
    link3 = m.body("link3", mass=9, inertia=25, com=(size / 2, 0), frames=ends)
    m.revolute("O1", m.ground, link1)
    m.revolute("A", link1["end"], link2)
    m.revolute("B", link2["end"], link3["end"])
    m.revolute("O3", m.ground["O3"], link3)
    m.effort("spring", "O1", stiffness=100, rest=0.524)
    m.force("load", link2["P"], value=(80, 70))
    m.initial({"O1": angle, "O1.rate": 0}, guess={"link2.angle": 0, "link3.angle": angle})
    m.defaults["run"] = {"until": 10.0}
    return m


def _gravity(g: float) -> tuple[float, str] | None:
    """Return gravity along −y as a formula of the parameter g, None where there is none."""
    return (0, "-g") if g else None


def _declare_gravity(m: mb.Model, g: float) -> None:
    """Declare the parameter that the gravity of the model names."""
    if g:
        m.parameter("g", g, unit="m/s^2", doc="gravity along -y")


@example("spatial-four-bar")
def spatial_four_bar() -> mb.Model:
    """Spatial four-bar R-U-S-R with a spring and a damper on its disk (lengths of the paper).

    A disk of radius 2 turns about the x axis at the origin (``O``). At its rim A = (0, 0, 2) a universal joint
    carries a coupler of length 12 to C = (8, 8, −2), and a ball there moves the rocker of length 2 about the z axis
    through D = (8, 6, −2). The torsion spring (1 N m/rad) and damper (5 N m s/rad) act on ``O``; gravity 9.81 along
    −y. Released at rest with all angles zero.

    Notes
    -----
    Park, Yoo, Hwang, Bae 1997, example 3, with b = 6 and c = 1 (half the lengths of coupler and rocker). The paper
    does not state the pivots, the axes of the universal joint or the first angle; these are chosen so that it closes
    exactly. Axis 1 of the universal joint is the disk's, axis 2 is across coupler and disk axis. The bodies' y axes
    lie along the rods. Bodies disk, coupler, rocker; joints O, A, C, D; mobility 1.
    """
    return _spatial("spatial-four-bar", (0.0, 0.0, 2.0), (8.0, 8.0, -2.0), (8.0, 6.0, -2.0))


@example("spatial-four-bar-haug")
def spatial_four_bar_haug() -> mb.Model:
    """Spatial four-bar R-U-S-R with the geometry that Haug gives for the same inertias.

    As ``spatial-four-bar`` with A = (0, 2, 0), C = (−7.5, 6.5, 8.5) and D = (−4, 0, 8.5): coupler 12.196, rocker 7.382.

    Notes
    -----
    Park, Yoo, Hwang, Bae 1997, example 3, whose inertias fit the spatial four-bar of Haug, Computer-Aided Kinematics
    and Dynamics of Mechanical Systems (1989); Haug's z axis is y here.
    """
    return _spatial("spatial-four-bar-haug", (0.0, 2.0, 0.0), (-7.5, 6.5, 8.5), (-4.0, 0.0, 8.5))


def _spatial(name: str, pA: Point, pC: Point, pD: Point) -> mb.Model:
    """Return the spatial four-bar with these hard points."""
    m = mb.Model(name, gravity=(0, -9.81, 0))
    A = m.parameter("pA", pA, unit="m", doc="rim point, coupler end at the disk, as drawn")
    C = m.parameter("pC", pC, unit="m", doc="coupler end at the rocker, as drawn")
    D = m.parameter("pD", pD, unit="m", doc="rocker pivot")
    coupler_length = m.parameter("coupler_length", mb.norm(C - A), unit="m")
    rocker_length = m.parameter("rocker_length", mb.norm(C - D), unit="m")
    across = mb.cross((1, 0, 0), C - A)
    disk = m.body("disk", mass=2, inertia=(4, 2, 2))
    coupler = m.body(
        "coupler", mass=1, inertia=(12.4, 0.01, 12.4), com=(0, coupler_length / 2, 0),
        at=A, z=across, x=mb.cross(C - A, across),
    )  # fmt: skip
    rocker = m.body(
        "rocker", mass=1, inertia=(4.54, 0.01, 4.54), com=(0, rocker_length / 2, 0),
        at=D, z=(0, 0, 1), x=mb.cross(C - D, (0, 0, 1)),
    )  # fmt: skip
    m.revolute("O", m.ground, disk, at=(0, 0, 0), axis=(1, 0, 0))
    m.universal("A", disk, coupler, at=A, axes=[(1, 0, 0), across])
    m.spherical("C", coupler, rocker, at=C)
    m.revolute("D", m.ground, rocker, at=D, axis=(0, 0, 1))
    m.effort("spring", "O", stiffness=1, damping=5)
    m.initial({"O": 0, "O.rate": 0})
    m.defaults["run"] = {"until": 10.0}
    return m
