"""Gear wheels, racks and cams in numbers: where their circles, lines and profiles lie at a pose."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.model.expressions import evaluate
from multibody.model.joints import Joint
from multibody.tables.lower import Tables
from multibody.tables.scope import Scope
from multibody.tables.splines import table_function
from multibody.view.geometry import Floats

if TYPE_CHECKING:
    from multibody.view.scene import Journey, Poses

MOST_TEETH = 160  # more would only blacken the rim


@dataclass(frozen=True, eq=False)
class Wheel:
    """A gear wheel.

    Attributes
    ----------
    body : int
    center, axis : arrays
        In ground; the axis is empty in the plane.
    radius : float
        Of the pitch circle.
    teeth : int
        0: only the circle is drawn.
    angle : float
        Direction of the middle of a tooth [rad].
    internal : bool
        Whether it is a ring.
    contacts : list of arrays
        Where it meets its partners.
    meshes : list of (str, int)
        Of every contact, the joint and the carrier that it is fixed in.
    """

    body: int
    center: Floats
    axis: Floats
    radius: float
    teeth: int
    angle: float
    internal: bool
    contacts: list[Floats]
    meshes: list[tuple[str, int]]

    def extent(self) -> Floats:
        """Return corners of a box around it."""
        size = 1.08 * self.radius
        return np.array([self.center - size, self.center + size])


@dataclass(frozen=True)
class Rack:
    """A rack: pitch line from start to end, the contact on it, and the pinion's circle."""

    joint: str
    body: int
    pinion: int
    carrier: int
    start: Floats
    end: Floats
    contact: Floats
    center: Floats
    axis: Floats
    radius: float

    @property
    def back(self) -> float:
        """Height of the rack behind its pitch line."""
        return 0.5 * abs(self.radius)

    def extent(self) -> Floats:
        """Return points that the picture has to show."""
        size = abs(self.radius)
        back = (self.contact - self.center) / size * self.back
        ends = [self.start, self.end, self.start + back, self.end + back]
        return np.array([*ends, self.center - size, self.center + size])


@dataclass(frozen=True)
class Cam:
    """A cam's profile with its follower: a roller (radius), a flat face (two points) or a knife edge (neither)."""

    joint: str
    cam: int
    follower: int
    profile: Floats
    contact: Floats
    tip: Floats
    roller: float
    face: Floats
    axis: Floats

    def extent(self) -> Floats:
        """Return points that the picture has to show."""
        return np.vstack([self.profile, self.tip - self.roller, self.tip + self.roller])


def wheels_at(tables: Tables, scope: Scope, poses: Poses) -> list[Wheel]:
    """Return the wheels of all gears, each once; teeth are placed so that partners mesh."""
    wheels: list[Wheel] = []
    for joint in tables.model.joints.values():
        if joint.kind.name == "gear":
            _add_pair(tables, scope, poses, joint, wheels)
    return wheels


def _add_pair(tables: Tables, scope: Scope, poses: Poses, joint: Joint, wheels: list[Wheel]) -> None:
    """Add the two wheels of a mesh where they are not known yet."""
    fields, where = joint.fields, f"joints.{joint.name}"
    carrier = tables.bodies.index(tables.model.find_end(fields["carrier"], where)[0])
    bodies = [end.body for end in tables.ends[joint.name]]
    centers = [wheel_center(tables, poses, joint.name, k, carrier) for k in range(2)]
    sizes = [scope.value(scope.scalar(item, where), where) for item in fields["teeth"] or fields["radii"]]
    distance = float(np.linalg.norm(centers[1] - centers[0]))
    radii = _radii(sizes, bool(fields["radii"]), bool(fields["internal"]), distance)
    outer = int(np.argmax(sizes)) if fields["internal"] else -1
    axes = [_axis(tables, scope, poses, joint, k, carrier) for k in range(2)]
    contact = _bevel_contact(centers, axes, sizes)
    if contact is None:
        contact = _contact(centers, radii, outer)
    else:
        radii = [float(np.linalg.norm(contact - center)) for center in centers]
    found: list[Wheel] = []
    for k in (0, 1):
        known = [w for w in wheels if w.body == bodies[k] and abs(w.radius - radii[k]) < 1e-6 * radii[k]]
        if known:
            known[0].contacts.append(contact)
            known[0].meshes.append((joint.name, carrier))
            found.append(known[0])
            continue
        teeth = _teeth(sizes[k]) if fields["teeth"] and not len(axes[k]) else 0
        angle = _angle(poses.A[bodies[k]])
        mesh = (joint.name, carrier)
        found.append(Wheel(bodies[k], centers[k], axes[k], radii[k], teeth, angle, outer == k, [contact], [mesh]))
    for k, wheel in enumerate(found):
        if wheel not in wheels:
            partner = found[1 - k]
            if partner in wheels and wheel.teeth and partner.teeth:
                wheel = replace(wheel, angle=_meshing(partner, wheel, contact, bool(fields["internal"])))
            wheels.append(wheel)


def _teeth(size: float) -> int:
    """Return how many teeth are drawn: none where there are too many to tell apart."""
    return round(size) if size == round(size) and 3 < size <= MOST_TEETH else 0


def _angle(turn: Floats) -> float:
    """Return the angle of a planar rotation matrix."""
    return float(np.arctan2(turn[1, 0], turn[0, 0]))


def _radii(sizes: list[float], stated: bool, internal: bool, distance: float) -> list[float]:
    """Return pitch radii: as stated, else the distance of the axes divided in the ratio of the teeth."""
    total = abs(sizes[0] - sizes[1]) if internal else sizes[0] + sizes[1]
    if stated or total == 0.0 or distance == 0.0:
        return [float(s) for s in sizes]
    return [distance * s / total for s in sizes]


def _contact(centers: list[Floats], radii: list[float], outer: int) -> Floats:
    """Return the point at which two pitch circles touch."""
    k = outer if outer >= 0 else 0  # seen from the ring, the contact lies beyond the other center
    line = centers[1 - k] - centers[k]
    size = float(np.linalg.norm(line))
    return np.asarray(centers[k] if size == 0.0 else centers[k] + line / size * radii[k])


def _bevel_contact(centers: list[Floats], axes: list[Floats], sizes: list[float]) -> Floats | None:
    """Return where two bevel wheels touch: on both wheels' planes and the plane of the axes; None for parallel axes.

    None too where the radii that follow are not in the ratio of the teeth: the centers then say nothing.
    """
    if not len(axes[0]):
        return None
    normal = np.cross(axes[0], axes[1])
    if float(np.linalg.norm(normal)) < 1e-6:
        return None
    rows = np.array([axes[0], axes[1], normal])
    contact = np.linalg.solve(rows, [axes[0] @ centers[0], axes[1] @ centers[1], normal @ (centers[0] + centers[1]) / 2.0])
    radii = [float(np.linalg.norm(contact - center)) for center in centers]
    fits = abs(radii[0] * sizes[1] - radii[1] * sizes[0]) < 0.05 * radii[0] * sizes[1]
    return np.asarray(contact) if fits else None


def _meshing(partner: Wheel, wheel: Wheel, contact: Floats, internal: bool) -> float:
    """Return the direction of a tooth such that a gap meets the partner's tooth at the contact."""
    to_partner, own = contact - partner.center, contact - wheel.center
    pitch, own_pitch = 2.0 * np.pi / partner.teeth, 2.0 * np.pi / wheel.teeth
    part = ((np.arctan2(to_partner[1], to_partner[0]) - partner.angle) / pitch) % 1.0
    sense = -1.0 if internal else 1.0  # both turn the same way past the contact of an internal mesh
    return float(np.arctan2(own[1], own[0]) + sense * (part - 0.5) * own_pitch)


def wheel_center(tables: Tables, poses: Poses, joint: str, side: int, carrier: int) -> Floats:
    """Return the center of a wheel: where it is pinned to the carrier, else the frame that the gear names."""
    end = tables.ends[joint][side]
    for name, pair in tables.ends.items():
        if tables.model.joints[name].kind.name == "revolute" and {e.body for e in pair} == {end.body, carrier}:
            own = next(e for e in pair if e.body == end.body)
            return poses.place(own.body, tables.vector(own.point))
    return poses.place(end.body, tables.vector(end.point))


def _axis(tables: Tables, scope: Scope, poses: Poses, joint: Joint, side: int, carrier: int) -> Floats:
    """Return the axis of a wheel in ground (empty in the plane); it is fixed in the carrier, given as drawn."""
    if tables.dimension == 2:
        return np.zeros(0)
    given = joint.fields.get("axes")
    one = given[side] if given is not None else joint.fields.get("turn")
    drawn = np.array([0.0, 0.0, 1.0]) if one is None else _vector(scope, one, joint.name)
    return carried(tables, poses, carrier, drawn / np.linalg.norm(drawn))


def carried(tables: Tables, poses: Poses, body: int, drawn: Floats) -> Floats:
    """Return a direction that is given in ground as drawn and moves with a body."""
    if body == 0:
        return drawn
    return np.asarray(poses.A[body] @ tables.matrix(tables.poses[body].axes).T @ drawn)


def _vector(scope: Scope, value: Any, joint: str) -> Floats:
    """Return a vector field of a joint in numbers."""
    return np.array(scope.numeric(scope.vector(value, None, f"joints.{joint}"), f"joints.{joint}"))


def racks_at(tables: Tables, scope: Scope, poses: Poses) -> list[Rack]:
    """Return the racks."""
    return [_rack(tables, scope, poses, joint) for joint in tables.model.joints.values() if joint.kind.name == "rack"]


def _rack(tables: Tables, scope: Scope, poses: Poses, joint: Joint) -> Rack:
    """Return a rack: its pitch line touches the pinion where both have the same velocity."""
    where = f"joints.{joint.name}"
    carrier = tables.bodies.index(tables.model.find_end(joint.fields["carrier"], where)[0])
    pinion, rack = tables.ends[joint.name]
    radius = scope.value(scope.scalar(joint.fields["radius"], where), where)
    along = _vector(scope, joint.fields["axis"], joint.name)
    along = carried(tables, poses, carrier, along / np.linalg.norm(along))
    center = wheel_center(tables, poses, joint.name, 0, carrier)
    axis = _axis(tables, scope, poses, joint, 0, carrier)
    side = np.array([along[1], -along[0]]) if tables.dimension == 2 else np.cross(along, axis)
    contact = center + radius * side
    middle = float((poses.place(rack.body, tables.vector(rack.point)) - contact) @ along)
    reach = 3.0 * abs(radius)
    low, high = min(middle - reach, -0.5 * reach), max(middle + reach, 0.5 * reach)
    start, end = contact + low * along, contact + high * along
    return Rack(joint.name, rack.body, pinion.body, carrier, start, end, contact, center, axis, radius)


def cams_at(tables: Tables, scope: Scope, poses: Poses, q: Floats) -> list[Cam]:
    """Return the cams with their followers."""
    return [
        _cam(tables, scope, poses, joint, float(q[len(q) - len(tables.extras) + tables.extras.index(joint.name)]))
        for joint in tables.model.joints.values()
        if joint.kind.name == "cam"
    ]


def _cam(tables: Tables, scope: Scope, poses: Poses, joint: Joint, contact: float) -> Cam:
    """Return a cam at the contact angle φ."""
    where, fields = f"joints.{joint.name}", joint.fields
    first, second = tables.ends[joint.name]
    phi = np.append(np.linspace(0.0, 2.0 * np.pi, 241), contact)
    radius = _profile(tables, scope, joint, phi)
    axes = poses.axes(first.body, tables.matrix(first.axes))[:, :2]
    center = poses.place(first.body, tables.vector(first.point))
    curve = center + (radius[:, None] * np.column_stack([np.cos(phi), np.sin(phi)])) @ axes.T
    tip = poses.place(second.body, tables.vector(second.point))
    roller = 0.0 if fields["roller"] is None else scope.value(scope.scalar(fields["roller"], where), where)
    face = np.zeros((0, tables.dimension))
    if fields["flat"] is not None:
        face = _face(poses.axes(second.body, tables.matrix(second.axes)), _vector(scope, fields["flat"], joint.name), axes)
        face = tip + face * 1.2 * float(np.max(np.abs(radius)))
    axis = np.zeros(0) if tables.dimension == 2 else np.cross(axes[:, 0], axes[:, 1])
    return Cam(joint.name, first.body, second.body, curve[:-1], curve[-1], tip, roller, face, axis)


def contact_path(tables: Tables, scope: Scope, journey: Journey, name: str) -> Floats:
    """Return where a cam touches its follower at every instant of a motion, in ground (instants, d)."""
    first = tables.ends[name][0]
    phi = journey.q[:, journey.q.shape[1] - len(tables.extras) + tables.extras.index(name)]
    radius = _profile(tables, scope, tables.model.joints[name], phi)
    axes = tables.matrix(first.axes)[:, :2]
    local = tables.vector(first.point) + (radius[:, None] * np.column_stack([np.cos(phi), np.sin(phi)])) @ axes.T
    return journey.place(first.body, local)


def _face(axes: Floats, normal: Floats, plane: Floats) -> Floats:
    """Return the two ends of a flat face of half length 1 around its middle, in the plane of the cam."""
    n = axes @ normal
    along = np.array([-n[1], n[0]]) if len(n) == 2 else np.cross(n, np.cross(plane[:, 0], plane[:, 1]))
    along = along / np.linalg.norm(along)
    return np.array([-along, along])


def _profile(tables: Tables, scope: Scope, joint: Joint, phi: Floats) -> Floats:
    """Return the surface radius at the angles φ."""
    where, model = f"joints.{joint.name}", tables.model
    formula = scope.formula(model.formula(joint.fields["profile"], where), where)
    splines = {name: table_function(table) for name, table in model.tables.items()}
    value = evaluate(formula, lambda parts: phi if parts == ("phi",) else scope.values[parts], splines)
    return np.broadcast_to(np.asarray(value, dtype=float), phi.shape)
