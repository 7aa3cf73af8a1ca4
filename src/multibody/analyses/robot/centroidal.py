"""A robot as a whole: center of mass, momentum and energies."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from multibody.analyses.robot import entrances
from multibody.analyses.robot.base import RobotBase
from multibody.arguments import answered, quick
from multibody.errors import ModelError
from multibody.kernels.arrays import Arrays
from multibody.kernels.codes import ENERGIES, KINETIC, POTENTIAL
from multibody.kernels.robot.applied import tree_energies
from multibody.kernels.robot.centroidal import (
    mass_centers,
    momentum_at,
    momentum_biases,
    momentum_matrices,
)
from multibody.kernels.robot.entrance import prepared
from multibody.kernels.tree import declared as T
from multibody.state.system import Floats
from multibody.tables.tree_arrays import tree_constants


@answered
class CentroidalMethods(RobotBase):
    """What can be asked about all bodies together."""

    _bare: tuple[str, ...] = ("momentum_matrix",)
    _momentum_one: Any = None
    _at_moving: int = 0  # until then

    @cached_property
    def mass(self) -> float:
        """Mass of everything that moves."""
        self._require_masses("mass")
        return float(np.sum(tree_constants(self._moving_tree.model)["m"]))

    @cached_property
    def _moving_tree(self) -> T.TreeBlocks:
        """The tree in which bodies that are welded to the ground have no mass."""
        if all(self._moving):
            return self._tree
        tree = self._tree.changed()
        tree_constants(tree.model)["m"][~np.array(self._moving)] = 0.0
        return tree

    @cached_property
    def _moving_arrays(self) -> Arrays:
        """Arrays in which bodies that are welded to the ground have no mass."""
        return self._arrays_of(self._moving_tree)

    @cached_property
    def _weightless(self) -> Arrays:
        """Arrays without gravity, in which bodies that are welded to the ground have no mass."""
        return self._arrays_of(self._moving_tree.changed(base=np.zeros(self.width)))

    def center_of_mass(self, q: Any) -> Floats:
        """Return the center of mass of everything that moves, in ground, (d) or (N, d)."""
        self._refuse_massless("center_of_mass")
        single, (q_,) = self._states("center_of_mass", q=q)
        out = np.empty((len(q_), self.dimension))
        mass_centers(self._d, *self._moving_arrays.still, q_, out)
        return out[0] if single else out

    def center_of_mass_jacobian(self, q: Any) -> Floats:
        """Return J with J v the velocity of the center of mass, (d, nv) or (N, d, nv)."""
        return np.asarray(self.momentum_matrix(q)[..., : self.dimension, :] / self.mass)

    @quick(entrances.momentum)
    def momentum_matrix(self, q: Any, out: Any = None) -> Floats:
        """Return the centroidal momentum matrix A(q): A v is linear momentum, then angular momentum about the center of mass.

        Parameters
        ----------
        q, out
            As for :meth:`inverse_dynamics`.

        Returns
        -------
        array (6, nv) or (N, 6, nv)
            In ground axes; planar three rows.
        """
        self._refuse_massless("momentum_matrix")
        single, (q_,) = self._states("momentum_matrix", q=q)
        A = self._result("momentum_matrix", out, self._wide_shape if single else (len(q_), *self._wide_shape))
        if single and self._coupling is None and self._momentum_one is None:
            self._at_moving = self._moving_arrays.still[0]
            self._momentum_one = prepared(momentum_at, self._at_moving, self._at_scratch, q_[0], A)
        of_tree = np.empty((len(q_), self.width, self._tree_nv))
        momentum_matrices(self._d, *self._moving_arrays.still, q_, of_tree)
        A[...] = self._reduced(of_tree).reshape(A.shape)
        return A

    def momentum(self, q: Any, v: Any) -> Floats:
        """Return linear momentum and angular momentum about the center of mass, in ground axes, (6) or (N, 6), planar three."""
        single, (q_, v_) = self._states("momentum", q=q, v=v)
        self._refuse_massless("momentum")
        A = np.empty((len(q_), self.width, self._tree_nv))
        momentum_matrices(self._d, *self._moving_arrays.still, q_, A)
        out = np.einsum("kij,kj->ki", A, v_)
        return out[0] if single else np.asarray(out)

    def momentum_bias(self, q: Any, v: Any) -> Floats:
        """Return dA/dt v: the rate of the momentum is A a + dA/dt v, (6) or (N, 6), planar three."""
        self._refuse_massless("momentum_bias")
        single, (q_, v_) = self._states("momentum_bias", q=q, v=v)
        out = np.empty((len(q_), self.width))
        momentum_biases(self._d, *self._weightless.still, q_, v_, out)
        return out[0] if single else out

    def kinetic_energy(self, q: Any, v: Any) -> Any:
        """Return the kinetic energy: a number, or (N)."""
        return self._energies("kinetic_energy", q, v, KINETIC)

    def potential_energy(self, q: Any) -> Any:
        """Return the potential energy of gravity (zero at the ground's origin) and of springs: a number, or (N)."""
        return self._energies("potential_energy", q, np.zeros(self.nv), POTENTIAL)

    def _energies(self, verb: str, q: Any, v: Any, which: int) -> Any:
        single, (q_, v_) = self._states(verb, q=q, v=v)
        out = np.empty((len(q_), ENERGIES))
        tree_energies(self._d, *self._arrays.run, self._turns, q_, v_, out)
        return float(out[0, which]) if single else out[:, which].copy()

    def _refuse_massless(self, verb: str) -> None:
        """Raise where nothing has a mass."""
        self._require_masses(verb)
        if not self.mass > 0.0:
            raise ModelError("nothing that moves has a mass", where=f"robot.{verb}", hint="give the bodies masses")
