"""Classic planar linkages: Peaucellier's straight-line mechanism and a six-bar with four assemblies."""

from __future__ import annotations

import multibody as mb
from multibody.library._registry import example, period


@example("peaucellier")
def peaucellier(
    c: float = 0.1, long: float = 0.4, short: float = 0.25, swing: float = 45.0, frequency: float = 1.0
) -> mb.Model:
    """Peaucellier-Lipkin linkage: its point B draws an exact straight line.

    Two long links hang on the origin O, a rhombus of four short ones between them and the points A and B. The crank of
    length c about (c, 0) carries A on a circle through O, and since OA · OB = long² − short², B stays on the line

        x = (long² − short²) / (2 c)

    Bodies are drawn with A at (2c, 0), where the crank's angle ``C`` is zero. B is ``b1.B`` (and ``b2.B``).

    Parameters
    ----------
    c : float
        Length of the crank, and distance of its pivot from O [m].
    long, short : float
        Lengths of the links on O and of the rhombus [m].
    swing : float
        Amplitude of the crank's angle [degrees].
    frequency : float
        Of the swing [Hz].

    Notes
    -----
    Peaucellier 1864, Lipkin 1871; dimensions are ours. Seven bodies, ten pins, mobility 1.
    """
    m = mb.Model("peaucellier", dimension=2, gravity=(0, -9.81))
    crank = m.parameter("c", c, unit="m", doc="length of the crank")
    L = m.parameter("long", long, unit="m", doc="length of the long links")
    r = m.parameter("short", short, unit="m", doc="side of the rhombus")
    line = m.parameter("line", (L**2 - r**2) / (2 * crank), unit="m", doc="x of the straight line")
    mid = m.parameter("mid", (2 * crank + line) / 2, unit="m", doc="x of the rhombus' middle as drawn")
    half = m.parameter("half", mb.sqrt(L**2 - mid**2), unit="m", doc="half its other diagonal as drawn")
    points: dict[str, tuple[mb.Expression | float, mb.Expression | float]] = {
        "O": (0, 0), "C": (crank, 0), "A": (2 * crank, 0), "B": (line, 0), "P": (mid, half), "Q": (mid, -half),
    }  # fmt: skip
    bars = {"crank": "CA", "long1": "OP", "long2": "OQ", "a1": "AP", "a2": "AQ", "b1": "BP", "b2": "BQ"}
    density = m.parameter("density", 1.0, unit="kg/m", doc="mass of the links over their length")
    lengths = {"crank": crank, "long1": L, "long2": L, "a1": r, "a2": r, "b1": r, "b2": r}
    for name, ends in bars.items():
        rod = [points[end] for end in ends]
        m.body(name, mass=density * lengths[name], shape={"rod": rod}, frames={end: points[end] for end in ends})
    pins = {
        "C": ("ground", "crank"), "O1": ("ground", "long1"), "O2": ("ground", "long2"), "A1": ("crank", "a1"),
        "A2": ("crank", "a2"), "P1": ("long1", "a1"), "P2": ("long1", "b1"), "Q1": ("long2", "a2"),
        "Q2": ("long2", "b2"), "B": ("b1", "b2"),
    }  # fmt: skip
    for name, (first, second) in pins.items():
        m.revolute(name, first, second, at=points[name[0]])
    amplitude = m.parameter("swing", swing, unit="deg", doc="amplitude of the crank's angle")
    rate = m.parameter("frequency", frequency, unit="Hz", doc="frequency of the swing")
    m.motion("C", amplitude * mb.deg * mb.sin(2 * mb.pi * rate * mb.t))
    period(m, 1.0, frequency)
    return m


@example("six-bar")
def six_bar(omega: float = 2.0) -> mb.Model:
    """Stephenson six-bar of two dyads, with four assemblies at every crank angle.

    A crank-rocker O2-A-B-O4 carries on its coupler the point E, from which a second dyad E-F-O6 moves link 6 about O6.
    Each dyad closes in two ways, and in all four assemblies the crank turns fully.

    Parameters
    ----------
    omega : float
        Speed of the crank [rad/s].

    Notes
    -----
    A Stephenson III chain; dimensions are ours, masses 1 kg/m. The lengths a (crank), b, c, e, f and the points pE,
    pO4, pO6 are parameters of the model.
    """
    m = mb.Model("six-bar", dimension=2, gravity=(0, -9.81))
    a = m.parameter("a", 0.1, unit="m", doc="length of the crank")
    b = m.parameter("b", 0.35, unit="m", doc="length of the coupler")
    c = m.parameter("c", 0.3, unit="m", doc="length of the rocker")
    e = m.parameter("e", 0.45, unit="m", doc="length of link 5")
    f = m.parameter("f", 0.35, unit="m", doc="length of link 6")
    pE = m.parameter("pE", (0.2, 0.1), unit="m", doc="second pin of the coupler, in its frame")
    m.frames(O4=m.parameter("pO4", (0.4, 0.0), unit="m"), O6=m.parameter("pO6", (0.4, 0.4), unit="m"))
    crank = m.body("crank", mass=a, shape={"rod": [(0, 0), (a, 0)]}, frames={"end": (a, 0)})
    coupler = m.body("coupler", mass=0.5, inertia=6e-3, com=(0.18, 0.05), frames={"end": (b, 0), "E": pE})
    rocker = m.body("rocker", mass=c, shape={"rod": [(0, 0), (c, 0)]}, frames={"end": (c, 0)})
    link5 = m.body("link5", mass=e, shape={"rod": [(0, 0), (e, 0)]}, frames={"end": (e, 0)})
    link6 = m.body("link6", mass=f, shape={"rod": [(0, 0), (f, 0)]}, frames={"end": (f, 0)})
    m.revolute("O2", m.ground, crank)
    m.revolute("A", crank["end"], coupler)
    m.revolute("B", coupler["end"], rocker["end"])
    m.revolute("O4", m.ground["O4"], rocker)
    m.revolute("E", coupler["E"], link5)
    m.revolute("F", link5["end"], link6["end"])
    m.revolute("O6", m.ground["O6"], link6)
    m.motion("O2", m.parameter("omega", omega, unit="rad/s", doc="speed of the crank") * mb.t)
    m.initial(guess={"coupler.angle": 55 * mb.deg, "rocker.angle": 105 * mb.deg})
    m.initial(guess={"link5.angle": -15 * mb.deg, "link6.angle": -60 * mb.deg})
    period(m, 2 * mb.pi, omega)
    return m
