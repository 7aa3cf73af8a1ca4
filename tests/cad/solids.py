"""Solids whose volume, centroid and inertia have closed forms, turned and shifted, and the files that hold them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

Floats = NDArray[np.float64]

TURN = Rotation.from_euler("zxz", [0.7, -1.1, 2.3]).as_matrix()
SHIFT = np.array([3.1, -1.7, 0.9])


@dataclass(frozen=True)
class Exact:
    """Volume, centroid, and inertia about it at density 1."""

    volume: float
    center: Floats
    inertia: Floats

    def moved(self, turn: Floats = TURN, shift: Floats = SHIFT) -> Exact:
        return Exact(self.volume, turn @ self.center + shift, turn @ self.inertia @ turn.T)

    def scaled(self, s: float) -> Exact:
        return Exact(self.volume * s**3, self.center * s, self.inertia * s**5)

    def __add__(self, other: Exact) -> Exact:
        """Return both as one solid (parallel axes)."""
        volume = self.volume + other.volume
        center = (self.volume * self.center + other.volume * other.center) / volume
        inertia = np.zeros((3, 3))
        for part in (self, other):
            d = part.center - center
            inertia += part.inertia + part.volume * (d @ d * np.eye(3) - np.outer(d, d))
        return Exact(volume, center, inertia)


def box(a: float, b: float, c: float, at: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Exact:
    V = a * b * c
    return Exact(V, np.array(at), V / 12.0 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b]))


def cylinder(r: float, h: float, at: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Exact:
    V = math.pi * r * r * h
    return Exact(V, np.array(at), V * np.diag([r * r / 4 + h * h / 12, r * r / 4 + h * h / 12, r * r / 2]))


def prism(n: int, r: float, h: float) -> Exact:
    """Return a prism over a regular polygon of n corners on a circle of radius r."""
    V = n / 2 * r * r * math.sin(2 * math.pi / n) * h
    k = r * r * (2 + math.cos(2 * math.pi / n)) / 12
    return Exact(V, np.zeros(3), V * np.diag([k + h * h / 12, k + h * h / 12, 2 * k]))


def sphere(r: float) -> Exact:
    V = 4 / 3 * math.pi * r**3
    return Exact(V, np.zeros(3), 0.4 * V * r * r * np.eye(3))


def tetrahedron(a: float, b: float, c: float) -> Exact:
    """Return the one with corners at the origin and on the axes at a, b, c: ∫x² = V a²/10, ∫xy = V ab/20."""
    V = a * b * c / 6
    e = np.array([a, b, c])
    second = V / 20 * (np.outer(e, e) + np.diag(e * e))
    center = e / 4
    second -= V * np.outer(center, center)
    return Exact(V, center, np.trace(second) * np.eye(3) - second)


def write_stl(file: Path, points: Floats, triangles: Any) -> None:
    """Write triangles as text with all digits; trimesh writes single precision."""
    lines = ["solid part"]
    for triangle in np.asarray(triangles):
        corners = "".join(f"vertex {' '.join(repr(float(x)) for x in points[k])}\n" for k in triangle)
        lines.append(f"facet normal 0 0 0\nouter loop\n{corners}endloop\nendfacet")
    file.write_text("\n".join([*lines, "endsolid part\n"]))


def write_obj(file: Path, points: Floats, triangles: Any) -> None:
    corners = "".join(f"v {' '.join(repr(float(x)) for x in p)}\n" for p in points)
    file.write_text(corners + "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in np.asarray(triangles)))


def close(found: Any, exact: Exact, rel: float) -> None:
    """Compare a part, or anything that has volume, center and inertia, with the closed form."""
    size = exact.volume ** (1 / 3)
    assert abs(found.volume / exact.volume - 1.0) < rel
    far = float(np.max(np.abs(exact.center))) + size
    np.testing.assert_allclose(found.center, exact.center, rtol=0, atol=rel * far)
    np.testing.assert_allclose(found.inertia, exact.inertia, rtol=0, atol=rel * float(np.max(np.abs(exact.inertia))))
    np.testing.assert_array_equal(np.asarray(found.inertia), np.asarray(found.inertia).T)
