"""Bodies of a spatial mechanism as strokes: links and shapes, wheels, racks, cams, springs."""

from __future__ import annotations

import numpy as np

from multibody.view import geometry
from multibody.view.cover import strays
from multibody.view.deep_pen import Brush, DeepPen
from multibody.view.geometry import Floats
from multibody.view.scene import Journey, Link, Scene, Solid, Spring
from multibody.view.strokes import Owner
from multibody.view.style import ACCENT, GROUND, INK, body_color
from multibody.view.wheels import Cam, Rack, Wheel

TREE = 60  # links with more points than this are stars about their center: a shortest tree would take long to find


class BodyMaker:
    """Makes the strokes of bodies and of what belongs to them; its arguments are those of `JointMaker`."""

    def __init__(self, pen: DeepPen, scene: Scene, journey: Journey) -> None:
        self.pen, self.scene, self.journey = pen, scene, journey
        self.size = pen.size

    def make(self) -> None:
        """Draw everything but the joints' symbols."""
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

    def _body(self, number: int) -> tuple[Brush, str]:
        """Return the brush of a body and its color."""
        return self.pen.on(number, Owner("body", self.scene.tables.bodies[number])), body_color(number)

    def _link(self, link: Link) -> None:
        """Draw a body: its solids, else bars between its joints."""
        brush, color = self._body(link.number)
        points = link.points
        if link.solids or link.meshes:
            for solid in link.solids:
                self._solid(brush, solid, color)
            for mesh in link.meshes:
                brush.mesh(mesh.points, mesh.triangles, color)
            for point, foot in strays(link, self.scene.marks, 0.5 * self.size):
                brush.tube(point, foot, 0.1 * self.size, color)
            return
        if len(points) == 1:
            brush.ball(points[0], 0.4 * self.size, color)
        if len(points) == 3:
            brush.faces(points, color, alpha=0.18, width=0.0)
        edges = geometry.straightened(points, geometry.tree_edges(points)) if len(points) < TREE else []
        pairs = [(points[i], points[j]) for i, j in edges]
        if len(points) >= TREE:
            pairs = [(points.mean(axis=0), point) for point in points]
        for start, end in pairs:
            brush.tube(start, end, 0.2 * self.size, color)
        for k in {i for edge in edges for i in edge}:  # bends are round
            if sum(k in edge for edge in edges) > 1:
                brush.ball(points[k], 0.204 * self.size, color)

    def _solid(self, brush: Brush, solid: Solid, color: str) -> None:
        """Draw a shape."""
        if solid.kind in ("rod", "cylinder"):
            brush.tube(solid.points[0], solid.points[1], solid.radius or 0.2 * self.size, color)
        elif solid.kind == "box":
            brush.box(solid.points, color)
        elif solid.kind == "disk":
            brush.disk(solid.points[0], solid.axis, solid.radius, solid.thickness or 0.15 * self.size, color)
        else:
            brush.ball(solid.points[0], solid.radius, color)

    def _wheel(self, wheel: Wheel) -> None:
        """Draw a gear wheel as a disk with its pitch circle, and a spoke that shows its turn."""
        brush, color = self._body(wheel.body)
        self._pitch_disk(brush, wheel.center, wheel.axis, wheel.radius, color, solid=not wheel.internal)
        for contact, (joint, carrier) in zip(wheel.contacts, wheel.meshes, strict=True):
            self.pen.on(carrier, Owner("joint", joint), symbol=True).dot(contact, ACCENT, 3.5)

    def _pitch_disk(self, brush: Brush, center: Floats, axis: Floats, radius: float, color: str, solid: bool) -> None:
        """Draw a pitch circle, and the disk within it where there is one."""
        brush.closed(geometry.ring(center, radius, axis, 72), color, 1.4)
        if not solid:
            return
        thickness = 0.5 * self.size
        brush.disk(center, axis, radius, thickness, color, alpha=0.5)
        spoke = geometry.across(axis)[0] * radius
        for side in (-0.52, 0.52):
            brush.line([center + side * thickness * axis, center + side * thickness * axis + spoke], color, 1.0)

    def _rack(self, rack: Rack) -> None:
        """Draw a rack behind its pitch line, long enough for the whole motion, and its pinion."""
        brush, color = self._body(rack.body)
        back = (rack.contact - rack.center) / abs(rack.radius)
        low, high = self._travel(rack)
        along = (rack.end - rack.start) / np.linalg.norm(rack.end - rack.start)
        start, end = rack.start + low * along, rack.end + high * along
        axes = np.column_stack([along, back, rack.axis])
        edges = (float(np.linalg.norm(end - start)), rack.back, 0.5 * self.size)
        brush.block(0.5 * (start + end) + 0.5 * rack.back * back, axes, edges, color)
        pinion, tint = self._body(rack.pinion)
        self._pitch_disk(pinion, rack.center, rack.axis, abs(rack.radius), tint, solid=True)
        self.pen.on(rack.carrier, Owner("joint", rack.joint), symbol=True).dot(rack.contact, ACCENT, 3.5)

    def _travel(self, rack: Rack) -> tuple[float, float]:
        """Return how much further than at the reference pose a rack has to reach at its start and its end."""
        point = self.pen.local(rack.body, rack.start)[0], self.pen.local(rack.body, rack.end)[0]
        contact = self.pen.local(rack.carrier, rack.contact)[0]
        start, end = (self.journey.place(rack.body, p) for p in point)
        along = (end - start) / np.linalg.norm(end - start, axis=1, keepdims=True)
        reach = np.einsum("ni,ni->n", self.journey.place(rack.carrier, contact) - start, along)
        margin = 1.5 * abs(rack.radius)
        length = float(np.linalg.norm(rack.end - rack.start))
        return min(float(np.nanmin(reach)) - margin, 0.0), max(float(np.nanmax(reach)) + margin - length, 0.0)

    def _cam(self, cam: Cam) -> None:
        """Draw a cam as a plate with its profile, and its follower."""
        brush, color = self._body(cam.cam)
        half = 0.3 * self.size * cam.axis
        profile = cam.profile[:-1:2]
        points, triangles = prism(profile, half)
        brush.mesh(points, triangles, color, width=0.0)
        for side in (-half, half):
            brush.closed(profile + side, color, 1.2)
        follower, tint = self._body(cam.follower)
        if cam.roller:
            follower.disk(cam.tip, cam.axis, cam.roller, 0.8 * self.size, tint)
        elif len(cam.face):
            along = cam.face[1] - cam.face[0]
            length = float(np.linalg.norm(along))
            axes = np.column_stack([along / length, cam.axis, np.cross(along / length, cam.axis)])
            follower.block(cam.face.mean(axis=0), axes, (length, 0.8 * self.size, 0.12 * self.size), tint)

    def _spring(self, spring: Spring) -> None:
        """Draw a spring as a coil, a driven length as a cylinder, a bushing as a dot."""
        owner = Owner("force", spring.name)
        a, b = spring.points
        if spring.kind == "bushing":
            self.pen.on(spring.bodies[1], owner, symbol=True).dot(b, GROUND, 7.0)
            return
        ends = [self.journey.place(k, self.pen.local(k, p)[0]) for k, p in zip(spring.bodies, (a, b), strict=True)]
        rest = float(np.nanmin(np.linalg.norm(ends[1] - ends[0], axis=1)))
        kind, color = ("cylinder", GROUND) if spring.driven else ("spring", INK)
        self.pen.stretch(kind, spring.bodies, (a, b), 0.35 * self.size, color, owner, width=0.9, rest=rest)
        for body, point in zip(spring.bodies, (a, b), strict=True):
            if spring.driven:
                self.pen.on(body, owner).ball(point, 0.28 * self.size, GROUND)
            else:
                self.pen.on(body, owner).dot(point, INK, 3.0, level=0.5)


def prism(outline: Floats, half: Floats) -> tuple[Floats, list[tuple[int, int, int]]]:
    """Return corners and triangles of a plate with a closed outline that is seen whole from the mean of its points.

    Parameters
    ----------
    outline : array (n, 3)
        In a plane, counter-clockwise about `half`; the first point is not repeated.
    half : array (3,)
        From the middle of the plate to its upper face.

    Returns
    -------
    points : array (2 n + 2, 3)
        Lower and upper outline, lower and upper center.
    triangles : list of (int, int, int)
        Counter-clockwise seen from outside.
    """
    n, center = len(outline), outline.mean(axis=0)
    points = np.vstack([outline - half, outline + half, center - half, center + half])
    triangles = []
    for k in range(n):
        j = (k + 1) % n
        triangles += [(2 * n, j, k), (2 * n + 1, n + k, n + j), (k, j, n + j), (k, n + j, n + k)]
    return points, triangles
