"""Where assembly starts: bodies as drawn, then hung on each other along a spanning tree of the joints.

Every tree joint is closed exactly from the start, with the value that is held, driven or guessed, else with the value it
has in the drawn poses. What remains for Newton's method are the loops, and no axis begins flipped.
"""

from __future__ import annotations

import math
from collections.abc import Container
from dataclasses import dataclass
from functools import reduce

import numpy as np

from multibody.errors import ModelError
from multibody.model.structure import SCREW, SLIDE, TURN
from multibody.state.poses import drawn_pose, quaternion_of, read_pose, write_pose
from multibody.state.system import Floats, System
from multibody.tables.growing import Edge, Link, grown
from multibody.tables.lower import Tables
from multibody.tables.pairs import Pair, Screw, pitch_of


def targets(system: System, q: Floats, t: float) -> dict[int, float]:
    """Return the value that motions, held values and guesses (in this order of rank) give to functions."""
    tables = system.tables
    found: dict[int, float] = {}
    for guess in tables.guesses:
        if guess.function >= 0:
            found[guess.function] = float(system.F[guess.value])
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


def hangers(tables: Tables, known: Container[int]) -> dict[int, Link]:
    """Return the tree along which bodies are hung on each other, where these functions have a value.

    Pairs can carry a body, a free one only where a value is given for it.
    """
    edges = []
    for number, pair in enumerate(tables.pairs.values()):
        given = any(function in known for function in pair.functions)
        if given or len(tables.joint_rows[pair.joint]):
            freedom = -1 if given else len(pair.motion.freedoms)
            edges.append(_Hanger(pair.joint, pair.first, pair.second, number, freedom=freedom))
    return grown(edges, len(tables.bodies), [0])


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
        for pair in self.tables.pairs.values():
            pitch, screw = pitch_of(self.tables, pair), pair.screw
            if screw is not None and screw.position in self.targets and pitch != 0.0:
                self.targets.setdefault(screw.angle, self.targets[screw.position] / pitch)

    def _apply_body_guesses(self) -> None:
        """Move the drawn pose of bodies whose own position, angle or orientation is given."""
        tables, layout = self.tables, self.tables.layout
        for (kind, owner, item, axis), function in tables.coordinates.items():
            if function in self.targets and kind in ("point", "angle") and owner in tables.bodies:
                b = tables.bodies.index(owner)
                if kind == "angle":
                    self.drawn[layout.angle_of(b)] = self.targets[function]
                elif item == "com":
                    self.drawn[layout.first(b) + axis] = self.targets[function]
                else:
                    continue
                self.moved.add(b)
        for guess in tables.guesses:
            if guess.orientation >= 0 and guess.path.split(".")[0] in tables.bodies:
                self.drawn[layout.orientation(guess.body)] = quaternion_of(tables.matrix(guess.orientation))
                self.moved.add(guess.body)
        for held in tables.held_rotations:
            if held.path.split(".")[0] in tables.bodies:
                body = held.second.body
                self.drawn[layout.orientation(body)] = quaternion_of(tables.matrix(held.first.axes))
                self.moved.add(body)

    def run(self) -> Floats:
        """Return the start pose."""
        for link in hangers(self.tables, self.targets).values():
            self._hang(self.tables.pairs[link.joint], forward=not link.reversed)
        self._extras()
        return self.q

    def _value(self, function: int, q: Floats) -> float:
        """Return the given value of a coordinate, else the one that it has at the pose q."""
        return self.targets[function] if function in self.targets else self.system.value(q, function)

    def _motion(self, pair: Pair, q: Floats) -> tuple[Floats, Floats]:
        """Return the relative translation and rotation (joint axes) for the joint's coordinates."""
        shift, turns = np.zeros(self.dimension), list[Floats]()
        for freedom, function in pair.steps:
            if freedom.how == SLIDE:
                shift[freedom.number] = self._value(function, q)
            elif freedom.how in (TURN, SCREW):
                angle = self._value(function, q)
                turns.append(_turn2(angle) if self.dimension == 2 else _turn3(angle, freedom.number))
                if pair.screw is not None:
                    shift[freedom.number] = self._advance(pair, pair.screw, angle, q)
        if pair.motion.ball:
            return shift, self._free_rotation(pair, q)
        return shift, reduce(np.matmul, turns) if turns else np.eye(self.dimension)

    def _advance(self, pair: Pair, screw: Screw, angle: float, q: Floats) -> float:
        """Return how far a screw slides at an angle: as far as its row asks at the pose q, and on from there by its pitch."""
        rest = self.system.phi(q, 0.0)[self.tables.row_of(pair.joint, "advance")]
        position, turned = self.system.value(q, screw.position), self.system.value(q, screw.angle)
        return float(position - rest + pitch_of(self.tables, pair) * (angle - turned))

    def _free_rotation(self, pair: Pair, q: Floats) -> Floats:
        """Return the relative orientation of the joint's frames: guessed, else as at q."""
        first, second = pair.ends
        for held in self.tables.held_rotations:
            if held.path == f"{pair.joint}.rotation":
                return np.asarray(self.tables.matrix(first.axes).T @ self.tables.matrix(held.first.axes))
        for guess in self.tables.guesses:
            if guess.orientation >= 0 and guess.path == f"{pair.joint}.rotation":
                return self.tables.matrix(first.axes).T @ self.tables.matrix(guess.orientation)
        Ai, Aj = read_pose(self.system, q, first.body)[1], read_pose(self.system, q, second.body)[1]
        return (Ai @ self.tables.matrix(first.axes)).T @ Aj @ self.tables.matrix(second.axes)

    def _hang(self, pair: Pair, forward: bool) -> None:
        """Place the one body from the other so that the joint is closed."""
        first, second = pair.ends
        child = second.body if forward else first.body
        pose = self.drawn
        if child in self.moved:  # keep its own orientation: measure against the parent where it is now
            pose = self.q.copy()
            own = self.tables.layout.pose(child)
            pose[own] = self.drawn[own]
        shift, turn = self._motion(pair, pose)
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
        self._count_turns(pair, child, forward)

    def _count_turns(self, pair: Pair, child: int, forward: bool) -> None:
        """Add whole turns to a planar body so that its joint's angle is the given one, not that less a few turns.

        Where no value is given the body stays within half a turn of its drawn angle.
        """
        if pair.angle in self.targets:
            turns = round((self.targets[pair.angle] - self.system.value(self.q, pair.angle)) / (2.0 * math.pi))
            self.q[self.tables.layout.angle_of(child)] += (1.0 if forward else -1.0) * 2.0 * math.pi * turns

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
