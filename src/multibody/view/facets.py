"""Faces and lines in space as one matplotlib collection that is sorted by depth whenever the eye moves.

Faces are cut into small pieces, so that sorting them from the farthest to the nearest tells rightly what covers what. Of the
edges those are drawn that the eye sees as such: creases, and outlines, where a surface turns away.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from multibody.view.geometry import Floats
from multibody.view.solids import CREASE, Surface
from multibody.view.style import lighter

LIGHT = np.array([0.35, -0.5, 0.8]) / np.linalg.norm([0.35, -0.5, 0.8])
DARKEST, BRIGHTEST = 0.22, 0.72  # how much a face is mixed with white: away from the light, and into it
OPEN = 1  # kinds of pieces: seen from both sides,
CLOSED = 2  # seen from outside,
EDGE = 3  # seen where one of two faces is


class Facets:
    """Collects triangles and segments.

    Parameters
    ----------
    fade : float
        0 for the pose itself; toward 1 for an earlier one, which is paler.
    piece : float
        Longest edge of a piece [length].
    """

    def __init__(self, fade: float, piece: float) -> None:
        self.fade, self.piece = fade, piece
        self.parts: list[dict[str, Any]] = []

    def surface(self, surface: Surface, color: str, near: float, alpha: float, width: float, closed: bool) -> None:
        """Add the faces of a surface and its edges; `near` moves them to the eye in the order of drawing [length]."""
        corners = surface.points[surface.triangles]
        normals = _unit(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
        pieces, parents = split(corners, self.piece)
        self._add(pieces, normals[parents], color, near, 0.3 if alpha == 1.0 else 0.0, CLOSED if closed else OPEN, alpha=alpha)
        if width > 0.0:
            lines, first, second = edges_of(surface, normals)
            ends, parents = split(lines, self.piece)
            kind, near = EDGE if closed else OPEN, near + 0.05 * self.piece
            self._add(ends, first[parents], color, near, width, kind, others=second[parents])

    def line(self, points: Floats, color: str, width: float, near: float) -> None:
        """Add a line; rows of NaN part it."""
        pairs = np.stack([points[:-1], points[1:]], axis=1)
        pairs = pairs[np.all(np.isfinite(pairs), axis=(1, 2))]
        if len(pairs):
            ends, _ = split(pairs, self.piece)
            self._add(ends, np.zeros((len(ends), 3)), color, near, width, OPEN)

    def _add(
        self, corners: Floats, normals: Floats, color: str, near: float, width: float, kind: int, *, others: Any = None,
        alpha: float = 1.0,
    ) -> None:  # fmt: skip
        """Keep pieces: triangles, or segments whose last corner is repeated."""
        line = corners.shape[1] == 2
        count = len(corners)
        self.parts.append({
            "corners": corners[:, [0, 1, 1]] if line else corners, "normals": normals,
            "tint": np.tile(lighter(color, 0.0), (count, 1)), "alpha": np.full(count, alpha),
            "others": normals if others is None else others, "near": np.full(count, near), "width": np.full(count, width),
            "kind": np.full(count, kind), "line": np.full(count, line),
        })  # fmt: skip

    def whole(self) -> dict[str, Any]:
        """Return all pieces as arrays, one row for each."""
        return {key: np.concatenate([part[key] for part in self.parts]) for key in self.parts[0]}

    def add_to(self, ax: Any, zorder: float) -> None:
        """Add everything to 3-D axes as one artist."""
        if not self.parts:
            return
        whole = self.whole()
        artist = _collection({**whole, "colors": shades(whole, self.fade)})
        artist.set_zorder(zorder)
        ax.add_collection(artist, autolim=False)


def _collection(data: dict[str, Any]) -> Any:
    """Return the artist of the pieces."""
    from matplotlib.collections import PolyCollection
    from mpl_toolkits.mplot3d import proj3d  # type: ignore[import-untyped]

    class Sorted(PolyCollection):
        """Pieces that the eye sees, the farthest first."""

        placed: tuple[Floats, float] | None = None  # by which projection, and how near the nearest is

        def do_3d_projection(self) -> float:
            """Place the pieces on the screen and return how near the nearest is; nothing is done twice for one view."""
            projection = np.asarray(self.axes.get_proj())  # type: ignore[union-attr]
            if self.placed is None or not np.array_equal(self.placed[0], projection):
                self.placed = projection, self._place(projection)
            return self.placed[1]

        def _place(self, projection: Floats) -> float:
            """Place the pieces on the screen and return how near the nearest is."""
            eye = eye_of(self.axes)
            seen = visible(data, eye)
            depths = data["corners"][seen].mean(axis=1) @ eye + data["near"][seen]
            chosen = seen[np.argsort(depths, kind="stable")]
            points = data["corners"][chosen].reshape(-1, 3)
            x, y, z = proj3d.proj_transform(*points.T, projection)
            self.set_verts(np.column_stack([x, y]).reshape(-1, 3, 2))  # type: ignore[arg-type]
            colors, line = data["colors"][chosen], data["line"][chosen]
            self.set_facecolor(np.where(line[:, None], 0.0, colors))  # type: ignore[arg-type]
            self.set_edgecolor(colors)
            self.set_linewidth(data["width"][chosen])
            return float(np.min(z)) if len(z) else 0.0

    artist = Sorted([], closed=True)
    artist.set(capstyle="round", joinstyle="round")
    return artist


def shades(data: dict[str, Any], fade: float = 0.0) -> Floats:
    """Return colors with opacity (n, 4): faces mixed with white as the light falls on them, lines as they are."""
    light = data["normals"] @ LIGHT
    light = np.where(data["kind"] == OPEN, np.abs(light), light)
    amount = np.where(data["line"], 0.0, DARKEST + (BRIGHTEST - DARKEST) * (0.5 + 0.5 * light))
    pale = 0.8 * fade
    mixed = data["tint"] + (1.0 - data["tint"]) * (pale + (1.0 - pale) * amount)[:, None]
    return np.column_stack([mixed, data["alpha"]])


def eye_of(ax: Any) -> Floats:
    """Return the direction of the eye of 3-D axes."""
    elevation, azimuth = np.deg2rad([ax.elev, ax.azim])
    level = np.cos(elevation)
    return np.array([level * np.cos(azimuth), level * np.sin(azimuth), np.sin(elevation)])


def visible(data: dict[str, Any], eye: Floats) -> Any:
    """Return the rows of the pieces that look to the eye."""
    first, second = data["normals"] @ eye > 1e-9, data["others"] @ eye > 1e-9
    kind = data["kind"]
    # an edge between two faces: a crease shows if one of them does, any other only where the surface turns away
    crease = np.einsum("ij,ij->i", data["normals"], data["others"]) < CREASE
    edge = np.where(crease, first | second, first != second)
    return np.flatnonzero(np.where(kind == OPEN, True, np.where(kind == CLOSED, first, edge)))


def split(pieces: Floats, longest: float, most: int = 20_000) -> tuple[Floats, Any]:
    """Return triangles (n, 3, 3) or segments (n, 2, 3) cut in halves across their longest edges until none is too long.

    Returns
    -------
    pieces : array
    parents : array of int
        The row that each one comes from.
    """
    parents, corners = np.arange(len(pieces)), pieces.shape[1]
    while len(pieces) < most:
        lengths = np.linalg.norm(np.roll(pieces, -1, axis=1) - pieces, axis=2)
        widest = np.argmax(lengths, axis=1)
        long = np.flatnonzero(np.max(lengths, axis=1) > longest)
        if len(long) == 0:
            break
        here, there = widest[long], (widest[long] + 1) % corners
        middle = 0.5 * (pieces[long, here] + pieces[long, there])
        first, second = pieces[long].copy(), pieces[long].copy()
        first[np.arange(len(long)), there] = middle
        second[np.arange(len(long)), here] = middle
        kept = np.setdiff1d(np.arange(len(pieces)), long)
        parents = np.concatenate([parents[kept], parents[long], parents[long]])
        pieces = np.concatenate([pieces[kept], first, second])
    return pieces, parents


def edges_of(surface: Surface, normals: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the edges of a surface (n, 2, 3) and the normals of the two faces at each; at a rim the second is opposite.

    Corners at one place count as one, however many normals they have.
    """
    extent = max(float(np.max(np.ptp(surface.points, axis=0))), 1e-300)
    keys = np.round((surface.points - surface.points[0]) / extent * 1e7).astype(np.int64)
    _, place = np.unique(keys, axis=0, return_inverse=True)
    named = place.reshape(-1)[surface.triangles]
    ends = np.vstack([named[:, [k, (k + 1) % 3]] for k in range(3)])
    rows = np.vstack([surface.triangles[:, [k, (k + 1) % 3]] for k in range(3)])
    faces = np.tile(np.arange(len(named)), 3)
    order = np.lexsort((faces, ends.max(axis=1), ends.min(axis=1)))
    pairs = np.sort(ends[order], axis=1)
    first = np.flatnonzero(np.r_[True, np.any(pairs[1:] != pairs[:-1], axis=1)])
    last = np.r_[first[1:], len(pairs)] - 1
    one, two = normals[faces[order[first]]], normals[faces[order[last]]]
    two = np.where((first == last)[:, None], -one, two)
    return surface.points[rows[order[first]]], one, two


def _unit(vectors: Floats) -> Floats:
    """Return vectors of length 1."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-300))
