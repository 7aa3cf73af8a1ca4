"""From a model back to the description of a robot, where it is a tree of joints that robot files have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from multibody.errors import ModelError
from multibody.files.robots.description import Coupling, Description, Inertial, Joint, Link, Solid
from multibody.files.robots.lower import DEPTH
from multibody.files.robots.pose import Floats, Pose
from multibody.files.robots.urdf_loops import shortest_turn
from multibody.model.expressions import Expression, Number, evaluate, names
from multibody.model.forces import Force
from multibody.model.joints import Joint as ModelJoint
from multibody.model.matrices import orientation_matrix
from multibody.model.model import Model
from multibody.model.scope import ParameterScope
from multibody.model.shapes import Shape

__all__ = ["Numbers", "description_of"]

Numbers = Mapping[str, tuple[float | None, Floats, Floats | None]]
"""Mass, center of mass and inertia of bodies, in the model's units."""

KINDS = {"fixed": "fixed", "revolute": "revolute", "translational": "prismatic", "planar": "planar", "free": "free"}
"""Joints that URDF has, by their names in a model."""

WORLD = "world"
GRAVITY = Description("").gravity  # that readers of URDF take


def description_of(model: Model, masses: Numbers) -> Description:
    """Return a model as the description of a robot, in SI units.

    Parameters
    ----------
    model : Model
        Spatial; its joints form a tree.
    masses : mapping
        Mass properties of its bodies.

    Raises
    ------
    ModelError
        If the model is planar, closes loops or has joints that URDF has not.
    """
    if model.dimension != 3:
        raise ModelError("a planar model has no URDF", where=model.name, hint="save it as .yaml or .json")
    return _Describing(model, masses).described()


class _Describing:
    """Describes one model."""

    def __init__(self, model: Model, masses: Numbers) -> None:
        self.model, self.masses = model, masses
        self.scope = ParameterScope(model)
        self.unit = model.units.factor
        self.robot = Description(model.name, gravity=None)
        self.frames: dict[str, Pose] = {}  # of each body, the axes that its link has: those of the joint that carries it

    def described(self) -> Description:
        """Return the robot."""
        tree = self._tree()
        for name, (joint, parent, turned) in tree.items():
            self._carry(name, joint, parent, turned)
        for name in tree:
            self.robot.links.append(self._link(name))
        self._world()
        self._couplings()
        for force in self.model.forces.values():
            self._force(force)
        if self.model.gravity is None or tuple(self.vector(self.model.gravity, "gravity") * self.unit(1, -2, 0)) != GRAVITY:
            self.robot.skip("gravity")
        for what, group in (("motion", self.model.motions), ("event", self.model.events), ("output", self.model.outputs)):
            for name in group:
                self.robot.skip(what, name)
        return self.robot

    # --- numbers ------------------------------------------------------------------------------------------------------
    def number(self, formula: Number, where: str) -> float:
        """Return the value of a formula of parameters."""
        found = self.scope.value(self.scope.scalar(formula, where), where)
        if found is None:
            raise ModelError(f"{formula} has no value here", where=where, hint="formulas with tables are not written")
        return found

    def vector(self, value: Any, where: str) -> Floats:
        """Return the values of a vector."""
        return np.array([self.number(part, where) for part in self.scope.vector(value, 3, where)])

    def pose(self, at: Any, orientation: Any, where: str) -> Pose:
        """Return a place as numbers, in meters."""
        point = (np.zeros(3) if at is None else self.vector(at, where)) * self.unit(1, 0, 0)
        if orientation is None or orientation.form == "rpy":
            return Pose(point, rpy=None if orientation is None else [self.number(a, where) for a in orientation.numbers])
        rows = orientation_matrix(orientation, 3, self.scope, where)
        return Pose(point, np.array([self.scope.numeric(row, where) for row in rows]))

    # --- the tree -----------------------------------------------------------------------------------------------------
    def _tree(self) -> dict[str, tuple[ModelJoint | None, str, bool]]:
        """Return for each body the joint that carries it, the body that it hangs on, and whether it is the joint's first."""
        left = [joint for joint in self.model.joints.values() if joint.kind.relation != "coupler"]
        found: dict[str, tuple[ModelJoint | None, str, bool]] = {}
        reached = {"ground"}
        while True:
            grown = False
            for joint in list(left):
                first, second = (end.split(".")[0] for end in (joint.first, joint.second))
                if first in reached and second in reached:
                    problem = f"{joint.kind.name} {joint.name} closes a loop, and URDF is a tree"
                    raise ModelError(problem, where=f"joints.{joint.name}", hint="save it as .yaml or .json")
                if first in reached or second in reached:
                    new, old = (second, first) if first in reached else (first, second)
                    found[new] = (joint, old, new == first)
                    reached.add(new)
                    left.remove(joint)
                    grown = True
            if not grown:
                break
        return found | {name: (None, "ground", False) for name in self.model.bodies if name not in reached}

    def _carry(self, name: str, joint: ModelJoint | None, parent: str, turned: bool) -> None:
        """Add the joint that carries a body, and choose the axes of its link."""
        if joint is None:
            self.frames[name] = Pose()
            body = self.model.bodies[name]
            place = self.pose(body.at, body.orientation, f"bodies.{name}")
            self.robot.joints.append(Joint(f"{name}_free", "free", WORLD, name, place))
            return
        where = f"joints.{joint.name}"
        if joint.kind.name not in KINDS:
            raise ModelError(f"URDF has no {joint.kind.name} joint", where=where, hint="save it as .yaml or .json")
        first, second = (self._end(joint, end) for end in (joint.first, joint.second))
        own, other = (first, second) if turned else (second, first)
        self.frames[name] = own
        seat = self.frames.get(parent, Pose())
        axis = joint.fields.get("axis")
        made = Joint(joint.name, KINDS[joint.kind.name], WORLD if parent == "ground" else parent, name, seat.inverse() @ other)
        if made.kind in ("revolute", "prismatic", "planar"):
            along = np.array([0.0, 0.0, 1.0]) if axis is None else self.vector(axis, where)
            x, y, z = (-along if turned else along).tolist()  # seen from the other end it turns the other way
            made.axis = (x, y, z)
        self.robot.joints.append(made)

    def _end(self, joint: ModelJoint, end: str) -> Pose:
        """Return the frame of a joint on a body, in the body's axes."""
        where = f"joints.{joint.name}"
        body, frame = self.model.find_end(end, where)
        if joint.at is not None:  # made in place: parallel to ground as drawn
            drawn = Pose() if body == "ground" else self._drawn(body)
            return drawn.inverse() @ self.pose(joint.at, None, where)
        if frame == "origin":
            return Pose()
        if frame == "com":
            return Pose(self.masses[body][1] * self.unit(1, 0, 0))
        found = self.model.frames_of(body)[frame]
        return self.pose(found.at, found.orientation, where)

    def _drawn(self, name: str) -> Pose:
        body = self.model.bodies[name]
        return self.pose(body.at, body.orientation, f"bodies.{name}")

    def _world(self) -> None:
        """Add the ground as a link, unless it only holds one body where that is, or lets it free."""
        on = [joint for joint in self.robot.joints if joint.parent == WORLD]
        if len(on) == 1 and on[0].kind in ("fixed", "free") and on[0].place.trivial:
            self.robot.joints.remove(on[0])
            self.robot.base = "floating" if on[0].kind == "free" else "fixed"
            return
        if WORLD in self.model.bodies:
            raise ModelError('the name "world" is taken', where="bodies.world", hint="URDF needs it for the ground")
        self.robot.links.insert(0, Link(WORLD))

    # --- links --------------------------------------------------------------------------------------------------------
    def _link(self, name: str) -> Link:
        """Return a body as a link, in the axes of the joint that carries it."""
        body, seat = self.model.bodies[name], self.frames[name]
        link = Link(name)
        mass, com, inertia = self.masses[name]
        if mass is not None and inertia is not None:
            R = seat.axes
            place = seat.inverse() @ Pose(com * self.unit(1, 0, 0))
            turned = (R.T @ inertia @ R if seat.turned else inertia) * self.unit(2, 0, 1)
            link.inertial = Inertial(mass * self.unit(0, 0, 1), Pose(place.at), turned)
        for shape in body.shape:
            solid = self._solid(shape, f"bodies.{name}.shape")
            if solid is None:
                self.robot.skip(f"shape {shape.kind}", name)
            else:
                solid.place = seat.inverse() @ solid.place
                link.solids.append(solid)
        return link

    def _solid(self, shape: Shape, where: str) -> Solid | None:
        """Return a shape as a solid, in the body's axes."""
        unit = self.unit(1, 0, 0)
        place = self.pose(shape.fields.get("at"), shape.fields.get("orientation"), where)
        if shape.kind == "mesh":
            given = shape.fields.get("scale", 1.0)
            scale = self.vector(given, where) if isinstance(given, tuple) else np.full(3, self.number(given, where))
            sx, sy, sz = scale.tolist()
            return Solid("mesh", place=place, file=shape.value, scale=(sx, sy, sz))
        if shape.kind == "box":
            return Solid("box", tuple((self.vector(shape.value, where) * unit).tolist()), place)
        radius = self.number(shape.fields.get("radius", 0.0), where) * unit
        if shape.kind == "sphere":
            return Solid("sphere", (radius,), self.pose(shape.value, None, where))
        if shape.kind in ("rod", "cylinder") and radius > 0.0:
            P, Q = (self.vector(point, where) * unit for point in shape.value)
            length = float(np.linalg.norm(Q - P))
            if length > 0.0:
                axes = shortest_turn(np.array([0.0, 0.0, 1.0]), Q - P)
                return Solid("cylinder", (radius, length), Pose(0.5 * (P + Q), axes))
        return None

    # --- couplings and forces -----------------------------------------------------------------------------------------
    def _couplings(self) -> None:
        """Add couplers that say that one coordinate is a multiple of another."""
        for joint in self.model.joints.values():
            if joint.kind.relation != "coupler":
                continue
            found = self._linear(joint.fields["expression"], f"joints.{joint.name}")
            if found is None:
                hint = "URDF has mimic joints alone: one coordinate that is a multiple of another; save it as .yaml"
                raise ModelError("this coupler has no URDF", where=f"joints.{joint.name}", hint=hint)
            self.robot.couplings.append(Coupling(joint.name, *found))

    def _linear(self, formula: Number, where: str) -> tuple[str, str, tuple[float, float]] | None:
        """Return (joint, leader, (offset, multiplier)) of a coupler α a + β b + γ = 0, None where it is another."""
        paths = sorted(names(formula)) if isinstance(formula, Expression) else []
        used = [path for path in paths if path[0] in self.model.joints]
        owners = {path[0]: path for path in used}
        if len(used) != 2 or len(owners) != 2 or any(self.model.joints[name].kind.name not in KINDS for name in owners):
            return None
        first = next((path for path in used if str(formula).startswith(path[0])), used[0])
        second = next(path for path in used if path != first)

        def at(a: float, b: float) -> float:
            values = {first: a, second: b}
            return float(evaluate(formula, lambda path: values[path] if path in values else self.scope.values[path]))

        zero = at(0.0, 0.0)
        alpha, beta = at(1.0, 0.0) - zero, at(0.0, 1.0) - zero
        size = abs(zero) + abs(alpha) + abs(beta)
        if alpha == 0.0 or abs(at(-2.0, 3.0) - (zero - 2.0 * alpha + 3.0 * beta)) > 1e-12 * size:
            return None
        return first[0], second[0], (-zero / alpha, -beta / alpha)

    def _force(self, force: Force) -> None:
        """Carry over damping, friction and stops of joints; note all else."""
        joint = next((joint for joint in self.robot.joints if joint.name == force.target[0].split(".")[0]), None)
        carry = {"stop": self._stop, "friction": self._friction, "effort": self._effort}.get(force.kind.name)
        fits = joint is not None and joint.kind in ("revolute", "prismatic") and not force.on_expression
        if carry is None or joint is None or not fits or not carry(joint, force):
            self.robot.skip(force.kind.name, force.name)

    def _value(self, force: Force, key: str) -> float:
        """Return the value of a field of a force, zero where it has none."""
        given = force.fields.get(key)
        return 0.0 if given is None else self.number(given, f"forces.{force.name}")

    def _units(self, joint: Joint) -> tuple[float, float]:
        """Return the SI values of the units of a joint's effort and coordinate."""
        angular = joint.kind == "revolute"
        return self.unit(2 if angular else 1, -2, 1), 1.0 if angular else self.unit(1, 0, 0)

    def _stop(self, joint: Joint, force: Force) -> bool:
        """Carry over a stop, with the effort that its stiffness stands for."""
        effort, length = self._units(joint)
        joint.lower, joint.upper = (
            None if force.fields.get(key) is None else self._value(force, key) * length for key in ("lower", "upper")
        )
        joint.effort = self._value(force, "stiffness") * effort / length * DEPTH[joint.kind]
        return True

    def _friction(self, joint: Joint, force: Force) -> bool:
        """Carry over dry and viscous friction."""
        effort, length = self._units(joint)
        static, coulomb = self._value(force, "static"), self._value(force, "coulomb")
        if static not in (0.0, coulomb) or isinstance(force.fields["load"], Expression):
            return False
        joint.friction += coulomb * self._value(force, "load") * effort
        joint.damping += self._value(force, "viscous") * effort / length * self.unit(0, 1, 0)
        return True

    def _effort(self, joint: Joint, force: Force) -> bool:
        """Carry over damping; stiffness and other efforts have no place in URDF."""
        if self._value(force, "stiffness") or force.fields.get("value") is not None:
            return False
        effort, length = self._units(joint)
        joint.damping += self._value(force, "damping") * effort / length * self.unit(0, 1, 0)
        return True
