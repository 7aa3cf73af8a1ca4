"""What closed forms are told and what they work with, by name: lines, Pieper's shape, poses in the plane, room."""

from __future__ import annotations

from multibody.kernels.memory.compiled import within
from multibody.kernels.memory.declaration import Record, number, vector

CANDIDATES = 16  # most of them
TRIPLE, SIX = 3, 6  # angles of a candidate: of three turns, and of any arm


class Line(Record):
    """An axis in space at zero."""

    direction = vector(3, "its direction")
    point = vector(3, "a point on it")


class PlanarLine(Record):
    """An axis in the plane at zero."""

    sign = number("1 or −1: which way it turns")
    x = number("its place")
    y = number("its place")


class Shape(Record):
    """Three lines as Pieper's solution sees them, see ``three_axes``."""

    n = vector(3, "along the common normal of the first two")
    m = vector(3, "across n and the second")
    a1 = number("distance of the first two")
    cos = number("cosine of their angle")
    sin = number("sine of their angle")
    extent = number("of the arm")


class PlanarTarget(Record):
    """A pose in the plane."""

    x = number("position")
    y = number("position")
    cos = number("of the angle; axes by rows")
    minus_sin = number("−sin of the angle")
    sin = number("sin of the angle")
    other_cos = number("cos of the angle")


class Work(Record):
    """Room for the closed form of three turns."""

    circle = vector(5, "coefficients of 1, cos θ, sin θ, cos 2θ, sin 2θ")
    quartic = vector(5, "coefficients of 1 … t⁴")
    first = vector(4, "those of its derivative")
    second = vector(3, "those of its second derivative")
    critical = vector(8, "where the derivative vanishes")
    triples = vector(TRIPLE * CANDIDATES, "candidates of three angles")


LINE, PLANAR_LINE = Line.size, PlanarLine.size
line_in, planar_line_in, shape_in, planar_target_in, work_in = (
    within(Line), within(PlanarLine), within(Shape), within(PlanarTarget), within(Work),
)  # fmt: skip
