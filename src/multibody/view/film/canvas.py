"""A figure whose background is drawn once, and whose frames are drawn into its pixels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.view.captions import draw_gravity
from multibody.view.depth import on_screen, write_title
from multibody.view.film.boxes import Pixels
from multibody.view.film.ink import Ink, Item, line_path
from multibody.view.film.letters import title_items
from multibody.view.film.names import name_items, names_of
from multibody.view.film.paper import Paper
from multibody.view.geometry import Floats
from multibody.view.legends import place_key
from multibody.view.remark import write_remark
from multibody.view.scene import Blueprint, Journey
from multibody.view.strokes import Drawing
from multibody.view.style import ACCENT, body_color, plain

if TYPE_CHECKING:
    from multibody.tables.lower import Tables

DPI = 100.0
NATURAL = (640.0, 480.0)  # where a film of another size was asked for, lines and letters are as large as they look on this one
TRACE_LEVEL = {2: 2.95, 3: 1.9}  # in the plane and in space
POINT_LEVEL = 6.0
DASHES: tuple[tuple[float, ...], ...] = ((), (5.0, 1.6), (1.2, 1.4), (6.0, 1.6, 1.2, 1.6))  # of traces [line widths]
OBSTACLES = 12  # points of a stroke that names had better not cover


@dataclass(frozen=True, eq=False)
class Trace:
    """The path of a point: its name and body, its times and places over the run, and its places in the frames."""

    name: str
    body: int
    times: Floats
    path: Floats
    places: Floats


@dataclass(frozen=True, eq=False)
class Story:
    """What a film shows.

    Attributes
    ----------
    tables : Tables
    times : array (frames,)
    q : array (frames, nq)
        The poses.
    drawing : Drawing
        Of these poses.
    traces : list of Trace
    title : str, optional
        Default: the model's name and the time.
    labels : bool, optional
    symbols : bool
    paper : Paper
    size : (int, int), optional
        Width and height [pixels].
    view : (float, float)
        Elevation and azimuth of the eye in space [degrees].
    remark : str
        A line below the picture: that the run did not reach its end.
    """

    tables: Tables
    times: Floats
    q: Floats
    drawing: Drawing
    traces: list[Trace] = field(default_factory=list)
    title: str | None = None
    labels: bool | None = None
    symbols: bool = True
    paper: Paper = field(default_factory=Paper)
    size: tuple[int, int] | None = None
    view: tuple[float, float] = (22.0, -58.0)
    remark: str = ""


class Canvas:
    """Draws the frames of a story.

    Subclasses make the axes, say where points lie on the screen and what is drawn.

    Parameters
    ----------
    story : Story
    """

    def __init__(self, story: Story) -> None:
        import matplotlib

        self.story, self.journey = story, Journey(story.tables, story.q)
        rc: Any = story.paper.rc()
        with matplotlib.rc_context(rc):
            self.figure, self.axes = self._axes()
            self._furnish()
            for _ in range(2):  # a layout with a legend below is found at the second go
                self.figure.canvas.draw()
            self.title = self._title_place()
            self.figure.set_layout_engine("none")  # it has made room for the title, which every frame writes
            self.axes.set_title("", loc="left")
            self.figure.canvas.draw()
        self.ink = Ink(self.figure, self._clip(), story.paper)
        title = title_items(Ink(self.figure, None, story.paper), self._title, len(story.times), *self.title)
        items = sorted([*self._items(), *title], key=lambda item: item.level)
        still = next((k for k, item in enumerate(items) if not item.still), len(items))
        for item in items[:still]:
            item.draw(0)
        self.moving = items[still:]
        self.background = self.ink.renderer.copy_from_bbox(self.figure.bbox)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height [pixels]."""
        height, width = np.asarray(self.ink.renderer.buffer_rgba()).shape[:2]
        return width, height

    def frame(self, k: int) -> Pixels:
        """Return the k-th frame (height, width, 4): red, green, blue, and 255."""
        renderer = self.ink.renderer
        renderer.restore_region(self.background)
        for item in self.moving:
            item.draw(k)
        return np.array(renderer.buffer_rgba())

    def frames(self) -> Iterator[Pixels]:
        """Return all frames, one by one."""
        return (self.frame(k) for k in range(len(self.story.times)))

    # --- what subclasses say
    def _axes(self) -> tuple[Any, Any]:
        """Return figure and axes."""
        raise NotImplementedError

    def _clip(self) -> Any:
        """Return the box outside of which nothing is drawn [pixels]."""
        raise NotImplementedError

    def project(self, points: Floats) -> Floats:
        """Return where points in ground (..., d) lie on the screen [pixels] (..., 2)."""
        raise NotImplementedError

    def _items(self) -> list[Item]:
        """Return everything that is drawn."""
        raise NotImplementedError

    # --- what they share
    def _title_place(self) -> tuple[Floats, float]:
        """Return the left end of the title's base line, where matplotlib has laid it out, and how wide it may be [pixels].

        In space the arrow of gravity stands in the other corner.
        """
        title, point = self.axes._left_title, self.figure.dpi / 72.0
        x, y = title.get_transform().transform(title.get_position())
        deep = title.get_verticalalignment() == "top"  # of the figure: over 3-D axes
        if deep:
            from matplotlib.textpath import text_to_path

            _, height, descent = text_to_path.get_text_width_height_descent("lp", title.get_fontproperties(), False)
            y -= point * (height - descent)
        return np.array([x, y]), self.figure.bbox.width - x - (48.0 if deep else 6.0) * point

    def _figure(self) -> Any:
        """Return an empty figure; a film of a given size has lines and letters that suit it."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        asked = self.story.size
        dpi = DPI if asked is None else DPI * min(max(min(asked[0] / NATURAL[0], asked[1] / NATURAL[1]), 0.6), 6.0)
        figure = Figure(dpi=dpi)
        FigureCanvasAgg(figure)
        return figure

    def _inches(self, figure: Any, natural: tuple[float, float]) -> tuple[float, float]:
        """Return the size asked for, else a natural one, with even numbers of pixels [inch]."""
        width, height = self.story.size or (round(side * figure.dpi) for side in natural)
        return (width + width % 2) / figure.dpi, (height + height % 2) / figure.dpi

    def _furnish(self) -> None:
        """Write what does not move: the names of axes, the legend of traces, gravity."""
        story, units = self.story, self.story.tables.model.units
        write_title(self.axes, "".join(self._title(len(story.times) - 1)))
        for axis in "xyz"[: story.drawing.dimension]:
            getattr(self.axes, f"set_{axis}label")(f"{axis} [{units.length}]")
        for trace, dashes in self._dashed():
            style: Any = (0, dashes) if dashes else "-"
            color = story.paper.tone(body_color(trace.body))
            name = plain(trace.name)
            self.axes.plot(*[[]] * story.drawing.dimension, color=color, linewidth=1.2, linestyle=style, label=name)
        if story.traces:
            place_key(self.axes, [on_screen(self.axes, trace.path) for trace in story.traces])
        draw_gravity(self.axes, Blueprint(story.tables).gravity(), story.drawing.size)
        if story.remark:
            write_remark(self.figure, story.remark, story.paper.tone(ACCENT), grow=False)

    def _title(self, k: int) -> tuple[str, str]:
        """Return the title of a frame: what stays, and the time with as many digits as the step between frames needs."""
        story = self.story
        if story.title is not None:
            return story.title, ""
        times = story.times
        step = abs(float(times[-1] - times[0])) / max(len(times) - 1, 1)
        digits = int(np.clip(np.ceil(-np.log10(step)), 0, 12)) if step > 0.0 else 3
        return f"{story.tables.model.name},  t = ", f"{times[k]:.{digits}f} {story.tables.model.units.time}"

    def _dashed(self) -> list[tuple[Trace, tuple[float, ...]]]:
        """Return the traces with dashes that tell those of one body apart."""
        used: dict[int, int] = {}
        result = []
        for trace in self.story.traces:
            used[trace.body] = used.get(trace.body, 0) + 1
            result.append((trace, DASHES[(used[trace.body] - 1) % len(DASHES)]))
        return result

    def _trace_items(self) -> list[Item]:
        """Return the paths of points, each as long as it has become."""
        from matplotlib.transforms import IdentityTransform

        story, ink, here = self.story, self.ink, IdentityTransform()
        items = []
        for trace, dashes in self._dashed():
            pen = ink.pen(story.paper.tone(body_color(trace.body)), 1.2, [1.2 * part for part in dashes])
            path, places = self.project(trace.path), self.project(trace.places)
            sign = -1.0 if trace.times[-1] < trace.times[0] else 1.0
            reached = np.searchsorted(sign * trace.times, sign * story.times, side="right")

            def draw(k: int, pen: Any = pen, path: Floats = path, places: Floats = places, reached: Any = reached) -> None:
                ink.path(pen, line_path(np.vstack([path[: reached[k]], places[k]])), here)

            items.append(Item(TRACE_LEVEL[story.drawing.dimension], draw))
        return items

    def _name_items(self, frame: Any) -> list[Item]:
        """Return the names."""
        story = self.story
        names = names_of(story.drawing, self.journey, self.project, story.labels, self.ink.pixels)
        return name_items(self.ink, names, self._obstacles, frame, every=story.labels is True)

    def _obstacles(self, k: int) -> Floats:
        """Return points of the k-th frame that names had better not cover [pixels] (n, 2)."""
        one = Journey(self.story.tables, self.story.q[k : k + 1])
        parts = []
        for stroke in self.story.drawing.strokes:
            points = _along(stroke.points)
            parts.append(self._placed(one, stroke.body, points))
        for thing in self.story.drawing.stretched:
            a, b = (one.place(body, point)[0] for body, point in zip(thing.bodies, thing.points, strict=True))
            parts.append(a + (b - a) * np.linspace(0.0, 1.0, OBSTACLES)[:, None])
        parts += [trace.path[:: max(1, len(trace.path) // 60)] for trace in self.story.traces]
        return self.project(np.vstack(parts)) if parts else np.zeros((0, 2))

    @staticmethod
    def _placed(one: Journey, body: int, points: Floats) -> Floats:
        """Return points of a body in ground."""
        return np.asarray(one.place(body, np.zeros(points.shape[1]))[0] + points @ one.turns(body)[0].T)


def _along(points: Floats) -> Floats:
    """Return some points of a stroke: between the ends of a line, around an outline."""
    finite = points[np.all(np.isfinite(points), axis=1)]
    if len(finite) == 2:
        return np.asarray(finite[0] + (finite[1] - finite[0]) * np.linspace(0.0, 1.0, OBSTACLES)[:, None])
    return finite[:: max(1, len(finite) // OBSTACLES)]
