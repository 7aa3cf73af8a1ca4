"""Pictures of a mechanism at one pose or several, planar or in space, with the paths of chosen points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.errors import ModelError
from multibody.view.geometry import Floats
from multibody.view.labels import Label, looks, place_labels, write_flat
from multibody.view.planar import PlanarPainter
from multibody.view.scene import Blueprint, Scene, glyph_size
from multibody.view.style import INK, PALE, body_color, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from multibody.results.run import Run
    from multibody.results.state import State
    from multibody.tables.lower import Tables

MOST_LABELS = 40  # more names than this would only cover the picture


def draw_state(
    state: State, ax: Axes | None = None, *, labels: bool | None = None, title: str | None = None,
    figsize: tuple[float, float] | None = None, view: tuple[float, float] = (22.0, -58.0),
) -> Axes:  # fmt: skip
    """Draw the pose of a state.

    Parameters
    ----------
    state : State
    ax : Axes, optional
        Axes to draw on (with ``projection="3d"`` for a spatial model); default a new figure.
    labels : bool, optional
        Whether bodies and joints are named; default: where there are few enough.
    title : str, optional
        Default: the model's name and the time.
    figsize : (float, float), optional
        Width and height of a new figure [inch]; default after the mechanism's shape.
    view : (float, float)
        Elevation and azimuth of the eye on a spatial model [degrees].

    Returns
    -------
    Axes
    """
    picture = _Picture(state.tables, [(state.t, state.q)], {}, {})
    return picture.draw(ax, labels, title, figsize, view)


def draw_run(
    run: Run, at: float | Sequence[float] | None = None, ax: Axes | None = None, *, trace: Sequence[str] = (),
    labels: bool | None = None, title: str | None = None, figsize: tuple[float, float] | None = None,
    view: tuple[float, float] = (22.0, -58.0),
) -> Axes:  # fmt: skip
    """Draw the pose at one or several times of a run, with the paths of chosen points.

    Parameters
    ----------
    run : Run
    at : float or sequence of float, optional
        Times; the nearest instants are drawn, all but the last in paler colors. Default: the last instant.
    ax : Axes, optional
    trace : sequence of str
        Frames (``"rod.P"``, or a body for its origin) whose paths over the whole run are drawn.
    labels, title, figsize, view
        As for :func:`draw_state`.

    Returns
    -------
    Axes
    """
    if len(run.time) == 0:
        raise ModelError("the run has no instants to draw", where=run.model.name, hint=run.status.message)
    times = [float(run.time[-1])] if at is None else [float(t) for t in np.atleast_1d(np.asarray(at, dtype=float))]
    if not times or not np.all(np.isfinite(times)):
        raise ModelError(
            "the times to draw are empty or not finite", where=run.model.name, hint="give at least one time"
        )
    indices = [int(np.argmin(np.abs(run.time - t))) for t in times]
    poses = [(float(run.time[k]), run.motion.q[k]) for k in indices]
    traces = {name: run.measurer.frame(*run.model.find_end(name, "trace"))[0] for name in trace}
    return _Picture(run.tables, poses, traces, _travel(run)).draw(ax, labels, title, figsize, view)


def _travel(run: Run) -> dict[str, tuple[float, float]]:
    """Return the range of every planar slide over the run."""
    ranges = {}
    for name, joint in run.model.joints.items():
        if joint.kind.name == "translational" and run.tables.dimension == 2:
            values = run.measurer.coordinate(run.tables.coordinates["joint", name, "position", 0])[0]
            ranges[name] = (float(values.min()), float(values.max()))
    return ranges


class _Picture:
    """A picture: poses (the last one is the pose, the others are paler), traces and travels of slides."""

    def __init__(
        self,
        tables: Tables,
        poses: list[tuple[float, Floats]],
        traces: dict[str, Floats],
        travel: dict[str, tuple[float, float]],
    ) -> None:
        self.tables, self.poses, self.traces, self.travel = tables, poses, traces, travel
        self.blueprint = Blueprint(tables)
        self.scenes = [self.blueprint.scene(q) for _, q in poses]
        cloud = np.vstack([scene.cloud() for scene in self.scenes] + list(traces.values()))
        self.cloud = cloud[np.all(np.isfinite(cloud), axis=1)]
        if len(self.cloud) == 0:
            raise ModelError("there is no finite point to draw", where=tables.model.name, hint="check the pose")
        self.size = glyph_size(self.scenes[-1], self.cloud)

    @property
    def scene(self) -> Scene:
        """The pose itself."""
        return self.scenes[-1]

    def draw(
        self, ax: Axes | None, labels: bool | None, title: str | None, figsize: tuple[float, float] | None,
        view: tuple[float, float],
    ) -> Axes:  # fmt: skip
        """Draw on given or new axes and return them."""
        with styled():
            axes: Any = self._new_axes(figsize) if ax is None else ax
            if self.tables.dimension == 3 and not hasattr(axes, "get_proj"):
                raise ModelError(
                    "a spatial model needs 3-D axes",
                    where=self.tables.model.name,
                    hint='make them with projection="3d"',
                )
            (self._planar if self.tables.dimension == 2 else self._spatial)(axes, view)
            units = self.tables.model.units
            t = self.poses[-1][0]
            axes.set_title(f"{self.tables.model.name},  t = {t:.4g} {units.time}" if title is None else title)
            axes.set_xlabel(f"x [{units.length}]")
            axes.set_ylabel(f"y [{units.length}]")
            self._gravity(axes)
            self._names(axes, labels)
        result: Axes = axes
        return result

    def _new_axes(self, figsize: tuple[float, float] | None) -> Any:
        """Return new axes of a size that suits the mechanism."""
        import matplotlib.pyplot as plt

        if self.tables.dimension == 3:
            figure = plt.figure(figsize=figsize or (7.0, 6.2), layout="constrained")
            return figure.add_subplot(projection="3d", computed_zorder=False)
        low, high = self._limits()
        ratio = (high[1] - low[1]) / (high[0] - low[0])
        height = min(max(6.4 * ratio + 1.0, 2.2), 7.5)
        width = min(max((height - 1.0) / ratio + 1.0, 3.2), 7.4)
        figure, axes = plt.subplots(figsize=figsize or (width, height), layout="constrained")
        return axes

    def _limits(self) -> tuple[Floats, Floats]:
        """Return lower left and upper right of a planar picture, or of the box of a spatial one."""
        low, high = self.cloud.min(axis=0), self.cloud.max(axis=0)
        for name, (first, last) in self.travel.items():  # the rail shows the whole travel
            mark = next(m for m in self.scene.marks if m.name == name)
            if mark.grounded:
                along = mark.axes[0][:, 0]
                ends = np.array([mark.points[0] + first * along, mark.points[0] + last * along])
                low, high = np.minimum(low, ends.min(axis=0)), np.maximum(high, ends.max(axis=0))
        margin = 2.6 * self.size if self.tables.dimension == 2 else 1.0 * self.size
        return low - margin, high + margin

    # --- planar -----------------------------------------------------------------------------------------------------
    def _planar(self, ax: Any, view: tuple[float, float]) -> None:
        """Draw all poses and traces in the plane."""
        low, high = self._limits()
        ax.set_aspect("equal", adjustable="box")
        ax.set_xlim(low[0], high[0])
        ax.set_ylim(low[1], high[1])
        for name, path in self.traces.items():
            ax.plot(
                *path.T, color=self._trace_color(name), linewidth=1.3, linestyle=(0, (4, 1.6)), zorder=2.6, label=name
            )
            ax.plot(*self._traced_point(name), "o", color=self._trace_color(name), markersize=4.5, zorder=6.0)
        for k, scene in enumerate(self.scenes):
            PlanarPainter(ax, scene, self.size, self._fade(k), self.travel).paint()
        ax.set_xlim(low[0], high[0])
        ax.set_ylim(low[1], high[1])
        if self.traces:
            ax.legend(loc="upper left", handlelength=2.6)

    def _fade(self, k: int) -> float:
        """Return how pale the k-th pose is: 0 the last, the earliest most."""
        count = len(self.scenes) - 1
        return 0.0 if k == count else 0.92 - 0.35 * k / max(count - 1, 1)

    def _trace_color(self, name: str) -> str:
        """Return the color of a path: that of its body."""
        body = self.tables.model.find_end(name, "trace")[0]
        return body_color(self.tables.bodies.index(body))

    def _traced_point(self, name: str) -> Floats:
        """Return where a traced point is at the pose itself."""
        from multibody.view.scene import Poses

        body, frame = self.tables.model.find_end(name, "trace")
        poses = Poses(self.tables, self.poses[-1][1])
        point = poses.place(self.tables.bodies.index(body), self.tables.vector(self.tables.frames[body, frame][0]))
        return point[:, None]

    # --- spatial ----------------------------------------------------------------------------------------------------
    def _spatial(self, ax: Any, view: tuple[float, float]) -> None:
        """Draw all poses and traces in space, with equal scales on the three axes."""
        from multibody.view.spatial import SpatialPainter

        low, high = self._limits()
        ranges = high - low
        floor = 0.3 * float(ranges.max())  # a flat mechanism still gets a box
        middle, ranges = 0.5 * (low + high), np.maximum(ranges, floor)
        ax.set_proj_type("ortho")
        ax.view_init(*view)
        ax.set(**{f"{axis}lim": (m - 0.5 * r, m + 0.5 * r) for axis, m, r in zip("xyz", middle, ranges, strict=True)})
        ax.set_box_aspect(ranges, zoom=1.0)
        ax.set_zlabel(f"z [{self.tables.model.units.length}]")
        for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
            axis.set_pane_color((0.975, 0.98, 0.985, 1.0))
            axis.line.set_color(PALE)
        ax.locator_params(nbins=5)
        for name, path in self.traces.items():
            ax.plot(
                *path.T, color=self._trace_color(name), linewidth=1.3, linestyle=(0, (4, 1.6)), zorder=1.9, label=name
            )
            ax.plot(*self._traced_point(name), "o", color=self._trace_color(name), markersize=4.5, zorder=4.0)
        for k, scene in enumerate(self.scenes):
            SpatialPainter(ax, scene, self.size, self._fade(k)).paint()
        if self.traces:
            ax.legend(loc="upper left", handlelength=2.6)

    # --- words ------------------------------------------------------------------------------------------------------
    def _gravity(self, ax: Any) -> None:
        """Draw a small arrow in the corner along gravity."""
        direction = self.blueprint.gravity()
        if direction is None:
            return
        if self.tables.dimension == 3:
            pixels = self._pixels(ax, np.array([np.zeros(3), direction]) * self.size)
            flat = pixels[1] - pixels[0]
            size = float(np.linalg.norm(flat))
            direction = flat / size if size > 0.0 else np.zeros(2)
        tail = (-14.0 - 13.0 * direction[0], -20.0 - 13.0 * direction[1])
        head = (-14.0 + 13.0 * direction[0], -20.0 + 13.0 * direction[1])
        style = {
            "arrowstyle": "-|>",
            "color": PALE,
            "linewidth": 1.2,
            "shrinkA": 0.0,
            "shrinkB": 0.0,
            "mutation_scale": 9.0,
        }
        from matplotlib.text import Annotation

        arrow = Annotation("", xy=head, xycoords=_corner(ax), xytext=tail, textcoords=_corner(ax), arrowprops=style)
        word = Annotation(
            "g",
            xy=(-26.0, -20.0),
            xycoords=_corner(ax),
            color=PALE,
            fontsize=9,
            style="italic",
            va="center",
            ha="center",
        )
        for artist in (arrow, word):
            artist.set_gid("gravity")
            ax.add_artist(artist)

    def _pixels(self, ax: Any, points: Floats) -> Floats:
        """Return points in display coordinates (n, 2)."""
        if self.tables.dimension == 2:
            return np.asarray(ax.transData.transform(points))
        from mpl_toolkits.mplot3d import proj3d

        x, y, _ = proj3d.proj_transform(*points.T, ax.get_proj())
        return np.asarray(ax.transData.transform(np.column_stack([x, y])))

    def _names(self, ax: Any, wanted: bool | None) -> None:
        """Write the names of bodies and joints."""
        from multibody.view.names import named_things

        bodies, joints = len(self.scene.links), len(self.scene.marks)
        if wanted is False or (wanted is None and bodies > MOST_LABELS):
            return
        with_joints = bool(wanted) or bodies + joints <= MOST_LABELS
        ax.figure.draw_without_rendering()  # the layout is final after this
        things = named_things(self.scene, with_joints)
        if not things:
            return
        anchors = self._pixels(ax, np.array([point for _, point, _ in things]))
        pin = self._pixels(ax, np.array([self.cloud[0], self.cloud[0] + np.eye(self.tables.dimension)[0] * self.size]))
        gap = max(float(np.linalg.norm(pin[1] - pin[0])) * 0.45 * 72.0 / ax.figure.dpi, 2.0)
        labels = [
            Label(text, anchor, color, gap if number < 0 else 1.3 * gap, 7.5 if number < 0 else 8.5, number < 0)
            for (text, _, number), anchor in zip(things, anchors, strict=True)
            for color in [INK if number < 0 else body_color(number)]
        ]
        write = (
            write_flat(ax)
            if self.tables.dimension == 2
            else self._write_deep(ax, {id(l): t[1] for l, t in zip(labels, things, strict=True)})
        )
        place_labels(ax, labels, self._pixels(ax, self._obstacles()), write)

    def _obstacles(self) -> Floats:
        """Return points along all links, springs and traces, which names had better not cover."""
        parts = [self.cloud]
        for link in self.scene.links:
            ends = np.vstack([link.points, *(solid.points for solid in link.solids)])
            parts += [a + (b - a) * np.linspace(0.0, 1.0, 15)[:, None] for a in ends[:6] for b in ends[:6]]
        for spring in self.scene.springs:
            a, b = spring.points
            parts.append(a + (b - a) * np.linspace(0.0, 1.0, 10)[:, None])
        parts += [path[:: max(1, len(path) // 60)] for path in self.traces.values()]
        parts += [cam.profile[::6] for cam in self.scene.cams]
        for mark in self.scene.marks:
            if mark.grounded:
                down = np.zeros(self.tables.dimension)
                down[-1] = -1.3 * self.size
                parts.append(np.array([mark.points[1] + down, mark.points[1] + 0.5 * down]))
        return np.vstack(parts)

    def _write_deep(self, ax: Any, points: dict[int, Floats]) -> Any:
        """Return how a label is written in space: beside its point, in the plane of the screen."""
        elevation, azimuth = np.deg2rad([ax.elev, ax.azim])
        right = np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
        up = np.array([-np.sin(elevation) * np.cos(azimuth), -np.sin(elevation) * np.sin(azimuth), np.cos(elevation)])

        def write(label: Label, offset: Floats) -> None:
            point = points[id(label)]
            here = self._pixels(ax, np.array([point, point + right * self.size, point + up * self.size]))
            scale = np.linalg.norm(here[1:] - here[0], axis=1) / self.size
            x, y, z = point + right * offset[0] / scale[0] + up * offset[1] / scale[1]
            ax.text(x, y, z, label.text, **looks(label))

        return write


def _corner(ax: Any) -> Any:
    """Return coordinates in points from the upper right corner of the axes."""
    from matplotlib.transforms import Affine2D, ScaledTranslation

    points = Affine2D().scale(1.0 / 72.0) + ax.figure.dpi_scale_trans
    corner = ScaledTranslation(1.0, 1.0, ax.transAxes)
    return points + corner
