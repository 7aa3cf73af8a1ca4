"""Identification: the regressor of the efforts, and the parameters that efforts can tell."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import qr, solve_triangular

from multibody.analyses.robot.base import RobotBase
from multibody.arguments import answered
from multibody.errors import ModelError
from multibody.kernels.robot.regressor import PLANAR_COUNT, SPATIAL_COUNT, regressors
from multibody.state.system import Floats, Integers

SPATIAL_NAMES = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
PLANAR_NAMES = ("m", "mx", "my", "J")
DEPENDENT = 1e-8  # what is left of a column of length 1, less what others say, that counts as nothing
STATES = 60  # random states that tell which parameters count, at least; as many more as parameters need
WHERE = "robot.base_parameters"


@answered
class IdentificationMethods(RobotBase):
    """What can be asked about mass parameters."""

    @cached_property
    def parameter_names(self) -> list[str]:
        """Names of the parameters of all bodies, in the order of the columns of the regressor."""
        own = PLANAR_NAMES if self.dimension == 2 else SPATIAL_NAMES
        return [f"{body}.{name}" for body in self.bodies for name in own]

    @cached_property
    def _origins(self) -> Floats:
        """Origins of the bodies' frames from their centers of mass, body axes (links, d)."""
        return np.array([self._origin(body) for body in self.bodies]).reshape(-1, self.dimension)

    def _origin(self, body: str) -> Floats:
        point, _ = self.tables.frames[self.model.find_end(body, "robot.regressor")]
        return self.tables.vector(point)

    def parameters(self) -> Floats:
        """Return the parameters of all bodies by the model, (10 bodies), planar (4 bodies).

        Of each body in the order of `bodies`: mass m, first moments m c (mx, my, mz) from the origin of the body's frame along
        its axes, inertia about that origin along these axes, as Ixx, Ixy, Iyy, Ixz, Iyz, Izz (the entries of the matrix).
        Planar: m, mx, my, and the moment of inertia J about the origin.
        """
        self._require_masses("parameters")
        found = []
        for body, s in zip(self.bodies, self._origins, strict=True):
            mass, inertia = self.tables.masses[self.tables.bodies.index(body) - 1]
            m, c = float(self.tables.F[mass]), -s
            if self.dimension == 2:
                found += [m, *(m * c), float(self.tables.F[inertia]) + m * float(c @ c)]
            else:
                J = self.tables.matrix(inertia) + m * (c @ c * np.eye(3) - np.outer(c, c))
                found += [m, *(m * c), J[0, 0], J[0, 1], J[1, 1], J[0, 2], J[1, 2], J[2, 2]]
        return np.array(found)

    def regressor(self, q: Any, v: Any, a: Any) -> Floats:
        """Return Y of τ = Y π: efforts are linear in the mass parameters of the bodies.

        Springs, dampers, efforts and loads of the model are not in it: τ is the inverse dynamics plus :meth:`applied`.

        Parameters
        ----------
        q : array (nq) or (N, nq)
        v, a : array (nv) or (N, nv)

        Returns
        -------
        array (nv, 10 bodies) or (N, nv, 10 bodies)
            Columns as :meth:`parameters`; planar 4 a body.
        """
        single, (q_, v_, a_) = self._states("regressor", q=q, v=v, a=a)
        count = PLANAR_COUNT if self.dimension == 2 else SPATIAL_COUNT
        Y = np.empty((len(q_), self._tree_nv, count * len(self.bodies)))
        regressors(self._d, self._at_model, self._at_scratch, self._origins, q_, v_, a_, Y)
        if self._coupling is not None:
            Y = np.ascontiguousarray(self._coupling.G.T @ Y)
        return Y[0] if single else Y

    def base_parameters(self, seed: int = 0) -> BaseParameters:
        """Return the combinations of parameters that efforts can tell apart.

        Parameters
        ----------
        seed : int
            Of the random states.

        Returns
        -------
        BaseParameters

        Notes
        -----
        M. Gautier, Numerical calculation of the base inertial parameters of robots (1991): columns of the regressor over
        random states, one after the other; a column that the columns before it make up is grouped with them. Masses come
        last, so that they are grouped where they can be.
        """
        return BaseParameters(self, seed)

    def _scales(self) -> tuple[Floats, Floats]:
        """Return sizes of rows and columns of the regressor, so that units change nothing."""
        length = float(self.tables.length)
        own = [1.0, length, length, length**2] if self.dimension == 2 else [1.0, *[length] * 3, *[length**2] * 6]
        return np.where(self.are_lengths, length, 1.0), np.tile(own, len(self.bodies))


class Grouping(NamedTuple):
    """Which columns are base parameters, and how the others are grouped with them."""

    columns: Integers
    matrix: Floats  # base parameters from all parameters
    silent: Integers  # columns that never count


@answered
class BaseParameters:
    """Combinations of mass parameters that efforts tell apart; made by :meth:`multibody.Robot.base_parameters`.

    Attributes
    ----------
    rank : int
        How many there are.
    columns : array of int
        The parameter that each is named after; among the columns of the regressor.
    matrix : array (rank, parameters)
        π_b = matrix · π.
    names : list of str
        Each as a linear combination, ``link1.mx + 0.5*link2.m``.
    silent : list of str
        Parameters that no effort depends on.
    """

    def __init__(self, robot: IdentificationMethods, seed: int = 0) -> None:
        self._robot = robot
        self.columns, self.matrix, silent = _grouped(robot, seed)
        self.rank = len(self.columns)
        self.silent = [robot.parameter_names[k] for k in silent]
        self.names = [_combination(row, k, robot.parameter_names) for row, k in zip(self.matrix, self.columns, strict=True)]

    def __repr__(self) -> str:
        """Return a line for people."""
        return f"<{self.rank} base parameters of {len(self._robot.parameter_names)}>"

    def values(self) -> Floats:
        """Return the base parameters by the model (rank)."""
        return np.asarray(self.matrix @ self._robot.parameters())

    def regressor(self, q: Any, v: Any, a: Any) -> Floats:
        """Return Y_b of τ = Y_b π_b, (nv, rank) or (N, nv, rank)."""
        return np.ascontiguousarray(self._robot.regressor(q, v, a)[..., self.columns])

    def identify(self, q: Any, v: Any, a: Any, tau: Any) -> Floats:
        """Return the base parameters (rank) that fit measured efforts best, by least squares.

        Parameters
        ----------
        q : array (N, nq)
        v, a, tau : array (N, nv)
            Efforts without those of the model's own springs and loads.

        Raises
        ------
        ModelError
            Where the states do not tell all base parameters apart.
        """
        robot = self._robot
        robot._states("identify", q=q, v=v, a=a, tau=tau)
        along, sizes = robot._scales()
        Y = self.regressor(q, v, a).reshape(-1, robot.nv, self.rank)
        t = np.broadcast_to(np.asarray(tau, dtype=np.float64), (len(Y), robot.nv))
        A = (along[:, None] * Y * sizes[self.columns]).reshape(-1, self.rank)
        norm = np.linalg.norm(A, axis=0)
        x, _, rank, _ = np.linalg.lstsq(A / np.where(norm > 0.0, norm, 1.0), (t * along).ravel(), rcond=1e-10)
        if rank < self.rank:
            raise ModelError(
                f"the states tell {rank} of {self.rank} base parameters apart", where="robot.base_parameters",
                hint="give more states, and motions that excite all joints",
            )  # fmt: skip
        return np.asarray(x / norm * sizes[self.columns])


def _grouped(robot: IdentificationMethods, seed: int) -> Grouping:
    """Return the grouping of columns over random states."""
    along, sizes = robot._scales()
    W = (along[:, None] * _stacked(robot, seed) * sizes).reshape(-1, len(sizes))
    norm = np.linalg.norm(W, axis=0)
    counts = norm > DEPENDENT * max(float(norm.max(initial=0.0)), np.finfo(float).tiny)
    if not counts.any():
        raise ModelError("no effort depends on a mass", where=WHERE, hint="a robot that moves has some")
    order = _order(robot, counts)
    chosen, beta = _base(W[:, order] / norm[order])
    columns, rest = order[chosen], np.delete(order, chosen)
    K = np.zeros((len(columns), len(sizes)))
    K[np.arange(len(columns)), columns] = 1.0
    unit = sizes / np.where(counts, norm, 1.0)  # of a column of length 1
    K[:, rest] = unit[columns][:, None] * np.where(np.abs(beta) < DEPENDENT, 0.0, beta) / unit[rest]
    back = np.argsort(columns)
    return Grouping(columns[back], K[back], np.flatnonzero(~counts))


def _stacked(robot: IdentificationMethods, seed: int) -> Floats:
    """Return regressors (N, nv, parameters) of random states, as fast as gravity makes a pendulum of the robot's size."""
    count = STATES + 4 * len(robot.parameter_names) // max(robot.nv, 1)
    generator = np.random.default_rng(seed)
    q = robot.random(generator, count)
    weight, length = float(np.linalg.norm(robot.tables.gravity)), float(robot.tables.length)
    rate = np.sqrt(weight / length) if weight > 0.0 else 1.0
    along = np.where(robot.are_lengths, length, 1.0)
    v = generator.normal(size=(count, robot.nv)) * rate * along
    a = generator.normal(size=(count, robot.nv)) * rate**2 * along
    return np.asarray(robot.regressor(q, v, a)) / rate**2


def _order(robot: IdentificationMethods, counts: Any) -> Integers:
    """Return the columns in the order in which they are taken: from the last body to the first, masses at the very end."""
    own = PLANAR_COUNT if robot.dimension == 2 else SPATIAL_COUNT
    bodies = range(len(robot.bodies) - 1, -1, -1)
    inner = [own * i + p for i in bodies for p in range(1, own)]
    order = inner + [own * i for i in bodies]
    return np.array([k for k in order if counts[k]], dtype=np.int64)


def _base(W: Floats) -> tuple[Integers, Floats]:
    """Return places of independent columns of W, and β with W_rest = W_base β."""
    R = np.asarray(qr(W, mode="r")[0])[: W.shape[1]]
    chosen: list[int] = []
    Q = np.zeros((R.shape[0], 0))
    for k in range(R.shape[1]):
        x = R[:, k]
        left = x - Q @ (Q.T @ x)
        left -= Q @ (Q.T @ left)  # twice is enough
        size = float(np.linalg.norm(left))
        if size > DEPENDENT:
            chosen.append(k)
            Q = np.column_stack([Q, left / size])
    rest = np.delete(np.arange(R.shape[1]), chosen)
    triangle = Q.T @ R[:, chosen]
    return np.array(chosen, dtype=np.int64), np.asarray(solve_triangular(triangle, Q.T @ R[:, rest]))


def _combination(row: Floats, named: int, names: list[str]) -> str:
    """Return a linear combination in words, what it is named after first."""
    text = names[named]
    for k in np.flatnonzero(row):
        if k != named:
            factor = abs(row[k])
            times = "" if abs(factor - 1.0) < 1e-9 else f"{factor:.6g}*"
            text += f" {'-' if row[k] < 0 else '+'} {times}{names[k]}"
    return text
