"""The drawing of a spatial mechanism: strokes in body axes, worked out once for a whole motion."""

from __future__ import annotations

import numpy as np

from multibody.arguments import warn
from multibody.tables.lower import Tables
from multibody.view.deep_pen import DeepPen
from multibody.view.extent import box_of, with_margin
from multibody.view.geometry import Floats
from multibody.view.meshes import MeshWarning
from multibody.view.names import anchors
from multibody.view.scene import Blueprint, Journey, Poses, glyph_size
from multibody.view.space_bodies import BodyMaker
from multibody.view.space_joints import JointMaker
from multibody.view.strokes import Drawing, Owner, Wanderer
from multibody.view.style import ACCENT
from multibody.view.wheels import contact_path


def spatial_drawing(tables: Tables, q: Floats, *, reference: int = 0, size: float | None = None) -> Drawing:
    """Return the drawing of a spatial mechanism.

    Parameters
    ----------
    tables : Tables
    q : array (instants, nq)
        The whole motion: rails, threads and racks cover its travel and the box holds it; one row for a single pose. Row
        `reference` must be finite, others that are not are passed over.
    reference : int
        Row of the pose that things are drawn at which no body decides.
    size : float, optional
        Of the joint symbols [length]; default: to suit the mechanism.
    """
    blueprint, poses = Blueprint(tables), Poses(tables, q[reference])
    scene, journey = blueprint.scene(q[reference]), Journey(tables, q[np.all(np.isfinite(q), axis=1)])
    pen = DeepPen(glyph_size(scene, blueprint.cloud(journey)) if size is None else size, poses)
    gravity = blueprint.gravity()
    BodyMaker(pen, scene, journey).make()
    JointMaker(pen, scene, journey, np.array([0.0, 0.0, 1.0]) if gravity is None else -gravity).make()
    everything = Journey(tables, q)
    wanderers = [
        Wanderer(contact_path(tables, blueprint.scope, everything, cam.joint), ACCENT, Owner("joint", cam.joint), 3.5)
        for cam in scene.cams
    ]
    stretching = {thing.owner for thing in pen.stretched}
    names = [(o, b, pen.local(b, p)[0]) for o, b, p in anchors(scene, pen.size) if o not in stretching]
    ends = [journey.place(b, p) for thing in pen.stretched for b, p in zip(thing.bodies, thing.points, strict=True)]
    low, high = box_of(pen.strokes, journey, ends + [wanderer.places for wanderer in wanderers])
    box = with_margin(low, high, 0.5 * pen.size)
    for note in blueprint.notes:
        warn(f"{note}; drawn without it", MeshWarning)
    return Drawing(3, pen.size, pen.strokes, pen.stretched, wanderers, names, *box, notes=tuple(blueprint.notes))
