"""A state as a result: numbers by path, a picture, plain data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody._result_verbs import StateVerbs
from multibody.analyses.assembly.assemble import assemble
from multibody.analyses.given.own_options import own_options
from multibody.analyses.measures.measure import Measurer
from multibody.results.plain import instant_plain
from multibody.results.reading import number_or_array, path_text, sealed, several
from multibody.state import state as analysis

if TYPE_CHECKING:
    from multibody.model.model import Model


@dataclass(frozen=True)
class State(analysis.State, StateVerbs):
    """Positions and velocities of all bodies at one time; ``state["slider.x"]`` reads a path.

    Its arrays are only read: ``state.q.copy()`` may be changed.
    """

    def __post_init__(self) -> None:
        for name in ("q", "v", "references"):
            object.__setattr__(self, name, sealed(getattr(self, name)))

    @classmethod
    def of(cls, state: analysis.State) -> State:
        """Return an analysis' state as a result."""
        return cls(state.tables, state.t, state.q, state.v, state.references, state.branch, state.status, state.history)

    @cached_property
    def measurer(self) -> Measurer:
        """Reads paths at this one instant."""
        q, v, references = (np.array(x) for x in (self.q, self.v, self.references))
        return Measurer(self.tables, np.array([self.t]), q[None, :], v[None, :], None, references)

    def __getitem__(self, path: Any) -> Any:
        """Return a path or an expression of paths: a number, or an array for a vector; of several paths a list."""
        paths = several(path)
        if paths is not None:
            return [self[one] for one in paths]
        return number_or_array(self.measurer(path_text(path)).values[0])

    def plain(self, units: str | None = None) -> dict[str, Any]:
        """Return what the command line prints as JSON."""
        return {
            "model": self.tables.model.name,
            "units": {"length": "m", "time": "s", "mass": "kg"} if units == "SI" else self.tables.model.units.plain(),
            "status": self.status.plain(),
            "branch": self.branch,
            "iterations": len(self.history),
            "final": instant_plain(self.measurer, 0, units, accelerations=False),
        }

    def __repr__(self) -> str:
        """Return a line for people."""
        branch = f", branch {self.branch}" if self.branch else ""
        return f"<State of {self.tables.model.name!r} at t = {self.t:g}{branch}: {self.status.message}>"


def assembled(model: Model, initial: analysis.State | None, t: float | str | None, branches: bool | None) -> Any:
    """Return the assembled state, or with `branches` the list of the assemblies found."""
    asked = own_options(model, "assemble", t=t, branches=branches)
    time: float | None = asked["t"]
    if asked["branches"]:
        from multibody.analyses.assembly.enumerate import assemble_branches

        return [State.of(state) for state in assemble_branches(model, initial, time)]
    return State.of(assemble(model, initial, time))
