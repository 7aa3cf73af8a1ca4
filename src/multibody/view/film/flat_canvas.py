"""The canvas of planar films."""

from __future__ import annotations

from typing import Any

import numpy as np

from multibody.view.film.canvas import POINT_LEVEL, Canvas
from multibody.view.film.ink import Item
from multibody.view.film.plane import PlaneItems
from multibody.view.geometry import Floats
from multibody.view.style import body_color


class FlatCanvas(Canvas):
    """Axes of the plane with equal scales."""

    def _axes(self) -> tuple[Any, Any]:
        low, high = self.story.drawing.low, self.story.drawing.high
        ratio = float((high[1] - low[1]) / (high[0] - low[0]))
        height = min(max(5.6 * ratio + 0.9, 2.6), 6.0)
        width = min(max((height - 0.9) / ratio + 0.8, 3.4), 6.4)
        figure = self._figure()
        figure.set_size_inches(self._inches(figure, (width, height)))
        figure.set_layout_engine("constrained")
        axes = figure.add_subplot()
        axes.set_aspect("equal", adjustable="box")
        axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
        return figure, axes

    def _clip(self) -> Any:
        return self.axes.bbox

    def project(self, points: Floats) -> Floats:
        """Return where points in ground (..., 2) lie on the screen [pixels] (..., 2)."""
        scale, corner = self._map()
        return scale * points + corner

    def _map(self) -> tuple[float, Floats]:
        """Return the pixels of one length and of the origin."""
        origin, one = self.axes.transData.transform([[0.0, 0.0], [1.0, 0.0]])
        return float(one[0] - origin[0]), np.asarray(origin)

    def _items(self) -> list[Item]:
        maker = PlaneItems(self.ink, self.journey, *self._map())
        items = maker.of(self.story.drawing, self.story.symbols) + self._trace_items()
        items += [maker.dot(trace.places, body_color(trace.body), 4.5, POINT_LEVEL) for trace in self.story.traces]
        return items + self._name_items(self.axes.bbox)
