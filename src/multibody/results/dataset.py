"""All of a run as one labeled dataset."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.analyses.reactions.reactions import SHARED
from multibody.model.model import Model
from multibody.model.result_paths import ENERGIES
from multibody.model.units import rate_unit
from multibody.results.finite import finite
from multibody.results.reading import owned

if TYPE_CHECKING:
    import xarray

    from multibody.results.run import Run
    from multibody.tables.lower import Tables

Variables = dict[str, Any]


def dataset(run: Run) -> xarray.Dataset:
    """Return bodies, joint coordinates and, where forces are known, wrenches, efforts, energies and momentum over time."""
    import xarray

    units, d = run.model.units, run.tables.dimension
    coords: Variables = {
        "time": ("time", run.time, {"unit": units.time}), "body": run.tables.bodies[1:], "component": list("xyz"[:d]),
    }  # fmt: skip
    if d == 3:
        coords["quaternion"] = list("wxyz")
    columns = _bodies(run)
    labels, values, kinds = coordinate_table(run)
    coords["joint_coordinate"] = labels
    for order, key in enumerate(("coordinate", "rate", "coordinate_acceleration")):
        columns[key] = (("time", "joint_coordinate"), values[order], {"units": ", ".join(kinds)})
    for name in filter(run.measurer.readable, run.model.outputs):
        measure = run.measurer(name)
        columns[name] = (("time",), measure.values, {"expression": str(run.model.outputs[name]), "unit": measure.unit})
    if run.motion.dynamics is not None:
        columns |= _joints(run, coords) | _efforts(run, coords) | _actions(run, coords) | _whole(run)
    attributes = {
        "model": run.model.name, "units": json.dumps(units.plain()), "status": run.status.message,
        "success": int(run.status.success), "time_reached": run.status.time_reached,
        "certificate": json.dumps(finite(run.certificate)), "notes": "; ".join(run.notes),
    }  # fmt: skip
    return xarray.Dataset(owned(columns), coords=coords, attrs=attributes)


def _bodies(run: Run) -> Variables:
    """Return position, velocity, acceleration and orientation of every body."""
    m, names, units, d = run.measurer, run.tables.bodies[1:], run.model.units, run.tables.dimension
    parts = [m.body_motion(name) for name in names]
    columns: Variables = {}
    for order, key in enumerate(("position", "velocity", "acceleration")):
        attributes = {"unit": rate_unit(units.length, units.time, order), "axes": "ground", "point": "center of mass"}
        columns[key] = (("time", "body", "component"), np.stack([getattr(p, key) for p in parts], 1), attributes)
    spin = ("time", "body") if d == 2 else ("time", "body", "component")
    for key, part, order in (("angular_velocity", "spin", 1), ("angular_acceleration", "spin_rate", 2)):
        attributes = {"unit": rate_unit("rad", units.time, order), "axes": "ground"}
        columns[key] = (spin, np.stack([getattr(p, part) for p in parts], 1), attributes)
    layout = run.tables.layout
    if d == 2:
        columns["angle"] = (("time", "body"), m.q[:, layout.each(layout.angle, len(names))], {"unit": "rad"})
    else:
        turns = layout.split(m.q, len(names))[:, :, layout.turn]
        columns["rotation"] = (("time", "body", "quaternion"), turns, {"unit": "1", "order": "w, x, y, z"})
    return columns


def _joints(run: Run, coords: Variables) -> Variables:
    """Return reaction and total of every joint between two frames, with their points and what is unique."""
    forces, tables, units, d = run.measurer.forces, run.tables, run.model.units.names, run.tables.dimension
    names = list(tables.ends)
    if not names:
        return {}
    ends = [tuple(tables.bodies[end.body] for end in tables.ends[name]) for name in names]
    shared = [run.model.joints[name].kind.relation in SHARED for name in names]
    coords["joint"] = names
    coords["first_body"] = ("joint", ["" if many else pair[0] for many, pair in zip(shared, ends, strict=True)])
    coords["on_body"] = ("joint", [pair[1] for pair in ends])
    spin = ("time", "joint") if d == 2 else ("time", "joint", "component")
    columns: Variables = {}
    about = {"axes": "ground", "sign": "what the joint does to its second body"}
    for key, drives in (("reaction", False), ("total", True)):
        wrenches = [forces.wrench(name, drives) for name in names]
        force, moment = np.stack([w.force for w in wrenches], 1), np.stack([w.moment for w in wrenches], 1)
        columns[f"{key}_force"] = (("time", "joint", "component"), force, {"unit": units["force"], **about})
        columns[f"{key}_moment"] = (spin, moment[:, :, 0] if d == 2 else moment, {"unit": units["moment"], **about})
    points = np.stack([forces.reactions.point_of(name) for name in names], 1)
    columns["reaction_point"] = (("time", "joint", "component"), points, {"unit": units["length"], "axes": "ground"})
    flags = [forces.reactions.unique(name) for name in names]
    columns["unique_force"] = (("joint", "component"), np.array([flag[0] for flag in flags]))
    columns["unique_moment"] = (spin[1:], np.array([flag[1][0] if d == 2 else flag[1] for flag in flags]))
    return columns


def _efforts(run: Run, coords: Variables) -> Variables:
    """Return the effort along every joint coordinate, and that of every force with a single coordinate."""
    forces, tables = run.measurer.forces, run.tables
    functions = [tables.coordinates["joint", *label.split("."), 0] for label in coords["joint_coordinate"]]
    columns: Variables = {}
    if functions:
        values = np.stack([forces.reactions.effort_along(f) for f in functions], 1)
        kinds = ", ".join(forces.effort_unit(f) for f in functions)
        columns["effort"] = (("time", "joint_coordinate"), values, {"units": kinds, "sign": "positive if it raises it"})
        unique = np.array([forces.reactions.unique_effort(f) for f in functions])
        columns["unique_effort"] = (("joint_coordinate",), unique)
    single = {name: laws[0] for name, laws in tables.laws_of.items() if len(laws) == 1}
    if single:
        coords["force"] = list(single)
        values = np.stack([forces.measure(run.model.resolve(f"{name}.effort", "", results=True)).values for name in single], 1)
        kinds = ", ".join(forces.effort_unit(tables.laws[law].function) for law in single.values())
        columns["force_effort"] = (("time", "force"), values, {"units": kinds, "sign": "positive if it raises its coordinate"})
    driven = forces.reactions.motion_functions
    if driven:
        coords["motion"] = [tables.rows[row].owner for row in driven.values()]
        values = -forces.reactions.multipliers[:, list(driven.values())]
        kinds = ", ".join(forces.effort_unit(f) for f in driven)
        about = {"units": kinds, "sign": "positive if it raises its coordinate"}
        columns["motion_effort"] = (("time", "motion"), values, about)
    return columns


def driven_beside(model: Model) -> list[str]:
    """Return driven coordinates that are no joint's own: lengths of springs, points, bodies, what a joint makes readable."""
    found = []
    for text in model.motions:
        path = model.resolve(text, f"motions.{text}")
        own = path.kind == "joint" and path.item in model.joints[path.owner].names_of_coordinates(model.dimension)
        if not own:
            found.append(text)
    return found


def _actions(run: Run, coords: Variables) -> Variables:
    """Return what acts on bodies beside joints between two frames, about the body's center of mass, ground axes."""
    units, d = run.model.units.names, run.tables.dimension
    found = run.measurer.forces.reactions.actions()
    if not found:
        return {}
    coords["action"] = [f"{name} on {body}" for name, body in found]
    coords["action_of"] = ("action", [name for name, _ in found])
    coords["action_on"] = ("action", [body for _, body in found])
    about = {"axes": "ground", "point": "center of mass"}
    force = np.stack([w.force for w in found.values()], 1)
    moment = np.stack([w.moment[:, 0] if d == 2 else w.moment for w in found.values()], 1)
    spin = ("time", "action") if d == 2 else ("time", "action", "component")
    return {
        "action_force": (("time", "action", "component"), force, {"unit": units["force"], **about}),
        "action_moment": (spin, moment, {"unit": units["moment"], **about}),
    }


def _whole(run: Run) -> Variables:
    """Return energies and momentum of the whole model, its masses and gravity."""
    tables, d, m = run.tables, run.tables.dimension, run.measurer
    columns: Variables = {}
    for key in ENERGIES:
        name = "work" if key == "work" else f"{key}_energy"
        columns[name] = (("time",), m.forces.energy(key), {"unit": run.model.units.names["energy"]})
    linear, angular = m.forces.momentum()
    columns["momentum"] = (("time", "component"), linear, {"axes": "ground"})
    about = {"axes": "ground", "point": "ground.origin"}
    spin = ("time",) if d == 2 else ("time", "component")
    columns["angular_momentum"] = (spin, angular[:, 0] if d == 2 else angular, about)
    columns["mass"] = (("body",), np.array([tables.F[slots.mass] for slots in tables.masses]))
    inertia = np.array([tables.F[slots.inertia] if d == 2 else tables.matrix(slots.inertia) for slots in tables.masses])
    columns["inertia"] = (("body",) if d == 2 else ("body", "component", "other_component"), inertia, {"axes": "body"})
    columns["gravity"] = (("component",), tables.gravity.copy(), {"axes": "ground"})
    return columns


def coordinate_table(run: Run) -> tuple[list[str], list[np.ndarray[Any, Any]], list[str]]:
    """Return the names, the values (three orders, each instants × coordinates) and units of all joint coordinates."""
    labels, columns, kinds = [], [], []
    for (kind, owner, item, _), function in run.tables.coordinates.items():
        if kind == "joint" and item in run.model.joints[owner].names_of_coordinates(run.tables.dimension):
            labels.append(f"{owner}.{item}")
            columns.append(run.measurer.coordinate(function))
            kinds.append(run.model.units.length if run.tables.functions[function].is_length else "rad")
    values = [
        np.stack([column[order] for column in columns], 1) if columns else np.zeros((len(run.time), 0)) for order in range(3)
    ]
    return labels, values, kinds


def standard_paths(model: Model) -> list[str]:
    """Return the paths that every result of the model has."""
    return [path for paths in standard_path_groups(model).values() for path in paths]


def standard_path_groups(model: Model) -> dict[str, list[str]]:
    """Return the paths that every result of the model has, by what they belong to: bodies, joints and outputs."""
    axes = "xyz"[: model.dimension]
    bodies = [f"{body}.{axis}" for body in model.bodies for axis in axes]
    if model.dimension == 2:
        bodies += [f"{body}.angle" for body in model.bodies]
    joints = [f"{name}.{item}" for name, joint in model.joints.items() for item in joint.names_of_coordinates(model.dimension)]
    return {"bodies": bodies, "joints": joints, "outputs": list(model.outputs)}


def force_paths(run: Run) -> list[str]:
    """Return the scalar paths of reactions, efforts and energies that a run with forces has beside the standard ones."""
    if run.motion.dynamics is None:
        return []
    return [path for paths in force_path_groups(run.tables).values() for path in paths]


def force_path_groups(tables: Tables) -> dict[str, list[str]]:
    """Return the scalar paths that are known where forces are: reactions, efforts and energies."""
    model = tables.model
    axes = "xyz"[: model.dimension]
    parts = [f"force.{axis}" for axis in axes] + (["moment"] if model.dimension == 2 else [f"moment.{axis}" for axis in axes])
    reactions = [f"{name}.reaction.{part}" for name in tables.ends if len(tables.joint_rows[name]) for part in parts]
    efforts = []
    for name, joint in model.joints.items():
        efforts += [f"{name}.{item}.effort" for item in joint.names_of_coordinates(model.dimension)]
    efforts += [f"{name}.effort" for name, laws in tables.laws_of.items() if len(laws) == 1]
    efforts += [path for path in (f"{text}.effort" for text in driven_beside(model)) if path not in efforts]
    energies = [] if "energy" in model.all_names() else [f"energy.{item}" for item in ENERGIES]
    return {"reactions": reactions, "efforts": efforts, "energies": energies}
