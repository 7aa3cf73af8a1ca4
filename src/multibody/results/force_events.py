"""Events on what only results know: efforts, reactions, accelerations, outputs; located when a run is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multibody.errors import ModelError
from multibody.model.events import crossing, needs_forces, of_results
from multibody.state.kinetics import Event

if TYPE_CHECKING:
    from multibody.results.instant import Instant
    from multibody.results.run import Run

MOST = 50  # zeros of one event that are located on the motion itself; further ones lie on straight lines


def result_events(run: Run) -> list[Event]:
    """Return the events of a model that name what only results know, in the order of time.

    Signs are compared at the instants of the run; between two of them the zero is found on the motion itself where it is
    known there, else on a straight line.
    """
    found: list[Event] = []
    for name, event in run.model.events.items():
        if len(run.time) < 2 or not of_results(run.model, event["when"]):
            continue
        if needs_forces(run.model, event["when"]) and run.motion.dynamics is None:
            continue
        formula, direction = crossing(event, f"events.{name}")
        found += _occurrences(run, name, str(formula), direction)
    return found


def _occurrences(run: Run, name: str, text: str, direction: int) -> list[Event]:
    """Return where an expression changes its sign."""
    from multibody.analyses.events.zeros import changed  # here: it loads integrators

    values, found = run.measurer(text).values, list[Event]()
    for k in range(len(run.time) - 1):
        a, b = float(values[k]), float(values[k + 1])
        if not changed(a, b) or (direction and (b > a) != (direction > 0)):
            continue
        located = _located(run, k, text, a, b) if len(found) < MOST else None
        near = k if abs(a) < abs(b) else k + 1
        time = float(run.time[k] + (run.time[k + 1] - run.time[k]) * a / (a - b))
        straight = Event(name, time, False, run.motion.q[near], run.motion.v[near])
        found.append(straight if located is None else Event(name, located.t, False, located.q, located.v))
    return found


def _located(run: Run, k: int, text: str, a: float, b: float) -> Instant | None:
    """Return the instant of a zero between two others, None where the motion is not known there."""
    from multibody.analyses.events.zeros import zero_of

    t0, t1 = float(run.time[k]), float(run.time[k + 1])
    try:
        return run.at(zero_of(lambda t: float(run.at(t)[text]), t0, t1 - t0, a, b))
    except ModelError:
        return None


def unseen(run: Run) -> list[str]:
    """Return a note for every event that cannot be seen here, since no forces are known."""
    if run.motion.dynamics is not None or not len(run.time):
        return []
    names = [name for name, event in run.model.events.items() if needs_forces(run.model, event["when"])]
    return [f'event "{name}" needs forces, which kinematics does not know: use run' for name in names]
