"""Constructors of joints and forces for ``model.add``, one a kind; written by ``write_methods.py``.

They need no model: what depends on its dimension is looked at when the item is added.
"""

from __future__ import annotations

from collections.abc import Sequence

from multibody.arguments import in_words
from multibody.model.forces import Force, make_force
from multibody.model.joints import Joint, make_joint
from multibody.model.values import ArrayLike, CoordinateLike, EndLike, NumberLike, VectorLike

__all__ = [
    "Bushing",
    "Cam",
    "Coupler",
    "Cylindrical",
    "Distance",
    "Effort",
    "Fixed",
    "Free",
    "Friction",
    "Gear",
    "Load",
    "Parallel",
    "Planar",
    "PointOnLine",
    "PointOnPlane",
    "Prismatic",
    "Rack",
    "Revolute",
    "Screw",
    "Spherical",
    "Spring",
    "Stop",
    "Translational",
    "Universal",
]


@in_words
def Fixed(name: str, first: EndLike, second: EndLike, *, at: VectorLike | None = None) -> Joint:
    """As ``model.fixed``: no relative motion."""
    return make_joint("fixed", name, first, second, None, at)


@in_words
def Revolute(
    name: str, first: EndLike, second: EndLike, *, at: VectorLike | None = None, axis: VectorLike | None = None,
) -> Joint:  # fmt: skip
    """As ``model.revolute``: turns about one axis."""
    return make_joint("revolute", name, first, second, None, at, axis=axis)


@in_words
def Translational(name: str, first: EndLike, second: EndLike, *, at: VectorLike | None = None, axis: VectorLike) -> Joint:
    """As ``model.translational``: slides along one axis."""
    return make_joint("translational", name, first, second, None, at, axis=axis)


@in_words
def Cylindrical(
    name: str, first: EndLike, second: EndLike, *, at: VectorLike | None = None, axis: VectorLike | None = None,
) -> Joint:  # fmt: skip
    """As ``model.cylindrical``: turns about and slides along one axis."""
    return make_joint("cylindrical", name, first, second, None, at, axis=axis)


@in_words
def Screw(
    name: str, first: EndLike, second: EndLike, *, at: VectorLike | None = None, axis: VectorLike | None = None,
    lead: NumberLike,
) -> Joint:  # fmt: skip
    """As ``model.screw``: advances by `lead` a turn."""
    return make_joint("screw", name, first, second, None, at, axis=axis, lead=lead)


@in_words
def Universal(
    name: str, first: EndLike, second: EndLike, *, at: VectorLike | None = None, axes: Sequence[VectorLike] | ArrayLike,
) -> Joint:  # fmt: skip
    """As ``model.universal``: two perpendicular axes that meet (Hooke)."""
    return make_joint("universal", name, first, second, None, at, axes=axes)


@in_words
def Spherical(name: str, first: EndLike, second: EndLike, *, at: VectorLike | None = None) -> Joint:
    """As ``model.spherical``: turns freely about a point."""
    return make_joint("spherical", name, first, second, None, at)


@in_words
def Planar(
    name: str, first: EndLike, second: EndLike, *, at: VectorLike | None = None, axis: VectorLike | None = None,
) -> Joint:  # fmt: skip
    """As ``model.planar``: slides in a plane and turns about its normal."""
    return make_joint("planar", name, first, second, None, at, axis=axis)


@in_words
def Free(name: str, first: EndLike, second: EndLike, *, at: VectorLike | None = None) -> Joint:
    """As ``model.free``: all relative motion."""
    return make_joint("free", name, first, second, None, at)


@in_words
def Distance(name: str, first: EndLike, second: EndLike, *, at: VectorLike | None = None, length: NumberLike) -> Joint:
    """As ``model.distance``: keeps two points at a distance (a massless rod)."""
    return make_joint("distance", name, first, second, None, at, length=length)


@in_words
def PointOnLine(name: str, first: EndLike, second: EndLike, *, at: VectorLike | None = None, axis: VectorLike) -> Joint:
    """As ``model.point_on_line``: keeps a point of the second body on a line of the first."""
    return make_joint("point_on_line", name, first, second, None, at, axis=axis)


@in_words
def PointOnPlane(name: str, first: EndLike, second: EndLike, *, at: VectorLike | None = None, axis: VectorLike) -> Joint:
    """As ``model.point_on_plane``: keeps a point of the second body on a plane of the first."""
    return make_joint("point_on_plane", name, first, second, None, at, axis=axis)


@in_words
def Parallel(
    name: str, first: EndLike, second: EndLike, *, at: VectorLike | None = None, axis: VectorLike | None = None,
) -> Joint:  # fmt: skip
    """As ``model.parallel``: keeps a direction of both bodies parallel."""
    return make_joint("parallel", name, first, second, None, at, axis=axis)


@in_words
def Gear(
    name: str, first: EndLike, second: EndLike, *, carrier: EndLike = "ground",
    teeth: Sequence[NumberLike] | ArrayLike | None = None, radii: Sequence[NumberLike] | ArrayLike | None = None,
    internal: bool = False, axes: Sequence[VectorLike] | ArrayLike | None = None, phase: NumberLike = 0.0,
) -> Joint:  # fmt: skip
    """As ``model.gear``: two wheels on a carrier that roll on each other."""
    return make_joint(
        "gear", name, first, second, None, carrier=carrier, teeth=teeth, radii=radii, internal=internal, axes=axes,
        phase=phase
    )  # fmt: skip


@in_words
def Rack(
    name: str, first: EndLike, second: EndLike, *, radius: NumberLike, axis: VectorLike, carrier: EndLike = "ground",
    turn: VectorLike | None = None,
) -> Joint:  # fmt: skip
    """As ``model.rack``: a pinion that rolls along a rack."""
    return make_joint("rack", name, first, second, None, radius=radius, axis=axis, carrier=carrier, turn=turn)


@in_words
def Cam(
    name: str, first: EndLike, second: EndLike, *, at: VectorLike | None = None, profile: NumberLike,
    roller: NumberLike | None = None, flat: VectorLike | None = None,
) -> Joint:  # fmt: skip
    """As ``model.cam``: a profile of the first body that a follower of the second touches."""
    return make_joint("cam", name, first, second, None, at, profile=profile, roller=roller, flat=flat)


@in_words
def Coupler(name: str, expression: NumberLike) -> Joint:
    """As ``model.coupler``: an expression of coordinates and time that stays zero."""
    return make_joint("coupler", name, "", "", None, expression=expression)


@in_words
def Spring(
    name: str, first: EndLike, second: EndLike, *, stiffness: NumberLike = 0.0, damping: NumberLike = 0.0,
    length: NumberLike = 0.0, force: NumberLike | None = None,
) -> Force:  # fmt: skip
    """As ``model.spring``: a spring and damper along the line between two points."""
    return make_force(
        "spring", name, (first, second), None, stiffness=stiffness, damping=damping, length=length, force=force
    )  # fmt: skip


@in_words
def Effort(
    name: str, coordinate: CoordinateLike, *, value: NumberLike | None = None, stiffness: NumberLike = 0.0,
    rest: NumberLike = 0.0, damping: NumberLike = 0.0,
) -> Force:  # fmt: skip
    """As ``model.effort``: a force or moment along a coordinate, positive if it raises it."""
    return make_force("effort", name, coordinate, None, value=value, stiffness=stiffness, rest=rest, damping=damping)


@in_words
def Load(
    name: str, end: EndLike, *, value: VectorLike | None = None, moment: NumberLike | VectorLike | None = None,
    axes: str = "ground",
) -> Force:  # fmt: skip
    """As ``model.force``: a force and a moment on a body, at a point of it."""
    return make_force("force", name, end, None, value=value, moment=moment, axes=axes)


@in_words
def Bushing(
    name: str, first: EndLike, second: EndLike, *,
    stiffness: Sequence[NumberLike] | Sequence[Sequence[NumberLike]] | ArrayLike | None = None,
    damping: Sequence[NumberLike] | Sequence[Sequence[NumberLike]] | ArrayLike | None = None,
    preload: Sequence[NumberLike] | ArrayLike | None = None,
) -> Force:  # fmt: skip
    """As ``model.bushing``: an elastic connection of two frames in all directions."""
    return make_force("bushing", name, (first, second), None, stiffness=stiffness, damping=damping, preload=preload)


@in_words
def Friction(
    name: str, coordinate: CoordinateLike, *, load: NumberLike = 1.0, coulomb: NumberLike = 0.0,
    static: NumberLike | None = None, stribeck: NumberLike | None = None, viscous: NumberLike = 0.0,
    smooth: NumberLike | None = None,
) -> Force:  # fmt: skip
    """As ``model.friction``: dry and viscous friction along a coordinate."""
    return make_force(
        "friction", name, coordinate, None, load=load, coulomb=coulomb, static=static, stribeck=stribeck, viscous=viscous,
        smooth=smooth
    )  # fmt: skip


@in_words
def Stop(
    name: str, coordinate: CoordinateLike, *, lower: NumberLike | None = None, upper: NumberLike | None = None,
    stiffness: NumberLike, damping: NumberLike = 0.0, smooth: NumberLike | None = None,
) -> Force:  # fmt: skip
    """As ``model.stop``: elastic end stops of a coordinate."""
    return make_force(
        "stop", name, coordinate, None, lower=lower, upper=upper, stiffness=stiffness, damping=damping, smooth=smooth
    )  # fmt: skip


@in_words
def Prismatic(name: str, first: EndLike, second: EndLike, *, at: VectorLike | None = None, axis: VectorLike) -> Joint:
    """As ``model.prismatic``: slides along one axis."""
    return make_joint("translational", name, first, second, None, at, axis=axis)
