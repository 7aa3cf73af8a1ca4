"""Loops of four bodies: planar four-bars by Grashof's rule, slider-cranks by their offset."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from multibody.state.poses import read_pose
from multibody.state.system import Floats, System

SHOWN = 10
MOST = 100_000  # loops that are looked at
PARALLEL = 1e-9
SLACK = 1e-9  # part of the longest link by which lengths count as equal


def four_cycles(adjacent: dict[int, list[int]]) -> Iterator[tuple[int, int, int, int]]:
    """Yield every cycle of four vertices once (Chiba, Nishizeki 1985): linear where a few vertices have many edges.

    Parameters
    ----------
    adjacent : dict
        Neighbors of each vertex.
    """
    gone: set[int] = set()
    for v in sorted(adjacent, key=lambda v: (-len(adjacent[v]), v)):
        middles: dict[int, list[int]] = {}
        for u in adjacent[v]:
            if u not in gone:
                for w in adjacent[u]:
                    if w != v and w not in gone:
                        middles.setdefault(w, []).append(u)
        for w, between in middles.items():
            for k, a in enumerate(between):
                for b in between[k + 1 :]:
                    yield v, a, w, b
        gone.add(v)


@dataclass(frozen=True)
class Loop:
    """Four bodies in a ring; joint k connects body k with the next one."""

    bodies: tuple[int, ...]
    joints: tuple[str, ...]

    def turned(self, start: int) -> Loop:
        """Return the same ring beginning with another body."""
        return Loop(self.bodies[start:] + self.bodies[:start], self.joints[start:] + self.joints[:start])

    def mirrored(self) -> Loop:
        """Return the same ring the other way round, with the same first body."""
        return Loop(self.bodies[:1] + self.bodies[:0:-1], self.joints[::-1])


class LoopFinder:
    """Finds and judges the four-body loops of a mechanism at a pose."""

    def __init__(self, system: System, q: Floats) -> None:
        self.system, self.tables = system, system.tables
        self.dimension = system.tables.dimension
        self.q = q
        self.joints = system.tables.model.joints
        self.edges: dict[tuple[int, int], str] = {}
        for name, (first, second) in self.tables.ends.items():
            if self.joints[name].kind.name in ("revolute", "translational"):
                self.edges.setdefault((min(first.body, second.body), max(first.body, second.body)), name)

    def describe(self) -> list[str]:
        """Return a sentence for each loop that is a four-bar or a slider-crank, at most ten and a count of the rest."""
        adjacent: dict[int, list[int]] = {}
        for a, b in self.edges:
            adjacent.setdefault(a, []).append(b)
            adjacent.setdefault(b, []).append(a)
        found: list[str] = []
        more = 0
        for k, cycle in enumerate(four_cycles(adjacent)):
            if k == MOST:
                break
            text = self._judge(self._loop(cycle))
            if text and len(found) < SHOWN:
                found.append(text)
            elif text:
                more += 1
        return [*found, f"and {more} more"] if more else found

    def _loop(self, bodies: tuple[int, ...]) -> Loop:
        """Return the ring of these bodies, the ground (or the lowest body) first and the next lower one after it."""
        pairs = [(bodies[k], bodies[(k + 1) % 4]) for k in range(4)]
        loop = Loop(bodies, tuple(self.edges[min(a, b), max(a, b)] for a, b in pairs))
        loop = loop.turned(bodies.index(min(bodies)))
        return loop if loop.bodies[1] < loop.bodies[3] else loop.mirrored()

    def _judge(self, loop: Loop) -> str:
        """Return the sentence of a loop, "" if it is neither a planar four-bar nor a slider-crank."""
        slides = [k for k, name in enumerate(loop.joints) if self.joints[name].kind.name == "translational"]
        if len(slides) > 1 or not self._planar(loop, slides):
            return ""
        return self._slider_crank(loop, slides[0]) if slides else self._four_bar(loop)

    # --- geometry -----------------------------------------------------------------------------------------------------
    def _axis(self, joint: str) -> Floats:
        """Return the axis of a joint in ground."""
        end = self.tables.ends[joint][0]
        slides = self.joints[joint].kind.name == "translational"
        column = 0 if self.dimension == 2 and slides else self.dimension - 1
        return np.asarray(read_pose(self.system, self.q, end.body)[1] @ self.tables.matrix(end.axes)[:, column])

    def _point(self, joint: str, body: int) -> Floats:
        """Return the joint's point on a body, in ground."""
        end = next(end for end in self.tables.ends[joint] if end.body == body)
        r, A = read_pose(self.system, self.q, body)
        return np.asarray(r + A @ self.tables.vector(end.point))

    def _planar(self, loop: Loop, slides: list[int]) -> bool:
        """Return whether all revolute axes are parallel and the slide is perpendicular to them."""
        if self.dimension == 2:
            return True
        axes = [self._axis(name) for k, name in enumerate(loop.joints) if k not in slides]
        parallel = all(float(np.linalg.norm(np.cross(axes[0], axis))) < PARALLEL for axis in axes[1:])
        return parallel and all(abs(float(axes[0] @ self._axis(loop.joints[k]))) < PARALLEL for k in slides)

    def _across(self, gap: Floats, loop: Loop) -> Floats:
        """Return the part of a vector in the plane of the loop, whose first joint turns."""
        if self.dimension == 2:
            return gap
        axis = self._axis(loop.joints[0])
        return np.asarray(gap - (gap @ axis) * axis)

    def _length(self, loop: Loop, k: int) -> float:
        """Return the length of body k between its two joints."""
        a, b = (self._point(loop.joints[j], loop.bodies[k]) for j in (k - 1, k))
        return float(np.linalg.norm(self._across(b - a, loop)))

    def _name(self, body: int) -> str:
        return self.tables.bodies[body]

    # --- sentences ----------------------------------------------------------------------------------------------------
    def _four_bar(self, loop: Loop) -> str:
        """Return the Grashof class of a four-bar."""
        lengths = [self._length(loop, k) for k in range(4)]
        if min(lengths) < 1e-9 * max(lengths) or max(lengths) == 0.0:
            return ""
        links = ", ".join(f"{self._name(b)} {x:.6g}" for b, x in zip(loop.bodies, lengths, strict=True))
        head = f"four-bar {'–'.join(loop.joints)} ({links}): "
        return head + grashof(lengths, [self._name(b) for b in loop.bodies], loop.bodies[0] == 0)

    def _slider_crank(self, loop: Loop, slide: int) -> str:
        """Return whether the crank of a slider-crank turns fully."""
        if loop.bodies[(slide + 1) % 4] == 0:
            loop, slide = loop.mirrored(), 3 - slide
        loop = loop.turned((slide + 1) % 4)  # the slide is now the last joint, from the frame to the slider
        slider, rod, crank, frame = loop.bodies
        l3, l2 = self._length(loop, 1), self._length(loop, 2)
        gap = self._across(self._point(loop.joints[0], slider) - self._point(loop.joints[2], frame), loop)
        direction = self._axis(loop.joints[3])
        offset = float(np.linalg.norm(gap - (gap @ direction) * direction))
        if min(l2, l3) < 1e-9 * max(l2, l3) or max(l2, l3) == 0.0:
            return ""
        offset = 0.0 if offset < 1e-9 * max(l2, l3) else offset
        a, b = self._name(crank), self._name(rod)
        order = "–".join((loop.joints[2], loop.joints[1], loop.joints[0], loop.joints[3]))
        kind = "inverted slider-crank" if 0 in (rod, crank) else "slider-crank"
        head = f"{kind} {order} ({a} {l2:.6g}, {b} {l3:.6g}, offset {offset:.6g}): "
        return head + full_turn(l2, l3, offset, a, b, 0 in (slider, frame))


def grashof(lengths: list[float], names: list[str], grounded: bool) -> str:
    """Return the class of a four-bar in words.

    Parameters
    ----------
    lengths : list of float
        Of the four links in the order of the ring; the first is the frame where `grounded`.
    names : list of str
    grounded : bool
        Whether the first link is the ground.
    """
    order = sorted(range(4), key=lambda k: lengths[k])
    s, p, q, l = (lengths[k] for k in order)
    shortest, longest = order[0], names[order[3]]
    if abs(l - s - p - q) <= SLACK * l:
        return f'rigid, "{longest}" is as long as the three others together: they close in line only'
    if l > s + p + q:
        return f'cannot be assembled, "{longest}" is longer than the three others together by {l - s - p - q:.6g}'
    if abs(s + l - p - q) <= SLACK * (s + l):
        return f"{_limit(lengths)} (s + l = p + q), change points where the links are in line"
    if s + l > p + q:
        return "triple rocker, no link turns fully (s + l > p + q)" if grounded else "not Grashof, no link turns fully"
    if not grounded:
        return f'Grashof, "{names[shortest]}" turns fully relative to the others'
    if shortest == 0:
        return f'double crank (drag link), "{names[1]}" and "{names[3]}" turn fully'
    if shortest == 2:
        return f'double rocker, only the coupler "{names[2]}" turns fully'
    return f'crank-rocker, "{names[shortest]}" turns fully and "{names[4 - shortest]}" rocks'


def _limit(lengths: list[float]) -> str:
    """Return the name of a four-bar at the limit of Grashof's rule."""
    same = [abs(lengths[k] - lengths[(k + 1) % 4]) <= SLACK * max(lengths) for k in range(4)]  # link k and the next one
    if all(same):
        return "rhombus, a parallelogram of equal links"
    if all(abs(lengths[k] - lengths[k + 2]) <= SLACK * max(lengths) for k in range(2)):
        return "parallelogram"
    return "kite" if (same[0] and same[2]) or (same[1] and same[3]) else "limit of Grashof's rule"


def full_turn(l2: float, l3: float, offset: float, crank: str, rod: str, grounded: bool) -> str:
    """Return in words whether the crank (l2) of a slider-crank with rod l3 turns fully: l3 − l2 ≥ |offset|."""
    slack = SLACK * max(l2, l3, offset)
    if abs(l2 + l3 - offset) <= slack:
        return f'rigid, "{crank}" and "{rod}" reach the slide in line only (together {l2 + l3:.6g})'
    if l2 + l3 < offset:
        return f'cannot be assembled, "{crank}" and "{rod}" together are {offset - l2 - l3:.6g} shorter than the offset'
    if abs(l3 - l2) <= slack and offset == 0.0:
        return f'"{crank}" turns fully, with change points (crank and rod are equal)'
    short, long = (crank, rod) if l2 < l3 else (rod, crank)
    if abs(l3 - l2) < offset - slack:
        return f'"{short}" cannot turn fully ({abs(l3 - l2):.6g} < offset {offset:.6g})'
    limit = ", with a change point (the difference of the lengths is the offset)" if abs(abs(l3 - l2) - offset) <= slack else ""
    if grounded and l2 < l3:
        return f'"{crank}" turns fully{limit}'
    return f'"{short}" turns fully relative to "{long}"' + (f', "{crank}" rocks' if grounded else "") + limit
