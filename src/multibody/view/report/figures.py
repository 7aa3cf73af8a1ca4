"""Pictures of a report, by the functions that draw and plot everywhere else."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.errors import ModelError
from multibody.results.load_table import Loads
from multibody.view.beside import telling_time
from multibody.view.draw import draw_run
from multibody.view.embed import image_of
from multibody.view.plot import plot_run
from multibody.view.ticks import plain_ticks

if TYPE_CHECKING:
    from multibody.results.run import Run

MOST_DRAWN = 200  # bodies: a picture of more shows nothing that a person can tell apart
MOST_CURVES = 4
POSES, SPATIAL_POSES = 5, 2  # drawn over each other; shaded faces take their time
TRIED = 40  # instants among which one is sought whose pose is drawn
SIZE, WIDTH = (7.4, 2.6), 760  # of a diagram [inch], of its image [pixels]
MOVES = 1e-9  # range beside the model's size, or in radians, above which a coordinate counts as moving


def figure(make: Callable[[], Any], caption: str) -> str:
    """Return a picture with its caption; nothing where it cannot be drawn."""
    try:
        made = make()
    except ModelError:
        return ""
    plain_ticks(made)
    image = image_of(made, WIDTH, caption)
    return f"<figure>{image}<figcaption>{html.escape(caption)}</figcaption></figure>"


def pose(run: Run) -> str:
    """Return the mechanism with its names at a telling time."""
    if len(run.tables.bodies) > MOST_DRAWN:
        return ""
    at = clear_time(run)
    return figure(lambda: draw_run(run, at, title="").figure, f"The mechanism at t = {at:.4g} {run.model.units.time}")


def clear_time(run: Run) -> float:
    """Return a time at which the joints of a planar mechanism are spread out, so that no link hides another."""
    ends = list(run.tables.ends.values())[:MOST_DRAWN]
    if run.tables.dimension == 3 or len(ends) < 3 or len(run.time) < 3:
        return telling_time(run)
    which = np.unique(np.linspace(0, len(run.time) - 1, TRIED).astype(int))
    points = []
    for end in (end for pair in ends for end in pair):
        r, A, *_ = run.measurer.body_motion(run.tables.bodies[end.body])
        points.append(np.broadcast_to(r + A @ run.tables.vector(end.point), (len(run.time), 2))[which])
    apart = np.stack(points, axis=1)
    apart = apart - apart.mean(axis=1, keepdims=True)
    spread = np.linalg.svd(apart, compute_uv=False)[:, -1]  # across the line that the joints are nearest to
    return float(run.time[which[int(np.argmax(spread))]])


def poses(run: Run) -> str:
    """Return several poses over each other."""
    if len(run.tables.bodies) > MOST_DRAWN or len(run.time) < 3:
        return ""
    closed = telling_time(run) != run.time[-1]  # the last pose is the first again
    times = np.linspace(run.time[0], run.time[-1], 1 + (POSES if run.tables.dimension == 2 else SPATIAL_POSES))
    times = times[:-1] if closed else times[1:]
    caption = f"Poses from t = {times[0]:.4g} to {times[-1]:.4g} {run.model.units.time}, the last in full color"
    return figure(lambda: draw_run(run, list(times), labels=False, title="").figure, caption)


def main_paths(run: Run) -> list[str]:
    """Return what a reader looks at first: outputs that are numbers, then the joint coordinates that move."""
    found = [name for name in run.model.outputs if run.measurer.readable(name)][:MOST_CURVES]
    for (kind, owner, item, _), function in run.tables.coordinates.items():
        own = kind == "joint" and item in (names := run.model.joints[owner].names_of_coordinates(run.tables.dimension))
        if own and len(found) < 2 * MOST_CURVES:
            values = run.measurer.coordinate(function)[0]
            scale = run.tables.length if run.tables.functions[function].is_length else 1.0
            if np.ptp(values) > MOVES * scale:
                found.append(owner if len(names) == 1 else f"{owner}.{item}")
    return found[: MOST_CURVES + 2]


def curves(run: Run, paths: Sequence[str], caption: str, labels: Sequence[str] | None = None) -> str:
    """Return curves over time, an axes for each unit; nothing where there is nothing to plot or one instant alone."""
    if not paths or len(run.time) < 2:
        return ""
    units = len({run.measurer(path).unit for path in paths})
    size = (SIZE[0], 0.6 + (SIZE[1] - 0.6) * units)
    return figure(lambda: plot_run(run, list(paths), labels=labels, title="", figsize=size)[0].figure, caption)


def motion_curves(run: Run, chosen: Sequence[str]) -> str:
    """Return positions, and rates of the same coordinates."""
    paths = list(chosen) or main_paths(run)
    rates = [] if chosen else [f"{path}.rate" for path in paths if path not in run.model.outputs]
    return curves(run, paths, "Over time") + curves(run, rates[:MOST_CURVES], "Rates")


def load_curves(run: Run, loads: Loads) -> str:
    """Return the forces of the joints that carry most, and the efforts of drives."""
    own = {name: loads[name]["force"].peak for name in loads.joints if "force" in loads[name]}
    largest = sorted(own, key=lambda name: -own[name] if own[name] == own[name] else 0.0)[:MOST_CURVES]
    shown = [name for name in largest if own[name] > 0.0]
    paths = [f"norm({name}.reaction.force)" for name in shown]
    forces = curves(run, paths, "Magnitude of the joint forces that are largest", shown)
    drives = [row.name for row in loads.rows if row.kind == "motion"][:MOST_CURVES]
    return forces + curves(run, [f"{name}.effort" for name in drives], "Effort along driven coordinates", drives)


def energy_curves(run: Run) -> str:
    """Return kinetic, potential and total energy and the work of everything without potential."""
    if "energy" in run.model.all_names():
        return ""
    items = ("kinetic", "potential", "total", "work")
    return curves(
        run, [f"energy.{item}" for item in items], "Energies, and the work of drives and of forces without potential", items
    )
