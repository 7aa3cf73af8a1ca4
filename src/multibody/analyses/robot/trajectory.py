"""Trajectories through points: splines of degree three and five, and straight lines with limits of speed and acceleration.

A trajectory is a polynomial in every interval for every coordinate. As a formula of time it is a motion of a model; before its
first and after its last point it stands still.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from multibody.analyses.robot.pieces import Pieces, line_pieces, spline_pieces
from multibody.arguments import answered, in_words, short
from multibody.errors import ModelError
from multibody.model.expressions import Expression, Number, if_, poly, t
from multibody.model.model import Model
from multibody.model.names import unknown
from multibody.state.system import Floats

KINDS = ("quintic", "cubic", "trapezoidal")
WHERE = "trajectory"


@answered
class Trajectory:
    """Coordinates as functions of time; made by :func:`multibody.trajectory` and :meth:`multibody.Robot.trajectory`.

    Attributes
    ----------
    names : list of str
        Of the coordinates; empty where they have none.
    times : array
        Where one polynomial ends and the next begins.
    start, end, duration : float
    """

    def __init__(self, pieces: Pieces, names: Sequence[str] = ()) -> None:
        self._pieces, self.names = pieces, list(names)
        self.times = pieces.times
        self.start, self.end = float(self.times[0]), float(self.times[-1])
        self.duration = self.end - self.start

    def __repr__(self) -> str:
        """Return a line for people."""
        count = self._pieces.coefficients.shape[1]
        return f"<trajectory of {count} coordinate{'s' if count > 1 else ''} from {self.start:g} to {self.end:g}>"

    def __call__(self, time: Any) -> tuple[Floats, Floats, Floats]:
        """Return coordinates, rates and accelerations at a time, (n) each, or at N times, (N, n) each.

        ``robot.inverse_dynamics(*trajectory(times))`` is the efforts along it.
        """
        try:
            at = np.asarray(time, dtype=np.float64)
        except (TypeError, ValueError):
            raise ModelError(f"{short(time)} is not a time", where=WHERE, hint="give a number or an array of them") from None
        if at.ndim > 1 or not np.isfinite(at).all():
            raise ModelError(f"{short(time)} is not a time", where=WHERE, hint="give a finite number or an array of them")
        q, v, a = (self._pieces.value(np.atleast_1d(at), order) for order in range(3))
        return (q[0], v[0], a[0]) if at.ndim == 0 else (q, v, a)

    def sampled(self, count: int = 101) -> tuple[Floats, Floats, Floats, Floats]:
        """Return times (count) from start to end, and coordinates, rates and accelerations there, (count, n) each."""
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 2:
            raise ModelError(f"count is {short(count)}", where=WHERE, hint="give a number of instants, at least 2")
        at = np.linspace(self.start, self.end, count)
        return (at, *self(at))

    def __getitem__(self, name: str | int) -> Number:
        """Return one coordinate, by its name or number, as a formula of time: a motion of a model."""
        return self.formula(name)

    def formula(self, name: str | int) -> Number:
        """Return one coordinate as a formula of time.

        Parameters
        ----------
        name : str or int
            Name or number of the coordinate; a joint that has one coordinate names it too.
        """
        k = self._number(name)
        times, coefficients = self._pieces.times, self._pieces.coefficients[:, k]
        first, last = float(coefficients[0, 0]), float(self._pieces.value(times[-1:], 0)[0, k])
        polynomials = [_polynomial(float(at), row) for at, row in zip(times[:-1], coefficients, strict=True)]
        return _chosen([first, *polynomials, last], [float(x) for x in times])

    def drive(self, model: Model) -> Model:
        """Give the model a motion along every coordinate of this trajectory; return the model.

        ``trajectory.drive(model).inverse(until=trajectory.end)`` is one line.
        """
        if not self.names:
            raise ModelError("its coordinates have no names", where=WHERE, hint="give names=[...], or robot.trajectory(...)")
        if not isinstance(model, Model):
            raise ModelError(f"{short(model)} is no model", where=WHERE, hint="give the model that it shall drive")
        for name in self.names:
            model.motion(name, self.formula(name))
        return model

    def _number(self, name: Any) -> int:
        """Return the number of a coordinate."""
        count = self._pieces.coefficients.shape[1]
        if isinstance(name, int | np.integer) and not isinstance(name, bool):
            if 0 <= name < count:
                return int(name)
            raise ModelError(f"there is no coordinate {name}", where=WHERE, hint=f"there are {count}, from 0")
        found = [k for k, known in enumerate(self.names) if name in (known, known.rpartition(".")[0])]
        if len(found) != 1:
            raise unknown("coordinate", str(name), self.names, WHERE)
        return found[0]


def _polynomial(at: float, row: Floats) -> Number:
    """Return a polynomial as a formula; zeros at its end are left out."""
    last = max(np.flatnonzero(row), default=0)
    return poly(t, at, *(float(x) for x in row[: last + 1])) if last else float(row[0])


def _chosen(formulas: list[Number], times: list[float]) -> Number:
    """Return the formula of the interval in which t lies, by halving, so that a long trajectory is no deep formula."""
    if len(formulas) == 1:
        return formulas[0]
    half = len(times) // 2
    below, above = _chosen(formulas[: half + 1], times[:half]), _chosen(formulas[half + 1 :], times[half + 1 :])
    if not isinstance(below, Expression) and not isinstance(above, Expression) and below == above:
        return below
    return if_(t < times[half], below, above)


@in_words
def trajectory(
    points: Any, times: Any = None, kind: str = "quintic", *, vmax: Any = None, amax: Any = None,
    names: Sequence[str] = (), start: float = 0.0,
) -> Trajectory:  # fmt: skip
    """Return a trajectory from rest to rest through points.

    Parameters
    ----------
    points : array (K, n) or (K)
        Coordinates at two points or more.
    times : array (K), optional
        When it is there. Default: as early as vmax and amax allow.
    kind : {"quintic", "cubic", "trapezoidal"}
        Spline of degree five, with continuous acceleration (and two more derivatives), at rest at its ends; spline of degree
        three, whose acceleration is continuous within and jumps at its ends; or straight lines from rest to rest between all
        points, with constant acceleration, constant speed and constant deceleration.
    vmax, amax : float, array (n) or mapping of names, optional
        Limits of speed and acceleration of each coordinate. Trapezoidal needs both, or times and amax.
    names : list of str
        Names of the coordinates, for motions of a model.
    start : float
        Time at the first point, where no times are given.

    Returns
    -------
    Trajectory
    """
    q = _points(points, names)
    if kind not in KINDS:
        raise ModelError(f"kind is {short(kind)}", where=WHERE, hint=f"it is one of {', '.join(KINDS)}")
    at = None if times is None else _times(times, len(q))
    speed, change = _limits(vmax, "vmax", q.shape[1], names), _limits(amax, "amax", q.shape[1], names)
    begin = float(np.asarray(start, dtype=np.float64))
    if not math.isfinite(begin):
        raise ModelError(f"start is {short(start)}", where=WHERE, hint="give a finite time")
    if kind == "trapezoidal":
        return Trajectory(line_pieces(q, at, speed, change, begin), names)
    return Trajectory(spline_pieces(q, at, 5 if kind == "quintic" else 3, speed, change, begin, names), names)


def _points(points: Any, names: Sequence[str]) -> Floats:
    """Return the points (K, n), checked."""
    hint = "give an array (points, coordinates) with at least two points"
    try:
        q = np.asarray(points, dtype=np.float64)
    except (TypeError, ValueError):
        raise ModelError("points are not an array of numbers", where=WHERE, hint=hint) from None
    q = q[:, None] if q.ndim == 1 else q
    if q.ndim != 2 or len(q) < 2 or q.shape[1] < 1:
        raise ModelError(f"points have the shape {np.shape(points)}", where=WHERE, hint=hint)
    if not np.isfinite(q).all():
        k, j = np.argwhere(~np.isfinite(q))[0]
        raise ModelError(f"point {k} has a number that is not finite: coordinate {j}", where=WHERE, hint="check it")
    if len(names) not in (0, q.shape[1]):
        raise ModelError(f"{len(names)} names for {q.shape[1]} coordinates", where=WHERE, hint="give one for each")
    return q


def _times(times: Any, count: int) -> Floats:
    """Return the times, checked."""
    try:
        at = np.asarray(times, dtype=np.float64)
    except (TypeError, ValueError):
        raise ModelError("times are not an array of numbers", where=WHERE, hint=f"give {count} of them") from None
    if at.shape != (count,):
        raise ModelError(f"times have the shape {at.shape}", where=WHERE, hint=f"give one for each of {count} points")
    if not np.isfinite(at).all() or np.any(np.diff(at) <= 0.0):
        raise ModelError("times do not increase", where=WHERE, hint="give finite times, each after the one before")
    return at


def _limits(given: Any, name: str, count: int, names: Sequence[str]) -> Floats:
    """Return a limit for every coordinate, ∞ where there is none."""
    if given is None:
        return np.full(count, np.inf)
    if isinstance(given, Mapping):
        known = {key: k for k, full in enumerate(names) for key in (full, full.rpartition(".")[0])}
        found = np.full(count, np.inf)
        for key, value in given.items():
            if key not in known:
                raise unknown("coordinate", str(key), list(names), WHERE)
            found[known[key]] = _limits(value, name, 1, ())[0]
        return found
    hint = "give a positive number, or one for each coordinate"
    try:
        found = np.broadcast_to(np.asarray(given, dtype=np.float64), (count,)).copy()
    except (TypeError, ValueError):
        raise ModelError(f"{name} is {short(given)}", where=WHERE, hint=hint) from None
    if not np.all(found > 0.0):
        raise ModelError(f"{name} is {short(given)}", where=WHERE, hint=hint)
    return found
