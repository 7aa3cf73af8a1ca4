"""Names of velocity columns and of coordinates, and directions of motion in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody.state.poses import read_pose
from multibody.state.system import Floats, System
from multibody.tables.lower import Tables

NOTICED = 0.02  # part of the largest change below which a coordinate or a body counts as standing still
UNCHANGED = 1e-6  # change of a coordinate beside the largest displacement that counts as none
MOST = 5  # coordinates or bodies that a sentence names


def column_names(tables: Tables) -> list[str]:
    """Return a name for every velocity column; a rotation of a spatial body is about its own axes."""
    own = ("x", "y", "angle") if tables.dimension == 2 else ("x", "y", "z", "turn.x", "turn.y", "turn.z")
    return [f"{body}.{item}" for body in tables.bodies[1:] for item in own] + list(tables.extras)


@dataclass(frozen=True)
class Coordinates:
    """Scalar coordinates of joints with their gradients at a pose.

    Attributes
    ----------
    names : list of str
        The joint alone where it has one coordinate.
    functions : list of int
    is_length : array of bool
    gradients : array (coordinates, nv)
    """

    names: list[str]
    functions: list[int]
    is_length: Floats
    gradients: Floats


def joint_coordinates(system: System, q: Floats) -> Coordinates:
    """Return the scalar coordinates of all joints at a pose."""
    tables = system.tables
    names, functions = [], []
    for joint in tables.model.joints.values():
        own = joint.names_of_coordinates(tables.dimension)
        for item in own:
            names.append(joint.name if len(own) == 1 else f"{joint.name}.{item}")
            functions.append(tables.coordinates["joint", joint.name, item, 0])
    gradients = np.array([system.gradient(q, f) for f in functions]).reshape(len(functions), system.nv)
    return Coordinates(names, functions, np.array([tables.functions[f].is_length for f in functions], dtype=bool), gradients)


def displacements(system: System, q: Floats, d: Any) -> dict[str, tuple[Any, Any]]:
    """Return translation of the center of mass and rotation (both in ground axes) of every body in a direction d."""
    tables, layout = system.tables, system.tables.layout
    found = {}
    for b, name in enumerate(tables.bodies[1:], start=1):
        turn = d[layout.spin(b)]
        found[name] = (d[layout.velocity(b)], turn if layout.dimension == 2 else read_pose(system, q, b)[1] @ turn)
    return found


def in_words(system: System, q: Floats, d: Floats) -> str:
    """Return a direction of motion by the coordinates that change most, or by the bodies that move where none does.

    Parameters
    ----------
    system : System
    q : array
        Pose.
    d : array (nv,)
        Real displacement; only its direction counts.
    """
    length = system.tables.length
    coordinates = joint_coordinates(system, q)
    changes = coordinates.gradients @ d / np.where(coordinates.is_length, length, 1.0)
    scaled = d / system.scale_columns
    size = float(np.max(np.abs(scaled), initial=0.0)) or 1.0
    order = [int(k) for k in np.argsort(-np.abs(changes), kind="stable") if abs(changes[k]) > UNCHANGED * size]
    if order:
        first = abs(changes[order[0]])
        near = [k for k in order if abs(changes[k]) > NOTICED * first]
        signs = np.sign(changes[near[0]])
        text = ", ".join(f"{coordinates.names[k]} {signs * changes[k] / first:+.2g}" for k in near[:MOST])
        return text + (", …" if len(near) > MOST else "")
    bodies = []
    for name, (moved, turned) in displacements(system, q, d).items():
        moves, turns = float(np.max(np.abs(moved))) / length > NOTICED * size, float(np.max(np.abs(turned))) > NOTICED * size
        if moves or turns:
            bodies.append(f'"{name}" {"moves and turns" if moves and turns else "moves" if moves else "turns"}')
    return ", ".join(bodies[:MOST]) + (", …" if len(bodies) > MOST else "")
