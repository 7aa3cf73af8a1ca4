"""Spatial mechanisms on matplotlib's 3-D axes: links as tubes, joints as small shaded solids about their axes."""

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
    from mpl_toolkits.mplot3d import Axes3D

STEEL = "#cdd3da"
LIGHT = np.array([0.35, -0.5, 0.8]) / np.linalg.norm([0.35, -0.5, 0.8])
MANY = 60  # more bodies than this are drawn as plain lines


class SpatialPainter:
    """Draws one scene.

    Parameters
    ----------
    ax : Axes3D
    scene : Scene
    size : float
        Of the joint symbols [length].
    fade : float
        0 for the pose itself; towards 1 for an earlier one, which is paler and has no joints.
    """

    def __init__(self, ax: Axes3D, scene: Scene, size: float, fade: float = 0.0) -> None:
        self.ax, self.scene, self.size, self.fade = ax, scene, size, fade
        elevation, azimuth = np.deg2rad([ax.elev, ax.azim])
        self.view = np.array(
            [np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)]
        )  # towards the eye
        self.items: list[tuple[float, Any, str]] = []

    def paint(self) -> None:
        """Draw everything, the farthest first."""
        for link in self.scene.links:
            self._link(link)
        for wheel in self.scene.wheels:
            self._wheel(wheel)
        for rack in self.scene.racks:
            self._rack(rack)
        for cam in self.scene.cams:
            self._cam(cam)
        for spring in self.scene.springs:
            self._spring(spring)
        if not self.fade:
            self._joints()
        self.items.sort(key=lambda item: item[0])
        for order, (_, artist, how) in enumerate(self.items):
            artist.set_zorder(2.0 + order / len(self.items) - self.fade)
            getattr(self.ax, how)(artist)

    # --- pens -----------------------------------------------------------------------------------------------------
    def _faces(
        self, faces: Sequence[Floats], color: Any, *, near: float = 0.0, alpha: float = 1.0, edge: Any = None
    ) -> None:
        """Add shaded faces; `near` moves them towards the eye in the order of drawing [length]."""
        from mpl_toolkits.mplot3d.art3d import Poly3DCollection

        shades = [lighter(color, 0.8 * self.fade + (1.0 - 0.8 * self.fade) * _shine(face)) for face in faces]
        edges = shades if edge is None else [lighter(edge, 0.8 * self.fade)] * len(shades)
        collection = Poly3DCollection(list(faces), facecolors=shades, edgecolors=edges, linewidths=0.3, alpha=alpha)
        middle = np.vstack(list(faces)).mean(axis=0)
        self.items.append((float(middle @ self.view) + near, collection, "add_collection3d"))

    def _line(
        self, points: Sequence[Floats] | Floats, color: str, width: float = 1.2, *, near: float = 0.0, **options: Any
    ) -> None:
        """Add a line."""
        from mpl_toolkits.mplot3d.art3d import Line3D

        cloud = np.asarray(points, dtype=float)
        line = Line3D(*cloud.T, color=lighter(color, 0.8 * self.fade), linewidth=width, **options)
        self.items.append((float(cloud.mean(axis=0) @ self.view) + near, line, "add_line"))

    def _dot(self, point: Floats, color: str, points: float) -> None:
        """Add a small dot (diameter in points)."""
        self._line(
            [point], color, marker="o", markersize=points, markeredgewidth=0.0, linestyle="none", near=3.0 * self.size
        )

    # --- bodies ---------------------------------------------------------------------------------------------------
    def _link(self, link: Link) -> None:
        """Draw a body: its solids, and bars between its joints."""
        color = body_color(link.number)
        for solid in link.solids:
            self._solid(solid, color)
        anchors = np.vstack([link.points, link.center[None]]) if link.solids else link.points
        anchors = geometry.distinct(anchors, 1e-9 * self.size)
        plain = len(self.scene.links) > MANY or bool(link.solids)
        for i, j in geometry.tree_edges(anchors) if len(anchors) < 60 else []:
            if plain:
                self._line([anchors[i], anchors[j]], color, 1.4)
            else:
                self._faces(geometry.tube_faces(anchors[i], anchors[j], 0.2 * self.size, 12), color)
        if not link.solids and len(anchors) == 3:
            self._faces([anchors], color, alpha=0.18)
        if not link.solids and len(anchors) == 1:
            self._ball(anchors[0], 0.45 * self.size, color, near=0.0)

    def _solid(self, solid: Solid, color: str) -> None:
        """Draw a shape."""
        if solid.kind in ("rod", "cylinder"):
            radius = solid.radius or 0.2 * self.size
            if float(np.linalg.norm(solid.points[1] - solid.points[0])) > 0.0:
                self._faces(geometry.tube_faces(*solid.points, radius, 16), color)
        elif solid.kind == "box":
            self._faces([solid.points[list(face)] for face in geometry.BOX_FACES], color, alpha=0.85, edge=color)
        elif solid.kind == "disk":
            half = 0.5 * (solid.thickness or 0.15 * self.size) * solid.axis / np.linalg.norm(solid.axis)
            center = solid.points[0]
            self._faces(geometry.tube_faces(center - half, center + half, solid.radius, 36), color, alpha=0.8)
        else:
            self._ball(solid.points[0], solid.radius, color, near=0.0)

    def _ball(self, center: Floats, radius: float, color: str, near: float) -> None:
        """Draw a ball."""
        heights = np.linspace(-1.0, 1.0, 9)
        angles = np.linspace(0.0, 2.0 * np.pi, 15)
        across = np.sqrt(np.clip(1.0 - heights**2, 0.0, 1.0))
        grid = np.stack(
            [across[:, None] * np.cos(angles), across[:, None] * np.sin(angles), np.repeat(heights[:, None], 15, 1)],
            axis=-1,
        )
        grid = center + radius * grid
        faces = [
            np.array([grid[i, j], grid[i, j + 1], grid[i + 1, j + 1], grid[i + 1, j]])
            for i in range(8)
            for j in range(14)
        ]
        self._faces(faces, color, near=near)

    def _wheel(self, wheel: Wheel) -> None:
        """Draw a gear wheel as a disk with its pitch circle."""
        half = 0.25 * self.size * wheel.axis
        if not wheel.internal:
            self._faces(
                geometry.tube_faces(wheel.center - half, wheel.center + half, wheel.radius, 36),
                body_color(wheel.body),
                alpha=0.5,
            )
        rim = geometry.ring(wheel.center, wheel.radius, wheel.axis, 72)
        self._line(np.vstack([rim, rim[:1]]), body_color(wheel.body), 1.4)
        self._dot(wheel.contact, ACCENT, 3.5)

    def _rack(self, rack: Rack) -> None:
        """Draw a rack's pitch line and its pinion."""
        self._line([rack.start, rack.end], body_color(rack.body), 3.0)
        rim = geometry.ring(rack.center, abs(rack.radius), rack.axis, 72)
        self._line(np.vstack([rim, rim[:1]]), body_color(rack.pinion), 1.6)
        self._dot(rack.contact, ACCENT, 3.5)

    def _cam(self, cam: Cam) -> None:
        """Draw a cam's profile and its follower."""
        self._faces([cam.profile[:-1]], body_color(cam.cam), alpha=0.5, edge=body_color(cam.cam))
        if cam.roller:
            rim = geometry.ring(cam.tip, cam.roller, cam.axis, 48)
            self._line(np.vstack([rim, rim[:1]]), body_color(cam.follower), 1.6)
        elif len(cam.face):
            self._line(cam.face, body_color(cam.follower), 3.0)
        self._dot(cam.contact, ACCENT, 3.5)

    # --- joints ---------------------------------------------------------------------------------------------------
    def _joints(self) -> None:
        """Draw the symbols of all joints."""
        symbols = {
            "revolute": self._revolute, "cylindrical": self._cylindrical, "screw": self._screw, "universal": self._universal,
            "spherical": self._spherical, "translational": self._translational, "fixed": self._fixed, "planar": self._plane,
            "point_on_plane": self._plane, "distance": self._distance, "point_on_line": self._point_on_line,
        }  # fmt: skip
        for mark in self.scene.marks:
            if mark.kind in symbols:
                symbols[mark.kind](mark)

    def _sleeve(self, point: Floats, axis: Floats, length: float, radius: float, grounded: bool) -> None:
        """Draw a bushing about an axis, with a plate under it on the ground."""
        u = self.size
        half = 0.5 * length * u * axis
        self._faces(
            geometry.tube_faces(point - half, point + half, radius * u, 18), GROUND if grounded else STEEL, near=u
        )
        if grounded:
            self._plate(point - half, axis)
        self._line([point - (0.5 * length + 0.8) * u * axis, point + (0.5 * length + 0.8) * u * axis], INK, 0.7,
                   near=-u, linestyle=(0, (8, 2, 2, 2)))  # fmt: skip

    def _plate(self, center: Floats, normal: Floats, edge: float = 2.4) -> None:
        """Draw a plate of the ground across a direction."""
        f, g = geometry.across(normal)
        half = 0.5 * edge * self.size
        corners = np.array([center + half * (x * f + y * g) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
        self._faces([corners], GROUND, alpha=0.35, edge=GROUND, near=-self.size)

    def _revolute(self, mark: Mark) -> None:
        """Draw a hinge."""
        self._sleeve(mark.points[1], mark.axes[1][:, 2], 1.1, 0.42, mark.grounded)

    def _cylindrical(self, mark: Mark) -> None:
        """Draw a long sleeve on the line that it slides along."""
        axis = mark.axes[0][:, 2]
        self._line([mark.points[0] - self.size * axis, mark.points[1] + self.size * axis], INK, 1.4)
        self._sleeve(mark.points[1], axis, 2.2, 0.4, mark.grounded)

    def _screw(self, mark: Mark) -> None:
        """Draw a sleeve with a thread."""
        axis, u = mark.axes[0][:, 2], self.size
        middle = mark.points[0] if mark.grounded else mark.points[1]
        self._sleeve(middle, axis, 1.0, 0.5, mark.grounded)
        thread = geometry.helix(middle - 2.2 * u * axis, middle + 2.2 * u * axis, 0.4 * u, 9.0, 240)
        self._line(thread, INK, 0.9, near=u)

    def _universal(self, mark: Mark) -> None:
        """Draw the cross: the first axis on the first body, the second on the second."""
        u = self.size
        for axis in (mark.axes[0][:, 2], mark.axes[1][:, 0]):
            ends = (mark.points[1] - 0.95 * u * axis, mark.points[1] + 0.95 * u * axis)
            self._faces(geometry.tube_faces(*ends, 0.17 * u, 12), INK, near=1.5 * u)
            for end in ends:
                self._ball(end, 0.24 * u, STEEL, near=1.6 * u)

    def _spherical(self, mark: Mark) -> None:
        """Draw a ball."""
        self._ball(mark.points[1], 0.48 * self.size, GROUND if mark.grounded else STEEL, near=1.5 * self.size)
        if mark.grounded:
            self._plate(mark.points[1] - np.array([0.0, 0.0, 0.5 * self.size]), np.array([0.0, 0.0, 1.0]))

    def _box(self, center: Floats, axes: Floats, edges: tuple[float, float, float], color: str, near: float) -> None:
        """Draw a box with given axes (columns) and edges [symbol sizes]."""
        corners = geometry.box_corners(np.array(edges) * self.size, np.zeros(3)) @ axes.T + center
        self._faces([corners[list(face)] for face in geometry.BOX_FACES], color, near=near, edge=INK)

    def _translational(self, mark: Mark) -> None:
        """Draw a box on its rail."""
        u, axis = self.size, mark.axes[0][:, 2]
        moving = 1 if mark.bodies[0] == 0 or mark.bodies[1] != 0 else 0
        point, foot = mark.points[moving], mark.points[1 - moving]
        reach = float((foot - point) @ axis)
        low, high = max(min(reach, 0.0), -6.0 * u) - 2.5 * u, min(max(reach, 0.0), 6.0 * u) + 2.5 * u
        color = body_color(mark.bodies[1 - moving])
        self._line([point + low * axis, point + high * axis], color, 2.2)
        self._box(point, mark.axes[moving], (1.1, 1.1, 1.9), lighter_name(body_color(mark.bodies[moving])), near=u)

    def _fixed(self, mark: Mark) -> None:
        """Draw a weld."""
        self._box(mark.points[1], mark.axes[1], (0.7, 0.7, 0.7), INK, near=1.5 * self.size)

    def _plane(self, mark: Mark) -> None:
        """Draw the plane of the first body under the point of the second."""
        self._plate(mark.points[1], mark.axes[0][:, 2], 4.0)
        self._dot(mark.points[1], INK, 4.5)

    def _distance(self, mark: Mark) -> None:
        """Draw a massless rod."""
        self._line(mark.points, INK, 1.0)
        for point in mark.points:
            self._dot(point, INK, 4.0)

    def _point_on_line(self, mark: Mark) -> None:
        """Draw the line of the first body and the point on it."""
        axis = mark.axes[0][:, 2]
        reach = float((mark.points[1] - mark.points[0]) @ axis)
        low, high = min(0.0, reach) - 2.5 * self.size, max(0.0, reach) + 2.5 * self.size
        self._line(
            [mark.points[0] + low * axis, mark.points[0] + high * axis], body_color(mark.bodies[0]), 1.0, linestyle="--"
        )
        self._dot(mark.points[1], INK, 4.5)

    # --- forces ---------------------------------------------------------------------------------------------------
    def _spring(self, spring: Spring) -> None:
        """Draw a spring as a coil, a bushing as a dot."""
        a, b = spring.points
        length = float(np.linalg.norm(b - a))
        if spring.kind == "bushing" or length == 0.0:
            self._dot(0.5 * (a + b), GROUND, 7.0)
            return
        lead = 0.12 * (b - a)
        coil = geometry.helix(a + lead, b - lead, 0.35 * self.size, 8.0)
        self._line(np.vstack([a, coil, b]), INK, 0.9)
        for point in (a, b):
            self._dot(point, INK, 3.0)


def lighter_name(color: str) -> str:
    """Return a somewhat lighter color as a name that other colors are made from."""
    from matplotlib.colors import to_hex

    return to_hex(lighter(color, 0.35))


def _shine(face: Floats) -> float:
    """Return how much a face is lightened: most where it looks into the light (both sides alike)."""
    normal = np.cross(face[1] - face[0], face[2] - face[1])
    size = float(np.linalg.norm(normal))
    if size == 0.0:
        return 0.3
    return 0.12 + 0.48 * abs(float(normal @ LIGHT)) / size
