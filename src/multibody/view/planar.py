"""Planar mechanisms on matplotlib axes: links as rounded bars and plates, joints as the symbols of mechanism drawings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.view import geometry
from multibody.view.geometry import Floats
from multibody.view.scene import Link, Mark, Scene, Solid, Spring
from multibody.view.style import ACCENT, GROUND, INK, body_color, lighter
from multibody.view.wheels import Cam, Rack, Wheel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# What lies above what.
Z_GROUND, Z_WHEEL, Z_LINK, Z_BLOCK, Z_JOINT = 1.0, 2.0, 3.0, 4.0, 5.0


class PlanarPainter:
    """Draws one scene.

    Parameters
    ----------
    ax : Axes
    scene : Scene
    size : float
        Of the joint symbols [length].
    fade : float
        0 for the pose itself; towards 1 for an earlier one, which is paler and has no supports.
    travel : dict
        Lowest and highest value of translational joints over a run, by name; rails cover it.
    """

    def __init__(
        self,
        ax: Axes,
        scene: Scene,
        size: float,
        fade: float = 0.0,
        travel: dict[str, tuple[float, float]] | None = None,
    ) -> None:
        self.ax, self.scene, self.size, self.fade = ax, scene, size, fade
        self.travel = travel or {}
        self.shift = -0.5 * fade  # earlier poses lie below
        self.blocks = {self._slide(mark)[1] for mark in scene.marks if mark.kind == "translational"}

    def paint(self) -> None:
        """Draw everything."""
        for wheel in self.scene.wheels:
            self._wheel(wheel)
        for rack in self.scene.racks:
            self._rack(rack)
        for cam in self.scene.cams:
            self._cam(cam)
        for link in self.scene.links:
            self._link(link)
        for spring in self.scene.springs:
            self._spring(spring)
        symbols = {
            "revolute": self._revolute, "fixed": self._fixed, "translational": self._translational,
            "distance": self._distance, "point_on_line": self._point_on_line,
        }  # fmt: skip
        for mark in self.scene.marks:
            if mark.kind in symbols:
                symbols[mark.kind](mark)

    # --- pens -----------------------------------------------------------------------------------------------------
    def _color(self, color: str) -> Any:
        """Return a color as it is at this pose."""
        return lighter(color, 0.8 * self.fade)

    def _area(
        self, outline: Floats, color: str, z: float, *, paleness: float = 0.55, width: float = 1.2, **options: Any
    ) -> None:
        """Add a filled outline."""
        from matplotlib.patches import Polygon

        face = lighter(color, paleness + (1.0 - paleness) * 0.8 * self.fade)
        patch = Polygon(
            outline, closed=True, facecolor=face, edgecolor=self._color(color), linewidth=width, zorder=z + self.shift
        )
        patch.set(joinstyle="round", **options)
        self.ax.add_patch(patch)

    def _line(
        self, points: Sequence[Floats] | Floats, color: str, z: float, width: float = 1.2, **options: Any
    ) -> None:
        """Add a line."""
        x, y = np.asarray(points).T
        self.ax.plot(
            x,
            y,
            color=self._color(color),
            linewidth=width,
            zorder=z + self.shift,
            scalex=False,
            scaley=False,
            **options,
        )

    def _hatch(self, a: Floats, b: Floats, side: Floats, spacing: float = 0.32) -> None:
        """Add the line of a support from a to b with strokes on the side that is solid."""
        along = b - a
        length = float(np.linalg.norm(along))
        self._line([a, b], GROUND, Z_GROUND, 1.1)
        count = min(max(2, int(length / (spacing * self.size))), 200)
        starts = a + along * np.linspace(0.0, 1.0, count)[:, None]
        ends = starts + side * 0.38 * self.size - along / max(length, 1e-300) * 0.3 * self.size
        gap = np.full_like(starts, np.nan)
        strokes = np.stack([starts, ends, gap], axis=1).reshape(-1, 2)
        self._line(strokes, GROUND, Z_GROUND, 0.7, solid_capstyle="butt")

    # --- bodies ---------------------------------------------------------------------------------------------------
    def _link(self, link: Link) -> None:
        """Draw a body: its solids and the bars between its joints."""
        color, z = body_color(link.number), Z_LINK + 0.5 * link.number / (len(self.scene.links) + 1)
        if link.solids:
            for solid in link.solids:
                self._solid(solid, color, z)
            anchors = np.vstack([link.points, link.center[None]])
            for i, j in geometry.tree_edges(anchors) if len(anchors) < 60 else []:
                self._line([anchors[i], anchors[j]], color, z - 0.01, 1.2)
            return
        if link.span < 1e-3 * self.size and (link.number in self.blocks or self._is_round(link.number)):
            return  # the block of its slide, its wheel or its cam shows it
        self._area(geometry.rounded(link.points, 0.36 * self.size), color, z)

    def _is_round(self, number: int) -> bool:
        """Return whether a body shows as a wheel, a pinion or a cam."""
        numbers = (
            {w.body for w in self.scene.wheels}
            | {c.cam for c in self.scene.cams}
            | {r.pinion for r in self.scene.racks}
        )
        return number in numbers

    def _solid(self, solid: Solid, color: str, z: float) -> None:
        """Draw a shape."""
        if solid.kind in ("rod", "cylinder"):
            self._area(geometry.rounded(solid.points, max(solid.radius, 0.36 * self.size)), color, z)
        elif solid.kind == "box":
            self._area(solid.points, color, z)
        else:
            self._area(geometry.circle(solid.points[0], solid.radius), color, z)

    def _wheel(self, wheel: Wheel) -> None:
        """Draw a gear wheel: teeth, pitch circle, a spoke that shows its turn, and the mark of the mesh."""
        color = body_color(wheel.body)
        depth = 0.0
        if wheel.teeth:
            depth = 2.0 * 2.0 * wheel.radius / wheel.teeth * 0.85
            outline = geometry.teeth(wheel.center, wheel.radius, wheel.teeth, depth, wheel.angle, wheel.internal)
        else:
            outline = geometry.circle(wheel.center, wheel.radius)
        if wheel.internal:
            self._ring(wheel, outline, color, depth)
        else:
            self._area(outline, color, Z_WHEEL, paleness=0.72, width=1.0)
            direction = np.array([np.cos(wheel.angle), np.sin(wheel.angle)])
            self._line(
                [wheel.center, wheel.center + direction * (wheel.radius - 0.6 * depth)], color, Z_WHEEL + 0.1, 1.0
            )
        rim = geometry.circle(wheel.center, wheel.radius)
        self._line(np.vstack([rim, rim[:1]]), INK, Z_WHEEL + 0.2, 0.6, linestyle=(0, (9, 3, 2, 3)))
        self._dot(wheel.contact, ACCENT, Z_JOINT, 3.0)

    def _ring(self, wheel: Wheel, outline: Floats, color: str, depth: float) -> None:
        """Draw an internal wheel as a ring outside its teeth."""
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        outer = geometry.circle(wheel.center, wheel.radius + max(0.8 * self.size, depth))[::-1]
        closed = [np.vstack([part, part[:1]]) for part in (outer, outline)]
        codes = [[Path.MOVETO, *[Path.LINETO] * (len(part) - 2), Path.CLOSEPOLY] for part in closed]
        path = Path(np.vstack(closed), np.concatenate(codes).astype(Path.code_type))
        face, edge = lighter(color, 0.75 + 0.2 * self.fade), self._color(color)
        self.ax.add_patch(PathPatch(path, facecolor=face, edgecolor=edge, linewidth=0.9, zorder=Z_GROUND + self.shift))

    def _rack(self, rack: Rack) -> None:
        """Draw a toothed rack and the pinion's pitch circle."""
        color, along = body_color(rack.body), rack.end - rack.start
        length = float(np.linalg.norm(along))
        along, side = along / length, (rack.contact - rack.center) / abs(rack.radius)
        count = max(4, int(length / (0.32 * abs(rack.radius))))
        stations = np.linspace(0.0, length, 4 * count + 1)
        height = 0.09 * abs(rack.radius) * np.tile([-1.0, -1.0, 1.0, 1.0], count + 1)[: len(stations)]
        top = rack.start + stations[:, None] * along + height[:, None] * side
        back = 0.5 * abs(rack.radius) * side
        self._area(np.vstack([top, rack.end + back, rack.start + back]), color, Z_WHEEL, paleness=0.7, width=1.0)
        self._line([rack.start, rack.end], INK, Z_WHEEL + 0.2, 0.6, linestyle=(0, (9, 3, 2, 3)))
        rim = geometry.circle(rack.center, abs(rack.radius))
        self._area(rim, body_color(rack.pinion), Z_WHEEL, paleness=0.72, width=1.0)
        angle = self._body_angle(rack.pinion)
        spoke = rack.center + abs(rack.radius) * np.array([np.cos(angle), np.sin(angle)])
        self._line([rack.center, spoke], body_color(rack.pinion), Z_WHEEL + 0.1, 1.0)
        self._dot(rack.contact, ACCENT, Z_JOINT, 3.0)

    def _body_angle(self, number: int) -> float:
        """Return the direction of an axis that is fixed in a body, from one of its joints."""
        for mark in self.scene.marks:
            for body, axes in zip(mark.bodies, mark.axes, strict=True):
                if body == number:
                    return float(np.arctan2(axes[1, 0], axes[0, 0]))
        return 0.0

    def _cam(self, cam: Cam) -> None:
        """Draw a cam's profile, its follower's roller, face or edge, and the contact."""
        self._area(cam.profile[:-1], body_color(cam.cam), Z_WHEEL, paleness=0.7)
        color = body_color(cam.follower)
        if cam.roller:
            self._area(geometry.circle(cam.tip, cam.roller), color, Z_BLOCK - 0.3, paleness=0.8)
        elif len(cam.face):
            self._line(cam.face, color, Z_BLOCK, 3.0, solid_capstyle="butt")
        else:
            away = cam.tip - cam.profile.mean(axis=0)
            away = away / max(float(np.linalg.norm(away)), 1e-300) * 1.1 * self.size
            side = 0.36 * np.array([-away[1], away[0]])
            self._area(np.array([cam.tip, cam.tip + away + side, cam.tip + away - side]), color, Z_BLOCK)
        self._dot(cam.contact, ACCENT, Z_JOINT, 3.0)

    # --- joints ---------------------------------------------------------------------------------------------------
    def _dot(self, point: Floats, color: str, z: float, points: float) -> None:
        """Add a small filled dot (diameter in points)."""
        self._line([point], color, z, marker="o", markersize=points, markeredgewidth=0.0, linestyle="none")

    def _pin(self, point: Floats) -> None:
        """Draw a pin."""
        from matplotlib.patches import Circle

        edge = self._color(INK)
        circle = Circle((point[0], point[1]), 0.24 * self.size, facecolor="white", edgecolor=edge, linewidth=1.1)
        circle.set_zorder(Z_JOINT + self.shift)
        self.ax.add_patch(circle)

    def _revolute(self, mark: Mark) -> None:
        """Draw a pin; on the ground with its support."""
        point = mark.points[1]
        if mark.grounded and not self.fade:
            u = self.size
            corners = np.array([point, point + (-0.75 * u, -1.25 * u), point + (0.75 * u, -1.25 * u)])
            self._area(corners, GROUND, Z_GROUND + 0.2, paleness=0.7, width=1.0)
            self._hatch(point + (-1.05 * u, -1.25 * u), point + (1.05 * u, -1.25 * u), np.array([0.0, -1.0]))
        self._pin(point)

    def _fixed(self, mark: Mark) -> None:
        """Draw a weld: a filled square, on the ground with strokes."""
        point, u = mark.points[1], self.size
        corners = geometry.box_corners(np.full(2, 0.55 * u), point)
        self._area(corners, INK, Z_JOINT, paleness=0.0)
        if mark.grounded and not self.fade:
            self._hatch(point + (-0.8 * u, -0.28 * u), point + (0.8 * u, -0.28 * u), np.array([0.0, -1.0]))

    def _slide(self, mark: Mark) -> tuple[int, int]:
        """Return which body of a slide is the rail and which the block: the ground is a rail, else the longer one."""
        spans = {link.number: link.span for link in self.scene.links}
        first, second = mark.bodies
        if second == 0 or (first != 0 and spans[second] > spans[first]):
            return second, first
        return first, second

    def _translational(self, mark: Mark) -> None:
        """Draw a slide: a block on its rail, or guides on both sides of a body that is long along the axis."""
        rail, block = self._slide(mark)
        point, along = mark.points[mark.bodies.index(block)], mark.axes[0][:, 0]
        side = np.array([-along[1], along[0]])
        side = side if (side[1], side[0]) > (1e-9, 0.0) or side[1] > -1e-9 and side[0] > 0.0 else -side
        link = next(item for item in self.scene.links if item.number == block)
        reach = np.array([(p - point) @ along for p in link.points])
        offsets = np.array([abs((p - point) @ side) for p in link.points])
        if rail == 0 and np.ptp(reach) > 2.5 * self.size and offsets.max() < 0.5 * self.size:
            self._guides(point + along * 0.5 * (reach.min() + reach.max()), along, side)
            return
        self._block(point, along, side, body_color(block))
        if rail == 0 and not self.fade:
            low, high = self._range(mark, point, along)
            foot = point - 0.62 * self.size * side
            self._hatch(foot + low * along, foot + high * along, -side)
        elif rail:
            self._rail(mark, point, along, rail)

    def _range(self, mark: Mark, point: Floats, along: Floats) -> tuple[float, float]:
        """Return how far a rail reaches from the block to both sides."""
        margin = 2.2 * self.size
        position = float((mark.points[1] - mark.points[0]) @ along)
        low, high = self.travel.get(mark.name, (position, position))
        if mark.bodies[1] == 0:  # the block is the first end: it moves against the coordinate
            low, high = 2.0 * position - high, 2.0 * position - low
        return min(low - position, 0.0) - margin, max(high - position, 0.0) + margin

    def _block(self, point: Floats, along: Floats, side: Floats, color: str) -> None:
        """Draw a sliding block."""
        corners = [
            point + self.size * (1.05 * x * along + 0.62 * y * side) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        ]
        self._area(np.array(corners), color, Z_LINK - 0.1)

    def _guides(self, middle: Floats, along: Floats, side: Floats) -> None:
        """Draw guides of the ground on both sides of a long body."""
        if self.fade:
            return
        for sign in (-1.0, 1.0):
            foot = middle + sign * 0.55 * self.size * side
            self._hatch(foot - 1.2 * self.size * along, foot + 1.2 * self.size * along, sign * side)

    def _rail(self, mark: Mark, point: Floats, along: Floats, rail: int) -> None:
        """Draw the rail of a moving body from its own points to a little beyond the block."""
        link = next(item for item in self.scene.links if item.number == rail)
        foot = mark.points[mark.bodies.index(rail)]
        foot = point + along * ((foot - point) @ along)
        stations = [float((p - point) @ along) for p in (foot, *link.points)]
        low, high = min(*stations, -2.0 * self.size), max(*stations, 2.0 * self.size)
        self._line([point + low * along, point + high * along], body_color(rail), Z_LINK - 0.2, 2.0)

    def _distance(self, mark: Mark) -> None:
        """Draw a massless rod."""
        self._line(mark.points, INK, Z_JOINT - 0.5, 1.0)
        for point in mark.points:
            self._dot(point, INK, Z_JOINT, 4.0)

    def _point_on_line(self, mark: Mark) -> None:
        """Draw the line of the first body and the point on it."""
        along = mark.axes[0][:, 0]
        reach = float((mark.points[1] - mark.points[0]) @ along)
        low, high = min(0.0, reach) - 2.5 * self.size, max(0.0, reach) + 2.5 * self.size
        color = body_color(mark.bodies[0])
        self._line(
            [mark.points[0] + low * along, mark.points[0] + high * along], color, Z_GROUND + 0.3, 1.0, linestyle="--"
        )
        self._dot(mark.points[1], INK, Z_JOINT, 4.5)

    # --- forces ---------------------------------------------------------------------------------------------------
    def _spring(self, spring: Spring) -> None:
        """Draw a spring as a zigzag, a bushing as a dashed square."""
        a, b = spring.points
        if spring.kind == "bushing":
            self._area(
                geometry.box_corners(np.full(2, 0.9 * self.size), 0.5 * (a + b)), GROUND, Z_JOINT - 0.6, linestyle=":"
            )
            return
        self._line(geometry.zigzag(a, b, 0.75 * self.size), INK, Z_JOINT - 0.7, 1.0)
        for point, other, grounded in ((a, b, spring.grounded[0]), (b, a, spring.grounded[1])):
            self._dot(point, INK, Z_JOINT - 0.6, 3.0)
            away = point - other
            size = float(np.linalg.norm(away))
            if grounded and not self.fade and size > 0.0:
                away = away / size
                side = np.array([-away[1], away[0]]) * 0.7 * self.size
                self._hatch(point - side, point + side, away)
