"""Singular positions in words: which bodies could still move, and what is in line."""

from __future__ import annotations

import numpy as np

from multibody.analyses.assembly.branches import Group, group_blocks, pin_position
from multibody.state.poses import read_pose
from multibody.state.system import Floats, System

VANISHING = 1e-5  # a group whose smallest singular value is below this takes part in a located singular position


def explain(system: System, q: Floats, t: float, groups: list[Group], direction: Floats) -> str:
    """Return why a pose is singular.

    Parameters
    ----------
    system : System
    q : array
    t : float
    groups : list of Group
        The groups found at a regular pose.
    direction : array (nv,)
        The free direction there (scaled): right singular vector of the smallest singular value.

    Returns
    -------
    str
        For example ``crank and rod could move with all motions held; O, A and B are in line``.
    """
    tables, layout = system.tables, system.tables.layout
    bodies = len(tables.bodies) - 1
    sizes = np.max(np.abs(layout.split_rates(direction, bodies)), axis=1)
    contacts = np.abs(direction[layout.extra_rates(bodies)])
    moving = [tables.bodies[b + 1] for b in np.flatnonzero(sizes > 1e-3 * np.max(sizes))]
    if not moving:  # no body: the place of a contact on its curve, where that has shrunk to a point
        moving = [f"the contact of {tables.extras[k]}" for k in np.flatnonzero(contacts > 1e-3 * np.max(contacts))]
    text = f"{_listed(moving)} could move with all motions held"
    detail = _detail(system, q, t, groups)
    return f"{text}; {detail}" if detail else text


def _detail(system: System, q: Floats, t: float, groups: list[Group]) -> str:
    """Return what is special in the pair of bodies that is nearest to being singular, and in how many others besides."""
    dyads = [group for group in groups if len(group.bodies) == 2]
    if not dyads:
        return ""
    low = np.array([np.linalg.svd(block, compute_uv=False)[-1] for block in group_blocks(system, q, t, dyads, False)])
    singular = np.flatnonzero(low < VANISHING) if np.min(low) < VANISHING else [int(np.argmin(low))]
    texts = (_in_line(system, q, dyads[k]) for k in singular)
    detail = next((text for text in texts if text), "")
    others = len(singular) - 1
    if detail and others:
        return f"{detail}, and so it is in {others} more group{'s' if others > 1 else ''}"
    return detail


def _listed(names: list[str]) -> str:
    """Return names as a sentence has them."""
    if len(names) > 6:
        return f"{', '.join(names[:5])} and {len(names) - 5} more bodies"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _in_line(system: System, q: Floats, group: Group) -> str:
    """Return what is special in a planar dyad at a singular pose."""
    tables = system.tables
    if tables.dimension != 2 or len(group.bodies) != 2:
        return ""
    joints: dict[str, list[str]] = {}
    owners = {tables.rows[r].owner for r in group.rows if 0 <= r < system.joint_rows}
    for name in tables.ends:
        if name in owners:
            joints.setdefault(tables.model.joints[name].kind.name, []).append(name)
    pins, slides = joints.pop("revolute", []), joints.pop("translational", [])
    if joints or len(pins) + len(slides) != 3:
        return ""
    if not slides:
        return _pins_in_line(system, q, group, pins)
    return _across_the_slide(system, q, pins, slides[0]) if len(slides) == 1 else ""


def _pins_in_line(system: System, q: Floats, group: Group, pins: list[str]) -> str:
    """Return that the three pins of a dyad are in line, if they are: outer, inner, outer."""
    inner = [name for name in pins if {end.body for end in system.tables.ends[name]} == set(group.bodies)]
    if len(inner) != 1:
        return ""
    outer = [name for name in pins if name not in inner]
    names = [outer[0], inner[0], outer[1]]
    a, b, c = (pin_position(system, q, joint) for joint in names)
    one, two = np.subtract(b, a), np.subtract(c, b)
    area, size = one[0] * two[1] - one[1] * two[0], float(np.linalg.norm(one) * np.linalg.norm(two))
    return f"{_listed(names)} are in line" if abs(area) < 1e-3 * size else ""


def _across_the_slide(system: System, q: Floats, pins: list[str], slide: str) -> str:
    """Return that the link between the two pins of a dyad stands across its slide, if it does."""
    first, _ = system.tables.ends[slide]
    direction = read_pose(system, q, first.body)[1] @ system.tables.matrix(first.axes)[:, 0]
    link = np.subtract(pin_position(system, q, pins[1]), pin_position(system, q, pins[0]))
    size = float(np.linalg.norm(link))
    if size > 0.0 and abs(link @ direction) < 1e-3 * size:
        return f"the line {pins[0]}–{pins[1]} is perpendicular to the slide of {slide}"
    return ""
