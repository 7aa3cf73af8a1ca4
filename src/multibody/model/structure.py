"""What a kind of joint is made of: the relative motion of a pair, and the basic constraints and coordinates of any kind.

Joint axes are written f, g, h; in a basic constraint the first letter is on the first end, the second on the second end.

* ``("coincide",)``: the two points coincide (a row for every ground axis)
* ``("dot1", a, b)``: a_i·b_j = 0
* ``("dot2", a)``: a_i·d = 0, d from the first point to the second
* ``("angle",)``: planar relative angle
* ``("distance",)``: |d| = length
* ``("advance",)``: position − pitch · angle = 0 of a screw

Coordinates are functions too: ``("dot2", a)``, ``("angle", s1, s2, c1, c2)`` = atan2(s1_i·s2_j, c1_i·c2_j), ``("distance",)``.

A pair is told by its motion alone (:class:`PairMotion`). Its rows hold what the motion leaves out and its coordinates measure
what it lets go, so both follow; and the columns of a tree, the start of assembly and parametric pairs read the same motion.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

Basic = tuple[str, ...]

AXES = "fgh"
SLIDE, TURN, SCREW, BALL = "slide", "turn", "screw", "ball"

# atan2 of the second frame's axes after a turn about the letter
_MEASURED: dict[str, Basic] = {"h": ("angle", "g", "f", "f", "f"), "f": ("angle", "h", "g", "h", "h")}
# what keeps frames from turning but about these axes, one after the other
_HELD: dict[str, tuple[Basic, ...]] = {
    "": (("dot1", "g", "h"), ("dot1", "h", "f"), ("dot1", "f", "g")),
    "h": (("dot1", "f", "h"), ("dot1", "g", "h")),
    "hf": (("dot1", "h", "f"),),
}
_ALIGNED: dict[str, tuple[str, ...]] = {"": ("f", "g", "h"), "h": ("h",)}


@dataclass(frozen=True)
class Freedom:
    """One degree of freedom of a pair: an elementary motion of the second end relative to the first.

    Attributes
    ----------
    how : str
        ``SLIDE`` along an axis, ``TURN`` about it, ``SCREW`` both at once; ``BALL``: one of three turnings that no angles tell.
    axis : str
        f, g or h: of a slide, a screw or a ball that of the first end; of a turn as the turns before it left it.
    coordinate : str
        Name of its coordinate [length or rad]; of a ball the component of its relative angular velocity.
    position : str
        Of a screw: name of the position [length] that its angle brings about.
    lead : str
        Of a screw: field of the joint that says how far it advances a turn, right-handed positive [length].
    """

    how: str
    axis: str
    coordinate: str
    position: str = ""
    lead: str = ""

    @property
    def number(self) -> int:
        """Its axis as a number: 0, 1, 2 for f, g, h."""
        return AXES.index(self.axis)


def slide(axis: str, coordinate: str = "position") -> Freedom:
    """Return a translation along an axis of the first end."""
    return Freedom(SLIDE, axis, coordinate)


def turn(axis: str, coordinate: str = "angle") -> Freedom:
    """Return a rotation about an axis."""
    return Freedom(TURN, axis, coordinate)


def screw(axis: str, lead: str) -> Freedom:
    """Return a rotation about an axis that slides along it by the field `lead` a turn."""
    return Freedom(SCREW, axis, "angle", "position", lead)


def ball() -> tuple[Freedom, ...]:
    """Return the three rotations of a ball; together they have a quaternion, not angles."""
    return tuple(Freedom(BALL, axis, f"omega.{name}") for axis, name in zip(AXES, "xyz", strict=True))


def free(dimension: int) -> tuple[Freedom, ...]:
    """Return all relative motion, as that of a body that hangs on nothing relative to the ground."""
    slides = tuple(slide(axis, name) for axis, name in zip(AXES[:dimension], "xyz"[:dimension], strict=True))
    return (*slides, turn("h")) if dimension == 2 else (*slides, *ball())


@dataclass(frozen=True)
class PairMotion:
    """How the second end of a pair moves relative to the first: elementary motions, from the first end outward.

    With slides s_k along the axes a_k of the first end and turns φ_k, the ends' points and axes satisfy
    p_j = p_i + C_i Σ a_k s_k and C_j = C_i R(φ₁) R(φ₂), C the axes f, g, h of an end as columns.

    Attributes
    ----------
    dimension : int
        2 or 3; planar axes are f and g, and h is the plane's normal.
    freedoms : tuple of Freedom
        Slides, then turns about h and f (in this order), a screw about h or a ball.
    """

    dimension: int
    freedoms: tuple[Freedom, ...]

    @cached_property
    def slides(self) -> tuple[Freedom, ...]:
        """Its free translations, in order."""
        return tuple(freedom for freedom in self.freedoms if freedom.how == SLIDE)

    @cached_property
    def turns(self) -> tuple[Freedom, ...]:
        """Its rotations that have an angle, in order; that of a screw too."""
        return tuple(freedom for freedom in self.freedoms if freedom.how in (TURN, SCREW))

    @cached_property
    def screw(self) -> Freedom | None:
        """The one that turns and slides at once, None where there is none."""
        return next((freedom for freedom in self.freedoms if freedom.how == SCREW), None)

    @cached_property
    def ball(self) -> bool:
        """Whether it turns in any way."""
        return any(freedom.how == BALL for freedom in self.freedoms)

    @property
    def angles(self) -> int:
        """Number of its rotational degrees of freedom: 0, 1 about h, 2 about h and f, 3 any."""
        return len(self.freedoms) - len(self.slides)

    @property
    def rows(self) -> tuple[Basic, ...]:
        """The basic constraints that leave exactly this motion: translations, rotations, the advance of a screw."""
        moved = [freedom.axis for freedom in self.freedoms if freedom.how in (SLIDE, SCREW)]
        held = [("dot2", axis) for axis in AXES[: self.dimension] if axis not in moved]
        points: list[Basic] = [*held] if moved else [("coincide",)]
        return (*points, *self._held_rotations, *([("advance",)] if self.screw else []))

    @property
    def _held_rotations(self) -> tuple[Basic, ...]:
        """The constraints between the axes of both ends."""
        if self.dimension == 2:
            return () if self.turns else (("angle",),)
        return () if self.ball else _HELD[self._about]

    @property
    def _about(self) -> str:
        """The axes of its turns, in order."""
        return "".join(freedom.axis for freedom in self.turns)

    @property
    def coordinates(self) -> tuple[tuple[str, Basic], ...]:
        """Name and function of each coordinate, in the order of the freedoms; a ball has none."""
        return tuple((freedom.coordinate, self._measure(freedom)) for freedom in self.freedoms if freedom.how != BALL)

    def _measure(self, freedom: Freedom) -> Basic:
        """Return the function that a coordinate is."""
        if freedom.how == SLIDE:
            return ("dot2", freedom.axis)
        return ("angle",) if self.dimension == 2 else _MEASURED[freedom.axis]

    @property
    def readable(self) -> tuple[tuple[str, Basic], ...]:
        """Name and function of what follows from the coordinates: the position of a screw."""
        return ((self.screw.position, ("dot2", self.screw.axis)),) if self.screw else ()

    @property
    def aligned(self) -> tuple[str, ...]:
        """Axes that point the same way on both ends."""
        return _ALIGNED.get(self._about, ()) if self.dimension == 3 and not self.ball else ()


@dataclass(frozen=True)
class Structure:
    """What a kind is made of in the plane or in space.

    Attributes
    ----------
    rows : tuple of basic constraints
    coordinates : tuple of (name, basic function)
        The joint's own coordinates, in the order of results.
    readable : tuple of (name, basic function)
        Further quantities that paths may name.
    aligned : tuple of str
        Axes that must point the same way on both ends; the rows alone would accept the flipped assembly.
    motion : PairMotion or None
        The relative motion of a pair, from which all of this follows; None for what is no pair.
    """

    rows: tuple[Basic, ...] = ()
    coordinates: tuple[tuple[str, Basic], ...] = ()
    readable: tuple[tuple[str, Basic], ...] = ()
    aligned: tuple[str, ...] = ()
    motion: PairMotion | None = None


def pair(dimension: int, *freedoms: Freedom) -> Structure:
    """Return the structure of a pair that moves so and no other way."""
    motion = PairMotion(dimension, freedoms)
    return Structure(motion.rows, motion.coordinates, motion.readable, motion.aligned, motion)
