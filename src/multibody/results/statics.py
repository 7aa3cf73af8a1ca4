"""An equilibrium as a result: positions, reactions and efforts by path, stability, plain data, a page of text."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody._result_verbs import PageVerbs
from multibody.analyses.given.own_options import own_options
from multibody.analyses.measures.contact import contact_notes
from multibody.analyses.statics.statics import Balanced
from multibody.analyses.statics.statics import statics as search
from multibody.arguments import answered, warn
from multibody.errors import AnalysisError
from multibody.model.units import Units
from multibody.results.instant import Instant, instant_of
from multibody.results.plain import gravity_notes, gravity_text, instant_plain
from multibody.results.reading import sealed
from multibody.state import state as analysis
from multibody.state.state import Status

if TYPE_CHECKING:
    from multibody.model.model import Model

SHOWN = 8  # coordinates and eigenvalues of the page


@answered
class Equilibrium(PageVerbs):
    """A position in which all forces balance, or how far the search for one came.

    ``eq["O"]``, ``eq["A.reaction.force"]`` and ``eq["motor.effort"]`` read paths as a run does.

    Parameters
    ----------
    found : Balanced

    Attributes
    ----------
    status : Status
        Found or not, with advice: what holds nothing, where force is left.
    stability : str
        ``stable``, ``unstable``, ``indifferent``, ``rigid`` (nothing can move), or "" where none was found.
    eigenvalues : array
        Of the stiffness along the constraints, lowest first [force·length], lengths over the characteristic length.
    directions : list of str
        The directions that make it unstable or indifferent, by coordinates.
    residual : float
        Largest unbalanced force over the largest force that acts.
    method : str
    iterations : int
    notes : list of str
    """

    def __init__(self, found: Balanced) -> None:
        self.found, self.tables = found, found.motion.tables
        self.model = self.tables.model
        self.status: Status = found.status
        judged = found.stability
        self.stability = "" if judged is None else judged.kind
        self.eigenvalues = sealed(np.zeros(0) if judged is None else judged.eigenvalues)
        self.directions: list[str] = [] if judged is None else judged.directions
        self.residual, self.method, self.iterations = found.residual, found.method, found.iterations
        contact = [] if found.motion.dynamics is None else contact_notes(instant_of(found.motion).measurer)
        self.notes: list[str] = [*gravity_notes(self.tables), *found.notes, *contact]
        if not self.ok:
            warn(f"{self.model.name}: {self.status.sentence}")

    @property
    def ok(self) -> bool:
        """Whether an equilibrium was found."""
        return self.status.success

    @cached_property
    def state(self) -> Instant:
        """The position as a state at rest, for ``run(initial=eq.state)`` and ``modes(at=eq.state)``."""
        return instant_of(self.found.motion)

    def __getitem__(self, path: str) -> Any:
        """Return a path or an expression of paths: a number, or an array for a vector."""
        return self.state[path]

    @property
    def potential(self) -> float:
        """Potential energy of gravity, springs, bushings and stops [force·length]."""
        dynamics = self.found.motion.dynamics
        return float("nan") if dynamics is None else float(dynamics.potential[0])

    def reactions(self, joints: Sequence[str] | None = None, units: str | None = None) -> dict[str, Any]:
        """Return what joints do to their second bodies, as plain numbers.

        Parameters
        ----------
        joints : list of str, optional
            Default all.
        units : str, optional
            ``"SI"`` converts.
        """
        from multibody.results.reactions_at import check_joints, reactions_plain
        from multibody.results.run import Run

        names = check_joints(self.model, joints)
        if self.found.motion.dynamics is None:
            raise AnalysisError(f"{self.model.name}: {self.status.message}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # an equilibrium that was not found has said so
            return reactions_plain(Run(self.found.motion), names, units, drives=joints is None)

    def plain(self, units: str | None = None) -> dict[str, Any]:
        """Return what the command line prints as JSON; ``units="SI"`` converts."""
        own, si = self.model.units, units == "SI"
        moment = own.factor(1, 0, 0) * own.factor(1, -2, 1) if si else 1.0
        time = own.factor(0, 1, 0) if si else 1.0
        plain = {
            "model": self.model.name, "units": (Units() if si else own).plain(), "gravity": gravity_text(self.tables),
            "status": {**self.status.plain(), "time_reached": self.status.time_reached * time},
            "stability": self.stability or None, "directions": self.directions,
            "eigenvalues": [float(x) * moment for x in self.eigenvalues], "residual": self.residual, "method": self.method,
            "iterations": self.iterations, "potential_energy": self.potential * moment, "notes": self.notes,
            "final": instant_plain(self.state.measurer, 0, units, accelerations=False),
        }  # fmt: skip
        if self.found.motion.dynamics is not None:
            plain["reactions"] = self.reactions(units=units)
        return plain

    def __repr__(self) -> str:
        """Return a line for people."""
        return f"<Equilibrium of {self.model.name!r}: {self.status.message}>"

    def __str__(self) -> str:
        """Return a short page."""
        units = self.model.units.names
        lines = [f'statics of "{self.model.name}": {self.status.message}', f"gravity: {gravity_text(self.tables)}"]
        if self.status.advice:
            lines.append(self.status.advice)
        rows = [("residual", f"{self.residual:.2g}"), ("found by", f"{self.method}, {self.iterations} iterations")]
        if self.ok:
            rows.append(("potential energy", f"{self.potential:.6g} {units['moment']}"))
        if len(self.eigenvalues):
            values = ", ".join(f"{x:.4g}" for x in self.eigenvalues[:SHOWN]) + (", …" if len(self.eigenvalues) > SHOWN else "")
            rows.append(("stiffness", f"{values} {units['moment']}"))
        rows += [(name, text) for name, text in self._coordinates()]
        width = max(len(name) for name, _ in rows)
        lines += [f"  {name:<{width}}  {text}" for name, text in rows]
        return "\n".join(lines + (["notes:", *(f"  {note}" for note in self.notes)] if self.notes else []))

    def _coordinates(self) -> list[tuple[str, str]]:
        """Return the scalar coordinates of joints as text, the first few."""
        found = []
        for joint in self.model.joints.values():
            own = joint.names_of_coordinates(self.tables.dimension)
            for item in own:
                is_length = self.tables.functions[self.tables.coordinates["joint", joint.name, item, 0]].is_length
                name = joint.name if len(own) == 1 else f"{joint.name}.{item}"
                value = self.state[f"{joint.name}.{item}"]
                found.append((name, f"{value:.6g} {self.model.units.length if is_length else 'rad'}"))
        return found[:SHOWN] + ([("…", f"{len(found) - SHOWN} more")] if len(found) > SHOWN else [])


def equilibrium(
    model: Model, initial: analysis.State | None, t: float | str | None, method: str | None, tolerance: float | None
) -> Equilibrium:
    """Return the equilibrium of a model; see :meth:`Model.statics`."""
    asked = own_options(model, "statics", t=t, method=method, tolerance=tolerance)
    return Equilibrium(search(model, initial, **{key: value for key, value in asked.items() if value is not None}))
