"""All of a run as one labelled dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.model.model import Model
from multibody.model.units import rate_unit

if TYPE_CHECKING:
    import xarray

    from multibody.results.run import Run


def dataset(run: Run) -> xarray.Dataset:
    """Return bodies (position, orientation, velocity, acceleration) and joint coordinates over time."""
    import xarray

    m, names, units = run.measurer, run.tables.bodies[1:], run.model.units
    d = run.tables.dimension
    parts = [m.body_motion(name) for name in names]
    columns: dict[str, Any] = {}
    for key, index, order in (("position", 0, 0), ("velocity", 2, 1), ("acceleration", 4, 2)):
        attributes = {"unit": rate_unit(units.length, units.time, order), "axes": "ground", "point": "center of mass"}
        columns[key] = (("time", "body", "axis"), np.stack([p[index] for p in parts], 1), attributes)
    spin = ("time", "body") if d == 2 else ("time", "body", "axis")
    for key, index, order in (("angular_velocity", 3, 1), ("angular_acceleration", 5, 2)):
        columns[key] = (
            spin,
            np.stack([p[index] for p in parts], 1),
            {"unit": rate_unit("rad", units.time, order), "axes": "ground"},
        )
    if d == 2:
        columns["angle"] = (("time", "body"), m.q[:, 2 : 3 * len(names) : 3], {"unit": "rad"})
    else:
        turns = m.q[:, : 7 * len(names)].reshape(len(m.t), len(names), 7)[:, :, 3:]
        columns["rotation"] = (("time", "body", "quaternion"), turns, {"unit": "1", "order": "w, x, y, z"})
    labels, values, kinds = coordinate_table(run)
    for order, key in enumerate(("coordinate", "rate", "coordinate_acceleration")):
        columns[key] = (("time", "joint_coordinate"), values[order], {"units": ", ".join(kinds)})
    for name in run.model.outputs:
        columns[name] = (("time",), m(name).values, {"expression": str(run.model.outputs[name])})
    coords: dict[str, Any] = {
        "time": ("time", run.time, {"unit": units.time}), "body": names, "axis": list("xyz"[:d]), "joint_coordinate": labels,
    }  # fmt: skip
    if d == 3:
        coords["quaternion"] = list("wxyz")
    attributes = {"model": run.model.name, "units": str(units.plain()), "status": run.status.message}
    return xarray.Dataset(columns, coords=coords, attrs=attributes)


def coordinate_table(run: Run) -> tuple[list[str], list[np.ndarray[Any, Any]], list[str]]:
    """Return the names, the values (three orders, each instants × coordinates) and units of all joint coordinates."""
    labels, columns, kinds = [], [], []
    for (kind, owner, item, _), function in run.tables.coordinates.items():
        if kind == "joint" and item in run.model.joints[owner].names_of_coordinates(run.tables.dimension):
            labels.append(f"{owner}.{item}")
            columns.append(run.measurer.coordinate(function))
            kinds.append(run.model.units.length if run.tables.function_is_length[function] else "rad")
    values = [
        np.stack([column[order] for column in columns], 1) if columns else np.zeros((len(run.time), 0))
        for order in range(3)
    ]
    return labels, values, kinds


def standard_paths(model: Model) -> list[str]:
    """Return the paths that every result of the model has."""
    axes = "xyz"[: model.dimension]
    paths = [f"{body}.{axis}" for body in model.bodies for axis in axes]
    if model.dimension == 2:
        paths += [f"{body}.angle" for body in model.bodies]
    for name, joint in model.joints.items():
        paths += [f"{name}.{item}" for item in joint.names_of_coordinates(model.dimension)]
    return paths + list(model.outputs)
