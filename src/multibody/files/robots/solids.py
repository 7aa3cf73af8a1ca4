"""Mass properties of the solids of a link, each of one density."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from multibody.errors import ModelError
from multibody.files.robots.description import Solid
from multibody.files.robots.pose import Floats

__all__ = ["mass_of_solids"]


def mass_of_solids(solids: Sequence[Solid], density: float, link: str) -> tuple[float, Floats, Floats]:
    """Return mass [kg], center of mass [m] and inertia about it [kg m²] of solids together, in link axes (parallel axes).

    Parameters
    ----------
    solids : list of Solid
        At least one. What overlaps is counted twice.
    density : float
        [kg/m³]
    link : str
        For messages.
    """
    parts = [_placed(solid, density, link) for solid in solids]
    mass = sum(part[0] for part in parts)
    if not mass > 0.0:
        raise solids[0].line.error(f'the solids of link "{link}" have no volume', "give them a size, or state an inertia")
    com = np.asarray(sum(m * c for m, c, _ in parts) / mass)
    inertia = np.zeros((3, 3))
    for m, c, own in parts:
        d = c - com
        inertia += own + m * (d @ d * np.eye(3) - np.outer(d, d))
    return mass, com, inertia


def _placed(solid: Solid, density: float, link: str) -> tuple[float, Floats, Floats]:
    """Return mass properties of one solid in link axes."""
    volume, center, own = _of_mesh(solid, link) if solid.kind == "mesh" else _of_shape(solid)
    R = solid.place.axes
    return density * volume, np.array(solid.place.at) + R @ center, density * R @ own @ R.T


def _of_shape(solid: Solid) -> tuple[float, Floats, Floats]:
    """Return volume, centroid and inertia at density 1 of a shape, in its own axes."""
    center = np.zeros(3)
    if solid.kind == "box":
        x, y, z = solid.size
        volume = x * y * z
        return volume, center, volume / 12.0 * np.diag([y * y + z * z, x * x + z * z, x * x + y * y])
    if solid.kind in ("sphere", "ellipsoid"):
        a, b, c = solid.size if solid.kind == "ellipsoid" else solid.size * 3
        volume = 4.0 / 3.0 * math.pi * a * b * c
        return volume, center, volume / 5.0 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])
    r, h = solid.size
    volume = math.pi * r * r * h
    axial, across = volume * r * r / 2.0, volume * (r * r / 4.0 + h * h / 12.0)
    if solid.kind == "capsule":  # two half spheres, whose centroids lie 3r/8 outside of the cylinder's ends
        ball = 4.0 / 3.0 * math.pi * r**3
        volume, axial = volume + ball, axial + ball * 0.4 * r * r
        across += ball * (0.4 * r * r + h * h / 4.0 + 0.375 * r * h)
    return volume, center, np.diag([across, across, axial])


def _of_mesh(solid: Solid, link: str) -> tuple[float, Floats, Floats]:
    """Return volume, centroid and inertia at density 1 of a mesh, in its own axes, scaled."""
    from multibody.cad.closed import scaled_properties

    try:
        return scaled_properties(solid.file, solid.scale)
    except ModelError as error:
        raise solid.line.error(f'link "{link}": {error.problem}', error.hint) from None
