"""Joints and springs of planar drawings, as the symbols of mechanism drawings."""

from __future__ import annotations

import numpy as np

from multibody.view import geometry
from multibody.view.flat_pen import Z_BLOCK, Z_GROUND, Z_JOINT, Z_LINK, Z_SUPPORT, FlatNib, FlatPen
from multibody.view.geometry import Floats
from multibody.view.scene import Journey, Link, Mark, Scene, Spring
from multibody.view.strokes import Owner
from multibody.view.style import GROUND, INK, body_color

DOWN = np.array([0.0, -1.0])
SLENDER = 0.12  # half the breadth over the length of a body that slides between guides
DASHED, DOTTED = (3.7, 1.6), (1.2, 2.0)


def slide_of(scene: Scene, mark: Mark) -> tuple[int, int]:
    """Return which body of a slide is the rail and which the block: the ground is a rail, else the longer one."""
    spans = {link.number: link.span for link in scene.links}
    first, second = mark.bodies
    if second == 0 or (first != 0 and spans[second] > spans[first]):
        return second, first
    return first, second


def is_guided(scene: Scene, mark: Mark, size: float) -> bool:
    """Return whether a slide shows as guides of the ground on both sides of a body that is long and slender along the axis."""
    rail, block = slide_of(scene, mark)
    if rail:
        return False
    link, point, along = scene.links[block - 1], mark.points[mark.bodies.index(block)], mark.axes[0][:, 0]
    side = np.array([-along[1], along[0]])
    length, off = float(np.ptp(link.points @ along)), np.abs((link.points - point) @ side)
    low, high = breadth(link, point, side)
    return bool(length > 2.5 * size and off.max() < 0.5 * size and max(-low, high) < max(0.5 * size, SLENDER * length))


def breadth(link: Link, point: Floats, side: Floats) -> tuple[float, float]:
    """Return how far the solids of a body reach from a point to both sides, (0, 0) without any."""
    reaches = [((solid.points - point) @ side, solid.radius) for solid in link.solids]
    low = min((float(r.min()) - radius for r, radius in reaches), default=0.0)
    return min(low, 0.0), max(max((float(r.max()) + radius for r, radius in reaches), default=0.0), 0.0)


def stations(scene: Scene, journey: Journey, name: str) -> Floats:
    """Return how far the second end of a joint lies along the first axis of the first end, at every instant (instants,)."""
    first, second = scene.tables.ends[name]
    tables = scene.tables
    away = journey.place(second.body, tables.vector(second.point)) - journey.place(first.body, tables.vector(first.point))
    along = np.einsum("nij,j->ni", journey.turns(first.body), tables.matrix(first.axes)[:, 0])
    return np.asarray(np.einsum("ni,ni->n", away, along))


class JointPainter:
    """Draws the joints and springs of a scene, the reference pose of a motion.

    Parameters
    ----------
    pen : FlatPen
    scene : Scene
    journey : Journey
        The whole motion; rails and guides cover it.
    shown : set of int
        Bodies that need no block because another symbol shows them.
    hidden : set of int
        Bodies that only a block shows.
    """

    def __init__(self, pen: FlatPen, scene: Scene, journey: Journey, shown: set[int], hidden: set[int]) -> None:
        self.pen, self.scene, self.journey, self.shown, self.hidden = pen, scene, journey, shown, hidden

    def paint(self) -> None:
        """Draw everything."""
        for spring in self.scene.springs:
            self._spring(spring)
        symbols = {
            "revolute": self._revolute, "fixed": self._fixed, "translational": self._translational,
            "distance": self._distance, "point_on_line": self._point_on_line,
        }  # fmt: skip
        for mark in self.scene.marks:
            if mark.kind in symbols:
                symbols[mark.kind](mark)

    def _on(self, body: int, mark: Mark) -> FlatNib:
        """Return a nib for a joint's symbol that moves with a body."""
        return self.pen.on(body, Owner("joint", mark.name), symbol=True)

    def _revolute(self, mark: Mark) -> None:
        """Draw a pin; on the ground with its support."""
        point, u = mark.points[1], self.pen.size
        if mark.grounded:
            nib, left, right = self._on(0, mark), point + u * np.array([-0.75, -1.25]), point + u * np.array([0.75, -1.25])
            nib.area(np.array([point, left, right]), GROUND, Z_SUPPORT, paleness=0.7, width=1.0, ghost=False)
            nib.hatch(left - u * np.array([0.3, 0.0]), right + u * np.array([0.3, 0.0]), DOWN, Z_SUPPORT)
        self._on(mark.bodies[1], mark).circle(point, 0.24 * u, INK, Z_JOINT)

    def _fixed(self, mark: Mark) -> None:
        """Draw a weld: a filled square, on the ground with strokes."""
        point, u = mark.points[1], self.pen.size
        self._on(mark.bodies[1], mark).area(geometry.box_corners(np.full(2, 0.55 * u), point), INK, Z_JOINT, paleness=0.0)
        if mark.grounded:
            left = point + u * np.array([-0.8, -0.28])
            self._on(0, mark).hatch(left, left + u * np.array([1.6, 0.0]), DOWN, Z_SUPPORT)

    def _translational(self, mark: Mark) -> None:
        """Draw a slide: a block on its rail, or guides on both sides of a body that is long along the axis."""
        rail, block = slide_of(self.scene, mark)
        point, along = mark.points[mark.bodies.index(block)], mark.axes[0][:, 0]
        side = _upward(np.array([-along[1], along[0]]))
        if is_guided(self.scene, mark, self.pen.size):
            self._guides(mark, along, side)
            return
        link = self.scene.links[block - 1]
        below = min(breadth(link, point, side)[0], -0.62 * self.pen.size)
        if block not in self.shown and (rail or not below < -0.7 * self.pen.size):  # a larger shape needs no block
            alone = not rail and link.span < self.pen.size
            self._block(mark, block, point, along, side, Z_LINK - 0.1 if alone else Z_BLOCK)
        low, high = self._travel(mark, block)
        if rail:
            self._rail(mark, rail, point, along, (low, high))
        elif block not in self.shown and not any(rack.carrier == block and rack.body == 0 for rack in self.scene.racks):
            margin = max(2.2 * self.pen.size, 0.7 * link.span)
            foot = point + below * side
            self._on(0, mark).hatch(foot + (low - margin) * along, foot + (high + margin) * along, -side)

    def _travel(self, mark: Mark, block: int) -> tuple[float, float]:
        """Return how far the block gets from its reference pose to both sides along the first end's axis."""
        here = float((mark.points[1] - mark.points[0]) @ mark.axes[0][:, 0])
        moved = stations(self.scene, self.journey, mark.name) - here
        low, high = min(float(moved.min()), 0.0), max(float(moved.max()), 0.0)
        return (low, high) if mark.bodies[1] == block else (-high, -low)  # the first end moves against the coordinate

    def _block(self, mark: Mark, block: int, point: Floats, along: Floats, side: Floats, z: float) -> None:
        """Draw a sliding block: the body itself where nothing else shows it."""
        owner = Owner("body", self.scene.tables.bodies[block])
        nib = self.pen.on(block, owner) if block in self.hidden else self._on(block, mark)
        signs = ((-1, -1), (1, -1), (1, 1), (-1, 1))
        corners = [point + self.pen.size * (1.05 * x * along + 0.62 * y * side) for x, y in signs]
        nib.area(np.array(corners), body_color(block), z, alpha=0.9)

    def _guides(self, mark: Mark, along: Floats, side: Floats) -> None:
        """Draw guides of the ground on both sides of a long body, where it passes at every instant."""
        u, (_, block) = self.pen.size, slide_of(self.scene, mark)
        low, high = self._travel(mark, block)
        length = float(np.ptp(self.scene.links[block - 1].points @ along))
        middle = guide_middle(self.scene, mark) + 0.5 * (low + high) * along
        half = max(1.2 * u, 0.5 * (high - low - length) + 1.2 * u)
        under, over = breadth(self.scene.links[block - 1], middle, side)
        for sign, reach in ((-1.0, -under), (1.0, over)):
            foot = middle + sign * max(0.5 * u, reach) * side
            self._on(0, mark).hatch(foot - half * along, foot + half * along, sign * side)

    def _rail(self, mark: Mark, rail: int, point: Floats, along: Floats, travel: tuple[float, float]) -> None:
        """Draw the rail of a moving body from its own points to a little beyond the block's travel."""
        link = self.scene.links[rail - 1]
        foot = mark.points[mark.bodies.index(rail)]
        ends = [solid.points for solid in link.solids]
        places = (np.vstack([foot[None], link.points, *ends]) - point) @ along
        reach = 2.0 * self.pen.size
        low, high = min(float(places.min()), travel[0] - reach), max(float(places.max()), travel[1] + reach)
        nib = self._on(rail, mark)
        nib.line([point + low * along, point + high * along], body_color(rail), Z_LINK - 0.2, 2.0)

    def _distance(self, mark: Mark) -> None:
        """Draw a massless rod."""
        self.pen.stretch("rod", mark.bodies, mark.points, 0.0, INK, Owner("joint", mark.name), level=Z_JOINT - 0.5)
        for body, point in zip(mark.bodies, mark.points, strict=True):
            self._on(body, mark).dot(point, INK, Z_JOINT, 4.0)

    def _point_on_line(self, mark: Mark) -> None:
        """Draw the line of the first body, as far as the point gets, and the point on it."""
        along, margin = mark.axes[0][:, 0], 2.5 * self.pen.size
        here = float((mark.points[1] - mark.points[0]) @ along)
        reach = np.append(stations(self.scene, self.journey, mark.name), [here, 0.0])
        ends = [mark.points[0] + s * along for s in (reach.min() - margin, reach.max() + margin)]
        self._on(mark.bodies[0], mark).line(ends, body_color(mark.bodies[0]), Z_GROUND + 0.3, 1.0, dashes=DASHED)
        self._on(mark.bodies[1], mark).dot(mark.points[1], INK, Z_JOINT, 4.5)

    def _spring(self, spring: Spring) -> None:
        """Draw a spring as a zigzag, as a cylinder where its length is driven, a bushing as a dotted square."""
        owner, (a, b), u = Owner("force", spring.name), spring.points, self.pen.size
        if spring.kind == "bushing":
            corners = geometry.box_corners(np.full(2, 0.9 * u), 0.5 * (a + b))
            self.pen.on(spring.bodies[0], owner).area(corners, GROUND, Z_JOINT - 0.6, dashes=DOTTED)
            return
        kind, half = ("cylinder", 0.42 * u) if spring.driven else ("spring", 0.375 * u)
        rest = self._shortest(spring)
        self.pen.stretch(kind, spring.bodies, (a, b), half, INK, owner, level=Z_JOINT - 0.7, rest=rest)
        for body, point, other in zip(spring.bodies, (a, b), (b, a), strict=True):
            nib = self.pen.on(body, owner)
            if spring.driven:
                nib.circle(point, 0.2 * u, INK, Z_JOINT - 0.6)
            else:
                nib.dot(point, INK, Z_JOINT - 0.6, 3.0)
            away = point - other
            size = float(np.linalg.norm(away))
            if body == 0 and size > 0.0:
                side = np.array([-away[1], away[0]]) / size * 0.7 * u
                nib.hatch(point - side, point + side, away / size)

    def _shortest(self, spring: Spring) -> float:
        """Return the smallest distance of a spring's ends over the motion."""
        ends = [self.pen.local(b, p)[0] for b, p in zip(spring.bodies, spring.points, strict=True)]
        first, second = (self.journey.place(b, p) for b, p in zip(spring.bodies, ends, strict=True))
        return float(np.linalg.norm(second - first, axis=1).min())


def guide_middle(scene: Scene, mark: Mark) -> Floats:
    """Return the middle of a long body that slides between guides, on the line of its slide."""
    _, block = slide_of(scene, mark)
    point, along = mark.points[mark.bodies.index(block)], mark.axes[0][:, 0]
    reach = (scene.links[block - 1].points - point) @ along
    return np.asarray(point + along * 0.5 * (reach.min() + reach.max()))


def _upward(side: Floats) -> Floats:
    """Return the side of a rail that is up, or right for an upright rail."""
    return side if side[1] > 1e-9 or (abs(side[1]) <= 1e-9 and side[0] > 0.0) else -side
