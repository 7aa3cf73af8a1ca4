"""Words in a picture: names of bodies and joints where they cover least, and the arrow of gravity."""

from __future__ import annotations

from typing import Any

import numpy as np

from multibody.view.depth import on_screen
from multibody.view.geometry import Floats
from multibody.view.labels import Box, Label, Write, looks, place_labels, write_flat
from multibody.view.names import named_things
from multibody.view.scene import Scene
from multibody.view.style import INK, PALE, body_color, plain

MOST_NAMES = 40  # more would only cover the picture
CORNER = (38.0, 46.0)  # room for the arrow of gravity, width and height [points]


def write_names(ax: Any, scene: Scene, size: float, wanted: bool | None, paths: list[Floats]) -> None:
    """Write the names of bodies and joints.

    Parameters
    ----------
    ax : Axes
    scene : Scene
    size : float
        Of the joint symbols [length].
    wanted : bool or None
        None: bodies where there are few, joints too where there are even fewer.
    paths : list of arrays
        Curves that the names had better not cover.
    """
    bodies, joints = len(scene.links), len(scene.marks)
    if wanted is False or (wanted is None and bodies > MOST_NAMES):
        return
    ax.figure.draw_without_rendering()  # the layout is final after this
    things = named_things(scene, size, joints=bool(wanted) or bodies + joints <= MOST_NAMES)
    anchors = on_screen(ax, np.array([point for _, point, _ in things]))
    pair = on_screen(ax, np.array([things[0][1], things[0][1] + np.eye(scene.dimension)[-1] * size]))
    gap = max(0.4 * float(np.linalg.norm(pair[1] - pair[0])) * 72.0 / ax.figure.dpi, 2.0)
    labels, points = [], {}
    for (text, point, number), anchor in zip(things, anchors, strict=True):
        joint = number < 0
        color = INK if joint else body_color(number)
        labels.append(Label(text, anchor, color, gap if joint else 1.2 * gap, 7.5 if joint else 8.5, joint))
        points[id(labels[-1])] = point
    write = write_flat(ax) if scene.dimension == 2 else _write_deep(ax, points, size)
    place_labels(ax, labels, on_screen(ax, obstacles(scene, size, paths)), write, _words(ax))


def _words(ax: Any) -> list[Box]:
    """Return the boxes of title and legend (pixels)."""
    found = [ax.title, ax._left_title, ax._right_title, *([ax.get_legend()] if ax.get_legend() else [])]
    boxes = [thing.get_window_extent() for thing in found if not hasattr(thing, "get_text") or thing.get_text()]
    return [(box.x0, box.y0, box.x1, box.y1) for box in boxes]


def obstacles(scene: Scene, size: float, paths: list[Floats]) -> Floats:
    """Return points along everything that names had better not cover."""
    steps = np.linspace(0.0, 1.0, 13)[:, None]
    parts = [path[:: max(1, len(path) // 60)] for path in paths] + [cam.profile[::6] for cam in scene.cams]
    for link in scene.links:
        ends = np.vstack([link.points, *(solid.points for solid in link.solids)])[:6]
        parts += [a + (b - a) * steps for k, a in enumerate(ends) for b in ends[:k]] or [ends]
    parts += [spring.points[0] + (spring.points[1] - spring.points[0]) * steps for spring in scene.springs]
    down = np.zeros(scene.dimension)
    down[-1] = -size
    for mark in scene.marks:
        if mark.grounded and mark.kind != "translational":
            parts.append(mark.points[1] + np.array([0.6, 1.0, 1.35])[:, None] * down)
        elif mark.kind == "translational" and scene.dimension == 2:
            along = mark.axes[0][:, 0]
            rail = mark.points[1] + (6.0 * steps - 3.0) * size * along
            parts += [rail + 0.6 * down, rail[4:9] - 0.5 * down, rail + 0.9 * down]
    return np.vstack(parts)


def _write_deep(ax: Any, points: dict[int, Floats], size: float) -> Write:
    """Return how a label is written in space: beside its point, in the plane of the screen."""
    elevation, azimuth = np.deg2rad([ax.elev, ax.azim])
    right = np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
    level = -np.sin(elevation)
    up = np.array([level * np.cos(azimuth), level * np.sin(azimuth), np.cos(elevation)])

    def write(label: Label, offset: Floats, far: bool) -> None:
        point = points[id(label)]
        here = on_screen(ax, np.array([point, point + right * size, point + up * size]))
        scale = np.linalg.norm(here[1:] - here[0], axis=1) / size
        place = point + right * offset[0] / scale[0] + up * offset[1] / scale[1]
        if far:  # the name's halo covers the end of the line
            ax.plot(*np.array([point, place]).T, color=PALE, linewidth=0.6, zorder=999.0)
        ax.text(*place, plain(label.text), **looks(label))

    return write


def draw_gravity(ax: Any, direction: Floats | None, size: float, shown: Floats | None = None) -> list[Floats]:
    """Draw a small arrow along gravity in a corner: the upper right one, or in the plane the first that is free.

    Parameters
    ----------
    ax : Axes
    direction : array or None
        Unit vector; none is drawn where there is no gravity.
    size : float
        Of the joint symbols [length].
    shown : array (n, 2), optional
        Points of a planar mechanism that the arrow had better not cover.

    Returns
    -------
    list of arrays
        The corner that is taken in the plane, as a path that names had better not cover.
    """
    from matplotlib.text import Annotation

    if direction is None:
        return []
    if len(direction) == 3:
        pair = on_screen(ax, np.array([np.zeros(3), direction]) * size)
        flat = pair[1] - pair[0]
        length = float(np.linalg.norm(flat))
        direction = flat / length if length > 0.0 else np.zeros(2)
    flat_ones = len(direction) == 2 and shown is not None and not hasattr(ax, "get_proj")
    right, top = _free_corner(ax, shown) if flat_ones else (1.0, 1.0)
    middle, place = np.array([16.0, 20.0]) * (1.0 - 2.0 * np.array([right, top])), _corner(ax, right, top)
    side = np.array([-direction[1], direction[0]])
    side = side if (side[0] < 0.0) == (right == 1.0) else -side
    style = {"arrowstyle": "-|>", "color": PALE, "linewidth": 1.2, "shrinkA": 0.0, "shrinkB": 0.0, "mutation_scale": 9.0}
    options = {"xycoords": place, "gid": "gravity", "annotation_clip": False}
    arrow = Annotation(
        "", tuple(middle + 13.0 * direction), xytext=tuple(middle - 13.0 * direction), textcoords=place, arrowprops=style,
        **options,
    )  # fmt: skip
    word = Annotation(
        "g", tuple(middle + 9.0 * side), color=PALE, fontsize=9, style="italic", ha="center", va="center", **options
    )
    ax.add_artist(arrow)
    ax.add_artist(word)
    if not flat_ones:
        return []
    return [ax.transData.inverted().transform(place.transform(middle + 13.0 * np.linspace(-1.0, 1.0, 7)[:, None] * direction))]


def _free_corner(ax: Any, shown: Any) -> tuple[float, float]:
    """Return the corner of planar axes that least reaches into: right or left (1 or 0), top or bottom."""
    ax.apply_aspect()
    dots, points = ax.figure.dpi / 72.0, on_screen(ax, shown)
    words = _words(ax)

    def covered(corner: tuple[float, float]) -> int:
        x, y = ax.transAxes.transform(corner)
        left, low = x - CORNER[0] * dots * corner[0], y - CORNER[1] * dots * corner[1]
        right, high = left + CORNER[0] * dots, low + CORNER[1] * dots
        within = (points > (left, low)) & (points < (right, high))
        over = any(box[0] < right and left < box[2] and box[1] < high and low < box[3] for box in words)
        return int(np.sum(np.all(within, axis=1))) + (len(points) if over else 0)

    return min(((1.0, 1.0), (0.0, 1.0), (1.0, 0.0), (0.0, 0.0)), key=covered)


def _corner(ax: Any, right: float, top: float) -> Any:
    """Return coordinates in points from a corner of the axes (in space: of the figure)."""
    from matplotlib.transforms import Affine2D, ScaledTranslation

    points = Affine2D().scale(1.0 / 72.0) + ax.figure.dpi_scale_trans
    whole = hasattr(ax, "get_proj") and len(ax.figure.axes) == 1
    return points + ScaledTranslation(right, top, ax.figure.transFigure if whole else ax.transAxes)
