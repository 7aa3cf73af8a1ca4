"""Is the mechanism driven? Independent rows, idle degrees of freedom, and which motions are missing or too many."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from multibody.errors import ModelError
from multibody.rank.decider import Decider, Rank, well_chosen
from multibody.rank.elimination import Matrix
from multibody.rank.idle import gauge_rows
from multibody.rank.leastnorm import independent_rows, is_large
from multibody.state.system import Floats, Integers, System


@dataclass(frozen=True)
class Drive:
    """Rows and gauges that make the kinematic equations square.

    Attributes
    ----------
    rows : array of int
        Independent rows of Φ_q (joints and motions).
    gauge_rows : sparse array (idle, nv)
        Rows that hold idle degrees of freedom still: a rotation of one body about an axis fixed in it.
    """

    rows: Integers
    gauge_rows: Matrix

    @functools.cached_property
    def gauge(self) -> Floats:
        """The gauge rows as a dense array, for models that are not large."""
        return np.ascontiguousarray(self.gauge_rows.toarray())


@functools.lru_cache(maxsize=64)
def plain_drive(n: int) -> Drive:
    """Return the square system of a model whose n rows are all independent: nothing is chosen, nothing idle."""
    return Drive(np.arange(n, dtype=np.int64), sparse.csr_array((0, n), dtype=np.float64))


def find_drive(system: System, q: Floats, t: float) -> Drive:
    """Return the square system at a pose; raise where motions are missing or contradict each other."""
    n = system.nv
    if is_large(n):
        return _large_drive(system, q, t)
    J = system.scaled(system.jacobian(q, t))
    rows = independent_rows(J)
    _too_many(system, J, n - len(independent_rows(J[: system.joint_rows])))
    gauge = gauge_rows(system, J[: system.joint_rows])
    gauge = gauge[np.array(_independent_gauges(J[rows], gauge.toarray()), dtype=np.int64)]
    if len(rows) + gauge.shape[0] < n:
        _too_few(system, J, q, n - len(rows) - gauge.shape[0])
    return Drive(rows, _unscaled(system, gauge[: n - len(rows)]))


def _unscaled(system: System, gauge: Matrix) -> Matrix:
    """Return gauge rows for velocities in their own dimensions."""
    return sparse.csr_array(gauge @ sparse.diags_array(1.0 / system.scale_columns))


def _independent_gauges(J: Floats, gauge: Floats) -> list[int]:
    """Return which gauges add to the rank of J."""
    kept: list[int] = []
    rank = len(J)
    for k in range(len(gauge)):
        if np.linalg.matrix_rank(np.vstack([J, gauge[[*kept, k]]]), tol=1e-9) > rank + len(kept):
            kept.append(k)
    return kept


def refuse_too_many(system: System, q: Floats, t: float) -> None:
    """Raise where there are more motions than degrees of freedom."""
    if is_large(system.nv):
        _large_too_many(system, q, t, _decided(system, q, t)[0])
        return
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
            raise _surplus(system, r, mobility)
        base = trial


def _surplus(system: System, row: int, mobility: int) -> ModelError:
    """Return the error for a motion that drives what is driven already."""
    word, motions = "degree" if mobility == 1 else "degrees", system.rows - system.joint_rows
    return ModelError(
        f"it drives what other motions and joints already determine ({mobility} {word} of freedom, {motions} motions)",
        where=f"motions.{system.tables.rows[row].owner}",
        hint="leave out this motion or another",
    )


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
    raise _missing(system, missing, candidates[:12] + ["…"] * (len(candidates) > 12))


def _missing(system: System, missing: int, candidates: list[str]) -> ModelError:
    """Return the error for motions that are missing, with the coordinates on which they could go."""
    places = ", ".join(candidates)
    word = "motion is" if missing == 1 else "motions are"
    hint = f"add a motion, for instance on {places}" if candidates else "drive a point such as BODY.x"
    if system.rows > system.joint_rows and missing < 3:
        hint += " (or the start is a singular position: start elsewhere)"
    return ModelError(f"{missing} {word} missing for kinematics", where="motions", hint=hint)


# --- large models -----------------------------------------------------------------------------------------------------
def _large_drive(system: System, q: Floats, t: float) -> Drive:
    """Return the square system of a large model, decided by elimination body by body."""
    found, J = _decided(system, q, t)
    _large_too_many(system, q, t, found)
    gauge = gauge_rows(system, J)  # idle with the motions too: each is independent of all rows and of other bodies'
    missing = system.nv - found.rank - gauge.shape[0]
    if missing > 0:
        from multibody.rank.freedom import undriven_coordinates

        held: Any = sparse.vstack([J, gauge], format="csr")
        raise _missing(system, missing, undriven_coordinates(system, q, held, 12))
    return Drive(well_chosen(found), _unscaled(system, gauge[: system.nv - found.rank]))


def _decided(system: System, q: Floats, t: float) -> tuple[Rank, Matrix]:
    """Return rank and dependencies of joints and motions, and their scaled Jacobian."""
    decider = Decider(system, system.rows, relative=False)
    J = decider.jacobian(q, t)
    return decider.decide(J), J


def _large_too_many(system: System, q: Floats, t: float, found: Rank) -> None:
    """Raise where motions of a large model drive what is driven already."""
    dependent = np.unique(found.left.nonzero()[0])
    motions = dependent[dependent >= system.joint_rows]
    if len(motions) == 0:
        return
    joints = Decider(system, system.joint_rows, relative=False)
    mobility = system.nv - joints.decide(joints.jacobian(q, t)).rank
    if system.rows - system.joint_rows > mobility:
        dropped = [r for r in found.dropped if r >= system.joint_rows]
        raise _surplus(system, dropped[0] if dropped else int(motions[-1]), mobility)
