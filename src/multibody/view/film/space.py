"""The strokes of a spatial mechanism in a film: faces and lines in small pieces, in every frame sorted by their depth.

The pieces are those of the pictures. They are cut once, in the axes of what they are fixed in; a frame only moves them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from multibody.view import solids, stretch
from multibody.view.deep_axes import FacetPen
from multibody.view.facets import LIGHT, OPEN, shades, visible
from multibody.view.film.ink import Ink, Item, affine, circle_path
from multibody.view.geometry import Floats
from multibody.view.laying import Laid, laid_parts, turned_to
from multibody.view.scene import Journey
from multibody.view.strokes import Drawing

FINENESS = 3.0  # longest edge of a piece [symbol sizes]: a frame has to be drawn in a tenth of a second
FACES, DOTS = 2.0, 3.5  # what lies above what


class SpaceItems:
    """Makes what is drawn of the strokes of a spatial drawing.

    Parameters
    ----------
    ink : Ink
    figure : Figure
    journey : Journey
        The poses of the frames.
    linear, corner : arrays (2, 3), (2,)
        Pixels of lengths, and of the origin of the ground.
    eye : array (3,)
        Direction to the eye.
    """

    def __init__(self, ink: Ink, figure: Any, journey: Journey, linear: Floats, corner: Floats, eye: Floats) -> None:
        self.ink, self.figure, self.journey = ink, figure, journey
        self.linear, self.corner, self.eye = linear, corner, eye

    def of(self, drawing: Drawing, symbols: bool) -> list[Item]:
        """Return everything of a drawing."""
        strokes = [stroke for stroke in drawing.strokes if symbols or not stroke.symbol]
        mover = Mover()
        for body in sorted({stroke.body for stroke in strokes}):
            pen = FacetPen(None, drawing, 0.0, FINENESS)
            for stroke in (stroke for stroke in strokes if stroke.body == body and stroke.kind != "dot"):
                pen.stroke(stroke, stroke.points)
            places = self.journey.place(body, np.zeros(3))
            mover.add(pen, places, self.journey.turns(body), np.ones(len(places)))
        for thing in drawing.stretched:
            for part in laid_parts(thing, self.journey):
                pen = FacetPen(None, drawing, 0.0, FINENESS)
                draw_part(pen, part, thing.color, thing.width)
                mover.add(pen, part.starts, turned_to(part.along), part.lengths / part.usual)
        items = [self._faces(mover)]
        for stroke in (stroke for stroke in strokes if stroke.kind == "dot"):
            items.append(self.dot(self.journey.place(stroke.body, stroke.points[0]), stroke.color, stroke.width, DOTS))
        items += [self.dot(wanderer.places, wanderer.color, wanderer.width, DOTS) for wanderer in drawing.wanderers]
        return items

    def dot(self, places: Floats, color: str, diameter: float, level: float) -> Item:
        """Return a dot before everything that has a place in every frame (frames, 3); its diameter is in points."""
        pen, path, tone = self.ink.pen((0, 0, 0), 0.0), circle_path(), self.ink.paper.tone(color)
        pixels, radius = places @ self.linear.T + self.corner, 0.5 * diameter * self.ink.pixels * np.eye(2)

        def draw(k: int) -> None:
            if np.all(np.isfinite(pixels[k])):
                self.ink.path(pen, path, affine(radius, pixels[k]), (*tone, 1.0))

        return Item(level, draw)

    def _faces(self, mover: Mover) -> Item:
        """Return all pieces, the farthest drawn first."""
        data = mover.whole(self.ink.paper.tone_of)
        sheet = Sheet(len(data["near"]), self.figure)
        dark = self.ink.paper.dark

        def draw(k: int) -> None:
            moved = mover.at(data, k)
            seen = visible(moved, self.eye)
            depths = moved["corners"][seen].mean(axis=1) @ self.eye + data["near"][seen]
            chosen = seen[np.argsort(depths, kind="stable")]
            piece = {key: moved[key][chosen] for key in ("normals", "kind", "line", "tint", "alpha")}
            colors = dimmed(piece) if dark else shades(piece)
            faces = np.where(piece["line"][:, None], 0.0, colors)
            sheet.draw(self.ink.renderer, self._pixels(moved["corners"][chosen]), faces, colors, data["width"][chosen])

        return Item(FACES, draw)

    def _pixels(self, points: Floats) -> Floats:
        """Return where points lie on the screen [pixels]."""
        return np.asarray(points @ self.linear.T + self.corner)


class Sheet:
    """Triangles that matplotlib draws at one go; the paths are made once, and later only their corners are written anew."""

    def __init__(self, most: int, figure: Any) -> None:
        from matplotlib.collections import PathCollection
        from matplotlib.path import Path
        from matplotlib.transforms import IdentityTransform

        self.corners = np.zeros((most, 4, 2))
        codes = np.array([Path.MOVETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY], dtype=Path.code_type)
        self.paths = [Path(corners, codes) for corners in self.corners]  # views, not copies
        self.artist: Any = PathCollection([], sizes=None, transform=IdentityTransform())
        self.artist.set_figure(figure)
        self.artist.set(capstyle="round", joinstyle="round", linewidth=1.0)

    def draw(self, renderer: Any, corners: Floats, faces: Floats, edges: Floats, widths: Floats) -> None:
        """Draw triangles (n, 3, 2) in this order."""
        count = len(corners)
        self.corners[:count, :3], self.corners[:count, 3] = corners, corners[:, 0]
        self.artist.set_paths(self.paths[:count])
        self.artist.set_facecolor(faces)
        self.artist.set_edgecolor(edges)
        self.artist._linewidths = widths  # set_linewidth would scale the dashes that there are none of, one by one
        self.artist.draw(renderer)


def dimmed(piece: dict[str, Any]) -> Floats:
    """Return colors with opacity (n, 4) on dark paper: faces as bright as the light falls on them, lines as they are."""
    light = piece["normals"] @ LIGHT
    light = np.where(piece["kind"] == OPEN, np.abs(light), light)
    bright = np.where(piece["line"], 1.0, 0.5 + 0.25 * (1.0 + light))
    return np.column_stack([piece["tint"] * bright[:, None], piece["alpha"]])


class Mover:
    """Pieces in the axes of what they are fixed in, and how that moves: turned, put in place and stretched along its z axis."""

    def __init__(self) -> None:
        self.parts: list[dict[str, Any]] = []
        self.places: list[Floats] = []
        self.turns: list[Floats] = []
        self.stretches: list[Floats] = []

    def add(self, pen: FacetPen, places: Floats, turns: Floats, stretches: Floats) -> None:
        """Add the pieces of a pen that move together: (frames, 3), (frames, 3, 3), (frames,)."""
        if not pen.facets.parts:
            return
        whole = pen.facets.whole()
        self.parts.append({**whole, "mover": np.full(len(whole["near"]), len(self.places))})
        self.places.append(places)
        self.turns.append(turns)
        self.stretches.append(stretches)

    def whole(self, tone_of: Any) -> dict[str, Any]:
        """Return all pieces, with colors as they are on the paper."""
        data = {key: np.concatenate([part[key] for part in self.parts]) for key in self.parts[0]}
        return {**data, "tint": tone_of(data["tint"])}

    def at(self, data: dict[str, Any], k: int) -> dict[str, Any]:
        """Return the pieces in the k-th frame, in ground."""
        owner = data["mover"]
        turns = np.array([turn[k] for turn in self.turns])[owner]
        scales = np.ones((len(self.places), 1, 3))
        scales[:, 0, 2] = [stretch[k] for stretch in self.stretches]
        places = np.array([place[k] for place in self.places])[owner]
        back = np.swapaxes(turns, 1, 2)
        corners = (data["corners"] * scales[owner]) @ back + places[:, None]
        normals, others = ((data[key][:, None] @ back)[:, 0] for key in ("normals", "others"))
        return {**data, "corners": corners, "normals": normals, "others": others}


def draw_part(pen: FacetPen, part: Laid, color: str, width: float) -> None:
    """Draw a part of a stretched thing along the z axis, as long as it usually is."""
    start, end = np.zeros(3), np.array([0.0, 0.0, part.usual])
    if part.shape == "spring":
        pen.line(stretch.spring_line(start, end, part.radius), color, width)
    else:
        pen.solid(solids.tube(start, end, part.radius, 8 if part.shape == "rod" else 16), color)
