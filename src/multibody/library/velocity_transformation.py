"""The examples of Lee, Sohn, Kim, Yoo 2001 (system Jacobian with the velocity transformation)."""

from __future__ import annotations

import multibody as mb
from multibody.library._registry import example


@example("pendulum")
def pendulum(m: float = 1.0, l: float = 1.0) -> mb.Model:
    """Uniform rod that hangs on its end, released from the horizontal.

    ``O`` is the angle from the x axis, counter-clockwise; gravity 9.81 along −y: l θ̈ / 3 = −g cos θ / 2.

    Parameters
    ----------
    m : float
        Mass [kg].
    l : float
        Length [m].

    Notes
    -----
    Lee, Sohn, Kim, Yoo 2001, single pendulum. Body rod, joint O.
    """
    model = mb.Model("pendulum", dimension=2, gravity=(0, -9.81))
    size = model.parameter("l", l, unit="m", doc="length")
    mass = model.parameter("m", m, unit="kg", doc="mass")
    rod = model.body("rod", mass=mass, shape={"rod": [(0, 0), (size, 0)]}, frames={"end": (size, 0)})
    model.revolute("O", model.ground, rod)
    model.initial({"O": 0, "O.rate": 0})
    model.defaults["run"] = {"until": 5.0}
    return model


@example("tilted-four-bar")
def tilted_four_bar(
    l2: float = 0.4, l3: float = 1.0, l4: float = 0.8, distance: float = 0.9, tilt: float = 0.3, start: float = 1.0
) -> mb.Model:
    """Four-bar whose coupler is tilted out of the plane: crank and follower turn about parallel axes.

    The crank turns about z at the origin (``O2`` = θ₂), the follower about z at O4 = (distance, 0, −l₃ sin tilt)
    (``O4`` = θ₄). The universal joint A on the crank turns about z (``A.angle1`` = θ₃₁) and then about the coupler's
    y axis (``A.angle2`` = θ₃₂), a ball C joins coupler and follower:

        l₂ e(θ₂) + l₃ cos θ₃₂ e(θ₂ + θ₃₁) = (distance, 0) + l₄ e(θ₄),  θ₃₂ = tilt

    The tilt is constant, since both axes are parallel. Falls from rest; gravity 9.81 along −y.

    Parameters
    ----------
    l2, l3, l4 : float
        Lengths of crank, coupler and follower [m].
    distance : float
        Of the follower's axis from the crank's [m].
    tilt : float
        Of the coupler out of the plane [rad]; 0 makes it planar.
    start : float
        Crank angle at the start [rad].

    Notes
    -----
    Lee, Sohn, Kim, Yoo 2001, spatial four-bar; the geometry follows from its appendix, the numbers are ours. Slender
    rods of 1, 2 and 1.5 kg, axial inertia of the coupler 0.002 kg m². Bodies crank, coupler, follower; joints O2, A,
    C, O4.
    """
    m = mb.Model("tilted-four-bar", gravity=(0, -9.81, 0))
    a = m.parameter("l2", l2, unit="m", doc="length of the crank")
    b = m.parameter("l3", l3, unit="m", doc="length of the coupler")
    c = m.parameter("l4", l4, unit="m", doc="length of the follower")
    far = m.parameter("distance", distance, unit="m", doc="distance of the axes")
    lean = m.parameter("tilt", tilt, unit="rad", doc="tilt of the coupler")
    first = m.parameter("start", start, unit="rad", doc="crank angle at the start")
    m.frames(O4=(far, 0, -b * mb.sin(lean)))
    crank = _rod(m, "crank", a, 1.0, 0.0)
    coupler = _rod(m, "coupler", b, 2.0, 0.002)
    follower = _rod(m, "follower", c, 1.5, 0.0)
    m.revolute("O2", m.ground, crank)
    m.universal("A", crank["end"], coupler, axes=[(0, 0, 1), (0, 1, 0)])
    m.spherical("C", coupler["end"], follower["end"])
    m.revolute("O4", m.ground["O4"], follower)
    m.initial({"O2": first, "O2.rate": 0}, guess={"A.angle1": -0.5, "A.angle2": lean, "O4": 1.4})
    m.defaults["run"] = {"until": 5.0}
    return m


def _rod(m: mb.Model, name: str, length: mb.Expression, mass: float, axial: float) -> mb.Body:
    """Add a uniform rod along its x axis."""
    across = mass * length**2 / 12
    return m.body(
        name, mass=mass, inertia=(axial, across, across), com=(length / 2, 0, 0), frames={"end": (length, 0, 0)}
    )
