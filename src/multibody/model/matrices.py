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

    def numeric(self, vector: Vec, where: str = "") -> tuple[float, ...]:
        """Return the present values of formulas."""


def plus(a: Sequence[Number], b: Sequence[Number]) -> Vec:
    """Return a + b."""
    return tuple(x + y for x, y in zip(a, b, strict=True))


def minus(a: Sequence[Number], b: Sequence[Number]) -> Vec:
    """Return a − b."""
    return tuple(x - y for x, y in zip(a, b, strict=True))


def inner(a: Sequence[Number], b: Sequence[Number]) -> Number:
    """Return a·b."""
    total: Number = 0.0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def outer_product(a: Sequence[Number], b: Sequence[Number]) -> Vec:
    """Return a×b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def normalized(a: Sequence[Number]) -> Vec:
    """Return a/|a|."""
    size = sqrt(inner(a, a))
    return tuple(x / size for x in a)


def transposed(A: Mat) -> Mat:
    """Return Aᵀ."""
    return tuple(zip(*A, strict=True))


def product(A: Mat, B: Mat) -> Mat:
    """Return A B."""
    columns = transposed(B)
    return tuple(tuple(inner(row, column) for column in columns) for row in A)


def turned(A: Mat, x: Sequence[Number]) -> Vec:
    """Return A x."""
    return tuple(inner(row, x) for row in A)


def column(A: Mat, k: int) -> Vec:
    """Return the k-th column of A."""
    return tuple(row[k] for row in A)


def _about(axis: str, angle: Number) -> Mat:
    """Return the rotation about a coordinate axis."""
    c, s = cos(angle), sin(angle)
    if axis == "x":
        return ((1.0, 0.0, 0.0), (0.0, c, -s), (0.0, s, c))
    if axis == "y":
        return ((c, 0.0, s), (0.0, 1.0, 0.0), (-s, 0.0, c))
    return ((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0))


def _shortest_turn(axis: Vec, values: Values, where: str) -> Mat:
    """Return the shortest rotation that takes z to the axis; half a turn about x where the axis is −z."""
    x0, y0, z0 = values.numeric(axis, where)
    size = (x0 * x0 + y0 * y0 + z0 * z0) ** 0.5
    if size == 0.0:
        raise ModelError("the axis is zero", where=where, hint="an axis may have any length but zero")
    if z0 / size < -1.0 + 1e-12:
        return ((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0))
    x, y, z = normalized(axis)
    k = 1.0 / (1.0 + z)
    return ((1.0 - k * x * x, -k * x * y, x), (-k * x * y, 1.0 - k * y * y, y), (-x, -y, z))


def _of_axes(letters: Sequence[tuple[str, Vec]], values: Values, where: str) -> Mat:
    """Return the axes given by z and/or x: the first is kept, the other made perpendicular to it."""
    letter, first = letters[0]
    if len(letters) == 1:
        if letter == "z":
            return _shortest_turn(first, values, where)
        turn = _shortest_turn((-first[2], first[1], first[0]), values, where)  # seen with x in the role of z
        swap: Mat = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0))
        return product(swap, product(turn, transposed(swap)))
    a, b = normalized(first), letters[1][1]
    along = inner(a, b)
    rest = minus(b, tuple(along * c for c in a))
    if sum(v * v for v in values.numeric(rest, where)) < 1e-24:
        raise ModelError("x and z are parallel", where=where, hint="give two directions that differ")
    x, z = (a, normalized(rest)) if letter == "x" else (normalized(rest), a)
    return transposed((x, outer_product(z, x), z))


def _of_vector(w: Vec) -> Mat:
    """Return the rotation by |w| about w (Rodrigues)."""
    angle = sqrt(inner(w, w))
    if isinstance(angle, float) and angle == 0.0:
        return IDENTITY
    half = angle / 2.0
    first, second = sin(angle) / angle, 2.0 * (sin(half) / angle) ** 2
    if not isinstance(angle, float):  # a formula may pass through zero
        first, second = if_(angle > 0.0, first, 1.0), if_(angle > 0.0, second, 0.5)
    x, y, z = w
    tilde: Mat = ((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0))
    square = product(tilde, tilde)
    return tuple(
        tuple(IDENTITY[i][j] + first * tilde[i][j] + second * square[i][j] for j in range(3)) for i in range(3)
    )


def _of_quaternion(q: Vec) -> Mat:
    """Return the rotation of a quaternion (w, x, y, z) of any length."""
    w, x, y, z = normalized(q)
    return (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
        (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
        (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
    )


def orientation_matrix(orientation: Orientation | None, dimension: int, values: Values, where: str) -> Mat:
    """Return the matrix whose columns are the axes, in the parent's components."""
    if orientation is None:
        return IDENTITY if dimension == 3 else IDENTITY2
    form = orientation.form
    if form == "axes":
        return _of_axes([(k, values.vector(v, 3, where)) for k, v in orientation.numbers], values, where)
    numbers = tuple(values.scalar(item, where) for item in orientation.numbers)
    if form == "angle":
        c, s = cos(numbers[0]), sin(numbers[0])
        return ((c, -s), (s, c))
    if form == "quaternion":
        return _of_quaternion(numbers)
    if form == "rotvec":
        return _of_vector(numbers)
    sequence = orientation.sequence if form == "euler" else "xyz"  # URDF's rpy: about fixed x, y, z
    result = IDENTITY
    for letter, angle in zip(sequence, numbers, strict=True):
        step = _about(letter.lower(), angle)
        result = product(step, result) if sequence.islower() else product(result, step)
    return result
