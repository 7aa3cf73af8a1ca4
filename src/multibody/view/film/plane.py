"""The strokes of a planar mechanism in a film."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from multibody.view import stretch
from multibody.view.film.ink import Ink, Item, affine, circle_path, line_path, outline_path
from multibody.view.geometry import Floats
from multibody.view.scene import Journey
from multibody.view.strokes import Drawing, Stretched, Stroke


class PlaneItems:
    """Makes what is drawn of the strokes of a planar drawing.

    Parameters
    ----------
    ink : Ink
    journey : Journey
        The poses of the frames.
    scale : float
        Pixels of one length.
    corner : array (2,)
        Where the origin of the ground lies [pixels].
    """

    def __init__(self, ink: Ink, journey: Journey, scale: float, corner: Floats) -> None:
        self.ink, self.journey, self.scale, self.corner = ink, journey, scale, corner
        self.upright = affine(scale * np.eye(2), corner)

    def of(self, drawing: Drawing, symbols: bool) -> list[Item]:
        """Return everything of a drawing."""
        items = [self._stroke(stroke) for stroke in drawing.strokes if symbols or not stroke.symbol]
        items += [self._stretched(thing) for thing in drawing.stretched]
        for wanderer in drawing.wanderers:
            items.append(self.dot(wanderer.places, wanderer.color, wanderer.width, wanderer.level))
        return items

    def dot(self, places: Floats, color: str, diameter: float, level: float) -> Item:
        """Return a dot that has a place in every frame (frames, 2); its diameter is in points."""
        pen, path, tone = self.ink.pen((0, 0, 0), 0.0), circle_path(), self.ink.paper.tone(color)
        pixels, radius = self.scale * places + self.corner, 0.5 * diameter * self.ink.pixels * np.eye(2)

        def draw(k: int) -> None:
            if np.all(np.isfinite(pixels[k])):
                self.ink.path(pen, path, affine(radius, pixels[k]), (*tone, 1.0))

        return Item(level, draw)

    def _stroke(self, stroke: Stroke) -> Item:
        """Return a stroke that moves with its body."""
        if stroke.kind == "dot":
            item = self.dot(self.journey.place(stroke.body, stroke.points[0]), stroke.color, stroke.width, stroke.level)
            return Item(item.level, item.draw, stroke.body == 0)
        paper = self.ink.paper
        pen = self.ink.pen(paper.tone(stroke.color), stroke.width, stroke.dashes)
        face: tuple[float, ...] | None = None
        own = np.eye(2), np.zeros(2)  # of the path in body axes
        if stroke.kind == "line":
            path = line_path(stroke.points)
        elif stroke.kind == "circle":
            path, face = circle_path(), (*paper.face(stroke.color, 1.0 / 0.9 if paper.dark else 1.0), 1.0)
            own = stroke.radius * np.eye(2), stroke.points[0]
        else:
            path, face = outline_path(stroke.points, stroke.hole), (*paper.face(stroke.color, stroke.paleness), stroke.alpha)
        matrix = self._matrices(stroke.body, *own)
        return Item(stroke.level, lambda k: self.ink.path(pen, path, matrix(k), face), stroke.body == 0)

    def _matrices(self, body: int, linear: Floats, shift: Floats) -> Callable[[int], object]:
        """Return the maps to pixels of something that a map puts into the axes of a body."""
        turns = self.scale * (self.journey.turns(body) @ linear)
        places = self.scale * self.journey.place(body, shift) + self.corner
        return lambda k: affine(turns[k], places[k])

    def _stretched(self, thing: Stretched) -> Item:
        """Return a spring, a cylinder or a rod."""
        ends = [self.journey.place(body, point) for body, point in zip(thing.bodies, thing.points, strict=True)]
        if thing.kind == "cylinder":
            return self._cylinder(thing, ends)
        pen = self.ink.pen(self.ink.paper.tone(thing.color), thing.width)

        def draw(k: int) -> None:
            a, b = ends[0][k], ends[1][k]
            points = stretch.spring_line(a, b, thing.size) if thing.kind == "spring" else np.array([a, b])
            self.ink.path(pen, line_path(points), self.upright)

        return Item(thing.level, draw)

    def _cylinder(self, thing: Stretched, ends: list[Floats]) -> Item:
        """Return a tube, the rod that comes out of it, and the piston inside."""
        ink, paper = self.ink, self.ink.paper
        pen, thick = (ink.pen(paper.tone(thing.color), factor * thing.width) for factor in (1.0, 2.0))
        tube, rod = ((*paper.face(thing.color, p), 1.0) for p in (stretch.TUBE_PALENESS, stretch.ROD_PALENESS))

        def draw(k: int) -> None:
            parts = stretch.cylinder_at(ends[0][k], ends[1][k], thing.rest)
            bars = [stretch.bar(parts.start, parts.mouth, thing.size)]
            bars += [stretch.bar(parts.piston, parts.end, half * thing.size) for half in (stretch.ROD_WIDTH, 1.0)]
            ink.path(pen, outline_path(bars[0]), self.upright, tube)
            ink.path(pen, outline_path(bars[1]), self.upright, rod)
            ink.path(thick, line_path(bars[2][[0, 3]]), self.upright)

        return Item(thing.level, draw)
