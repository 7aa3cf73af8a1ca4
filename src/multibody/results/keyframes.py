"""Keyframes: where every body is in every frame of a film, as a table that scripts of FreeCAD and Blender read.

Axes are the ground's, right-handed; a planar model lies in the x-y plane (z = 0). Positions are those of the bodies' own
origins, where a CAD program has the origin of the part; quaternions turn a body's axes into the ground's and change their sign
nowhere from frame to frame.
"""

from __future__ import annotations

import csv
import io
import json
import math
import pathlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from multibody._target import check_target, write_whole
from multibody.arguments import answered, number_in, short
from multibody.errors import ModelError

if TYPE_CHECKING:
    import pandas

    from multibody.model.model import Model
    from multibody.results.run import Run
    from multibody.state.state import Status

Floats = npt.NDArray[np.float64]
UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254}  # of lengths [m]
HEADINGS = ("frame", "time", "body", "x", "y", "z", "qw", "qx", "qy", "qz")
AXES = "ground, right-handed; a planar model lies in the x-y plane"
POINT = "origin of the body's own axes"
MOST_FRAMES = 200_000


@answered
@dataclass(frozen=True, repr=False)
class Keyframes:
    """Poses of all bodies, frame by frame.

    Attributes
    ----------
    fps : float
        Frames a second of the film.
    speed : float
        How many times faster than in reality the film runs.
    unit : str
        Of the positions.
    bodies : list of str
    time : array (frames,)
        Time of each frame in the run [s].
    positions : array (frames, bodies, 3)
    quaternions : array (frames, bodies, 4)
        w, x, y, z.
    """

    model: Model
    status: Status
    fps: float
    speed: float
    unit: str
    bodies: list[str]
    time: Floats
    positions: Floats
    quaternions: Floats

    def to_pandas(self) -> pandas.DataFrame:
        """Return the table: a row a body in each frame; frames are counted from 1."""
        import pandas

        made = pandas.DataFrame(dict(zip(HEADINGS, zip(*self._rows(), strict=True), strict=True)))
        made.attrs = self._about()
        return made

    def save(self, file: str | pathlib.Path) -> None:
        """Write the table as ``.csv``, a row a body in each frame, or as ``.json``, an entry a body."""
        ending = check_target(file, (".csv", ".json"), self.model._files)
        write_whole(file, self.csv() if ending == ".csv" else self.json())

    def csv(self) -> bytes:
        """Return the table as CSV; lines with ``#`` say units and axes, and where the run is not complete."""
        made = io.StringIO()
        for key, value in self._about().items():
            made.write(f"# {key}: {' '.join(str(value).split())}\n")
        out = csv.writer(made, lineterminator="\n")
        out.writerow(HEADINGS)
        for frame, t, body, *numbers in self._rows():
            out.writerow([frame, f"{t:.17g}", body, *(f"{x:.17g}" for x in numbers)])
        return made.getvalue().encode()

    def json(self) -> bytes:
        """Return the same as JSON: times, and positions and quaternions of every body."""
        bodies = {
            name: {"position": self.positions[:, k].tolist(), "quaternion": self.quaternions[:, k].tolist()}
            for k, name in enumerate(self.bodies)
        }
        frames = list(range(1, len(self.time) + 1))
        made = {**self._about(), "frame": frames, "time": self.time.tolist(), "bodies": bodies}
        return json.dumps(made, indent=1, allow_nan=False).encode()

    def _about(self) -> dict[str, Any]:
        """Return what the numbers mean."""
        about = {
            "model": self.model.name, "fps": self.fps, "speed": self.speed, "unit": self.unit, "time_unit": "s", "axes": AXES,
            "point": POINT, "quaternion": "w, x, y, z", "success": self.status.success,
        }  # fmt: skip
        return about if self.status.success else about | {"partial": self.status.message}

    def _rows(self) -> list[tuple[Any, ...]]:
        return [
            (k + 1, float(t), body, *(float(x) for x in self.positions[k, b]), *(float(x) for x in self.quaternions[k, b]))
            for k, t in enumerate(self.time) for b, body in enumerate(self.bodies)
        ]  # fmt: skip

    def __repr__(self) -> str:
        """Return a line for people."""
        count = f"{len(self.time)} frames at {self.fps:g} a second"
        return f"<Keyframes of {self.model.name!r}: {len(self.bodies)} bodies, {count}, positions in {self.unit}>"


def keyframes(run: Run, fps: float, speed: float, unit: str) -> Keyframes:
    """Return the keyframes of a run; see :meth:`Run.keyframes`."""
    times, shown = _times(run, fps, speed)
    scale = run.model.units.factor(1, 0, 0) / _unit(unit)
    q = _poses(run, times)
    count, names = len(run.tables.bodies) - 1, list(run.tables.bodies[1:])
    layout = run.tables.layout
    rows = layout.split(q, count)
    centers = rows[..., layout.shift]
    if layout.dimension == 2:
        centers, turns = np.dstack([centers, np.zeros_like(rows[..., :1])]), _about_z(rows[..., layout.angle])
    else:
        turns = _steady(rows[..., layout.turn])
    origins = np.array([_origin(run, name) for name in names])
    positions = scale * (centers + np.stack([_turned(turns[:, k], origins[k]) for k in range(count)], axis=1))
    return Keyframes(run.model, run.status, float(fps), float(speed), unit, names, shown, positions, turns)


def _unit(unit: str) -> float:
    """Return a unit of length [m]."""
    if unit not in UNITS:
        raise ModelError(f"{short(unit)} is no unit of length here", where="keyframes", hint=f"it is one of {', '.join(UNITS)}")
    return UNITS[unit]


def _times(run: Run, fps: float, speed: float) -> tuple[Floats, Floats]:
    """Return the times of the frames, in the run's unit and in seconds: every 1/fps of the film from the run's start on."""
    for name, value in (("fps", fps), ("speed", speed)):
        if not (math.isfinite(number_in(value)) and value > 0.0):
            raise ModelError(f"{name} is {short(value)}", where="keyframes", hint="give a positive number")
    if len(run.time) == 0:
        raise ModelError("the run has no instants", where="keyframes", hint=run.status.message)
    second = 1.0 / run.model.units.factor(0, 1, 0)
    first, last = float(run.time[0]), float(run.time[-1])
    step = speed * second / fps
    count = abs(last - first) / step
    if not count < MOST_FRAMES:
        hint = "take fewer frames a second or a higher speed"
        raise ModelError(f"{count:.3g} frames are too many (at most {MOST_FRAMES})", where="keyframes", hint=hint)
    k = np.arange(math.floor(count * (1.0 + 1e-12) + 1e-9) + 1)
    low, high = min(first, last), max(first, last)
    times = np.clip(first + math.copysign(step, last - first) * k, low, high)
    return times, times / second


def _poses(run: Run, times: Floats) -> Floats:
    """Return the coordinates of all bodies at given times."""
    from multibody.view.between import poses_at

    return np.array(run.motion.q)[[0] * len(times)] if len(run.time) == 1 else poses_at(run, times)


def _origin(run: Run, body: str) -> Floats:
    """Return the origin of a body's own axes from its center of mass, in these axes, with three components."""
    point = run.tables.vector(run.tables.frames[body, "origin"].point)
    return np.concatenate([point, np.zeros(3 - len(point))])


def _about_z(angles: Floats) -> Floats:
    """Return quaternions of planar angles; they follow the angle, so that none changes its sign at once."""
    none = np.zeros_like(angles)
    return np.stack([np.cos(0.5 * angles), none, none, np.sin(0.5 * angles)], axis=-1)


def _steady(turns: Floats) -> Floats:
    """Return quaternions whose signs do not jump from frame to frame."""
    from multibody.view.between import continuous

    return np.stack([continuous(turns[:, k]) for k in range(turns.shape[1])], axis=1)


def _turned(turns: Floats, point: Floats) -> Floats:
    """Return a point turned by quaternions (frames, 4): p + 2 w (u × p) + 2 u × (u × p)."""
    w, u = turns[:, :1], turns[:, 1:]
    across = np.cross(u, point)
    return np.asarray(point + 2.0 * (w * across + np.cross(u, across)))
