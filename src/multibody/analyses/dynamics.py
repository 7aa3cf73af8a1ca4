"""What a dynamic analysis adds to a motion: multipliers, energies, efforts, events, dense output."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.analyses.state import sealed
from multibody.analyses.system import Floats, Integers
from multibody.errors import ModelError
from multibody.formulations.expand import expand
from multibody.formulations.prepare import Bundle
from multibody.kernels import sections as R

if TYPE_CHECKING:
    from multibody.analyses.impulse import Impulse
    from multibody.analyses.simulation import Simulation
    from multibody.analyses.space import Space


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
    efforts : array (instants, laws)
        Effort of every force law along its coordinate, positive if it raises it.
    loads : array (instants, 3 or 6 a load)
        Force and moment of every load at its point, ground axes.
    rows : array of int
        Rows that carry the multipliers: an independent set.
    events : list of Event
    notes : list of str
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
    bundle: Bundle | None = None
    stored: bool = False

    def energy_drift(self) -> float:
        """Return max |E − E₀ − W| over the largest kinetic energy plus the range of the potential one."""
        if len(self.kinetic) == 0:
            return 0.0
        total = self.kinetic + self.potential
        size = float(np.max(self.kinetic) + np.ptp(self.potential))
        error = float(np.max(np.abs(total - total[0] - (self.work - self.work[0]))))
        round_off = 1e-14 * float(np.max(np.abs(self.potential)))  # at rest there is nothing to compare with
        return error / size if size > max(round_off, NOTHING) else 0.0


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


class DenseOutput:
    """The motion between the steps of an integrator, by its own interpolant."""

    def __init__(self, sim: Simulation) -> None:
        self._integrator, self._size = sim.integrator, len(sim.y)
        self._harvest, self._passed = sim.harvest, sim.passed
        self.steps, self.records, self.references = sim.segments.joined()
        self.direction = 1.0 if self.steps[0, 1] >= 0.0 else -1.0
        self.space: Space = sim.space

    def limits(self, times: Floats) -> Floats:
        """Return the times at which states are evaluated: just behind an instant at which a motion switched."""
        from multibody.analyses.passing import limits_behind

        return limits_behind(self._passed, times)

    def states(self, times: Floats) -> tuple[Floats, Floats]:
        """Return (q, v, w) at the times, and the angle references to read them with."""
        from multibody.analyses.simulation import interpolated

        Y, references = interpolated(self._integrator, self._size, self.steps, self.records, self.references, times)
        lost = self.direction * times < self.direction * self.steps[0, 0]
        for instants, states, refs in self._harvest:  # steps whose dense output was let go
            at = np.searchsorted(self.direction * instants, self.direction * times)
            known = at < len(instants)
            known[known] = instants[at[known]] == times[known]
            Y[known], references[known] = states[at[known]], refs[at[known]]
            lost &= ~known
        if np.any(lost):
            hint = "run it in parts, each with initial=run.final"
            raise ModelError(f"the motion between the instants before t = {self.steps[0, 0]:.6g} was let go", hint=hint)
        return Y, references


@dataclass
class Expanded:
    """States with everything that follows from them."""

    Y: Floats
    references: Floats
    A: Floats
    dynamics: Dynamics


def expanded(bundle: Bundle, times: Floats, Y: Floats, references: Floats, closing: bool) -> Expanded:
    """Return accelerations, multipliers, energies and efforts at given states.

    Parameters
    ----------
    bundle : Bundle
    times : array (instants,)
    Y : array (instants, nq + nv + 1)
    references : array (instants, functions)
    closing : bool
        Whether the states come from an interpolant and are projected first.
    """
    tables = bundle.tables
    n, rows = len(times), tables.count_joint + tables.count_motion
    A, multipliers, energies = np.zeros((n, tables.nv)), np.zeros((n, rows)), np.zeros((n, 2))
    efforts = np.zeros((n, len(tables.law_functions)))
    loads = np.zeros((n, (3 if tables.dimension == 2 else 6) * len(tables.loads)))
    I, W = bundle.I, bundle.W
    now, statistics = bundle.ref.copy(), W[I[R.W_STATISTICS] : I[R.W_STATISTICS] + R.STATISTICS].copy()
    done = expand(I, bundle.F, W, bundle.ref, times, Y, references, int(closing), A, multipliers, energies, efforts, loads)
    bundle.ref[:] = now
    W[I[R.W_STATISTICS] : I[R.W_STATISTICS] + R.STATISTICS] = statistics
    if done < n:
        raise ModelError(
            f"the equations of motion have no solution at t = {times[done]:.6g}", where=tables.model.name,
            hint="give every free direction a mass",
        )  # fmt: skip
    dynamics = Dynamics(
        multipliers, energies[:, 0], energies[:, 1], Y[:, tables.nq + tables.nv].copy(), efforts, loads, bundle.chosen,
        bundle=bundle,
    )  # fmt: skip
    return Expanded(Y, references, A, dynamics)
