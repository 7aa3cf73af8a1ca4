"""Curves and outlines as arrays of points: hulls, circles, springs, teeth, boxes. Numbers only, no matplotlib."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def distinct(points: Floats, tolerance: float) -> Floats:
    """Return the points without those that lie within a tolerance of an earlier one (n, d)."""
    kept: list[Floats] = []
    for p in points:
        if all(float(np.max(np.abs(p - other))) > tolerance for other in kept):
            kept.append(p)
    return np.array(kept).reshape(-1, points.shape[1])


def hull(points: Floats) -> Floats:
    """Return the corners of the convex hull of planar points, counter-clockwise (Andrew's monotone chain)."""
    ordered = sorted({(float(x), float(y)) for x, y in points})
    if len(ordered) < 3:
        return np.array(ordered).reshape(-1, 2)

    def half(items: list[tuple[float, float]]) -> list[tuple[float, float]]:
        chain: list[tuple[float, float]] = []
        for p in items:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], p) <= 0.0:
                chain.pop()
            chain.append(p)
        return chain[:-1]

    return np.array(half(ordered) + half(ordered[::-1]))


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    """Return twice the signed area of a triangle."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def rounded(points: Floats, radius: float) -> Floats:
    """Return the outline at a distance around the convex hull of planar points: a circle, a bar or a rounded plate.

    Parameters
    ----------
    points : array (n, 2)
    radius : float
        Distance of the outline from the hull.
    """
    corners = hull(points)
    if len(corners) == 1:
        return circle(corners[0], radius)
    outline = []
    for k, corner in enumerate(corners):
        before, after = corner - corners[k - 1], corners[(k + 1) % len(corners)] - corner
        start = math.atan2(before[1], before[0]) - math.pi / 2
        turn = (math.atan2(after[1], after[0]) - math.pi / 2 - start) % (2.0 * math.pi)
        angles = start + np.linspace(0.0, turn, max(2, int(turn / 0.2)))
        outline.append(corner + radius * np.column_stack([np.cos(angles), np.sin(angles)]))
    return np.vstack(outline)


def circle(center: Floats, radius: float, count: int = 144) -> Floats:
    """Return points of a planar circle (count, 2), the first not repeated."""
    angles = np.linspace(0.0, 2.0 * np.pi, count, endpoint=False)
    return center + radius * np.column_stack([np.cos(angles), np.sin(angles)])


def ring(center: Floats, radius: float, axis: Floats, count: int = 36) -> Floats:
    """Return points of a circle in space about an axis (count, 3), the first not repeated."""
    f, g = across(axis)
    angles = np.linspace(0.0, 2.0 * np.pi, count, endpoint=False)[:, None]
    return np.asarray(center + radius * (np.cos(angles) * f + np.sin(angles) * g))


def across(axis: Floats) -> tuple[Floats, Floats]:
    """Return two unit vectors perpendicular to an axis and to each other."""
    h = axis / np.linalg.norm(axis)
    other = np.eye(3)[int(np.argmin(np.abs(h)))]
    f = np.cross(other, h)
    f /= np.linalg.norm(f)
    return f, np.cross(h, f)


def zigzag(a: Floats, b: Floats, width: float, coils: int = 7) -> Floats:
    """Return the line of a spring from a to b (n, d): straight ends and teeth of a width between them."""
    span = b - a
    length = float(np.linalg.norm(span))
    if length == 0.0:
        return np.array([a, b])
    along = span / length
    side = np.array([-along[1], along[0]]) if len(a) == 2 else across(along)[0]
    lead = min(0.15 * length, 1.5 * width)
    stations = np.linspace(lead, length - lead, 2 * coils + 1)
    teeth = [a + along * s + side * width * (0.0 if k in (0, 2 * coils) else 0.5 * (-1) ** k) for k, s in enumerate(stations)]
    return np.array([a, *teeth, b])


def teeth(center: Floats, radius: float, count: int, depth: float, angle: float, internal: bool = False) -> Floats:
    """Return the outline of a gear wheel (n, 2): trapezoidal teeth across its pitch circle.

    Parameters
    ----------
    center, radius : pitch circle
    count : int
        Number of teeth.
    depth : float
        Height of a tooth, half of it outside the pitch circle.
    angle : float
        Direction of the middle of a tooth [rad].
    internal : bool
        Teeth that point inwards.
    """
    pitch = 2.0 * np.pi / count
    parts = np.array([-0.30, -0.14, 0.14, 0.30]) * pitch  # foot, tip, tip, foot of a tooth
    heights = np.array([-0.5, 0.5, 0.5, -0.5]) * depth * (-1.0 if internal else 1.0)
    angles = (angle + pitch * np.arange(count)[:, None] + parts).ravel()
    radii = radius + np.tile(heights, count)
    return np.asarray(center + radii[:, None] * np.column_stack([np.cos(angles), np.sin(angles)]))


def helix(start: Floats, end: Floats, radius: float, turns: float, count: int = 120) -> Floats:
    """Return a screw line around the axis from start to end (count, 3)."""
    f, g = across(end - start)
    u = np.linspace(0.0, 1.0, count)[:, None]
    angle = 2.0 * np.pi * turns * u
    return np.asarray(start + (end - start) * u + radius * (np.cos(angle) * f + np.sin(angle) * g))


def box_corners(edges: Floats, center: Floats) -> Floats:
    """Return the 4 (planar, in order) or 8 (spatial) corners of a box."""
    if len(edges) == 2:
        signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    else:
        signs = np.array([[x, y, z] for z in (-1, 1) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
    return np.asarray(center + 0.5 * signs * edges)


BOX_FACES = ((0, 1, 2, 3), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))


def dashed(points: Floats, pattern: Floats) -> Floats:
    """Return a line cut into dashes (n, d), parted by rows of NaN.

    Parameters
    ----------
    points : array (n, d)
    pattern : array
        Lengths of a dash, a gap, a dash, ... [length]; it begins anew where it ends.
    """
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    stations = np.r_[0.0, np.cumsum(steps)]
    period, total = float(np.sum(pattern)), float(stations[-1])
    if not total > 0.0 or total > 2000.0 * period:  # nothing, or too fine to tell from a line
        return points
    ends = np.r_[0.0, np.cumsum(np.tile(pattern, int(total / period) + 2))]
    shift = 0.5 * float(pattern[0]) if total > float(pattern[0]) else 0.0
    pieces = []
    for start, end in zip(ends[0:-1:2] - shift, ends[1::2] - shift, strict=False):
        low, high = max(start, 0.0), min(end, total)
        if low < high:
            inside = stations[(stations > low) & (stations < high)]
            at = np.r_[low, inside, high]
            pieces.append(np.column_stack([np.interp(at, stations, points[:, k]) for k in range(points.shape[1])]))
    gap = np.full((1, points.shape[1]), np.nan)
    return np.vstack([row for piece in pieces for row in (piece, gap)][:-1])


def inner_point(points: Floats, tolerance: float) -> int:
    """Return a planar point that lies inside the hull of the others, away from its edges; −1 if there is none."""
    corners = hull(points)
    if len(corners) < 3:
        return -1
    edges = np.roll(corners, -1, axis=0) - corners
    normals = np.column_stack([-edges[:, 1], edges[:, 0]]) / np.linalg.norm(edges, axis=1)[:, None]
    depths = np.min(np.einsum("nij,ij->ni", points[:, None, :] - corners, normals), axis=1)
    k = int(np.argmax(depths))
    return k if depths[k] > tolerance else -1


def tree_edges(points: Floats) -> list[tuple[int, int]]:
    """Return the edges of a shortest tree through all points (Prim)."""
    edges: list[tuple[int, int]] = []
    inside, outside = [0], list(range(1, len(points)))
    while outside:
        near = [(float(np.linalg.norm(points[i] - points[j])), i, j) for i in inside for j in outside]
        _, i, j = min(near)
        edges.append((i, j))
        inside.append(j)
        outside.remove(j)
    return edges


def straightened(points: Floats, edges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the edges of a tree with those joined that go on straight through a point where nothing else begins."""
    found = list(edges)
    for k in range(len(points)):
        here = [edge for edge in found if k in edge]
        if len(here) != 2:
            continue
        i, j = (edge[0] if edge[1] == k else edge[1] for edge in here)
        one, two = points[k] - points[i], points[j] - points[k]
        if float(one @ two) > (1.0 - 1e-9) * float(np.linalg.norm(one) * np.linalg.norm(two)):
            found = [edge for edge in found if k not in edge] + [(i, j)]
    return found


def nearest_on(point: Floats, segment: Floats) -> Floats:
    """Return the point of a segment (its first to its last point) that is nearest to a point."""
    a, b = segment[0], segment[-1]
    square = float((b - a) @ (b - a))
    part = min(max(float((point - a) @ (b - a)) / square, 0.0), 1.0) if square > 0.0 else 0.0
    return np.asarray(a + part * (b - a))
