"""Vectors and matrices of numbers-or-formulas: geometry done on them keeps parameters parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from multibody.errors import ModelError
from multibody.model.expressions import Number, cos, if_, sin, sqrt
from multibody.model.geometry import Orientation
from multibody.model.values import Vector

Vec = tuple[Number, ...]
Mat = tuple[Vec, ...]
IDENTITY: Mat = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
IDENTITY2: Mat = ((1.0, 0.0), (0.0, 1.0))


class Values(Protocol):
    """What gives formulas their components and values."""

    def scalar(self, formula: Number, where: str) -> Number:
        """Return a number or formula of scalars."""

    def vector(self, value: Vector, size: int | None, where: str) -> Vec:
        """Return the components of a vector."""

    def numeric(self, vector: Sequence[Number], where: str = "") -> tuple[float, ...]:
        """Return the present values of formulas."""


def plus(a: Sequence[Number], b: Sequence[Number]) -> Vec:
    """Return a + b."""
    return tuple(x + y for x, y in zip(a, b, strict=True))


def minus(a: Sequence[Number], b: Sequence[Number]) -> Vec:
    """Return a − b."""
    return tuple(x - y for x, y in zip(a, b, strict=True))


def times(k: Number, a: Sequence[Number]) -> Vec:
    """Return k a."""
    return tuple(k * x for x in a)


def inner(a: Sequence[Number], b: Sequence[Number]) -> Number:
    """Return a·b."""
    total: Number = 0.0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def outer_product(a: Sequence[Number], b: Sequence[Number]) -> Vec:
    """Return a×b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def length(a: Sequence[Number]) -> Number:
    """Return |a|."""
    return sqrt(inner(a, a))


def normalized(a: Sequence[Number]) -> Vec:
    """Return a/|a|."""
    if all(isinstance(x, float) for x in a):  # squares of large and small numbers leave the range
        largest = max(abs(x) for x in a)
        a = [x / largest for x in a] if largest else a
    size = length(a)
    return tuple(x / size for x in a)


def transposed(A: Mat) -> Mat:
    """Return Aᵀ."""
    return tuple(zip(*A, strict=True))


def product(A: Mat, B: Mat) -> Mat:
    """Return A B."""
    if A is IDENTITY or A is IDENTITY2:
        return B
    if B is IDENTITY or B is IDENTITY2:
        return A
    columns = transposed(B)
    return tuple(tuple(inner(row, column) for column in columns) for row in A)


def turned(A: Mat, x: Sequence[Number]) -> Vec:
    """Return A x."""
    if A is IDENTITY or A is IDENTITY2:
        return tuple(x)
    return tuple(inner(row, x) for row in A)


def column(A: Mat, k: int) -> Vec:
    """Return the k-th column of A."""
    return tuple(row[k] for row in A)


def planar_rotation(angle: Number) -> Mat:
    """Return the 2×2 rotation by an angle [rad]."""
    if isinstance(angle, float) and angle == 0.0:
        return IDENTITY2
    c, s = cos(angle), sin(angle)
    return ((c, -s), (s, c))


def axis_rotation(axis: str, angle: Number) -> Mat:
    """Return the rotation about a coordinate axis."""
    c, s = cos(angle), sin(angle)
    if axis == "x":
        return ((1.0, 0.0, 0.0), (0.0, c, -s), (0.0, s, c))
    if axis == "y":
        return ((c, 0.0, s), (0.0, 1.0, 0.0), (-s, 0.0, c))
    return ((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0))


def shortest_turn(axis: Sequence[Number], scope: Values, where: str) -> Mat:
    """Return the shortest rotation that takes z to the axis; half a turn about x where the axis is −z."""
    values = scope.numeric(axis, where)
    size = sum(v * v for v in values) ** 0.5
    if size == 0.0:
        raise ModelError("the axis is zero", where=where, hint="an axis may have any length but zero")
    if values[0] == values[1] == 0.0 and all(isinstance(c, float) for c in axis):
        return IDENTITY if values[2] > 0.0 else ((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0))
    if values[2] / size < -1.0 + 1e-12:
        return ((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0))
    x, y, z = normalized(axis)
    k = 1.0 / (1.0 + z)
    return ((1.0 - k * x * x, -k * x * y, x), (-k * x * y, 1.0 - k * y * y, y), (-x, -y, z))


def frame_of_axes(letters: Sequence[tuple[str, Vec]], scope: Values, where: str) -> Mat:
    """Return the axes given by z and/or x: the first is kept, the other made perpendicular to it."""
    letter, first = letters[0]
    if len(letters) == 1:
        if letter == "z":
            return shortest_turn(first, scope, where)
        turned_to_z = shortest_turn((-first[2], first[1], first[0]), scope, where)  # seen with x in the role of z
        swap: Mat = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0))
        return product(swap, product(turned_to_z, transposed(swap)))
    a = normalized(first)
    second = letters[1][1]
    rest = minus(second, times(inner(a, second), a))
    if sum(v * v for v in scope.numeric(rest, where)) < 1e-24:
        raise ModelError("x and z are parallel", where=where, hint="give two directions that differ")
    b = normalized(rest)
    first_axis, third_axis = (a, b) if letter == "x" else (b, a)
    return transposed((first_axis, outer_product(third_axis, first_axis), third_axis))


def rotation_vector(w: Sequence[Number]) -> Mat:
    """Return the rotation by |w| about w (Rodrigues)."""
    angle = length(w)
    if isinstance(angle, float) and angle == 0.0:
        return IDENTITY
    half = angle / 2.0
    k, c = sin(angle) / angle, 2.0 * (sin(half) / angle) ** 2
    if not isinstance(angle, float):  # a formula may pass through zero
        k, c = if_(angle > 0.0, k, 1.0), if_(angle > 0.0, c, 0.5)
    x, y, z = w
    tilde: Mat = ((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0))
    square = product(tilde, tilde)
    return tuple(tuple(IDENTITY[i][j] + k * tilde[i][j] + c * square[i][j] for j in range(3)) for i in range(3))


def quaternion_matrix(q: Sequence[Number]) -> Mat:
    """Return the rotation of a quaternion (w, x, y, z) of any length."""
    w, x, y, z = normalized(q)
    return (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
        (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
        (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
    )


def orientation_matrix(orientation: Orientation | None, dimension: int, scope: Values, where: str) -> Mat:
    """Return the matrix whose columns are the axes, in the parent's components."""
    if orientation is None:
        return IDENTITY if dimension == 3 else IDENTITY2
    form = orientation.form
    if form == "axes":
        return frame_of_axes([(k, scope.vector(v, 3, where)) for k, v in orientation.numbers], scope, where)
    numbers = tuple(scope.scalar(item, where) for item in orientation.numbers)
    if form == "angle":
        return planar_rotation(numbers[0])
    if form == "quaternion":
        return quaternion_matrix(numbers)
    if form == "rotvec":
        return rotation_vector(numbers)
    sequence = orientation.sequence if form == "euler" else "xyz"  # URDF's rpy: about fixed x, y, z
    result = IDENTITY
    for letter, angle in zip(sequence, numbers, strict=True):
        step = axis_rotation(letter.lower(), angle)
        result = product(step, result) if sequence.islower() else product(result, step)
    return result
