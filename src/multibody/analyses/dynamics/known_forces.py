"""Forces and energies along a motion that is known from kinematics, at its instants and later at others of the same motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from multibody.analyses.events.switching import limits_behind
from multibody.formulations import Formulation
from multibody.formulations.prepare import prepare
from multibody.formulations.spaces.expanded import Expanded, expanded
from multibody.state.motion import Motion
from multibody.state.state import State
from multibody.state.system import Integers, System


class KnownForces:
    """Finds the forces of a mechanism whose motions determine everything; its answers know it as ``dynamics.along``.

    Parameters
    ----------
    motion : Motion
        Known from kinematics.
    state : State
        Where it starts.
    rows : array of int
        Independent rows of the bodies' coordinates, as many as velocities.
    formulation : Formulation
        Of joint coordinates, or any other one for Cartesian coordinates.
    joints : list of str, optional
        Joints whose forces are wanted; `recursive` finds only these.
    """

    def __init__(
        self, motion: Motion, state: State, rows: Integers, formulation: Formulation, joints: Sequence[str] | None = None
    ) -> None:
        self.state, self.space = state, None
        if not formulation.relative:
            self.bundle = prepare(motion.tables, rows, state.references, False)
            return
        from multibody.formulations.spaces.joint_space import JointSpace

        system = System(motion.tables)
        system.ref[:] = state.references
        self.space = JointSpace(system, state, rows, formulation)
        if joints is not None:
            self.space.select(joints)

    def __call__(self, motion: Motion) -> Expanded:
        """Return forces and energies at the instants of a motion: behind those at which something switches."""
        n = len(motion.t)
        references = motion.references if motion.references.ndim == 2 else np.tile(motion.references, (n, 1))
        references, times = np.ascontiguousarray(references), limits_behind(motion.passed, motion.t)
        if self.space is None:
            Y = np.hstack([motion.q, motion.v, np.zeros((n, 1))])
            found = expanded(self.bundle, times, Y, references, closing=False)
        else:
            states = [
                replace(self.state, t=float(t), q=q, v=v, references=r)
                for t, q, v, r in zip(times, motion.q, motion.v, references, strict=True)
            ]
            Y = np.array([self.space.start(each) for each in states]).reshape(n, -1)
            found = self.space.expanded(times, Y, references, motion.q[0] if n else self.state.q, closing=False)
        found.dynamics.along = self
        return found
