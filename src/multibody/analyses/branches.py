"""Branches: the groups of bodies that are solved together, and the sign that tells one assembly of a group from another.

A driven mechanism falls into groups (Assur groups: a driven crank, then a dyad, then another …) that can be solved one after
the other; they are the strongly connected parts of its equations. Each group of two or more bodies has a sign: of the area of
the triangle of its pins for a planar dyad with three pins, else of the determinant of its block of Φ_q.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from multibody.analyses.idle import idle_motions
from multibody.analyses.leastnorm import DENSE_LIMIT
from multibody.analyses.start import read_pose
from multibody.analyses.system import Floats, System

Integers = npt.NDArray[np.int64]


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


def independent_rows(J: Floats, cut: float = 1e-9) -> Integers:
    """Return rows of J that are independent, earlier rows preferred where the pivots allow, in increasing order."""
    from scipy.linalg import qr

    if J.size == 0:
        return np.zeros(0, dtype=np.int64)
    _, R, order = qr(J.T, mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(R))
    rank = int(np.sum(diagonal > cut * max(diagonal[0], 1e-300))) if len(diagonal) else 0
    return np.sort(order[:rank]).astype(np.int64)


def find_groups(system: System, q: Floats, t: float) -> list[Group]:
    """Return the groups of the mechanism in the order in which they can be solved.

    Motions and held values drive it; where they are too few, further columns are taken as held. Which of several redundant
    rows are used is decided once for a model, as the signs of its groups depend on it.
    """
    known: list[Group] | None = system.tables.cache.get("groups")
    if known is not None and all(_regular(system, q, t, group) for group in known):
        return known
    system.tables.cache["groups"] = _new_groups(system, q, t)
    return list(system.tables.cache["groups"])


def _regular(system: System, q: Floats, t: float, group: Group) -> bool:
    """Return whether a group's block is regular at a pose."""
    block = group_block(system, q, t, group)
    return bool(np.linalg.svd(block, compute_uv=False)[-1] > 1e-9)


def _new_groups(system: System, q: Floats, t: float) -> list[Group]:
    """Return the groups found from the rows that are independent at a pose."""
    J = system.scaled(system.jacobian(q, t, 0, system.all_rows))
    rows = independent_rows(J)
    n, matrix = system.nv, J[rows]
    extra = _free_columns(matrix, n)
    pattern = np.zeros((n, n), dtype=bool)
    pointer, columns = system.tables.row_pointer, system.tables.columns
    for k, r in enumerate(rows):
        pattern[k, columns[pointer[r] : pointer[r + 1]]] = True
    for k, c in enumerate(extra):
        pattern[len(rows) + k, c] = True
    labels = np.concatenate([rows, -1 - np.array(extra, dtype=np.int64)]).astype(np.int64)
    return _components(system, pattern, labels)


def _free_columns(matrix: Floats, n: int) -> list[int]:
    """Return columns that can be held so that the matrix becomes square and regular."""
    from scipy.linalg import qr

    if len(matrix) == n:
        return []
    if len(matrix) == 0:
        return list(range(n))
    _, _, order = qr(matrix, mode="economic", pivoting=True)
    return sorted(int(c) for c in order[len(matrix) :])


def _components(system: System, pattern: npt.NDArray[np.bool_], labels: Integers) -> list[Group]:
    """Split a square pattern into its strongly connected parts, sources first."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

    match = maximum_bipartite_matching(csr_matrix(pattern), perm_type="column")  # column of each row
    if np.any(match < 0):
        return []
    width, bodies = system.tables.width, len(system.tables.bodies) - 1
    graph = pattern[:, match]  # row k needs the unknown of row l
    owner = match // width
    same = (owner[:, None] == owner[None, :]) & (match[:, None] < width * bodies) & (match[None, :] < width * bodies)
    count, part = connected_components(csr_matrix(graph | same), directed=True, connection="strong")
    order = _topological(graph, part, count)
    groups = []
    for label in order:
        members = np.flatnonzero(part == label)
        columns = np.sort(match[members]).astype(np.int64)
        own = tuple(sorted({int(c // width) + 1 for c in columns if c < width * bodies}))
        groups.append(Group(own, labels[members], columns, _dyad(system, own)))
    return groups


def _topological(graph: npt.NDArray[np.bool_], part: npt.NDArray[np.int32], count: int) -> list[int]:
    """Return the parts so that each comes after those it needs."""
    needs: list[set[int]] = [set() for _ in range(count)]
    for k, l in zip(*np.nonzero(graph), strict=True):
        if part[k] != part[l]:
            needs[part[k]].add(int(part[l]))
    order: list[int] = []
    done: set[int] = set()
    while len(order) < count:
        ready = [k for k in range(count) if k not in done and needs[k] <= done]
        order += ready
        done |= set(ready)
    return order


def _dyad(system: System, bodies: tuple[int, ...]) -> tuple[str, ...]:
    """Return (outer, inner, outer) pins of a planar group of two bodies with three revolute joints."""
    tables = system.tables
    if tables.dimension != 2 or len(bodies) != 2:
        return ()
    inner: list[str] = []
    outer: list[str] = []
    for name, (first, second) in tables.ends.items():
        if tables.model.joints[name].kind.name == "revolute":
            inside = {first.body, second.body} & set(bodies)
            (inner if len(inside) == 2 else outer if inside else []).append(name)
    return (outer[0], inner[0], outer[1]) if len(inner) == 1 and len(outer) == 2 else ()


def pin_position(system: System, q: Floats, joint: str) -> Floats:
    """Return the ground position of a joint's second point."""
    end = system.tables.ends[joint][1]
    r, A = read_pose(system, q, end.body)
    return np.asarray(r + A @ system.tables.vector(end.point))


def group_sign(system: System, q: Floats, t: float, group: Group) -> int:
    """Return the sign of a group at a pose, 0 where it is singular."""
    if group.pins:
        a, b, c = (pin_position(system, q, joint) for joint in group.pins)
        area = (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
        scale = np.linalg.norm(b - a) * np.linalg.norm(c - b)
        return int(np.sign(area)) if abs(area) > 1e-9 * scale else 0
    block = group_block(system, q, t, group)
    sign, logarithm = np.linalg.slogdet(block)
    return int(sign) if logarithm > -25.0 * len(block) else 0


def group_block(system: System, q: Floats, t: float, group: Group) -> Floats:
    """Return the group's diagonal block of the scaled Jacobian."""
    J = system.scaled(system.jacobian(q, t, 0, system.all_rows))
    block = np.zeros((len(group.rows), len(group.columns)))
    for k, r in enumerate(group.rows):
        block[k] = J[r, group.columns] if r >= 0 else (group.columns == -1 - r).astype(float)
    return block


def label_of(system: System, q: Floats, t: float, groups: list[Group]) -> str:
    """Return the signs of all groups of two or more bodies that joints and motions close, such as ``+-``.

    A held column counts as closed where it only stops an idle motion.
    """
    words = {1: "+", -1: "-", 0: "0"}
    J = system.scaled(system.jacobian(q, t, 0, system.joint_rows))
    idle = {body for body, _ in idle_motions(system, J)} if any(np.any(g.rows < 0) for g in groups) else set()
    width = system.tables.width
    closed = [g for g in groups if len(g.bodies) > 1 and all(r >= 0 or (-1 - r) // width + 1 in idle for r in g.rows)]
    return "".join(words[group_sign(system, q, t, g)] for g in closed)


def branch_label(system: System, q: Floats, t: float) -> str:
    """Return the branch label of a pose; "" for mechanisms too large to be labelled."""
    if system.nv > DENSE_LIMIT:
        return ""
    return label_of(system, q, t, find_groups(system, q, t))
