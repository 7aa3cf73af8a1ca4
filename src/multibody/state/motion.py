"""A motion: positions, velocities and accelerations of all bodies over time, with what is known about their quality."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from multibody.state.state import State, Status
from multibody.tables.lower import Tables

if TYPE_CHECKING:
    from multibody.analyses.events.switching import Switching
    from multibody.rank.drive import Drive
    from multibody.state.kinetics import Dynamics, Event

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Singularity:
    """A singular position met on the way.

    Attributes
    ----------
    time : float
    kind : str
        ``passed`` (the determinant changed its sign and the branch was kept), ``touched`` or ``lock-up`` (the end).
    reason : str
        In words: which bodies could move although all motions are held, and which pins are in line.
    """

    time: float
    kind: str
    reason: str

    def plain(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {"time": self.time, "kind": self.kind, "reason": self.reason}


@dataclass(frozen=True)
class Jump:
    """An instant at which velocities jump: position, velocities and angle references just before it."""

    switching: Switching
    q: Floats
    v: Floats
    references: Floats


@dataclass
class Motion:
    """Arrays over time.

    Attributes
    ----------
    t : array (instants,)
    q, v, a : arrays (instants, ·)
        As in :class:`State`; a is v̇.
    references : array (instants, functions) or (functions,)
        Angle references of every instant, or those of the start where nothing counts turns.
    sigma : array (instants,)
        Smallest singular value of the scaled Jacobian.
    status : Status
    singularities : list of Singularity
    branches : sequence of (time, label)
        The branch label from that time on.
    statistics, certificate : dict
    dynamics : Dynamics, optional
        Multipliers, energies, efforts and events, where forces were asked for.
    notes : list of str
        What a reader should know.
    events : list of Event
        Events of a mechanism that its motions determine; those of a run are in `dynamics`.
    passed : list of Switching
        Instants at which motions switch: results there are the limits behind them.
    jumps : list of Jump
        Those of a mechanism that its motions determine at which velocities jump, with what was just before.
    drive : Drive, optional
        The rows that solve a mechanism which its motions determine, where the same ones do at all instants and it was followed
        from each to the next: between them it can be followed again.
    """

    tables: Tables
    t: Floats
    q: Floats
    v: Floats
    a: Floats
    sigma: Floats
    references: Floats
    status: Status
    initial: State
    singularities: list[Singularity] = field(default_factory=list)
    branches: Sequence[tuple[float, str]] = field(default_factory=list)
    statistics: dict[str, Any] = field(default_factory=dict)
    certificate: dict[str, Any] = field(default_factory=dict)
    dynamics: Dynamics | None = field(default_factory=lambda: None)  # no value of the class: a promised motion has none yet
    notes: list[str] = field(default_factory=list)
    passed: list[Switching] = field(default_factory=list)
    jumps: list[Jump] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    drive: Drive | None = None


class PromisedMotion(Motion):
    """A motion that is integrated, and whose arrays are made when one of them is first read; then it is an ordinary one.

    Whoever only asks whether a run finished, or goes on from it elsewhere, does not wait for hundreds of instants with
    their forces.

    Parameters
    ----------
    tables : Tables
    status : Status
    make : callable
        Returns the motion.
    """

    _one_at_a_time = threading.RLock()  # the same blocks serve whoever reads first

    def __init__(self, tables: Tables, status: Status, make: Callable[[], Motion]) -> None:
        self.tables, self.status, self._make = tables, status, make

    def kept(self) -> Motion:
        """Make the arrays, unless they are there; return itself, an ordinary motion from now on."""
        with self._one_at_a_time:
            if "_make" in self.__dict__:
                self.__dict__ = dict(vars(self._make()))
                self.__class__ = Motion  # type: ignore[assignment]
        return self

    def __getattr__(self, name: str) -> Any:
        """Make the arrays for whoever reads one of them."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.kept(), name)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Return what makes it again: what is copied or sent elsewhere is the motion itself."""
        return self.kept().__reduce_ex__(protocol)
