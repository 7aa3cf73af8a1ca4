"""A joint's wrench over time as a dataset: at a chosen point, in chosen axes, with or without the efforts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.analyses.measures.force_values import ForceValues
from multibody.errors import ModelError, nearest
from multibody.model.names import unknown
from multibody.results.reading import owned

if TYPE_CHECKING:
    import xarray

    from multibody.results.run import Run

AXES = ("ground", "body", "joint")


def reactions(run: Run, joint: str, at: str, axes: str, drives: bool) -> xarray.Dataset:
    """Return force and moment of a joint on its second body; see :meth:`Run.reactions`."""
    import xarray

    forces = run.measurer.forces
    check_joint(run, joint)
    units, d = run.model.units.names, run.tables.dimension
    point, name = _point(forces, joint, at)
    frame = axes_over_time(forces, joint, axes)
    wrench = forces.wrench(joint, drives).at(point)
    force, moment = (wrench.force, wrench.moment) if frame is None else wrench.along(frame)
    flags = forces.reactions.unique(joint, point, frame)
    about = {"axes": axes, **forces.about_joint(joint), "point": name}
    spin = ("time",) if d == 2 else ("time", "component")
    data: dict[str, Any] = {
        "force": (("time", "component"), force, {"unit": units["force"], **about}),
        "moment": (spin, moment[:, 0] if d == 2 else moment, {"unit": units["moment"], **about}),
        "point": (("time", "component"), point, {"unit": units["length"], "axes": "ground"}),
        "unique_force": (("component",), flags[0]),
        "unique_moment": (spin[1:], flags[1][0] if d == 2 else flags[1]),
    }
    for function, label in _coordinates(run, joint).items():
        data[f"effort_{label}"] = (
            ("time",), forces.reactions.effort_along(function), {"unit": forces.effort_unit(function), "coordinate": label}
        )  # fmt: skip
    letters = "fgh" if axes == "joint" else "xyz"
    coords = {"time": ("time", run.time, {"unit": units["time"]}), "component": list(letters[:d])}
    return xarray.Dataset(owned(data), coords=coords, attrs={"joint": joint, "drives": int(drives), **about})


def check_joint(run: Run, joint: str) -> None:
    """Raise where there is no such joint, or none with a reaction."""
    if joint not in run.model.joints:
        raise unknown("joint", joint, run.model.joints, "reactions")
    if joint not in run.tables.ends:
        raise ModelError(
            f'coupler "{joint}" has no reaction', where="reactions", hint=f"it acts on coordinates: read {joint}.effort"
        )


def _coordinates(run: Run, joint: str) -> dict[int, str]:
    """Return the coordinate functions of a joint with their names."""
    items = run.model.joints[joint].names_of_coordinates(run.tables.dimension)
    return {run.tables.coordinates["joint", joint, item, 0]: item for item in items}


def _point(forces: ForceValues, joint: str, at: str) -> tuple[np.ndarray[Any, Any], str]:
    """Return the point of the moment over time and its name."""
    reactions, model = forces.reactions, forces.model
    if at == "second":
        return reactions.point_of(joint), forces.point_name(joint)
    if at == "first":
        return reactions.end_of(joint, 0), f"origin of {joint}'s first frame"
    second = forces.tables.bodies[forces.tables.ends[joint][1].body]
    end = at if at.partition(".")[0] in ("ground", *model.bodies) else f"{second}.{at}"
    body, frame = model.find_end(end, "reactions")
    return forces.measurer.frame(body, frame)[0], f"{body}.{frame}"


def check_axes(axes: str, where: str) -> None:
    """Raise for axes that there are not."""
    if axes not in AXES:
        hint = f"{nearest(str(axes), AXES)} They are {', '.join(AXES)}.".strip()
        raise ModelError(f'unknown axes "{axes}"', where=where, hint=hint)


def axes_over_time(forces: ForceValues, joint: str, axes: str) -> np.ndarray[Any, Any] | None:
    """Return the axes of the components over time as columns, None for the ground's."""
    check_axes(axes, "reactions")
    if axes == "ground":
        return None
    if axes == "joint":
        return forces.reactions.axes_of(joint, 0)
    second = forces.tables.ends[joint][1].body
    return np.asarray(forces.measurer.body_motion(forces.tables.bodies[second]).axes)
