"""Branches: the groups of bodies that are solved together, and the sign that tells one assembly of a group from another.

A driven mechanism falls into groups (Assur groups: a driven crank, then a dyad, then another …) that can be solved one after
the other; they are the strongly connected parts of its equations. Each group of two or more bodies has a sign: of the area of
the triangle of its pins for a planar dyad with three pins, else of the determinant of its block of Φ_q.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from multibody.rank.decider import Decider, scaled_rows, well_chosen
from multibody.rank.idle import gauge_rows, idle_motions
from multibody.rank.leastnorm import independent_rows, is_large
from multibody.rank.triangular_form import determinants, split
from multibody.state.poses import read_pose
from multibody.state.system import Floats, Integers, System


@dataclass(frozen=True)
class Group:
    """Bodies that are solved together.

    Attributes
    ----------
    bodies : tuple of int
    rows : array
        Rows that determine them; −1 − c stands for a held column c where no row does.
    columns : array
        Their velocity columns.
    pins : tuple of str
        For a planar dyad with three pins: its outer, inner and outer joint; else empty.
    """

    bodies: tuple[int, ...]
    rows: Integers
    columns: Integers
    pins: tuple[str, ...]


def find_groups(system: System, q: Floats, t: float) -> list[Group]:
    """Return the groups of the mechanism in the order in which they can be solved.

    Motions and held values drive it; where they are too few, further columns are taken as held. Which of several redundant
    rows are used is decided once for a model, as the signs of its groups depend on it.
    """
    known: list[Group] | None = system.tables.cache.get("groups")
    if known is not None and all(_regular(block) for block in group_blocks(system, q, t, known)):
        return known
    system.tables.cache["groups"] = new_groups(system, q, t)
    return list(system.tables.cache["groups"])


def _regular(block: Any) -> bool:
    """Return whether a group's block is regular."""
    if sparse.issparse(block):
        lu = _factored(block)
        return lu is not None and bool(np.min(np.abs(lu.U.diagonal())) > 1e-9)
    return bool(np.linalg.svd(block, compute_uv=False)[-1] > 1e-9)


def _factored(block: Any) -> Any:
    """Return the sparse factors of a block, None where it is exactly singular."""
    from scipy.sparse.linalg import splu

    try:
        return splu(sparse.csc_array(block))
    except RuntimeError:
        return None


def new_groups(system: System, q: Floats, t: float) -> list[Group]:
    """Return the groups found from the rows that are independent at a pose."""
    n = system.nv
    rows, held = _large_choice(system, q, t) if is_large(n) else _choice(system, q, t)
    if len(rows) + len(held) != n:
        return []
    pointer, columns = system.tables.row_pointer, system.tables.columns
    touched = [columns[pointer[r] : pointer[r + 1]] for r in rows] + [np.array([c]) for c in held]
    places = np.repeat(np.arange(n), [len(part) for part in touched])
    entries = (np.ones(len(places)), (places, np.concatenate(touched)))
    labels = np.concatenate([rows, -1 - np.array(held, dtype=np.int64)]).astype(np.int64)
    return _components(system, sparse.csr_array(entries, shape=(n, n)), labels)


def _choice(system: System, q: Floats, t: float) -> tuple[Integers, list[int]]:
    """Return independent rows, and columns that can be held where these are too few."""
    J = system.scaled(system.jacobian(q, t, 0, system.all_rows))
    rows = independent_rows(J)
    return rows, _free_columns(J[rows], system.nv)


def _large_choice(system: System, q: Floats, t: float) -> tuple[Integers, list[int]]:
    """Return the same for a large model; only idle motions are held, so that they are too few where it is not driven."""
    decider = Decider(system, system.all_rows, relative=False)
    J = decider.jacobian(q, t)
    gauge = gauge_rows(system, J)
    held = [int(row.indices[np.argmax(np.abs(row.data))]) for row in (gauge[[k]] for k in range(gauge.shape[0]))]
    return well_chosen(decider.decide(J)), held


def _free_columns(matrix: Floats, n: int) -> list[int]:
    """Return columns that can be held so that the matrix becomes square and regular."""
    from scipy.linalg import qr

    if len(matrix) == n:
        return []
    if len(matrix) == 0:
        return list(range(n))
    earlier = 1.0 + 1e-6 * np.arange(n, 0, -1) / n  # equal columns are told apart by their place, not by round-off
    _, _, order = qr(matrix * earlier, mode="economic", pivoting=True)
    return sorted(int(c) for c in order[len(matrix) :])


def _components(system: System, pattern: Any, labels: Integers) -> list[Group]:
    """Split a square pattern into its strongly connected parts, sources first; a body's columns stay together."""
    width, bodies = system.tables.width, len(system.tables.bodies) - 1
    owners = np.arange(system.nv) // width
    owners[width * bodies :] = -1
    parts = split(pattern, owners)
    if parts is None:
        return []
    order = np.argsort(parts.part, kind="stable")
    begin = np.searchsorted(parts.part[order], np.arange(len(parts.order) + 1))
    joints = _pins_of_bodies(system)
    groups = []
    for label in parts.order:
        members = order[begin[label] : begin[label + 1]]
        columns = np.sort(parts.match[members])
        own = tuple(sorted({int(c // width) + 1 for c in columns if c < width * bodies}))
        groups.append(Group(own, labels[members], columns, _dyad(own, joints)))
    return groups


def _pins_of_bodies(system: System) -> dict[int, dict[str, int]]:
    """Return the revolute joints of every body of a planar model, with their number in the model."""
    tables = system.tables
    found: dict[int, dict[str, int]] = {}
    if tables.dimension == 2:
        for number, (name, ends) in enumerate(tables.ends.items()):
            if tables.model.joints[name].kind.name == "revolute":
                for end in ends:
                    found.setdefault(end.body, {})[name] = number
    return found


def _dyad(bodies: tuple[int, ...], joints: dict[int, dict[str, int]]) -> tuple[str, ...]:
    """Return (outer, inner, outer) pins of a planar group of two bodies with three revolute joints."""
    if len(bodies) != 2:
        return ()
    one, two = (joints.get(body, {}) for body in bodies)
    inner = [name for name in one if name in two]
    both = {**one, **two}
    outer = sorted((name for name in both if name not in inner), key=both.__getitem__)
    return (outer[0], inner[0], outer[1]) if len(inner) == 1 and len(outer) == 2 else ()


def pin_position(system: System, q: Floats, joint: str) -> Floats:
    """Return the ground position of a joint's second point."""
    end = system.tables.ends[joint][1]
    r, A = read_pose(system, q, end.body)
    return np.asarray(r + A @ system.tables.vector(end.point))


def group_sign(system: System, q: Floats, group: Group, block: Any) -> int:
    """Return the sign of a group at a pose where it has the given block, 0 where it is singular."""
    if group.pins:
        a, b, c = (pin_position(system, q, joint) for joint in group.pins)
        area = (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
        scale = np.linalg.norm(b - a) * np.linalg.norm(c - b)
        return int(np.sign(area)) if abs(area) > 1e-9 * scale else 0
    size = block.shape[0]
    if sparse.issparse(block):
        lu = _factored(block)
        if lu is None:
            return 0
        sign, logarithm = (part[0] for part in determinants(lu, np.zeros(size, dtype=np.int64), 1))
    else:
        sign, logarithm = np.linalg.slogdet(block)
    return int(sign) if logarithm > -25.0 * size else 0


def group_blocks(system: System, q: Floats, t: float, groups: list[Group], large: bool = True) -> list[Any]:
    """Return the diagonal block of the scaled Jacobian of every group, as a sparse array where it is `large`."""
    J = scaled_rows(system, q, t, system.all_rows)
    place = np.full(system.nv, -1, dtype=np.int64)  # of a column in the block at hand
    blocks = []
    for group in groups:
        size = len(group.columns)
        place[group.columns] = np.arange(size)
        held = np.flatnonzero(group.rows < 0)
        spans = [np.arange(J.indptr[r], J.indptr[r + 1]) if r >= 0 else np.arange(0) for r in group.rows]
        entries = np.concatenate(spans)
        rows, columns = np.repeat(np.arange(size), [len(span) for span in spans]), place[J.indices[entries]]
        inside = columns >= 0
        values = np.append(J.data[entries][inside], np.ones(len(held)))
        places = (np.append(rows[inside], held), np.append(columns[inside], place[-1 - group.rows[held]]))
        block: Any = sparse.coo_array((values, places), shape=(size, size))
        blocks.append(block.tocsc() if large and is_large(size) else block.toarray())
        place[group.columns] = -1
    return blocks


def label_of(system: System, q: Floats, t: float, groups: list[Group]) -> str:
    """Return the signs of all groups of two or more bodies that joints and motions close, such as ``+-``.

    A held column counts as closed where it only stops an idle motion.
    """
    words = {1: "+", -1: "-", 0: "0"}
    held = any(np.any(g.rows < 0) for g in groups)
    idle = {body for body, _ in idle_motions(system, scaled_rows(system, q, t, system.joint_rows))} if held else set()
    width = system.tables.width
    closed = [g for g in groups if len(g.bodies) > 1 and all(r >= 0 or (-1 - r) // width + 1 in idle for r in g.rows)]
    blocks = group_blocks(system, q, t, closed)
    return "".join(words[group_sign(system, q, g, block)] for g, block in zip(closed, blocks, strict=True))


def branch_label(system: System, q: Floats, t: float) -> str:
    """Return the branch label of a pose; "" for mechanisms too large to be labeled."""
    if is_large(system.nv):
        return ""
    return label_of(system, q, t, find_groups(system, q, t))
