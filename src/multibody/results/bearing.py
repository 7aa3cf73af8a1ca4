"""Life of a rolling bearing under the forces of a joint, by the basic rating life of ISO 281."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.arguments import number_in, short
from multibody.errors import ModelError, nearest
from multibody.model.names import unknown
from multibody.results.drives import ROUND_OFF, moved_over, run_of
from multibody.results.loads import BEARINGS
from multibody.results.over_time import Floats, duration, integral
from multibody.results.tables import Table, number

if TYPE_CHECKING:
    from multibody.model.model import Model
    from multibody.results.inverse import Inverse
    from multibody.results.run import Run

EXPONENTS = {"ball": 3.0, "roller": 10.0 / 3.0}
TURN = 2.0 * math.pi
AXIAL = 0.02  # part of the radial force above which an axial one is said to be left out


@dataclass(frozen=True)
class Bearing:
    """The basic rating life L10 of a bearing in a joint: what nine of ten reach.

    Attributes
    ----------
    joint : str
    kind : {"ball", "roller"}
    rating : float
        Dynamic load rating C, in the unit of forces.
    equivalent_load : float
        Constant load with the same life, weighted by revolutions.
    peak_load : float
        Largest load P = X F_r + Y F_a over the instants.
    radial, axial : float
        Largest radial and axial force.
    revolutions : float
        Life [revolutions]; infinite where nothing presses or turns.
    hours : float
        Life [h] at the mean speed of the motion.
    mean_speed : float
        [revolutions a minute], ways back and forth both counted.
    unit : str
        Of forces.
    unique : bool
        Whether the force has one value only.
    notes : list of str
    """

    joint: str
    kind: str
    rating: float
    equivalent_load: float
    peak_load: float
    radial: float
    axial: float
    revolutions: float
    hours: float
    mean_speed: float
    unit: str
    unique: bool
    notes: list[str] = field(default_factory=list)

    def plain(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return asdict(self)

    def table(self) -> Table:
        """Return it as a table for people."""
        rows = [
            ["dynamic load rating C", number(self.rating), self.unit],
            ["equivalent load", number(self.equivalent_load), self.unit],
            ["peak load", number(self.peak_load), self.unit], ["peak radial force", number(self.radial), self.unit],
            ["peak axial force", number(self.axial, self.radial), self.unit], ["mean speed", number(self.mean_speed), "1/min"],
            ["life L10", number(self.revolutions), "revolutions"], ["", number(self.hours), "h"],
        ]  # fmt: skip
        return Table(f"{self.kind} bearing in joint {self.joint}", [("", "left"), ("", "right"), ("", "left")], rows)

    def __str__(self) -> str:
        """Return the table as text."""
        return "\n".join([self.table().text(), *(f"note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        """Return the table for a notebook."""
        return self.table().html()


def bearing(
    result: Run | Inverse, joint: str, rating: float, kind: str, X: float, Y: float, e: float | None, share: float
) -> Bearing:
    """Return the life of a bearing in a joint of a run; see :meth:`Run.bearing`."""
    run = run_of(result)
    check_bearing(run.model, joint, rating, kind, X, Y, e, share)
    rating, X, Y, share, e = float(rating), float(X), float(Y), float(share), None if e is None else float(e)
    radial, axial, tilting = (part * share for part in _parts(run, joint))
    load = radial if Y == 0.0 and X == 1.0 else X * radial + Y * axial
    if e is not None:
        load = np.where(axial <= e * radial, radial, load)
    turning = np.abs(run.measurer.coordinate(run.tables.coordinates["joint", joint, "angle", 0])[1])
    p, known = EXPONENTS[kind], np.isfinite(load)
    size = float(np.max(load[known], initial=0.0))
    turned = integral(run.time, np.where(known, turning, np.nan))
    turned = turned if turned > ROUND_OFF else 0.0  # [rad] a pin that is held turns by round-off
    scale = size or 1.0
    cubed = integral(run.time, (load / scale) ** p * turning)
    equivalent = scale * (cubed / turned) ** (1.0 / p) if turned > 0.0 else 0.0
    life = (rating / equivalent) ** p * 1e6 if equivalent > 0.0 else math.inf
    span = duration(run.time, np.where(known, turning, np.nan)) * run.model.units.factor(0, 1, 0)
    a_second = turned / TURN / span if span > 0.0 else 0.0
    flags = run.measurer.forces.reactions.unique(joint)
    return Bearing(
        joint, kind, rating, equivalent, size, _largest(radial), _largest(axial),
        life, life / a_second / 3600.0 if a_second > 0.0 else math.inf, 60.0 * a_second, run.model.units.names["force"],
        all(flags[0]), [*_uncounted(run, axial, radial, Y), *_notes(run, joint, tilting, size, turned, rating, all(flags[0]))],
    )  # fmt: skip


def _parts(run: Run, joint: str) -> tuple[Floats, Floats, Floats]:
    """Return radial and axial force, without sign, and tilting moment of a pin over time."""
    forces = run.measurer.forces
    wrench = forces.wrench(joint)
    if run.tables.dimension == 2:
        radial = np.linalg.norm(wrench.force, axis=1)
        return radial, np.zeros_like(radial), np.zeros_like(radial)
    force, moment = wrench.along(forces.reactions.axes_of(joint, 0))
    return np.linalg.norm(force[:, :2], axis=1), np.abs(force[:, 2]), np.linalg.norm(moment[:, :2], axis=1)


def _swings(run: Run, joint: str) -> bool:
    """Return whether a joint goes back and forth within one revolution."""
    function = run.tables.coordinates["joint", joint, "angle", 0]
    angle, rate = run.measurer.coordinate(function)[0], moved_over(run, function)[0]
    return bool(np.ptp(angle) < TURN and np.min(rate) < 0.0 < np.max(rate))


def _largest(values: Floats) -> float:
    """Return the largest number that is known, 0 for none."""
    return float(np.nanmax(values, initial=0.0))


def _notes(run: Run, joint: str, tilting: Floats, size: float, turned: float, rating: float, unique: bool) -> list[str]:
    """Return what one should know about the numbers."""
    notes = [] if run.ok else [f"the motion is not complete: {run.status.message}"]
    tilt = float(np.nanmax(tilting, initial=0.0))
    if not unique:
        notes.append("the force is not unique (redundant constraints): the smallest that fits is taken")
    if tilt > 1e-6 * max(size * run.tables.length, 1e-300):
        unit = run.model.units.names["moment"]
        notes.append(f"a tilting moment of up to {tilt:.4g} {unit} is not counted: two bearings apart from each other take it")
    if turned == 0.0:
        notes.append("the joint does not turn: its life is no matter of rolling, judge the peak load by the static rating")
    elif _swings(run, joint):
        notes.append("the joint swings and never turns fully: revolutions count the way back and forth")
    if size > 0.5 * rating:
        notes.append("the peak load is above half of the rating, where the formula of life no longer holds")
    return notes


def _uncounted(run: Run, axial: Floats, radial: Floats, Y: float) -> list[str]:
    """Return a note where a force along the axis is a good part of the load and no factor counts it."""
    most = _largest(axial)
    if Y != 0.0 or not most > AXIAL * _largest(radial):
        return []
    unit = run.model.units.names["force"]
    return [f"an axial force of up to {most:.4g} {unit} is not counted: give the bearing's factors X, Y and e"]


def check_bearing(model: Model, joint: str, rating: Any, kind: str, X: Any, Y: Any, e: Any, share: Any) -> None:
    """Refuse what cannot be computed with."""
    if joint not in model.joints:
        raise unknown("joint", joint, model.joints, "bearing")
    own = model.joints[joint].kind.name
    if own not in BEARINGS:
        problem = f'joint "{joint}" is {own}, and no pin that turns in a bearing'
        raise ModelError(problem, where="bearing", hint=f"it can be {', '.join(BEARINGS)}")
    if kind not in EXPONENTS:
        hint = nearest(str(kind), EXPONENTS) or "it is ball or roller"
        raise ModelError(f'unknown kind "{kind}"', where="bearing", hint=hint)
    for name, value, low in (("rating", rating, 0.0), ("X", X, -1.0), ("Y", Y, -1.0), ("e", 1.0 if e is None else e, -1.0),
                             ("share", share, 0.0)):  # fmt: skip
        found = number_in(value)
        if not math.isfinite(found) or not (found > low if low == 0.0 else found >= 0.0):
            bound = "above 0" if low == 0.0 else "of 0 or more"
            raise ModelError(f"{short(value)} does not fit", where=f"bearing.{name}", hint=f"give a number {bound}")
