"""Virtual motions: the directions in which the joints of a mechanism, without its motions, let it move."""

from __future__ import annotations

from typing import Any

import numpy as np

from multibody.rank.drive import find_drive, plain_drive
from multibody.rank.leastnorm import DENSE_ASSEMBLY, DENSE_LIMIT, independent_rows
from multibody.state.system import Floats, System

NOTICED = 0.02  # part of the largest motion below which a body or a coordinate counts as standing still
MOST = 6  # bodies or coordinates that a sentence names


class Directions:
    """Bases of the free directions over a motion; their number is that of a regular pose and never changes.

    Parameters
    ----------
    system : System
    q, t
        A regular pose of the motion.
    regular : bool
        Whether the square matrix of kinematics is known to be regular there: as many rows as unknowns are independent then.

    Attributes
    ----------
    count : int
        Degrees of freedom that the motions drive; idle ones are held still.
    """

    def __init__(self, system: System, q: Floats, t: float, regular: bool = False) -> None:
        self.system = system
        plain = regular and system.rows == system.nv
        self.drive = plain_drive(system.nv) if plain else find_drive(system, q, t)
        self.gauge = self.drive.gauge * system.scale_columns
        self.count = system.rows - system.joint_rows
        if system.nv <= DENSE_LIMIT and not plain:
            joints = independent_rows(system.scaled(system.jacobian(q, t, 0, system.joint_rows)))
            self.count = system.nv - len(joints) - len(self.gauge)
        self._factors: Any = None

    @property
    def dense(self) -> bool:
        """Whether singular values are used."""
        return self.system.nv <= DENSE_ASSEMBLY

    def basis(self, q: Floats, t: float) -> Floats | None:
        """Return an orthonormal basis (nv, count) of the free directions, lengths over L; None where it cannot be found."""
        s = self.system
        if not self.dense:
            return self._sparse_basis(q, t)
        J = s.scaled(s.jacobian(q, t, 0, s.joint_rows))
        self._factors = np.linalg.svd(J) if len(J) else (np.zeros((0, 0)), np.zeros(0), np.eye(s.nv))
        Vt = self._factors[2]
        if len(self.gauge):
            Vt = np.linalg.svd(np.vstack([J, self.gauge]))[2]
        return np.ascontiguousarray(Vt[s.nv - self.count :].T)

    def _sparse_basis(self, q: Floats, t: float) -> Floats | None:
        """Return the basis from the velocities that a unit rate of each motion gives."""
        from scipy.sparse import csc_array, vstack
        from scipy.sparse.linalg import splu

        from multibody.rank.decider import scaled_rows

        s, rows = self.system, self.drive.rows
        J = vstack([scaled_rows(s, q, t, s.rows)[rows], csc_array(self.gauge)], format="csc")
        side = np.zeros((s.nv, self.count))
        driven = np.flatnonzero(rows >= s.joint_rows)
        side[driven, np.arange(len(driven))] = 1.0
        try:
            self._factors = splu(J)
        except RuntimeError:  # exactly singular
            return None
        found = self._factors.solve(side)
        return np.asarray(np.linalg.qr(found)[0]) if np.all(np.isfinite(found)) else None

    def multipliers(self, q: Floats, t: float, force: Floats) -> Floats:
        """Return joint multipliers with Φ_qᵀ λ = force (scaled, in balance with the joints) at the pose of the last basis.

        The smallest ones where joints are redundant (in a large model those of independent rows).
        """
        s = self.system
        if self.dense:
            U, sigma, Vt = self._factors
            rank = int(np.sum(sigma > 1e-9 * max(float(sigma[0]), 1e-300))) if len(sigma) else 0
            found = U[:, :rank] @ ((Vt[:rank] @ force) / sigma[:rank])
            return np.asarray(found * s.scale_rows[: s.joint_rows])
        solved = self._factors.solve(force, trans="T")[: len(self.drive.rows)]
        result = np.zeros(s.joint_rows)
        of_joints = self.drive.rows < s.joint_rows
        result[self.drive.rows[of_joints]] = solved[of_joints]
        return np.asarray(result * s.scale_rows[: s.joint_rows])


def said(system: System, q: Floats, direction: Floats, still: list[str]) -> str:
    """Return a direction (scaled) in words: the bodies that move in it, the coordinates that change and those that do not.

    Parameters
    ----------
    system : System
    q : array
        Pose.
    direction : array
        Velocities with lengths over L.
    still : list of str
        Coordinates that do not change in it.
    """
    tables, d, width = system.tables, system.tables.dimension, system.tables.width
    size = float(np.max(np.abs(direction), initial=0.0)) or 1.0
    bodies = []
    for b, name in enumerate(tables.bodies[1:]):
        part = direction[width * b : width * (b + 1)]
        moves, turns = (float(np.max(np.abs(x))) > NOTICED * size for x in (part[:d], part[d:]))
        if moves or turns:
            bodies.append(f'"{name}" {"moves and turns" if moves and turns else "moves" if moves else "turns"}')
    v, changing = direction * system.scale_columns, []
    for (kind, owner, item, _), function in tables.coordinates.items():
        if kind == "joint" and item in (names := tables.model.joints[owner].names_of_coordinates(d)):
            unit = tables.length if tables.functions[function].is_length else 1.0
            if abs(float(system.gradient(q, function) @ v)) > NOTICED * size * unit:
                changing.append(owner if len(names) == 1 else f"{owner}.{item}")
    text = f"{_some(bodies)} (change of {_some(changing)})" if changing else _some(bodies)
    return f"in a motion in which {text}, {_some(still)} {'stands' if len(still) == 1 else 'stand'} still"


def _some(names: list[str]) -> str:
    """Return names in a list, the first few."""
    return ", ".join(names[:MOST]) + (", …" if len(names) > MOST else "")
