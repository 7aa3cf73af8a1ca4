"""A linearized model for python-control: its state space, with names and units."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from multibody.analyses.measures.measure import Measurer
from multibody.errors import ModelError
from multibody.results.mat import matlab_names
from multibody.state.system import tables_of

if TYPE_CHECKING:
    import control

    from multibody.results.modes import Modes


def state_space_of(modes: Modes) -> control.StateSpace:
    """Return a state space with names for python-control; see :meth:`Modes.to_control`.

    python-control allows no dots in names: they become underscores, as in MAT files (:mod:`multibody.results.mat`).
    """
    try:
        import control
    except ImportError:
        raise ModelError("python-control is not installed", where="to_control", hint="pip install multibody[control]") from None
    space = modes.state_space()
    named = {key: matlab_names(getattr(space, key)) for key in ("states", "inputs", "outputs")}
    made = control.ss(space.A, space.B, space.C, space.D, name=matlab_names([modes.model.name])[0], **named)
    units = {"states": _units(modes, space.states), "inputs": _input_units(modes, space.inputs)}
    units["outputs"] = _units(modes, space.outputs)
    made.notes = {
        "model": modes.model.name, "time_unit": modes.model.units.time, "about": modes.status.message, "at": modes.state.t,
        **{key: _told(named[key], getattr(space, key), units[key]) for key in named}, "notes": list(modes.notes),
    }  # fmt: skip
    return made


def _told(names: Sequence[str], paths: Sequence[str], units: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return path and unit of every name."""
    return {name: {"path": path, "unit": unit} for name, path, unit in zip(names, paths, units, strict=True)}


def _units(modes: Modes, paths: Sequence[str]) -> list[str]:
    """Return the units of paths; of a state that is no path (a body's small rotation) none is known."""
    state = modes.state
    q, v = np.array(state.q)[None, :], np.array(state.v)[None, :]
    measurer = Measurer(state.tables, np.array([state.t]), q, v, np.zeros_like(v), np.array(state.references))

    def unit(path: str) -> str:
        try:
            return str(measurer(path).unit)
        except ModelError:
            return ""

    return [unit(path) for path in paths]


def _input_units(modes: Modes, paths: Sequence[str]) -> list[str]:
    """Return the units of inputs: a moment where it acts along an angle or is one, else a force."""
    names, tables = modes.model.units.names, tables_of(modes.model)

    def unit(path: str) -> str:
        first, *rest = path.split(".")
        force = modes.model.forces.get(first)
        if force is not None and force.kind.name == "force":
            return names["moment" if "moment" in rest else "force"]
        if force is not None:
            along = tables.functions[tables.laws[tables.efforts_of(first)[0]].function].is_length
            return names["force" if along else "moment"]
        coordinate = _units(modes, [path.removesuffix(".effort")])[0]
        return names["moment" if coordinate == "rad" else "force"]

    return [unit(path) for path in paths]
