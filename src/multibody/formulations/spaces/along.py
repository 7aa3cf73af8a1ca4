"""Forces along a motion of the bodies that is known, in the coordinates of a formulation."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

import numpy as np

from multibody.formulations.prepare import prepare
from multibody.formulations.spaces.expanded import Expanded, expanded
from multibody.formulations.spaces.space import Space
from multibody.state.state import State
from multibody.state.system import Floats, Integers
from multibody.tables.lower import Tables


class Along(Protocol):
    """What finds forces and energies at instants of a motion."""

    def __call__(self, times: Floats, q: Floats, v: Floats, references: Floats) -> Expanded: ...  # noqa: D102


class BodiesAlong:
    """Finds them in the coordinates of bodies.

    Parameters
    ----------
    tables : Tables
    state : State
        Where the motion starts.
    rows : array of int
        Independent rows, as many as velocities.
    """

    def __init__(self, tables: Tables, state: State, rows: Integers) -> None:
        self.bundle = prepare(tables, rows, state.references, False)

    def __call__(self, times: Floats, q: Floats, v: Floats, references: Floats) -> Expanded:
        """Return forces and energies at times, with poses, velocities and angle references of every instant."""
        Y = np.hstack([q, v, np.zeros((len(times), 1))])
        return expanded(self.bundle, times, Y, references, closing=False)


class SpaceAlong:
    """Finds them in the coordinates of a space.

    Parameters
    ----------
    space : Space
    state : State
        Where the motion starts.
    """

    def __init__(self, space: Space, state: State) -> None:
        self.space, self.state = space, state

    def __call__(self, times: Floats, q: Floats, v: Floats, references: Floats) -> Expanded:
        """Return forces and energies at times, with poses, velocities and angle references of every instant."""
        n = len(times)
        states = [
            replace(self.state, t=float(t), q=q_, v=v_, references=r)
            for t, q_, v_, r in zip(times, q, v, references, strict=True)
        ]
        Y = np.array([self.space.start(each) for each in states]).reshape(n, -1)
        return self.space.expanded(times, Y, references, q[0] if n else self.state.q, closing=False)
