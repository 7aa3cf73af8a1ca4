"""Which unknowns of an implicit step meet, and the order in which they are eliminated: found once, for every iteration matrix.

Nodes are the columns of a body, or one extra coordinate. Groups are what is eliminated together (``kernels/block_lu.py``).
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from multibody.kernels import codes as L
from multibody.tables.lower import Tables
from multibody.tables.lowered import LoweredLaw, LoweredLoad

Integers = npt.NDArray[np.int64]
NEARLY_MASSLESS = 1e-7  # of the largest mass


@dataclass
class Pattern:
    """Unknowns of the linear systems of an implicit method.

    Attributes
    ----------
    nodes : list of range
        Columns of every node.
    meetings : list of list of int
        For every node the nodes that its rows of ∂R/∂q have columns of, itself first.
    groups : list of list of int
        Unknowns in the order of elimination; columns come as they are, chosen row k as (number of columns) + k.
    """

    nodes: list[range]
    meetings: list[list[int]]
    groups: list[list[int]]


def full_pattern(n: int, m: int) -> Pattern:
    """Return the pattern of full matrices of n columns and m rows: one node, one group."""
    return Pattern([range(n)], [[0]], [list(range(n + m))])


def sparse_pattern(
    tables: Tables, chosen: Integers, ordered: bool = True, further: Sequence[tuple[set[int], set[int]]] = ()
) -> Pattern:
    """Return the pattern of a model in Cartesian coordinates.

    Parameters
    ----------
    tables : Tables
    chosen : array of int
        Independent rows.
    ordered : bool
        Whether an order of elimination is found.
    further : sequence of (nodes of rows, nodes of columns)
        What meets in ∂R/∂q beside what rows and forces say.
    """
    w, bodies = tables.width, len(tables.bodies) - 1
    nodes = [range(w * b, w * (b + 1)) for b in range(bodies)] + [range(c, c + 1) for c in range(w * bodies, tables.nv)]
    node_of = np.empty(tables.nv, dtype=np.int64)
    for k, columns in enumerate(nodes):
        node_of[columns] = k
    near: list[set[int]] = [{k} for k in range(len(nodes))]
    for rows, columns_ in (*_couplings(tables, chosen), *further):
        for a in rows:
            near[a].update(columns_)
            for b in columns_:
                near[b].add(a)
    meetings = [[k, *sorted(near[k] - {k})] for k in range(len(nodes))]
    if not ordered:
        return Pattern(nodes, meetings, [])
    groups, owners = _initial_groups(tables, chosen, nodes, node_of)
    return Pattern(nodes, meetings, _order(groups, owners, nodes, near, tables, chosen))


def _function_nodes(tables: Tables, f: int) -> set[int]:
    """Return the nodes that a function depends on."""
    own, bodies = tables.functions[f], len(tables.bodies) - 1
    if own.kind == L.EXTRA:
        return {bodies + own.extra}
    return {b - L.FIRST_BODY for b in own.bodies if b > 0}


def _apart(tables: Tables, f: int) -> bool:
    """Return whether a function is a sum of a part for either body, so that its second derivative couples no bodies."""
    kind = tables.functions[f].kind
    return bool(kind == L.COINCIDE or (tables.dimension == 2 and kind in (L.ANGLE, L.ALIGNED)))


def _couplings(tables: Tables, chosen: Integers) -> list[tuple[set[int], set[int]]]:
    """Return pairs (nodes of rows, nodes of columns) that meet in ∂R/∂q or ∂R/∂v: by rows with multipliers and forces."""
    packed, functions, found = tables.packed, tables.functions_of_rows(), []
    for r, row in zip(chosen.tolist(), packed.rows[chosen], strict=True):
        terms = functions[r]
        parts = [_function_nodes(tables, f) for f in terms]
        if row.program >= 0:
            parts = [set().union(*parts)]
        else:  # points that coincide: each body's orientation enters by itself
            apart = [[{k} for k in part] if _apart(tables, f) else [part] for f, part in zip(terms, parts, strict=True)]
            parts = [one for some in apart for one in some]
        found += [(part, part) for part in parts]
    for law in tables.laws:
        own = _function_nodes(tables, law.function)
        found.append((own, own | _inputs(tables, law)))
    for load in tables.loads:
        found.append(({load.body - L.FIRST_BODY}, _inputs(tables, load)))
    for element in packed.wrench_elements:
        own = {int(b) - L.FIRST_BODY for b in (element.first, element.second) if b > 0}
        found.append((own, own))
    return found


def _inputs(tables: Tables, force: LoweredLaw | LoweredLoad) -> set[int]:
    """Return the nodes that the inputs of a law or load depend on."""
    found = set[int]()
    for code, index in tables.inputs_of(force):
        found |= ({index - L.FIRST_BODY} if index > 0 else set()) if code >= L.INPUT_OMEGA else _function_nodes(tables, index)
    return found


def _initial_groups(
    tables: Tables, chosen: Integers, nodes: list[range], node_of: Integers
) -> tuple[list[list[int]], list[int]]:
    """Return groups (bodies, joints; merged where one alone has no pivot) and the group of every unknown."""
    n, bodies = tables.nv, len(tables.bodies) - 1
    joint_of = {r: name for name, rows in tables.joint_rows.items() for r in rows}
    keys: list[object] = [("node", k) for k, columns in enumerate(nodes) for _ in columns]
    keys += [("joint", joint_of.get(int(r), int(r))) for r in chosen]
    index = {key: k for k, key in enumerate(dict.fromkeys(keys))}
    parent = list(range(len(index)))

    def root(k: int) -> int:
        while parent[k] != k:
            parent[k] = parent[parent[k]]
            k = parent[k]
        return k

    heaviest = max((float(tables.F[slots.mass]) for slots in tables.masses), default=0.0)
    weak = {k for k in range(bodies) if _weak(tables, k, heaviest)} | set(range(bodies, len(nodes)))
    if weak:
        for k, r in enumerate(chosen):
            own = root(index[keys[n + k]])
            for c in {int(node_of[c]) for c in tables.columns[tables.entries_of(r)]} & weak:
                parent[root(index[("node", c)])] = own
    groups: dict[int, list[int]] = {}
    for unknown, key in enumerate(keys):
        groups.setdefault(root(index[key]), []).append(unknown)
    owners = [0] * len(keys)
    for g, members in enumerate(groups.values()):
        for unknown in members:
            owners[unknown] = g
    return list(groups.values()), owners


def _weak(tables: Tables, body: int, heaviest: float) -> bool:
    """Return whether a body has no mass, or next to none, in some direction."""
    mass, inertia = tables.masses[body]
    if not tables.F[mass] > NEARLY_MASSLESS * heaviest:
        return True
    if tables.dimension == 2:
        return not tables.F[inertia] > 0.0
    values = np.linalg.eigvalsh(tables.matrix(inertia))
    return bool(values[0] <= 1e-12 * values[-1] or values[-1] <= 0.0)


def _order(
    groups: list[list[int]], owners: list[int], nodes: list[range], near: list[set[int]], tables: Tables, chosen: Integers
) -> list[list[int]]:
    """Return the groups by least degree, a joint only when its pivots are regular.

    That is: all its bodies are eliminated, or one of them was when it had no other joint left, as the end of a chain: what is
    left then adds to the next body's inertia, as in the articulated-body recursion. The end of a chain does not do for joints
    that massless columns tie together, unless all their rows have that body.
    """
    n, count = tables.nv, len(groups)
    meets: list[set[int]] = [set() for _ in range(count)]
    for k, others in enumerate(near):
        meets[owners[nodes[k].start]].update(owners[nodes[other].start] for other in others)
    has_rows = [any(unknown >= n for unknown in members) for members in groups]
    bodies_of: list[set[int]] = [set() for _ in range(count)]
    row_bodies: list[list[set[int]]] = [[] for _ in range(count)]
    for k, r in enumerate(chosen):
        own = owners[n + k]
        others = {owners[int(c)] for c in tables.columns[tables.entries_of(r)]} - {own}
        row_bodies[own].append(others)
        bodies_of[own] |= others
        meets[own] |= others
        for other in others:
            meets[other].add(own)
    for g in range(count):
        meets[g].discard(g)
    one = [all(others == bodies_of[g] for others in row_bodies[g]) for g in range(count)]
    return [groups[g] for g in eliminate(meets, [len(x) for x in groups], has_rows, bodies_of, one)]


def eliminate(
    meets: list[set[int]], sizes: list[int], has_rows: list[bool], bodies_of: list[set[int]], one: list[bool]
) -> list[int]:
    """Return an order of elimination by least degree; `meets` becomes the fill: what each group meets behind it.

    `one` says of which groups all rows have the same bodies.
    """
    count = len(meets)
    done = [False] * count
    joints_of: list[set[int]] = [set() for _ in range(count)]
    for g, bodies in enumerate(bodies_of):
        for b in bodies:
            joints_of[b].add(g)
    waiting = [set(bodies) for bodies in bodies_of]
    free = [not has_rows[g] or not bodies_of[g] for g in range(count)]

    def degree(g: int) -> int:
        return sum(sizes[k] for k in meets[g])

    heap = [(degree(g), g) for g in range(count) if free[g]]
    heapq.heapify(heap)
    order: list[int] = []
    while heap:
        d, g = heapq.heappop(heap)
        if done[g] or d != degree(g):
            if not done[g]:
                heapq.heappush(heap, (degree(g), g))
            continue
        done[g] = True
        order.append(g)
        for k in meets[g]:
            meets[k] |= meets[g]
            meets[k] -= {g, k}
        touched = set(meets[g])
        for b in bodies_of[g]:
            joints_of[b].discard(g)
        alone = len(joints_of[g]) == 1
        for j in joints_of[g]:
            waiting[j].discard(g)
            if ((alone and one[j]) or not waiting[j]) and not free[j]:
                free[j] = True
                touched.add(j)
        for k in touched:
            if free[k] and not done[k]:
                heapq.heappush(heap, (degree(k), k))
    return order
