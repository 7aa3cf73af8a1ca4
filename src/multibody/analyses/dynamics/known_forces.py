"""Forces and energies along a motion that is known from kinematics, at its instants and later at others of the same motion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from multibody.analyses.events.switching import limits_behind
from multibody.formulations import Formulation
from multibody.formulations.spaces.expanded import Expanded
from multibody.state.motion import Motion
from multibody.state.state import State
from multibody.state.system import Integers


class KnownForces:
    """Finds the forces of a mechanism whose motions determine everything; its answers know it as ``Dynamics.along``.

    Parameters
    ----------
    motion : Motion
        Known from kinematics.
    state : State
        Where it starts.
    rows : array of int
        Independent rows of the bodies' coordinates, as many as velocities.
    formulation : Formulation
        It says in which coordinates.
    joints : list of str, optional
        Joints whose forces are wanted; `recursive` finds only these.
    """

    def __init__(
        self, motion: Motion, state: State, rows: Integers, formulation: Formulation, joints: Sequence[str] | None = None
    ) -> None:
        self.forces = formulation.forces_along(motion.tables, state, rows, joints)

    def __call__(self, motion: Motion) -> Expanded:
        """Return forces and energies at the instants of a motion: behind those at which something switches."""
        n = len(motion.t)
        references = motion.references if motion.references.ndim == 2 else np.tile(motion.references, (n, 1))
        references, times = np.ascontiguousarray(references), limits_behind(motion.passed, motion.t)
        found = self.forces(times, motion.q, motion.v, references)
        found.dynamics.along = self
        return found
