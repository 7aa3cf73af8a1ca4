"""Reactions of joints at one time as plain numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from multibody.analyses.given.own_options import own_options
from multibody.analyses.inverse.at_time import motion_at
from multibody.errors import AnalysisError, ModelError
from multibody.model.names import unknown
from multibody.model.units import Units
from multibody.results.dataset import driven_beside
from multibody.results.run import Run

if TYPE_CHECKING:
    from multibody.model.model import Model


def reactions_at(
    model: Model, at: float | str | None, joints: Sequence[str] | None, options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the reactions of joints at a time; see :meth:`Model.reactions`."""
    names = check_joints(model, joints)
    return reactions_plain(run_at(model, time_of(model, at), options, names), names, drives=joints is None)


def time_of(model: Model, at: float | str | None) -> float:
    """Return the time that is asked for, the model's own where none is given."""
    found = own_options(model, "reactions", at=at)["at"]
    if found is None:
        raise ModelError("the time is missing", where="reactions", hint="give at")
    return float(found)


def check_joints(model: Model, joints: Sequence[str] | None) -> list[str]:
    """Return the joints that were asked for, all if none was; raise for one that is not there."""
    joints = own_options(model, "reactions", joints=joints)["joints"]
    if joints is None:
        return list(model.joints)
    if isinstance(joints, str):
        raise ModelError(f'"{joints}" is no list', where="joints", hint=f'give a list, such as ["{joints}"]')
    for name in joints:
        if name not in model.joints:
            raise unknown("joint", name, model.joints, "joints")
    return list(joints)


def run_at(model: Model, at: float, options: Mapping[str, Any], joints: Sequence[str] | None = None) -> Run:
    """Return a run whose last instant is the given time; with `joints`, with the forces of these joints at least."""
    return Run(motion_at(model, at, dict(options), joints))


def reactions_plain(run: Run, joints: Sequence[str], units: str | None = None, drives: bool = False) -> dict[str, Any]:
    """Return what joints do at the last instant of a run.

    Parameters
    ----------
    run : Run
        With forces.
    joints : sequence of str
    units : str, optional
        ``"SI"`` converts.
    drives : bool
        Whether driven coordinates that are no joint's own (the length of a spring, a point) are there too, with the
        ``effort`` along them.

    Returns
    -------
    dict
        For each joint ``force`` and ``moment`` on the second body at ``point`` without efforts, ``effort`` along its
        coordinate (a list where it has none or several), ``total`` with efforts, ``on_body``, ``axes``, ``unique``. A
        coupler has no wrench: its effort is its multiplier.
    """
    if len(run.time) == 0:
        raise AnalysisError(f"{run.model.name}: {run.status.message}")
    own = run.model.units
    si = units == "SI"
    force, length, time = (own.factor(*key) if si else 1.0 for key in ((1, -2, 1), (1, 0, 0), (0, 1, 0)))
    names = (Units() if si else own).names
    about = {"time": float(run.time[-1]) * time, "units": {key: names[key] for key in ("force", "moment", "length")}}
    found = {}
    for joint in joints:
        if joint in run.tables.ends:
            found[joint] = _wrenches(run, joint, force, length) | {"effort": _effort(run, joint, force, length)} | about
        else:
            found[joint] = {"effort": float(run.measurer(f"{joint}.effort").values[-1]), "time": about["time"]}
    for path in driven_beside(run.model) if drives else ():
        function = run.tables.coordinates[run.model.resolve(path, path).key]
        factor = force if run.tables.functions[function].is_length else force * length
        effort = float(run.measurer.forces.reactions.effort_along(function)[-1]) * factor
        found[path] = {"effort": effort, "unit": names["force" if run.tables.functions[function].is_length else "moment"]}
        found[path]["time"] = about["time"]
    return found


def _wrenches(run: Run, joint: str, force: float, length: float) -> dict[str, Any]:
    """Return reaction and total of a joint between two frames."""
    forces, planar = run.measurer.forces, run.tables.dimension == 2
    parts = []
    for drives in (False, True):
        wrench = forces.wrench(joint, drives)
        moment = [float(x) * force * length for x in wrench.moment[-1]]
        parts.append({"force": [float(x) * force for x in wrench.force[-1]], "moment": moment[0] if planar else moment})
    of_force, of_moment = forces.reactions.unique(joint)
    about = forces.about_joint(joint)
    return {
        **parts[0], "total": parts[1], "point": [float(x) * length for x in forces.reactions.point_of(joint)[-1]],
        "point_name": about["point"], "on_body": about["on_body"], "axes": "ground", "unique": all(of_force) and all(of_moment),
        "unique_components": {"force": list(of_force), "moment": of_moment[0] if planar else list(of_moment)},
    }  # fmt: skip


def _effort(run: Run, joint: str, force: float, length: float) -> Any:
    """Return the effort along a joint's coordinate, a list where it has none or several."""
    tables, values = run.tables, []
    for item in run.model.joints[joint].names_of_coordinates(tables.dimension):
        function = tables.coordinates["joint", joint, item, 0]
        factor = force if tables.functions[function].is_length else force * length
        values.append(float(run.measurer.forces.reactions.effort_along(function)[-1]) * factor)
    return values[0] if len(values) == 1 else values
