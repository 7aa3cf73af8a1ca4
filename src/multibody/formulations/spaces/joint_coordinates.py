"""From the state of the bodies to joint coordinates of a tree, and the whole turns of planar links.

What is found from poses of bodies is written for one state and for many at once, (..., ·): the same digits for both.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from multibody.kernels.body_layout import BodyLayout
from multibody.kernels.codes import FIRST_BODY
from multibody.kernels.tree import declared as T
from multibody.state.poses import matrix_of, quaternion_of
from multibody.state.state import State
from multibody.state.system import Floats, System
from multibody.tables.columns import Columns, ends_of
from multibody.tables.lower import Tables
from multibody.tables.products import across, times, turned, turned_back


def column_values(system: System, columns: Columns, state: State) -> tuple[Floats, Floats]:
    """Return values and rates of all columns that have a coordinate function or are free (0 for balls)."""
    kept = system.ref.copy()
    system.ref[:] = state.references
    count = len(system.tables.functions)
    functions = system.functions(state.q, state.v, 0, count) if count else (np.zeros(0), np.zeros(0))
    system.ref[:] = kept
    of = {column.function: (functions[0][column.function], functions[1][column.function]) for column in columns.columns}
    return placed_values(columns, of, state.q, state.v)


def placed_values(columns: Columns, functions: dict[int, tuple[Any, Any]], q: Floats, v: Floats) -> tuple[Floats, Floats]:
    """Return values and rates of all columns (..., columns).

    Parameters
    ----------
    columns : Columns
    functions : dict
        Value and rate of the coordinate functions of columns.
    q, v : arrays (..., ·)
        Of the bodies.
    """
    values, rates = np.zeros((2, *q.shape[:-1], len(columns.columns)))
    layout = columns.tables.layout
    for k, column in enumerate(columns.columns):
        link = columns.tree.links[column.link]
        if column.function >= 0:
            values[..., k], rates[..., k] = functions[column.function]
        elif column.kind != T.BALL:  # a body that hangs on no joint: its center of mass, planar its angle
            c = column.axis if column.kind == T.SLIDE else layout.angle
            values[..., k], rates[..., k] = q[..., layout.first(link.body) + c], v[..., layout.first_rate(link.body) + c]
    return values, rates


def joint_coordinates(system: System, columns: Columns, state: State) -> tuple[Floats, Floats]:
    """Return the unknown joint coordinates and their rates at a state of the bodies; extra coordinates last."""
    return placed_coordinates(columns, system.tables, *column_values(system, columns, state), state.q, state.v)


def placed_coordinates(
    columns: Columns, tables: Tables, values: Floats, rates: Floats, q: Floats, v: Floats
) -> tuple[Floats, Floats]:
    """Return the unknown joint coordinates and their rates (..., ·) from those of all columns and of the bodies.

    Parameters
    ----------
    columns : Columns
    tables : Tables
        Whose numbers are read; of many states those of many members.
    values, rates : arrays (..., columns)
    q, v : arrays (..., ·)
        Of the bodies.
    """
    own, rate_of = np.zeros((*q.shape[:-1], columns.nq)), np.zeros((*q.shape[:-1], columns.nv))
    for k, (column, place, rate) in enumerate(zip(columns.columns, columns.places, columns.rates, strict=True)):
        if place >= 0:
            own[..., place] = values[..., k]
        if column.kind == T.BALL and column.axis == 0:
            at = columns.quaternions[column.link]
            own[..., at : at + 4], rate_of[..., rate : rate + 3] = _ball(columns, tables, column.link, q, v)
        elif column.kind != T.BALL and rate >= 0:
            rate_of[..., rate] = rates[..., k]
    extras = len(tables.extras)
    if extras:
        own[..., columns.extras_at : columns.extras_at + extras] = q[..., tables.nq - extras :]
        rate_of[..., columns.extras_rate : columns.extras_rate + extras] = v[..., tables.nv - extras :]
    return own, rate_of


def count_turns(system: System, columns: Columns, tree: T.Tree, state: State) -> None:
    """Give the constant angles of planar links the whole turns that they have at a state."""
    if system.tables.dimension == 2:
        settle_turns(columns, column_values(system, columns, state)[0], state.q, tree.planar_constants["angle"])


def settle_turns(columns: Columns, values: Floats, q: Floats, constant: Floats) -> None:
    """Give constant angles (..., links) the whole turns that they have where columns have values (..., columns)."""
    layout = columns.tables.layout
    angles = q[..., layout.each(layout.angle, len(columns.tables.bodies) - 1)]
    turning = np.zeros(constant.shape)
    for k, column in enumerate(columns.columns):
        if column.kind == T.TURN:
            turning[..., column.link] += column.sign * values[..., k]
    for i, link in enumerate(columns.tree.links):
        carrier = angles[..., link.parent - FIRST_BODY] if link.parent else 0.0
        turn = angles[..., link.body - FIRST_BODY] - carrier - turning[..., i]
        constant[..., i] += 2.0 * math.pi * np.round((turn - constant[..., i]) / (2.0 * math.pi))


def _ball(columns: Columns, tables: Tables, i: int, q: Floats, v: Floats) -> tuple[Floats, Floats]:
    """Return quaternions and relative angular velocities (axes of the carrier's end) of a link with a ball."""
    link = columns.tree.links[i]
    _, own, _, other = ends_of(tables, link)
    A, w = _turned(tables.layout, q, v, link.body)
    P, u = _turned(tables.layout, q, v, link.parent)
    base = times(P, other)
    relative = times(across(base, A), own)
    quaternions = np.array([quaternion_of(each) for each in relative.reshape(-1, 3, 3)])
    return quaternions.reshape(*relative.shape[:-2], 4), turned_back(base, w - u)


def _turned(layout: BodyLayout, q: Floats, v: Floats, body: int) -> tuple[Floats, Floats]:
    """Return orientations and angular velocities (ground axes) of a spatial body."""
    if body == 0:
        return np.eye(3), np.zeros(3)
    A = matrix_of(q[..., layout.orientation(body)])
    return A, turned(A, v[..., layout.spin(body)])
