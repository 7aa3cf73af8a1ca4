"""A robot as users have it: states are results that can be read by path."""

from __future__ import annotations

from typing import Any

from multibody.analyses.robot.robot import Robot as _Robot
from multibody.arguments import answered
from multibody.results.state import State

__all__ = ["Robot"]


@answered
class Robot(_Robot):
    """A tree of bodies as roboticists ask about it."""

    __doc__ = _Robot.__doc__

    def state(self, q: Any, v: Any = None, t: float = 0.0) -> State:
        """Return the state of all bodies, for ``run(initial=…)`` and to read paths: ``state["link7.tip.x"]``.

        Parameters
        ----------
        q : array (nq)
        v : array (nv), optional
            Default zero.
        t : float
        """
        return State.of(self._state(q, v, t))
