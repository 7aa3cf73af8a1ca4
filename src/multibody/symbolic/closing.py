"""Which coordinates of a mechanism with loops are independent: decided by numbers at a state in which it closes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from multibody.analyses.assembly.assemble import assemble
from multibody.errors import ModelError
from multibody.model.names import unknown
from multibody.state.poses import quaternion_of, read_pose
from multibody.state.system import System
from multibody.symbolic.embedding import Choice, TreeEquations
from multibody.tables.growing import Link
from multibody.tables.lower import Tables
from multibody.tables.tree import Tree, driven_functions

Floats = npt.NDArray[np.float64]
RANK = 1e-7  # a singular value below these parts of the largest is none
GOOD = 1e-2  # a column that adds less than these parts is taken only where nothing else is left
ASIDE = 0.1  # how far from the assembled state ranks are judged: that state may be special


class NoClosureError(Exception):
    """The mechanism could not be assembled."""


class Opened:
    """Coordinates of an opened mechanism as numbers: where it is assembled, and a step along its speeds."""

    def __init__(self, tables: Tables, tree: Tree, own: TreeEquations) -> None:
        self.tables, self.tree, self.own = tables, tree, own
        self.system = System(tables)
        lengths = [c.is_length for c in own.motion.coordinates for _ in c.u]
        self.columns = np.where(lengths, tables.length, 1.0)
        self.rows = self.system.scale_rows[own.rows]

    def assembled(self) -> Floats:
        """Return y of the assembled mechanism."""
        state = assemble(self.tables.model)
        if not state.ok:
            raise NoClosureError(state.status.message)
        self.system.ref[:] = state.references
        return self.read(state.q)

    def read(self, q: Floats) -> Floats:
        """Return y at the positions of all bodies."""
        found: list[float] = []
        for own in self.own.motion.coordinates:
            if own.link is not None:
                found += self._ball(own.link, q)
            else:
                found.append(self.system.value(q, own.function) if own.function >= 0 else float(q[own.place]))
        return np.array(found)

    def _ball(self, link: Link, q: Floats) -> list[float]:
        """Return the Euler parameters of a link's ball."""
        if link.joint:
            C = [read_pose(self.system, q, end.body)[1] @ self.tables.matrix(end.axes) for end in self.tables.ends[link.joint]]
        else:
            C = [np.eye(3), read_pose(self.system, q, link.body)[1]]
        return [float(e) for e in quaternion_of(C[0].T @ C[1])]

    def moved(self, y: Floats, du: Floats) -> Floats:
        """Return coordinates after a small step along the speeds; Euler parameters are turned and normalized."""
        found, at, k = y.copy(), 0, 0
        for own in self.own.motion.coordinates:
            if own.link is None:
                found[at] += du[k]
            else:
                w, e = du[k : k + 3], y[at : at + 4]
                turned = e + 0.5 * np.array([-w @ e[1:], *(e[0] * w + np.cross(w, e[1:]))])
                found[at : at + 4] = turned / np.linalg.norm(turned)
            at, k = at + len(own.y), k + len(own.u)
        return found


def chosen(
    opened: Opened, evaluate: Callable[[Floats], tuple[Floats, Floats]], wanted: Sequence[str] | None
) -> Choice:
    """Return which speeds are dependent and which equations decide on them.

    Parameters
    ----------
    opened : Opened
    evaluate : callable
        Returns C and C_u at coordinates y.
    wanted : list of str, optional
        Joints or bodies whose coordinates shall be independent.
    """
    y = _aside(opened, evaluate, opened.assembled())
    scaled = opened.rows[:, None] * evaluate(y)[1] * opened.columns
    values = np.linalg.svd(scaled, compute_uv=False)
    rank = int(np.sum(values > RANK * max(values[0], 1e-300)))
    order = _preferred(opened, wanted)
    dependent = _basis(scaled, order[::-1], rank)
    if wanted is not None and len(scaled[0]) - rank < len(_matching(opened, wanted)):
        freedoms = len(scaled[0]) - rank
        raise ModelError(f"the mechanism has {freedoms} freedoms", where="independent", hint="name fewer coordinates")
    rows = _basis(scaled[:, dependent].T, list(range(len(scaled))), rank)
    rows, dependent = _pivoted(scaled, rows, dependent)
    return Choice([k for k in range(len(scaled[0])) if k not in dependent], dependent, rows)


def _aside(opened: Opened, evaluate: Callable[[Floats], tuple[Floats, Floats]], start: Floats) -> Floats:
    """Return a closed state near the assembled one: that one may be drawn in a special position."""
    draw, y = np.random.default_rng(1), start
    for k in range(12):
        value, slope = evaluate(y)
        scaled = opened.rows[:, None] * slope * opened.columns
        step = -np.linalg.pinv(scaled, rcond=RANK) @ (opened.rows * value)
        if k == 0:
            free = draw.normal(size=len(opened.columns))
            step = step + ASIDE * (free - np.linalg.pinv(scaled, rcond=RANK) @ (scaled @ free))
        y = opened.moved(y, opened.columns * step)
    value, _ = evaluate(y)
    return y if float(np.max(np.abs(opened.rows * value), initial=0.0)) < 1e-9 else start


def _matching(opened: Opened, wanted: Sequence[str]) -> list[int]:
    """Return the speeds of the joints or bodies that are named."""
    owners = [c.owner for c in opened.own.motion.coordinates for _ in c.u]
    found = []
    for name in wanted:
        own = [k for k, owner in enumerate(owners) if name == owner]
        if not own:
            raise unknown("coordinate", str(name), owners, "independent")
        found += own
    return found


def _preferred(opened: Opened, wanted: Sequence[str] | None) -> list[int]:
    """Return all speeds, those that are best left independent first: wanted, driven, held at the start, near the ground."""
    tables, motion = opened.tables, opened.own.motion
    ahead = list(_matching(opened, wanted)) if wanted is not None else []
    functions = [
        *driven_functions(tables).values(),
        *(tables.function_of_row(r) for r in range(tables.count_joint + tables.count_motion, len(tables.rows))),
        *(law.function for law in tables.laws),
    ]  # fmt: skip
    own, owners = motion.own, [None if c.is_length or c.link else c.owner for c in motion.coordinates for _ in c.u]
    for f in functions:
        if f in own:
            ahead.append(own[f][2])
        else:  # in the plane the angle of a body that hangs on the ground is that of its joint
            ahead += [k for k, owner in enumerate(owners) if owner == _turning(tables, f)]
    return list(dict.fromkeys([*ahead, *range(len(owners))]))


def _turning(tables: Tables, f: int) -> str:
    """Return the body whose angle a planar function between it and the ground is, "" if it is none."""
    own = tables.functions[f]
    return "" if tables.dimension == 3 or own.is_length or 0 not in own.bodies else tables.bodies[max(own.bodies)]


def _basis(matrix: Floats, order: Sequence[int], rank: int) -> list[int]:
    """Return so many columns that are independent, the first in an order that add enough."""
    found: list[int] = []
    for least in (GOOD, RANK):
        for k in order:
            if len(found) == rank or k in found:
                continue
            rest = matrix[:, k]
            if found:
                base = matrix[:, found]
                rest = rest - base @ np.linalg.lstsq(base, rest, rcond=None)[0]
            if np.linalg.norm(rest) > least * np.max(np.linalg.norm(matrix, axis=0)):
                found.append(k)
    return found


def _pivoted(scaled: Floats, rows: Sequence[int], columns: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return rows and columns in the order of elimination with the largest pivots."""
    left, right = list(rows), list(columns)
    A = scaled[np.ix_(left, right)].copy()
    for k in range(len(left)):
        largest = np.unravel_index(int(np.argmax(np.abs(A[k:, k:]))), A[k:, k:].shape)
        r, c = int(largest[0]) + k, int(largest[1]) + k
        A[[k, r]] = A[[r, k]]
        A[:, [k, c]] = A[:, [c, k]]
        left[k], left[r], right[k], right[c] = left[r], left[k], right[c], right[k]
        A[k + 1 :] -= np.outer(A[k + 1 :, k] / A[k, k], A[k])
    return left, right
