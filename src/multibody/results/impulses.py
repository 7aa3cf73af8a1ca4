"""Impulses of jumps as plain numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multibody.results.run import Run
    from multibody.state.kinetics import Event

PARTS = ("force", "moment", "effort", "total", "point", "on_body", "axes", "unique")


def event_plain(run: Run, event: Event, units: str | None) -> dict[str, Any]:
    """Return an event as JSON has it; where velocities jumped with the work and the impulses of all joints.

    Forces and moments are impulses there: the unit of each times the unit of time.
    """
    own = run.model.units
    time, energy = (own.factor(*key) if units == "SI" else 1.0 for key in ((0, 1, 0), (2, -2, 1)))
    found = {**event.plain(), "time": event.time * time}
    if event.impulse is not None:
        from multibody.results.reactions_at import reactions_plain  # here: it loads SciPy's sparse matrices

        joints = reactions_plain(type(run)(event.impulse.motion), list(run.model.joints), units)
        found["impulse"]["work"] *= energy
        found["impulse"]["joints"] = {name: _times(time, joint) for name, joint in joints.items()}
    return found


def _times(time: float, joint: dict[str, Any]) -> dict[str, Any]:
    """Return what a joint does with its forces and moments times the unit of time."""

    def scaled(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: scaled(item) for key, item in value.items()}
        return [scaled(item) for item in value] if isinstance(value, list) else value * time

    kept = {key: joint[key] for key in PARTS if key in joint}
    return {key: scaled(value) if key in ("force", "moment", "effort", "total") else value for key, value in kept.items()}
