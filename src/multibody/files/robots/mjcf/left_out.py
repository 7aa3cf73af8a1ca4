"""What a compiled model has and the description has not, by name and count."""

from __future__ import annotations

from typing import Any

import numpy as np

from multibody.files.robots.description import Description
from multibody.files.robots.mjcf.compiled import Compiled
from multibody.files.robots.mjcf.geoms import SHAPES

__all__ = ["note_left_out"]

_COUNTED = (
    ("actuator", "ACTUATOR", "nu"), ("tendon", "TENDON", "ntendon"), ("sensor", "SENSOR", "nsensor"), ("flex", "FLEX", "nflex"),
    ("contact pair", "PAIR", "npair"), ("plugin", "PLUGIN", "nplugin"), ("mocap body", "", "nmocap"),
)  # fmt: skip


def note_left_out(compiled: Compiled, robot: Description) -> None:
    """Note all that is not carried over."""
    model = compiled.model
    for what, kind, count in _COUNTED:
        for k in range(int(getattr(model, count))):
            robot.skip(what, compiled.name(kind, k) if kind else "")
    for geom in range(model.ngeom):
        name = compiled.name("GEOM", geom)
        if model.geom_contype[geom] or model.geom_conaffinity[geom]:
            robot.skip("colliding geom", name)
        if int(model.geom_type[geom]) not in SHAPES and model.geom_bodyid[geom]:
            robot.skip("plane or field of a body", name)
    for body in np.flatnonzero(model.body_gravcomp):
        robot.skip("gravity compensation", compiled.bodies[int(body)])
    for name in ("density", "viscosity"):
        if getattr(model.opt, name):
            robot.skip("medium", name)
    for k in range(1, model.nkey):
        robot.skip("further keyframe", compiled.name("KEY", k))
    if model.nkey and np.any(model.key_qvel[0]):
        robot.skip("velocity of the keyframe", compiled.name("KEY", 0))
    for remark in compiled.remarks:
        robot.skip("warning of MuJoCo", remark)
    _of_joints(compiled, robot)


def _of_joints(compiled: Compiled, robot: Description) -> None:
    """Note what joints have beyond a line of damping and stiffness, and what only joints of one coordinate can have."""
    model = compiled.model
    for joint, name in enumerate(compiled.joints):
        dof = int(model.jnt_dofadr[joint])
        if _any(model, "jnt_stiffnesspoly", joint) or _any(model, "dof_dampingpoly", dof):
            robot.skip("nonlinear stiffness or damping", name)
        if int(model.jnt_type[joint]) > 1:
            continue
        wide = {"limit": model.jnt_limited[joint], "stiffness": model.jnt_stiffness[joint]}
        wide |= {"damping": model.dof_damping[dof]}
        wide |= {"armature": model.dof_armature[dof], "friction": model.dof_frictionloss[dof]}
        for what, value in wide.items():
            if value:
                robot.skip(f"{what} of a ball or free joint", name)


def _any(model: Any, field: str, row: int) -> bool:
    """Return whether a row of a field has a number; releases of MuJoCo before 4 lack some fields."""
    return bool(np.any(getattr(model, field)[row])) if hasattr(model, field) else False
