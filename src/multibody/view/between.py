"""Between instants: poses of a run at any time, and the interpolation of values and rotations.

Between two instants of a run a pose is read from the cubic that has positions and velocities of both (Hermite): the error is
of fourth order, so that a crank does not cut corners where a run has few instants.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from multibody.errors import ModelError
from multibody.view.geometry import Floats

if TYPE_CHECKING:
    from multibody.kernels.body_layout import BodyLayout
    from multibody.results.run import Run
    from multibody.tables.lower import Tables


def poses_at(run: Run, times: Floats) -> Floats:
    """Return the coordinates of all bodies at given times of a run (times, nq); see :func:`motion_at`."""
    return motion_at(run, times)[0]


def motion_at(run: Run, times: Floats) -> tuple[Floats, Floats]:
    """Return the coordinates of all bodies at given times of a run (times, nq), and the rates of those of the bodies.

    Parameters
    ----------
    run : Run
    times : array
        Within the run.
    """
    motion, width = run.motion, _width(run)
    q = np.asarray(motion.q)
    wrong = ~np.all(np.isfinite(q), axis=1)
    if np.any(wrong):
        problem = f"the pose at t = {float(motion.t[int(np.argmax(wrong))]):.6g} is not a number"
        raise ModelError(problem, where=run.model.name, hint="see the run's status and certificate")
    sign = -1.0 if motion.t[-1] < motion.t[0] else 1.0
    k = np.clip(np.searchsorted(sign * motion.t, sign * times, side="right") - 1, 0, len(motion.t) - 2)
    step = (motion.t[k + 1] - motion.t[k])[:, None]
    safe = np.where(step == 0.0, 1.0, step)
    s = (times - motion.t[k])[:, None] / safe
    made = q[k] + s * (q[k + 1] - q[k])  # further coordinates, if there are any: in a straight line
    start, rates = q[k, :width], coordinate_rates(run)
    end, turned = _same_side(start, q[k + 1, :width], run.tables.layout)
    ends = start, end, rates[k] * step, turned * rates[k + 1] * step
    made[:, :width] = hermite(s, *ends)
    slopes = np.where(step == 0.0, rates[k], hermite_slope(s, *ends) / safe)
    return (made if run.tables.dimension == 2 else _normalized(made, run.tables)), slopes


def _width(run: Run) -> int:
    """Return how many coordinates the bodies have."""
    return run.tables.layout.coordinates * (len(run.tables.bodies) - 1)


def hermite(s: Floats, start: Floats, end: Floats, start_rate: Floats, end_rate: Floats) -> Floats:
    """Return the cubic with given values and slopes (by s) at s = 0 and s = 1."""
    s2, s3 = s * s, s * s * s
    return np.asarray(
        (2 * s3 - 3 * s2 + 1) * start + (3 * s2 - 2 * s3) * end + (s3 - 2 * s2 + s) * start_rate + (s3 - s2) * end_rate
    )


def hermite_slope(s: Floats, start: Floats, end: Floats, start_rate: Floats, end_rate: Floats) -> Floats:
    """Return the derivative by s of that cubic."""
    s2 = s * s
    return np.asarray(6 * (s2 - s) * (start - end) + (3 * s2 - 4 * s + 1) * start_rate + (3 * s2 - 2 * s) * end_rate)


def coordinate_rates(run: Run) -> Floats:
    """Return q̇ of the bodies at every instant: in the plane the velocities, in space ṙ and ½ p ω′ (see :func:`rates_of`)."""
    q, v = np.asarray(run.motion.q)[:, : _width(run)], np.nan_to_num(np.asarray(run.motion.v), posinf=0.0, neginf=0.0)
    return rates_of(q, v[:, : run.tables.width * (len(run.tables.bodies) - 1)], run.tables.layout)


def rates_of(q: Floats, v: Floats, layout: BodyLayout) -> Floats:
    """Return q̇ of bodies from coordinates and velocities: a quaternion changes by half its product with the body's rates."""
    if layout.dimension == 2:
        return v
    bodies = q.shape[1] // layout.coordinates
    p, w = layout.split(q, bodies)[..., layout.turn], layout.split_rates(v, bodies)
    p0, p1, p2, p3 = np.moveaxis(p, -1, 0)
    w1, w2, w3 = np.moveaxis(w[..., layout.turn], -1, 0)
    turning = 0.5 * np.stack(
        [
            -p1 * w1 - p2 * w2 - p3 * w3, p0 * w1 - p3 * w2 + p2 * w3, p3 * w1 + p0 * w2 - p1 * w3,
            -p2 * w1 + p1 * w2 + p0 * w3,
        ], axis=-1,
    )  # fmt: skip
    return np.concatenate([w[..., layout.shift], turning], axis=-1).reshape(len(q), -1)


def _same_side(start: Floats, end: Floats, layout: BodyLayout) -> tuple[Floats, Floats]:
    """Return `end` with quaternions of the sign that is nearer to those of `start`, and the signs.

    A quaternion and its negative are one orientation; between two of different signs there is no short way.
    """
    signs = np.ones_like(end)
    if layout.dimension == 3:
        bodies = end.shape[1] // layout.coordinates
        a, b, rows = (layout.split(x, bodies)[..., layout.turn] for x in (start, end, signs))
        rows[...] = np.where(np.sum(a * b, axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    return signs * end, signs


def _normalized(q: Floats, tables: Tables) -> Floats:
    """Return coordinates with quaternions of length 1."""
    layout, bodies = tables.layout, len(tables.bodies) - 1
    rows = layout.split(q, bodies)
    rows[..., layout.turn] /= np.linalg.norm(rows[..., layout.turn], axis=-1, keepdims=True)
    return np.hstack([rows.reshape(len(q), -1), q[:, layout.extras(bodies)]])


def slerp(a: Floats, b: Floats, s: Floats) -> Floats:
    """Return unit quaternions on the shorter great circle from a to b (n, 4)."""
    cosine = np.sum(a * b, axis=1)
    b = np.where(cosine[:, None] < 0.0, -b, b)
    angle = np.arccos(np.clip(np.abs(cosine), 0.0, 1.0))
    sine = np.sin(angle)
    near = sine < 1e-6
    safe = np.where(near, 1.0, sine)
    first = np.where(near, 1.0 - s, np.sin((1.0 - s) * angle) / safe)
    second = np.where(near, s, np.sin(s * angle) / safe)
    return np.asarray(first[:, None] * a + second[:, None] * b)


def continuous(p: Floats) -> Floats:
    """Return quaternions over time (n, 4) with signs so that none lies farther from the one before than its negative."""
    flips = np.sum(p[1:] * p[:-1], axis=1) < 0.0
    signs = np.where(np.cumsum(flips) % 2 == 1, -1.0, 1.0)
    return np.asarray(np.vstack([p[:1], signs[:, None] * p[1:]]))
