"""How dynamics opens, the same for every verb: masses that suffice, a consistent state, independent rows, a simulation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from multibody.analyses.assembly.member import compiled_state
from multibody.analyses.dynamics.choice import Choice, check_pair, choose, fallen_back
from multibody.analyses.dynamics.idle_spin import stopped, with_spins
from multibody.analyses.dynamics.run_start import require_inertia, require_masses, start_state
from multibody.analyses.dynamics.simulation import Simulation
from multibody.analyses.given.run_options import Options
from multibody.errors import AnalysisError, ModelError
from multibody.model.model import Model
from multibody.rank.leastnorm import DENSE_LIMIT
from multibody.rank.run_rows import run_rows
from multibody.state.state import State
from multibody.state.system import Integers, System, tables_of
from multibody.tables.lower import Tables


@dataclass(frozen=True)
class Opening:
    """Where dynamics begins.

    Attributes
    ----------
    system : System
        Its angle references are those of the state.
    state : State
        On the constraints; one that is not ok could not be brought there, and its status says why.
    rows : array of int
        Independent rows of joints and motions; none where the state is not ok.
    note : str
        Whether a given state had to be changed, or a spin was left out.
    own : bool
        Whether it is the model's own start: what follows from it is found once.
    """

    system: System
    state: State
    rows: Integers
    note: str = ""
    own: bool = False

    @property
    def determined(self) -> bool:
        """Whether joints and motions leave nothing free."""
        return len(self.rows) == self.system.nv

    def required(self) -> Self:
        """Return itself, raise where there is no consistent state."""
        status = self.state.status
        if not self.state.ok:
            raise AnalysisError("; ".join(part for part in (status.message, status.advice) if part), status)
        return self

    def with_inertia(self, regular: bool = False) -> Self:
        """Return itself, raise where a direction is free and without mass.

        Parameters
        ----------
        regular : bool
            Whether matrices have to be regular also in what moves nothing: spins of massless rods get an inertia then,
            and are stopped, which the note says.
        """
        if self.system.nv > DENSE_LIMIT:
            return self
        known: dict[str, Any] = self.system.tables.cache if self.own else {}
        if "spins" not in known:
            known["spins"] = require_inertia(self.system, self.state.q, self.state.t, self.rows)
        spins = known["spins"]
        if not regular:
            return self
        system, state = with_spins(self.system, spins, self.state)
        note = stopped(system, self.state, state)
        return replace(self, system=system, state=state, note="; ".join(text for text in (self.note, note) if text))


def opened(
    model: Model, initial: State | None, t: float | None = None, require: Callable[[System], None] = require_masses,
    tables: Tables | None = None,
) -> Opening:  # fmt: skip
    """Return where dynamics of a model begins.

    Parameters
    ----------
    model : Model
    initial : State, optional
        Where to start; default the model's own initial values.
    t : float, optional
        Time; default that of the state.
    require : callable
        Raises where the model lacks what the analysis needs of it; asked before anything is assembled.
    tables : Tables, optional
        Of the model, where they are known.
    """
    system = System(tables_of(model) if tables is None else tables)
    require(system)
    if initial is None and t is None:
        return _own_start(model, system)
    if initial is None and t is not None and np.isfinite(t):
        found = compiled_state(system, float(t))
        if found is not None:
            return opened_at(system, found[0], rows=found[1])
    state, note = start_state(model, initial, t)
    return opened_at(system, state, note)


def _own_start(model: Model, system: System) -> Opening:
    """Return where a model begins by its own initial values, assembled once as long as nothing of it is changed."""
    known = system.tables.cache
    if "start" not in known:
        found = compiled_state(system, 0.0)
        state, rows = (start_state(model, None, None)[0], None) if found is None else found
        made = opened_at(system, state, rows=rows)
        if not state.ok:
            return made
        known["start"] = state, made.rows
    state, rows = known["start"]
    state = replace(state, q=state.q.copy(), v=state.v.copy(), references=state.references.copy(), history=[*state.history])
    return replace(opened_at(system, state, rows=rows.copy()), own=True)


def opened_at(system: System, state: State, note: str = "", rows: Integers | None = None) -> Opening:
    """Return the same from a consistent state; `rows` where they are known."""
    if not state.ok:
        return Opening(system, state, np.zeros(0, dtype=np.int64), note)
    system.ref[:] = state.references
    return Opening(system, state, run_rows(system, state.q, state.t) if rows is None else rows, note)


def planned(tables: Tables, options: Options) -> Choice:
    """Return formulation and integrator; what does not go together or is too large is refused before anything is assembled."""
    choice = choose(tables, options.formulation, options.integrator)
    check_pair(choice.formulation, choice.integrator)
    choice.formulation.check_size(tables)
    return choice


def begun(opening: Opening, choice: Choice, options: Options, dense: bool | None = None) -> tuple[Simulation, Choice]:
    """Return a simulation at its start; what ``auto`` chose and does not take the model gives way to `augmented`."""
    system, state = opening.system, opening.state
    settings: dict[str, Any] = {
        "rtol": options.rtol, "atol": options.atol, "dense": options.dense if dense is None else dense,
    }  # fmt: skip
    system.ref[:] = state.references
    try:
        return Simulation(system, state, opening.rows, choice.formulation, choice.integrator, **settings), choice
    except ModelError:
        if not choice.chosen or choice.formulation.usual:
            raise
    system.ref[:] = state.references
    choice = fallen_back(choice)
    return Simulation(system, state, opening.rows, choice.formulation, choice.integrator, **settings), choice
