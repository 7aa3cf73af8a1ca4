"""Whose formula has no finite value: motions, couplers, forces, loads, events, named with the time.

Newton's method and integrators only notice that a number is not finite, or that steps become short before a pole; here the
formulas themselves are asked, at an instant and just behind it.
"""

from __future__ import annotations

import math

import numpy as np

from multibody.analyses.events.impulse import no_value, prescriber
from multibody.analyses.events.switching import Switching
from multibody.errors import ModelError
from multibody.kernels.crossing import FAR, GROWS, NEAR
from multibody.kernels.forces import law_efforts, load_wrenches
from multibody.kernels.watch import monitor
from multibody.state.state import Status
from multibody.state.system import Floats, System

AHEAD = (0.0, 1e-15, 1e-12, 1e-9, 1e-6)  # parts of a length of time, behind an instant at which formulas are asked
ABRUPT = 0.5  # change over such a part, over the value itself, that is no smooth one
APART, CLOSE = 1e-3, 1e-6  # parts of the way at which an analysis ends before a pole of a value, of a rate
LOOKS = 200  # instants of a run at which events are asked for their values
Values = dict[str, Floats]


def values_at(system: System, q: Floats, v: Floats, t: float) -> Values:
    """Return the values of all formulas of a model by their owners, such as ``motion "O"``; rates and accelerations too."""
    s, tables = system, system.tables
    found: Values = {}
    rows = np.stack([s.phi(q, t), s.velocity_side(q, t), s.gamma(q, v, t)]) if s.rows else np.zeros((3, 0))
    for r, info in enumerate(tables.rows[: s.rows]):
        if info.group == "motion" or tables.model.joints[info.owner].kind.relation in ("coupler", "cam"):
            kind = "motion" if info.group == "motion" else tables.model.joints[info.owner].kind.relation
            found[f'{kind} "{info.owner}"'] = rows[:, r]
    laws, loads, watched = np.zeros(tables.effort_count), np.zeros(tables.load_count), np.zeros(len(tables.watches))
    monitor(*s.run, t, np.concatenate([q, v]), watched)
    law_efforts(*s.run, t, laws)
    load_wrenches(*s.run, t, loads)
    for name in (*tables.laws_of, *tables.wrench_of):
        found[f'{tables.model.forces[name].kind.name} "{name}"'] = laws[tables.efforts_of(name)]
    for name, k in tables.load_of.items():
        found[f'force "{name}"'] = loads[tables.part_of_load(k)]
    for watch, value in zip(tables.watches, watched, strict=True):
        if watch.kind == "event":
            found[f'event "{watch.name}"'] = np.array([value])
    return found


def culprit(system: System, q: Floats, v: Floats, t: float, events: bool = True) -> str:
    """Return the owner of a formula that has no finite value at a state, nothing if all have."""
    if not (np.all(np.isfinite(q)) and np.all(np.isfinite(v))):
        v = np.zeros(system.nv)
        if not np.all(np.isfinite(q)):
            return ""
    for owner, values in values_at(system, q, v, t).items():
        if not np.all(np.isfinite(values)) and (events or not owner.startswith("event")):
            return owner
    return ""


def require_values(system: System, q: Floats, v: Floats, t: float) -> None:
    """Raise where a formula of a motion, coupler or force has no finite value at a state, with its name."""
    owner = culprit(system, q, v, t, events=False)
    if owner:
        kind, name = owner.split(" ", 1)
        group = {"motion": "motions", "coupler": "joints", "cam": "joints"}.get(kind, "forces")
        where = f"{group}.{name.strip(chr(34))}"
        raise ModelError(f"it is not a finite number at t = {t:g}", where=where, hint="check its formula there")


def silent_events(system: System, times: Floats, q: Floats, v: Floats, references: Floats) -> list[str]:
    """Return a sentence for every event whose expression had no value at some instant: it cannot happen there."""
    if not any(watch.kind == "event" for watch in system.tables.watches):
        return []
    first: dict[str, float] = {}
    out = np.zeros(len(system.tables.watches))
    for k in np.unique(np.linspace(0, len(times) - 1, min(len(times), LOOKS)).round().astype(int)):
        system.ref[:] = references[k] if references.ndim == 2 else references
        monitor(*system.run, float(times[k]), np.concatenate([q[k], v[k]]), out)
        for watch, value in zip(system.tables.watches, out, strict=True):
            if watch.kind == "event" and not np.isfinite(value):
                first.setdefault(watch.name, float(times[k]))
    words = "it has no finite value at t = {:.6g} and does not happen there; check its formula"
    return [f'event "{name}": {words.format(t)}' for name, t in first.items()]


def culprit_ahead(system: System, q: Floats, v: Floats, t: float, span: float) -> tuple[str, bool]:
    """Return whose formula ends or changes abruptly at a state or just behind it, and whether it has no value there.

    Parameters
    ----------
    system : System
    q, v, t : arrays, float
        Where an analysis could not go on.
    span : float
        The way that it had gone, with its sign.
    """
    if not (np.all(np.isfinite(q)) and np.all(np.isfinite(v))):
        return "", False
    here = values_at(system, q, v, t)
    for part in AHEAD:
        h = part * span
        there = values_at(system, system.displaced(q, v, h), v, t + h)
        for owner, values in there.items():
            if owner.startswith("event"):
                continue
            if not np.all(np.isfinite(values)):
                return owner, True
            rigid = owner.split(" ")[0] in ("motion", "coupler", "cam")
            if not rigid and part <= NEAR and _abrupt(here[owner], values):
                return owner, False
    return "", False


def _abrupt(before: Floats, after: Floats) -> bool:
    """Return whether values changed by a good part of themselves."""
    size = float(np.max(np.abs(before), initial=0.0))
    return bool(np.any(np.abs(after - before) > ABRUPT * np.abs(before) + 1e-3 * size))


def unbounded(system: System, q: Floats, switching: Switching, span: float) -> Status | None:
    """Return the status of an analysis that ends before a pole: whose prescribed value or rate has no bound there.

    Parameters
    ----------
    system : System
    q : array
    switching : Switching
    span : float
        Length of the way to the instant, with its sign.
    """
    sides = [switching.before - part * span for part in (NEAR, math.sqrt(NEAR * FAR), FAR)]
    values, rates = ([np.abs(f(q, t)) for t in sides] for f in (system.phi, system.velocity_side))
    for pair, is_value in ((values, True), (rates, False)):
        size = np.max(pair[2], initial=0.0)
        for r in range(system.rows):
            near, middle, far = (float(values[r]) for values in pair)
            if not np.isfinite(near) or (near > GROWS * middle and middle > GROWS * far and near > size):
                reached = switching.before - (APART if is_value else CLOSE) * span
                return no_value(prescriber(system, r), switching, reached, "it" if is_value else "its rate")
    return None
