"""What joints, drives, springs and loads have to carry over a motion: peaks, when and in which direction, means, uniqueness."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from multibody.analyses.measures.force_values import ForceValues
from multibody.errors import ModelError
from multibody.results.over_time import Floats, rms
from multibody.results.reactions import axes_over_time, check_axes

if TYPE_CHECKING:
    from multibody.results.run import Run

GAIN = 1e-9  # by which a peak between the instants has to be larger: less is round-off, and would only move its time
BEARINGS = ("revolute", "cylindrical", "screw")  # joints whose load people split into what acts along and across the axis
Read = Callable[[ForceValues], Floats]


@dataclass(frozen=True)
class Load:
    """One quantity that one part has to carry.

    Attributes
    ----------
    name, kind : str
        The part: a joint, a force or a driven coordinate, and its kind (``revolute``, ``spring``, ``motion``).
    quantity : str
        ``force``, ``moment``, ``radial``, ``axial``, ``tilting`` or ``effort``.
    on : str
        The body that it acts on, of an effort the coordinate that it acts along.
    unit : str
    peak : float
        Largest magnitude over the instants of the run; of ``axial`` and ``effort`` with its sign.
    time : float
        When that is.
    vector : tuple of float
        Components at that time, along `axes`; empty where the quantity is a number.
    direction : tuple of float
        The same over its length, in ground axes; empty for a bushing, and where nothing acts.
    axes : str
    rms : float
        √((1/T) ∫ ‖·‖² dt), by the trapezoidal rule over the instants, however they are spaced.
    lowest, highest : float
        Least and largest value (of vectors: length) over the instants.
    unique : bool or None
        Whether it has one value only, in spite of redundant constraints; None where that is no question.
    open : tuple of str
        Components of a vector that are not unique, along `axes`.
    """

    name: str
    kind: str
    quantity: str
    on: str
    unit: str
    peak: float
    time: float
    vector: tuple[float, ...]
    direction: tuple[float, ...]
    axes: str
    rms: float
    lowest: float
    highest: float
    unique: bool | None = None
    open: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Wanted:
    """A quantity before it is measured: how its values are read (a column each component, ground axes), and what is known."""

    load: Load
    read: Read
    signed: bool = False
    frame: Callable[[ForceValues], Floats | None] | None = None


def loads_of(run: Run, joints: Sequence[str] | None, axes: str, refine: bool) -> list[Load]:
    """Return everything that has to be carried in a run; see :meth:`Run.loads`."""
    forces = run.measurer.forces
    check_axes(axes, "loads")
    if refine and run.motion.dynamics is not None and run.motion.dynamics.stored:
        hint = "peaks between them need the live run: run the model again, or leave out refine (--refine)"
        raise ModelError("a file holds the instants of a run alone", where=run.model.name, hint=hint)
    chosen = _chosen(run, joints)
    wanted = [item for name in chosen for item in _joint(forces, name, axes)]
    if joints is None:
        wanted += [*_motions(forces), *(item for name in run.model.forces for item in _force(forces, name))]
    return [_measured(run, item, refine) for item in wanted]


def _chosen(run: Run, joints: Sequence[str] | None) -> list[str]:
    """Return the joints to look at: those that carry something."""
    from multibody.results.reactions_at import check_joints

    names = list(run.model.joints) if joints is None else check_joints(run.model, joints)
    return [name for name in names if len(run.tables.joint_rows[name])]


# --- what there is ----------------------------------------------------------------------------------------------------
def _joint(forces: ForceValues, name: str, axes: str) -> Iterator[_Wanted]:
    """Yield the quantities of a joint: force and moment on its second body, and their parts along and across a pin."""
    joint, units = forces.model.joints[name], forces.model.units.names
    kind = joint.kind.name
    if name not in forces.tables.ends:
        yield _Wanted(_blank(name, kind, "effort", str(joint.kind.relation), ""), _path(f"{name}.effort"), signed=True)
        return
    on = forces.about_joint(name)["on_body"]
    frame = axes_over_time(forces, name, axes)
    flags = forces.reactions.unique(name, None, frame)
    letters = "fgh" if axes == "joint" else "xyz"
    for k, quantity in enumerate(("force", "moment")):
        shown = letters if len(flags[k]) > 1 else "h" if axes == "joint" else "z"
        missing = tuple(letter for letter, unique in zip(shown, flags[k], strict=False) if not unique)
        load = replace(_blank(name, kind, quantity, on, units[quantity]), axes=axes, unique=not missing, open=missing)
        yield _Wanted(load, _wrench(name, k), frame=lambda f: axes_over_time(f, name, axes))
    if kind in BEARINGS and forces.tables.dimension == 3:
        own = forces.reactions.unique(name, None, axes_over_time(forces, name, "joint"))
        across, along = (all(own[0][:2]), own[0][2])
        yield _Wanted(replace(_blank(name, kind, "radial", on, units["force"]), unique=across), _split(name, 0, slice(0, 2)))
        axial = replace(_blank(name, kind, "axial", on, units["force"]), unique=along)
        yield _Wanted(axial, _split(name, 0, slice(2, 3)), signed=True)
        tilting = replace(_blank(name, kind, "tilting", on, units["moment"]), unique=all(own[1][:2]))
        yield _Wanted(tilting, _split(name, 1, slice(0, 2)))


def _motions(forces: ForceValues) -> Iterator[_Wanted]:
    """Yield the effort of every motion."""
    for function, row in forces.reactions.motion_functions.items():
        name = forces.tables.rows[row].owner
        load = _blank(name, "motion", "effort", name, forces.effort_unit(function))
        load = replace(load, unique=forces.reactions.unique_effort(function))
        yield _Wanted(load, _row(row), signed=True)


def _force(forces: ForceValues, name: str) -> Iterator[_Wanted]:
    """Yield what a force does: an effort along its coordinate, or force and moment."""
    force, units = forces.model.forces[name], forces.model.units.names
    kind, d = force.kind.name, forces.tables.dimension
    if name in forces.tables.load_of:
        for quantity in ("force", "moment"):
            load = _blank(name, kind, quantity, force.target[0], units[quantity])
            yield _Wanted(load, _path(f"{name}.{quantity}"))
    elif kind == "bushing":
        for quantity, part in (("force", slice(0, d)), ("moment", slice(d, None))):
            load = replace(_blank(name, kind, quantity, force.target[1], units[quantity]), axes=f"of {force.target[0]}")
            yield _Wanted(load, _path(f"{name}.effort", part))
    elif kind == "spring":
        law = forces.tables.laws_of[name][0]
        on = f"{name}.length"
        yield _Wanted(_blank(name, kind, "effort", on, units["force"]), lambda f: f.dynamics.efforts[:, [law]], signed=True)
    else:
        measure = forces.measurer(f"{name}.effort")
        yield _Wanted(_blank(name, kind, "effort", force.target[0], measure.unit), _path(f"{name}.effort"), signed=True)


def _blank(name: str, kind: str, quantity: str, on: str, unit: str) -> Load:
    """Return a load whose numbers are not known yet."""
    nan = math.nan
    return Load(name, kind, quantity, on, unit, nan, nan, (), (), "ground", nan, nan, nan)


def _path(text: str, part: slice = slice(None)) -> Read:
    """Return a reader of a path of forces."""

    def read(forces: ForceValues) -> Floats:
        values = forces.measurer(text).values
        return values[:, None] if values.ndim == 1 else values[:, part]

    return read


def _row(row: int) -> Read:
    """Return a reader of the effort of a motion."""
    return lambda forces: -forces.reactions.multipliers[:, [row]]


def _wrench(joint: str, part: int) -> Read:
    """Return a reader of a joint's force (0) or moment (1)."""
    return lambda forces: (forces.wrench(joint).force, forces.wrench(joint).moment)[part]


def _split(joint: str, part: int, which: slice) -> Read:
    """Return a reader of components of a joint's force (0) or moment (1) along f, g and h of its first frame."""

    def read(forces: ForceValues) -> Floats:
        frame = axes_over_time(forces, joint, "joint")
        assert frame is not None
        return forces.wrench(joint).along(frame)[part][:, which]

    return read


# --- numbers ----------------------------------------------------------------------------------------------------------
def _measured(run: Run, wanted: _Wanted, refine: bool) -> Load:
    """Return a load with its numbers, from the instants of the run, or with its peak sought between them."""
    values = wanted.read(run.measurer.forces)
    sizes = np.linalg.norm(values, axis=1) if values.shape[1] > 1 else np.abs(values[:, 0])
    shown = values[:, 0] if wanted.signed else sizes
    if not np.any(np.isfinite(sizes)):
        return wanted.load
    k, forces = int(np.nanargmax(sizes)), run.measurer.forces
    time, numbers, size, at = float(run.time[k]), values[k], float(sizes[k]), k
    if refine:
        better = _refined(run, wanted, k)
        if better is not None and better[1] > size * (1.0 + GAIN):
            time, size, forces = better
            numbers, at = wanted.read(forces)[0], 0
    low, high = float(np.nanmin(shown)), float(np.nanmax(shown))
    peak = float(numbers[0]) if wanted.signed else size
    load = replace(wanted.load, peak=peak, time=time, rms=rms(run.time, sizes), lowest=min(low, peak), highest=max(high, peak))
    if wanted.signed or wanted.load.quantity in ("radial", "tilting"):
        return load
    own = wanted.load.axes.startswith("of ")  # a bushing's, which are not turned into those of the ground
    direction = tuple(float(x) / size for x in numbers) if size > 0.0 and not own else ()
    if wanted.frame is not None and len(numbers) > 1:
        frame = wanted.frame(forces)
        numbers = numbers if frame is None else frame[at].T @ numbers
    return replace(load, vector=tuple(float(x) for x in numbers), direction=direction)


def _refined(run: Run, wanted: _Wanted, k: int) -> tuple[float, float, ForceValues] | None:
    """Return time, size and forces at the peak between the neighbors of the k-th instant; None where nothing lies there."""
    from scipy.optimize import minimize_scalar

    low, high = (float(run.time[min(max(j, 0), len(run.time) - 1)]) for j in (k - 1, k + 1))
    if low == high:
        return None

    def forces_at(t: float) -> ForceValues:
        return run.at(t).measurer.forces

    def size(t: float) -> float:
        return -float(np.linalg.norm(wanted.read(forces_at(float(t)))[0]))

    found = minimize_scalar(size, bounds=(min(low, high), max(low, high)), method="bounded",
                            options={"xatol": 1e-6 * abs(high - low), "maxiter": 40})  # fmt: skip
    return float(found.x), -float(found.fun), forces_at(float(found.x))
