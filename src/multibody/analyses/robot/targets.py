"""Targets of inverse kinematics, as the caller may write them, as rows of position and axes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from multibody.errors import ModelError
from multibody.state.system import Floats

ROUGH = 1e-6  # how far axes may be from perpendicular unit vectors; they are made exact
EXACT = 1e-14  # and how far they may be to be left as they are
_HINTS = {
    3: "give a position (3,), a pose (4, 4), or (position, axes (3, 3)); N of them have one more axis before",
    2: "give a position (2,), x, y, angle (3,), a pose (3, 3), or (position, axes (2, 2)); N of them have one more axis before",
}


class Targets(NamedTuple):
    """One or several targets.

    Attributes
    ----------
    rows : array (N, d + d²)
        Position, then axes by rows; the unit matrix where only a position is asked for.
    whole : bool
        Whether axes are asked for.
    single : bool
    """

    rows: Floats
    whole: bool
    single: bool


def read_targets(target: Any, d: int, where: str) -> Targets:
    """Return targets as rows, checked.

    Parameters
    ----------
    target : array or tuple
    d : {2, 3}
    where : str
        What is asked, for errors.
    """
    A: Floats | None
    if isinstance(target, tuple) and len(target) == 2 and np.ndim(target[0]) >= 1:
        r, A = _numbers(target[0], d, where), _numbers(target[1], d, where)
    else:
        r, A = _split(_numbers(target, d, where), d, where)
    if r.shape[-1:] != (d,) or r.ndim > 2 or (A is not None and A.shape != (*r.shape, d)):
        raise ModelError(f"the target has the shape {_shape(target)}", where=where, hint=_HINTS[d])
    single = r.ndim == 1
    r = r.reshape(-1, d)
    rows = np.empty((len(r), d + d * d))
    rows[:, :d] = r
    rows[:, d:] = np.eye(d).ravel() if A is None else _rotations(A.reshape(-1, d, d), where).reshape(-1, d * d)
    return Targets(rows, A is not None, single)


def _numbers(value: Any, d: int, where: str) -> Floats:
    try:
        x = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ModelError("the target is not an array of numbers", where=where, hint=_HINTS[d]) from None
    if not np.isfinite(x).all():
        raise ModelError("the target has a number that is not finite", where=where, hint="check where it comes from")
    return x


def _shape(target: Any) -> Any:
    return tuple(np.shape(part) for part in target) if isinstance(target, tuple) else np.shape(target)


def _split(x: Floats, d: int, where: str) -> tuple[Floats, Floats | None]:
    """Return positions and axes of an array."""
    last = np.zeros(d + 1)
    last[d] = 1.0
    if x.ndim >= 2 and x.shape[-2:] == (d + 1, d + 1) and (d == 3 or (x[..., d, :] == last).all()):
        if not (x[..., d, :] == last).all():
            hint = "axes and position stand in its first three rows"
            raise ModelError("the last row of the pose is not 0, 0, 0, 1", where=where, hint=hint)
        return x[..., :d, d], x[..., :d, :d]
    if d == 2 and x.shape[-1:] == (3,) and x.ndim <= 2:
        s, c = np.sin(x[..., 2]), np.cos(x[..., 2])
        return x[..., :2], np.stack([np.stack([c, -s], axis=-1), np.stack([s, c], axis=-1)], axis=-2)
    return x, None


def _rotations(A: Floats, where: str) -> Floats:
    """Return axes that are perpendicular unit vectors to rounding; refuse what is none, or left-handed."""
    off = np.abs(A @ A.transpose(0, 2, 1) - np.eye(A.shape[1])).max() if A.size else 0.0
    if off > ROUGH or not (np.linalg.det(A) > 0.0).all():
        raise ModelError(
            "the axes of the target are no rotation", where=where, hint="columns are perpendicular unit vectors, right-handed"
        )
    if off <= EXACT:
        return A
    U, _, V = np.linalg.svd(A)
    return np.asarray(U @ V)
