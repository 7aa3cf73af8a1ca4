"""Inputs and outputs of a linearized model by name: generalized forces that act, and quantities that are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from multibody.analyses.linear.linearization import Linearization
from multibody.analyses.measures.measure import Measurer
from multibody.analyses.modes.minimal import STEP, WEIGHTS, Minimal
from multibody.errors import ModelError
from multibody.model.expressions import names as path_names
from multibody.model.forces import coordinate_text
from multibody.model.model import Model
from multibody.model.paths import Path
from multibody.model.result_paths import resolve_result
from multibody.state.named_columns import joint_coordinates
from multibody.state.poses import read_pose
from multibody.state.system import Floats, System


def _list(given: Sequence[Any] | None, where: str) -> list[str] | None:
    """Return names as text; refuse what is no list."""
    if given is None:
        return None
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise ModelError(f"{given!r} is no list", where=where, hint='give a list of names, such as ["O"]')
    return [coordinate_text(item, where) for item in given]


# --- inputs -----------------------------------------------------------------------------------------------------------
def input_forces(model: Model, system: System, point: Linearization, given: Sequence[Any] | None) -> tuple[list[str], Floats]:
    """Return the names of inputs and the generalized force (nv, inputs) of a unit of each.

    Parameters
    ----------
    model : Model
    system : System
    point : Linearization
    given : list of str, optional
        A force (``motor``, ``motor.effort``, ``push.force.x``, ``push.moment``) or a coordinate (``O``, ``rod.tip.x``), along
        which an effort acts. Default all efforts and forces of the model.
    """
    names = _list(given, "inputs")
    if names is None:
        names = _own_inputs(model)
    columns = [_input(model, system, point, name) for name in names]
    return names, np.array(columns).reshape(len(columns), system.nv).T


def _own_inputs(model: Model) -> list[str]:
    """Return the efforts and the components of forces that a model has."""
    found = [f"{name}.effort" for name, force in model.forces.items() if force.kind.name == "effort"]
    moments = [""] if model.dimension == 2 else [".x", ".y", ".z"]
    for name, force in model.forces.items():
        if force.kind.name == "force":
            found += [f"{name}.force.{axis}" for axis in "xyz"[: model.dimension]]
            found += [f"{name}.moment{axis}" for axis in moments]
    return found


def _input(model: Model, system: System, point: Linearization, name: str) -> Floats:
    """Return the generalized force of a unit of an input."""
    parts, tables = name.split("."), system.tables
    force = model.forces.get(parts[0])
    if force is not None and force.kind.name == "force":
        return _load(model, system, point, name)
    if force is not None and parts[1:] in ([], ["effort"]):
        laws = tables.efforts_of(parts[0])
        if len(laws) != 1:
            raise ModelError(f'"{parts[0]}" acts in several directions', where="inputs", hint="name a coordinate")
        return system.gradient(point.q, tables.laws[laws[0]].function)
    path = model.resolve(name.removesuffix(".effort"), "inputs")
    if not path.scalar_coordinate or path.owner == "ground":
        hint = "name a force, a joint coordinate or a point's component"
        raise ModelError(f'"{name}" is no input', where="inputs", hint=hint)
    return _along(system, point, path)


def _along(system: System, point: Linearization, path: Path) -> Floats:
    """Return the gradient of a scalar coordinate."""
    tables = system.tables
    if path.kind == "joint":
        return system.gradient(point.q, tables.coordinates["joint", path.owner, path.item, 0])
    if path.kind == "spring":
        return system.gradient(point.q, tables.law_of(path.owner).function)
    b, d = tables.bodies.index(path.owner), tables.dimension
    if path.kind == "angle":
        return _wrench(system, point, b, np.zeros(d), np.zeros(d), np.ones(1))
    s, axis = tables.vector(tables.frames[path.owner, path.item].point), np.eye(d)[path.axis]
    return _wrench(system, point, b, s, axis, np.zeros(1 if d == 2 else 3))


def _wrench(system: System, point: Linearization, b: int, s: Floats, force: Floats, moment: Floats) -> Floats:
    """Return the generalized force of a force at a point s of body b and a moment, both in ground axes."""
    layout = system.tables.layout
    A = read_pose(system, point.q, b)[1]
    found, arm = np.zeros(system.nv), A @ s
    found[layout.velocity(b)] = force
    if layout.dimension == 2:
        found[layout.spin(b)] = arm[0] * force[1] - arm[1] * force[0] + moment[0]
    else:
        found[layout.spin(b)] = A.T @ (np.cross(arm, force) + moment)
    return found


def _load(model: Model, system: System, point: Linearization, name: str) -> Floats:
    """Return the generalized force of a component of a force at a frame, in that force's own axes."""
    d, parts = system.tables.dimension, name.split(".")
    path = model.resolve(name, "inputs", results=True) if len(parts) > 1 else Path("load", name, "force", -1)
    planar_moment = d == 2 and path.item == "moment"
    if path.kind != "load" or (path.axis < 0 and not planar_moment):
        raise ModelError(f'"{name}" is no single component', where="inputs", hint=f"write {parts[0]}.force.x")
    owner = model.forces[path.owner]
    body, frame = model.find_end(owner.target[0], "inputs")
    b = system.tables.bodies.index(body)
    axis = np.ones(1) if planar_moment else np.eye(d)[path.axis]
    if owner.fields.get("axes") == "body" and not planar_moment:
        axis = read_pose(system, point.q, b)[1] @ axis
    none = np.zeros(1 if d == 2 else 3)
    force, moment = (axis, none) if path.item == "force" else (np.zeros(d), axis)
    return _wrench(system, point, b, system.tables.vector(system.tables.frames[body, frame].point), force, moment)


# --- outputs ----------------------------------------------------------------------------------------------------------
def output_rows(
    model: Model, system: System, point: Linearization, made: Minimal, driven: Floats, given: Sequence[Any] | None
) -> tuple[list[str], Floats, Floats]:
    """Return the names of outputs and their matrices C and D.

    Parameters
    ----------
    model, system, point, made
        What is linearized.
    driven : array (nv, inputs)
        Accelerations that the inputs bring about.
    given : list of str, optional
        Paths or expressions, as results read them. Default the model's outputs, else the coordinates of its joints.
    """
    names = _list(given, "outputs")
    if names is None:
        names = [name for name in model.outputs if _of_motion(model, name)] or joint_coordinates(system, point.q).names
    f, none = len(made.names), np.zeros(system.nv)
    parts = [(k, d, none, none) for k, d in enumerate(made.D.T)]
    parts += [(k, none, w, none) for k, w in enumerate(made.W.T) if np.any(w)]
    parts += [(f + k, none, d, none) for k, d in enumerate(made.D.T)]
    pushes = np.hstack([made.Az, made.Ay, driven]).T
    parts += [(k, none, none, x) for k, x in enumerate(pushes) if np.any(x)]
    measurer, sizes = _stencil(system, point, parts)
    found = np.zeros((len(names), 2 * f + driven.shape[1]))
    weights = np.array([w for w in WEIGHTS for _ in range(2)]) * np.tile([1.0, -1.0], len(WEIGHTS)) / STEP
    for row, name in enumerate(names):
        values = measurer(name).values
        if values.ndim != 1:
            raise ModelError(f'"{name}" is a vector', where="outputs", hint=f"name a component, such as {name}.x")
        slopes = values.reshape(len(parts), 2 * len(WEIGHTS)) @ weights * sizes
        np.add.at(found[row], [k for k, *_ in parts], slopes)
    return names, found[:, : 2 * f], found[:, 2 * f :]


def _of_motion(model: Model, output: str) -> bool:
    """Return whether an output is one of positions, velocities and accelerations alone, which can be linearized here."""
    for parts in path_names(model.outputs[output]):
        if parts[0] in model.outputs:
            if not _of_motion(model, parts[0]):
                return False
        elif resolve_result(model, parts, "") is not None:
            return False
    return True


def _stencil(system: System, point: Linearization, parts: list[tuple[int, Floats, Floats, Floats]]) -> tuple[Measurer, Floats]:
    """Return the states around the point along every part as a motion to read from, and the sizes steps are divided by."""
    q, v, a = [], [], []
    sizes = np.array([max(float(np.max(np.abs(x / system.scale_columns))) for x in part[1:]) or 1.0 for part in parts])
    for (_, d, w, x), size in zip(parts, sizes, strict=True):
        for k in range(1, len(WEIGHTS) + 1):
            for sign in (1.0, -1.0):
                s = sign * k * STEP / size
                q.append(system.displaced(point.q, d, s))
                v.append(point.v + s * w)
                a.append(point.a + s * x)
    count = len(q)
    times, references = np.full(count, point.t), np.tile(system.ref, (count, 1))
    return Measurer(system.tables, times, np.array(q), np.array(v), np.array(a), references), sizes
