"""Where assembly starts: bodies as drawn, then hung on each other along a spanning tree of the joints.

Every tree joint is closed exactly from the start, with the value that is held, driven or guessed, else with the value it
has in the drawn poses. What remains for Newton's method are the loops, and no axis begins flipped.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from multibody.errors import ModelError
from multibody.model.joints import Joint
from multibody.state.poses import drawn_pose, quaternion_of, read_pose, write_pose
from multibody.state.system import Floats, System
from multibody.tables.growing import Edge, grown
from multibody.tables.lower import EndSlots


def targets(system: System, q: Floats, t: float) -> dict[int, float]:
    """Return the value that motions, held values and guesses (in this order of rank) give to functions."""
    tables = system.tables
    found: dict[int, float] = {}
    for soft, value, _, _ in tables.soft:
        if soft.function >= 0:
            found[soft.function] = float(system.F[value])
    phi = system.phi(q, t, 0, system.all_rows)
    for r in range(system.joint_rows, system.all_rows):
        if not math.isfinite(phi[r]):
            row = tables.rows[r]
            where = f"{'motions' if row.group == 'motion' else 'initial'}.{row.owner}"
            raise ModelError(f"it is not a finite number at t = {t:g}", where=where, hint="check its formula there")
    for r in reversed(range(system.joint_rows, system.all_rows)):
        function = tables.function_of_row(r)
        found[function] = system.value(q, function) - float(phi[r])
    return found


@dataclass(frozen=True)
class _Hanger(Edge):
    """A joint to hang a body on, with what it leaves free; −1 where a value is given."""

    freedom: int = 0

    def rank(self, distance: int) -> tuple[int, ...]:
        """Return what is taken first: a known value, then the stiffest."""
        return (self.freedom,)


class Starter:
    """Hangs the bodies on each other along a spanning tree."""

    def __init__(self, system: System, t: float) -> None:
        self.system, self.tables, self.dimension = system, system.tables, system.tables.dimension
        self.drawn = drawn_pose(system)
        self.moved: set[int] = set()  # bodies with a guess of their own
        self.targets = targets(system, self.drawn, t)
        self._screw_angles()
        self._apply_body_guesses()
        self.q = self.drawn.copy()

    def _screw_angles(self) -> None:
        """Let a given position of a screw stand for its angle."""
        for name, joint in self.tables.model.joints.items():
            if joint.kind.relation == "screw":
                position, angle = (self.tables.coordinates["joint", name, item, 0] for item in ("position", "angle"))
                weight = self._screw_weight(joint)
                if position in self.targets and angle not in self.targets and weight != 0.0:
                    self.targets[angle] = -self.targets[position] / weight

    def _screw_weight(self, joint: Joint) -> float:
        """Return −lead/2π, the weight of the angle in the screw's last row."""
        packed = self.tables.packed
        first = packed.rows.first_term[self.tables.joint_rows[joint.name][-1]]
        return float(packed.numbers[packed.terms.weight[first + 1]])

    def _apply_body_guesses(self) -> None:
        """Move the drawn pose of bodies whose own position, angle or orientation is given."""
        tables, d = self.tables, self.dimension
        for (kind, owner, item, axis), function in tables.coordinates.items():
            if function in self.targets and kind in ("point", "angle") and owner in tables.bodies:
                b = tables.bodies.index(owner)
                if kind == "angle":
                    self.drawn[3 * b - 1] = self.targets[function]
                elif item == "com":
                    self.drawn[(3 if d == 2 else 7) * (b - 1) + axis] = self.targets[function]
                else:
                    continue
                self.moved.add(b)
        for soft, _, _, orientation in tables.soft:
            if orientation >= 0 and soft.path.split(".")[0] in tables.bodies:
                self.drawn[7 * soft.body - 4 : 7 * soft.body] = quaternion_of(tables.matrix(orientation))
                self.moved.add(soft.body)
        for path, first, second in tables.held_rotations:
            if path.split(".")[0] in tables.bodies:
                self.drawn[7 * second.body - 4 : 7 * second.body] = quaternion_of(tables.matrix(first.axes))
                self.moved.add(second.body)

    def run(self) -> Floats:
        """Return the start pose."""
        for link in grown(self._edges(), len(self.tables.bodies), [0]).values():
            first, second = self.tables.ends[link.joint]
            self._hang(self.tables.model.joints[link.joint], first, second, forward=not link.reversed)
        self._extras()
        return self.q

    def _edges(self) -> list[_Hanger]:
        """Return the joints that bodies can be hung on: pairs, a free one only where a value is given for it."""
        found = []
        for number, joint in enumerate(self.tables.model.joints.values()):
            if joint.kind.pair and (joint.kind.name != "free" or self._known(joint)):
                first, second = self.tables.ends[joint.name]
                found.append(_Hanger(joint.name, first.body, second.body, number, freedom=self._rank(joint)))
        return found

    def _known(self, joint: Joint) -> bool:
        """Return whether a value is given for one of the joint's coordinates."""
        names = joint.names_of_coordinates(self.dimension)
        return any(self.tables.coordinates["joint", joint.name, name, 0] in self.targets for name in names)

    def _rank(self, joint: Joint) -> int:
        """Return how soon a joint should be taken into the tree: known values first, then the stiffest."""
        structure = joint.kind.structure(self.dimension)
        return -1 if self._known(joint) else len(structure.coordinates) + 3 * (structure.rotation == 3)

    def _coordinate(self, joint: Joint, name: str, q: Floats) -> float:
        """Return the given value of a coordinate, else the one that it has at the pose q."""
        function = self.tables.coordinates["joint", joint.name, name, 0]
        if function in self.targets:
            return self.targets[function]
        return self.system.value(q, function)

    def _motion(self, joint: Joint, q: Floats) -> tuple[Floats, Floats]:
        """Return the relative translation and rotation (joint axes) for the joint's coordinates."""
        d, structure = self.dimension, joint.kind.structure(self.dimension)
        names = {spec: name for name, spec in (*structure.coordinates, *structure.readable)}
        shift, turn = np.zeros(d), np.eye(d)
        for letter in structure.translations:
            shift["fgh".index(letter)] = self._coordinate(joint, names["dot2", letter], q)
        if d == 2 and structure.rotation:
            turn = _turn2(self._coordinate(joint, "angle", q))
        elif structure.rotation == 1:
            turn = _turn3(self._coordinate(joint, "angle", q), 2)
        elif structure.rotation == 2:
            turn = _turn3(self._coordinate(joint, "angle1", q), 2) @ _turn3(self._coordinate(joint, "angle2", q), 0)
        elif structure.rotation == 3:
            turn = self._free_rotation(joint, q)
        if joint.kind.relation == "screw":
            rest = self.system.phi(q, 0.0)[self.tables.joint_rows[joint.name][-1]]
            shift["fgh".index("h")] = self._screw(joint, q, rest)
        return shift, turn

    def _screw(self, joint: Joint, q: Floats, rest: float) -> float:
        """Return the advance of a screw at its angle: position − rest is lead/2π times the angle at q."""
        key = ("joint", joint.name)
        position = self.system.value(q, self.tables.coordinates[*key, "position", 0])
        drawn = self.system.value(q, self.tables.coordinates[*key, "angle", 0])
        angle = self._coordinate(joint, "angle", q)
        return float(position - rest - self._screw_weight(joint) * (angle - drawn))

    def _free_rotation(self, joint: Joint, q: Floats) -> Floats:
        """Return the relative orientation of the joint's frames: guessed, else as at q."""
        first, second = self.tables.ends[joint.name]
        for path, held, _ in self.tables.held_rotations:
            if path == f"{joint.name}.rotation":
                return np.asarray(self.tables.matrix(first.axes).T @ self.tables.matrix(held.axes))
        for soft, _, _, orientation in self.tables.soft:
            if orientation >= 0 and soft.path == f"{joint.name}.rotation":
                return self.tables.matrix(first.axes).T @ self.tables.matrix(orientation)
        Ai, Aj = read_pose(self.system, q, first.body)[1], read_pose(self.system, q, second.body)[1]
        return (Ai @ self.tables.matrix(first.axes)).T @ Aj @ self.tables.matrix(second.axes)

    def _hang(self, joint: Joint, first: EndSlots, second: EndSlots, forward: bool) -> None:
        """Place the one body from the other so that the joint is closed."""
        child = second.body if forward else first.body
        pose = self.drawn
        if child in self.moved:  # keep its own orientation: measure against the parent where it is now
            pose = self.q.copy()
            width = 3 if self.dimension == 2 else 7
            pose[width * (child - 1) : width * child] = self.drawn[width * (child - 1) : width * child]
        shift, turn = self._motion(joint, pose)
        si, Ci = self.tables.vector(first.point), self.tables.matrix(first.axes)
        sj, Cj = self.tables.vector(second.point), self.tables.matrix(second.axes)
        if forward:
            r, A = read_pose(self.system, self.q, first.body)
            B = A @ Ci @ turn @ Cj.T
            write_pose(self.system, self.q, child, r + A @ (si + Ci @ shift) - B @ sj, B)
        else:
            r, A = read_pose(self.system, self.q, second.body)
            B = A @ Cj @ turn.T @ Ci.T
            write_pose(self.system, self.q, child, r + A @ sj - B @ (si + Ci @ shift), B)
        self._count_turns(joint, child, forward)

    def _count_turns(self, joint: Joint, child: int, forward: bool) -> None:
        """Add whole turns to a planar body so that its joint's angle is the given one, not that less a few turns.

        Where no value is given the body stays within half a turn of its drawn angle.
        """
        function = self.tables.coordinates.get(("joint", joint.name, "angle", 0), -1)
        if self.dimension == 2 and function in self.targets:
            turns = round((self.targets[function] - self.system.value(self.q, function)) / (2.0 * math.pi))
            self.q[3 * child - 1] += (1.0 if forward else -1.0) * 2.0 * math.pi * turns

    def _extras(self) -> None:
        """Start every contact at the follower's direction in the cam's frame."""
        first = self.system.nq - len(self.tables.extras)
        for k, name in enumerate(self.tables.extras):
            function = self.tables.coordinates["joint", name, "contact", 0]
            if function in self.targets:
                self.q[first + k] = self.targets[function]
                continue
            cam, follower = self.tables.ends[name]
            r, A = read_pose(self.system, self.q, cam.body)
            s, B = read_pose(self.system, self.q, follower.body)
            gap = s + B @ self.tables.vector(follower.point) - r - A @ self.tables.vector(cam.point)
            x, y = (A @ self.tables.matrix(cam.axes)).T[:2] @ gap
            self.q[first + k] = math.atan2(y, x)


def _turn2(angle: float) -> Floats:
    """Return the planar rotation."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s], [s, c]])


def _turn3(angle: float, axis: int) -> Floats:
    """Return the rotation about axis 0 (x) or 2 (z)."""
    c, s = math.cos(angle), math.sin(angle)
    if axis == 0:
        return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
