"""Volume, centroid and inertia of the solid that a closed surface of triangles encloses (trimesh integrates)."""

from __future__ import annotations

from typing import Any

import numpy as np

from multibody.cad.part import UNITS, find_file, missing
from multibody.cad.triangles import Floats, Triangles, read_triangles
from multibody.errors import ModelError

STATE_THEM = "or state mass, com and inertia and draw the file with shape: {mesh: ...}"


def mass_properties(points: Floats, triangles: Triangles, name: str, where: str) -> tuple[int, float, Floats, Floats]:
    """Return the number of closed pieces, the volume, its centroid and its inertia about it, at density 1.

    A closed piece that looks inwards is a cavity where it lies in one that looks outwards, else the piece is inside out.

    Raises
    ------
    ModelError
        If the surface has open edges, faces that disagree about their outside, or no volume.
    """
    try:
        import trimesh
    except ImportError:
        raise missing(name, "trimesh", "mesh", where) from None
    # trimesh joins corners closer than 1e-8: the box around the solid becomes one of size 1 at the origin
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    size = float(np.max(np.ptp(points, axis=0)))
    mesh: Any = trimesh.Trimesh((points - middle) / size, triangles, process=True)
    a, b, c = mesh.faces.T
    mesh.update_faces((a != b) & (b != c) & (c != a))
    _check_closed(mesh, name, where)
    pieces = [mesh] if mesh.body_count == 1 else list(mesh.split(only_watertight=False))
    with np.errstate(invalid="ignore", divide="ignore"):  # trimesh divides by the volume of what has none
        _check_outside(pieces, name, where)
    volume, inertia = float(mesh.volume), np.array(mesh.moment_inertia, dtype=float)
    outside = sum(float(piece.volume) > 0.0 for piece in pieces)
    return outside, volume * size**3, np.array(mesh.center_mass) * size + middle, 0.5 * (inertia + inertia.T) * size**5


def scaled_properties(name: str, scale: tuple[float, float, float], where: str = "") -> tuple[float, Floats, Floats]:
    """Return volume, centroid and inertia of a file that is scaled along its axes, in meters; STL and OBJ files are in meters.

    Parameters
    ----------
    name : str
        Of the file.
    scale : three numbers
        An odd number of negative ones mirrors the solid.
    where : str
    """
    file = find_file(name, (), where)
    points, triangles = read_triangles(str(file), name, where)
    faces = triangles[:, ::-1] if np.prod(np.sign(scale)) < 0.0 else triangles
    size = np.array(scale, dtype=float) * (UNITS[file.suffix.lower()] or 1.0)
    return mass_properties(points * size, faces, name, where)[1:]


def _check_closed(mesh: Any, name: str, where: str) -> None:
    """Refuse a surface that does not enclose a volume."""
    if not mesh.is_watertight:
        _, count = np.unique(mesh.edges_sorted, axis=0, return_counts=True)
        edges = int(np.sum(count != 2))
        problem = f'the surface of "{name}" is not closed: {edges} of its edges do not join two triangles'
        raise ModelError(problem, where=where, hint=f"close it where it was made (or with trimesh.repair), {STATE_THEM}")
    if not mesh.is_winding_consistent:
        problem = f'faces of "{name}" disagree about where its outside is'
        raise ModelError(problem, where=where, hint=f"make its normals agree where it was made, {STATE_THEM}")


def _check_outside(pieces: list[Any], name: str, where: str) -> None:
    """Refuse pieces that look inwards and are no cavity of another, and surfaces that enclose nothing."""
    volumes = [float(piece.volume) for piece in pieces]
    extent = max(float(np.max(piece.extents)) for piece in pieces)
    if max(abs(volume) for volume in volumes) <= 1e-12 * extent**3:
        raise ModelError(f'"{name}" is flat: it encloses no volume', where=where, hint=f"give it a thickness, {STATE_THEM}")
    around = [piece.bounds for piece, volume in zip(pieces, volumes, strict=True) if volume > 0.0]
    for piece, volume in zip(pieces, volumes, strict=True):
        low, high = piece.bounds
        if volume < 0.0 and not any(np.all(box[0] <= low) and np.all(high <= box[1]) for box in around):
            problem = f'"{name}" is inside out: its faces look inwards'
            raise ModelError(problem, where=where, hint="turn its normals over where it was made, and save it again")
