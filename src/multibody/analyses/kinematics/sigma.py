"""The smallest singular value along a motion, and the direction that opens where it vanishes."""

from __future__ import annotations

import numpy as np

from multibody.rank.leastnorm import DENSE_LIMIT
from multibody.state.motion import Motion
from multibody.state.system import Floats, Integers, System

INSTANTS = 121  # at which it is taken where the analysis itself did not
WORK = 2e8  # cubes of the number of unknowns that may be spent on it


def sigma_over(motion: Motion) -> Floats | None:
    """Return the smallest singular value of the scaled independent rows at every instant; None for large models.

    Kinematics knows it. Of an integrated motion it is taken at instants spread over it and read off straight lines between.

    Parameters
    ----------
    motion : Motion
    """
    if motion.dynamics is None or np.any(np.isfinite(motion.sigma)):
        return motion.sigma if np.any(np.isfinite(motion.sigma)) else None
    system, rows = System(motion.tables), np.sort(motion.dynamics.rows)
    if system.nv > DENSE_LIMIT or len(rows) == 0 or len(motion.t) == 0:
        return None
    count = int(np.clip(WORK / system.nv**3, 12, INSTANTS))
    some = np.unique(np.linspace(0, len(motion.t) - 1, count).round().astype(int))
    values = [float(np.linalg.svd(scaled_rows(system, motion, int(k), rows), compute_uv=False)[-1]) for k in some]
    return np.interp(np.arange(len(motion.t)), some, values)


def scaled_rows(system: System, motion: Motion, k: int, rows: Integers) -> Floats:
    """Return rows of the Jacobian at an instant, free of units."""
    references = motion.references
    system.ref[:] = references[k] if references.ndim == 2 else references
    J = system.jacobian(np.ascontiguousarray(motion.q[k]), float(motion.t[k]))
    return np.asarray(system.scaled(J)[rows])


def opened_direction(motion: Motion, time: float) -> tuple[int, Floats] | None:
    """Return the instant nearest to a singular position, and the direction in which bodies could move there.

    Parameters
    ----------
    motion : Motion
    time : float

    Returns
    -------
    (int, array (nv,)) or None
        The direction is that of velocities, in the model's units, of size 1 when lengths are taken over the characteristic
        length; None for large models.
    """
    system = System(motion.tables)
    if system.nv > DENSE_LIMIT or len(motion.t) == 0:
        return None
    k = int(np.argmin(np.abs(motion.t - time)))
    J = scaled_rows(system, motion, k, np.arange(system.rows))
    x = np.linalg.svd(J, full_matrices=True)[2][min(len(J), system.nv) - 1]
    return k, np.asarray(x * system.scale_columns)
