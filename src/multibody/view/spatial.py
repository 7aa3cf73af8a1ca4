"""A spatial mechanism at one pose: links as tubes, joints as small shaded solids about their axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from multibody.view import geometry
from multibody.view.deep_pen import DeepPen
from multibody.view.geometry import Floats
from multibody.view.scene import Link, Mark, Scene, Solid, Spring
from multibody.view.style import ACCENT, GROUND, INK, body_color
from multibody.view.wheels import Cam, Rack, Wheel

STEEL = "#8f99a6"
MANY = 60  # more bodies than this are drawn as plain lines


def paint_spatial(ax: Any, scene: Scene, size: float, fade: float) -> None:
    """Draw one scene.

    Parameters
    ----------
    ax : Axes3D
    scene : Scene
    size : float
        Of the joint symbols [length].
    fade : float
        0 for the pose itself; towards 1 for an earlier one, which is paler and has no joints.
    """
    pen = DeepPen(ax, size, fade)
    for link in scene.links:
        _link(pen, link, plain=len(scene.links) > MANY)
    for wheel in scene.wheels:
        _wheel(pen, wheel)
    for rack in scene.racks:
        _rack(pen, rack)
    for cam in scene.cams:
        _cam(pen, cam)
    for spring in scene.springs:
        _spring(pen, spring)
    if not fade:
        JointPainter(pen, scene).paint()
    pen.flush()


# --- bodies and springs ---------------------------------------------------------------------------------------------
def _link(pen: DeepPen, link: Link, plain: bool) -> None:
    """Draw a body: its solids, else bars between its joints."""
    color, points = body_color(link.number), link.points
    if link.solids:
        for solid in link.solids:
            _solid(pen, solid, color)
        for pair in link.strays(0.6 * pen.size):
            pen.line(pair, color, 2.0)
        return
    if len(points) == 1:
        pen.ball(points[0], 0.4 * pen.size, color)
    if len(points) == 3:
        pen.faces([points], color, alpha=0.18)
    for i, j in geometry.tree_edges(points) if len(points) < 60 else []:
        if plain:
            pen.line([points[i], points[j]], color, 1.4)
        else:
            pen.tube(points[i], points[j], 0.2 * pen.size, color, sides=12)


def _solid(pen: DeepPen, solid: Solid, color: str) -> None:
    """Draw a shape."""
    if solid.kind in ("rod", "cylinder"):
        pen.tube(solid.points[0], solid.points[1], solid.radius or 0.2 * pen.size, color)
    elif solid.kind == "box":
        pen.box(solid.points, color, alpha=0.85, edge=color)
    elif solid.kind == "disk":
        half = 0.5 * (solid.thickness or 0.15 * pen.size) * solid.axis / np.linalg.norm(solid.axis)
        pen.tube(solid.points[0] - half, solid.points[0] + half, solid.radius, color, sides=36, alpha=0.8)
    else:
        pen.ball(solid.points[0], solid.radius, color)


def _wheel(pen: DeepPen, wheel: Wheel) -> None:
    """Draw a gear wheel as a disk with its pitch circle."""
    color, half = body_color(wheel.body), 0.25 * pen.size * wheel.axis
    if not wheel.internal:
        pen.tube(wheel.center - half, wheel.center + half, wheel.radius, color, sides=36, alpha=0.5)
    pen.closed(geometry.ring(wheel.center, wheel.radius, wheel.axis, 72), color, 1.4)
    for contact in wheel.contacts:
        pen.dot(contact, ACCENT, 3.5)


def _rack(pen: DeepPen, rack: Rack) -> None:
    """Draw a rack's pitch line and its pinion."""
    pen.line([rack.start, rack.end], body_color(rack.body), 3.0)
    pen.closed(geometry.ring(rack.center, abs(rack.radius), rack.axis, 72), body_color(rack.pinion), 1.6)
    pen.dot(rack.contact, ACCENT, 3.5)


def _cam(pen: DeepPen, cam: Cam) -> None:
    """Draw a cam's profile and its follower."""
    color = body_color(cam.follower)
    pen.faces([cam.profile[:-1]], body_color(cam.cam), alpha=0.5, edge=body_color(cam.cam))
    if cam.roller:
        pen.closed(geometry.ring(cam.tip, cam.roller, cam.axis, 48), color, 1.6)
    elif len(cam.face):
        pen.line(cam.face, color, 3.0)
    pen.dot(cam.contact, ACCENT, 3.5)


def _spring(pen: DeepPen, spring: Spring) -> None:
    """Draw a spring as a coil, a bushing as a dot."""
    a, b = spring.points
    if spring.kind == "bushing" or float(np.linalg.norm(b - a)) == 0.0:
        pen.dot(0.5 * (a + b), GROUND, 7.0)
        return
    lead = 0.12 * (b - a)
    coil = geometry.helix(a + lead, b - lead, 0.35 * pen.size, 8.0)
    pen.line(np.vstack([a, coil, b]), INK, 0.9)
    for point in (a, b):
        pen.dot(point, INK, 3.0)


# --- joints ---------------------------------------------------------------------------------------------------------
class JointPainter:
    """Draws the joints of a scene, each thick enough to show on the rods that it joins."""

    def __init__(self, pen: DeepPen, scene: Scene) -> None:
        self.pen, self.scene = pen, scene
        self.size = pen.size

    def paint(self) -> None:
        """Draw the symbols of all joints."""
        symbols = {
            "revolute": self._revolute, "cylindrical": self._cylindrical, "screw": self._screw,
            "universal": self._universal, "spherical": self._spherical, "translational": self._translational,
            "fixed": self._fixed, "planar": self._plane, "point_on_plane": self._plane, "distance": self._distance,
            "point_on_line": self._point_on_line,
        }  # fmt: skip
        for mark in self.scene.marks:
            if mark.kind in symbols:
                thickest = max((self.scene.links[b - 1].thickness for b in mark.bodies if b), default=0.0)
                self.size = max(self.pen.size, 2.8 * thickest)
                symbols[mark.kind](mark)

    def _sleeve(self, point: Floats, axis: Floats, length: float, radius: float, grounded: bool) -> None:
        """Draw a bushing about an axis, with a plate under it on the ground."""
        u = self.size
        half, line = 0.5 * length * u * axis, (0.5 * length + 0.8) * u * axis
        self.pen.tube(point - half, point + half, radius * u, GROUND if grounded else STEEL, near=u, sides=18)
        if grounded:
            self._plate(point - half, axis)
        self.pen.line([point - line, point + line], INK, 0.7, near=-u, linestyle=(0, (8, 2, 2, 2)))

    def _plate(self, center: Floats, normal: Floats, edge: float = 2.4) -> None:
        """Draw a plate across a direction."""
        f, g = geometry.across(normal)
        half = 0.5 * edge * self.size
        corners = np.array([center + half * (x * f + y * g) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
        self.pen.faces([corners], GROUND, alpha=0.35, edge=GROUND, near=-self.size)

    def _revolute(self, mark: Mark) -> None:
        """Draw a hinge."""
        self._sleeve(mark.points[1], mark.axes[1][:, 2], 1.1, 0.42, mark.grounded)

    def _cylindrical(self, mark: Mark) -> None:
        """Draw a long sleeve on the line that it slides along."""
        axis = mark.axes[0][:, 2]
        self.pen.line([mark.points[0] - self.size * axis, mark.points[1] + self.size * axis], INK, 1.4)
        self._sleeve(mark.points[1], axis, 2.2, 0.42, mark.grounded)

    def _screw(self, mark: Mark) -> None:
        """Draw a nut and the thread that runs through it."""
        axis, u = mark.axes[0][:, 2], self.size
        middle = mark.points[0] if mark.grounded else mark.points[1]
        self._sleeve(middle, axis, 0.9, 0.55, mark.grounded)
        ends = (middle - 2.4 * u * axis, middle + 2.4 * u * axis)
        self.pen.line(geometry.helix(*ends, 0.38 * u, 9.0, 240), INK, 0.9, near=0.5 * u)

    def _universal(self, mark: Mark) -> None:
        """Draw the cross: the first axis on the first body, the second on the second."""
        u = self.size
        for axis in (mark.axes[0][:, 2], mark.axes[1][:, 0]):
            start, end = mark.points[1] - 0.95 * u * axis, mark.points[1] + 0.95 * u * axis
            self.pen.tube(start, end, 0.17 * u, INK, near=1.5 * u, sides=12)
            for tip in (start, end):
                self.pen.ball(tip, 0.24 * u, STEEL, near=1.6 * u)

    def _spherical(self, mark: Mark) -> None:
        """Draw a ball."""
        self.pen.ball(mark.points[1], 0.46 * self.size, GROUND if mark.grounded else STEEL, near=1.5 * self.size)
        if mark.grounded:
            up = np.array([0.0, 0.0, 1.0])
            self._plate(mark.points[1] - 0.5 * self.size * up, up)

    def _box(self, center: Floats, axes: Floats, edges: tuple[float, float, float], color: str, near: float) -> None:
        """Draw a box with given axes (columns) and edges [symbol sizes]."""
        corners = geometry.box_corners(np.array(edges) * self.size, np.zeros(3)) @ axes.T + center
        self.pen.box(corners, color, near=near, edge=INK)

    def _translational(self, mark: Mark) -> None:
        """Draw a box on its rail."""
        u, axis = self.size, mark.axes[0][:, 2]
        moving = 0 if mark.bodies[1] == 0 else 1
        point, foot = mark.points[moving], mark.points[1 - moving]
        reach = float((foot - point) @ axis)
        low, high = max(min(reach, 0.0), -6.0 * u) - 2.5 * u, min(max(reach, 0.0), 6.0 * u) + 2.5 * u
        self.pen.line([point + low * axis, point + high * axis], body_color(mark.bodies[1 - moving]), 2.2)
        self._box(point, mark.axes[moving], (1.1, 1.1, 1.9), body_color(mark.bodies[moving]), near=u)

    def _fixed(self, mark: Mark) -> None:
        """Draw a weld."""
        self._box(mark.points[1], mark.axes[1], (0.7, 0.7, 0.7), INK, near=1.5 * self.size)

    def _plane(self, mark: Mark) -> None:
        """Draw the plane of the first body under the point of the second."""
        self._plate(mark.points[1], mark.axes[0][:, 2], 4.0)
        self.pen.dot(mark.points[1], INK, 4.5)

    def _distance(self, mark: Mark) -> None:
        """Draw a massless rod."""
        self.pen.line(mark.points, INK, 1.0)
        for point in mark.points:
            self.pen.dot(point, INK, 4.0)

    def _point_on_line(self, mark: Mark) -> None:
        """Draw the line of the first body and the point on it."""
        axis, margin = mark.axes[0][:, 2], 2.5 * self.size
        reach = float((mark.points[1] - mark.points[0]) @ axis)
        ends = [mark.points[0] + s * axis for s in (min(0.0, reach) - margin, max(0.0, reach) + margin)]
        self.pen.line(ends, body_color(mark.bodies[0]), 1.0, linestyle="--")
        self.pen.dot(mark.points[1], INK, 4.5)
