"""Joints of a spatial mechanism as strokes: small solids about their axes, quiet where bodies have shapes of their own."""

from __future__ import annotations

import numpy as np

from multibody.view import geometry
from multibody.view.cover import extent_along, is_along, place_on, solids_at
from multibody.view.deep_pen import Brush, DeepPen
from multibody.view.geometry import Floats
from multibody.view.scene import Journey, Mark, Scene
from multibody.view.strokes import Owner
from multibody.view.style import GROUND, INK, body_color

STEEL = "#8f99a6"
CENTER_LINE = (8.0, 2.0, 2.0, 2.0)
"""Dashes of the line along an axis [points]."""
RAILS = 6.0  # a slide is joined to the foot of its rail where that is no farther than this [symbol sizes]


class JointMaker:
    """Makes the symbols of all joints.

    A symbol is thick enough to show on the rods that it joins. Where every moving body of a joint has a shape of its own at
    the joint (other than a rod), the shapes win: the axis alone is drawn.

    Parameters
    ----------
    pen : DeepPen
    scene : Scene
        The mechanism at the reference pose.
    journey : Journey
        The whole motion, which rails and threads cover.
    up : array (3,)
        Against gravity.
    """

    def __init__(self, pen: DeepPen, scene: Scene, journey: Journey, up: Floats) -> None:
        self.pen, self.scene, self.journey, self.up = pen, scene, journey, up
        self.size, self.quiet = pen.size, False

    def make(self) -> None:
        """Draw the symbols of all joints."""
        symbols = {
            "revolute": self._revolute, "cylindrical": self._cylindrical, "screw": self._screw,
            "universal": self._universal, "spherical": self._spherical, "translational": self._translational,
            "fixed": self._fixed, "planar": self._plane, "point_on_plane": self._plane, "distance": self._distance,
            "point_on_line": self._point_on_line,
        }  # fmt: skip
        for mark in self.scene.marks:
            if mark.kind in symbols:
                self._weigh(mark)
                symbols[mark.kind](mark)

    def _weigh(self, mark: Mark) -> None:
        """Set how large the next symbol is, and whether it is quiet."""
        links = [self.scene.links[b - 1] for b in mark.bodies if b]
        found = [solids_at(link, place_on(link, mark), 0.4 * self.pen.size) for link in links]
        self.quiet = all(found) and any(solid.kind != "rod" for solids in found for solid in solids)
        rods = [solid.radius for solids in found for solid in solids if solid.kind == "rod"]
        self.size = min(max([self.pen.size, *(2.8 * radius for radius in rods)]), 3.0 * self.pen.size)

    def _on(self, mark: Mark, side: int) -> Brush:
        """Return the brush of the symbol's part that moves with one of the two bodies."""
        return self.pen.on(mark.bodies[side], Owner("joint", mark.name), symbol=True)

    def _still(self, mark: Mark) -> int:
        """Return the side that is on the ground, else the second."""
        return 0 if mark.bodies[0] == 0 else 1

    def _along(self, mark: Mark, side: int) -> tuple[float, float]:
        """Return the range of the other point over the motion along the axis, from the place it has at the reference pose.

        The axis is that of the `side` and fixed in its body.
        """
        other = 1 - side
        start = self.pen.local(mark.bodies[side], mark.points[side])[0]
        away = self._seen(mark, side) - start
        stations = away @ (self.pen.poses.A[mark.bodies[side]].T @ mark.axes[side][:, 2])
        now = float((mark.points[other] - mark.points[side]) @ mark.axes[side][:, 2])
        return float(np.nanmin(stations)) - now, float(np.nanmax(stations)) - now

    def _seen(self, mark: Mark, side: int) -> Floats:
        """Return the other point over the motion in the axes of the body of a side (instants, 3)."""
        body, other = mark.bodies[side], mark.bodies[1 - side]
        path = self.journey.place(other, self.pen.local(other, mark.points[1 - side])[0])
        turns, origin = self.journey.turns(body), self.journey.place(body, np.zeros(3))
        return np.asarray(np.einsum("nij,ni->nj", turns, path - origin))

    # --- pieces -----------------------------------------------------------------------------------------------------
    def _sleeve(self, brush: Brush, point: Floats, axis: Floats, length: float, radius: float) -> None:
        """Draw a bushing about an axis, with a plate under it on the ground."""
        u, grounded = self.size, brush.body == 0
        half = 0.5 * length * u * axis
        brush.tube(point - half, point + half, radius * u, GROUND if grounded else STEEL, level=1.0)
        if grounded:
            self._plate(brush, point - half, axis)
        self._center_line(brush, point, axis, 0.5 * length + 0.8)

    def _center_line(self, brush: Brush, point: Floats, axis: Floats, reach: float) -> None:
        """Draw an axis on both sides of a point [symbol sizes]."""
        line = reach * self.size * axis
        brush.line([point - line, point + line], INK, 0.7, level=-1.0, dashes=CENTER_LINE)

    def _plate(self, brush: Brush, center: Floats, normal: Floats, edges: tuple[float, float] = (2.4, 2.4)) -> None:
        """Draw a plate across a direction; its edges are in symbol sizes."""
        f, g = geometry.across(normal)
        half = 0.5 * self.size * np.array(edges)
        corners = np.array([center + x * half[0] * f + y * half[1] * g for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
        brush.faces(corners, GROUND, alpha=0.35, width=0.6, level=-1.0)

    def _journal(self, mark: Mark, brush: Brush, axis: Floats) -> None:
        """Draw the axis through shapes; on the ground a ring about the shaft that turns in it too, else a small sleeve."""
        reach, shafts = 1.0, []
        for body, point in zip(mark.bodies, mark.points, strict=True):
            for solid in solids_at(self.scene.links[body - 1], point, 0.4 * self.pen.size) if body else ():
                reach = max(reach, extent_along(solid, point, axis) / self.size)
                if solid.kind in ("rod", "cylinder") and is_along(solid.points[1] - solid.points[0], axis):
                    shafts.append(solid.radius)
        if brush.body == 0 and shafts and max(shafts) < 1.5 * self.size:
            self._sleeve(brush, mark.points[1], axis, 0.6, 1.15 * max(shafts) / self.size + 0.05)
        elif brush.body == 0 and reach < 2.0:
            self._sleeve(brush, mark.points[1], axis, 1.1, 0.42)
        else:
            if brush.body == 0:
                self._plate(brush, mark.points[1], axis)
            self._center_line(brush, mark.points[1], axis, min(reach, 2.0) + 0.8)

    # --- joints -----------------------------------------------------------------------------------------------------
    def _revolute(self, mark: Mark) -> None:
        """Draw a hinge."""
        side = self._still(mark)
        brush, axis = self._on(mark, side), mark.axes[side][:, 2]
        if self.quiet:
            self._journal(mark, brush, axis)
        else:
            self._sleeve(brush, mark.points[1], axis, 1.1, 0.42)

    def _cylindrical(self, mark: Mark) -> None:
        """Draw a long sleeve on the line that it slides along."""
        axis = mark.axes[0][:, 2]
        if self.quiet:
            self._journal(mark, self._on(mark, 0), axis)
            return
        low, high = self._along(mark, 0)
        rail, ends = self._on(mark, 0), (low - 2.0 * self.size, high + 2.0 * self.size)
        rail.tube(mark.points[1] + ends[0] * axis, mark.points[1] + ends[1] * axis, 0.12 * self.size, body_color(rail.body))
        if rail.body == 0:
            self._plate(rail, mark.points[1] + ends[0] * axis, axis)
        self._sleeve(self._on(mark, 1), mark.points[1], axis, 2.2, 0.42)

    def _screw(self, mark: Mark) -> None:
        """Draw a nut and the thread that runs through it, long enough for the whole motion."""
        nut, u = self._still(mark), self.size
        screw, axis = 1 - nut, mark.axes[0][:, 2]
        self._sleeve(self._on(mark, nut), mark.points[nut], axis, 0.9, 0.55)
        low, high = self._along(mark, screw)  # where the nut is, seen from the screw
        link = self.scene.links[mark.bodies[screw] - 1] if mark.bodies[screw] else None
        shafts = [s.radius for s in solids_at(link, mark.points[screw], 0.4 * u) if s.kind != "box"] if link else []
        ends = [mark.points[nut] + s * axis for s in (low - 2.0 * u, high + 2.0 * u)]
        turns = min(float(np.linalg.norm(ends[1] - ends[0])) / (0.5 * u), 40.0)
        thread = geometry.helix(ends[0], ends[1], max([0.38 * u, *(1.02 * r for r in shafts)]), turns, int(24 * turns) + 1)
        self._on(mark, screw).line(thread, INK, 0.9, level=0.5)

    def _universal(self, mark: Mark) -> None:
        """Draw the cross: the first axis on the first body, the second on the second."""
        u = self.size
        for side, axis in enumerate((mark.axes[0][:, 2], mark.axes[1][:, 0])):
            brush = self._on(mark, side)
            start, end = mark.points[1] - 0.95 * u * axis, mark.points[1] + 0.95 * u * axis
            brush.tube(start, end, 0.17 * u, INK, level=1.5)
            for tip in (start, end):
                brush.ball(tip, 0.24 * u, STEEL, level=1.6)

    def _spherical(self, mark: Mark) -> None:
        """Draw a ball."""
        brush = self._on(mark, self._still(mark))
        if self.quiet:
            brush.dot(mark.points[1], INK, 2.5)
            return
        brush.ball(mark.points[1], 0.46 * self.size, GROUND if mark.grounded else STEEL, level=1.5)
        if mark.grounded:
            self._plate(brush, mark.points[1] - 0.5 * self.size * self.up, self.up)

    def _translational(self, mark: Mark) -> None:
        """Draw a box on its rail, which covers the whole motion."""
        u, axis = self.size, mark.axes[0][:, 2]
        moving = 0 if mark.bodies[1] == 0 else 1
        point, rail = mark.points[moving], self._on(mark, 1 - moving)
        low, high = self._along(mark, 1 - moving)
        if self.quiet:
            point = place_on(self.scene.links[mark.bodies[moving] - 1], mark)
            rail.line([point + (low - 2.0 * u) * axis, point + (high + 2.0 * u) * axis], INK, 0.7, dashes=CENTER_LINE)
            return
        foot = float((mark.points[1 - moving] - point) @ axis)
        if low - RAILS * u < foot < high + RAILS * u:
            low, high = min(low, foot), max(high, foot)
        low, high = low - 2.0 * u, high + 2.0 * u
        rail.tube(point + low * axis, point + high * axis, 0.13 * u, body_color(rail.body))
        self._on(mark, moving).block(
            point, mark.axes[moving], (1.1 * u, 1.1 * u, 1.9 * u), body_color(mark.bodies[moving]), level=1.0
        )

    def _fixed(self, mark: Mark) -> None:
        """Draw a weld."""
        if not self.quiet:
            self._on(mark, 1).block(mark.points[1], mark.axes[1], (0.7 * self.size,) * 3, INK, level=1.5)

    def _plane(self, mark: Mark) -> None:
        """Draw the plane of the first body under the path of the point of the second."""
        f, g = geometry.across(mark.axes[0][:, 2])
        turn = self.pen.poses.A[mark.bodies[0]]
        now = self.pen.local(mark.bodies[0], mark.points[1])[0]
        path = (self._seen(mark, 0) - now) @ (turn.T @ np.column_stack([f, g]))
        low, high = np.nanmin(path, axis=0), np.nanmax(path, axis=0)
        center = mark.points[1] + 0.5 * (low + high) @ np.array([f, g])
        edges = (high - low) / self.size + 4.0
        self._plate(self._on(mark, 0), center, mark.axes[0][:, 2], (float(edges[0]), float(edges[1])))
        self._on(mark, 1).dot(mark.points[1], INK, 4.5)

    def _distance(self, mark: Mark) -> None:
        """Draw a massless rod."""
        owner = Owner("joint", mark.name)
        self.pen.stretch("rod", mark.bodies, mark.points, 0.1 * self.pen.size, INK, owner, width=1.0)
        for side in (0, 1):
            self.pen.on(mark.bodies[side], owner).ball(mark.points[side], 0.2 * self.pen.size, INK)

    def _point_on_line(self, mark: Mark) -> None:
        """Draw the line of the first body and the point on it."""
        axis, margin = mark.axes[0][:, 2], 2.5 * self.size
        low, high = self._along(mark, 0)
        ends = [mark.points[1] + s * axis for s in (low - margin, high + margin)]
        self._on(mark, 0).line(ends, body_color(mark.bodies[0]), 1.0, dashes=(4.0, 2.0))
        self._on(mark, 1).dot(mark.points[1], INK, 4.5)
