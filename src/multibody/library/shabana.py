"""The mechanisms of Shabana, Computational Dynamics, chapter 3: kinematically driven planar systems."""

from __future__ import annotations

import multibody as mb
from multibody.library._registry import example, flag, period


@example("slider-crank")
def slider_crank(l2: float = 0.15, l3: float = 0.35, omega: float = 150.0, drive: bool = True) -> mb.Model:
    """Slider-crank in line, the crank driven at constant speed.

    The crank turns about the origin, the slider moves on the x axis. The crank angle is ``O`` = θ₂ = ω t, the rod's
    angle from the x axis ``rod.angle`` = θ₃, the slider's place ``S`` = x:

        sin θ₃ = −l₂ sin θ₂ / l₃,  x = l₂ cos θ₂ + √(l₃² − l₂² sin² θ₂)

    Parameters
    ----------
    l2, l3 : float
        Lengths of crank and rod [m].
    omega : float
        Speed of the crank [rad/s].
    drive : bool
        False leaves the crank free, released at 0.3 rad with 15 rad/s.

    Notes
    -----
    Shabana, Computational Dynamics, ch. 3 (the driver θ₂ = 150 t); lengths and masses are ours. Bodies crank, rod,
    slider; joints O, A, B, S.
    """
    m = mb.Model("slider-crank", dimension=2, gravity=(0, -9.81))
    _slider_crank(m, l2, l3, 0)
    if flag(drive, "drive", "slider-crank"):
        m.motion("O", m.parameter("omega", omega, unit="rad/s", doc="speed of the crank") * mb.t)
        period(m, 2 * mb.pi, omega)
    else:
        m.initial({"O": 0.3, "O.rate": 15.0})
        m.defaults["run"] = {"until": 1.0}
    return m


@example("offset-slider-crank")
def offset_slider_crank(l2: float = 0.15, l3: float = 0.35, h: float = 0.05, omega: float = 150.0) -> mb.Model:
    """Slider-crank whose guide lies beside the crank's axis.

    As ``slider-crank``, with the slider on the line y = h:

        sin θ₃ = (h − l₂ sin θ₂) / l₃,  x = l₂ cos θ₂ + √(l₃² − (h − l₂ sin θ₂)²)

    Parameters
    ----------
    l2, l3 : float
        Lengths of crank and rod [m].
    h : float
        Offset of the guide [m]; the crank turns fully if l₃ − l₂ ≥ |h|.
    omega : float
        Speed of the crank [rad/s].

    Notes
    -----
    Shabana, Computational Dynamics, ch. 3; lengths and masses are ours.
    """
    m = mb.Model("offset-slider-crank", dimension=2, gravity=(0, -9.81))
    _slider_crank(m, l2, l3, m.parameter("h", h, unit="m", doc="offset of the guide"))
    m.motion("O", m.parameter("omega", omega, unit="rad/s", doc="speed of the crank") * mb.t)
    period(m, 2 * mb.pi, omega)
    return m


@example("driven-slider")
def driven_slider(
    l2: float = 0.15, l3: float = 0.35, center: float = 0.35, part: float = 0.8, omega: float = 150.0
) -> mb.Model:
    """Slider-crank driven at its slider, x = 0.35 − 0.8 l₂ sin 150 t.

    The stroke stays inside (l₃ − l₂, l₃ + l₂), so the crank swings between the dead points, where a driven slider would
    be singular. The guess puts it on the branch with θ₂ in (0, π).

    Parameters
    ----------
    l2, l3 : float
        Lengths of crank and rod [m].
    center : float
        Middle of the stroke [m].
    part : float
        Half the stroke over the crank's length.
    omega : float
        Angular frequency of the motion [rad/s].

    Notes
    -----
    Shabana, Computational Dynamics, ch. 3 (the driver); lengths and masses are ours.
    """
    m = mb.Model("driven-slider", dimension=2, gravity=(0, -9.81))
    crank_length, _ = _slider_crank(m, l2, l3, 0)
    middle = m.parameter("center", center, unit="m", doc="middle of the stroke")
    swing = m.parameter("part", part, doc="half the stroke over the crank's length")
    speed = m.parameter("omega", omega, unit="rad/s", doc="angular frequency of the motion")
    m.motion("S", middle - swing * crank_length * mb.sin(speed * mb.t))
    m.initial(guess={"O": 80 * mb.deg})
    period(m, 2 * mb.pi, omega)
    return m


def _slider_crank(
    m: mb.Model, l2: float, l3: float, offset: mb.Expression | float
) -> tuple[mb.Expression, mb.Expression]:
    """Add crank, rod and slider with the guide at y = offset; return the handles of the lengths."""
    a = m.parameter("l2", l2, unit="m", doc="length of the crank")
    b = m.parameter("l3", l3, unit="m", doc="length of the rod")
    m.frames(guide=(0, offset))
    crank = m.body("crank", mass=1.0, inertia=0.01, frames={"pin": (a, 0)})
    rod = m.body("rod", mass=0.5, inertia=0.5 * b**2 / 12, com=(b / 2, 0), frames={"small": (b, 0)})
    slider = m.body("slider", mass=0.4, inertia=1e-3)
    m.revolute("O", m.ground, crank)
    m.revolute("A", crank["pin"], rod)
    m.revolute("B", rod["small"], slider)
    m.translational("S", m.ground["guide"], slider, axis=(1, 0))
    m.initial(guess={"S": a + b, "rod.angle": 0})  # the rod points to the right at every crank angle
    return a, b


@example("shabana-four-bar")
def shabana_four_bar(
    l1: float = 0.35, l2: float = 0.2, l3: float = 0.35, l4: float = 0.25, start: float = 63.0, omega: float = 5.0
) -> mb.Model:
    """Four-bar crank-rocker driven at 5 rad/s from 63 degrees.

    All link angles count from the x axis, each link pointing to the next joint of the loop O2 → A → B → O4:

        l₂ e(θ₂) + l₃ e(θ₃) + l₄ e(θ₄) = (l₁, 0),  θ₂ = 63° + 5 t

    so ``link4.angle`` = θ₄ is the direction from B to the ground pivot O4. The guess is (63°, 10°, 245°).

    Parameters
    ----------
    l1, l2, l3, l4 : float
        Lengths of ground, crank, coupler and rocker [m].
    start : float
        Crank angle at t = 0 [degrees].
    omega : float
        Speed of the crank [rad/s].

    Notes
    -----
    Shabana, Computational Dynamics, ch. 3. The book's example needs no masses; here the links are slender rods of 1
    kg/m.
    """
    m = mb.Model("shabana-four-bar", dimension=2, gravity=(0, -9.81))
    ground = m.parameter("l1", l1, unit="m", doc="distance of the ground pivots")
    density = m.parameter("density", 1.0, unit="kg/m", doc="mass of the links over their length")
    m.frames(O4=(ground, 0))
    links = []
    for k, length in enumerate((l2, l3, l4), start=2):
        size = m.parameter(f"l{k}", length, unit="m", doc=f"length of link {k}")
        shape = {"rod": [(0, 0), (size, 0)]}
        links.append(m.body(f"link{k}", mass=density * size, shape=shape, frames={"end": (size, 0)}))
    m.revolute("O2", m.ground, links[0])
    m.revolute("A", links[0]["end"], links[1])
    m.revolute("B", links[1]["end"], links[2])
    m.revolute("O4", m.ground["O4"], links[2]["end"])
    speed = m.parameter("omega", omega, unit="rad/s", doc="speed of the crank")
    m.motion("O2", m.parameter("start", start, unit="deg", doc="crank angle at the start") * mb.deg + speed * mb.t)
    m.initial(guess={"link3.angle": 10 * mb.deg, "link4.angle": 245 * mb.deg})
    period(m, 2 * mb.pi, omega)
    return m


@example("two-link")
def two_link(l2: float = 0.5, l3: float = 0.4, omega2: float = 3.0, omega3: float = -2.0) -> mb.Model:
    """Two-link arm with both absolute link angles driven.

    The angles count from the x axis, θ₂ = 0.3 + 3 t and θ₃ = 0.9 − 2 t, and the links are known by their middle points:

        R₂ = l₂/2 e(θ₂),  R₃ = l₂ e(θ₂) + l₃/2 e(θ₃)

    Parameters
    ----------
    l2, l3 : float
        Lengths of the links [m].
    omega2, omega3 : float
        Absolute speeds of the links [rad/s].

    Notes
    -----
    Shabana, Computational Dynamics, ch. 3 (a manipulator driven at both joints); the numbers are ours.
    """
    m = mb.Model("two-link", dimension=2, gravity=(0, -9.81))
    a = m.parameter("l2", l2, unit="m", doc="length of link 2")
    b = m.parameter("l3", l3, unit="m", doc="length of link 3")
    link2 = m.body("link2", mass=1.0, shape={"rod": [(0, 0), (a, 0)]}, frames={"end": (a, 0)})
    link3 = m.body("link3", mass=0.8, shape={"rod": [(0, 0), (b, 0)]}, frames={"end": (b, 0)})
    m.revolute("O", m.ground, link2)
    m.revolute("A", link2["end"], link3)
    m.motion("link2.angle", 0.3 + m.parameter("omega2", omega2, unit="rad/s", doc="speed of link 2") * mb.t)
    m.motion("link3.angle", 0.9 + m.parameter("omega3", omega3, unit="rad/s", doc="speed of link 3") * mb.t)
    period(m, 1.0)
    return m


@example("inverted-slider")
def inverted_slider(l2: float = 0.1, d: float = 0.3, start: float = 60.0, omega: float = 5.0) -> mb.Model:
    """Inverted slider-crank: a block on the crank pin slides on a rod that turns about a fixed point.

    The crank turns about O2 = (0, 0), the rod about O3 = (−d, 0). ``O2`` = θ₂ = 60° + 5 t, ``O3`` = θ₃ is the rod's
    angle and ``S`` = x̄ the distance of the block from O3:

        x̄ e(θ₃) = (d, 0) + l₂ e(θ₂),  θ̇₃ = θ̇₂ l₂ cos(θ₃ − θ₂) / x̄,  dx̄/dt = θ̇₂ l₂ sin(θ₃ − θ₂)

    Parameters
    ----------
    l2 : float
        Length of the crank [m].
    d : float
        Distance of the pivots [m].
    start : float
        Crank angle at t = 0 [degrees].
    omega : float
        Speed of the crank [rad/s].

    Notes
    -----
    Shabana, Computational Dynamics, ch. 3 (the example on Coriolis acceleration); masses are ours.
    """
    m = mb.Model("inverted-slider", dimension=2, gravity=(0, -9.81))
    a = m.parameter("l2", l2, unit="m", doc="length of the crank")
    distance = m.parameter("d", d, unit="m", doc="distance of the pivots")
    m.frames(O3=(-distance, 0))
    crank = m.body("crank", mass=0.5, shape={"rod": [(0, 0), (a, 0)]}, frames={"pin": (a, 0)})
    block = m.body("block", mass=0.2, inertia=1e-4)
    rod = m.body("rod", mass=1.0, shape={"rod": [(0, 0), (distance + 2 * a, 0)]})
    m.revolute("O2", m.ground, crank)
    m.revolute("A", crank["pin"], block)
    m.revolute("O3", m.ground["O3"], rod)
    m.translational("S", rod, block, axis=(1, 0))
    speed = m.parameter("omega", omega, unit="rad/s", doc="speed of the crank")
    m.motion("O2", m.parameter("start", start, unit="deg", doc="crank angle at the start") * mb.deg + speed * mb.t)
    m.initial(guess={"O3": 0.0, "S": distance + a})
    period(m, 2 * mb.pi, omega)
    return m
