"""Singular positions in words: which bodies could still move, and what is in line."""

from __future__ import annotations

import numpy as np

from multibody.analyses.branches import Group, find_groups, group_block, pin_position
from multibody.analyses.start import read_pose
from multibody.analyses.system import Floats, System


def null_direction(system: System, q: Floats, t: float) -> tuple[Floats, float]:
    """Return the right singular vector of the smallest singular value of the scaled Jacobian, and that value."""
    J = system.scaled(system.jacobian(q, t))
    _, s, Vt = np.linalg.svd(J)
    if len(s) < system.nv:
        return Vt[-1], 0.0
    return Vt[-1], float(s[-1])


def explain(system: System, q: Floats, t: float, groups: list[Group]) -> str:
    """Return why a pose is singular.

    Parameters
    ----------
    system : System
    q : array
    t : float
    groups : list of Group
        The groups found at a regular pose.

    Returns
    -------
    str
        For example ``crank and rod could move with all motions held; O, A and B are in line``.
    """
    direction, _ = null_direction(system, q, t)
    tables, width = system.tables, system.tables.width
    sizes = [float(np.max(np.abs(direction[width * b : width * b + width]))) for b in range(len(tables.bodies) - 1)]
    moving = [tables.bodies[b + 1] for b, size in enumerate(sizes) if size > 1e-3 * max(sizes)]
    text = f"{_listed(moving)} could move with all motions held"
    detail = ""
    worst = None
    for group in groups:
        if len(group.bodies) > 1:
            low = float(np.linalg.svd(group_block(system, q, t, group), compute_uv=False)[-1])
            if worst is None or low < worst[0]:
                worst = (low, group)
    if worst is not None:
        detail = _in_line(system, q, worst[1])
    return f"{text}; {detail}" if detail else text


def _listed(names: list[str]) -> str:
    """Return names as a sentence has them."""
    if len(names) > 6:
        return f"{', '.join(names[:5])} and {len(names) - 5} more bodies"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _in_line(system: System, q: Floats, group: Group) -> str:
    """Return what is special in a planar dyad at a singular pose."""
    if group.pins:
        a, b, c = (pin_position(system, q, joint) for joint in group.pins)
        one, two = np.subtract(b, a), np.subtract(c, b)
        area, size = one[0] * two[1] - one[1] * two[0], float(np.linalg.norm(one) * np.linalg.norm(two))
        return f"{_listed(list(group.pins))} are in line" if abs(area) < 1e-3 * size else ""
    tables = system.tables
    if tables.dimension != 2 or len(group.bodies) != 2:
        return ""
    slides: list[str] = []
    pins: list[str] = []
    for name, (first, second) in tables.ends.items():
        if {first.body, second.body} & set(group.bodies):
            kind = tables.model.joints[name].kind.name
            (slides if kind == "translational" else pins if kind == "revolute" else []).append(name)
    if len(slides) != 1 or len(pins) != 2:
        return ""
    first, _ = tables.ends[slides[0]]
    direction = read_pose(system, q, first.body)[1] @ tables.matrix(first.axes)[:, 0]
    link = np.subtract(pin_position(system, q, pins[1]), pin_position(system, q, pins[0]))
    size = float(np.linalg.norm(link))
    if size > 0.0 and abs(link @ direction) < 1e-3 * size:
        return f"the line {pins[0]}–{pins[1]} is perpendicular to the slide of {slides[0]}"
    return ""


def groups_at(system: System, q: Floats, t: float) -> list[Group]:
    """Return the groups of a driven mechanism, [] where the pose itself is singular or the model is large."""
    return find_groups(system, q, t) if system.nv <= 200 else []
