"""What a result should say about contact: cams that would have to pull, stops that are not left, lines without direction.

The equations hold a follower to its cam from both sides. Along the common normal, away from the cam, the force on the follower
is N = F·n; where N < 0 a real follower lifts off.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.kernels import codes as L
from multibody.kernels.declared import LinearLaw, StopLaw
from multibody.kernels.forces import APART
from multibody.kernels.memory.declaration import numbers_of
from multibody.model.expressions import differentiate, evaluate
from multibody.state.system import Floats
from multibody.tables.expression_forces import target_formula
from multibody.tables.products import dot
from multibody.tables.scope import Scope

if TYPE_CHECKING:
    from multibody.analyses.measures.force_values import ForceValues
    from multibody.analyses.measures.measure import Measurer
    from multibody.tables.lower import Tables

NOISE = 1e-9  # part of the forces at play below which a pull is that of rounding


@dataclass(frozen=True)
class Interval:
    """A stretch of time; `open_end` where it lasts to the last instant."""

    start: float
    end: float
    open_end: bool


def contact_notes(measurer: Measurer) -> list[str]:
    """Return a note for every cam that pulls and every stop that is not left any more, with its times."""
    model, notes = measurer.model, list[str]()
    if len(measurer.t) == 0 or measurer.dynamics is None:
        return notes
    for name, joint in model.joints.items():
        if joint.kind.relation == "cam":
            notes += _cam_note(measurer.forces, name)
    for name, force in model.forces.items():
        if force.kind.name == "stop":
            notes += _stop_note(measurer.forces, name)
    return notes + line_notes(measurer)


def line_notes(measurer: Measurer) -> list[str]:
    """Return a note for every force along the line between two points that coincide, if its law would need a direction."""
    tables, t, notes = measurer.tables, measurer.t, []
    for name, (law, *_) in tables.laws_of.items():
        function = tables.laws[law].function
        if tables.functions[function].kind != L.DISTANCE or not _needs_line(tables, law):
            continue
        together = np.flatnonzero(measurer.coordinate(function)[0] <= APART * tables.length)
        if len(together):
            when = "the whole time" if len(together) == len(t) > 1 else f"at t = {t[together[0]]:.6g} {tables.model.units.time}"
            notes.append(f"{name}: its two points coincide {when}, where only what vanishes with the length acts")
    return notes


def _needs_line(tables: Tables, law: int) -> bool:
    """Return whether a law along a length pushes or pulls at the length zero."""
    own = tables.laws[law]
    if own.kind == L.LINEAR:
        numbers = numbers_of(LinearLaw, tables.F, own.numbers)
        return bool(numbers.effort + numbers.stiffness * numbers.free != 0.0 or own.program >= 0)
    return bool(own.kind == L.STOP and numbers_of(StopLaw, tables.F, own.numbers).lower > 0.0)


def normal_force(forces: ForceValues, joint: str) -> Floats:
    """Return the force of a cam on its follower along the common normal, positive where it pushes; one number an instant."""
    return dot(forces.wrench(joint).force, _normal(forces, joint))


def _normal(forces: ForceValues, joint: str) -> Floats:
    """Return the common normal away from the cam over time, ground axes."""
    model, measurer, reactions = forces.model, forces.measurer, forces.reactions
    fields = model.joints[joint].fields
    if fields["flat"] is not None:
        axes = reactions.axes_of(joint, 1)
        scope, where = Scope(model), f"joints.{joint}"
        own = np.array(scope.numeric(scope.vector(fields["flat"], forces.tables.dimension, where), where))
        return np.asarray(axes @ (own / np.linalg.norm(own)))
    profile = Scope(model).formula(model.formula(fields["profile"], joint), joint)
    phi = measurer.coordinate(forces.tables.coordinates["joint", joint, "contact", 0])[0]

    def value(formula: Any) -> Floats:
        found = formula
        if not isinstance(formula, float):
            found = evaluate(formula, lambda parts: phi if parts == ("phi",) else measurer.lookup(parts), measurer.splines())
        return np.broadcast_to(np.asarray(found, dtype=float), phi.shape)

    rho, slope = value(profile), value(differentiate(profile, ("phi",)))
    x, y = slope * np.cos(phi) - rho * np.sin(phi), slope * np.sin(phi) + rho * np.cos(phi)
    axes, size = reactions.axes_of(joint, 0), np.hypot(x, y)
    return np.asarray((y / size)[:, None] * axes[:, :, 0] - (x / size)[:, None] * axes[:, :, 1])


def _cam_note(forces: ForceValues, joint: str) -> list[str]:
    """Return a note where a cam's force on its follower points toward the cam."""
    push = normal_force(forces, joint)
    noise = NOISE * (float(np.nanmax(np.abs(push), initial=0.0)) + _weight(forces, joint))
    found = intervals(forces.measurer.t, push, noise)
    if not found:
        return []
    units, lowest = forces.model.units, float(np.nanmin(push))
    first, more = found[0], len(found) - 1
    others = f" and in {more} more interval{'s' if more > 1 else ''}" if more else ""
    return [
        f"{joint}: the cam would have to pull its follower {_span(first, forces)}{others} (at most {-lowest:.4g} "
        f"{units.names['force']}), where a follower that is not held lifts off; press it harder or move slower"
    ]


def _weight(forces: ForceValues, joint: str) -> float:
    """Return the largest force of weight and inertia on the bodies that touch."""
    tables, largest = forces.tables, 0.0
    gravity = float(np.linalg.norm(tables.gravity))
    for end in tables.ends[joint]:
        if end.body:
            motion = forces.measurer.body_motion(tables.bodies[end.body])
            rate = float(np.max(np.linalg.norm(motion.acceleration, axis=1), initial=0.0))
            largest = max(largest, float(tables.F[tables.masses[end.body - 1].mass]) * (gravity + rate))
    return largest


def _stop_note(forces: ForceValues, name: str) -> list[str]:
    """Return a note where a coordinate is beyond a limit at the first instant, or from some time to the last."""
    tables, t = forces.tables, forces.measurer.t
    if forces.model.forces[name].on_expression:
        lower, upper, value = _on_expression(forces, name)
    else:
        law = tables.law_of(name)
        own = numbers_of(StopLaw, tables.F, law.numbers)
        lower, upper = own.lower, own.upper
        value = forces.measurer.coordinate(law.function)[0]
    about, notes = f'{name}: "{forces.model.forces[name].target[0]}"', []
    for side, free in (("lower", value - lower), ("upper", upper - value)):
        found = intervals(t, free, 0.0) if len(t) > 1 else []
        if found and found[0].start == t[0] and found[0].open_end:
            notes.append(f"{about} stays beyond the {side} limit the whole time")
        elif found and found[0].start == t[0]:
            notes.append(f"{about} begins beyond the {side} limit, until t = {found[0].end:.6g} {forces.model.units.time}")
        if found and found[-1].open_end and found[-1].start > t[0]:
            notes.append(f"{about} stays beyond the {side} limit {_span(found[-1], forces)}")
    return notes


def _on_expression(forces: ForceValues, name: str) -> tuple[float, float, Floats]:
    """Return the limits of a stop on an expression, and the expression over time."""
    force, scope, where = forces.model.forces[name], Scope(forces.model), f"forces.{name}"
    limits = [force.fields[key] for key in ("lower", "upper")]
    lower, upper = (
        side * np.inf if limit is None else scope.value(scope.scalar(limit, where), where)
        for side, limit in zip((-1.0, 1.0), limits, strict=True)
    )
    return lower, upper, forces.measurer.values_of(target_formula(scope, force))


def intervals(t: Floats, value: Floats, noise: float) -> list[Interval]:
    """Return the stretches in which a value is below zero by more than the noise; their ends lie between instants."""
    below = value < -noise
    if not np.any(below):
        return []
    edges = np.flatnonzero(np.diff(below.astype(np.int8)))
    starts = ([0] if below[0] else []) + [int(k) + 1 for k in edges if below[k + 1]]
    ends = [int(k) for k in edges if below[k]] + ([len(t) - 1] if below[-1] else [])

    def crossing(inside: int, outside: int) -> float:
        if not 0 <= outside < len(t) or np.isnan(value[outside]):
            return float(t[inside])
        share = value[inside] / (value[inside] - max(value[outside], 0.0))
        return float(t[inside] + share * (t[outside] - t[inside]))

    return [Interval(crossing(a, a - 1), crossing(b, b + 1), b == len(t) - 1) for a, b in zip(starts, ends, strict=True)]


def _span(found: Interval, forces: ForceValues) -> str:
    """Return an interval in words."""
    unit = forces.model.units.time
    if found.end == found.start:
        return f"at t = {found.start:.6g} {unit}"
    end = "the end" if found.open_end else f"{found.end:.6g} {unit}"
    return f"from t = {found.start:.6g} to {end}"
