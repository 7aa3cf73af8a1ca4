"""Is the mechanism driven? Independent rows, idle degrees of freedom, and which motions are missing or too many."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from multibody.analyses.branches import independent_rows
from multibody.analyses.idle import idle_motions
from multibody.analyses.leastnorm import DENSE_LIMIT
from multibody.analyses.system import Floats, System
from multibody.errors import ModelError


@dataclass(frozen=True)
class Drive:
    """Rows and gauges that make the kinematic equations square.

    Attributes
    ----------
    rows : array of int
        Independent rows of Φ_q (joints and motions).
    gauge : array (idle, nv)
        Rows that hold idle degrees of freedom still: a rotation of one body about an axis fixed in it.
    """

    rows: npt.NDArray[np.int64]
    gauge: Floats


def find_drive(system: System, q: Floats, t: float) -> Drive:
    """Return the square system at a pose; raise where motions are missing or contradict each other."""
    n, m = system.nv, system.rows
    if n > DENSE_LIMIT:
        return _large_drive(system, q, t)
    J = system.scaled(system.jacobian(q, t))
    rows = independent_rows(J)
    _too_many(system, J, n - len(independent_rows(J[: system.joint_rows])))
    gauge = idle_directions(system, J[: system.joint_rows])
    gauge = gauge[_independent_gauges(J[rows], gauge)]
    if len(rows) + len(gauge) < n:
        _too_few(system, J, q, n - len(rows) - len(gauge))
    unscaled = gauge / system.scale_columns
    return Drive(rows, np.ascontiguousarray(unscaled[: n - len(rows)]) if m else unscaled)


def _independent_gauges(J: Floats, gauge: Floats) -> list[int]:
    """Return which gauges add to the rank of J."""
    kept: list[int] = []
    rank = len(J)
    for k in range(len(gauge)):
        if np.linalg.matrix_rank(np.vstack([J, gauge[[*kept, k]]]), tol=1e-9) > rank + len(kept):
            kept.append(k)
    return kept


def idle_directions(system: System, J: Floats) -> Floats:
    """Return rows (scaled) that hold idle freedom still: rotations of one body about an axis fixed in it, or shifts."""
    width, found = system.tables.width, []
    for body, twists in idle_motions(system, J) if system.tables.dimension == 3 else []:
        for vector in twists.T:
            row = np.zeros(system.nv)
            first = width * (body - 1)
            turns = float(np.linalg.norm(vector[3:])) > 1e-6
            part = slice(first + 3, first + width) if turns else slice(first, first + 3)
            values = vector[3:] if turns else vector[:3]
            row[part] = values / np.linalg.norm(values)
            found.append(row)
    return np.array(found).reshape(len(found), system.nv)


def refuse_too_many(system: System, q: Floats, t: float) -> None:
    """Raise where there are more motions than degrees of freedom."""
    if system.nv <= DENSE_LIMIT:
        J = system.scaled(system.jacobian(q, t))
        _too_many(system, J, system.nv - len(independent_rows(J[: system.joint_rows])))


def _too_many(system: System, J: Floats, mobility: int) -> None:
    """Raise where motions drive what is driven already."""
    motions = system.rows - system.joint_rows
    if motions <= mobility:
        return
    kept = independent_rows(J[: system.joint_rows])
    base = J[kept]
    for r in range(system.joint_rows, system.rows):
        trial = np.vstack([base, J[r]])
        if np.linalg.matrix_rank(trial, tol=1e-9) == len(base):
            name = system.tables.rows[r].owner
            word = "degree" if mobility == 1 else "degrees"
            raise ModelError(
                f"it drives what other motions and joints already determine ({mobility} {word} of freedom, {motions} motions)",
                where=f"motions.{name}",
                hint="leave out this motion or another",
            )
        base = trial


def _too_few(system: System, J: Floats, q: Floats, missing: int) -> None:
    """Raise with the number of missing motions and the coordinates on which they could go."""
    _, s, Vt = np.linalg.svd(J) if len(J) else (None, np.zeros(0), np.eye(system.nv))
    rank = int(np.sum(s > 1e-9 * max(s[0], 1e-300))) if len(s) else 0
    null = Vt[rank:]
    candidates = []
    for (kind, owner, item, _), function in system.tables.coordinates.items():
        if kind == "joint":
            row = system.gradient(q, function) * system.scale_columns
            if np.linalg.norm(null @ row) > 1e-6 * max(float(np.linalg.norm(row)), 1e-300):
                joint = system.tables.model.joints[owner]
                single = len(joint.names_of_coordinates(system.tables.dimension)) == 1
                candidates.append(owner if single else f"{owner}.{item}")
    places = ", ".join(candidates[:12]) + (", …" if len(candidates) > 12 else "")
    word = "motion is" if missing == 1 else "motions are"
    hint = f"add a motion, for instance on {places}" if candidates else "drive a point such as BODY.x"
    if system.rows > system.joint_rows and missing < 3:
        hint += " (or the start is a singular position: start elsewhere)"
    raise ModelError(f"{missing} {word} missing for kinematics", where="motions", hint=hint)


def _large_drive(system: System, q: Floats, t: float) -> Drive:
    """Return the square system of a large model, decided by elimination body by body."""
    from multibody.analyses.rank import Decider

    decider = Decider(system, system.rows, relative=False)
    found = decider.decide(decider.jacobian(q, t))
    if found.rank < system.nv:
        missing = system.nv - found.rank
        word = "motion is" if missing == 1 else "motions are"
        raise ModelError(f"{missing} {word} missing for kinematics", where="motions", hint="see check for the mobility")
    return Drive(found.independent, np.zeros((0, system.nv)))
