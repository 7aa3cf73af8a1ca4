"""Triangles of a planar area with a closed outline, of any shape, and with a hole (ear clipping)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from multibody.view.geometry import Floats

Triangles = npt.NDArray[np.int32]


def signed_area(outline: Floats) -> float:
    """Return the area that a closed outline goes around, positive counter-clockwise."""
    x, y = outline.T
    return 0.5 * float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))


def triangles_of(outline: Floats) -> Triangles:
    """Return triangles that fill a closed outline (n, 2), rows of it, counter-clockwise.

    An ear is a corner that bulges outwards and whose triangle holds no other corner: it is cut off, until three are left.
    An outline that crosses itself is filled as well as that goes.

    Parameters
    ----------
    outline : array (n, 2)
        The first point is not repeated; its sense does not matter.
    """
    ring = list(range(len(outline)))
    if signed_area(outline) < 0.0:
        ring.reverse()
    found: list[tuple[int, int, int]] = []
    start = 0
    while len(ring) > 3:
        ear = _ear(outline, ring, start)
        before, after = ring[ear - 1], ring[(ear + 1) % len(ring)]
        found.append((before, ring[ear], after))
        ring.pop(ear)
        start = ear % len(ring)
    found.append((ring[0], ring[1], ring[2]))
    return np.array(found, dtype=np.int32)


def _ear(outline: Floats, ring: list[int], start: int) -> int:
    """Return the place of an ear, looked for from a place on; where there is none, of the corner that bulges most."""
    points = outline[ring]
    before, after = np.roll(points, 1, axis=0), np.roll(points, -1, axis=0)
    turns = _cross(points - before, after - points)
    inward = points[turns <= 0.0]  # only these can lie in an ear
    for place in (np.arange(len(ring)) + start) % len(ring):
        if turns[place] <= 0.0:
            continue
        a, b, c = before[place], points[place], after[place]
        if not _holds(a, b, c, inward):
            return int(place)
    return int(np.argmax(turns))


def _holds(a: Floats, b: Floats, c: Floats, points: Floats) -> bool:
    """Return whether a triangle holds one of the points, its own corners and points on its edges not counted."""
    first, second, third = _cross(b - a, points - a), _cross(c - b, points - b), _cross(a - c, points - c)
    return bool(np.any((first > 0.0) & (second > 0.0) & (third > 0.0)))


def _cross(u: Floats, v: Floats) -> Floats:
    """Return the third component of the product of planar vectors."""
    return np.asarray(u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0])


def bridged(outer: Floats, inner: Floats) -> Floats:
    """Return one outline around the area between two: it runs in along a bridge at their nearest corners, and out again."""
    outer = outer if signed_area(outer) > 0.0 else outer[::-1]
    inner = inner if signed_area(inner) < 0.0 else inner[::-1]
    gaps = np.linalg.norm(outer[:, None] - inner[None], axis=2)
    i, j = np.unravel_index(int(np.argmin(gaps)), gaps.shape)
    around = np.vstack([np.roll(inner, -int(j), axis=0), inner[j : j + 1]])
    return np.vstack([outer[: i + 1], around, outer[i:]])
