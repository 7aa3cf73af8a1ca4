"""Reading a state by name, for the tests of the library."""

import json
from pathlib import Path

import numpy as np

from multibody.state.poses import read_pose
from multibody.state.system import System

DATA = Path(__file__).parent.parent / "data" / "library.json"


def references(name):
    """Return the reference values of a model, one dictionary an instant."""
    return json.loads(DATA.read_text(encoding="utf-8"))[name]


class Reading:
    """Coordinates, points and velocities of one assembled state."""

    def __init__(self, state):
        assert state.ok, state.status
        self.state, self.tables = state, state.tables
        self.system = System(state.tables)
        self.system.ref[:] = state.references

    def joint(self, name, item=None):
        """Return value and rate of a joint's coordinate."""
        joint = self.tables.model.joints[name]
        item = item or joint.names_of_coordinates(self.tables.dimension)[0]
        k = self.tables.coordinates["joint", name, item, 0]
        values, rates, _ = self.system.functions(self.state.q, self.state.v, k, k + 1)
        return float(values[0]), float(rates[0])

    def angle(self, body):
        """Return angle and angular velocity of a planar body."""
        k = 3 * self.tables.bodies.index(body)
        return float(self.state.q[k - 1]), float(self.state.v[k - 1])

    def center(self, body):
        """Return position and velocity of a body's center of mass."""
        b, d, width = self.tables.bodies.index(body), self.tables.dimension, self.tables.width
        return read_pose(self.system, self.state.q, b)[0], self.state.v[width * (b - 1) : width * (b - 1) + d]

    def point(self, body, frame):
        """Return the ground position of a body's frame."""
        r, A = read_pose(self.system, self.state.q, self.tables.bodies.index(body))
        return r + A @ self.tables.vector(self.tables.frames[body, frame].point)

    def contact(self):
        """Return the angle of the only cam contact and its rate."""
        return float(self.state.q[-1]), float(self.state.v[-1])


def e(angle):
    """Return the unit vector at an angle."""
    return np.array([np.cos(angle), np.sin(angle)])
