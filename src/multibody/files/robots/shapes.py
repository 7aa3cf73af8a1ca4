"""Solids of a link as the shapes of a body, to be drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from multibody.files.robots.description import Link, Solid

__all__ = ["drawn_shapes"]


def drawn_shapes(link: Link) -> list[dict[str, Any]]:
    """Return the shapes of a body: what is there to be seen, else what collides."""
    seen = [solid for solid in link.solids if solid.visual] or link.solids
    return [shape for solid in seen for shape in _shapes(solid)]


def _shapes(solid: Solid) -> list[dict[str, Any]]:
    """Return one solid as shapes of a model; an ellipsoid as the sphere of its volume."""
    at, R = np.array(solid.place.at), solid.place.axes
    if solid.kind == "mesh":
        scale: Any = solid.scale[0] if len(set(solid.scale)) == 1 and solid.scale[0] > 0.0 else list(solid.scale)
        return [{"mesh": solid.file, "scale": scale, **_placed(solid)}]
    if solid.kind == "box":
        return [{"box": solid.size, **_placed(solid)}]
    if solid.kind in ("sphere", "ellipsoid"):
        radius = float(np.prod(solid.size) ** (1.0 / len(solid.size)))
        return [{"sphere": solid.place.at, "radius": radius}]
    radius, half = solid.size[0], 0.5 * solid.size[1] * R[:, 2]
    ends = [(at - half).tolist(), (at + half).tolist()]
    tube = {"cylinder": ends, "radius": radius}
    return [tube, *({"sphere": end, "radius": radius} for end in ends)] if solid.kind == "capsule" else [tube]


def _placed(solid: Solid) -> dict[str, Any]:
    """Return place and orientation, as far as they are not those of the body."""
    return {} if solid.place.trivial else {"at": solid.place.at, **solid.place.orientation()}
