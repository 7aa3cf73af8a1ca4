"""Wrench elements, lowered: two frames, the angles between them and the numbers of the kind, in the plane as in space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.errors import ModelError
from multibody.kernels import codes as L
from multibody.model.expressions import Number
from multibody.model.forces import SAME, Force, check_symmetric
from multibody.model.matrices import IDENTITY, IDENTITY2, Mat, Vec
from multibody.tables.placement import End

if TYPE_CHECKING:
    from multibody.tables.build import Builder

# Angles about f, g, h of the first frame; f and g follow the second frame's h, so that any turn about h is allowed.
BUSHING_ANGLES = (("-g", "h", "h", "h"), ("f", "h", "h", "h"), ("g", "f", "f", "f"))
ROUNDING = 1e-9  # of matrices with ones on the diagonal: an eigenvalue that is zero but for what was rounded


@dataclass(frozen=True)
class WrenchElement:
    """A force and a moment between two frames: kind and numbers (see ``kernels/codes.py``), angles −1 where it needs none."""

    name: str
    kind: int
    first: End
    second: End
    angles: tuple[int, int, int]
    numbers: tuple[Number, ...]


def ends_of(builder: Builder, force: Force, where: str) -> tuple[End, End]:
    """Return both frames of a force between two ends."""
    identity = IDENTITY if builder.dimension == 3 else IDENTITY2
    first, second = (builder.placement.by_frame(end, identity, where) for end in force.target)
    return first, second


def angles_between(builder: Builder, ends: tuple[End, End]) -> list[int]:
    """Return the functions that are the angles about the axes of the first frame: one in the plane, three in space."""
    letters = BUSHING_ANGLES if builder.dimension == 3 else BUSHING_ANGLES[2:]
    return [builder.basic(("angle", *own), ends)[0][0] for own in letters]


def coupled_bushing(builder: Builder, force: Force, where: str) -> WrenchElement:
    """Return the element of a bushing with a full matrix or a preload."""
    ends, d = ends_of(builder, force, where), builder.dimension
    angles = angles_between(builder, ends)
    count = len(L.WRENCH_OF[d])
    K, C = (_matrix(builder, force.fields[key], count, f"{where}.{key}") for key in ("stiffness", "damping"))
    preload = [builder.scope.scalar(x, f"{where}.preload") for x in force.fields["preload"] or (0.0,) * count]
    for x in preload:
        builder.scope.value(x, f"{where}.preload")
    numbers = (*_spread(K, d), *_spread(C, d), *_spread_vector(preload, d))
    about = (angles[0], angles[1], angles[2]) if d == 3 else (-1, -1, angles[0])
    return WrenchElement(force.name, L.BUSHING, *ends, about, numbers)


def frame_numbers(end: End) -> list[Number]:
    """Return point and axes of a frame as a wrench element has them: three components and nine, by rows."""
    point, axes = (end.point, end.axes) if len(end.point) == 3 else ((*end.point, 0.0), _in_space(end.axes))
    return [*point, *(x for row in axes for x in row)]


def spread_frame(point: Any, axes: Any) -> Any:
    """Return point and axes of a frame as arrays in three dimensions, whichever they have."""
    p, C = np.zeros(3), np.eye(3)
    p[: len(point)], C[: len(axes), : len(axes)] = point, axes
    return p, C


def _in_space(axes: Mat) -> Mat:
    """Return axes in the plane as axes in space."""
    (a, b), (c, d) = axes
    return ((a, b, 0.0), (c, d, 0.0), (0.0, 0.0, 1.0))


def _spread(M: Sequence[Sequence[Number]], d: int) -> list[Number]:
    """Return a matrix over the components that a dimension has as one over all six, by rows."""
    found: list[Number] = [0.0] * (L.WRENCH * L.WRENCH)
    for r, row in zip(L.WRENCH_OF[d], M, strict=True):
        for c, x in zip(L.WRENCH_OF[d], row, strict=True):
            found[L.WRENCH * r + c] = x
    return found


def _spread_vector(x: Sequence[Number], d: int) -> Vec:
    """Return the components of a wrench that a dimension has among all six."""
    found: list[Number] = [0.0] * L.WRENCH
    for k, own in zip(L.WRENCH_OF[d], x, strict=True):
        found[k] = own
    return tuple(found)


def _matrix(builder: Builder, value: Any, count: int, where: str) -> list[list[Number]]:
    """Return a symmetric matrix without negative eigenvalues, of its diagonal or of its rows; zeros if it is not stated."""
    if value is None:
        value = (0.0,) * count
    scope, full = builder.scope, isinstance(value[0], tuple)
    rows = value if full else [[x if r == c else 0.0 for c in range(count)] for r, x in enumerate(value)]
    numbers = [[scope.scalar(x, where) for x in row] for row in rows]
    values = [[scope.value(x, where) for x in row] for row in numbers]
    check_symmetric(values, where)
    _check_sign(np.array(values), where)
    scope.keep_matrix(numbers)
    return [[numbers[min(r, c)][max(r, c)] for c in range(count)] for r in range(count)]


def is_energetic(M: Any) -> Any:
    """Return which matrices (..., n, n) are symmetric and without negative eigenvalues."""
    across, diagonal = np.swapaxes(M, -1, -2), np.diagonal(M, axis1=-2, axis2=-1)
    alike = np.abs(M - across) <= SAME * np.maximum(np.abs(M), np.abs(across))
    empty = (diagonal == 0.0) & np.any(M != 0.0, axis=-1)
    return np.all(alike, axis=(-2, -1)) & np.all((diagonal >= 0.0) & ~empty, axis=-1) & (_lowest(M) >= -ROUNDING)


def _lowest(M: Any) -> Any:
    """Return the lowest eigenvalues of matrices (..., n, n) whose rows and columns are scaled to ones on the diagonal."""
    diagonal = np.diagonal(M, axis1=-2, axis2=-1)
    size = np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    scaled = M / size[..., :, None] / size[..., None, :]
    return np.min(np.linalg.eigvalsh(0.5 * (scaled + np.swapaxes(scaled, -1, -2))), axis=-1)


def _check_sign(M: Any, where: str) -> None:
    """Refuse a negative eigenvalue; rows and columns are scaled to ones on the diagonal, so that units do not matter."""
    diagonal = np.diag(M)
    hint = "a stiffness or damping stores or takes energy in every direction: give a matrix with none below zero"
    if np.min(diagonal) < 0.0:
        raise ModelError(f"{np.min(diagonal):g} is negative", where=where, hint="give a diagonal that is zero or above")
    empty = (diagonal == 0.0) & np.any(M != 0.0, axis=1)
    if np.any(empty):
        k = int(np.argmax(empty))
        problem = f"row {k + 1} couples a direction whose own entry is zero, which gives a negative eigenvalue"
        raise ModelError(problem, where=where, hint=hint)
    lowest = float(_lowest(M))
    if lowest < -ROUNDING:
        problem = f"it has a negative eigenvalue, {lowest:.4g} where its diagonal is scaled to ones"
        raise ModelError(problem, where=where, hint=hint)
