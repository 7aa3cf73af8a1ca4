"""Bodies on paper: coordinates, velocities and poses, and the coordinate functions between two bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import sympy

from multibody.kernels import codes as L
from multibody.kernels.body_layout import LAYOUTS
from multibody.kernels.declared import PlanarNumbers, SpatialNumbers
from multibody.kernels.planar import planar_gamma, planar_terms, planar_value
from multibody.kernels.rotations import matrix_of_quaternion
from multibody.kernels.spatial import spatial_gamma, spatial_terms, spatial_value
from multibody.kernels.vectors import apply
from multibody.symbolic.formulas import symbolic
from multibody.symbolic.written import lifted, named, plain, written
from multibody.tables.build import Builder, FunctionRecord

ZERO = sympy.Integer(0)


class wrap(sympy.Function):  # type: ignore[misc]  # noqa: N801
    """An angle less its whole turns, within half a turn of zero."""

    nargs = 1

    def fdiff(self, argindex: int = 1) -> Any:
        """Return 1: turns that are left out do not change."""
        return sympy.Integer(1)


@dataclass(frozen=True)
class Pose:
    """Where a body is and how it moves, as expressions.

    Attributes
    ----------
    r, rate : tuple
        Center of mass and its velocity, ground axes.
    A : tuple
        Rotation matrix by rows, 4 or 9 entries.
    angle : expression
        Of a planar body.
    spin : tuple
        Angular velocity: planar one number, spatial ω′ in body axes.
    """

    r: tuple[Any, ...]
    A: tuple[Any, ...]
    angle: Any
    rate: tuple[Any, ...]
    spin: tuple[Any, ...]

    @property
    def velocity(self) -> tuple[Any, ...]:
        """Its velocity coordinates, as the kernels count them."""
        return (*self.rate, *self.spin)


def planar_pose(x: Any, y: Any, angle: Any, rate: Sequence[Any]) -> Pose:
    """Return a planar pose."""
    c, s = sympy.cos(angle), sympy.sin(angle)
    return Pose((x, y), (c, -s, s, c), angle, tuple(rate[LAYOUTS[2].shift]), tuple(rate[LAYOUTS[2].turn]))


def spatial_pose(r: Sequence[Any], p: Sequence[Any], velocity: Sequence[Any]) -> Pose:
    """Return a spatial pose with the matrix that the kernels make of a quaternion."""
    A = plain(written(matrix_of_quaternion)(*(lifted(e) for e in p)))
    return Pose(tuple(r), A, ZERO, tuple(velocity[LAYOUTS[3].shift]), tuple(velocity[LAYOUTS[3].turn]))


def ground(dimension: int) -> Pose:
    """Return the pose of the ground."""
    if dimension == 2:
        return planar_pose(ZERO, ZERO, ZERO, (ZERO,) * LAYOUTS[2].velocities)
    one = sympy.Integer(1)
    return spatial_pose((ZERO,) * 3, (one, ZERO, ZERO, ZERO), (ZERO,) * LAYOUTS[3].velocities)


@dataclass(frozen=True)
class Function:
    """A coordinate function at some poses: value, gradient over the columns of two bodies, γ term."""

    value: Any
    columns: tuple[tuple[int, Any], ...]
    gamma: Any
    rate: Any


class Functions:
    """The coordinate functions of a lowered model, at given poses of its bodies.

    Parameters
    ----------
    builder : Builder
        Of the lowered model.
    names : mapping
        What the names of parameters and of t stand for.
    poses : list of Pose
        The ground first.
    extras : list of (coordinate, rate)
        Extra coordinates.
    """

    def __init__(
        self, builder: Builder, names: Mapping[tuple[str, ...], Any], poses: Sequence[Pose],
        extras: Sequence[tuple[Any, Any]],
    ) -> None:  # fmt: skip
        self.builder, self.names, self.poses, self.extras = builder, names, poses, extras
        self.dimension = builder.dimension
        self.layout = LAYOUTS[self.dimension]
        self._known: dict[int, Function] = {}

    def __getitem__(self, k: int) -> Function:
        """Return function k, made once."""
        if k not in self._known:
            self._known[k] = self._made(self.builder.functions[k])
        return self._known[k]

    def set(self, k: int, function: Function) -> None:
        """Take another form of function k."""
        self._known[k] = function

    def number(self, value: Any) -> Any:
        """Return a number or formula of parameters."""
        return symbolic(value, self.names)

    def _made(self, f: FunctionRecord) -> Function:
        if f.kind == L.EXTRA:
            value, rate = self.extras[f.extra]
            column = self.layout.extra_rates(len(self.poses) - 1).start + f.extra
            return Function(value, ((column, sympy.Integer(1)),), ZERO, rate)
        numbers = [self.number(x) for x in f.numbers]
        first, second = self.poses[f.first], self.poses[f.second]
        made = self._planar if self.dimension == 2 else self._spatial
        value, parts, gamma = made(f.kind, first, second, numbers)
        columns, rate = [], ZERO
        for body, own in zip((f.first, f.second), parts, strict=True):
            rate += sum((g * v for g, v in zip(own, self.poses[body].velocity, strict=True)), ZERO)
            if body:
                columns += [(self.layout.first_rate(body) + k, g) for k, g in enumerate(own) if g != 0]
        return Function(value, tuple(columns), gamma, rate)

    def _planar(self, kind: int, first: Pose, second: Pose, x: list[Any]) -> tuple[Any, Any, Any]:
        """Return value, both gradients and γ of a planar function."""
        n = named(PlanarNumbers, x)
        p, q = (
            SimpleNamespace(x=lifted(b.r[0]), y=lifted(b.r[1]), cos=lifted(b.A[0]), sin=lifted(b.A[2]), angle=lifted(b.angle))
            for b in (first, second)
        )
        u, w = (
            SimpleNamespace(x=lifted(b.rate[0]), y=lifted(b.rate[1]), omega=lifted(b.spin[0])) for b in (first, second)
        )
        value = plain(written(planar_value)(L.ANGLE if kind == L.ALIGNED else kind, p, q, n))
        gx, gy, ti, tj = plain(written(planar_terms)(kind, p, q, n))
        value = wrap(value) if kind == L.ALIGNED else value
        return value, ((-gx, -gy, ti), (gx, gy, tj)), plain(written(planar_gamma)(kind, p, q, u, w, n))

    def _spatial(self, kind: int, first: Pose, second: Pose, x: list[Any]) -> tuple[Any, Any, Any]:
        """Return value, both gradients and γ of a spatial function; an angle without its turns."""
        n = named(SpatialNumbers, x)
        p, q = (SimpleNamespace(r=lifted(b.r), A=lifted(b.A)) for b in (first, second))
        u, w = (
            SimpleNamespace(v=lifted(b.rate), omega=written(apply)(lifted(b.A), lifted(b.spin))) for b in (first, second)
        )
        if kind == L.ANGLE:
            value = sympy.atan2(*(plain(_dot(p, q, a, b)) for a, b in ((n.a, n.b), (n.c, n.d))))
        else:
            value = plain(written(spatial_value)(kind, p, q, n, 0.0))
        along, ti, tj = plain(written(spatial_terms)(kind, p, q, n))
        back = tuple(-g for g in along)
        return value, ((*back, *ti), (*along, *tj)), plain(written(spatial_gamma)(kind, p, q, u, w, n))


def _dot(p: Any, q: Any, a: Any, b: Any) -> Any:
    """Return a_i·b_j of two spatial bodies."""
    return written(spatial_value)(L.DOT1, p, q, SimpleNamespace(a=a, b=b), 0.0)
