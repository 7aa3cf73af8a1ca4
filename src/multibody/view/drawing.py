"""The drawing of any mechanism, planar or spatial, and where its strokes lie at a pose."""

from __future__ import annotations

import numpy as np

from multibody.errors import ModelError
from multibody.tables.lower import Tables
from multibody.view.geometry import Floats
from multibody.view.scene import Poses
from multibody.view.strokes import Drawing, Stroke


def drawing_of(tables: Tables, q: Floats) -> Drawing:
    """Return the drawing of a mechanism.

    Parameters
    ----------
    tables : Tables
    q : array (instants, nq)
        The whole motion, so that rails cover the travel and the box holds everything; one row for a single pose. Instants
        that are not finite are passed over.
    """
    finite = np.flatnonzero(np.all(np.isfinite(q), axis=1))
    if len(finite) == 0:
        raise ModelError("there is no finite pose to draw", where=tables.model.name, hint="check the pose")
    if tables.dimension == 2:
        from multibody.view.planar import planar_drawing

        return planar_drawing(tables, q, reference=int(finite[0]))
    from multibody.view.spatial import spatial_drawing

    return spatial_drawing(tables, q, reference=int(finite[0]))


def placed(stroke: Stroke, poses: Poses) -> Floats:
    """Return the points of a stroke at a pose, in ground (n, d)."""
    return poses.place(stroke.body, stroke.points)
