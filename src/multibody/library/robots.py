"""Open chains: the arm of Kim, You 1996, a seven-joint arm and a hanging chain."""

from __future__ import annotations

import multibody as mb
from multibody.library._registry import example, whole, word

# weight [lbf], moments of inertia about x and across [lbf in s²], length [in] of the seven links
_RRC = (
    (229.5, 6.907, 10.0, 20), (122, 3.056, 7.0, 12), (63.5, 1.773, 4.868, 12), (45, 1.559, 1.7823, 10),
    (24.5, 0.374, 1.197, 10), (12.5, 0.299, 0.37, 6), (8, 0.2, 0.2, 6),
)  # fmt: skip
_RRC_MOTIONS = {
    "1": {2: "pi/3*sin(pi*t/5)"},
    "1b": {2: "pi/3*sin(pi*t/5)", 4: "0", 6: "0"},
    "2": {2: "0", 4: "pi/30*sin(pi*t - pi)"},
}


@example("rrc-arm")
def rrc_arm(case: str = "1", k: float = 1e5) -> mb.Model:
    """RRC robot arm of seven joints, in inches and pounds, with three load cases.

    At zero the arm lies straight along x from the origin. Joints 1, 3, 5, 7 roll about x and are locked, joints 2, 4, 6
    pitch about y (positive lowers the arm); gravity along −z.

    Parameters
    ----------
    case : {"1", "1b", "2"}
        1: joint 2 moves as π/3 sin(π t/5), joints 4 and 6 are free and start at rest relative to their links. 1b: the
        same with joints 4 and 6 locked. 2: joint 4 moves as π/30 sin(π t − π), joint 2 is locked, joint 6 is free,
        and a stiff spring of free length 1 in holds the tip to the point 1 in below its first place.
    k : float
        Stiffness of that spring [lbf/in].

    Notes
    -----
    Kim, You 1996. Weights and inertias are the paper's; its masses are read as pounds, and its spring of 1.7513e7
    lb/in as 1.7513e7 N/m = 1e5 lbf/in. Lengths (20, 12, 12, 10, 10, 6, 6 in) and centers of mass in the middle are
    chosen.
    """
    chosen = word(case, "case", "rrc-arm", _RRC_MOTIONS)
    m = mb.Model("rrc-arm", gravity=(0, 0, "-g0"), units={"length": "in", "force": "lbf", "time": "s"})
    g0 = m.parameter("g0", 9.80665 / 0.0254, unit="in/s^2", doc="standard gravity")
    previous, reach = m.ground, 0.0
    for j, (weight, axial, across, length) in enumerate(_RRC, start=1):
        frames = {"tip": (reach + length, 0, 0)} if j == 7 else {}
        middle = (reach + length / 2, 0, 0)
        link = m.body(f"link{j}", mass=weight / g0, inertia=(axial, across, across), com=middle, frames=frames)
        m.revolute(f"joint{j}", previous, link, at=(reach, 0, 0), axis=(1, 0, 0) if j % 2 else (0, 1, 0))
        previous, reach = link, reach + length
    for j in range(1, 8):
        if j % 2 or j in _RRC_MOTIONS[chosen]:
            m.motion(f"joint{j}", _RRC_MOTIONS[chosen].get(j, "0"))
        else:
            m.initial({f"joint{j}": 0, f"joint{j}.rate": 0})
    if chosen == "2":
        m.frames(anchor=(reach, 0, -1))
        stiffness = m.parameter("k", k, unit="lbf/in", doc="stiffness of the spring at the tip")
        m.spring("tip_spring", m.ground["anchor"], previous["tip"], stiffness=stiffness, length=1)
    m.defaults["run"] = {"until": 1.0 if chosen == "2" else 5.0}
    return m


@example("arm7")
def arm7() -> mb.Model:
    """Robot arm of seven joints that turn about z and y in turn, standing on the origin.

    At zero the arm stands upright; the joints are 0.3 m apart along z, the first at the origin, and each link's
    center of mass is 0.15 m above its joint. Gravity along −z. All joints are free and start at rest at zero.

    Notes
    -----
    Data are ours, chosen to compare the speed of programs: masses 12, 9, 6, 4, 2.5, 1.2, 0.8 kg, inertias
    (0.05, 0.05, 0.02) m² times the mass. Bodies link1 … link7, joints joint1 … joint7.
    """
    m = mb.Model("arm7", gravity=(0, 0, -9.81))
    spacing = m.parameter("spacing", 0.3, unit="m", doc="distance of the joints")
    previous: mb.Body = m.ground
    for j, mass in enumerate((12.0, 9.0, 6.0, 4.0, 2.5, 1.2, 0.8), start=1):
        link = m.body(
            f"link{j}", mass=mass, inertia=(0.05 * mass, 0.05 * mass, 0.02 * mass), com=(0, 0, spacing / 2),
            frames={"tip": (0, 0, spacing)}, at=(0, 0, (j - 1) * spacing),
        )  # fmt: skip
        end = previous if j == 1 else previous["tip"]
        m.revolute(f"joint{j}", end, link, axis=(0, 0, 1) if j % 2 else (0, 1, 0))
        m.initial({f"joint{j}": 0, f"joint{j}.rate": 0})
        previous = link
    m.defaults["run"] = {"until": 1.0}
    return m


@example("chain")
def chain(n: int = 10) -> mb.Model:
    """Chain of n uniform rods, 1 m and 1 kg in all, released at rest from the horizontal.

    Planar, hung on the origin and stretched along x; gravity 9.81 along −y.

    Parameters
    ----------
    n : int
        Number of rods.

    Notes
    -----
    A classic test of how the cost grows with the number of bodies. Bodies link1 …, joints joint1 …; joint k is the
    angle of link k relative to link k − 1, so all are zero at the start.
    """
    count = whole(n, "n", "chain")
    m = mb.Model("chain", dimension=2, gravity=(0, -9.81))
    total = m.parameter("length", 1.0, unit="m", doc="length of the chain")
    size = m.parameter("link_length", total / count, unit="m")
    mass = m.parameter("link_mass", m.parameter("mass", 1.0, unit="kg", doc="mass of the chain") / count, unit="kg")
    moment = m.parameter("link_inertia", mass * size**2 / 12, unit="kg m^2")
    previous: mb.Body = m.ground
    for k in range(1, count + 1):
        link = m.body(
            f"link{k}", mass=mass, inertia=moment, com=(size / 2, 0), frames={"end": (size, 0)}, at=((k - 1) * size, 0)
        )
        m.revolute(f"joint{k}", previous if k == 1 else previous["end"], link)
        previous = link
    m.defaults["run"] = {"until": 1.0}
    return m
