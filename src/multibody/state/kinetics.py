"""What a dynamic analysis adds to a motion: multipliers, energies, efforts, events, dense output."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.state.state import sealed
from multibody.state.system import Floats, Integers

if TYPE_CHECKING:
    from multibody.analyses.dynamics.dense_output import DenseOutput
    from multibody.analyses.events.impulse import Impulse
    from multibody.formulations.spaces.expanded import Expanded
    from multibody.state.motion import Motion

NOTHING = 1e-40  # an energy that no motion has


@dataclass
class Dynamics:
    """Forces and energies over time.

    Attributes
    ----------
    multipliers : array (instants, rows)
        λ of joint and motion rows, M v̇ + Φ_qᵀ λ = Q; those of redundant rows are 0 here.
    kinetic, potential, work : arrays (instants,)
        Energies, and the work since the start of everything that has no potential: E − E₀ = W.
    efforts : array (instants, laws, then 3 or 6 a wrench element)
        Effort of every force law along its coordinate, positive if it raises it; then force and moment of every wrench element
        on its second body, axes of its first frame.
    loads : array (instants, 3 or 6 a load)
        Force and moment of every load at its point, ground axes.
    rows : array of int
        Rows that carry the multipliers: an independent set.
    events : list of Event
    notes : list of str
    along : callable, optional
        Finds the forces at other instants of a motion that is known from kinematics.
    stored : bool
        Whether it comes from a file, which holds the instants alone.
    """

    multipliers: Floats
    kinetic: Floats
    potential: Floats
    work: Floats
    efforts: Floats
    loads: Floats
    rows: Integers
    events: list[Event] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    dense: DenseOutput | None = None
    along: Callable[[Motion], Expanded] | None = None
    stored: bool = False

    def energy_drift(self) -> float:
        """Return max |E − E₀ − W| over the largest kinetic energy plus the range of the potential one."""
        return float(energy_drifts(self.kinetic, self.potential, self.work)) if len(self.kinetic) else 0.0


def energy_drifts(kinetic: Floats, potential: Floats, work: Floats) -> Floats:
    """Return max |E − E₀ − W| over the largest kinetic energy plus the range of the potential one; arrays (..., instants)."""
    total = kinetic + potential
    size = np.max(kinetic, axis=-1) + np.ptp(potential, axis=-1)
    error = np.max(np.abs(total - total[..., :1] - (work - work[..., :1])), axis=-1)
    round_off = 1e-14 * np.max(np.abs(potential), axis=-1)  # at rest there is nothing to compare with
    counts = size > np.maximum(round_off, NOTHING)
    return np.asarray(np.where(counts, error / np.where(counts, size, 1.0), 0.0))


@dataclass(frozen=True)
class Event:
    """An event that happened: its name, time, whether it ended the run, and the state there.

    Where velocities jumped, the name is that of the motion or coupler, and `impulse` says what passed them on.
    """

    name: str
    time: float
    terminal: bool
    q: Floats
    v: Floats
    impulse: Impulse | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "q", sealed(self.q))
        object.__setattr__(self, "v", sealed(self.v))

    def plain(self) -> dict[str, Any]:
        """Return the event as JSON has it."""
        found: dict[str, Any] = {"name": self.name, "time": self.time, "terminal": self.terminal}
        return found if self.impulse is None else {**found, "impulse": self.impulse.plain()}
