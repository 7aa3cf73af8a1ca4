"""The coordinates of composites as the space of a simulation: bodies welded together are one body to the formulations."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np

from multibody.formulations.of_bodies import OfBodies
from multibody.formulations.prepare import Bundle
from multibody.formulations.spaces.composites import Composites, independent_of, weld_multipliers
from multibody.formulations.spaces.expanded import Expanded
from multibody.formulations.spaces.space import Reader, SpaceBase
from multibody.formulations.square_forces import forces_along, jacobian_entries
from multibody.kernels.codes import KINETIC, POTENTIAL
from multibody.kernels.watch import monitor
from multibody.rank.run_rows import run_rows
from multibody.state.kinetics import Dynamics
from multibody.state.state import State
from multibody.state.system import Floats, System
from multibody.tables.welds import Welds, count_turns, welded_tables


class WeldedSpace(SpaceBase):
    """Poses and velocities of composites, for `parametric` with the parameters of the pairs between them.

    What is asked about bodies is found from the composites.

    Parameters
    ----------
    system : System
        On bodies.
    state : State
        Consistent start.
    formulation : OfBodies
    welds : Welds
    """

    monitor: Any = staticmethod(monitor)  # of the class: a compiled function does not travel to other processes
    alone = "bodies are welded together"

    def __init__(self, system: System, state: State, formulation: OfBodies, welds: Welds) -> None:
        self.system, self.welds = system, welds
        if system.tables.dimension == 2:
            count_turns(welds, state.q)
        self.composites = Composites(system.tables, welds, state.q)
        tables, self.kept = welded_tables(system.tables, welds)
        q, v = self.composites.of_state(state.q, state.v)
        inner = System(tables)
        inner.ref[:] = state.references
        rows = run_rows(inner, q, state.t)
        self.inner = formulation.body_space(inner, replace(state, q=q, v=v), rows)
        self.nq, self.nv, self.rate_scales = self.inner.nq, self.inner.nv, self.inner.rate_scales

    @property
    def bundle(self) -> Bundle:
        """The arrays of a run, on composites."""
        return self.inner.bundle

    @property
    def choose(self) -> Any:
        """The kernel that chooses dependent columns, of composites."""
        return self.inner.choose

    def with_new_charts(self, y: Floats) -> Floats:
        """Return y in coordinates of composites that are regular where it is."""
        return self.inner.with_new_charts(y)

    def trouble(self) -> tuple[str, str] | None:
        """Return why rows lost their rank and what helps, where the coordinates of composites know it."""
        return self.inner.trouble()

    def start(self, state: State, work: float = 0.0) -> Floats:
        """Return y of a state of the bodies."""
        q, v = self.composites.of_state(state.q, state.v)
        return self.inner.start(replace(state, q=q, v=v), work)

    def scales(self) -> Floats:
        """Return L for lengths and their rates, 1 for everything else."""
        return self.inner.scales()

    def cartesian(self, times: Floats, Y: Floats, references: Floats, like: Floats, closing: bool = False) -> Floats:
        """Return (q, v, w) of the bodies at states y."""
        inner = self.inner.cartesian(times, Y, references, like, closing)
        q, v, _ = self.composites.to_bodies(*self._parts(inner))
        return np.concatenate([q, v, Y[:, -1:]], axis=1)

    def _parts(self, Y: Floats) -> tuple[Floats, Floats]:
        """Return coordinates and velocities of the composites in Cartesian states."""
        s = self.inner.system
        return Y[:, : s.nq], Y[:, s.nq : s.nq + s.nv]

    def expanded(self, times: Floats, Y: Floats, references: Floats, like: Floats, closing: bool) -> Expanded:
        """Return everything that follows from states y, for all bodies and with the multipliers of the welds."""
        found = self.inner.expanded(times, Y, references, like, closing)
        q, v, a = self.composites.to_bodies(*self._parts(found.Y), found.A)
        s = self._living()
        forces = forces_along(s, times, q, v, a, found.references)
        multipliers = np.zeros((len(times), s.rows))
        multipliers[:, self.kept] = found.dynamics.multipliers
        entries = jacobian_entries(s, times, q, found.references)
        weld_multipliers(s, self.welds.joints, entries, forces.applied - forces.inertia, multipliers)
        rows = independent_of(self.welds, s.tables, found.dynamics.rows, self.kept)
        kinetic, potential = forces.energies[:, KINETIC], forces.energies[:, POTENTIAL]
        dynamics = Dynamics(multipliers, kinetic, potential, found.dynamics.work, forces.laws, forces.loads, rows)
        return Expanded(np.concatenate([q, v, found.Y[:, -1:]], axis=1), found.references, a, dynamics)

    def _living(self) -> System:
        """Return the system on bodies with the numbers of forces that a simulator may have set meanwhile."""
        tables, b = self.system.tables, self.inner.plain
        living = copy.copy(tables)
        numbers = b.F[: len(tables.F)].copy()
        living.packed = tables.packed.sharing(numbers=numbers, tables=b.model.tables, laws=b.model.laws)
        return System(living)

    def take_other_rows(self, y: Floats, t: float) -> bool:
        """Choose independent rows of composites anew at y; return whether others serve better."""
        return self.inner.take_other_rows(y, t)

    def branch(self) -> WeldedSpace:
        """Return a copy on the same memory, whose choice of rows is its own."""
        other = copy.copy(self)
        other.inner = self.inner.branch()
        return other

    def reading(self) -> WeldedSpace:
        """Return a copy with state and scratch of its own; the model stays the living one."""
        other = copy.copy(self)
        other.inner = self.inner.reading()
        return other

    def apart(self, system: System) -> WeldedSpace:
        """Return a copy with another workspace, and state and scratch of its own."""
        other = copy.copy(self)
        other.system, other.inner = system, self.inner.apart(self.inner.system.working())
        return other

    def reader(self) -> Reader:
        """Return what coordinate functions of bodies are read with."""
        return System(self.system.tables)
