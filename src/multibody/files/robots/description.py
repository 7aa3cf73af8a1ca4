"""What a robot file says, whatever its format: links, joints, couplings, gravity, and what is not carried over.

A reader fills a `Description`; `lower` makes a model of it. Numbers are in SI units, lengths in meters. Every item knows the
file and the line that it stands in.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from multibody.errors import ModelError
from multibody.files.robots.pose import Floats, Pose

__all__ = ["Coupling", "Description", "Inertial", "Joint", "Line", "Link", "Solid"]

JOINT_KINDS = (
    "fixed", "revolute", "prismatic", "cylindrical", "screw", "universal", "ball", "planar", "free", "distance",
)  # fmt: skip
"""Kinds of joints. A revolute joint without limits turns endlessly; a ball is also a point of a body held at one of another."""


@dataclass(frozen=True)
class Line:
    """Where something stands."""

    file: str = ""
    number: int | None = None

    def error(self, problem: str, hint: str = "", where: str = "") -> ModelError:
        """Return a fault at this line."""
        return ModelError(problem, where=where, hint=hint, file=self.file or None, line=self.number)

    def __str__(self) -> str:
        return self.file if self.number is None else f"{self.file}:{self.number}"


@dataclass
class Inertial:
    """Mass properties of a link.

    Attributes
    ----------
    mass : float
        [kg], as the file has it: zero or negative ones are judged when the model is made.
    place : Pose
        Center of mass and the axes of `inertia`, in link axes.
    inertia : array (3, 3)
        About the center of mass, in the axes of `place` [kg m²].
    """

    mass: float
    place: Pose
    inertia: Floats
    line: Line = field(default_factory=Line)


@dataclass
class Solid:
    """A shape or a mesh of a link.

    Attributes
    ----------
    kind : str
        box, cylinder, sphere, capsule, ellipsoid or mesh. Cylinders and capsules lie along z; all but meshes are centered at
        their place.
    size : tuple of float
        box: three edges; cylinder and capsule: radius, length (without the caps); sphere: radius; ellipsoid: three half axes
        [m]. Empty for a mesh.
    place : Pose
        In link axes.
    file : str
        Of a mesh: the path as found, or as named where there is no such file.
    scale : tuple of float
        Of a mesh, along its own axes.
    visual : bool
        Whether it is there to be seen; otherwise it is a collision solid.
    """

    kind: str
    size: tuple[float, ...] = ()
    place: Pose = field(default_factory=Pose)
    file: str = ""
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    visual: bool = True
    line: Line = field(default_factory=Line)


@dataclass
class Link:
    """A link.

    Attributes
    ----------
    name : str
        As the file has it; the model's name follows from it by a rule (`names`).
    inertial : Inertial or None
        None: the file states none.
    solids : list of Solid
    frames : dict of Pose
        Further named frames, in link axes.
    place : Pose or None
        In ground as drawn; None: it follows from the joints at zero.
    """

    name: str
    inertial: Inertial | None = None
    solids: list[Solid] = field(default_factory=list)
    frames: dict[str, Pose] = field(default_factory=dict)
    place: Pose | None = None
    line: Line = field(default_factory=Line)


@dataclass
class Joint:
    """A joint between two links, in the tree or closing a loop.

    Attributes
    ----------
    name : str
    kind : str
        One of `JOINT_KINDS`.
    parent, child : str or None
        Names of links; None is the ground.
    place : Pose
        Of the joint in the parent's axes. The coordinate is zero where `place` and `child_place` coincide.
    child_place : Pose
        Of the joint in the child's axes.
    axis : tuple of 3 floats or None
        In the axes of `place`, any length but zero: of a turn or slide, the normal of `planar`.
    axis2 : tuple of 3 floats or None
        Second axis of `universal`, perpendicular to the first.
    lower, upper : float or None
        Limits of the coordinate [rad or m]; None: there is none. They become a stop.
    effort, velocity : float or None
        Largest effort and rate; the effort makes the stop stiff, the rate is not carried over.
    damping, friction, stiffness, rest, armature : float
        Viscous damping, dry friction (an effort), spring and the coordinate where it is slack, inertia added to the coordinate.
    lead : float
        Advance a turn of a screw [m].
    length : float
        Of `distance` [m].
    start : float or None
        Coordinate that assembly starts from; default 0, or in a tree the nearer limit where 0 is outside of the limits.
    closes : bool
        Whether it closes a loop: the child's drawn place follows from another joint.
    """

    name: str
    kind: str
    parent: str | None
    child: str | None
    place: Pose = field(default_factory=Pose)
    child_place: Pose = field(default_factory=Pose)
    axis: tuple[float, float, float] | None = None
    axis2: tuple[float, float, float] | None = None
    lower: float | None = None
    upper: float | None = None
    effort: float | None = None
    velocity: float | None = None
    damping: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    armature: float = 0.0
    lead: float = 0.0
    length: float = 0.0
    start: float | None = None
    closes: bool = False
    line: Line = field(default_factory=Line)


@dataclass
class Coupling:
    """An exact relation of coordinates: joint = c₀ + c₁ follows + c₂ follows² + … (mimic, gears, joint equality).

    Attributes
    ----------
    name : str
        Empty: named after the joint.
    joint : str
        Of one coordinate.
    follows : str or None
        The joint that it follows; None: it is held at c₀.
    coefficients : tuple of float
        c₀, c₁, …
    """

    name: str
    joint: str
    follows: str | None
    coefficients: tuple[float, ...]
    line: Line = field(default_factory=Line)


@dataclass
class Description:
    """A robot.

    Attributes
    ----------
    name : str
    file : str
        That it was read from.
    links, joints, couplings : lists, in the order of the file
    gravity : tuple of 3 floats or None
    base : {"fixed", "floating"}
        What becomes of a link that no joint carries, unless the user says: held by the ground, or free.
    skipped : dict
        What is not carried over: names by what they are, ``{"sensor": ["imu"]}``; an empty name is counted only.
    files : list of str
        All files that were read, the first one first.
    """

    name: str
    file: str = ""
    links: list[Link] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    couplings: list[Coupling] = field(default_factory=list)
    gravity: tuple[float, float, float] | None = (0.0, 0.0, -9.81)
    base: str = "fixed"
    skipped: dict[str, list[str]] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)

    def skip(self, what: str, name: str = "") -> None:
        """Note something that is not carried over: ``skip("sensor", "imu")``."""
        self.skipped.setdefault(what, []).append(name)

    def link(self, name: str) -> Link:
        """Return the link of this name, which exists."""
        return next(link for link in self.links if link.name == name)


def about_origin(inertial: Inertial) -> tuple[Floats, Floats]:
    """Return the center of mass and the inertia about it, both in link axes."""
    R: Any = inertial.place.axes
    inertia = np.asarray(inertial.inertia, dtype=float)
    if not inertial.place.turned:
        return np.array(inertial.place.at), 0.5 * (inertia + inertia.T)
    turned = R @ inertia @ R.T
    return np.array(inertial.place.at), 0.5 * (turned + turned.T)
