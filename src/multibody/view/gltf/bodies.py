"""Strokes as painted surfaces, planar and spatial, and how stretched things are made along an axis of their own."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from multibody.view import geometry, solids, stretch
from multibody.view.gltf.plates import Painted, PlateMaker
from multibody.view.laying import Laid
from multibody.view.strokes import Drawing, Stretched, Stroke

PAPER = {2: 5.6 * 72.0, 3: 5.5 * 72.0}  # width of a picture [points]
PALENESS = 0.3  # of faces in space
SIDES, WIRE_SIDES = 16, 6


class BodyPainter:
    """Makes the surfaces of a drawing.

    Parameters
    ----------
    drawing : Drawing
    """

    def __init__(self, drawing: Drawing) -> None:
        self.flat, self.size = drawing.dimension == 2, drawing.size
        extent = drawing.high - drawing.low
        reach = float(np.max(extent)) if self.flat else float(np.linalg.norm(extent))
        self.point = reach / PAPER[drawing.dimension]
        self.plates = PlateMaker(drawing.size, self.point)

    def stroke(self, stroke: Stroke) -> Iterator[Painted]:
        """Yield the surfaces of a stroke in the axes of its body."""
        if self.flat:
            yield from self.plates.plates(stroke)
        elif stroke.kind == "dot":
            yield Painted(solids.ball(stroke.points[0], 0.5 * stroke.width * self.point, 12, 6), stroke.color)
        elif stroke.kind == "line":
            dashes = np.array(stroke.dashes) * self.point
            line = geometry.dashed(stroke.points, dashes) if len(dashes) else stroke.points
            yield Painted(solids.wire_along(line, 0.5 * stroke.width * self.point, WIRE_SIDES), stroke.color)
        else:
            surface = solids.surface_of(stroke, sides=SIDES)
            if surface is not None:
                yield Painted(surface, stroke.color, PALENESS, stroke.alpha, thin=stroke.kind == "faces")

    def dot(self, color: str, diameter: float, level: float) -> Iterator[Painted]:
        """Yield a dot at the origin; its diameter is in points."""
        if self.flat:
            disk = geometry.circle(np.zeros(2), 0.5 * diameter * self.point, SIDES)
            yield from self.plates.pin(disk, color, level)
        else:
            yield Painted(solids.ball(np.zeros(3), 0.5 * diameter * self.point, 12, 6), color)

    def part(self, part: Laid, thing: Stretched) -> Iterator[Painted]:
        """Yield a part of a stretched thing as long as it usually is: along the x axis in the plane, along z in space."""
        along = np.array([part.usual, 0.0]) if self.flat else np.array([0.0, 0.0, part.usual])
        start = np.zeros_like(along)
        if part.shape == "spring":
            line = stretch.spring_line(start, along, part.radius)
            yield from self._wire(line, thing)
        elif self.flat and part.shape == "rod":
            yield from self.plates.line(np.array([start, along]), thing.color, thing.width, thing.level)
        elif self.flat:
            tube = part.shape == "tube"
            paleness = stretch.TUBE_PALENESS if tube else stretch.ROD_PALENESS
            outline, level = stretch.bar(start, along, part.radius), thing.level + (0.0 if tube else 0.1)
            yield from self.plates.area(outline, thing.color, level, paleness, thing.width)
        else:
            yield Painted(solids.tube(start, along, part.radius, SIDES), thing.color, PALENESS)

    def _wire(self, line: geometry.Floats, thing: Stretched) -> Iterator[Painted]:
        """Yield the line of a spring."""
        if self.flat:
            yield from self.plates.line(line, thing.color, thing.width, thing.level)
        else:
            yield Painted(solids.wire_along(line, 0.5 * thing.width * self.point, WIRE_SIDES), thing.color)
