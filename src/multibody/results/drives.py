"""What a drive does over a motion: rate and acceleration of its coordinate, the effort it gives, the inertia it feels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.analyses.inverse.inverse import coordinate_key
from multibody.analyses.inverse.reflected import reflected_inertia
from multibody.arguments import number_in, short
from multibody.errors import ModelError, nearest
from multibody.results.over_time import Floats, duration, integral, mean, rms

if TYPE_CHECKING:
    from multibody.model.model import Model
    from multibody.results.inverse import Inverse
    from multibody.results.run import Run

STILL = 1e-3  # part of the largest speed below which a drive counts as standing
ROUND_OFF = 1e-9  # part of the model's length, or of a radian: a way that is no motion over a whole run


@dataclass(frozen=True)
class Duty:
    """The work of one drive over a motion, in SI units.

    Attributes
    ----------
    name : str
        The drive, as it was asked for.
    is_length : bool
        Whether its coordinate is a length [m], else an angle [rad].
    time : array (instants,)
    rate, acceleration : arrays
        Of the coordinate; 0 where they are round-off.
    effort : array
        What the drive gives, positive if it raises the coordinate [N·m or N]; NaN where no effort does it.
    inertia : array
        Felt at the coordinate at some of the instants [kg·m² or kg]; infinite where it cannot move.
    cycle : float
        Length of time after which everything begins anew: that of the motion, or longer with a rest.
    notes : list of str
    """

    name: str
    is_length: bool
    time: Floats
    rate: Floats
    acceleration: Floats
    effort: Floats
    inertia: Floats
    cycle: float
    notes: list[str]

    @property
    def power(self) -> Floats:
        """Effort times rate [W], positive where the drive gives."""
        return self.effort * self.rate

    def summary(self) -> dict[str, float | None]:
        """Return the numbers that a catalog asks for, in SI units; means are over the cycle, with its rest."""
        moving = np.where(np.abs(self.rate) > STILL * _largest(self.rate), 1.0, 0.0)
        share = self.share
        known = self.inertia[np.isfinite(self.inertia)]
        return {
            "peak_effort": _largest(self.effort), "rms_effort": rms(self.time, self.effort) * math.sqrt(share),
            "mean_effort": mean(self.time, self.effort) * share, "peak_rate": _largest(self.rate),
            "rms_rate": rms(self.time, self.rate) * math.sqrt(share), "peak_acceleration": _largest(self.acceleration),
            "peak_power": _highest(self.power), "peak_regenerated_power": _highest(-self.power),
            "mean_power": mean(self.time, self.power) * share, "work": integral(self.time, self.power),
            "mean_inertia": float(np.mean(known)) if len(known) else None,
            "largest_inertia": float(np.max(known)) if len(known) else None,
            "smallest_inertia": float(np.min(known)) if len(known) else None,
            "cycle": self.cycle, "duty": mean(self.time, moving) * share,
        }  # fmt: skip

    @property
    def share(self) -> float:
        """The part of a cycle that the motion takes."""
        moved = duration(self.time, np.zeros_like(self.time))
        return moved / self.cycle if self.cycle > 0.0 else 1.0


def duty_of(
    result: Run | Inverse, drive: str, cycle: float | None, start: float | None, until: float | None, felt: int = 101
) -> Duty:
    """Return what a drive does in a run or an inverse analysis.

    Parameters
    ----------
    result : Run or Inverse
    drive : str
        A driven coordinate, a coordinate on which one effort acts, or the name of an effort or spring.
    cycle : float, optional
        Length of a cycle in the model's units of time; default that of the motion.
    start, until : float, optional
        The part of the motion that counts; default all.
    felt : int
        Instants, spread over that part, at which the inertia is computed.
    """
    function, efforts = _found(result, drive)
    run = run_of(result)
    units = run.model.units
    chosen = _part(run, start, until)
    is_length = run.tables.functions[function].is_length
    size, moved = (units.factor(1, -2, 1), units.factor(1, 0, 0)) if is_length else (units.factor(2, -2, 1), 1.0)
    second = units.factor(0, 1, 0)
    rate, acceleration = moved_over(run, function)
    _, inertia = reflected_inertia(run.motion, function, felt, np.flatnonzero(chosen))
    time = run.time[chosen] * second
    whole = duration(time, np.zeros_like(time))
    notes = _notes(run, efforts[chosen])
    if len(inertia) == 0:
        notes.append("the reflected inertia of so large a model is not computed")
    return Duty(
        drive, is_length, time, rate[chosen] * moved / second, acceleration[chosen] * moved / second**2,
        efforts[chosen] * size, inertia * units.factor(0 if is_length else 2, 0, 1), _cycle(cycle, second, whole), notes,
    )  # fmt: skip


def run_of(result: Run | Inverse) -> Run:
    """Return the motion of a result: a run itself, or that of an inverse analysis."""
    from multibody.results.inverse import Inverse

    return result.motion if isinstance(result, Inverse) else result


def moved_over(run: Run, function: int) -> tuple[Floats, Floats]:
    """Return rate and acceleration of a coordinate over a run, 0 where they are round-off.

    A coordinate that is held has rates that come from the round-off of all others; what does not add up to 1e-9 of the
    model's length, or of a radian, over the whole run is none.
    """
    _, rate, acceleration = run.measurer.coordinate(function)
    way = ROUND_OFF * (run.tables.length if run.tables.functions[function].is_length else 1.0)
    span = abs(float(run.time[-1]) - float(run.time[0])) if len(run.time) else 0.0
    if span == 0.0:
        return rate, acceleration
    return np.where(np.abs(rate) * span > way, rate, 0.0), np.where(np.abs(acceleration) * span**2 > way, acceleration, 0.0)


def _cycle(given: float | None, second: float, whole: float) -> float:
    """Return the length of a cycle [s]."""
    if given is None:
        return whole
    length = number_in(given)
    if not math.isfinite(length):
        raise ModelError(f"{short(given)} is not a length of time", where="size.cycle", hint="give a number")
    if length * second < whole * (1 - 1e-9):
        problem = f"a cycle of {length:g} is shorter than the motion, {whole / second:g}"
        raise ModelError(problem, where="size.cycle", hint="give its length with the rest, or choose a part of the motion")
    return length * second


def _part(run: Run, start: float | None, until: float | None) -> Any:
    """Return which instants count."""
    low = -math.inf if start is None else number_in(start)
    high = math.inf if until is None else number_in(until)
    for name, given, value in (("start", start, low), ("until", until, high)):
        if math.isnan(value):
            raise ModelError(f"{short(given)} is not a time", where=f"size.{name}", hint="give a number")
    slack = 1e-9 * (abs(float(run.time[-1]) - float(run.time[0])) if len(run.time) else 0.0)
    chosen = (run.time >= low - slack) & (run.time <= high + slack)
    if not np.any(chosen):
        span = f"it goes from {run.time[0]:g} to {run.time[-1]:g}" if len(run.time) else run.status.message
        raise ModelError("no instant lies in that part of the motion", where="size", hint=span)
    return chosen


def _notes(run: Run, efforts: Floats) -> list[str]:
    """Return what one should know about the numbers."""
    notes = [] if run.ok else [f"the motion is not complete: {run.status.message}"]
    missing = int(np.sum(~np.isfinite(efforts)))
    if missing:
        notes.append(f"at {missing} of {len(efforts)} instants no effort of this drive gives the motion; they do not count")
    if any(event.impulse is not None for event in run.events):
        notes.append("velocities jump on the way: such impulses are no effort and are not in the peaks")
    return notes


# --- which drive ------------------------------------------------------------------------------------------------------
def _found(result: Any, drive: str) -> tuple[int, Floats]:
    """Return the coordinate function of a drive and its effort over time."""
    if not isinstance(drive, str):
        raise ModelError(f"{drive!r} is no drive", where="size", hint=_choices(result))
    if hasattr(result, "blocked"):  # inverse dynamics
        name = result.actuator(drive)
        if name is not None:
            return name.function, np.asarray(result[f"{name.name}.effort"].values)
        raise _unknown(result, drive)
    forces, tables = result.measurer.forces, result.tables
    if drive in result.model.forces:
        laws = tables.laws_of.get(drive, [])
        if len(laws) != 1 or result.model.forces[drive].on_expression:
            raise ModelError(f'"{drive}" does not act along one coordinate', where="size", hint=_choices(result))
        return tables.laws[laws[0]].function, forces.dynamics.efforts[:, laws[0]]
    try:
        function = tables.coordinates.get(coordinate_key(result.model, drive, "size"))
    except ModelError:
        function = None
    row = forces.reactions.motion_functions.get(function)
    if row is not None:
        return function, -forces.reactions.multipliers[:, row]
    acting = [name for name in driving_efforts(result.model) if tables.law_of(name).function == function]
    if len(acting) == 1:
        return _found(result, acting[0])
    raise _unknown(result, drive)


def driving_efforts(model: Model) -> list[str]:
    """Return the forces that may be drives: efforts with a value of their own; springs and dampers are none."""
    return [name for name, force in model.forces.items() if force.kind.name == "effort" and force.fields["value"] is not None]


def drives_of(result: Any) -> list[str]:
    """Return the names of the drives of a run or an inverse analysis."""
    if hasattr(result, "blocked"):
        return list(result.names)
    return [*result.model.motions, *driving_efforts(result.model)]


def _choices(result: Any) -> str:
    """Return the drives that there are, in words."""
    names = drives_of(result)
    return f"drives are {', '.join(names[:12])}" if names else no_drive(result.model)


def no_drive(model: Model) -> str:
    """Return in words that nothing drives a model, and which forces it has instead."""
    others = [f"{name} ({force.kind.name})" for name, force in model.forces.items()]
    rest = f"; its forces are {', '.join(others[:12])}, and none is a drive" if others else ", nor any other force"
    return f"the model has no motion and no effort with a value{rest}"


def _unknown(result: Any, drive: str) -> ModelError:
    """Return the error for a drive that is not there."""
    near = nearest(drive, drives_of(result))
    return ModelError(f'nothing drives "{drive}"', where="size", hint=near or _choices(result))


def _largest(values: Floats) -> float:
    """Return the largest magnitude of what is known."""
    known = np.abs(values[np.isfinite(values)])
    return float(np.max(known)) if len(known) else math.nan


def _highest(values: Floats) -> float:
    """Return the largest value of what is known, 0 where all are negative."""
    known = values[np.isfinite(values)]
    return max(float(np.max(known)), 0.0) if len(known) else math.nan
