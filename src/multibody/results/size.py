"""The choice of a motor as a result: what the drive needs, which motors and gears give it, tables, plots and files."""

from __future__ import annotations

import csv
import io
import json
import math
import pathlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from multibody._target import check_target, write_whole
from multibody.arguments import answered, number_in, short
from multibody.errors import ModelError
from multibody.model.motors import Motor
from multibody.model.units import Units
from multibody.results.drives import Duty, duty_of
from multibody.results.finite import finite
from multibody.results.sizing import Candidate, Gear, candidate, power_of, roomiest
from multibody.results.tables import Table, number

if TYPE_CHECKING:
    from multibody.results.inverse import Inverse
    from multibody.results.run import Run
    from multibody.view.plots import Plots

MOST_ROWS = 20
ENDINGS = (".csv", ".json")
HOLDS = "it holds still: give ratios"
NEEDS = (
    ("peak_effort", "peak effort", "effort"), ("rms_effort", "RMS effort over the cycle", "effort"),
    ("peak_rate", "peak speed", "speed"), ("peak_acceleration", "peak acceleration", "acceleration"),
    ("peak_power", "peak power", "W"), ("peak_regenerated_power", "peak power that comes back", "W"),
    ("mean_power", "mean power over the cycle", "W"), ("work", "work in a cycle", "J"),
    ("mean_inertia", "reflected inertia, mean", "inertia"), ("largest_inertia", "reflected inertia, largest", "inertia"),
    ("cycle", "cycle", "s"), ("duty", "duty: part of the cycle in which it moves", ""),
)  # fmt: skip
FIGURES = ("peak_effort", "rms_effort", "peak_speed", "mean_speed", "peak_power", "inertia_ratio", "best_ratio", "peak_margin",
           "continuous_margin", "speed_margin", "above_continuous")  # fmt: skip


@answered
class Size:
    """What a drive needs, and the motors with gears that were tried; all numbers in SI units.

    Parameters
    ----------
    duty : Duty
    candidates : list of Candidate
        Feasible ones first: the smallest motor, and of its ratios the one that leaves most.
    margin : float
        What was asked for.
    model : Model
    """

    def __init__(self, duty: Duty, candidates: list[Candidate], margin: float, model: Any) -> None:
        self.duty, self.candidates, self.margin, self.model = duty, candidates, margin, model
        self.needs = duty.summary()
        self.notes = list(duty.notes)

    @property
    def feasible(self) -> list[Candidate]:
        """The candidates that do it, best first."""
        return [item for item in self.candidates if item.feasible]

    @property
    def best(self) -> Candidate | None:
        """The smallest motor that does it, with the ratio that leaves most; None if there is none."""
        return next(iter(self.feasible), None)

    def units(self, linear: bool | None = None) -> dict[str, str]:
        """Return the units of a linear or rotary drive; default those of the coordinate."""
        linear = self.duty.is_length if linear is None else linear
        length = "m" if linear else "rad"
        return {
            "effort": "N" if linear else "N·m", "speed": f"{length}/s", "acceleration": f"{length}/s²",
            "inertia": "kg" if linear else "kg·m²",
        }  # fmt: skip

    def ratio_unit(self, motor: Motor) -> str:
        """Return the unit of a gear's ratio: none but between a motor that turns and a coordinate that slides."""
        return "rad/m" if self.duty.is_length and motor.kind == "rotary" else ""

    def plain(self) -> dict[str, Any]:
        """Return what the command line prints as JSON, in SI units."""
        units = self.units()
        return {
            "model": self.model.name, "drive": self.duty.name, "units": {**Units().plain(), **units}, "needs": self.needs,
            "margin": self.margin, "candidates": [self._plain(item) for item in self.candidates],
            "best": None if self.best is None else self._plain(self.best), "notes": self.notes,
        }  # fmt: skip

    def _plain(self, item: Candidate) -> dict[str, Any]:
        """Return a candidate as plain data."""
        own = {"motor": item.motor.name, "kind": item.motor.kind, "ratio": item.gear.ratio}
        own |= {"ratio_unit": self.ratio_unit(item.motor), "efficiency": item.gear.efficiency}
        own["gear_inertia"] = item.gear.inertia
        return own | {key: getattr(item, key) for key in FIGURES} | {"feasible": item.feasible, "reason": item.reason}

    # --- for people ---------------------------------------------------------------------------------------------------
    def tables(self, most: int = MOST_ROWS) -> list[Table]:
        """Return what the drive needs and the candidates as tables for people."""
        columns = [("", "left"), ("", "right"), ("", "left")]
        units, needs = self.units(), Table(f"drive {self.duty.name}: what it needs", columns)
        for key, words, unit in NEEDS:
            if self.needs[key] is not None:
                needs.rows.append([words, number(self.needs[key]), units.get(unit, unit)])
        return [needs, *([self._candidates(most)] if self.candidates else [])]

    def _candidates(self, most: int) -> Table:
        """Return the candidates, feasible ones first."""
        columns = [("motor", "left"), ("ratio", "right"), ("least RMS at", "right"), ("peak", "right"), ("RMS", "right"),
                   ("", "left"), ("peak speed", "right"), ("", "left"), ("inertia ratio", "right"), ("peak margin", "right"),
                   ("RMS margin", "right"), ("speed margin", "right"), ("", "left")]  # fmt: skip
        shown = self.candidates[:most]
        more = f"{len(shown)} of {len(self.candidates)}" if len(shown) < len(self.candidates) else ""
        table = Table("motors and gears", columns, [], more)
        for item in shown:
            units, unit = self.units(item.motor.kind == "linear"), self.ratio_unit(item.motor)
            numbers = [number(x) for x in (item.inertia_ratio, item.peak_margin, item.continuous_margin, item.speed_margin)]
            table.rows.append([
                item.motor.name, f"{number(item.gear.ratio)} {unit}".strip(), number(item.best_ratio), number(item.peak_effort),
                number(item.rms_effort), units["effort"], number(item.peak_speed), units["speed"], *numbers,
                "fits" if item.feasible else f"no: {item.reason}",
            ])  # fmt: skip
        return table

    def verdict(self) -> str:
        """Return the choice in a sentence."""
        best = self.best
        if not self.candidates:
            return "no gear is chosen for a drive that holds still" if HOLDS in self.notes else "no motors were given"
        if best is None:
            return f"none of {len(self.candidates)} motors with gears has margins of {self.margin:g}"
        margins = f"{best.peak_margin:.3g} at the peak, {best.continuous_margin:.3g} for ever, {best.speed_margin:.3g} in speed"
        ratio = f"{best.gear.ratio:.4g} {self.ratio_unit(best.motor)}".strip()
        return f"smallest that fits: {best.motor.name} with ratio {ratio} (margins {margins})"

    def __str__(self) -> str:
        """Return the tables as text."""
        notes = [f"note: {note}" for note in self.notes]
        return "\n\n".join([*(table.text() for table in self.tables()), "\n".join([self.verdict(), *notes])])

    def _repr_html_(self) -> str:
        """Return the tables for a notebook."""
        return "\n".join(table.html() for table in self.tables())

    def __repr__(self) -> str:
        """Return a line for people."""
        return f"<Size of drive {self.duty.name!r} of {self.model.name!r}: {self.verdict()}>"

    def plot(
        self, candidate: Candidate | None = None, ax: Any = None, *, title: str | None = None,
        figsize: tuple[float, float] | None = None, legend: bool | None = None, grid: bool | None = None,
    ) -> Plots:  # fmt: skip
        """Draw effort over speed of the motor, with its envelope; without motors those of the coordinate.

        Parameters
        ----------
        candidate : Candidate, optional
            Default the best one, else the first.
        ax : Axes, optional
            Default a new figure.
        title : str, optional
            Default: model, drive, motor and ratio.
        figsize : (float, float), optional
            Width and height of a new figure [inch].
        legend : bool, optional
            Whether regions and curve are named below the axes; default: they are.
        grid : bool, optional
            Whether there are grid lines; default: on new axes.

        Returns
        -------
        Plots
            One axes, with its figure.
        """
        from multibody.view.torque_speed import plot_size

        return plot_size(self, candidate, ax, title=title, figsize=figsize, legend=legend, grid=grid)

    def save(self, file: str | pathlib.Path) -> None:
        """Write the candidates to a file, by its ending: ``.csv`` (one line each) or ``.json`` (everything)."""
        ending = check_target(file, ENDINGS, self.model._files)
        if ending == ".json":
            write_whole(file, json.dumps(finite(self.plain()), indent=1, allow_nan=False).encode())
            return
        made = io.StringIO()
        rows = [self._plain(item) for item in self.candidates]
        out = csv.DictWriter(made, list(rows[0]) if rows else ["motor"], lineterminator="\n")
        out.writeheader()
        out.writerows(rows)
        write_whole(file, made.getvalue().encode())


def size(
    result: Run | Inverse, drive: str, motors: Sequence[Motor], ratios: Any, efficiency: float, gear_inertia: float,
    margin: float, inertia_ratio: float | None, cycle: float | None, start: float | None, until: float | None,
) -> Size:  # fmt: skip
    """Return the choice of a motor; see :meth:`Run.size`."""
    efficiency, margin = _between(efficiency, 0.0, 1.0, "efficiency"), _between(margin, 0.0, math.inf, "margin")
    if inertia_ratio is not None:
        inertia_ratio = _between(inertia_ratio, 0.0, math.inf, "inertia_ratio")
    given, gear_inertia = gear_inertia, number_in(gear_inertia)
    if not 0.0 <= gear_inertia < math.inf:
        raise ModelError(f"{short(given)} is no inertia", where="size.gear_inertia", hint="give 0 or more, in SI units")
    chosen = _ratios(ratios)
    duty = duty_of(result, drive, cycle, start, until)
    fitting = [motor for motor in motors if motor.kind == "rotary" or duty.is_length]
    if len(fitting) < len(motors):
        duty.notes.append(f"{len(motors) - len(fitting)} linear motors are left out: the coordinate turns")
    scale = 1.0 / result.model.units.factor(1, 0, 0) if duty.is_length else 1.0
    found = []
    for motor in fitting:
        gears = [Gear(1.0)] if motor.kind == "linear" else [Gear(x * scale, efficiency, gear_inertia) for x in chosen]
        if not gears:
            roomy = roomiest(duty, motor, efficiency, gear_inertia, margin)
            gears = [] if roomy is None else [roomy]
            duty.notes.extend([HOLDS] if roomy is None and HOLDS not in duty.notes else [])
        found += [candidate(duty, motor, gear, margin, inertia_ratio) for gear in gears]
    found.sort(key=lambda item: (not item.feasible, power_of(item.motor) if item.feasible else item.use, item.use))
    return Size(duty, found, margin, result.model)


def _ratios(given: Any) -> list[float]:
    """Return the ratios that are to be tried; none where every motor is to have its best."""
    if given is None:
        return []
    listed = given if math.isnan(number_in(given)) else [given]
    hint = "give numbers above 0: motor speed over the coordinate's rate"
    if isinstance(listed, str) or (not isinstance(listed, Sequence) and not hasattr(listed, "tolist")):
        raise ModelError(f"{short(given)} is no list of ratios", where="size.ratios", hint=hint)
    plain = listed.tolist() if hasattr(listed, "tolist") else listed
    found = [number_in(x) for x in (plain if isinstance(plain, Sequence) else [plain])]
    if not found or not all(math.isfinite(x) and x > 0.0 for x in found):
        raise ModelError("a ratio is not a positive number", where="size.ratios", hint=hint)
    return found


def _between(value: Any, low: float, high: float, name: str) -> float:
    """Return a number above `low` and at most `high`; refuse others."""
    found = number_in(value)
    if not low < found <= high or math.isinf(found):
        bound = f"above {low:g}" + ("" if math.isinf(high) else f" and at most {high:g}")
        raise ModelError(f"{short(value)} does not fit", where=f"size.{name}", hint=f"give a number {bound}")
    return found
