"""Springs, cylinders and rods over a whole motion: straight parts, each with its begin, direction and length at every instant.

Whoever draws makes a part once, along an axis of its own and with a length of its own, and then moves, turns and stretches it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multibody.view import geometry, stretch
from multibody.view.geometry import Floats
from multibody.view.scene import Journey
from multibody.view.strokes import Stretched


@dataclass(frozen=True, eq=False)
class Laid:
    """A straight part.

    Attributes
    ----------
    shape : str
        "spring", "rod", "tube" (of a cylinder) or "piston" (the rod that comes out of a cylinder).
    starts, along : arrays (n, d)
        Where it begins, and its direction of length 1, in ground.
    lengths : array (n,)
        [length]
    radius : float
        [length]
    """

    shape: str
    starts: Floats
    along: Floats
    lengths: Floats
    radius: float

    @property
    def usual(self) -> float:
        """A length of the motion that is not 0."""
        return float(np.max(self.lengths)) or 1.0


def laid_parts(thing: Stretched, journey: Journey) -> list[Laid]:
    """Return the parts of a stretched thing over a motion."""
    a, b = (journey.place(body, point) for body, point in zip(thing.bodies, thing.points, strict=True))
    lengths = np.linalg.norm(b - a, axis=1)
    along = _directions(b - a, lengths)
    if thing.kind != "cylinder":
        return [Laid(thing.kind, a, along, lengths, thing.size)]
    tube, piston = stretch.cylinder_lengths(lengths, thing.rest)
    return [
        Laid("tube", a, along, tube, thing.size),
        Laid("piston", a + piston[:, None] * along, along, lengths - piston, stretch.ROD_WIDTH * thing.size),
    ]


def _directions(spans: Floats, lengths: Floats) -> Floats:
    """Return unit vectors along spans; where one has no length, the one before it."""
    good = np.flatnonzero(lengths > 0.0)
    if len(good) == 0:
        return np.tile(np.eye(spans.shape[1])[-1], (len(spans), 1))
    last = np.maximum(np.searchsorted(good, np.arange(len(spans)), side="right") - 1, 0)
    chosen = good[last]
    return np.asarray(spans[chosen] / lengths[chosen, None])


def turned_to(along: Floats) -> Floats:
    """Return rotation matrices (n, 3, 3) with their last columns along directions (n, 3) that spin no more than they must."""
    f = geometry.across(along[0])[0]
    sides = np.empty_like(along)
    for k, h in enumerate(along):
        f = f - (f @ h) * h
        size = float(np.linalg.norm(f))
        f = f / size if size > 1e-9 else geometry.across(h)[0]
        sides[k] = f
    return np.stack([sides, np.cross(along, sides), along], axis=-1)
