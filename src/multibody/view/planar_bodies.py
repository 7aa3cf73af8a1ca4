"""Bodies of planar drawings: links as rounded bars and plates, shapes, gear wheels, racks and cams."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from multibody.view import geometry
from multibody.view.flat_pen import Z_BLOCK, Z_GROUND, Z_JOINT, Z_LINK, Z_WHEEL, FlatNib, FlatPen
from multibody.view.geometry import Floats
from multibody.view.scene import Journey, Link, Scene, Solid
from multibody.view.strokes import Owner
from multibody.view.style import ACCENT, INK, body_color
from multibody.view.wheels import Cam, Rack, Wheel

CENTER_LINE = (5.4, 1.8, 1.2, 1.8)
BAR = 0.36  # half the width of a link [symbol sizes]


def paint_bodies(pen: FlatPen, scene: Scene, journey: Journey, hidden: set[int]) -> None:
    """Draw all bodies but those that another symbol shows: blocks of slides, wheels, cams and racks without extent."""
    for wheel in scene.wheels:
        _wheel(pen, scene, wheel)
    for rack in scene.racks:
        _rack(pen, scene, stretched_rack(pen, scene, rack, journey))
    for cam in scene.cams:
        _cam(pen, scene, cam)
    for link in scene.links:
        if is_painted(link, hidden, pen.size):
            _link(_on(pen, scene, link.number), link, Z_LINK + 0.5 * link.number / (len(scene.links) + 1))


def is_painted(link: Link, hidden: set[int], size: float) -> bool:
    """Return whether a body shows as a link of its own."""
    return link.number not in hidden or link.span > 1e-3 * size


def rounds(scene: Scene) -> set[int]:
    """Return the bodies that show as a wheel, a pinion, a rack or a cam."""
    pinions = {number for rack in scene.racks for number in (rack.pinion, rack.body)}
    return {wheel.body for wheel in scene.wheels} | {cam.cam for cam in scene.cams} | pinions


def _on(pen: FlatPen, scene: Scene, body: int) -> FlatNib:
    """Return a nib for a body's own shape."""
    return pen.on(body, Owner("body", scene.tables.bodies[body]))


def _direction(scene: Scene, number: int) -> float:
    """Return the angle of an axis that is fixed in a body, from one of its joints."""
    for mark in scene.marks:
        for body, axes in zip(mark.bodies, mark.axes, strict=True):
            if body == number:
                return float(np.arctan2(axes[1, 0], axes[0, 0]))
    return 0.0


def _link(nib: FlatNib, link: Link, z: float) -> None:
    """Draw a body: its solids, else a bar, a plate, or bars from a point in its middle."""
    color, size = body_color(link.number), nib.pen.size
    if link.solids:
        for solid in link.solids:
            _solid(nib, solid, color, z)
        for pair in link.strays(0.5 * size):
            nib.line(pair, color, z - 0.01, 2.0)
        return
    middle = geometry.inner_point(link.points, 0.6 * size)
    if middle >= 0:
        _spider(nib, link.points, middle, color, z)
        return
    plate = len(geometry.hull(link.points)) > 2
    nib.area(geometry.rounded(link.points, BAR * size), color, z, alpha=0.8 if plate else 1.0)


def _spider(nib: FlatNib, points: Floats, middle: int, color: str, z: float) -> None:
    """Draw bars from a point in the middle to all others as one shape: edges first, then the faces over them."""
    bars = [geometry.rounded(points[[middle, k]], BAR * nib.pen.size) for k in range(len(points)) if k != middle]
    for bar in bars:
        nib.area(bar, color, z, width=2.4)
    for bar in bars:
        nib.area(bar, color, z + 0.01, width=0.0)


def _solid(nib: FlatNib, solid: Solid, color: str, z: float) -> None:
    """Draw a shape."""
    if solid.kind in ("rod", "cylinder"):
        nib.area(geometry.rounded(solid.points, max(solid.radius, BAR * nib.pen.size)), color, z)
    elif solid.kind == "box":
        nib.area(solid.points, color, z)
    else:
        nib.area(geometry.circle(solid.points[0], solid.radius), color, z)


def _wheel(pen: FlatPen, scene: Scene, wheel: Wheel) -> None:
    """Draw a gear wheel: teeth, pitch circle, a spoke that shows its turn, and the mark of the mesh on its carrier."""
    nib, color, rim = _on(pen, scene, wheel.body), body_color(wheel.body), geometry.circle(wheel.center, wheel.radius)
    depth = 3.4 * wheel.radius / wheel.teeth if wheel.teeth else 0.0  # 1.7 modules
    outline = rim
    if wheel.teeth:
        outline = geometry.teeth(wheel.center, wheel.radius, wheel.teeth, depth, wheel.angle, wheel.internal)
    if wheel.internal:
        nib.ring(geometry.circle(wheel.center, wheel.radius + max(0.8 * pen.size, depth)), outline, color, Z_GROUND)
    else:
        nib.area(outline, color, Z_WHEEL, paleness=0.72, width=1.0)
        spoke = (wheel.radius - 0.6 * depth) * np.array([np.cos(wheel.angle), np.sin(wheel.angle)])
        nib.line([wheel.center, wheel.center + spoke], color, Z_WHEEL + 0.1, 1.0)
    nib.line(np.vstack([rim, rim[:1]]), INK, Z_WHEEL + 0.2, 0.6, dashes=CENTER_LINE)
    for contact, (joint, carrier) in zip(wheel.contacts, wheel.meshes, strict=True):
        pen.on(carrier, Owner("joint", joint), symbol=True).dot(contact, ACCENT, Z_JOINT, 3.0)


def stretched_rack(pen: FlatPen, scene: Scene, rack: Rack, journey: Journey) -> Rack:
    """Return a rack at the reference pose that is long enough for every contact of the motion."""
    along = (rack.end - rack.start) / np.linalg.norm(rack.end - rack.start)
    contacts = journey.place(rack.carrier, pen.local(rack.carrier, rack.contact)[0])
    away = contacts - journey.place(rack.body, pen.local(rack.body, rack.contact)[0])
    turned = np.einsum("nij,j->ni", journey.turns(rack.carrier), pen.poses.A[rack.carrier].T @ along)
    stations, reach = np.einsum("ni,ni->n", away, turned), 1.5 * abs(rack.radius)
    low = min(float((rack.start - rack.contact) @ along), float(stations.min()) - reach)
    high = max(float((rack.end - rack.contact) @ along), float(stations.max()) + reach)
    return replace(rack, start=rack.contact + low * along, end=rack.contact + high * along)


def _rack(pen: FlatPen, scene: Scene, rack: Rack) -> None:
    """Draw a toothed rack and the pinion's pitch circle."""
    along, side = rack.end - rack.start, (rack.contact - rack.center) / abs(rack.radius)
    length, depth = float(np.linalg.norm(along)), 0.09 * abs(rack.radius)
    along = along / length
    count = max(4, int(length / (0.32 * abs(rack.radius))))
    stations = np.linspace(0.0, length, 4 * count + 1)
    height = depth * np.tile([-1.0, -1.0, 1.0, 1.0], count + 1)[: len(stations)]
    top = rack.start + stations[:, None] * along + height[:, None] * side
    back, nib = rack.back * side, _on(pen, scene, rack.body)
    nib.area(np.vstack([top, rack.end + back, rack.start + back]), body_color(rack.body), Z_WHEEL, paleness=0.7, width=1.0)
    nib.line([rack.start, rack.end], INK, Z_WHEEL + 0.2, 0.6, dashes=CENTER_LINE)
    color, nib = body_color(rack.pinion), _on(pen, scene, rack.pinion)
    nib.area(geometry.circle(rack.center, abs(rack.radius)), color, Z_WHEEL, paleness=0.72, width=1.0)
    angle = _direction(scene, rack.pinion)
    spoke = rack.center + abs(rack.radius) * np.array([np.cos(angle), np.sin(angle)])
    nib.line([rack.center, spoke], color, Z_WHEEL + 0.1, 1.0)
    pen.on(rack.carrier, Owner("joint", rack.joint), symbol=True).dot(rack.contact, ACCENT, Z_JOINT, 3.0)


def _cam(pen: FlatPen, scene: Scene, cam: Cam) -> None:
    """Draw a cam's profile and its follower's roller, face or edge."""
    _on(pen, scene, cam.cam).area(cam.profile[:-1], body_color(cam.cam), Z_WHEEL, paleness=0.7)
    color, nib = body_color(cam.follower), _on(pen, scene, cam.follower)
    if cam.roller:
        nib.area(geometry.circle(cam.tip, cam.roller), color, Z_BLOCK - 0.3, paleness=0.8)
        nib.circle(cam.tip, 0.3 * min(pen.size, cam.roller), INK, Z_JOINT - 0.2)
    elif len(cam.face):
        nib.line(cam.face, color, Z_BLOCK, 3.0)
    else:
        away = cam.tip - cam.profile.mean(axis=0)
        away = away / max(float(np.linalg.norm(away)), 1e-300) * 1.1 * pen.size
        side = BAR * np.array([-away[1], away[0]]) / 1.1
        nib.area(np.array([cam.tip, cam.tip + away + side, cam.tip + away - side]), color, Z_BLOCK)
