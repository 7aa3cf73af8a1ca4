"""Inertias of links: judged all at once, and mended as the user chose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multibody.files.robots.description import Description, Inertial, Joint, Line, Link, about_origin
from multibody.files.robots.options import RobotOptions
from multibody.files.robots.pose import Floats
from multibody.files.robots.solids import mass_of_solids

__all__ = ["Masses", "judged"]

SLACK = 1e-6
"""Share of the largest principal moment by which others may miss what a body can have; `tables.mass` takes the same."""

TINY = 1e-14
"""Square of a radius of gyration [m²] below which moments are rounding of a CAD program."""


@dataclass(frozen=True)
class Masses:
    """Mass properties of a link in its axes; all None where dynamics is to refuse it."""

    mass: float | None
    com: Floats
    inertia: Floats | None


@dataclass(frozen=True)
class Fault:
    """What is wrong with the inertia of a link."""

    link: str
    problem: str
    line: Line

    def __str__(self) -> str:
        at = f", line {self.line.number}" if self.line.number is not None else ""
        return f'"{self.link}" ({self.problem}{at})'


def judged(robot: Description, options: RobotOptions) -> tuple[dict[str, Masses], list[Fault]]:
    """Return the mass properties of all links, and the faults that are left: those that dynamics refuses.

    A link that states none and is held by fixed joints to one that has a mass, or to the ground, is a frame and has none.
    """
    groups = rigid_groups(robot)
    held = _held(robot, groups, options)
    found: dict[str, Masses] = {}
    faults: list[Fault] = []
    for link in robot.links:
        problem = _problem(link, robot, groups, held)
        if not problem:
            found[link.name] = _stated(link.inertial)
            continue
        found[link.name], problem = _mended(link, problem, options)
        if problem:
            faults.append(Fault(link.name, problem, link.inertial.line if link.inertial else link.line))
    return found, faults


def _mended(link: Link, problem: str, options: RobotOptions) -> tuple[Masses, str]:
    """Return the mass properties that the user chose for a link at fault, and what is still wrong then."""
    if options.inertias == "massless":
        return Masses(0.0, np.zeros(3), np.zeros((3, 3))), ""
    refused = Masses(None, np.zeros(3) if link.inertial is None else np.array(link.inertial.place.at), None)
    if options.inertias == "refuse":
        return refused, problem
    solids = [s for s in link.solids if not s.visual] or link.solids
    if not solids:
        return refused, f"{problem}, and it has no shape"
    mass, com, inertia = mass_of_solids(solids, options.density, link.name)
    return Masses(mass, com, inertia), ""


def _stated(inertial: Inertial | None) -> Masses:
    """Return what the file states, without the rounding that no body can have."""
    if inertial is None:
        return Masses(0.0, np.zeros(3), np.zeros((3, 3)))
    com, inertia = about_origin(inertial)
    return Masses(inertial.mass, com, _possible(inertia))


def _possible(inertia: Floats) -> Floats:
    """Return an inertia that the model takes: as it is, or with its rounding below zero taken away."""
    values, vectors = np.linalg.eigh(inertia)
    a, b, c = values
    if a >= -SLACK * c and a + b >= c * (1.0 - SLACK):
        return inertia
    lifted = np.clip(values, 0.0, None)
    lifted[2] = min(lifted[2], lifted[0] + lifted[1])
    return np.asarray((vectors * lifted) @ vectors.T)


def _problem(link: Link, robot: Description, groups: dict[str, int], held: set[int]) -> str:
    """Return what is wrong with the inertia of a link, nothing where it is sound."""
    if link.inertial is None:
        return "" if groups[link.name] in held else "it states no inertia"
    mass, (_, inertia) = link.inertial.mass, about_origin(link.inertial)
    if mass < 0.0:
        return f"its mass is {mass:g}"
    a, b, c = np.linalg.eigvalsh(inertia)
    slack = SLACK * max(c, 0.0) + TINY * mass + np.finfo(float).tiny
    if a < -slack or a + b < c - slack:
        return f"no body has the principal moments {a:.4g}, {b:.4g}, {c:.4g}"
    return ""


def rigid_groups(robot: Description) -> dict[str, int]:
    """Return for each link the number of its group: links that fixed joints hold together; 0 is the ground's."""
    return _groups(robot, [joint for joint in robot.joints if joint.kind == "fixed"])


def _groups(robot: Description, joints: list[Joint]) -> dict[str, int]:
    """Return for each link the number of its group of links that joints connect; 0 is the ground's."""
    parent = {link.name: link.name for link in robot.links} | {"": ""}

    def root(name: str) -> str:
        while parent[name] != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    for joint in joints:
        parent[root(joint.child or "")] = root(joint.parent or "")
    numbers = {root(""): 0}
    return {link.name: numbers.setdefault(root(link.name), len(numbers)) for link in robot.links}


def _held(robot: Description, groups: dict[str, int], options: RobotOptions) -> set[int]:
    """Return the groups that need no further mass: those with some, and those that the ground holds."""
    held = {0} | {groups[link.name] for link in robot.links if link.inertial is not None}
    if fixed_base(robot, options):
        held |= {groups[name] for name in roots(robot)}
    return held


def fixed_base(robot: Description, options: RobotOptions) -> bool:
    """Return whether links that no joint carries are held by the ground."""
    return (robot.base if options.base == "file" else options.base) == "fixed"


def roots(robot: Description) -> list[str]:
    """Return the links that carry what no joint connects with the ground: of each part the first that hangs on none."""
    parts = _groups(robot, [joint for joint in robot.joints if carries(joint)])
    carried = {joint.child for joint in robot.joints if carries(joint)}
    first: dict[int, str] = {}
    for link in sorted(robot.links, key=lambda link: link.name in carried):
        first.setdefault(parts[link.name], link.name)
    return [name for part, name in first.items() if part]


def carries(joint: Joint) -> bool:
    """Return whether a joint is of the tree."""
    return not joint.closes and joint.kind != "distance"
