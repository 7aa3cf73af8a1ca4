"""Couplers of a robot: coordinates that follow others, q = G z + g₀; what is asked of the robot is asked in z."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from multibody.errors import ModelError
from multibody.model.expressions import Number, differentiate, fold, name, names, substitute
from multibody.state.system import Floats, Integers
from multibody.tables.columns import Columns
from multibody.tables.lower import Tables
from multibody.tables.scope import Scope

NOTHING = 1e-12  # a coefficient that is left of others by rounding, relative to them


@dataclass(frozen=True)
class Coupling:
    """The linear map from the coordinates that are left, z, to those of the tree.

    Attributes
    ----------
    G : array (nv, rates that are left)
        Rates of the tree from those that are left.
    offset : array (nq)
        g₀; zero but for followers.
    places, rates : array of int
        Where the coordinates and the rates that are left stand among the tree's.
    Gq : array (nq, coordinates that are left)
        As G, for coordinates: quaternions are their own.
    followers : dict
        Name of a coordinate that follows, and the formula by which it does.
    """

    G: Floats
    Gq: Floats
    offset: Floats
    places: Integers
    rates: Integers
    followers: dict[str, str]

    def coordinates(self, z: Floats) -> Floats:
        """Return q of the tree, (N, nq)."""
        return np.ascontiguousarray(z @ self.Gq.T + self.offset)

    def velocities(self, v: Floats) -> Floats:
        """Return rates or accelerations of the tree, (N, nv)."""
        return np.ascontiguousarray(v @ self.G.T)

    def efforts(self, tau: Floats) -> Floats:
        """Return efforts along the coordinates that are left, or columns of a Jacobian: x G."""
        return np.ascontiguousarray(tau @ self.G)

    def matrix(self, M: Floats) -> Floats:
        """Return Gᵀ M G."""
        return np.ascontiguousarray(self.G.T @ M @ self.G)


def coupling_of(tables: Tables, columns: Columns, couplers: Sequence[str]) -> Coupling | None:
    """Return what couplers leave of the coordinates of a tree, None where there are no couplers.

    Raises
    ------
    ModelError
        Where one is not linear, names something else than coordinates of the tree, or contradicts the others.
    """
    if not couplers:
        return None
    scope = Scope(tables.model)
    place = {column.function: k for k, column in enumerate(columns.columns) if column.function >= 0 and columns.places[k] >= 0}
    C, d = np.zeros((0, columns.nq)), np.zeros(0)
    pivots: list[int] = []
    for coupler in couplers:
        row, constant, order = _linear(tables, columns, scope, place, coupler)
        C, d, pivots = _eliminated(coupler, (C, d, pivots), row, constant, order)
    return _map(columns, C, d, pivots)


def _linear(
    tables: Tables, columns: Columns, scope: Scope, place: dict[int, int], coupler: str
) -> tuple[Floats, float, list[int]]:
    """Return c and c₀ of c · q + c₀ = 0 over the coordinates of the tree, and the places in the order of the expression."""
    where, model = f"joints.{coupler}", tables.model
    formula = scope.formula(model.formula(model.joints[coupler].fields["expression"], where), where)
    row, order = np.zeros(columns.nq), list[int]()
    zero = {}
    text = str(model.joints[coupler].fields["expression"])
    for parts in sorted((p for p in names(formula) if not scope.knows(p)), key=lambda p: _first_place(text, p)):
        if parts == ("t",):
            raise ModelError(f"coupler {coupler} depends on time, and a robot has none", where=where, hint=_RUN)
        function = tables.coordinates.get(model.resolve(parts, where).key, -1)
        column = place.get(function, -1)
        if column < 0:
            raise ModelError(
                f"{'.'.join(parts)} is no coordinate of the robot's tree", where=where,
                hint=f"a coupler of a robot has angles and positions of its joints; {_RUN}",
            )  # fmt: skip
        slope = differentiate(formula, parts)
        if any(not scope.knows(p) for p in names(slope)):
            raise ModelError(
                f"coupler {coupler} is not linear in {'.'.join(parts)}", where=where,
                hint=f"a robot takes linear couplers, such as B - 2*A; {_RUN}",
            )  # fmt: skip
        at = columns.places[column]
        row[at] += scope.value(slope, where)
        zero[parts] = 0.0
        order.append(at)
    return row, scope.value(scope.formula(substitute(formula, dict(zero)), where), where), order


_RUN = "run and inverse take any"


def _first_place(text: str, parts: tuple[str, ...]) -> tuple[int, str]:
    """Return where a name stands in an expression, to find what was named first."""
    path = ".".join(parts)
    for each in (path, parts[0]):  # whole names: O is not the beginning of O_axle
        found = re.search(rf"(?<![\w.]){re.escape(each)}(?!\w)", text)
        if found:
            return found.start(), path
    return len(text), path


def _eliminated(
    coupler: str, before: tuple[Floats, Floats, list[int]], row: Floats, constant: float, order: list[int]
) -> tuple[Floats, Floats, list[int]]:
    """Return the equations q_p = −(C q + d) with one more, in none of which a follower stands on the right."""
    C, d, pivots = before
    size, known = float(np.max(np.abs(row), initial=0.0)), abs(constant)
    for k, p in enumerate(pivots):
        factor = row[p]
        row = row - factor * C[k]
        row[p] = 0.0
        constant, known = constant - factor * d[k], known + abs(factor * d[k])
    left = np.abs(row) > NOTHING * size
    if not np.any(left):
        if abs(constant) > NOTHING * known:
            hint = "leave it out, or change its constant"
            raise ModelError(f"coupler {coupler} contradicts the others", where=f"joints.{coupler}", hint=hint)
        return C, d, pivots
    row[~left] = 0.0
    pivot = _follower(row, order)
    row, constant = row / row[pivot], constant / row[pivot]
    row[pivot] = 1.0
    for k in range(len(pivots)):
        factor = C[k, pivot]
        C[k] -= factor * row
        C[k, pivot] = 0.0
        d[k] -= factor * constant
    return np.vstack([C, row]), np.append(d, constant), [*pivots, pivot]


def _follower(row: Floats, order: list[int]) -> int:
    """Return the coordinate that follows: the first named one with a factor 1 or −1, else the last in the tree."""
    for at in order:
        if abs(row[at]) == 1.0:
            return at
    return int(np.flatnonzero(row)[-1])


def _map(columns: Columns, C: Floats, d: Floats, pivots: list[int]) -> Coupling:
    """Return q = G z + g₀ from q_p + (C without q_p) q + d = 0."""
    Gq, offset = np.eye(columns.nq), np.zeros(columns.nq)
    rate_of = {place: columns.rates[k] for k, place in enumerate(columns.places) if place >= 0}
    name_of = {place: columns.columns[k].name for k, place in enumerate(columns.places) if place >= 0}
    G = np.eye(columns.nv)
    followers = {}
    for row, constant, p in zip(C, d, pivots, strict=True):
        Gq[p] = -row
        Gq[p, p] = 0.0
        offset[p] = -constant
        G[rate_of[p]] = 0.0
        for at in np.flatnonzero(Gq[p]):
            G[rate_of[p], rate_of[int(at)]] = Gq[p, at]
        formula: Number = 0.0
        for at in np.flatnonzero(Gq[p]):
            formula = formula + float(Gq[p, at]) * name(*name_of[int(at)].split("."))
        followers[name_of[p]] = str(fold(formula + float(offset[p])))
    places = np.array([k for k in range(columns.nq) if k not in pivots], dtype=np.int64)
    gone = {rate_of[p] for p in pivots}
    rates = np.array([k for k in range(columns.nv) if k not in gone], dtype=np.int64)
    return Coupling(G[:, rates], Gq[:, places], offset + 0.0, places, rates, followers)
