"""Wrenches over time: a force and a moment about a point, moved and turned."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multibody.state.system import Floats
from multibody.tables.products import turned_back


@dataclass(frozen=True)
class Wrench:
    """A force and a moment over time, ground axes.

    Attributes
    ----------
    force : array (instants, 2 or 3)
    moment : array (instants, 1 or 3)
        About `point`.
    point : array (instants, 2 or 3)
    """

    force: Floats
    moment: Floats
    point: Floats

    def at(self, point: Floats) -> Wrench:
        """Return the same wrench with its moment about another point."""
        return Wrench(self.force, self.moment + arm_cross(self.point - point, self.force), point)

    def __add__(self, other: Wrench) -> Wrench:
        moved = other.at(self.point)
        return Wrench(self.force + moved.force, self.moment + moved.moment, self.point)

    def __neg__(self) -> Wrench:
        return Wrench(-self.force, -self.moment, self.point)

    def along(self, axes: Floats) -> tuple[Floats, Floats]:
        """Return force and moment in components along the columns of `axes` (instants, d, d)."""
        force = turned_back(axes, self.force)
        moment = self.moment if self.moment.shape[1] == 1 else turned_back(axes, self.moment)
        return np.asarray(force), np.asarray(moment)


def arm_cross(arm: Floats, force: Floats) -> Floats:
    """Return arm × force over time: (instants, 1) in the plane, (instants, 3) in space."""
    if arm.shape[1] == 2:
        return np.asarray(arm[:, :1] * force[:, 1:] - arm[:, 1:] * force[:, :1])
    return np.cross(arm, force)
