"""Results as plain data, for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.analyses.measures.measure import Measurer
from multibody.model.dimensions import unit_name
from multibody.model.units import Units
from multibody.tables.lower import Tables

if TYPE_CHECKING:
    from multibody.results.run import Run


WORK = ("steps", "rhs_evaluations", "jacobian_evaluations", "factorizations")  # counts that every run reports
TIMES = ("until", "output_step", "step")  # settings of a run that have a unit
QUALITY = ("position_violation", "velocity_violation", "energy_drift", "smallest_singular_value")

NO_GRAVITY = "gravity: none"


def final_plain(run: Run, units: str | None) -> dict[str, Any]:
    """Return units, gravity, status, statistics, certificate, notes, events or singular positions, and the last instant."""
    time = run.model.units.factor(0, 1, 0) if units == "SI" else 1.0
    forces = run.motion.dynamics is not None or "rhs_evaluations" in run.statistics  # also of a run that could not start
    statistics = dict.fromkeys(WORK, 0) | {"wall_time": 0.0} | run.statistics if forces else run.statistics
    statistics |= {name: statistics[name] * time for name in TIMES if name in statistics}
    certificate = dict.fromkeys(QUALITY) | run.certificate if forces else run.certificate
    result: dict[str, Any] = {
        "model": run.model.name,
        "units": Units().plain() if units == "SI" else run.model.units.plain(),
        "status": {**run.status.plain(), "time_reached": run.status.time_reached * time},
        "statistics": statistics,
        "certificate": certificate,
    }
    if forces or run.model.events:
        from multibody.results.impulses import event_plain  # here: it reads runs itself

        result["events"] = [event_plain(run, event, units) for event in run.events]
    if forces:
        result |= {"gravity": gravity_text(run.tables), "notes": run.notes}
    elif run.notes:
        result["notes"] = run.notes
    if not forces or run.singularities:
        result["singularities"] = [{**item.plain(), "time": item.time * time} for item in run.singularities]
        result["branches"] = [{"from": t * time, "label": label} for t, label in run.branches]
    if len(run.time):
        result["final"] = instant_plain(run.measurer, len(run.time) - 1, units, accelerations=True)
    return result


def gravity_text(tables: Tables) -> str:
    """Return gravity in words: ``none``, or its components with the unit."""
    vector, units = tables.gravity, tables.model.units
    return f"({', '.join(f'{x:g}' for x in vector)}) {units.length}/{units.time}²" if np.any(vector) else "none"


def gravity_notes(tables: Tables) -> list[str]:
    """Return a note where a model under forces has no gravity."""
    return [NO_GRAVITY] if gravity_text(tables) == "none" else []


def instant_plain(measurer: Measurer, k: int, units: str | None, *, accelerations: bool) -> dict[str, Any]:
    """Return time, bodies and joints at one instant.

    Positions are of the center of mass; vectors in ground axes; ``rotation`` is [w, x, y, z]; ``angle`` is unwrapped.
    """
    model, tables = measurer.model, measurer.tables
    length, time = (model.units.factor(1, 0, 0), model.units.factor(0, 1, 0)) if units == "SI" else (1.0, 1.0)
    bodies = {}
    for b, name in enumerate(tables.bodies[1:], start=1):
        motion = measurer.body_motion(name)
        item: dict[str, Any] = {"position": _list(motion.position[k] * length)}
        if tables.dimension == 2:
            item["angle"] = float(measurer.q[k, tables.layout.angle_of(b)])
        else:
            item["rotation"] = _list(measurer.q[k, tables.layout.orientation(b)])
        item |= {"velocity": _list(motion.velocity[k] * length / time), "angular_velocity": _list(motion.spin[k] / time)}
        if accelerations:
            item |= {"acceleration": _list(motion.acceleration[k] * length / time**2)}
            item |= {"angular_acceleration": _list(motion.spin_rate[k] / time**2)}
        bodies[name] = item
    joints = {name: _joint(measurer, name, k, length, time, accelerations) for name in model.joints}
    result: dict[str, Any] = {"time": float(measurer.t[k]) * time, "bodies": bodies, "joints": joints}
    if model.outputs:
        read = {name: measurer(name) for name in filter(measurer.readable, model.outputs)}
        found = {name: _converted(measurer, name, item.unit, units == "SI") for name, item in read.items()}
        result["outputs"] = {name: float(item.values[k]) * found[name][0] for name, item in read.items()}
        result["output_units"] = {name: unit for name, (_, unit) in found.items()}
    return result


def _converted(measurer: Measurer, output: str, unit: str, si: bool) -> tuple[float, str]:
    """Return factor and unit of an output; one whose unit is stated, or not known, stays as it is."""
    found, plain = measurer.dimension(measurer.model.outputs[output])
    if not si or plain or found is None or output in measurer.model.output_units:
        return 1.0, unit
    length, time, mass, _ = (float(n) for n in found)
    return measurer.model.units.factor(length, time, mass), unit_name(found, Units())


def _list(value: Any) -> Any:
    """Return a number or a list of numbers."""
    return float(value) if np.ndim(value) == 0 else [float(x) for x in value]


def _joint(measurer: Measurer, name: str, k: int, length: float, time: float, accelerations: bool) -> dict[str, Any]:
    """Return a joint's coordinates and rates, in the order of the joint table."""
    joint, tables = measurer.model.joints[name], measurer.tables
    values: tuple[list[float], list[float], list[float]] = ([], [], [])
    for item in joint.names_of_coordinates(tables.dimension):
        function = tables.coordinates["joint", name, item, 0]
        scale = length if tables.functions[function].is_length else 1.0
        for order, part in enumerate(measurer.coordinate(function)):
            values[order].append(float(part[k]) * scale / time**order)
    if name in tables.pairs and tables.pairs[name].motion.ball:
        values[0].extend(_list(measurer(f"{name}.rotation").values[k]))
        values[1].extend(float(measurer(f"{name}.omega.{axis}").values[k]) / time for axis in "xyz")
        if accelerations:
            values[2].extend(float(measurer(f"{name}.omega.{axis}.acceleration").values[k]) / time**2 for axis in "xyz")
    result = {"coordinates": values[0], "rates": values[1]}
    return result | {"accelerations": values[2]} if accelerations else result
