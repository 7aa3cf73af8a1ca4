"""The in-line engine of Lee, Lee, Bae 2013 (parametric generalized coordinates)."""

from __future__ import annotations

from typing import Any

import multibody as mb
from multibody.library._registry import example, whole, word

_DATA: dict[str, dict[str, Any]] = {
    "paper": {
        "r": 0.04, "l": 0.12, "rod_com": 0.04, "crank": (2.0, 0.005), "rod": (0.6, 0.001), "piston": 0.5,
        "theta": 0.5, "omega": 15.0,
    },
    "peer": {
        "r": 0.05, "l": 0.2, "rod_com": 0.1, "crank": (1.0, 0.01), "rod": (0.5, 0.002), "piston": 0.4,
        "theta": 0.0, "omega": 15.0,
    },
}  # fmt: skip


@example("engine")
def engine(n: int = 1, data: str = "paper", g: float = 0.0, dimension: int = 3) -> mb.Model:
    """In-line engine of n slider-cranks side by side, each with its own crank, at 15 rad/s.

    The cranks turn about z, the cylinders lie along x, the sets are 0.1 m apart along z. ``O1`` is the angle of crank 1
    from the x axis, ``S1`` the place of piston 1, and so on. In space every set has 20 equations of rank 17.

    Parameters
    ----------
    n : int
        Number of slider-cranks (the paper: 1, 5, 20).
    data : {"paper", "peer"}
        Dimensions, masses and first angle; see the notes.
    g : float
        Gravity along −x [m/s²]; none by default.
    dimension : {3, 2}
        In the plane all sets lie over each other and no equation is redundant.

    Notes
    -----
    Lee, Lee, Bae 2013 give the structure (three revolute and one translational joint a set) and the crank's first
    speed, but no dimensions. ``paper``: radius 0.04, rod 0.12 m with its center of mass 0.04 m from the crank pin,
    masses 2, 0.6 and 0.5 kg, inertias about z 0.005 and 0.001 kg m², first angle 0.5 rad. ``peer``: radius 0.05, rod
    0.2 m (center of mass in the middle), masses 1, 0.5 and 0.4 kg, inertias 0.01 and 0.002 kg m², first angle 0, as
    used to compare programs. Inertias about other axes have no effect. Bodies crank1, rod1, piston1, …; joints O1,
    A1, B1, S1, ….
    """
    count = whole(n, "n", "engine")
    values = _DATA[word(data, "data", "engine", _DATA)]
    size = int(word(dimension, "dimension", "engine", ("2", "3")))
    gravity = tuple("-g" if k == 0 else 0 for k in range(size)) if g else None
    m = mb.Model("engine", dimension=size, gravity=gravity)
    if g:
        m.parameter("g", g, unit="m/s^2", doc="gravity along -x")
    m.parameter("r", values["r"], unit="m", doc="radius of the cranks")
    m.parameter("l", values["l"], unit="m", doc="length of the rods")
    m.parameter("rod_com", values["rod_com"], unit="m", doc="center of mass of a rod, from its crank pin")
    theta = m.parameter("theta", values["theta"], unit="rad", doc="first angle of the cranks")
    omega = m.parameter("omega", values["omega"], unit="rad/s", doc="first speed of the cranks")
    for k in range(1, count + 1):
        _cylinder(m, k, values)
        m.initial({f"O{k}": theta, f"O{k}.rate": omega}, guess={f"S{k}": "r + l"})
        # the rod points to the cylinder at every crank angle
        m.initial(guess={f"rod{k}.angle": 0} if size == 2 else {f"rod{k}.rotation": {"rotvec": (0, 0, 0)}})
    m.defaults["run"] = {"until": 1.0}
    return m


def _cylinder(m: mb.Model, k: int, values: dict[str, Any]) -> None:
    """Add slider-crank k."""
    space = m.dimension == 3

    def point(x: Any, z: float = 0.0) -> tuple[Any, ...]:
        return (x, 0, z) if space else (x, 0)

    def moments(about_z: float) -> Any:
        return (about_z, about_z, about_z) if space else about_z

    z = 0.1 * (k - 1)
    m.frames(**{f"bearing{k}": point(0, z)})
    (m2, J2), (m3, J3) = values["crank"], values["rod"]
    crank = m.body(f"crank{k}", mass=m2, inertia=moments(J2), frames={"pin": point("r")}, at=point(0, z))
    rod = m.body(
        f"rod{k}", mass=m3, inertia=moments(J3), com=point("rod_com"), frames={"small": point("l")}, at=point("r", z)
    )
    piston = m.body(f"piston{k}", mass=values["piston"], inertia=moments(1e-4), at=point("r + l", z))
    bearing = m.ground[f"bearing{k}"]
    m.revolute(f"O{k}", bearing, crank)
    m.revolute(f"A{k}", crank["pin"], rod)
    m.revolute(f"B{k}", rod["small"], piston)
    m.translational(f"S{k}", bearing, piston, axis=point(1))
