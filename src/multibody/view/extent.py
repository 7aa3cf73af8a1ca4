"""The box that a drawing needs over a whole motion."""

from __future__ import annotations

import itertools

import numpy as np

from multibody.view.geometry import Floats, ring
from multibody.view.scene import Journey
from multibody.view.strokes import Stroke

MOST_INSTANTS, MOST_POSES = 200, 100_000  # more than these do not change what a picture needs
FEW = 2000  # points of a body that are all taken
FLATTEST = {2: 0.2, 3: 0.3}  # smallest extent over the largest


def box_of(strokes: list[Stroke], journey: Journey, others: list[Floats]) -> tuple[Floats, Floats]:
    """Return the least and greatest coordinates of strokes over a motion, without margins (d,), (d,).

    Parameters
    ----------
    strokes : list of Stroke
    journey : Journey
        Finite instants only.
    others : list of arrays (n, d)
        Further points in ground; rows that are not finite are left out.
    """
    thin = journey.thinned(max(20, min(MOST_INSTANTS, MOST_POSES // journey.q.shape[1])))
    clouds: dict[int, list[Floats]] = {}
    for stroke in strokes:
        clouds.setdefault(stroke.body, []).append(_skin(stroke))
    parts = [other[np.all(np.isfinite(other), axis=1)] for other in others]
    for body, found in clouds.items():
        cloud = np.vstack(found)
        parts.append(thin.cloud(body, _outermost(cloud[np.all(np.isfinite(cloud), axis=1)])))
    whole = np.vstack(parts)
    return whole.min(axis=0), whole.max(axis=0)


def _skin(stroke: Stroke) -> Floats:
    """Return points that bound a stroke (n, d); of a tube rings about its ends."""
    if stroke.kind == "tube":
        return np.vstack([ring(end, stroke.radius, stroke.points[1] - stroke.points[0], 12) for end in stroke.points])
    return np.vstack([stroke.points - stroke.radius, stroke.points + stroke.radius])


def _outermost(cloud: Floats) -> Floats:
    """Return the points that lie farthest out in many directions: enough to bound the cloud however it is turned."""
    if len(cloud) <= FEW:
        return cloud
    if cloud.shape[1] == 2:
        angles = np.arange(16) * np.pi / 8.0
        directions = np.column_stack([np.cos(angles), np.sin(angles)])
    else:
        directions = np.array([d for d in itertools.product((-1.0, 0.0, 1.0), repeat=3) if any(d)])
    return np.asarray(cloud[np.unique(np.argmax(cloud @ directions.T, axis=0))])


def with_margin(low: Floats, high: Floats, margin: float) -> tuple[Floats, Floats]:
    """Return a box with a margin around it [length], not flatter than a picture should be."""
    low, high = low - margin, high + margin
    missing = np.maximum(FLATTEST[len(low)] * float(np.max(high - low)) - (high - low), 0.0)
    return low - 0.5 * missing, high + 0.5 * missing
