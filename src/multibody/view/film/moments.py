"""The moments of a run that a film shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from multibody.errors import ModelError
from multibody.view.geometry import Floats

if TYPE_CHECKING:
    from multibody.results.run import Run

SHORTEST, LONGEST = 2.0, 20.0  # a run that takes longer or shorter in reality is not shown in real time [s]
SLOWED = 4.0  # how long a run is shown that is over too soon [s]
MOST_FRAMES = 20_000
CLOSED = 1e-6  # how near the last pose has to be to the first for a film without a seam [lengths of the model]


def film_times(run: Run, fps: float, seconds: float | None, speed: float | None) -> Floats:
    """Return the times of the frames in the model's unit, from the first to the last instant.

    The last is left out where the motion ends in the pose in which it began, so that the film repeats without a halt.

    Parameters
    ----------
    run : Run
    fps : float
        Frames a second.
    seconds : float, optional
        How long the film takes.
    speed : float, optional
        How much faster than in reality it runs. Default of both: real time where the run takes 2 to 20 s, 4 s where it is
        shorter and 20 s where it is longer.
    """
    seconds = film_length(run, seconds, speed)
    if not seconds * fps < MOST_FRAMES:
        raise ModelError(
            f"{seconds * fps:.3g} frames are too many (at most {MOST_FRAMES})", where=run.model.name,
            hint="take fewer frames a second, a shorter film or a higher speed",
        )  # fmt: skip
    count = max(2, round(seconds * fps))
    return np.linspace(float(run.time[0]), float(run.time[-1]), count, endpoint=not closed(run))


def film_length(run: Run, seconds: float | None, speed: float | None, longest: float = LONGEST) -> float:
    """Return how long a film of a run takes [s]; a run that has no motion to show is refused."""
    if len(run.time) < 2:
        hint = "draw it with run.draw()" if len(run.time) else run.status.message
        raise ModelError("a film needs two instants at least", where=run.model.name, hint=hint)
    real = abs(float(run.time[-1] - run.time[0])) * run.model.units.factor(0, 1, 0)
    if real == 0.0:
        raise ModelError("all instants are at one time", where=run.model.name, hint="draw it with run.draw()")
    if seconds is not None:
        return float(seconds)
    if speed is not None:
        return real / float(speed)
    return SLOWED if real < SHORTEST else min(real, longest)


def closed(run: Run) -> bool:
    """Return whether the motion ends in the pose in which it began."""
    from multibody.view.scene import Poses

    one, other = (Poses(run.tables, run.motion.q[k]) for k in (0, -1))
    middle = Poses(run.tables, run.motion.q[len(run.time) // 2])

    def apart(a: Poses, b: Poses) -> float:
        return max(float(np.max(np.abs(a.r - b.r))) / run.tables.length, float(np.max(np.abs(a.A - b.A))))

    return apart(one, other) < CLOSED < 1e3 * CLOSED < apart(one, middle)
