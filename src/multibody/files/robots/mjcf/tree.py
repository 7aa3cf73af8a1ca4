"""Bodies and joints of a compiled model: several joints of one body are a chain with massless links between them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from multibody.files.robots.description import Description, Inertial, Joint, Link
from multibody.files.robots.mjcf.compiled import Compiled, pose_of
from multibody.files.robots.mjcf.geoms import solids_of
from multibody.files.robots.options import RobotOptions
from multibody.files.robots.pose import Floats, Pose

__all__ = ["add_bodies"]

KINDS = ("free", "ball", "prismatic", "revolute")  # in the order of MuJoCo's mjtJoint


def add_bodies(compiled: Compiled, robot: Description, options: RobotOptions) -> None:
    """Add all bodies but the world, with what carries each of them."""
    places = _Places(compiled)
    for body in range(1, compiled.model.nbody):
        link = _link(compiled, body)
        above, place = _above(compiled, body)
        chain = _chain(compiled, body, options)
        if not chain:
            free = options.base == "floating" and above is None and not _joints(compiled, body)
            robot.joints.append(_weld(compiled, body, above, place, free=free))
        for k, joint in enumerate(chain):
            last = k == len(chain) - 1
            child = link.name if last else f"{link.name}_{joint.name}"
            if not last:
                drawn = places.between(body, k + 1)
                robot.links.append(Link(child, Inertial(0.0, Pose(), np.zeros((3, 3))), place=drawn, line=link.line))
            joint.parent, joint.child = above, child
            if joint.kind == "free":
                joint.parent, place = None, Pose()
            joint.place = place @ joint.place
            robot.joints.append(joint)
            above, place = child, Pose()
        link.place = places.of(body)
        robot.links.append(link)


def _joints(compiled: Compiled, body: int) -> range:
    """Return the numbers of the joints of a body, the one next to its parent first."""
    first = int(compiled.model.body_jntadr[body])
    return range(first, first + int(compiled.model.body_jntnum[body]))


def _above(compiled: Compiled, body: int) -> tuple[str | None, Pose]:
    """Return what a body hangs on, None for the world, and its place in it."""
    parent = int(compiled.model.body_parentid[body])
    place = pose_of(compiled.model.body_pos[body], compiled.model.body_quat[body])
    return (compiled.bodies[parent] if parent else None), place


def _link(compiled: Compiled, body: int) -> Link:
    """Return a body with its mass, shapes and sites."""
    model = compiled.model
    line = compiled.line(compiled.element("bodies", body))
    at = pose_of(model.body_ipos[body], model.body_iquat[body])
    mass, moments = float(model.body_mass[body]), np.array(model.body_inertia[body], dtype=float)
    inertial = Inertial(mass, at, np.diag(moments), line) if mass > 0.0 or moments.any() else None
    link = Link(compiled.bodies[body], inertial, solids_of(compiled, body, line), line=line)
    for site in np.flatnonzero(model.site_bodyid == body):
        name = compiled.name("SITE", int(site))
        if name:
            link.frames[name] = pose_of(model.site_pos[site], model.site_quat[site])
    return link


def _weld(compiled: Compiled, body: int, above: str | None, place: Pose, *, free: bool) -> Joint:
    """Return what holds a body without joints."""
    name = compiled.bodies[body]
    line = compiled.line(compiled.element("bodies", body))
    if free:
        return Joint(_unused(compiled, f"{name}_free"), "free", None, name, line=line)
    return Joint(_unused(compiled, f"{name}_fixed"), "fixed", above, name, place, line=line)


def _unused(compiled: Compiled, wanted: str) -> str:
    """Return a name that no joint of the file has."""
    while wanted in compiled.joints:
        wanted += "_"
    return wanted


def _chain(compiled: Compiled, body: int, options: RobotOptions) -> list[Joint]:
    """Return the joints of a body, with both places in its axes; a free one of a base that is to be fixed is none."""
    found = [_joint(compiled, number) for number in _joints(compiled, body)]
    return [] if options.base == "fixed" and any(joint.kind == "free" for joint in found) else found


def _joint(compiled: Compiled, number: int) -> Joint:
    """Return a joint; its coordinate is MuJoCo's qpos, which is `ref` where the body is drawn."""
    model = compiled.model
    kind = KINDS[int(model.jnt_type[number])]
    line = compiled.line(compiled.element("joints", number))
    joint = Joint(compiled.joints[number], kind, None, None, line=line)
    dof = int(model.jnt_dofadr[number])
    if kind == "free":
        return joint
    at = tuple(float(c) for c in model.jnt_pos[number])
    joint.place = joint.child_place = Pose(at)
    if kind == "ball":
        return joint
    axis = np.array(model.jnt_axis[number], dtype=float)
    x, y, z = (float(c) for c in axis)
    joint.axis = (x, y, z)
    q = int(model.jnt_qposadr[number])
    joint.place = Pose(at) @ _motion(kind, axis, -float(model.qpos0[q]))
    joint.start = float(compiled.qpos[q])
    joint.damping = float(model.dof_damping[dof])
    joint.friction, joint.armature = float(model.dof_frictionloss[dof]), float(model.dof_armature[dof])
    joint.stiffness, joint.rest = float(model.jnt_stiffness[number]), float(model.qpos_spring[q])
    if model.jnt_limited[number]:
        joint.lower, joint.upper = (float(c) for c in model.jnt_range[number])
    if model.jnt_actfrclimited[number]:
        joint.effort = float(np.max(np.abs(model.jnt_actfrcrange[number]))) or None
    return joint


def _motion(kind: str, axis: Floats, q: Any) -> Pose:
    """Return the pose behind a joint at its coordinate; of a ball a quaternion (w, x, y, z)."""
    if kind == "ball":
        return pose_of((0.0, 0.0, 0.0), q)
    if not q:
        return Pose()
    if kind == "prismatic":
        return Pose(axis * q)
    return pose_of((0.0, 0.0, 0.0), (math.cos(0.5 * q), *(math.sin(0.5 * q) * axis)))


class _Places:
    """Where links are drawn: at the start, by MuJoCo's kinematics; left to the joints where all of them are at zero."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        mujoco, model = compiled.mujoco, compiled.model
        self.data = mujoco.MjData(model)
        self.data.qpos[:] = compiled.qpos
        mujoco.mj_kinematics(model, self.data)
        neutral = np.array(model.qpos0)
        for number in range(model.njnt):
            q = int(model.jnt_qposadr[number])
            kind = KINDS[int(model.jnt_type[number])]
            if kind in ("prismatic", "revolute"):
                neutral[q] = 0.0
        self.moved = bool(np.any(compiled.qpos != neutral)) or bool(np.any(model.jnt_type == 0))

    def of(self, body: int) -> Pose | None:
        """Return the place of a body in ground."""
        return pose_of(self.data.xpos[body], self.data.xquat[body]) if self.moved else None

    def between(self, body: int, count: int) -> Pose | None:
        """Return the place of the link behind the first joints of a body."""
        if not self.moved:
            return None
        compiled, model = self.compiled, self.compiled.model
        parent = int(model.body_parentid[body])
        place = pose_of(self.data.xpos[parent], self.data.xquat[parent]) @ _above(compiled, body)[1]
        for number in _joints(compiled, body)[:count]:
            kind, q = KINDS[int(model.jnt_type[number])], int(model.jnt_qposadr[number])
            at = Pose(tuple(float(c) for c in model.jnt_pos[number]))
            value = compiled.qpos[q : q + 4] if kind == "ball" else float(compiled.qpos[q] - model.qpos0[q])
            place = place @ at @ _motion(kind, np.array(model.jnt_axis[number]), value) @ at.inverse()
        return place
