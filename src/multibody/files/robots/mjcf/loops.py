"""Equalities of a compiled model, which MuJoCo holds softly, as exact joints and couplings."""

from __future__ import annotations

import numpy as np
from numpy.polynomial import Polynomial

from multibody.files.robots.description import Coupling, Description, Joint, Line
from multibody.files.robots.mjcf.compiled import Compiled, pose_of
from multibody.files.robots.pose import Pose

__all__ = ["add_equalities"]


def add_equalities(compiled: Compiled, robot: Description) -> None:
    """Add what is active at the start; what is not, and equalities of tendons and flexes, are noted."""
    taken = {joint.name for joint in robot.joints}
    for number, name in enumerate(compiled.equalities):
        kind = compiled.equality_kind(number)
        line = compiled.line(compiled.element("equalities", number))
        while name in taken:  # equalities and joints of MuJoCo may share names
            name += "_"
        if not compiled.model.eq_active0[number]:
            robot.skip("inactive equality", name)
        elif kind in ("connect", "weld"):
            _add_joint(compiled, robot, number, name, line)
            taken.add(name)
        elif kind == "equality":
            robot.couplings.append(_coupling(compiled, number, name, line))
        else:
            robot.skip(f"equality of a {kind}", name)


def _add_joint(compiled: Compiled, robot: Description, number: int, name: str, line: Line) -> None:
    """Add a point or a pose of one body that is held at one of another; both places are in the axes of their bodies."""
    model = compiled.model
    data = np.array(model.eq_data[number], dtype=float)
    weld = compiled.equality_kind(number) == "weld"
    one, two = int(model.eq_obj1id[number]), int(model.eq_obj2id[number])
    if int(model.eq_objtype[number]) == int(compiled.mujoco.mjtObj.mjOBJ_SITE):
        places = [pose_of(model.site_pos[site], model.site_quat[site]) for site in (one, two)]
        one, two = int(model.site_bodyid[one]), int(model.site_bodyid[two])
    elif weld:  # anchor in the second body, then the second body's pose in the first at that anchor
        places = [pose_of(data[3:6], data[6:10]), Pose(data[:3].tolist())]
    else:
        places = [Pose(data[:3].tolist()), Pose(data[3:6].tolist())]
    kind = "fixed" if weld and data[10] != 0.0 else "ball"  # without torque a weld holds the point alone
    if one == two:
        robot.skip("equality of a body with itself", name)
        return
    ends: list[str | None] = [compiled.bodies[body] if body else None for body in (one, two)]
    if ends[1] is None:  # the ground goes first
        ends.reverse()
        places.reverse()
    robot.joints.append(Joint(name, kind, ends[0], ends[1], places[0], places[1], closes=True, line=line))


def _coupling(compiled: Compiled, number: int, name: str, line: Line) -> Coupling:
    """Return y = y₀ + a₀ + a₁ (x − x₀) + … + a₄ (x − x₀)⁴ as a polynomial of x; y₀ and x₀ are where the bodies are drawn."""
    model = compiled.model
    one, two = int(model.eq_obj1id[number]), int(model.eq_obj2id[number])
    a = np.array(model.eq_data[number][:5], dtype=float)
    y0 = float(model.qpos0[model.jnt_qposadr[one]])
    if two < 0:
        return Coupling(name, compiled.joints[one], None, (y0 + float(a[0]),), line)
    x0 = float(model.qpos0[model.jnt_qposadr[two]])
    expanded = (y0 + Polynomial(a)(Polynomial([-x0, 1.0]))).coef if x0 else a + np.array([y0, 0.0, 0.0, 0.0, 0.0])
    return Coupling(name, compiled.joints[one], compiled.joints[two], tuple(float(c) for c in expanded), line)
