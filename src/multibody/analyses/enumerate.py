"""All assemblies of a mechanism, group by group: both poses of a dyad, four of two dyads in a row."""

from __future__ import annotations

import numpy as np

from multibody.analyses.assemble import CLOSED, PositionSolver, assemble, velocities
from multibody.analyses.branches import Group, find_groups, label_of
from multibody.analyses.idle import idle_motions
from multibody.analyses.leastnorm import DENSE_LIMIT, least_norm
from multibody.analyses.start import read_pose
from multibody.analyses.state import State, Status
from multibody.analyses.system import Floats, System, tables_of
from multibody.errors import ModelError
from multibody.model.model import Model

STARTS = 40  # random starts a group
SAME = 1e-6  # poses nearer than this (scaled) are one


def assemble_branches(model: Model, initial: State | None = None, t: float | None = None) -> list[State]:
    """Return every assembly that differs from the first one in a group of bodies, the first one first.

    Motions and held values (and, where they are too few, further coordinates as they are in the first assembly) are kept;
    each group of bodies is solved from many starts with the earlier groups fixed, and so on through the tree of choices.

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
    groups = find_groups(system, first.q, first.t)
    poses = [first.q]
    for group in groups:
        if len(group.bodies) > 1:
            poses = [found for pose in poses for found in _solutions(system, pose, first, group)]
    solver = PositionSolver(system, first.t)
    states = []
    for q in poses:
        if np.max(np.abs(solver.residual(q)[: system.rows]), initial=0.0) > 10 * CLOSED or solver.flipped(q):
            continue
        system.ref[:] = first.references
        system.take_references(q)
        v, status = velocities(system, q, first.t, Status(True, "assembled", first.t))
        states.append(
            State(first.tables, first.t, q, v, system.ref.copy(), label_of(system, q, first.t, groups), status)
        )
    return states


def _solutions(system: System, pose: Floats, first: State, group: Group) -> list[Floats]:
    """Return the poses of one group that close its rows while all other bodies stay; later groups follow."""
    random = np.random.default_rng(1)
    J = system.scaled(system.jacobian(first.q, first.t, 0, system.joint_rows))
    idle = {body for body, _ in idle_motions(system, J)}
    found: list[Floats] = [q for q in [_close(system, pose, first.q, first.t, group)] if q is not None]
    for _ in range(STARTS):
        shake = np.zeros(system.nv)
        size = np.where(system.scale_columns[group.columns] == 1.0, np.pi, system.scale_columns[group.columns])
        shake[group.columns] = random.uniform(-1.0, 1.0, len(group.columns)) * size
        q = _close(system, system.displaced(pose, shake), first.q, first.t, group)
        if q is not None and all(_apart(system, q, other, group, idle) > SAME for other in found):
            found.append(q)
    return found


def _close(system: System, q: Floats, held: Floats, t: float, group: Group) -> Floats | None:
    """Return the pose in which the group's rows vanish, None where Newton does not get there."""
    rows = group.rows[group.rows >= 0]
    fixed = [-1 - int(r) for r in group.rows if r < 0]
    for _ in range(40):
        c = system.phi(q, t, 0, system.all_rows)[rows] * system.scale_rows[rows]
        J = system.scaled(system.jacobian(q, t, 0, system.all_rows))[rows][:, group.columns]
        if fixed:  # columns held as they were in the first assembly
            unit = np.array([(group.columns == k).astype(float) for k in fixed])
            J, c = np.vstack([J, unit]), np.concatenate([c, _offset(system, q, held, fixed)])
        step, _ = least_norm(J, -c, 1e-10)
        size = float(np.max(np.abs(step), initial=0.0))
        full = np.zeros(system.nv)
        full[group.columns] = step * min(1.0, 0.5 / max(size, 1e-300))
        q = system.displaced(q, full * system.scale_columns)
        if size < 1e-11:
            rest = system.phi(q, t, 0, system.all_rows)[rows] * system.scale_rows[rows]
            return _near(system, q, held) if np.max(np.abs(rest), initial=0.0) < CLOSED else None
    return None


def _offset(system: System, q: Floats, held: Floats, columns: list[int]) -> Floats:
    """Return how far held columns are from their value (planar and translations; rotations are left free)."""
    if system.tables.dimension == 2:
        return np.array([(q[k] - held[k]) / system.scale_columns[k] for k in columns])
    return np.array(
        [
            (q[7 * (k // 6) + k % 6] - held[7 * (k // 6) + k % 6]) / system.scale_columns[k] if k % 6 < 3 else 0.0
            for k in columns
        ]
    )


def _near(system: System, q: Floats, other: Floats) -> Floats:
    """Return a planar pose with its angles within half a turn of the other's."""
    if system.tables.dimension == 3:
        return q
    q, bodies = q.copy(), len(system.tables.bodies) - 1
    angles = slice(2, 3 * bodies, 3)
    q[angles] -= 2.0 * np.pi * np.round((q[angles] - other[angles]) / (2.0 * np.pi))
    return q


def _points(system: System, q: Floats, body: int) -> Floats:
    """Return the ground positions of a body's joint points."""
    r, A = read_pose(system, q, body)
    ends = [end for pair in system.tables.ends.values() for end in pair if end.body == body]
    return np.array([r + A @ system.tables.vector(end.point) for end in ends])


def _apart(system: System, a: Floats, b: Floats, group: Group, idle: set[int]) -> float:
    """Return how far apart two poses of a group are (scaled); a quaternion and its negative are one."""
    d, worst = system.tables.dimension, 0.0
    for body in group.bodies:
        if body in idle:  # its spin is free: compare the points of its joints
            points = [_points(system, q, body) for q in (a, b)]
            worst = max(worst, float(np.max(np.abs(points[0] - points[1]))) / system.tables.length)
        elif d == 2:
            x, y = a[3 * body - 3 : 3 * body], b[3 * body - 3 : 3 * body]
            turn = abs((x[2] - y[2] + np.pi) % (2.0 * np.pi) - np.pi)
            worst = max(worst, float(np.max(np.abs(x[:2] - y[:2]))) / system.tables.length, float(turn))
        else:
            x, y = a[7 * body - 7 : 7 * body], b[7 * body - 7 : 7 * body]
            turn = min(np.max(np.abs(x[3:] - y[3:])), np.max(np.abs(x[3:] + y[3:])))
            worst = max(worst, float(np.max(np.abs(x[:3] - y[:3]))) / system.tables.length, float(turn))
    return worst
