"""The inertia that a drive feels at its coordinate.

With Φ_q the rows of the joints and of all other motions, N a basis of null(Φ_q) and g the gradient of the coordinate, a unit
effort along it gives the acceleration g N (Nᵀ M N)⁻¹ Nᵀ gᵀ: the inertia is its inverse. Other motions are held, what nothing
drives is free.
"""

from __future__ import annotations

import numpy as np

from multibody.analyses.dynamics.run_start import mass_matrix
from multibody.state.motion import Motion
from multibody.state.system import Floats, Integers, System

LARGEST = 400  # velocity coordinates up to which it is computed
MOST = 101  # instants
MOST_OF_LARGE, LARGE = 13, 120
SMALL = 1e-9  # part of the largest pivot, mass or gradient that counts as none


def reflected_inertia(
    motion: Motion, function: int, most: int = MOST, among: Integers | None = None
) -> tuple[Integers, Floats]:
    """Return instants, spread over the motion or a part of it, and the inertia felt along a coordinate function at each.

    Parameters
    ----------
    motion : Motion
        With masses.
    function : int
        Coordinate function of the drive; a motion on it is released.
    most : int
        Instants at most.
    among : array of int, optional
        Numbers of the instants that count; default all.

    Returns
    -------
    array of int
        Numbers of the instants; none for a model of more than 400 velocity coordinates.
    array of float
        Moment of inertia, or mass where the coordinate is a length, in the model's units; infinite where it cannot move.
    """
    system = System(motion.tables)
    if system.nv > LARGEST or len(motion.t) == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    most = most if system.nv <= LARGE else min(most, MOST_OF_LARGE)
    among = np.arange(len(motion.t)) if among is None else among
    which = among[np.unique(np.linspace(0, len(among) - 1, min(most, len(among))).round().astype(np.int64))]
    others = [r for r in range(system.rows) if r < system.joint_rows or _drives(system, r) != function]
    M = mass_matrix(system) * np.outer(system.scale_columns, system.scale_columns)
    found = [_felt(system, motion, int(k), function, others, M) for k in which]
    return which, np.array(found)


def _drives(system: System, row: int) -> int:
    """Return the coordinate function that a motion's row drives."""
    return system.tables.function_of_row(row)


def _null_space(J: Floats, columns: int) -> Floats:
    """Return an orthonormal basis of null(J), by QR factors with pivots: a tenth of the time of singular values."""
    from scipy.linalg import qr

    if len(J) == 0:
        return np.eye(columns)
    Q, R, _ = qr(J.T, pivoting=True)
    sizes = np.abs(np.diag(R))
    return np.asarray(Q[:, int(np.sum(sizes > SMALL * max(float(sizes[0]), 1e-300))) :])


def _felt(system: System, motion: Motion, k: int, function: int, others: list[int], M: Floats) -> float:
    """Return the inertia at one instant."""
    q = np.ascontiguousarray(motion.q[k])
    system.ref[:] = motion.references[k] if motion.references.ndim == 2 else motion.references
    J = system.scaled(system.jacobian(q, float(motion.t[k])))[others]
    g = system.gradient(q, function) * system.scale_columns
    N = _null_space(J, system.nv)
    along = g @ N
    if not np.linalg.norm(along) > SMALL * np.linalg.norm(g):
        return float("inf")
    masses, U = np.linalg.eigh(N.T @ M @ N)
    parts = U.T @ along
    massless = masses <= SMALL * max(float(masses[-1]), 1e-300)
    if np.linalg.norm(parts[massless]) > SMALL * np.linalg.norm(along):
        return 0.0  # a unit effort meets nothing
    return float(1.0 / np.sum(parts[~massless] ** 2 / masses[~massless]))
