"""Meshes that bodies name as their shape: read for drawing only, from STL, OBJ, GLB or STEP files."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from multibody.cad.part import UNITS, find_file
from multibody.cad.triangles import hollow, read_triangles, sound
from multibody.errors import ModelError
from multibody.model.matrices import orientation_matrix
from multibody.model.shapes import Shape
from multibody.model.units import LENGTHS
from multibody.tables.lower import Tables
from multibody.tables.scope import Scope
from multibody.view.geometry import Floats, box_corners

MOST_TRIANGLES = 20_000  # of one mesh; finer ones are made coarser


class MeshWarning(UserWarning):
    """A mesh that a body names is not drawn."""


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles: their corners (n, 3) [length] and, for each, three rows of them, counter-clockwise seen from outside."""

    points: Floats
    triangles: np.ndarray
    axes: Floats
    """Of the body that it belongs to, as columns."""

    def placed(self, r: Floats, A: Floats) -> Mesh:
        """Return it with a body at its pose."""
        return Mesh(np.asarray(r + self.points @ A.T), self.triangles, np.asarray(A @ self.axes))

    @property
    def box(self) -> Floats:
        """The 8 corners of a box around it along the axes of its body."""
        local = self.points @ self.axes
        low, high = local.min(axis=0), local.max(axis=0)
        return np.asarray(box_corners(high - low, 0.5 * (low + high)) @ self.axes.T)


def meshes_of(tables: Tables, scope: Scope) -> tuple[dict[int, tuple[Mesh, ...]], list[str]]:
    """Return the meshes of bodies of a spatial model, from their centers of mass, and a sentence about each that is missing.

    A mesh that cannot be read is left out: the body is drawn as if it had none.
    """
    found: dict[int, tuple[Mesh, ...]] = {}
    notes: list[str] = []
    for b, name in enumerate(tables.bodies):
        shapes = tables.model.bodies[name].shape if b and tables.dimension == 3 else ()
        for shape in (shape for shape in shapes if shape.kind == "mesh"):
            where = f"bodies.{name}.shape"
            scale = scales_of(shape, scope, where)
            try:
                mesh = read_mesh(tables, shape.value, scale, where)
            except ModelError as error:
                notes.append(str(error))
                continue
            origin = tables.vector(tables.frames[name, "origin"].point)
            at = scope.vector(shape.fields.get("at", (0.0, 0.0, 0.0)), 3, where)
            points = mesh.points @ axes_of(shape, scope, 3).T + np.array(scope.numeric(at, where)) + origin
            found[b] = (*found.get(b, ()), Mesh(points, mesh.triangles, mesh.axes))
    return found, notes


def axes_of(shape: Shape, scope: Scope, dimension: int) -> Floats:
    """Return the axes of a box or a mesh as columns, in those of its body."""
    found = orientation_matrix(shape.fields.get("orientation"), dimension, scope, "draw")
    return np.array([scope.numeric(row, "draw") for row in found])


def scales_of(shape: Shape, scope: Scope, where: str) -> Floats:
    """Return by what the numbers of a mesh are multiplied along each axis (3); one below zero mirrors it."""
    scale = shape.fields.get("scale", 1.0)
    if isinstance(scale, tuple):
        return np.array(scope.numeric(scope.vector(scale, 3, where), where))
    return np.full(3, scope.value(scope.scalar(scale, where), where))


def read_mesh(tables: Tables, name: str, scale: Floats, where: str) -> Mesh:
    """Return a mesh in body axes from the body's origin, in the model's unit of length.

    Parameters
    ----------
    tables : Tables
    name : str
        Of the file: as such, or beside the model's own files.
    scale : array (3)
        Multiplies the file's numbers along each axis, which are in the model's unit of length; those of GLB and STEP files have
        their own.
    where : str
        Of the body, for messages.

    Raises
    ------
    ModelError
        Where the file is missing, damaged, empty, too large or of another kind, or where trimesh is not installed.
    """
    file = find_file(name, tables.model._files, where)
    points, triangles = _read(str(file), file.stat().st_mtime_ns, name, where)
    own = UNITS[file.suffix.lower()]
    unit = 1.0 if own is None else own / LENGTHS[tables.model.units.length]
    with np.errstate(over="ignore"):
        scaled = points * (scale * unit)
    if not sound(scaled, triangles):
        raise hollow(name, where)
    mirrored = float(np.prod(np.sign(scale))) < 0.0
    return Mesh(scaled, triangles[:, ::-1].copy() if mirrored else triangles, np.eye(3))


@functools.lru_cache(maxsize=64)
def _read(file: str, _changed: int, name: str, where: str) -> tuple[Floats, np.ndarray]:
    """Return points and triangles of a file, coarse enough to draw; kept until the file changes."""
    points, triangles = decimated(*read_triangles(file, name, where), MOST_TRIANGLES)
    if len(triangles) == 0:  # the corners of all coincide
        raise hollow(name, where)
    return outward(points, triangles)


def outward(points: Floats, triangles: np.ndarray) -> tuple[Floats, np.ndarray]:
    """Return a mesh whose triangles turn counter-clockwise seen from outside; those of some files look inwards."""
    a, b, c = (points[triangles[:, k]] - points.mean(axis=0) for k in range(3))
    inwards = float(np.einsum("ij,ij->", a, np.cross(b, c))) < 0.0
    return points, triangles[:, ::-1].copy() if inwards else triangles


def decimated(points: Floats, triangles: np.ndarray, most: int) -> tuple[Floats, np.ndarray]:
    """Return a mesh of at most so many triangles: corners that share a cell of a grid become one (vertex clustering)."""
    points, triangles = _clustered(points, triangles, 1e-9)  # files of loose triangles share no corners
    cells = 2.0 * np.sqrt(most / 6.0)
    while len(triangles) > most:
        points, triangles = _clustered(points, triangles, 1.0 / cells)
        cells *= 0.8
    return points, triangles


def _clustered(points: Floats, triangles: np.ndarray, cell: float) -> tuple[Floats, np.ndarray]:
    """Return the mesh with one corner, their mean, for all in a cell [parts of its largest extent]; flat triangles go."""
    extent = float(np.max(np.ptp(points, axis=0)))
    if extent == 0.0:
        return points[:1], triangles[:0]
    keys = np.floor((points - points.min(axis=0)) / (cell * extent) + 0.5).astype(np.int64)
    _, group, count = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    group = group.reshape(-1)
    means = np.column_stack([np.bincount(group, points[:, k]) for k in range(3)]) / count[:, None]
    renamed = group[triangles]
    a, b, c = renamed.T
    kept = renamed[(a != b) & (b != c) & (c != a)]
    _, first = np.unique(np.sort(kept, axis=1), axis=0, return_index=True)
    return means, kept[np.sort(first)].astype(np.int32)
