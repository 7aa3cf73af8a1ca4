"""Joints and springs of planar pictures, as the symbols of mechanism drawings."""

from __future__ import annotations

import numpy as np

from multibody.view import geometry
from multibody.view.flat_pen import Z_BLOCK, Z_GROUND, Z_JOINT, Z_LINK, Z_SUPPORT, FlatPen
from multibody.view.geometry import Floats
from multibody.view.scene import Mark, Scene, Spring
from multibody.view.style import GROUND, INK, body_color

Travel = dict[str, tuple[float, float]]
DOWN = np.array([0.0, -1.0])


def slide_of(scene: Scene, mark: Mark) -> tuple[int, int]:
    """Return which body of a slide is the rail and which the block: the ground is a rail, else the longer one."""
    spans = {link.number: link.span for link in scene.links}
    first, second = mark.bodies
    if second == 0 or (first != 0 and spans[second] > spans[first]):
        return second, first
    return first, second


def is_guided(scene: Scene, mark: Mark, size: float) -> bool:
    """Return whether a slide shows as guides of the ground on both sides of a body that is long along the axis."""
    rail, block = slide_of(scene, mark)
    if rail:
        return False
    point, along = mark.points[mark.bodies.index(block)], mark.axes[0][:, 0]
    offsets = scene.links[block - 1].points - point
    off = np.abs(offsets @ np.array([-along[1], along[0]]))
    return bool(np.ptp(offsets @ along) > 2.5 * size and off.max() < 0.5 * size)


class JointPainter:
    """Draws the joints of a scene.

    Parameters
    ----------
    pen : FlatPen
    scene : Scene
    travel : dict
        Lowest and highest value of slides over a run, by name; rails cover it.
    shown : set of int
        Bodies that need no block because another symbol shows them.
    """

    def __init__(self, pen: FlatPen, scene: Scene, travel: Travel, shown: set[int]) -> None:
        self.pen, self.scene, self.travel, self.shown = pen, scene, travel, shown

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

    def _revolute(self, mark: Mark) -> None:
        """Draw a pin; on the ground with its support."""
        point, u = mark.points[1], self.pen.size
        if mark.grounded and not self.pen.fade:
            left, right = point + u * np.array([-0.75, -1.25]), point + u * np.array([0.75, -1.25])
            self.pen.area(np.array([point, left, right]), GROUND, Z_SUPPORT, paleness=0.7, width=1.0)
            self.pen.hatch(left - u * np.array([0.3, 0.0]), right + u * np.array([0.3, 0.0]), DOWN, Z_SUPPORT)
        self.pen.circle(point, 0.24 * u, INK, Z_JOINT)

    def _fixed(self, mark: Mark) -> None:
        """Draw a weld: a filled square, on the ground with strokes."""
        point, u = mark.points[1], self.pen.size
        self.pen.area(geometry.box_corners(np.full(2, 0.55 * u), point), INK, Z_JOINT, paleness=0.0)
        if mark.grounded:
            left = point + u * np.array([-0.8, -0.28])
            self.pen.hatch(left, left + u * np.array([1.6, 0.0]), DOWN, Z_SUPPORT)

    def _translational(self, mark: Mark) -> None:
        """Draw a slide: a block on its rail, or guides on both sides of a body that is long along the axis."""
        rail, block = slide_of(self.scene, mark)
        point, along = mark.points[mark.bodies.index(block)], mark.axes[0][:, 0]
        side = _upward(np.array([-along[1], along[0]]))
        if is_guided(self.scene, mark, self.pen.size):
            self._guides(guide_middle(self.scene, mark), along, side)
            return
        if block not in self.shown:
            alone = not rail and self.scene.links[block - 1].span < self.pen.size
            self._block(point, along, side, body_color(block), Z_LINK - 0.1 if alone else Z_BLOCK)
        if rail:
            self._rail(mark, point, along, rail)
        elif block not in self.shown:
            low, high = self._range(mark, along)
            foot = point - 0.62 * self.pen.size * side
            self.pen.hatch(foot + low * along, foot + high * along, -side)

    def _range(self, mark: Mark, along: Floats) -> tuple[float, float]:
        """Return how far a rail reaches from the block to both sides."""
        block = mark.bodies[1] or mark.bodies[0]
        margin = max(2.2 * self.pen.size, 0.7 * self.scene.links[block - 1].span)
        position = float((mark.points[1] - mark.points[0]) @ along)
        low, high = self.travel.get(mark.name, (position, position))
        if mark.bodies[1] == 0:  # the block is the first end: it moves against the coordinate
            low, high = 2.0 * position - high, 2.0 * position - low
        return min(low - position, 0.0) - margin, max(high - position, 0.0) + margin

    def _block(self, point: Floats, along: Floats, side: Floats, color: str, z: float) -> None:
        """Draw a sliding block."""
        signs = ((-1, -1), (1, -1), (1, 1), (-1, 1))
        corners = [point + self.pen.size * (1.05 * x * along + 0.62 * y * side) for x, y in signs]
        self.pen.area(np.array(corners), color, z, alpha=0.9)

    def _guides(self, middle: Floats, along: Floats, side: Floats) -> None:
        """Draw guides of the ground on both sides of a long body."""
        u = self.pen.size
        for sign in (-1.0, 1.0):
            foot = middle + sign * 0.5 * u * side
            self.pen.hatch(foot - 1.2 * u * along, foot + 1.2 * u * along, sign * side)

    def _rail(self, mark: Mark, point: Floats, along: Floats, rail: int) -> None:
        """Draw the rail of a moving body from its own points to a little beyond the block."""
        link = self.scene.links[rail - 1]
        foot = mark.points[mark.bodies.index(rail)]
        ends = [solid.points for solid in link.solids]
        stations = (np.vstack([foot[None], link.points, *ends]) - point) @ along
        reach = 2.0 * self.pen.size
        low, high = min(float(stations.min()), -reach), max(float(stations.max()), reach)
        self.pen.line([point + low * along, point + high * along], body_color(rail), Z_LINK - 0.2, 2.0)

    def _distance(self, mark: Mark) -> None:
        """Draw a massless rod."""
        self.pen.line(mark.points, INK, Z_JOINT - 0.5, 1.0)
        for point in mark.points:
            self.pen.dot(point, INK, Z_JOINT, 4.0)

    def _point_on_line(self, mark: Mark) -> None:
        """Draw the line of the first body and the point on it."""
        along, margin = mark.axes[0][:, 0], 2.5 * self.pen.size
        reach = float((mark.points[1] - mark.points[0]) @ along)
        ends = [mark.points[0] + s * along for s in (min(0.0, reach) - margin, max(0.0, reach) + margin)]
        self.pen.line(ends, body_color(mark.bodies[0]), Z_GROUND + 0.3, 1.0, linestyle="--")
        self.pen.dot(mark.points[1], INK, Z_JOINT, 4.5)

    def _spring(self, spring: Spring) -> None:
        """Draw a spring as a zigzag, a bushing as a dotted square."""
        a, b = spring.points
        u = self.pen.size
        if spring.kind == "bushing":
            corners = geometry.box_corners(np.full(2, 0.9 * u), 0.5 * (a + b))
            self.pen.area(corners, GROUND, Z_JOINT - 0.6, linestyle=":")
            return
        self.pen.line(geometry.zigzag(a, b, 0.75 * u), INK, Z_JOINT - 0.7, 1.0)
        for point, other, grounded in ((a, b, spring.grounded[0]), (b, a, spring.grounded[1])):
            self.pen.dot(point, INK, Z_JOINT - 0.6, 3.0)
            away = point - other
            size = float(np.linalg.norm(away))
            if grounded and size > 0.0:
                side = np.array([-away[1], away[0]]) / size * 0.7 * u
                self.pen.hatch(point - side, point + side, away / size)


def guide_middle(scene: Scene, mark: Mark) -> Floats:
    """Return the middle of a long body that slides between guides, on the line of its slide."""
    _, block = slide_of(scene, mark)
    point, along = mark.points[mark.bodies.index(block)], mark.axes[0][:, 0]
    reach = (scene.links[block - 1].points - point) @ along
    return np.asarray(point + along * 0.5 * (reach.min() + reach.max()))


def _upward(side: Floats) -> Floats:
    """Return the side of a rail that is up, or right for an upright rail."""
    return side if side[1] > 1e-9 or (abs(side[1]) <= 1e-9 and side[0] > 0.0) else -side
