"""STEP files through OCP (Open CASCADE): their solids, volume properties and triangles, in millimeters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from multibody.cad.part import missing, short_of
from multibody.cad.triangles import Floats, Triangles
from multibody.errors import ModelError

DEFLECTION = 1e-3  # of triangles from the surface, in parts of the largest extent
ANGLE = 0.35  # between neighboring triangles of a round face [rad]


def read_step(file: str, name: str, where: str) -> Any:
    """Return the shape of a file, an assembly as one compound with every solid in its place [mm]."""
    try:
        from OCP.IFSelect import IFSelect_RetDone
        from OCP.STEPControl import STEPControl_Reader
    except ImportError:
        raise missing(name, "cadquery-ocp", "cad", where) from None
    _silence()
    try:
        reader = STEPControl_Reader()
        done = reader.ReadFile(file) == IFSelect_RetDone and reader.TransferRoots() > 0
        shape = reader.OneShape() if done else None
    except Exception as error:  # what OCP raises has no class of its own
        raise ModelError(f'"{name}" cannot be read ({short_of(error)})', where=where, hint="check the file") from None
    if shape is None or shape.IsNull():
        raise ModelError(f'"{name}" holds no shape that can be read', where=where, hint="export it anew as STEP AP214 or AP242")
    return shape


def _silence() -> None:
    """Keep Open CASCADE from printing what it reads to the terminal."""
    from OCP.Message import Message, Message_Fail

    for printer in Message.DefaultMessenger_s().Printers():
        printer.SetTraceLevel(Message_Fail)
    Message.DefaultMessenger_s().ChangePrinters().Clear()


def pieces(shape: Any, kind: str) -> Iterator[Any]:
    """Yield the solids, shells or faces of a shape."""
    from OCP import TopAbs
    from OCP.TopExp import TopExp_Explorer
    from OCP.TopoDS import TopoDS

    explorer = TopExp_Explorer(shape, getattr(TopAbs, f"TopAbs_{kind.upper()}"))
    while explorer.More():
        yield getattr(TopoDS, kind.capitalize())(explorer.Current())
        explorer.Next()


def volume_properties(shape: Any, name: str, where: str) -> tuple[int, float, Floats, Floats]:
    """Return the number of solids, their volume, its centroid and its inertia about it, at density 1 [mm]."""
    from OCP.BRepGProp import BRepGProp
    from OCP.GProp import GProp_GProps

    solids = list(pieces(shape, "solid"))
    if not solids:
        problem = f'"{name}" has no solid, only {sum(1 for _ in pieces(shape, "face"))} faces'
        raise ModelError(problem, where=where, hint="close its surface in the CAD program and export a solid")
    whole = GProp_GProps()
    for k, solid in enumerate(solids):
        own = GProp_GProps()
        BRepGProp.VolumeProperties_s(solid, own)
        if not np.isfinite(own.Mass()) or own.Mass() <= 0.0:
            problem = f'solid {k + 1} of "{name}" is open or inside out: its volume is {own.Mass():.4g} mm³'
            raise ModelError(problem, where=where, hint="repair it in the CAD program and export it again")
        whole.Add(own)
    center, matrix = whole.CentreOfMass(), whole.MatrixOfInertia()  # the matrix is about the centroid
    inertia = np.array([[matrix.Value(i, j) for j in (1, 2, 3)] for i in (1, 2, 3)])
    return len(solids), float(whole.Mass()), np.array([center.X(), center.Y(), center.Z()]), 0.5 * (inertia + inertia.T)


def triangulated(shape: Any) -> tuple[Floats, Triangles]:
    """Return the surface as triangles, counter-clockwise seen from outside [mm]."""
    from OCP.BRepMesh import BRepMesh_IncrementalMesh

    BRepMesh_IncrementalMesh(shape, DEFLECTION * _extent(shape), False, ANGLE, True)
    points: list[Floats] = [np.zeros((0, 3))]
    triangles: list[Triangles] = [np.zeros((0, 3), dtype=np.int64)]
    count = 0
    for face in pieces(shape, "face"):
        own, corners = _of_face(face)
        points.append(own)
        triangles.append(corners + count)
        count += len(own)
    return np.concatenate(points), np.concatenate(triangles)


def _of_face(face: Any) -> tuple[Floats, Triangles]:
    """Return the triangles of one face."""
    from OCP.BRep import BRep_Tool
    from OCP.TopAbs import TopAbs_REVERSED
    from OCP.TopLoc import TopLoc_Location

    place = TopLoc_Location()
    mesh = BRep_Tool.Triangulation_s(face, place)
    if mesh is None:
        return np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64)
    motion = place.Transformation()
    nodes = [mesh.Node(k).Transformed(motion) for k in range(1, mesh.NbNodes() + 1)]
    points = np.array([[p.X(), p.Y(), p.Z()] for p in nodes]).reshape(-1, 3)
    corners = [mesh.Triangle(k) for k in range(1, mesh.NbTriangles() + 1)]
    triangles = np.array([[c.Value(1), c.Value(2), c.Value(3)] for c in corners], dtype=np.int64).reshape(-1, 3) - 1
    return points, triangles[:, ::-1].copy() if face.Orientation() == TopAbs_REVERSED else triangles


def _extent(shape: Any) -> float:
    """Return the largest edge of a box around a shape [mm]."""
    from OCP.Bnd import Bnd_Box
    from OCP.BRepBndLib import BRepBndLib

    box = Bnd_Box()
    BRepBndLib.Add_s(shape, box)
    low, high = box.CornerMin(), box.CornerMax()
    return float(max(high.X() - low.X(), high.Y() - low.Y(), high.Z() - low.Z()))
