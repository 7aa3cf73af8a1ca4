"""The drawing of a planar mechanism: strokes in body axes, worked out once for a whole motion."""

from __future__ import annotations

import numpy as np

from multibody.errors import ModelError
from multibody.tables.lower import Tables
from multibody.view.extent import box_of, with_margin
from multibody.view.flat_pen import Z_JOINT, FlatPen
from multibody.view.geometry import Floats
from multibody.view.names import anchors
from multibody.view.planar_bodies import is_painted, paint_bodies, rounds
from multibody.view.planar_joints import JointPainter, slide_of
from multibody.view.scene import Blueprint, Journey, Poses, glyph_size
from multibody.view.strokes import Drawing, Owner, Wanderer
from multibody.view.style import ACCENT
from multibody.view.wheels import contact_path


def planar_drawing(tables: Tables, q: Floats, *, reference: int = 0, size: float | None = None) -> Drawing:
    """Return the drawing of a planar mechanism.

    Parameters
    ----------
    tables : Tables
    q : array (instants, nq)
        The whole motion: rails cover its travel and the box holds it; one row for a single pose. Row `reference` must be
        finite, others that are not are passed over.
    reference : int
        Row of the pose that things are drawn at which no body decides: on which side a rail is hatched, how the support of
        a spring is turned.
    size : float, optional
        Of the joint symbols [length]; default: to suit the mechanism.
    """
    if not np.all(np.isfinite(q[reference])):
        raise ModelError("there is no finite point to draw", where=tables.model.name, hint="check the pose")
    blueprint, poses = Blueprint(tables), Poses(tables, q[reference])
    scene, journey = blueprint.scene(q[reference]), Journey(tables, q[np.all(np.isfinite(q), axis=1)])
    pen = FlatPen(glyph_size(scene, blueprint.cloud(journey)) if size is None else size, poses)
    round_ones = rounds(scene)
    blocks = {slide_of(scene, mark)[1] for mark in scene.marks if mark.kind == "translational"}
    hidden = {link.number for link in scene.links if not is_painted(link, round_ones | blocks, pen.size)}
    paint_bodies(pen, scene, journey, round_ones | blocks)
    JointPainter(pen, scene, journey, round_ones, hidden).paint()
    everything = Journey(tables, q)
    wanderers = [
        Wanderer(contact_path(tables, blueprint.scope, everything, cam.joint), ACCENT, Owner("joint", cam.joint), 3.0, Z_JOINT)
        for cam in scene.cams
    ]
    stretching = {thing.owner for thing in pen.stretched}
    names = [(o, b, pen.local(b, p)[0]) for o, b, p in anchors(scene, pen.size) if o not in stretching]
    low, high = box_of(pen.strokes, journey, [wanderer.places for wanderer in wanderers])
    margin = max(1.5 * pen.size, 0.05 * float(np.max(high - low)))
    return Drawing(2, pen.size, pen.strokes, pen.stretched, wanderers, names, *with_margin(low, high, margin))
