"""Where the search for other assemblies begins: poses in which the joints of a spanning tree hold.

Joint coordinates of the bodies in question are drawn at random, all others stay. A start like this only has to be closed at
the joints that the tree leaves out and at what is held, so that Newton gets there far more often than from bodies that are
scattered in space.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from multibody.analyses.assembly.branches import Group
from multibody.formulations.spaces.joint_coordinates import joint_coordinates
from multibody.kernels.arrays import Arrays
from multibody.kernels.robot.applied import body_states
from multibody.kernels.tags import PLANAR, SPATIAL
from multibody.state.state import State
from multibody.state.system import Floats, System
from multibody.tables.columns import columns_of
from multibody.tables.tree import spanning_tree
from multibody.tables.tree_arrays import tree_blocks


class TreeStarts:
    """Random poses of some bodies of a mechanism with the joints of its spanning tree satisfied.

    Angles lie within half a turn, slides within a characteristic length of where they are, balls turn anyhow.

    Parameters
    ----------
    system : System
    state : State
        An assembled state of the model.
    seed : int
        The starts are the same in every call.
    """

    def __init__(self, system: System, state: State, seed: int = 1) -> None:
        tables = system.tables
        self.system, self.state, self.random = system, state, np.random.default_rng(seed)
        self.columns = columns_of(tables, spanning_tree(tables), prescribed=False)
        tree = tree_blocks(self.columns)
        self.arrays = Arrays(tables.packed.sharing()).with_tree(tree)
        self._d = PLANAR if tables.dimension == 2 else SPATIAL

    def draw(self, pose: Floats, group: Group) -> Floats:
        """Return a pose with random joint coordinates of the bodies of a group; the others are as in the given pose."""
        tables, links, bodies = self.system.tables, self.columns.tree.links, group.bodies
        y = joint_coordinates(self.system, self.columns, replace(self.state, q=pose, v=np.zeros(tables.nv)))[0]
        for column, place in zip(self.columns.columns, self.columns.places, strict=True):
            if links[column.link].body in bodies and place >= 0:
                drawn = self.random.uniform(-1.0, 1.0)
                y[place] = y[place] + tables.length * drawn if column.is_length else np.pi * drawn
        for i, at in self.columns.quaternions.items():
            if links[i].body in bodies:
                p = self.random.normal(size=4)
                y[at : at + 4] = p / np.linalg.norm(p)
        out = np.concatenate([pose, np.zeros(tables.nv + 1)])[None, :]
        body_states(self._d, self.arrays.at.model, self.arrays.at.scratch, y[None, :], np.zeros((1, self.columns.nv)), out)
        found = pose.copy()
        for body in bodies:
            own = tables.layout.pose(body)
            found[own] = out[0, own]
        for c in group.columns[group.columns >= tables.nv - len(tables.extras)]:  # contact angles of cams
            found[tables.nq - tables.nv + c] = self.random.uniform(-np.pi, np.pi)
        return found
