"""The catalog of joints: each kind is one row of data, made of a few basic constraints and coordinate functions.

The mathematics lives once, in the basic functions (``kernels/planar.py``, ``kernels/spatial.py``). A pair says how its ends
move relative to each other, in elementary motions; any other kind says which basic functions it is made of, see ``structure``.
A new joint is a new row here, its page in the docs and its tests.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from multibody.arguments import no_attribute
from multibody.errors import ModelError, nearest
from multibody.model.expressions import Expression, name
from multibody.model.fixed import ReadOnly, fixed
from multibody.model.structure import Structure, ball, free, pair, screw, slide, turn
from multibody.model.values import (
    Field,
    FieldType,
    Vector,
    read_end,
    read_fields,
    read_number,
    read_vector,
    write_value,
)


@dataclass(frozen=True)
class JointKind:
    """One kind of joint or constraint.

    Attributes
    ----------
    name : str
    summary : str
        One line for people.
    planar, spatial : Structure or None
        None where the kind does not exist in that dimension.
    fields : tuple of Field
    relation : str
        Name of the builder of its rows on coordinate functions (distance, gear, rack, cam, coupler), "" if it has none.
    axes : str
        How the joint's axes f, g, h follow from its fields: ``axis`` or ``axes``.
    instead : str
        What serves in the dimension in which it does not exist.
    """

    name: str
    summary: str
    planar: Structure | None
    spatial: Structure | None
    fields: tuple[Field, ...] = ()
    relation: str = ""
    axes: str = "axis"
    instead: str = "choose another kind"

    @property
    def pair(self) -> bool:
        """Whether it has a relative motion and can be an edge of a spanning tree."""
        return any(structure is not None and structure.motion is not None for structure in (self.planar, self.spatial))

    def structure(self, dimension: int) -> Structure:
        """Return the structure in this dimension, which must exist."""
        structure = self.planar if dimension == 2 else self.spatial
        if structure is None:
            raise ModelError(f"{self.name} needs dimension {5 - dimension}", hint=self.instead)
        return structure


_NUMBER, _AXIS = FieldType("number"), FieldType("axis")
_TURN = Field("axis", FieldType("axis3"), "axis of rotation, same components in both frames; default z")
_SLIDE = Field("axis", _AXIS, "direction of sliding, same components in both frames", required=True)
_NORMAL = Field("axis", _AXIS, "the line, the normal or the direction, in the first end's frame", required=True)
_LENGTH = (("length", ("distance",)),)

_KINDS = (
    JointKind("fixed", "no relative motion", pair(2), pair(3)),
    JointKind("revolute", "turns about one axis", pair(2, turn("h")), pair(3, turn("h")), fields=(_TURN,)),
    JointKind("translational", "slides along one axis", pair(2, slide("f")), pair(3, slide("h")), fields=(_SLIDE,)),
    JointKind(
        "cylindrical", "turns about and slides along one axis", None, pair(3, slide("h"), turn("h")), fields=(_TURN,),
        instead="in the plane use translational or revolute",
    ),
    JointKind(
        "screw", "advances by `lead` a turn", None, pair(3, screw("h", lead="lead")),
        fields=(_TURN, Field("lead", _NUMBER, "advance a turn, right-handed positive [length]", required=True)),
        instead="in the plane use a coupler between a position and an angle",
    ),
    JointKind(
        "universal", "two perpendicular axes that meet (Hooke)", None, pair(3, turn("h", "angle1"), turn("f", "angle2")),
        fields=(Field("axes", FieldType("axes"), "first axis (on the first body), second one; perpendicular", required=True),),
        axes="axes", instead="in the plane shafts are parallel: use revolute joints and a gear",
    ),
    JointKind(
        "spherical", "turns freely about a point", None, pair(3, *ball()),
        instead="in the plane a pin is a revolute joint",
    ),
    JointKind(
        "planar", "slides in a plane and turns about its normal", None,
        pair(3, slide("f", "x"), slide("g", "y"), turn("h")), fields=(_TURN,),
        instead="in the plane every body already moves so; use free",
    ),
    JointKind("free", "all relative motion", pair(2, *free(2)), pair(3, *free(3))),
    JointKind(
        "distance", "keeps two points at a distance (a massless rod)",
        Structure((), readable=_LENGTH), Structure((), readable=_LENGTH),
        fields=(Field("length", FieldType("positive"), "distance of the two points [length]", required=True),),
        relation="distance",
    ),
    JointKind(
        "point_on_line", "keeps a point of the second body on a line of the first",
        Structure((("dot2", "g"),), readable=(("position", ("dot2", "f")),)),
        Structure((("dot2", "f"), ("dot2", "g")), readable=(("position", ("dot2", "h")),)), fields=(_NORMAL,),
    ),
    JointKind(
        "point_on_plane", "keeps a point of the second body on a plane of the first", None, Structure((("dot2", "h"),)),
        fields=(_NORMAL,), instead="in the plane use point_on_line",
    ),
    JointKind(
        "parallel", "keeps a direction of both bodies parallel",
        Structure((("angle",),)), Structure((("dot1", "f", "h"), ("dot1", "g", "h")), aligned=("h",)),
        fields=(Field("axis", _AXIS, "the direction, same components in both frames; default z"),),
    ),
    JointKind(
        "gear", "two wheels on a carrier that roll on each other", Structure(), Structure(),
        fields=(
            Field("carrier", FieldType("end"), "the body that holds both axes", default="ground"),
            Field("teeth", FieldType("pair"), "numbers of teeth [first, second]"),
            Field("radii", FieldType("pair"), "pitch radii [first, second] [length]"),
            Field("internal", FieldType("flag"), "whether one wheel runs inside the other", default=False),
            Field("axes", FieldType("axes"), "axes of the wheels in the carrier as drawn; default z"),
            Field("phase", _NUMBER, "value of a·∠first + b·∠second", default=0.0),
        ),
        relation="gear",
    ),
    JointKind(
        "rack", "a pinion that rolls along a rack", Structure(), Structure(),
        fields=(
            Field("radius", _NUMBER, "pitch radius of the pinion, negative for the other side [length]", required=True),
            Field("axis", _AXIS, "direction of the rack", required=True),
            Field("carrier", FieldType("end"), "the body that both move on", default="ground"),
            Field("turn", FieldType("axis3"), "axis of the pinion; default z"),
        ),
        relation="rack",
    ),
    JointKind(
        "cam", "a profile of the first body that a follower of the second touches", Structure(), Structure(),
        fields=(
            Field("profile", FieldType("expression"), "surface radius as a function of phi [length]", required=True),
            Field("roller", FieldType("positive"), "radius of a roller follower [length]"),
            Field("flat", FieldType("axis"), "face normal of a flat follower, in the follower's frame, away from the cam"),
        ),
        relation="cam",
    ),
    JointKind(
        "coupler", "an expression of coordinates and time that stays zero", Structure(), Structure(),
        fields=(Field("expression", FieldType("expression"), "stays zero", required=True),),
        relation="coupler",
    ),
)  # fmt: skip

KINDS: dict[str, JointKind] = {kind.name: kind for kind in _KINDS}
ALIASES = {"prismatic": "translational"}


@fixed("joints")
@dataclass(frozen=True)
class Joint:
    """A joint between two ends.

    Attributes
    ----------
    name : str
    kind : JointKind
    first, second : str
        Ends, ``body`` or ``body.frame``; coordinates measure the second relative to the first. Empty for a coupler.
    at : vector or None
        Ground point of a joint made in place, None for a joint by frames.
    fields : dict
        The kind's own fields.
    """

    name: str
    kind: JointKind
    first: str
    second: str
    at: Vector | None = None
    fields: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "fields", ReadOnly(self.fields, f"joints.{self.name}"))

    @property
    def reference(self) -> str:
        """The joint as a path: its only coordinate."""
        return self.name

    def __getattr__(self, attribute: str) -> Expression:
        """Return a coordinate as an expression: ``joint.angle``, ``joint.rate``."""
        if attribute.startswith("_"):  # asked for by copy and pickle before there is a kind
            raise AttributeError(attribute)
        names = {n for s in (self.kind.planar, self.kind.spatial) if s for n, _ in (*s.coordinates, *s.readable)}
        if attribute in names | {"rate", "contact"}:
            return name(self.name, attribute)
        no_attribute(f"a {self.kind.name} joint", attribute, [*sorted(names), "rate"], f"joints.{self.name}")

    def plain(self) -> dict[str, Any]:
        """Return the mapping a file has for it."""
        if self.kind.relation == "coupler":
            return {"coupler": write_value(self.fields["expression"])}
        data: dict[str, Any] = {self.kind.name: [self.first, self.second]}
        if self.at is not None:
            data["at"] = write_value(self.at)
        for f in self.kind.fields:
            value = self.fields.get(f.name)
            if value is not None and value != f.default:
                data[f.name] = write_value(value)
        return data

    def names_of_coordinates(self, dimension: int) -> list[str]:
        """Return the names of its scalar coordinates, in order."""
        names = [item for item, _ in self.kind.structure(dimension).coordinates]
        return ["contact"] if self.kind.relation == "cam" else names

    def readable(self, dimension: int) -> list[str]:
        """Return the names of all scalar quantities that a path may name after the joint."""
        return self.names_of_coordinates(dimension) + [item for item, _ in self.kind.structure(dimension).readable]


def find_kind(name: str, where: str) -> JointKind:
    """Return the kind with this name or alias."""
    kind = KINDS.get(ALIASES.get(name, name))
    if kind is None:
        raise ModelError(
            f'unknown kind "{name}"', where=where, hint=f"{nearest(name, KINDS)} Kinds are {', '.join(KINDS)}".strip()
        )
    return kind


def make_joint(
    kind_name: str, name: str, first: object, second: object, dimension: int | None, at: object = None, **given: Any
) -> Joint:
    """Return a checked joint.

    Parameters
    ----------
    kind_name : str
        A kind of the catalog.
    name : str
    first, second : end
        ``"body"``, ``"body.frame"``, a body or a frame handle.
    dimension : int or None
        None: not known yet; the model that the joint is added to looks at it again.
    at : vector, optional
        Ground point of a joint made in place [length].
    **given
        The kind's own fields.

    Returns
    -------
    Joint
    """
    where = f"joints.{name}"
    kind = find_kind(kind_name, where)
    try:
        if dimension is not None:
            kind.structure(dimension)
    except ModelError as error:
        raise ModelError(error.problem, where=where, hint=error.hint) from None
    fields = read_fields(kind.fields, given, dimension, where)
    if kind.relation == "coupler":
        return Joint(name, kind, "", "", None, fields)
    ends = read_end(first, where), read_end(second, where)
    if ends[0].split(".")[0] == ends[1].split(".")[0]:
        raise ModelError(
            f'joins body "{ends[0].split(".")[0]}" with itself', where=where, hint="a joint needs two different bodies"
        )
    place = None if at is None else read_vector(at, dimension, where)
    if place is not None and any("." in end for end in ends):
        raise ModelError("`at` together with body.frame", where=where, hint="place it by frames or in place, not both")
    if place is not None and kind.name in ("gear", "rack"):
        raise ModelError("it takes no place", where=where, hint="its bodies' own joints place it; leave `at` out")
    _check_special(kind, fields, dimension, where)
    return Joint(name, kind, *ends, place, fields)


def _check_special(kind: JointKind, fields: dict[str, Any], dimension: int | None, where: str) -> None:
    """Refuse combinations that a single field cannot see."""
    if kind.name == "gear" and (fields["teeth"] is None) == (fields["radii"] is None):
        raise ModelError("a gear takes teeth or radii", where=where, hint="give teeth: [a, b] or radii: [a, b], one of them")
    if kind.name == "cam" and fields["roller"] is not None and fields["flat"] is not None:
        raise ModelError(
            "roller and flat are both given", where=where, hint="a follower is a roller, a flat face or a knife edge"
        )
    if dimension == 2 and kind.name == "gear" and fields["axes"] is not None:
        raise ModelError("axes need dimension 3", where=where, hint="in the plane all axes are z")
    if dimension == 2 and (kind.name == "revolute" or kind.name == "rack"):
        key = "axis" if kind.name == "revolute" else "turn"
        axis = fields.get(key)
        if axis is not None and axis not in ((0.0, 0.0, 1.0),):
            raise ModelError("a planar joint turns about z", where=where, hint=f"leave {key} out")


def read_joint(name: str, given: dict[str, Any], dimension: int) -> Joint:
    """Return a joint from the mapping that a file has: the kind is the key of its ends."""
    where = f"joints.{name}"
    kinds = [key for key in given if key in KINDS or key in ALIASES]
    if not kinds:
        first = next(iter(given), "")
        hint = f"{nearest(first, [*KINDS, *ALIASES])} Kinds are {', '.join(KINDS)}".strip()
        raise ModelError("it has no kind", where=where, hint=hint)
    if len(kinds) > 1:
        raise ModelError(f"two kinds, {kinds[0]} and {kinds[1]}", where=where, hint="a joint has one kind")
    rest = {key: value for key, value in given.items() if key != kinds[0]}
    ends = given[kinds[0]]
    if kinds[0] == "coupler":
        return make_joint("coupler", name, "", "", dimension, expression=read_number(ends, where), **rest)
    if not isinstance(ends, list) or len(ends) != 2:
        raise ModelError(f"{kinds[0]} needs two ends", where=where, hint=f"write {kinds[0]}: [first, second]")
    return make_joint(kinds[0], name, ends[0], ends[1], dimension, **rest)
