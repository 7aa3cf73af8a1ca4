"""Mass properties of a body: stated, or from its shapes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from multibody.errors import ModelError
from multibody.model.body import Body
from multibody.model.expressions import Number
from multibody.model.matrices import (
    Mat,
    Vec,
    inner,
    length,
    minus,
    normalized,
    orientation_matrix,
    product,
    times,
    transposed,
)  # fmt: skip
from multibody.model.shapes import Shape
from multibody.tables.scope import Scope

Floats = npt.NDArray[np.float64]


class MassProperties:
    """Mass, center of mass and inertia about it of one body, as numbers or formulas.

    Attributes
    ----------
    mass : Number or None
    com : Vec
        In the author's axes [length].
    inertia : Mat or Number or None
        Planar a number, spatial 3×3, about the center of mass, body axes.
    """

    def __init__(self, body: Body, dimension: int, scope: Scope) -> None:
        self.where = f"bodies.{body.name}"
        self.dimension, self.scope = dimension, scope
        self.mass: Number | None = None if body.mass is None else scope.scalar(body.mass, self.where)
        solids = [shape for shape in body.shape if shape.kind != "mesh"]
        masses = self._masses(solids)
        self.com: Vec = self._center(body, solids, masses)
        stated = self._stated(body)
        self.inertia: Number | Mat | None = self._summed(solids, masses) if stated is None else stated
        self._check()

    def _masses(self, solids: list[Shape]) -> list[Number | None]:
        """Return the mass of each solid; what the body's mass leaves over is shared by volume."""
        found: list[Number | None] = []
        for shape in solids:
            if "mass" in shape.fields:
                found.append(self.scope.scalar(shape.fields["mass"], self.where))
            elif "density" in shape.fields:
                found.append(self.scope.scalar(shape.fields["density"], self.where) * self._volume(shape))
            else:
                found.append(None)
        known: Number = 0.0
        for item in found:
            known = known + item if item is not None else known
        open_ones = [k for k, item in enumerate(found) if item is None]
        if self.mass is None:
            if solids and not open_ones:
                self.mass = known
            return found
        total: Number = 0.0
        for k in open_ones:
            total = total + self._volume(solids[k]) if len(open_ones) > 1 else 1.0
        for k in open_ones:
            share = self._volume(solids[k]) / total if len(open_ones) > 1 else 1.0
            found[k] = (self.mass - known) * share
        return found

    def _point(self, vector: object) -> Vec:
        return self.scope.vector(vector, self.dimension, self.where)  # type: ignore[arg-type]

    def _field(self, shape: Shape, key: str) -> Number | None:
        value = shape.fields.get(key)
        return None if value is None else self.scope.scalar(value, self.where)

    def _volume(self, shape: Shape) -> Number:
        """Return the volume (planar: the area, times `depth` if given)."""
        radius = self._field(shape, "radius")
        if shape.kind in ("rod", "cylinder"):
            span = length(minus(self._point(shape.value[1]), self._point(shape.value[0])))
            if radius is None:
                raise ModelError(
                    "a rod without radius has no volume", where=self.where, hint="add radius, or state the mass"
                )
            size: Number = 2.0 * radius * span if self.dimension == 2 else math.pi * radius * radius * span
        elif shape.kind == "box":
            size = 1.0
            for edge in self._point(shape.value):
                size = size * edge
        elif shape.kind == "sphere" and radius is not None:
            size = math.pi * radius * radius if self.dimension == 2 else 4.0 / 3.0 * math.pi * radius * radius * radius
        elif shape.kind == "disk" and radius is not None:
            thickness = self._field(shape, "thickness")
            if self.dimension == 3 and thickness is None:
                raise ModelError(
                    "a disk without thickness has no volume", where=self.where, hint="add thickness, or state the mass"
                )
            size = math.pi * radius * radius * (thickness if self.dimension == 3 and thickness is not None else 1.0)
        else:
            raise ModelError(f"{shape.kind} has no volume", where=self.where, hint="state its mass")
        depth = self._field(shape, "depth") if self.dimension == 2 else None
        return size if depth is None else size * depth

    def _middle(self, shape: Shape) -> Vec:
        """Return the center of mass of a solid."""
        if shape.kind in ("rod", "cylinder"):
            P, Q = self._point(shape.value[0]), self._point(shape.value[1])
            return tuple((a + b) / 2.0 for a, b in zip(P, Q, strict=True))
        if shape.kind == "box":
            return self._point(shape.fields["at"]) if "at" in shape.fields else (0.0,) * self.dimension
        return self._point(shape.value)

    def _center(self, body: Body, solids: list[Shape], masses: list[Number | None]) -> Vec:
        """Return the stated center of mass, that of the solids, or the origin."""
        if body.com is not None:
            return self._point(body.com)
        if not solids:
            return (0.0,) * self.dimension
        if len(solids) == 1:
            return self._middle(solids[0])
        weights = [self._volume(s) if m is None else m for s, m in zip(solids, masses, strict=True)]
        total: Number = 0.0
        moment: Vec = (0.0,) * self.dimension
        for shape, weight in zip(solids, weights, strict=True):
            total = total + weight
            moment = tuple(a + weight * b for a, b in zip(moment, self._middle(shape), strict=True))
        return tuple(a / total for a in moment)

    def _stated(self, body: Body) -> Number | Mat | None:
        """Return the inertia that the user stated."""
        value = body.inertia
        if value is None:
            return None
        if not isinstance(value, tuple):
            return self.scope.scalar(value, self.where)
        if isinstance(value[0], tuple):
            return tuple(self.scope.vector(row, 3, self.where) for row in value)
        a, b, c = (self.scope.scalar(item, self.where) for item in value)
        return ((a, 0.0, 0.0), (0.0, b, 0.0), (0.0, 0.0, c))

    def _summed(self, solids: list[Shape], masses: list[Number | None]) -> Number | Mat | None:
        """Return the inertia of the solids about the common center of mass (parallel axes)."""
        if not solids or any(m is None for m in masses):
            return None
        if self.dimension == 2:
            planar: Number = 0.0
            for shape, mass in zip(solids, masses, strict=True):
                offset = minus(self._middle(shape), self.com)
                planar = planar + (mass or 0.0) * (self._planar_gyration(shape) + inner(offset, offset))
            return planar
        rows = [[0.0 for _ in range(3)] for _ in range(3)]
        total: list[list[Number]] = [list(row) for row in rows]
        for shape, mass in zip(solids, masses, strict=True):
            own = self._gyration(shape)
            d = minus(self._middle(shape), self.com)
            square = inner(d, d)
            for i in range(3):
                for j in range(3):
                    steiner = (square if i == j else 0.0) - d[i] * d[j]
                    total[i][j] = total[i][j] + (mass or 0.0) * (own[i][j] + steiner)
        return tuple(tuple(row) for row in total)

    def _planar_gyration(self, shape: Shape) -> Number:
        """Return inertia over mass of a planar solid about its own center."""
        radius = self._field(shape, "radius")
        if shape.kind in ("rod", "cylinder"):
            d = minus(self._point(shape.value[1]), self._point(shape.value[0]))
            return inner(d, d) / 12.0 + (radius * radius / 3.0 if radius is not None else 0.0)
        if shape.kind == "box":
            edges = self._point(shape.value)
            return inner(edges, edges) / 12.0
        if shape.kind in ("disk", "sphere") and radius is not None:
            return radius * radius * (0.5 if shape.kind == "disk" else 0.4)
        return 0.0

    def _gyration(self, shape: Shape) -> Mat:
        """Return inertia over mass of a spatial solid about its own center, body axes."""
        radius = self._field(shape, "radius") or 0.0
        if shape.kind in ("rod", "cylinder"):
            d = minus(self._point(shape.value[1]), self._point(shape.value[0]))
            return _about_axis(normalized(d), radius * radius / 2.0, radius * radius / 4.0 + inner(d, d) / 12.0)
        if shape.kind == "disk":
            thickness = self._field(shape, "thickness") or 0.0
            axis = self._point(shape.fields["axis"]) if "axis" in shape.fields else (0.0, 0.0, 1.0)
            return _about_axis(
                normalized(axis), radius * radius / 2.0, radius * radius / 4.0 + thickness * thickness / 12.0
            )
        if shape.kind == "box":
            x, y, z = (edge * edge / 12.0 for edge in self._point(shape.value))
            own: Mat = ((y + z, 0.0, 0.0), (0.0, x + z, 0.0), (0.0, 0.0, x + y))
            if "orientation" not in shape.fields:
                return own
            A = orientation_matrix(shape.fields["orientation"], 3, self.scope, self.where)
            return product(A, product(own, transposed(A)))
        k: Number = 0.4 * radius * radius if shape.kind == "sphere" else 0.0
        return ((k, 0.0, 0.0), (0.0, k, 0.0), (0.0, 0.0, k))

    def _check(self) -> None:
        """Refuse an inertia that no body can have."""
        if self.mass is not None and self.scope.value(self.mass, self.where) < 0.0:
            raise ModelError("its mass is negative", where=self.where, hint="a mass is zero or above")
        self.scope.keep(0.0 if self.mass is None else self.mass)
        if self.inertia is None:
            return
        if not isinstance(self.inertia, tuple):
            if self.scope.value(self.inertia, self.where) < 0.0:
                raise ModelError("its inertia is negative", where=self.where, hint="an inertia is zero or above")
            self.scope.keep(self.inertia)
            return
        moments = np.linalg.eigvalsh(np.array([self.scope.numeric(row, self.where) for row in self.inertia]))
        if not is_possible(moments):
            a, b, c = moments
            text = ", ".join(f"{v:.4g}" for v in (a, b, c))
            hint = "each is at most the sum of the other two, about the center of mass"
            raise ModelError(f"no body has the principal moments {text}", where=self.where, hint=hint)


def is_possible(moments: Floats) -> Any:
    """Return whether a body can have these principal moments (..., 3), in increasing order."""
    a, b, c = np.moveaxis(moments, -1, 0)
    slack = 1e-6 * np.maximum(c, 0.0)
    return (a >= -slack) & (a + b >= c - slack)


def _about_axis(u: Vec, axial: Number, transverse: Number) -> Mat:
    """Return transverse (E − u uᵀ) + axial u uᵀ."""
    rows = []
    for i in range(3):
        extra = times((axial - transverse) * u[i], u)
        rows.append(tuple(extra[j] + (transverse if i == j else 0.0) for j in range(3)))
    return tuple(rows)
