"""Geoms of a body as solids to be drawn; masses come from MuJoCo's own sums over them."""

from __future__ import annotations

import numpy as np

from multibody.files.robots.description import Line, Solid
from multibody.files.robots.mjcf.compiled import Compiled, pose_of
from multibody.files.robots.pose import Pose

__all__ = ["SHAPES", "solids_of"]

SHAPES = {2: "sphere", 3: "capsule", 4: "ellipsoid", 5: "cylinder", 6: "box", 7: "mesh"}
"""Kinds of geoms by MuJoCo's mjtGeom; planes, height fields and distance functions are not carried over."""
SEEN = 3
"""Geoms of groups below this one are there to be seen, as in MuJoCo's viewer; those above are for collisions."""


def solids_of(compiled: Compiled, body: int, line: Line) -> list[Solid]:
    """Return the solids of a body."""
    model = compiled.model
    first = int(model.body_geomadr[body])
    found = []
    for geom in range(first, first + int(model.body_geomnum[body])):
        kind = SHAPES.get(int(model.geom_type[geom]))
        solid = None if kind is None else _mesh(compiled, geom) if kind == "mesh" else _shape(compiled, geom, kind)
        if solid is not None:
            solid.visual, solid.line = bool(model.geom_group[geom] < SEEN), line
            found.append(solid)
    return found


def _shape(compiled: Compiled, geom: int, kind: str) -> Solid:
    """Return a solid with MuJoCo's half lengths made whole."""
    a, b, c = (float(x) for x in compiled.model.geom_size[geom])
    sizes = {"sphere": (a,), "ellipsoid": (a, b, c), "box": (2 * a, 2 * b, 2 * c)}
    place = pose_of(compiled.model.geom_pos[geom], compiled.model.geom_quat[geom])
    return Solid(kind, sizes.get(kind, (a, 2 * b)), place)


def _mesh(compiled: Compiled, geom: int) -> Solid | None:
    """Return a mesh with the place of its file; none where it has no file.

    MuJoCo moves the corners of a mesh into its principal axes: p = Qᵀ(s·Rᵀ(p_file − r) − c) with the center c, the axes Q, the
    scale s, and refpos r and refquat R of the asset.
    """
    model = compiled.model
    mesh = int(model.geom_dataid[geom])
    start = int(model.mesh_pathadr[mesh]) if mesh >= 0 else -1
    if start < 0:
        return None
    path = bytes(model.paths)[start:].split(b"\0", 1)[0].decode(errors="replace")
    asset = compiled.element("meshes", mesh)
    scale = np.array(model.mesh_scale[mesh], dtype=float)
    reference = pose_of(asset.refpos, asset.refquat) if asset is not None else Pose()
    if reference.turned and len(set(scale.tolist())) > 1:
        return None  # scaled along axes that the file does not have
    moved = Pose(axes=reference.axes.T) @ Pose(-scale * np.array(reference.at))
    place = pose_of(model.geom_pos[geom], model.geom_quat[geom])
    principal = pose_of(model.mesh_pos[mesh], model.mesh_quat[mesh])
    x, y, z = scale.tolist()
    return Solid("mesh", (), place @ principal.inverse() @ moved, path, (x, y, z))
