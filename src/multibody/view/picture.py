"""A picture: poses, the last one in full and the others paler, the paths of points, axes, scales and words."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.errors import ModelError
from multibody.view import depth
from multibody.view.captions import draw_gravity, obstacles, write_names
from multibody.view.drawing import placed
from multibody.view.extent import box_of, with_margin
from multibody.view.geometry import Floats
from multibody.view.legends import place_key
from multibody.view.planar import planar_drawing
from multibody.view.planar_joints import stations
from multibody.view.posing import show_pose
from multibody.view.scene import Blueprint, Journey, Poses, Scene, glyph_size
from multibody.view.spatial import spatial_drawing
from multibody.view.strokes import Drawing
from multibody.view.style import body_color, figure_size, plain, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from multibody.tables.lower import Tables

DASHES: tuple[Any, ...] = ("-", (0, (5, 1.6)), (0, (1.2, 1.4)), (0, (6, 1.6, 1.2, 1.6)))


class Picture:
    """A picture of a mechanism.

    Parameters
    ----------
    tables : Tables
    motion : array (instants, nq)
        All poses that rails have to cover; one row for a state.
    shown : list of (time, row)
        The poses to draw; the last one is the pose itself.
    traces : dict
        Paths of points by frame (instants, d).
    view : (float, float)
        Elevation and azimuth of the eye in space [degrees].
    symbols : bool, optional
        Whether joints are drawn by their symbols.
    """

    def __init__(
        self, tables: Tables, motion: Floats, shown: list[tuple[float, int]], traces: dict[str, Floats] | None = None,
        view: tuple[float, float] = (22.0, -58.0), symbols: bool | None = None,
    ) -> None:  # fmt: skip
        self.tables, self.motion, self.view, self.traces = tables, motion, view, traces or {}
        self.symbols = symbols is not False
        self.time, self.rows = shown[-1][0], [row for _, row in shown]
        self.blueprint = Blueprint(tables)
        self.scenes = [self.blueprint.scene(motion[row]) for row in self.rows]
        cloud = np.vstack([scene.cloud() for scene in self.scenes] + list(self.traces.values()))
        self.cloud = cloud[np.all(np.isfinite(cloud), axis=1)]
        if len(self.cloud) == 0:
            raise ModelError("there is no finite point to draw", where=tables.model.name, hint="check the pose")
        self.size = glyph_size(self.scene, self.cloud)

    @cached_property
    def drawing(self) -> Drawing:
        """The strokes, as they belong to the pose itself."""
        make = planar_drawing if self.tables.dimension == 2 else spatial_drawing
        return make(self.tables, self.motion, reference=self.rows[-1], size=self.size)

    @property
    def scene(self) -> Scene:
        """The pose itself."""
        return self.scenes[-1]

    def draw(self, ax: Axes | None, labels: bool | None, title: str | None, figsize: tuple[float, float] | None) -> Axes:
        """Draw on given or new axes and return them."""
        units, planar = self.tables.model.units, self.tables.dimension == 2
        with styled():
            axes: Any = ax
            if ax is None:
                axes = self._new_axes(figsize) if planar else depth.new_axes(self._limits(), self.view, figsize)
            elif not planar and not hasattr(axes, "get_proj"):
                hint = 'make them with projection="3d"'
                raise ModelError("a spatial model needs 3-D axes", where=self.tables.model.name, hint=hint)
            if planar:
                self._planar(axes)
            else:
                self._spatial(axes)
            depth.write_title(axes, f"{self.tables.model.name},  t = {self.time:.4g} {units.time}" if title is None else title)
            axes.set_xlabel(f"x [{units.length}]")
            axes.set_ylabel(f"y [{units.length}]")
            if self.traces:
                place_key(axes, [depth.on_screen(axes, path) for path in self.traces.values()])
            paths = list(self.traces.values())
            shown = np.vstack([obstacles(scene, self.size, paths) for scene in self.scenes]) if planar else None
            taken = draw_gravity(axes, self.blueprint.gravity(), self.size, shown)
            write_names(axes, self.scene, self.size, labels, [*paths, *taken])
        result: Axes = axes
        return result

    def _new_axes(self, figsize: tuple[float, float] | None) -> Any:
        """Return new planar axes of a size that suits the mechanism."""
        import matplotlib.pyplot as plt

        low, high = self._limits()
        ratio = float((high[1] - low[1]) / (high[0] - low[0]))
        height = min(max(6.4 * ratio + 1.0, 3.0), 7.5)
        width = min(max((height - 1.0) / ratio + 1.0, 3.4), 7.4 if ratio > 0.3 else 11.0)
        _, axes = plt.subplots(figsize=figure_size(figsize) or (width, height), layout="constrained")
        return axes

    def _limits(self) -> tuple[Floats, Floats]:
        """Return lower left and upper right of a planar picture, or of the box of a spatial one."""
        if self.tables.dimension == 3:
            return with_margin(*self._box(), 0.5 * self.size)
        low, high = self._with_rails(self.cloud.min(axis=0), self.cloud.max(axis=0))
        return with_margin(low, high, max(2.6 * self.size, 0.05 * float(np.max(high - low))))  # symbols need room too

    def _box(self) -> tuple[Floats, Floats]:
        """Return the corners of the box of all that is drawn in space."""
        shown = Journey(self.tables, self.motion[self.rows])
        stretched = self.drawing.stretched
        springs = [shown.place(b, p) for thing in stretched for b, p in zip(thing.bodies, thing.points, strict=True)]
        strokes = [stroke for stroke in self.drawing.strokes if self.symbols or not stroke.symbol]
        return box_of(strokes, shown, [*springs, *self.traces.values()])

    def _with_rails(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Return a box that shows the whole travel of slides on the ground and all of a rack too."""
        journey = Journey(self.tables, self.motion[np.all(np.isfinite(self.motion), axis=1)])
        for mark in self.scene.marks:
            if mark.kind == "translational" and mark.bodies[0] == 0:
                ends = mark.points[0] + np.outer(stations(self.scene, journey, mark.name), mark.axes[0][:, 0])
                low, high = np.minimum(low, ends.min(axis=0)), np.maximum(high, ends.max(axis=0))
        racks = {rack.body for rack in self.scene.racks}
        for stroke in (stroke for stroke in self.drawing.strokes if stroke.body in racks):
            for row in self.rows:
                points = placed(stroke, Poses(self.tables, self.motion[row]))
                low, high = np.fmin(low, np.nanmin(points, axis=0)), np.fmax(high, np.nanmax(points, axis=0))
        return low, high

    def _planar(self, ax: Any) -> None:
        """Draw all poses and traces in the plane."""
        low, high = self._limits()
        ax.set_aspect("equal", adjustable="box")
        self._traces(ax, 2.95, 6.0)
        for k, row in enumerate(self.rows):
            show_pose(ax, self.drawing, Poses(self.tables, self.motion[row]), row, self._fade(k), self.symbols)
        ax.set_xlim(low[0], high[0])
        ax.set_ylim(low[1], high[1])

    def _spatial(self, ax: Any) -> None:
        """Draw all poses and traces in space, with equal scales on the three axes."""
        depth.set_view(ax, self._limits(), self.view)
        ax.set_zlabel(f"z [{self.tables.model.units.length}]")
        self._traces(ax, 1.9, 4.0)
        for k, row in enumerate(self.rows):
            show_pose(ax, self.drawing, Poses(self.tables, self.motion[row]), row, self._fade(k), self.symbols)

    def _fade(self, k: int) -> float:
        """Return how pale the k-th pose is: 0 the last, the earliest most."""
        count = len(self.scenes) - 1
        return 0.0 if k == count else 0.92 - 0.35 * k / max(count - 1, 1)

    def _traces(self, ax: Any, z: float, z_point: float) -> None:
        """Draw the paths of points in the colors of their bodies, with a dot where the point is."""
        poses = Poses(self.tables, self.motion[self.rows[-1]])
        used: dict[int, int] = {}
        for name, path in self.traces.items():
            body, frame = self.tables.model.find_end(name, "trace")
            number = self.tables.bodies.index(body)
            count = used.setdefault(number, 0)
            used[number] += 1
            color, dashes = body_color(number), DASHES[count % len(DASHES)]
            ax.plot(*path.T, color=color, linewidth=1.2, linestyle=dashes, zorder=z, label=plain(name))
            point = poses.place(number, self.tables.vector(self.tables.frames[body, frame].point))
            ax.plot(*point[:, None], "o", color=color, markersize=4.5, zorder=z_point)
