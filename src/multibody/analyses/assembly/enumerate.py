"""Assemblies of a mechanism, group by group: both poses of a dyad, four of two dyads in a row, eight of a six-axis arm."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation

from multibody.analyses.assembly.assemble import CLOSED, PositionSolver, assemble, velocities
from multibody.analyses.assembly.branch_starts import TreeStarts
from multibody.analyses.assembly.branches import Group, find_groups, label_of, new_groups
from multibody.errors import ModelError
from multibody.model.model import Model
from multibody.rank.idle import idle_motions
from multibody.rank.leastnorm import DENSE_LIMIT, least_norm
from multibody.state.poses import read_pose
from multibody.state.state import State, Status
from multibody.state.system import Floats, System, tables_of

STARTS = 40  # random starts a group, and as many again for every assembly of it that was found:
MORE = 25
GENERIC = 3  # poses that are asked how many columns are free in general
LISTED = 100  # assemblies: a row of dyads has twice as many with every one
MOST = 600  # … but no more than these
SAME = 1e-6  # poses nearer than this (scaled) are one
FAR = 1e3  # a step longer than this (scaled) is that of a matrix near a singular one
ISOLATED = 1e-7  # singular value of a group below which its assemblies are not isolated


def assemble_branches(model: Model, initial: State | None = None, t: float | None = None) -> list[State]:
    """Return the assemblies that were found, which differ from the first one in a group of bodies; the first one first.

    Motions and held values (and, where they are too few, further coordinates as they are in the first assembly) are kept;
    each group of bodies is solved from many starts with the earlier groups fixed, and so on through the tree of choices. A
    group gets 40 starts and 25 more for each of its assemblies, at most 600, the same ones in every call: nothing proves that
    there are no others. Assemblies that are not isolated (singular positions) are listed only where they are the first. At
    most 100 are listed; the advice in the status of the first says if there are more.

    Parameters
    ----------
    model : Model
    initial : State, optional
    t : float, optional

    Returns
    -------
    list of State
    """
    first = assemble(model, initial, t)
    if not first.ok:
        return [first]
    if tables_of(model).nv > DENSE_LIMIT:
        raise ModelError("the mechanism is too large to list its branches", hint="choose one with a guess")
    system = System(tables_of(model))
    system.ref[:] = first.references
    starts = TreeStarts(system, first)
    groups = _groups(starts, first)
    poses, done, left_out = [first.q], {0}, False
    for group in groups:
        done |= set(group.bodies)
        if len(group.bodies) > 1:
            every = (found for pose in poses for found in _solutions(starts, pose, first, group, done))
            poses = list(itertools.islice(every, LISTED + 1))
            left_out = left_out or len(poses) > LISTED
            poses = poses[:LISTED]
    solver = PositionSolver(system, first.t)
    states = []
    for q in poses:
        if np.max(np.abs(solver.residual(q)[: system.rows]), initial=0.0) > 10 * CLOSED or solver.flipped(q):
            continue
        system.ref[:] = first.references
        system.take_references(q)
        v, status = velocities(system, q, first.t, Status(True, "assembled", first.t))
        states.append(State(first.tables, first.t, q, v, system.ref.copy(), label_of(system, q, first.t, groups), status))
    if left_out and states:
        advice = f"there are more than {LISTED} assemblies, of which the first are listed; hold or guess what should stay"
        states[0] = replace(states[0], status=replace(states[0].status, advice=advice))
    return states


def _groups(starts: TreeStarts, first: State) -> list[Group]:
    """Return the groups at the first assembly, of a singular one those of poses around, in which fewer columns are held."""
    system = starts.system
    found = find_groups(system, first.q, first.t)
    everything = Group(tuple(range(1, len(system.tables.bodies))), np.zeros(0, np.int64), np.arange(system.nv), ())
    for _ in range(GENERIC if _held(found) else 0):
        other = new_groups(system, starts.draw(first.q, everything), first.t)
        found = other if other and _held(other) < _held(found) else found
    return found


def _held(groups: list[Group]) -> int:
    """Return how many columns are held because no row determines them."""
    return sum(int(np.sum(group.rows < 0)) for group in groups)


def _solutions(starts: TreeStarts, pose: Floats, first: State, group: Group, done: set[int]) -> list[Floats]:
    """Return the poses of one group that close its rows while all other bodies stay; later groups follow.

    `done` are the bodies whose place is known then, those of this group among them.
    """
    system = starts.system
    J = system.scaled(system.jacobian(first.q, first.t, 0, system.joint_rows))
    idle = {body for body, _ in idle_motions(system, J)}
    solver = PositionSolver(system, first.t)
    judged = {name for name, pair in system.tables.ends.items() if {end.body for end in pair} <= done}
    judged |= {held.path for held in system.tables.held_rotations if {held.first.body, held.second.body} <= done}
    own, _ = _close(system, pose, first, group, idle)
    found, k = [] if own is None else [own], 0
    while k < min(STARTS + MORE * len(found), MOST) and not (group.pins and len(found) == 2):
        k += 1
        q, isolated = _close(system, starts.draw(pose, group), first, group, idle)
        if q is None or not isolated or judged.intersection(solver.flipped(q)):
            continue
        if all(_apart(system, q, other, group, idle) > SAME for other in found):
            found.append(q)
    return found


def _close(system: System, q: Floats, first: State, group: Group, idle: set[int]) -> tuple[Floats | None, bool]:
    """Return the pose in which the group's rows vanish, None where Newton does not get there, and whether it is isolated."""
    t, rows = first.t, group.rows[group.rows >= 0]
    fixed = [-1 - int(r) for r in group.rows if r < 0]
    for _ in range(40):
        c = system.phi(q, t, 0, system.all_rows)[rows] * system.scale_rows[rows]
        J = system.scaled(system.jacobian(q, t, 0, system.all_rows))[rows][:, group.columns]
        if fixed:  # columns held as they were in the first assembly
            unit = np.array([(group.columns == k).astype(float) for k in fixed])
            J, c = np.vstack([J, unit]), np.concatenate([c, _offset(system, q, first.q, fixed, idle)])
        step = _newton_step(J, c)
        size = float(np.max(np.abs(step), initial=0.0))
        full = np.zeros(system.nv)
        full[group.columns] = step * min(1.0, 0.5 / max(size, 1e-300))
        q = system.displaced(q, full * system.scale_columns)
        if size < 1e-11:
            rest = system.phi(q, t, 0, system.all_rows)[rows] * system.scale_rows[rows]
            if np.max(np.abs(rest), initial=0.0) >= CLOSED:
                return None, False
            return _near(system, q, first.q), bool(np.linalg.svd(J, compute_uv=False)[-1] > ISOLATED)
    return None, False


def _newton_step(J: Floats, c: Floats) -> Floats:
    """Return the step to the zero of the linearized rows, of least norm where they do not determine it."""
    if J.shape[0] == J.shape[1]:
        try:
            step = np.linalg.solve(J, -c)
            if float(np.max(np.abs(step), initial=0.0)) < FAR:
                return np.asarray(step)
        except np.linalg.LinAlgError:
            pass
    return least_norm(J, -c, 1e-10)[0]


def _offset(system: System, q: Floats, held: Floats, columns: list[int], idle: set[int]) -> Floats:
    """Return how far held columns are from their value (scaled); the spin of an idle body is left as it is."""
    found, layout = np.zeros(len(columns)), system.tables.layout
    for i, k in enumerate(columns):
        body, c = divmod(k, layout.velocities)
        if system.tables.dimension == 2 or body >= len(system.tables.bodies) - 1:
            at = k + system.tables.nq - system.tables.nv if body >= len(system.tables.bodies) - 1 else k
            found[i] = (q[at] - held[at]) / system.scale_columns[k]
        elif c < layout.dimension:
            at = layout.first(body + 1) + c
            found[i] = (q[at] - held[at]) / system.scale_columns[k]
        elif body + 1 not in idle:
            turns = Rotation.from_quat([np.roll(x[layout.orientation(body + 1)], -1) for x in (held, q)])  # scalar last
            found[i] = (turns[0].inv() * turns[1]).as_rotvec()[c - layout.dimension]
    return found


def _near(system: System, q: Floats, other: Floats) -> Floats:
    """Return a planar pose with its angles within half a turn of the other's."""
    layout = system.tables.layout
    if layout.dimension == 3:
        return q
    q, angles = q.copy(), layout.each(layout.angle, len(system.tables.bodies) - 1)
    q[angles] -= 2.0 * np.pi * np.round((q[angles] - other[angles]) / (2.0 * np.pi))
    return q


def _points(system: System, q: Floats, body: int) -> Floats:
    """Return the ground positions of a body's joint points."""
    r, A = read_pose(system, q, body)
    ends = [end for pair in system.tables.ends.values() for end in pair if end.body == body]
    return np.array([r + A @ system.tables.vector(end.point) for end in ends])


def _apart(system: System, a: Floats, b: Floats, group: Group, idle: set[int]) -> float:
    """Return how far apart two poses of a group are (scaled); a quaternion and its negative are one."""
    layout, worst = system.tables.layout, 0.0
    for body in group.bodies:
        if body in idle:  # its spin is free: compare the points of its joints
            points = [_points(system, q, body) for q in (a, b)]
            worst = max(worst, float(np.max(np.abs(points[0] - points[1]))) / system.tables.length)
            continue
        moved = float(np.max(np.abs(a[layout.position(body)] - b[layout.position(body)])))
        x, y = a[layout.orientation(body)], b[layout.orientation(body)]
        if layout.dimension == 2:
            turn = abs((x[0] - y[0] + np.pi) % (2.0 * np.pi) - np.pi)
        else:
            turn = min(np.max(np.abs(x - y)), np.max(np.abs(x + y)))
        worst = max(worst, moved / system.tables.length, float(turn))
    return worst
