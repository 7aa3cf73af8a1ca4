"""Meshes that bodies name as their shape: read for drawing only, from STL, OBJ or GLB files (trimesh reads them)."""

from __future__ import annotations

import functools
import pathlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody.errors import ModelError
from multibody.model.matrices import orientation_matrix
from multibody.model.shapes import Shape
from multibody.model.units import LENGTHS
from multibody.tables.lower import Tables
from multibody.tables.scope import Scope
from multibody.view.geometry import Floats, box_corners

ENDINGS = (".stl", ".obj", ".glb")
METERS = frozenset({".glb"})
"""Files whose numbers are meters; those of the others know no unit and are read in the model's."""
MOST_TRIANGLES = 20_000  # of one mesh; finer ones are made coarser
MOST_BYTES = 100_000_000  # larger files are refused
EXTENTS = (1e-90, 1e90)  # of a mesh, between which its volume is a number too


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
        Multiplies the file's numbers along each axis, which are in the model's unit of length; those of a GLB file are meters.
    where : str
        Of the body, for messages.

    Raises
    ------
    ModelError
        Where the file is missing, damaged, empty, too large or of another kind, or where trimesh is not installed.
    """
    file = _find(tables, name, where)
    if file.suffix.lower() not in ENDINGS:
        raise ModelError(f'no mesh is read from "{name}"', where=where, hint=f"a mesh ends in {', '.join(ENDINGS)}")
    if file.stat().st_size > MOST_BYTES:
        size = f"{file.stat().st_size / 1e6:.0f} MB"
        raise ModelError(f'the mesh "{name}" is too large to draw ({size})', where=where, hint="give a coarser one")
    points, triangles = _read(str(file), file.stat().st_mtime_ns, name, where)
    unit = 1.0 / LENGTHS[tables.model.units.length] if file.suffix.lower() in METERS else 1.0
    with np.errstate(over="ignore"):
        scaled = points * (scale * unit)
    if not _sound(scaled, triangles):
        raise _hollow(name, where)
    mirrored = float(np.prod(np.sign(scale))) < 0.0
    return Mesh(scaled, triangles[:, ::-1].copy() if mirrored else triangles, np.eye(3))


def _find(tables: Tables, name: str, where: str) -> pathlib.Path:
    """Return the file: beside the model's files, else from the current folder."""
    folders = [pathlib.Path(file).parent for file in tables.model._files]
    for folder in [*folders, pathlib.Path()]:
        try:
            if (folder / name).is_file():
                return folder / name
        except (OSError, ValueError):  # a name that no file can have
            break
    beside = f" beside {pathlib.Path(tables.model._files[0]).name}" if tables.model._files else " in the current folder"
    raise ModelError(f'there is no mesh "{name}"{beside}', where=where, hint="check the path")


@functools.lru_cache(maxsize=64)
def _read(file: str, _changed: int, name: str, where: str) -> tuple[Floats, np.ndarray]:
    """Return points and triangles of a file, coarse enough to draw; kept until the file changes."""
    try:
        import trimesh
    except ImportError:
        hint = "python -m pip install 'multibody[mesh]'"
        raise ModelError(f'the mesh "{name}" needs trimesh, which is not installed', where=where, hint=hint) from None
    try:
        made: Any = trimesh.load(file, force="mesh", process=False)
        points, triangles = np.asarray(made.vertices, dtype=float), np.asarray(made.faces, dtype=np.int64)
    except Exception as error:  # trimesh raises whatever its readers do
        what = str(error).splitlines()[0][:100] if str(error) else type(error).__name__
        raise ModelError(f'the mesh "{name}" cannot be read ({what})', where=where, hint="check the file") from None
    if not _sound(points, triangles):
        raise _hollow(name, where)
    points, triangles = decimated(points, triangles, MOST_TRIANGLES)
    if len(triangles) == 0:  # the corners of all coincide
        raise _hollow(name, where)
    return outward(points, triangles)


def _sound(points: Floats, triangles: np.ndarray) -> bool:
    """Return whether there are triangles, with corners that are there, in a box with a size."""
    if points.ndim != 2 or triangles.ndim != 2 or len(triangles) == 0 or not np.all(np.isfinite(points)):
        return False
    with np.errstate(over="ignore"):
        extent = float(np.max(np.ptp(points, axis=0)))
    return bool(EXTENTS[0] < extent < EXTENTS[1] and triangles.min() >= 0 and triangles.max() < len(points))


def _hollow(name: str, where: str) -> ModelError:
    """Return what is said of a mesh that has nothing to draw."""
    return ModelError(f'the mesh "{name}" has no triangles with finite corners', where=where, hint="check the file")


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
