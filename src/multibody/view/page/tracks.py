"""What a page plays: poses over time with everything that is known about them, taken from a run or a state."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.errors import ModelError
from multibody.tables.lower import Tables
from multibody.view.geometry import Floats

if TYPE_CHECKING:
    from multibody.analyses.measures.measure import Measurer
    from multibody.results.run import Run
    from multibody.results.state import State

GROUPS = ("outputs", "joints", "energies", "efforts", "reactions", "bodies", "rates", "velocities")
"""Groups of curves, the most telling first: where a page would become too large, the last ones are left out."""


FAR = 0.8
"""Turn between two instants [rad] above which what the page shows between them is not the motion."""


@dataclass(frozen=True, eq=False)
class Curve:
    """A path over time: its name, unit, group and values (instants,)."""

    name: str
    unit: str
    group: str
    values: Floats


@dataclass(frozen=True, eq=False)
class Arrow:
    """A vector at a point of a body.

    Attributes
    ----------
    sort : str
        "reaction", "load" or "velocity".
    owner : (str, str)
        Sort and name of the joint, force or body that it belongs to.
    body : int
    point : array (d,)
        In body axes from the center of mass [length].
    vector : array (instants, d)
        Ground axes.
    unit : str
    paths : tuple of str
        Curves that hold its components, where there are any.
    """

    sort: str
    owner: tuple[str, str]
    body: int
    point: Floats
    vector: Floats
    unit: str
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Track:
    """One motion of a page.

    Attributes
    ----------
    label : str
        What it is called where there are several.
    tables : Tables
    time : array (instants,)
        Rising.
    q : array (instants, nq)
    sort : str
        "run", "pose", "freedom", "mode" or "direction": how it is played.
    curves, arrows
        What is shown beside it and on it.
    sigma : array (instants,), optional
        Smallest singular value.
    reactions : dict
        For each joint with a reaction: ``point``, ``on``, ``force`` and ``moment`` (which components are unique).
    about : dict
        ``status``, ``partial``, ``notes``, ``certificate``, ``events``, ``singularities``, and words of its own.
    asked : frozenset of str
        Curves that the page has however large it becomes.
    """

    label: str
    tables: Tables
    time: Floats
    q: Floats
    sort: str = "run"
    curves: list[Curve] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)
    sigma: Floats | None = None
    reactions: dict[str, Any] = field(default_factory=dict)
    about: dict[str, Any] = field(default_factory=dict)
    asked: frozenset[str] = frozenset()


def track_of_run(run: Run, label: str = "") -> Track:
    """Return a run as a page plays it; one that goes backward in time is turned around.

    Raises
    ------
    ModelError
        If it has no instants.
    """
    from multibody.analyses.kinematics.sigma import sigma_over

    if len(run.time) == 0:
        raise ModelError("the run has no instants", hint=run.status.message)
    measurer, forces = run.measurer, run.motion.dynamics is not None
    about = {
        "status": run.status.message, "partial": not run.ok, "advice": run.status.advice,
        "notes": list(run.notes),
        "certificate": run.certificate, "events": [{"time": e.time, "name": e.name} for e in run.events],
        "singularities": [item.plain() for item in run.singularities], "branches": [list(item) for item in run.branches],
    }  # fmt: skip
    track = Track(
        label or run.model.name, run.tables, np.asarray(run.time), measurer.q, "run", curves_of(measurer, forces),
        _arrows(measurer, forces), sigma_over(run.motion), _reactions(measurer) if forces else {}, about,
    )  # fmt: skip
    return _turned(track) if track.time[-1] < track.time[0] else track


def far_apart(track: Track, chosen: Any) -> list[str]:
    """Return a note where bodies turn so far between the instants that a page has that it cannot show how they move."""
    tables, count, shown, total = track.tables, len(track.tables.bodies) - 1, len(chosen), len(track.time)
    if track.sort != "run" or shown < 3 or count == 0:
        return []
    layout = tables.layout
    rows = layout.split(track.q[chosen], count)[:, :, layout.turn]
    if layout.dimension == 2:
        turns = np.abs(np.diff(rows[:, :, 0], axis=0))
    else:
        turns = 2.0 * np.arccos(np.minimum(1.0, np.abs(np.einsum("tbk,tbk->tb", rows[1:], rows[:-1]))))
    most = float(np.nanmax(turns, initial=0.0))
    if most < FAR:
        return []
    far = f"bodies turn up to {most:.2g} rad from one instant to the next"
    if shown < total:
        return [f"the page leaves {total - shown} of {total} instants out, and {far}: a shorter run shows how they move"]
    return [f"{far}: ask for more (output_step, steps) to see how they move"]


def track_of_state(state: State, label: str = "") -> Track:
    """Return a pose as a motion of one instant."""
    measurer = state.measurer
    forces = getattr(measurer, "dynamics", None) is not None
    about = {"status": state.status.message, "partial": not state.status.success, "advice": state.status.advice}
    return Track(
        label or state.tables.model.name, state.tables, np.array([state.t]), np.asarray(measurer.q), "pose",
        curves_of(measurer, forces), _arrows(measurer, forces), None, _reactions(measurer) if forces else {}, about,
    )  # fmt: skip


def _turned(track: Track) -> Track:
    """Return a motion with its instants in the order of time."""
    from dataclasses import replace

    curves = [replace(curve, values=curve.values[::-1]) for curve in track.curves]
    arrows = [replace(arrow, vector=arrow.vector[::-1]) for arrow in track.arrows]
    sigma = None if track.sigma is None else track.sigma[::-1]
    return replace(track, time=track.time[::-1], q=track.q[::-1], curves=curves, arrows=arrows, sigma=sigma)


def curves_of(measurer: Measurer, forces: bool) -> list[Curve]:
    """Return all scalar paths of a motion, with the rates of joints and the velocities of bodies."""
    from multibody.results.dataset import force_path_groups, standard_path_groups

    found = []
    groups = standard_path_groups(measurer.model)
    groups["rates"] = [f"{path}.rate" for path in groups["joints"]]
    groups["velocities"] = [f"{path}.rate" for path in groups["bodies"]]
    if forces:
        groups |= force_path_groups(measurer.tables)
    for group, paths in groups.items():
        for path in paths:
            if group == "outputs" and not measurer.readable(path):
                continue
            measure = measurer(path)
            found.append(Curve(path, measure.unit, group, np.asarray(measure.values, dtype=float)))
    return sorted(found, key=lambda curve: GROUPS.index(curve.group))


def _reactions(measurer: Measurer) -> dict[str, Any]:
    """Return for each joint with a reaction where it is taken, on which body it acts, and which components are unique."""
    forces, found = measurer.forces, {}
    for name in measurer.tables.ends:
        if len(measurer.tables.joint_rows[name]):
            force, moment = forces.reactions.unique(name)
            about = forces.about_joint(name)
            found[name] = {"point": about["point"], "on": about["on_body"], "force": force, "moment": moment}
    return found


def _arrows(measurer: Measurer, forces: bool) -> list[Arrow]:
    """Return velocities of all centers of mass and, where forces are known, reactions of joints and loads of forces."""
    tables, units = measurer.tables, measurer.model.units
    axes = "xyz"[: tables.dimension]
    zero, found = np.zeros(tables.dimension), []
    for b, name in enumerate(tables.bodies[1:], start=1):
        velocity = measurer.body_motion(name).velocity
        paths = tuple(f"{name}.{axis}.rate" for axis in axes)
        found.append(Arrow("velocity", ("body", name), b, zero, velocity, f"{units.length}/{units.time}", paths))
    if not forces:
        return found
    reactions, unit = measurer.forces.reactions, units.names["force"]
    for name in tables.ends:
        if len(tables.joint_rows[name]):
            end, wrench = tables.ends[name][1], measurer.forces.wrench(name)
            paths = tuple(f"{name}.reaction.force.{axis}" for axis in axes)
            found.append(Arrow("reaction", ("joint", name), end.body, tables.vector(end.point), wrench.force, unit, paths))
    for (name, body), wrench in reactions.actions().items():
        if name in tables.model.forces:
            b = tables.bodies.index(body)
            found.append(Arrow("load", ("force", name), b, _target(tables, name, body), wrench.force, unit))
    return [arrow for arrow in found if np.any(arrow.vector)]


def _target(tables: Tables, force: str, body: str) -> Floats:
    """Return the point of a body at which a force acts, from its center of mass; that center where none is named."""
    item = tables.model.forces[force]
    if item.kind.target in ("end", "ends"):
        for target in item.target:
            owner, frame = tables.model.find_end(target, force)
            if owner == body:
                return np.asarray(tables.vector(tables.frames[owner, frame].point))
    return np.zeros(tables.dimension)
