"""Spatial mechanisms: RSSR linkage, shafts with universal joints, screw press."""

from __future__ import annotations

import multibody as mb
from multibody.library._registry import example, period

Point = tuple[float, float, float]


@example("rssr")
def rssr(
    pO2: Point = (0.0, 0.0, 0.0), pA: Point = (0.01, -0.03, 0.08), pB: Point = (0.25, 0.20, 0.10),
    pO4: Point = (0.30, 0.05, 0.0), omega: float = 10.0,
) -> mb.Model:  # fmt: skip
    """RSSR linkage by hard points, with skew axes, the crank driven.

    ``crank_pivot`` is the crank's angle and ``rocker_pivot`` the rocker's, both zero as drawn. The coupler can spin
    about its own axis: mobility 2 of which the motion takes one, and that spin is left at rest.

    Parameters
    ----------
    pO2, pA, pB, pO4 : vector
        Crank pivot, crank pin, rocker pin and rocker pivot as drawn, in ground [m].
    omega : float
        Speed of the crank [rad/s].

    Notes
    -----
    Data are ours.
    """
    m = mb.Model("rssr", gravity=(0, 0, -9.81))
    O2 = m.parameter("pO2", pO2, unit="m", doc="crank pivot")
    A = m.parameter("pA", pA, unit="m", doc="crank pin")
    B = m.parameter("pB", pB, unit="m", doc="rocker pin")
    O4 = m.parameter("pO4", pO4, unit="m", doc="rocker pivot")
    crank = m.body("crank", mass=0.5, shape={"rod": [O2, A], "radius": 0.01})
    coupler = m.body("coupler", mass=0.3, shape={"rod": [A, B], "radius": 0.005})
    rocker = m.body("rocker", mass=0.4, shape={"rod": [O4, B], "radius": 0.01})
    m.revolute("crank_pivot", m.ground, crank, at=O2, axis=(1, 0.2, -0.05))
    m.spherical("crank_pin", crank, coupler, at=A)
    m.spherical("rocker_pin", coupler, rocker, at=B)
    m.revolute("rocker_pivot", m.ground, rocker, at=O4, axis=(0.1, -0.3, 1))
    m.motion("crank_pivot", m.parameter("omega", omega, unit="rad/s", doc="speed of the crank") * mb.t)
    period(m, 2 * mb.pi, omega)
    return m


@example("universal-shaft")
def universal_shaft(beta: float = 30.0, omega: float = 10.0) -> mb.Model:
    """Two shafts at an angle, joined by a universal joint (Hooke, Cardan).

    The input shaft turns about x, the output shaft about (cos β, sin β, 0); they meet at the origin. At zero the fork
    of the input shaft lies in the plane of the shafts (along y), that of the output shaft across it (along z). Then

        tan θ₂ = tan θ₁ / cos β,  θ̇₂ / θ̇₁ = cos β / (1 − sin² β cos² θ₁)

    with θ₁ = ``input`` and θ₂ = ``output``. Both bearings fix the axes, so three of the 14 equations are redundant.

    Parameters
    ----------
    beta : float
        Angle between the shafts [degrees].
    omega : float
        Speed of the input shaft [rad/s].

    Notes
    -----
    Every textbook of mechanism theory has it; data are ours.
    """
    m = mb.Model("universal-shaft")
    angle = m.parameter("beta", beta, unit="deg", doc="angle between the shafts", min=-80, max=80) * mb.deg
    along = (mb.cos(angle), mb.sin(angle), 0)
    shaft1 = m.body("shaft1", mass=1.0, shape={"rod": [(-0.2, 0, 0), (0, 0, 0)], "radius": 0.01})
    shaft2 = m.body("shaft2", mass=1.0, shape={"rod": [(0, 0, 0), tuple(0.2 * c for c in along)], "radius": 0.01})
    m.revolute("input", m.ground, shaft1, at=(0, 0, 0), axis=(1, 0, 0))
    m.universal("U", shaft1, shaft2, at=(0, 0, 0), axes=[(0, 1, 0), (0, 0, 1)])
    m.revolute("output", m.ground, shaft2, at=(0, 0, 0), axis=along)
    m.motion("input", m.parameter("omega", omega, unit="rad/s", doc="speed of the input shaft") * mb.t)
    period(m, 2 * mb.pi, omega)
    return m


@example("double-universal")
def double_universal(beta: float = 30.0, length: float = 0.3, omega: float = 10.0) -> mb.Model:
    """Parallel shafts joined by an intermediate shaft with two universal joints: constant velocity.

    The intermediate shaft leaves the origin at the angle β from the input shaft (x axis) and ends on the output
    shaft, which is parallel to the input. Both its forks lie in one plane, so the second joint undoes what the first
    does to the speed: ``output`` = ``input``, while the intermediate shaft turns as ``universal-shaft`` says.

    Parameters
    ----------
    beta : float
        Angle of the intermediate shaft [degrees].
    length : float
        Of the intermediate shaft [m].
    omega : float
        Speed of the input shaft [rad/s].

    Notes
    -----
    Every textbook of mechanism theory has it; data are ours.
    """
    m = mb.Model("double-universal")
    angle = m.parameter("beta", beta, unit="deg", doc="angle of the intermediate shaft", min=-80, max=80) * mb.deg
    size = m.parameter("length", length, unit="m", doc="length of the intermediate shaft")
    end = m.parameter("pB", (size * mb.cos(angle), size * mb.sin(angle), 0), unit="m", doc="second joint")
    shaft1 = m.body("shaft1", mass=1.0, shape={"rod": [(-0.2, 0, 0), (0, 0, 0)], "radius": 0.01})
    middle = m.body("middle", mass=0.5, shape={"rod": [(0, 0, 0), end], "radius": 0.01})
    shaft2 = m.body("shaft2", mass=1.0, shape={"rod": [(0, 0, 0), (0.2, 0, 0)], "radius": 0.01}, at=end)
    m.revolute("input", m.ground, shaft1, at=(0, 0, 0), axis=(1, 0, 0))
    m.universal("U1", shaft1, middle, at=(0, 0, 0), axes=[(0, 1, 0), (0, 0, 1)])
    m.universal("U2", middle, shaft2, at=end, axes=[(0, 0, 1), (0, 1, 0)])
    m.revolute("output", m.ground, shaft2, at=end, axis=(1, 0, 0))
    m.motion("input", m.parameter("omega", omega, unit="rad/s", doc="speed of the input shaft") * mb.t)
    period(m, 2 * mb.pi, omega)
    return m


@example("screw-press")
def screw_press(lead: float = 0.01, turns: float = 3.0, time: float = 5.0, force: float = 2000.0) -> mb.Model:
    """Screw press: a spindle in a fixed nut lowers a ram that slides between guides.

    The axis of all joints points down. ``nut`` is the spindle's angle and ``guide`` the ram's travel, and

        guide = lead · nut / 2π

    for a right-handed thread. The spindle turns smoothly from rest to rest. Nut, guides and the spindle's foot hold the
    same line: four of the 15 equations are redundant.

    Parameters
    ----------
    lead : float
        Advance a turn, right-handed positive [m].
    turns : float
        Turns of the spindle.
    time : float
        That they take [s].
    force : float
        Of the work against the ram [N].

    Notes
    -----
    Data are ours.
    """
    m = mb.Model("screw-press", gravity=(0, 0, -9.81))
    pitch = m.parameter("lead", lead, unit="m", doc="advance a turn")
    count = m.parameter("turns", turns, doc="turns of the spindle")
    span = m.parameter("time", time, unit="s", doc="time that they take")
    m.frames(nut=(0, 0, 0.5))
    spindle = m.body("spindle", mass=8.0, shape={"rod": [(0, 0, 0.2), (0, 0, 0.7)], "radius": 0.02})
    ram = m.body("ram", mass=15.0, shape={"box": (0.2, 0.2, 0.05), "at": (0, 0, 0.175)}, frames={"face": (0, 0, 0.15)})
    down = (0, 0, -1)
    m.screw("nut", m.ground, spindle, at=(0, 0, 0.5), axis=down, lead=pitch)
    m.revolute("foot", spindle, ram, at=(0, 0, 0.2), axis=down)
    m.translational("guide", m.ground, ram, at=(0, 0, 0.2), axis=down)
    m.motion("nut", mb.haversine(mb.t, 0, 0, span, 2 * mb.pi * count))
    m.force("work", ram["face"], value=(0, 0, m.parameter("force", force, unit="N", doc="force against the ram")))
    period(m, time)
    return m
