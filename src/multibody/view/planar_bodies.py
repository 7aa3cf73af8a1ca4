"""Bodies of planar pictures: links as rounded bars and plates, shapes, gear wheels, racks and cams."""

from __future__ import annotations

import numpy as np

from multibody.view import geometry
from multibody.view.flat_pen import Z_BLOCK, Z_GROUND, Z_JOINT, Z_LINK, Z_WHEEL, FlatPen
from multibody.view.geometry import Floats
from multibody.view.scene import Link, Scene, Solid
from multibody.view.style import ACCENT, INK, body_color
from multibody.view.wheels import Cam, Rack, Wheel

CENTER_LINE = (0, (9, 3, 2, 3))
BAR = 0.36  # half the width of a link [symbol sizes]


def paint_bodies(pen: FlatPen, scene: Scene, hidden: set[int]) -> None:
    """Draw all bodies but those that another symbol shows: blocks of slides, wheels, cams and racks without extent."""
    for wheel in scene.wheels:
        _wheel(pen, wheel)
    for rack in scene.racks:
        _rack(pen, rack, _direction(scene, rack.pinion))
    for cam in scene.cams:
        _cam(pen, cam)
    for link in scene.links:
        if link.number not in hidden or link.span > 1e-3 * pen.size:
            _link(pen, link, Z_LINK + 0.5 * link.number / (len(scene.links) + 1))


def rounds(scene: Scene) -> set[int]:
    """Return the bodies that show as a wheel, a pinion, a rack or a cam."""
    pinions = {number for rack in scene.racks for number in (rack.pinion, rack.body)}
    return {wheel.body for wheel in scene.wheels} | {cam.cam for cam in scene.cams} | pinions


def _direction(scene: Scene, number: int) -> float:
    """Return the angle of an axis that is fixed in a body, from one of its joints."""
    for mark in scene.marks:
        for body, axes in zip(mark.bodies, mark.axes, strict=True):
            if body == number:
                return float(np.arctan2(axes[1, 0], axes[0, 0]))
    return 0.0


def _link(pen: FlatPen, link: Link, z: float) -> None:
    """Draw a body: its solids, else a bar, a plate, or bars from a point in its middle."""
    color, width = body_color(link.number), BAR * pen.size
    if link.solids:
        for solid in link.solids:
            _solid(pen, solid, color, z)
        for pair in link.strays(0.5 * pen.size):
            pen.line(pair, color, z - 0.01, 2.0)
        return
    middle = geometry.inner_point(link.points, 0.6 * pen.size)
    if middle >= 0:
        _spider(pen, link.points, middle, color, z)
        return
    plate = len(geometry.hull(link.points)) > 2
    pen.area(geometry.rounded(link.points, width), color, z, alpha=0.8 if plate else 1.0)


def _spider(pen: FlatPen, points: Floats, middle: int, color: str, z: float) -> None:
    """Draw bars from a point in the middle to all others as one shape: edges first, then the faces over them."""
    bars = [geometry.rounded(points[[middle, k]], BAR * pen.size) for k in range(len(points)) if k != middle]
    for bar in bars:
        pen.area(bar, color, z, width=2.4)
    for bar in bars:
        pen.area(bar, color, z + 0.01, width=0.0)


def _solid(pen: FlatPen, solid: Solid, color: str, z: float) -> None:
    """Draw a shape."""
    if solid.kind in ("rod", "cylinder"):
        pen.area(geometry.rounded(solid.points, max(solid.radius, BAR * pen.size)), color, z)
    elif solid.kind == "box":
        pen.area(solid.points, color, z)
    else:
        pen.area(geometry.circle(solid.points[0], solid.radius), color, z)


def _wheel(pen: FlatPen, wheel: Wheel) -> None:
    """Draw a gear wheel: teeth, pitch circle, a spoke that shows its turn, and the mark of the mesh."""
    color, rim = body_color(wheel.body), geometry.circle(wheel.center, wheel.radius)
    depth = 3.4 * wheel.radius / wheel.teeth if wheel.teeth else 0.0  # 1.7 modules
    outline = rim
    if wheel.teeth:
        outline = geometry.teeth(wheel.center, wheel.radius, wheel.teeth, depth, wheel.angle, wheel.internal)
    if wheel.internal:
        pen.ring(geometry.circle(wheel.center, wheel.radius + max(0.8 * pen.size, depth)), outline, color, Z_GROUND)
    else:
        pen.area(outline, color, Z_WHEEL, paleness=0.72, width=1.0)
        spoke = (wheel.radius - 0.6 * depth) * np.array([np.cos(wheel.angle), np.sin(wheel.angle)])
        pen.line([wheel.center, wheel.center + spoke], color, Z_WHEEL + 0.1, 1.0)
    pen.line(np.vstack([rim, rim[:1]]), INK, Z_WHEEL + 0.2, 0.6, linestyle=CENTER_LINE)
    for contact in wheel.contacts:
        pen.dot(contact, ACCENT, Z_JOINT, 3.0)


def _rack(pen: FlatPen, rack: Rack, angle: float) -> None:
    """Draw a toothed rack and the pinion's pitch circle."""
    along, side = rack.end - rack.start, (rack.contact - rack.center) / abs(rack.radius)
    length, depth = float(np.linalg.norm(along)), 0.09 * abs(rack.radius)
    along = along / length
    count = max(4, int(length / (0.32 * abs(rack.radius))))
    stations = np.linspace(0.0, length, 4 * count + 1)
    height = depth * np.tile([-1.0, -1.0, 1.0, 1.0], count + 1)[: len(stations)]
    top = rack.start + stations[:, None] * along + height[:, None] * side
    back = rack.back * side
    pen.area(np.vstack([top, rack.end + back, rack.start + back]), body_color(rack.body), Z_WHEEL, paleness=0.7, width=1.0)
    pen.line([rack.start, rack.end], INK, Z_WHEEL + 0.2, 0.6, linestyle=CENTER_LINE)
    color = body_color(rack.pinion)
    pen.area(geometry.circle(rack.center, abs(rack.radius)), color, Z_WHEEL, paleness=0.72, width=1.0)
    spoke = rack.center + abs(rack.radius) * np.array([np.cos(angle), np.sin(angle)])
    pen.line([rack.center, spoke], color, Z_WHEEL + 0.1, 1.0)
    pen.dot(rack.contact, ACCENT, Z_JOINT, 3.0)


def _cam(pen: FlatPen, cam: Cam) -> None:
    """Draw a cam's profile, its follower's roller, face or edge, and the contact."""
    pen.area(cam.profile[:-1], body_color(cam.cam), Z_WHEEL, paleness=0.7)
    color = body_color(cam.follower)
    if cam.roller:
        pen.area(geometry.circle(cam.tip, cam.roller), color, Z_BLOCK - 0.3, paleness=0.8)
        pen.circle(cam.tip, 0.3 * min(pen.size, cam.roller), INK, Z_JOINT - 0.2)
    elif len(cam.face):
        pen.line(cam.face, color, Z_BLOCK, 3.0, solid_capstyle="butt")
    else:
        away = cam.tip - cam.profile.mean(axis=0)
        away = away / max(float(np.linalg.norm(away)), 1e-300) * 1.1 * pen.size
        side = BAR * np.array([-away[1], away[0]]) / 1.1
        pen.area(np.array([cam.tip, cam.tip + away + side, cam.tip + away - side]), color, Z_BLOCK)
    pen.dot(cam.contact, ACCENT, Z_JOINT, 3.0)
