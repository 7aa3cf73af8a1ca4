"""Rows written on coordinate functions: of screws, distance, gear, rack, cam, coupler. They know coordinates, not bodies.

Each builder returns relations Σ w_k c_k + G(c₁…c_m, t) = 0 (a list of terms and a formula G), with the
words that say what each row means. Coordinates in G are written ``coordinate(1)``, ``coordinate(2)``, ….
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from multibody.errors import ModelError
from multibody.model.expressions import Expression, Number, cos, differentiate, name, names, sin, sqrt, substitute
from multibody.model.joints import Joint
from multibody.model.matrices import Mat, normalized, product, shortest_turn, transposed, turned
from multibody.tables.pairs import pitch_formula
from multibody.tables.placement import End
from multibody.tables.programs import coordinate

if TYPE_CHECKING:
    from multibody.tables.build import Builder


class Term(NamedTuple):
    """A coordinate function in a row, and its weight; one that occurs in the formula alone has none."""

    function: int
    weight: Number = 0.0


@dataclass(frozen=True)
class Relation:
    """One row: its terms, formula G, its meaning, and whether it is a length."""

    terms: list[Term]
    formula: Number
    meaning: str
    is_length: bool


def distance(builder: Builder, joint: Joint, ends: tuple[End, End]) -> list[Relation]:
    """|d| − length = 0."""
    where = f"joints.{joint.name}.length"
    length = builder.scope.scalar(joint.fields["length"], where)
    (value,) = builder.scope.numeric((length,), where)
    if not value > 0.0:
        together = "revolute" if builder.dimension == 2 else "spherical"
        raise ModelError(f"{value:g} is not positive", where=where, hint=f"a {together} joint keeps two points together")
    builder.scope.keep(length, strict=True)
    function = builder.coordinates[("joint", joint.name, "length", 0)]
    return [Relation([Term(function, 1.0)], -length, "distance", True)]


def advance(builder: Builder, joint: Joint) -> Relation:
    """Position − pitch · angle = 0 of a pair with a screw."""
    motion = joint.kind.structure(builder.dimension).motion
    assert motion is not None and motion.screw is not None
    position, angle = (builder.joint_function(joint, name) for name in (motion.screw.position, motion.screw.coordinate))
    terms = [Term(position, 1.0), Term(angle, -pitch_formula(builder, joint, motion.screw))]
    return Relation(terms, 0.0, "advance", True)


def gear(builder: Builder, joint: Joint, ends: tuple[End, End]) -> list[Relation]:
    """Return a ∠first ± b ∠second = phase, angles relative to the carrier, zero as drawn; minus where it is internal."""
    where, fields = f"joints.{joint.name}", joint.fields
    a, b = (builder.scope.scalar(item, where) for item in fields["teeth"] or fields["radii"])
    values = builder.scope.numeric((a, b), where)
    if not all(value > 0.0 for value in values):
        raise ModelError("teeth and radii are positive", where=where, hint="an internal mesh is internal: true")
    for item in (a, b):
        builder.scope.keep(item, strict=True)
    size = max(values)  # the row is divided by it, so that its scale is that of an angle
    carrier = builder.model.find_end(fields["carrier"], where)[0]
    axes = fields["axes"] or (None, None)
    terms: list[Term] = []
    for end, factor, axis in zip((joint.first, joint.second), (a, b if not fields["internal"] else -b), axes, strict=True):
        body = builder.model.find_end(end, where)[0]
        if body == carrier:
            raise ModelError(f'"{body}" is a wheel and the carrier', where=where, hint="the carrier holds the wheels' axes")
        terms.append(Term(drawn_angle(builder, carrier, body, axis, where), factor / size))
    return [Relation(terms, -builder.scope.scalar(fields["phase"], where) / size, "mesh", False)]


def drawn_angle(builder: Builder, first: str, second: str, axis: object, where: str) -> int:
    """Return the angle function of the second body relative to the first about an axis, zero as drawn."""
    place = builder.placement
    i, j = place.index[first], place.index[second]
    if builder.dimension == 2:
        return builder.angle2(i, j, place.drawn_angle(i) - place.drawn_angle(j))
    basis = shortest_turn((0.0, 0.0, 1.0) if axis is None else place.vector(axis, where), builder.scope, where)  # type: ignore[arg-type]
    ends = [End(k, (0.0, 0.0, 0.0), product(transposed(place.turn[k]), basis)) for k in (i, j)]
    return builder.angle3(ends[0], ends[1], ("g", "f", "f", "f"))


def rack(builder: Builder, joint: Joint, ends: tuple[End, End]) -> list[Relation]:
    """Travel − radius · angle = 0: of the rack along its axis and of the pinion, relative to the carrier, zero as drawn."""
    where, fields, place = f"joints.{joint.name}", joint.fields, builder.placement
    pinion, _ = builder.model.find_end(joint.first, where)
    body, frame = builder.model.find_end(joint.second, where)
    carrier = builder.model.find_end(fields["carrier"], where)[0]
    if carrier in (pinion, body):
        raise ModelError(
            f'"{carrier}" is the carrier and an end', where=where, hint="name the body that pinion and rack move on"
        )
    radius = builder.scope.scalar(fields["radius"], where)
    c, j = place.index[carrier], place.index[body]
    point, _ = place.frame(body, frame)
    drawn = [a + b for a, b in zip(place.center(j), turned(place.turn[j], point), strict=True)]
    direction = normalized(place.vector(fields["axis"], where))
    first = place.in_place(carrier, tuple(drawn), _identity(builder.dimension))
    back = transposed(place.turn[c])
    travel = builder.dot2(End(c, first.point, first.axes), End(j, point, _identity(builder.dimension)), turned(back, direction))
    angle = drawn_angle(builder, carrier, pinion, fields.get("turn"), where)
    return [Relation([Term(travel, 1.0), Term(angle, -radius)], 0.0, "rolling", True)]


def _identity(dimension: int) -> Mat:
    """Return the identity matrix."""
    return tuple(tuple(1.0 if i == j else 0.0 for j in range(dimension)) for i in range(dimension))


def cam(builder: Builder, joint: Joint, ends: tuple[End, End]) -> list[Relation]:
    """Contact of a profile d(φ)(cos φ, sin φ) in the cam's frame with a knife edge, a roller or a flat face.

    Shabana, Computational Dynamics, section 3.7: the contact angle φ is an extra coordinate; two rows, net one removed.
    """
    where, fields = f"joints.{joint.name}", joint.fields
    contact = builder.coordinates[("joint", joint.name, "contact", 0)]
    profile = builder.scope.formula(builder.model.formula(fields["profile"], where), where)
    builder.model.check_paths(fields["profile"], where, frozenset({"parameter", "phi"}))
    phi = name("phi")
    curve = (profile * cos(phi), profile * sin(phi))
    tangent = tuple(differentiate(c, ("phi",)) for c in curve)
    if fields["flat"] is not None:
        return _flat_follower(builder, joint, ends, contact, curve, tangent)
    if fields["roller"] is not None:  # the roller's center runs on the curve offset along the outward normal
        radius = builder.scope.scalar(fields["roller"], where)
        speed = sqrt(tangent[0] * tangent[0] + tangent[1] * tangent[1])
        curve = (curve[0] + radius * tangent[1] / speed, curve[1] - radius * tangent[0] / speed)
    rows = []
    for letter, along in zip("fg", curve, strict=True):
        gap = builder.dot2(ends[0], ends[1], ends[0].axis(letter))
        formula = -_of_contact(along, 2)
        rows.append(Relation([Term(gap, 1.0), Term(contact)], formula, f"contact along {'xy'['fg'.index(letter)]}", True))
    return rows


def _of_contact(formula: Number, k: int) -> Number:
    """Return a formula of φ as a formula of the row's k-th coordinate."""
    return substitute(formula, {("phi",): coordinate(k)})


def _flat_follower(
    builder: Builder,
    joint: Joint,
    ends: tuple[End, End],
    contact: int,
    curve: tuple[Number, ...],
    tangent: tuple[Number, ...],
) -> list[Relation]:
    """n·(P(φ) − Q) = 0 and n·t(φ) = 0, n the face normal on the follower."""
    where = f"joints.{joint.name}"
    normal = normalized(turned(ends[1].axes, builder.placement.vector(joint.fields["flat"], where)))
    along = [builder.dot1(ends[0], ends[1], ends[0].axis(letter), normal) for letter in "fg"]
    gap = builder.dot2(ends[1], ends[0], normal)  # n·(cam's origin − Q)
    x, y = (coordinate(1), coordinate(2))
    touch = x * _of_contact(curve[0], 3) + y * _of_contact(curve[1], 3)
    slide = x * _of_contact(tangent[0], 3) + y * _of_contact(tangent[1], 3)
    terms = [Term(along[0]), Term(along[1]), Term(contact)]
    return [
        Relation([*terms, Term(gap, 1.0)], touch, "contact along the normal", True),
        Relation(terms, slide, "tangency", True),
    ]


def coupler(builder: Builder, joint: Joint, ends: tuple[End, End]) -> list[Relation]:
    """Return the expression of coordinates and t that stays zero."""
    where = f"joints.{joint.name}"
    expression = joint.fields["expression"]
    formula, functions = on_coordinates(builder, expression, where)
    if not functions:
        raise ModelError("it names no coordinate", where=where, hint="write an expression of coordinates such as O - 2*P")
    return [Relation([Term(function) for function in functions], formula, "coupling", False)]


def on_coordinates(builder: Builder, expression: Number, where: str) -> tuple[Number, list[int]]:
    """Return the formula with its paths replaced by coordinates 1, 2, …, and the functions these are."""
    expression = builder.model.formula(expression, where)
    builder.model.check_paths(expression, where, frozenset({"parameter", "time", "joint", "point", "angle", "spring"}))
    formula = builder.scope.formula(expression, where)
    mapping: dict[tuple[str, ...], Expression] = {}
    functions: list[int] = []
    for parts in sorted(names(formula)):
        if builder.scope.knows(parts) or parts == ("t",):
            continue
        function = builder.function_of(builder.model.resolve(parts, where))
        if function not in functions:
            functions.append(function)
        mapping[parts] = coordinate(functions.index(function) + 1)
    return substitute(formula, mapping), functions


BUILDERS: dict[str, Callable[[Builder, Joint, tuple[End, End]], list[Relation]]] = {
    "distance": distance,
    "gear": gear,
    "rack": rack,
    "cam": cam,
    "coupler": coupler,
}
