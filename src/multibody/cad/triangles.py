"""The surface of a file of solids as triangles: STL, OBJ and GLB by trimesh, STEP by OCP."""

from __future__ import annotations

import pathlib
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from multibody.cad.part import STATED, missing, short_of
from multibody.errors import ModelError

Floats: TypeAlias = NDArray[np.float64]
Triangles: TypeAlias = NDArray[np.int64]

EXTENTS = (1e-90, 1e90)  # of a mesh, between which its volume is a number too


def read_triangles(file: str, name: str, where: str) -> tuple[Floats, Triangles]:
    """Return the corners (n, 3) [unit of the file] and, for each triangle, three rows of them, as the file has them."""
    if pathlib.Path(file).suffix.lower() in STATED:
        from multibody.cad.step import read_step, triangulated

        points, triangles = triangulated(read_step(file, name, where))
    else:
        points, triangles = _load(file, name, where)
    if not sound(points, triangles):
        raise hollow(name, where)
    return points, triangles


def _load(file: str, name: str, where: str) -> tuple[Floats, Triangles]:
    """Return what trimesh reads."""
    try:
        import trimesh
    except ImportError:
        raise missing(name, "trimesh", "mesh", where) from None
    try:
        made: Any = trimesh.load(file, force="mesh", process=False)
        return np.asarray(made.vertices, dtype=float), np.asarray(made.faces, dtype=np.int64)
    except Exception as error:  # trimesh raises whatever its readers do
        raise ModelError(f'"{name}" cannot be read ({short_of(error)})', where=where, hint="check the file") from None


def sound(points: Floats, triangles: Triangles) -> bool:
    """Return whether there are triangles, with corners that are there, in a box with a size."""
    if points.ndim != 2 or triangles.ndim != 2 or len(triangles) == 0 or not np.all(np.isfinite(points)):
        return False
    with np.errstate(over="ignore"):
        extent = float(np.max(np.ptp(points, axis=0)))
    return bool(EXTENTS[0] < extent < EXTENTS[1] and triangles.min() >= 0 and triangles.max() < len(points))


def hollow(name: str, where: str) -> ModelError:
    """Return what is said of a mesh that has nothing to draw."""
    return ModelError(f'"{name}" has no triangles with finite corners', where=where, hint="check the file")
