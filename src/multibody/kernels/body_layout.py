"""Where a body lies in q and v, by name: its pose in q, its motion in v, and the parts of both.

First comes where the center of mass is, then how the body is turned; extra coordinates follow the bodies. Kernels read the
numbers, everybody else ``Tables.layout``, which counts bodies as tables do: the ground is 0 and has no numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from multibody.kernels.codes import FIRST_BODY

PLANE = 3  # numbers of a planar body in q, as in v: center of mass, then its angle
ANGLE = 2  # place of the angle among them
SPACE = 7  # numbers of a spatial body in q: center of mass, then its quaternion, the scalar first
TURN = 6  # those in v: velocity of the center of mass, then angular velocity in body axes
POINT = 3  # how many of either are of the center of mass, and so where orientation and angular velocity begin

T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True, slots=True)
class BodyLayout:
    """Slices of q and v, and of the numbers of one body, of one dimension.

    Attributes
    ----------
    dimension : int
    coordinates, velocities : int
        How many numbers a body has in q and in v.
    shift, turn : slice
        What is of its center of mass and what of its orientation among the numbers of one body: position, velocity or force;
        in the plane an angle, its rate or a moment, in space a quaternion, an angular velocity or a moment.
    angle : int
        Place of the angle among the numbers of a planar body, in q as in v; −1 in space.
    scalar : int
        Place of the quaternion's scalar among the coordinates of a spatial body; −1 in the plane.
    """

    dimension: int
    coordinates: int
    velocities: int
    shift: slice
    turn: slice
    angle: int
    scalar: int

    # --- one body ---------------------------------------------------------------------------------------------------------
    def first(self, body: int) -> int:
        """Return where a body begins in q."""
        return self.coordinates * (body - FIRST_BODY)

    def first_rate(self, body: int) -> int:
        """Return where a body begins in v."""
        return self.velocities * (body - FIRST_BODY)

    def pose(self, body: int) -> slice:
        """Return all coordinates of a body in q."""
        at = self.coordinates * (body - FIRST_BODY)
        return slice(at, at + self.coordinates)

    def position(self, body: int) -> slice:
        """Return its center of mass in q."""
        at = self.coordinates * (body - FIRST_BODY)
        return slice(at, at + self.dimension)

    def orientation(self, body: int) -> slice:
        """Return its angle, or its quaternion with the scalar first, in q."""
        at = self.coordinates * (body - FIRST_BODY)
        return slice(at + self.dimension, at + self.coordinates)

    def motion(self, body: int) -> slice:
        """Return all velocity coordinates of a body in v."""
        at = self.velocities * (body - FIRST_BODY)
        return slice(at, at + self.velocities)

    def velocity(self, body: int) -> slice:
        """Return the velocity of its center of mass in v."""
        at = self.velocities * (body - FIRST_BODY)
        return slice(at, at + self.dimension)

    def spin(self, body: int) -> slice:
        """Return its angular velocity in v: in the plane a number, in space components in its axes."""
        at = self.velocities * (body - FIRST_BODY)
        return slice(at + self.dimension, at + self.velocities)

    def body_of(self, place: int) -> int:
        """Return the body that a coordinate in q belongs to."""
        return place // self.coordinates + FIRST_BODY

    def angle_of(self, body: int) -> int:
        """Return where the angle of a planar body lies in q, and its rate in v."""
        return self.coordinates * (body - FIRST_BODY) + self.angle

    # --- all bodies -------------------------------------------------------------------------------------------------------
    def split(self, q: NDArray[T], bodies: int) -> NDArray[T]:
        """Return the coordinates of the bodies (..., bodies, coordinates) of q (..., nq)."""
        return q[..., : self.coordinates * bodies].reshape(*q.shape[:-1], bodies, self.coordinates)

    def split_rates(self, v: NDArray[T], bodies: int) -> NDArray[T]:
        """Return the velocities of the bodies (..., bodies, velocities) of v (..., nv), or their accelerations."""
        return v[..., : self.velocities * bodies].reshape(*v.shape[:-1], bodies, self.velocities)

    def extras(self, bodies: int) -> slice:
        """Return the extra coordinates in q, behind those of the bodies."""
        return slice(self.coordinates * bodies, None)

    def extra_rates(self, bodies: int) -> slice:
        """Return the rates of extra coordinates in v, behind the velocities of the bodies."""
        return slice(self.velocities * bodies, None)

    def each(self, place: int, bodies: int) -> slice:
        """Return one coordinate of every body in q, by its place among those of a body."""
        return slice(place, self.coordinates * bodies, self.coordinates)

    def each_rate(self, place: int, bodies: int) -> slice:
        """Return one velocity of every body in v, by its place among those of a body."""
        return slice(place, self.velocities * bodies, self.velocities)


LAYOUTS = {
    2: BodyLayout(2, PLANE, PLANE, slice(0, ANGLE), slice(ANGLE, None), angle=ANGLE, scalar=-1),
    3: BodyLayout(3, SPACE, TURN, slice(0, POINT), slice(POINT, None), angle=-1, scalar=POINT),
}
