"""What dependent rows and free directions mean for bodies: reactions that are not unique, idle and undriven freedom."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multibody.rank.decider import Rank
from multibody.rank.elimination import Matrix
from multibody.rank.generic import free_direction
from multibody.rank.idle import VANISHES, idle_motions
from multibody.state.poses import read_pose
from multibody.state.system import Floats, System

BY_MULTIPLIERS = ("gear", "rack", "cam", "coupler")  # kinds whose rows act on more than two bodies or at no fixed point


@dataclass(frozen=True)
class Uniqueness:
    """Which components of a joint's reaction (ground axes, at the second frame's origin) have one value only."""

    force: list[bool]
    moment: list[bool]

    @property
    def all(self) -> bool:
        """Whether every component is unique."""
        return all(self.force) and all(self.moment)


def unique_reactions(system: System, q: Floats, J: Matrix, rank: Rank) -> dict[str, Uniqueness]:
    """Return for each joint which components of its reaction do not change with the dependencies of the rows.

    Parameters
    ----------
    system : System
    q : array
        Pose.
    J : sparse array
        Scaled Jacobian of the joint rows at this pose.
    rank : Rank
        Its dependencies.
    """
    tables, d = system.tables, system.tables.dimension
    moments = 1 if d == 2 else 3
    found = {}
    for name, rows in tables.joint_rows.items():
        part = rank.left[rows.start : rows.stop] if rank.dropped else None
        if part is None or part.nnz == 0:
            found[name] = Uniqueness([True] * d, [True] * moments)
            continue
        N = part.toarray()[:, np.unique(part.indices)]
        if tables.model.joints[name].kind.relation in BY_MULTIPLIERS:
            found[name] = Uniqueness([False] * d, [False] * moments)
            continue
        moved = wrench_map(system, q, J, name) @ N
        unique = [bool(np.max(np.abs(row)) < VANISHES) for row in moved]
        found[name] = Uniqueness(unique[:d], unique[d:])
    return found


def wrench_map(system: System, q: Floats, J: Matrix, joint: str) -> Floats:
    """Return the map from a joint's multipliers to its wrench on the second body (force, then moment), scaled.

    Force times the characteristic length and moment have the same unit, so that one tolerance serves both. Where the
    second body is the ground, the wrench on the first one is taken with the opposite sign.
    """
    tables, layout = system.tables, system.tables.layout
    rows = tables.joint_rows[joint]
    first, second = tables.ends[joint]
    body, sign = (second.body, -1.0) if second.body else (first.body, 1.0)
    block = J[rows.start : rows.stop][:, layout.motion(body)].toarray()
    r, A = read_pose(system, q, body)
    rj, Aj = read_pose(system, q, second.body)
    arm = (r - rj - Aj @ tables.vector(second.point)) / tables.length  # from the joint's point to the center of mass
    force = sign * block[:, layout.shift].T
    if layout.dimension == 2:
        moment = sign * block[:, layout.angle] + arm[0] * force[1] - arm[1] * force[0]
        return np.vstack([force, moment])
    moment = sign * A @ block[:, layout.turn].T + np.cross(arm, force, axisb=0, axisc=0)
    return np.vstack([force, moment])


# --- idle freedom -----------------------------------------------------------------------------------------------------
def idle_freedoms(system: System, q: Floats, J: Matrix) -> list[str]:
    """Return in words the motions of a single body between others that move nothing else.

    Parameters
    ----------
    system : System
    q : array
        A general pose.
    J : sparse array
        Scaled Jacobian of the joint rows there.
    """
    return [text for body, N in idle_motions(system, J) for text in _words(system, q, body, N)]


def _words(system: System, q: Floats, body: int, N: Floats) -> list[str]:
    """Return the slides and turns of a body that span the columns of N."""
    d, name = system.tables.dimension, system.tables.bodies[body]
    _, s, Vt = np.linalg.svd(N[d:], full_matrices=True)
    turning = int(np.sum(s > VANISHES))
    basis = N @ Vt.T
    found = [_spin(system, q, body, basis[:, k]) for k in range(turning)]
    for k in range(turning, N.shape[1]):
        found.append(f'slide of "{name}" along {direction_text(basis[:d, k])}')
    return found


def _spin(system: System, q: Floats, body: int, twist: Floats) -> str:
    """Return a turn of a body in words, with the joints on its axis."""
    tables, d, name = system.tables, system.tables.dimension, system.tables.bodies[body]
    shift, turn = tables.layout.shift, tables.layout.turn
    r, A = read_pose(system, q, body)
    v = np.append(twist[shift], 0.0)[:3] * tables.length
    w = np.array([0.0, 0.0, *twist[turn]]) if d == 2 else A @ twist[turn]
    center = np.append(r, 0.0)[:3] + np.cross(w, v) / (w @ w)
    on_axis: list[str] = []
    for joint, ends in tables.ends.items():
        for end in ends:
            if end.body == body:
                gap = np.append(r + A @ tables.vector(end.point), 0.0)[:3] - center
                if float(np.linalg.norm(np.cross(gap, w / np.linalg.norm(w)))) < 1e-6 * tables.length:
                    on_axis.append(joint)
    if len(on_axis) > 1:
        line = "the point" if d == 2 else "the line"
        return f'spin of "{name}" about {line} {on_axis[0]}–{on_axis[1]}'
    if on_axis:
        return f'spin of "{name}" about {on_axis[0]}' + ("" if d == 2 else f" along {direction_text(w)}")
    return f'spin of "{name}" about {direction_text(w)}'


def direction_text(vector: Floats) -> str:
    """Return a direction in ground, first component that is not zero positive."""
    unit = vector / np.linalg.norm(vector)
    unit = np.where(np.abs(unit) < 1e-9, 0.0, unit)
    unit = unit * np.sign(unit[np.flatnonzero(unit)[0]]) + 0.0  # no minus on a zero
    return "(" + ", ".join(f"{x:.3g}" for x in unit) + ")"


# --- freedom without a motion -----------------------------------------------------------------------------------------
def undriven_coordinates(system: System, q: Floats, J: Matrix, most: int = 6) -> list[str]:
    """Return joint coordinates that still move when all rows of J are held; `…` stands for further ones."""
    tables = system.tables
    random = np.random.default_rng(1)
    free = [free_direction(J, random) * system.scale_columns for _ in range(3)]
    found: list[str] = []
    for joint in tables.model.joints.values():
        names = joint.names_of_coordinates(tables.dimension)
        for item in names:
            function = tables.coordinates["joint", joint.name, item, 0]
            unit = tables.length if tables.functions[function].is_length else 1.0
            gradient = system.gradient(q, function) / unit
            if max(abs(float(gradient @ x)) for x in free) > 1e-6:
                if len(found) == most:
                    return [*found, "…"]
                found.append(joint.name if len(names) == 1 else f"{joint.name}.{item}")
    return found
