"""The canvas of spatial films."""

from __future__ import annotations

from typing import Any

import numpy as np

from multibody.view import depth
from multibody.view.facets import eye_of
from multibody.view.film.canvas import POINT_LEVEL, Canvas
from multibody.view.film.ink import Item
from multibody.view.film.paper import GRID
from multibody.view.film.space import SpaceItems
from multibody.view.geometry import Floats
from multibody.view.style import body_color

SCALE = 0.9  # films are a little smaller than pictures


class DeepCanvas(Canvas):
    """Axes of space with equal scales, seen from far away."""

    def _axes(self) -> tuple[Any, Any]:
        story = self.story
        limits = story.drawing.low, story.drawing.high
        figure = self._figure()
        axes = depth.new_axes(limits, story.view, None if story.size is None else self._inches(figure, (0.0, 0.0)), figure)
        if story.size is None:
            width, height = figure.get_size_inches()
            figure.set_size_inches(self._inches(figure, (SCALE * width, SCALE * height)))
        depth.set_view(axes, limits, story.view)
        if story.paper.dark:
            for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
                axis.set_pane_color((*story.paper.face(GRID, 0.6), 1.0))
        return figure, axes

    def _clip(self) -> Any:
        return self.figure.bbox

    def project(self, points: Floats) -> Floats:
        """Return where points in ground (..., 3) lie on the screen [pixels] (..., 2)."""
        linear, corner = self._map()
        return np.asarray(points @ linear.T + corner)

    def _map(self) -> tuple[Floats, Floats]:
        """Return the linear part of the projection, pixels by length (2, 3), and the pixels of the origin.

        An eye that is far away sees lines that are parallel as parallel: three directions tell all.
        """
        if not hasattr(self, "_known"):
            low, unit = self.story.drawing.low, float(np.max(self.story.drawing.high - self.story.drawing.low))
            pixels = depth.on_screen(self.axes, np.vstack([low, low + unit * np.eye(3)]))
            linear = (pixels[1:] - pixels[0]).T / unit
            self._known = linear, pixels[0] - linear @ low
        return self._known

    def _items(self) -> list[Item]:
        maker = SpaceItems(self.ink, self.figure, self.journey, *self._map(), eye_of(self.axes))
        items = maker.of(self.story.drawing, self.story.symbols) + self._trace_items()
        items += [maker.dot(trace.places, body_color(trace.body), 4.5, POINT_LEVEL) for trace in self.story.traces]
        return items + self._name_items(self.figure.bbox)
