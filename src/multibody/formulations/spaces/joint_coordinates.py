"""From the state of the bodies to joint coordinates of a tree, and the whole turns of planar links."""

from __future__ import annotations

import math

import numpy as np

from multibody.kernels.codes import FIRST_BODY
from multibody.kernels.tree import declared as T
from multibody.state.poses import matrix_of, quaternion_of
from multibody.state.state import State
from multibody.state.system import Floats, System
from multibody.tables.columns import Columns, ends_of


def column_values(system: System, columns: Columns, state: State) -> tuple[Floats, Floats]:
    """Return values and rates of all columns that have a coordinate function or are free (0 for balls)."""
    tables = system.tables
    kept = system.ref.copy()
    system.ref[:] = state.references
    count = len(tables.functions)
    functions = system.functions(state.q, state.v, 0, count) if count else (np.zeros(0), np.zeros(0))
    system.ref[:] = kept
    values, rates = np.zeros(len(columns.columns)), np.zeros(len(columns.columns))
    wide, width, d = (3, 3, 2) if tables.dimension == 2 else (7, 6, 3)
    for k, column in enumerate(columns.columns):
        link = columns.tree.links[column.link]
        if column.function >= 0:
            values[k], rates[k] = functions[0][column.function], functions[1][column.function]
        elif column.kind != T.BALL:  # a body that hangs on no joint: its center of mass, planar its angle
            c = column.axis if column.kind == T.SLIDE else d
            values[k], rates[k] = state.q[wide * (link.body - FIRST_BODY) + c], state.v[width * (link.body - FIRST_BODY) + c]
    return values, rates


def joint_coordinates(system: System, columns: Columns, state: State) -> tuple[Floats, Floats]:
    """Return the unknown joint coordinates and their rates at a state of the bodies; extra coordinates last."""
    tables = system.tables
    values, rates = column_values(system, columns, state)
    q, v = np.zeros(columns.nq), np.zeros(columns.nv)
    for k, (column, place, rate) in enumerate(zip(columns.columns, columns.places, columns.rates, strict=True)):
        if place >= 0:
            q[place] = values[k]
        if rate >= 0:
            v[rate] = rates[k]
        if column.kind == T.BALL and column.axis == 0:
            at = columns.quaternions[column.link]
            q[at : at + 4], v[rate : rate + 3] = _ball(columns, column.link, state)
            rates[k : k + 3] = v[rate : rate + 3]
    extras = len(tables.extras)
    if extras:
        q[columns.extras_at : columns.extras_at + extras] = state.q[tables.nq - extras :]
        v[columns.extras_rate : columns.extras_rate + extras] = state.v[tables.nv - extras :]
    return q, v


def count_turns(system: System, columns: Columns, tree: T.Tree, state: State) -> None:
    """Give the constant angles of planar links the whole turns that they have at a state."""
    if system.tables.dimension == 3:
        return
    values, own = column_values(system, columns, state)[0], tree.planar_constants
    angles = np.concatenate([[0.0], state.q[2 : 3 * (len(system.tables.bodies) - 1) : 3]])
    turned = np.zeros(len(columns.tree.links))
    for k, column in enumerate(columns.columns):
        if column.kind == T.TURN:
            turned[column.link] += column.sign * values[k]
    for i, link in enumerate(columns.tree.links):
        turn = angles[link.body] - angles[link.parent] - turned[i]
        own[i].angle += 2.0 * math.pi * round((turn - own[i].angle) / (2.0 * math.pi))


def _ball(columns: Columns, i: int, state: State) -> tuple[Floats, Floats]:
    """Return quaternion and relative angular velocity (axes of the carrier's end) of a link with a ball."""
    link = columns.tree.links[i]
    _, own, _, other = ends_of(columns.tables, link)
    A, w = _turned(state, link.body)
    P, u = _turned(state, link.parent)
    base = P @ other
    return quaternion_of(base.T @ A @ own), np.asarray(base.T @ (w - u))


def _turned(state: State, body: int) -> tuple[Floats, Floats]:
    """Return orientation and angular velocity (ground axes) of a spatial body."""
    if body == 0:
        return np.eye(3), np.zeros(3)
    A = matrix_of(state.q[7 * body - 4 : 7 * body])
    return A, A @ state.v[6 * body - 3 : 6 * body]
