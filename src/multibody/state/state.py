"""A state of a mechanism and the status that every analysis returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from multibody.tables.lower import Tables

Floats = npt.NDArray[np.float64]
_T = TypeVar("_T", bound=np.generic)


def sealed(array: npt.NDArray[_T]) -> npt.NDArray[_T]:
    """Return an array that is only read; its owner keeps writing to its own.

    For what users get, never for kernels: these are compiled for arrays that can be written to.
    """
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view


@dataclass(frozen=True)
class Status:
    """Whether an analysis finished, and if not, why and what would help.

    Attributes
    ----------
    success : bool
    message : str
        One sentence, in the user's names.
    time_reached : float
    worst : str
        Name of the equation that is violated most, "" if none is.
    gap : float
        Its residual, in its own unit.
    advice : str
    """

    success: bool
    message: str
    time_reached: float = 0.0
    worst: str = ""
    gap: float = 0.0
    advice: str = ""

    @property
    def sentence(self) -> str:
        """Why an analysis stopped and what would mend it, in one sentence."""
        return f"{self.message}; {self.advice}" if self.advice else self.message

    @property
    def interrupted(self) -> bool:
        """Whether the user ended it with Ctrl-C."""
        return not self.success and self.message.startswith("interrupted")

    @property
    def blames(self) -> bool:
        """Whether it names the element of the model whose formula was the cause: another method would not get further."""
        return not self.success and self.worst != "" and self.message.startswith(f"{self.worst}: ")

    def plain(self) -> dict[str, Any]:
        """Return the status as JSON has it."""
        return {
            "success": self.success, "message": self.message, "time_reached": self.time_reached,
            "worst": self.worst, "gap": self.gap, "advice": self.advice,
        }  # fmt: skip


@dataclass(frozen=True)
class State:
    """Positions and velocities of all bodies at one time.

    Attributes
    ----------
    tables : Tables
        Of the model that it belongs to.
    t : float
    q : array
        Center of mass and angle (planar) or unit quaternion (spatial) of each body, then the extra coordinates.
    v : array
        ṙ in ground axes and ω (planar) or ω′ in body axes (spatial), then the extra rates.
    references : array
        Angle references, so that turns go on being counted from here.
    branch : str
        A sign for each group of bodies that can be assembled in more than one way.
    status : Status
    history : list of dict
        One entry an iteration of Newton's method: ``residual``, ``step`` (both scaled), ``q``.
    """

    tables: Tables
    t: float
    q: Floats
    v: Floats
    references: Floats
    branch: str
    status: Status
    history: list[dict[str, Any]] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether the state is consistent."""
        return self.status.success
