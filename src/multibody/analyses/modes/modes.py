"""Modes: natural frequencies, damping ratios and shapes of the motion near a state, and its state-space matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from multibody.analyses.dynamics.opening import opened_at
from multibody.analyses.dynamics.run_start import require_masses, start_state
from multibody.analyses.linear.linearization import Linearization, linearize, motion_at
from multibody.analyses.modes.minimal import Minimal, minimal
from multibody.analyses.modes.spectrum import lowest_modes, spectrum
from multibody.analyses.statics.balance import Balance
from multibody.analyses.statics.statics import Balanced, statics
from multibody.errors import ModelError, nearest
from multibody.model.model import Model
from multibody.rank.leastnorm import DENSE_LIMIT
from multibody.state.named_columns import in_words
from multibody.state.state import State, Status
from multibody.state.system import Floats, Integers, System, tables_of

Complexes = npt.NDArray[np.complex128]
PLACES = ("equilibrium", "initial")
DENSE_MODES = 2000  # velocity columns up to which a moving model is linearized with full matrices
FEW = 10  # modes of a large model
RESTING = 1e-9  # scaled velocity below which a state is at rest


@dataclass(frozen=True)
class Linear:
    """The linearized motion near a state.

    Attributes
    ----------
    state : State
    status : Status
    eigenvalues : array (modes,)
        λ of exp(λ t), one of every conjugate pair, by their size [1/time]; zero modes are exactly 0.
    shapes : array (nv, modes)
        Displacements d of every mode, largest scaled component 1.
    minimal : Minimal, optional
        Matrices in minimal coordinates; not formed for large models.
    inputs, outputs : list of str
    B, C, D : arrays
        Of ẋ = A x + B u, y = C x + D u.
    equilibrium : Balanced, optional
        Where it was sought.
    notes : list of str
    """

    state: State
    status: Status
    eigenvalues: Complexes
    shapes: Complexes
    minimal: Minimal | None = None
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    B: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    C: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    D: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    equilibrium: Balanced | None = None
    notes: list[str] = field(default_factory=list)


def modes(
    model: Model, initial: State | None = None, at: Any = None, inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None, count: int | None = None,
) -> Linear:  # fmt: skip
    """Return the linearized motion of a model near a state.

    Parameters
    ----------
    model : Model
    initial : State, optional
        Where to start; default the model's own initial state.
    at : {"equilibrium", "initial"} or State, optional
        Where to linearize: at the equilibrium that statics finds from the initial state, at the initial state itself, or at a
        given one. Default the equilibrium where the initial state is at rest, else that state.
    inputs, outputs : list of str, optional
        Names for the state-space matrices.
    count : int, optional
        How many modes, lowest first; default all, of a large model 10.
    """
    _check_options(at, count)
    system = System(tables_of(model))
    require_masses(system)
    state, balanced, notes = _place(model, system, initial, at)
    if not state.ok:
        none = np.zeros(0, dtype=complex)
        return Linear(state, state.status, none, np.zeros((system.nv, 0), dtype=complex), equilibrium=balanced, notes=notes)
    opening = opened_at(system, state).with_inertia()
    rows = opening.rows
    if opening.determined:
        return _nothing(system, state, balanced, notes)
    point = _linearized(system, state, rows, balanced, notes)
    if system.nv > DENSE_LIMIT and (balanced is not None or not _moves(point)):
        found = _large(system, point, rows, count, (inputs, outputs))
    else:
        found = _small(model, system, point, rows, count, (inputs, outputs))
    word = (
        f"linearized at a{'n' if state.status.message[0] in 'iu' else ''} {state.status.message}" if balanced else "linearized"
    )
    status = Status(True, word, state.t)
    return replace(found, state=state, status=status, equilibrium=balanced, notes=notes + found.notes)


def _check_options(at: Any, count: int | None) -> None:
    """Refuse what is no place and no count."""
    if not (at is None or isinstance(at, State) or at in PLACES):
        hint = f"{nearest(str(at), PLACES)} It is equilibrium, initial, or a state."
        raise ModelError(f'at is "{at}"', where="modes", hint=hint.strip())
    if count is not None and (not isinstance(count, int) or isinstance(count, bool) or count < 1):
        raise ModelError(f"count is {count}", where="modes", hint="give a whole number from 1 on")


def _place(model: Model, system: System, initial: State | None, at: Any) -> tuple[State, Balanced | None, list[str]]:
    """Return the state to linearize about, the equilibrium if it is one, and notes."""
    state, note = start_state(model, at if isinstance(at, State) else initial, None)
    notes = [note] if note else []
    if not state.ok or isinstance(at, State) or at == "initial":
        return state, None, notes
    if at is None and _speed(system, state) > RESTING:
        notes.append("the initial state moves: linearized there (at='equilibrium' looks for a position at rest)")
        return state, None, notes
    found = statics(model, state)
    last = found.motion
    status = found.status if not found.status.success else Status(True, found.status.message, state.t)
    still = State(system.tables, state.t, last.q[0], last.v[0], last.references[0], "", status)
    return still, found, notes + found.notes


def _speed(system: System, state: State) -> float:
    """Return the largest scaled velocity."""
    return float(np.max(np.abs(state.v / system.scale_columns), initial=0.0))


def _moves(point: Linearization) -> bool:
    """Return whether a state has velocities or accelerations."""
    return bool(np.any(point.v) or np.any(point.a))


def _linearized(system: System, state: State, rows: Integers, balanced: Balanced | None, notes: list[str]) -> Linearization:
    """Return the derivatives at a state: at an equilibrium with motions held, else with the accelerations of the motion."""
    if balanced is not None:
        assert balanced.motion.dynamics is not None
        found = linearize(system, state, np.zeros(system.nv), balanced.motion.dynamics.multipliers[0])
        return replace(found, V=0.0 * found.V)  # a motion that is held has no rate that could change
    motion = motion_at(system, state, rows)
    a, size = motion.A[0].copy(), float(np.max(np.abs(motion.A[0] / system.scale_columns), initial=0.0))
    multipliers = motion.dynamics.multipliers[0]
    if _speed(system, state) > RESTING:
        notes.append("a snapshot: at a state that moves, modes hold for as long as its coefficients stay as they are")
    elif size > 1e-8:
        notes.append("the state is no equilibrium: modes describe motions beside the one that begins there")
    else:
        a[:] = 0.0
        state = replace(state, v=np.zeros(system.nv)) if _speed(system, state) else state
    return linearize(system, state, a, multipliers)


def _large(system: System, point: Linearization, rows: Integers, count: int | None, ports: tuple[Any, Any]) -> Linear:
    """Return the lowest modes of a large model at rest by sparse factors."""
    if ports != (None, None):
        hint = f"models of up to {DENSE_LIMIT} coordinates have state-space matrices"
        raise ModelError("the model is too large for inputs and outputs", where="modes", hint=hint)
    state = _state(point, system)
    values, shapes = lowest_modes(Balance(system, state, rows), point, count or FEW)
    more = count is None and len(values) < system.nv - len(rows)
    notes = [f"large model: the lowest {len(values)} modes; count asks for more"] if more else []
    return Linear(state, Status(True, "linearized", point.t), values, _normal(system, shapes), notes=notes)


# --- full matrices ----------------------------------------------------------------------------------------------------
def _small(
    model: Model, system: System, point: Linearization, rows: Integers, count: int | None, ports: tuple[Any, Any]
) -> Linear:
    """Return the modes of a model by full matrices."""
    from multibody.analyses.modes.ports import input_forces, output_rows

    if system.nv > DENSE_MODES:
        raise ModelError(
            f"{system.nv} coordinates are too many to linearize a moving state", where="modes", hint="linearize at rest"
        )
    made = minimal(system, point, rows)
    force = Balance(system, _state(point, system), rows).reference(point.q)
    values, Z = spectrum(system, point, made, _moves(point), force)
    shapes = (made.D @ Z).astype(complex)
    keep = slice(0, count)
    names, forces = input_forces(model, system, point, ports[0])
    B, dv = made.response(forces)
    outputs, C, D = output_rows(model, system, point, made, dv, ports[1])
    B = np.vstack([np.zeros_like(B), B])
    zero = [in_words(system, point.q, np.real(shapes[:, k])) for k in np.flatnonzero(values == 0.0)]
    notes = [f"zero mode{'' if len(zero) == 1 else 's'}: {'; '.join(zero[:4])}"] if zero else []
    return Linear(
        _state(point, system), Status(True, "linearized", point.t), values[keep], _normal(system, shapes)[:, keep], made, names,
        outputs, B, C, D, notes=notes,
    )  # fmt: skip


def _state(point: Linearization, system: System) -> State:
    """Return the state of a linearization."""
    return State(system.tables, point.t, point.q, point.v, system.ref.copy(), "", Status(True, "linearized", point.t))


def _nothing(system: System, state: State, balanced: Balanced | None, notes: list[str]) -> Linear:
    """Return the modes of a model in which nothing can move: none."""
    none = np.zeros(0, dtype=complex)
    status = Status(True, "nothing can move: the joints and motions hold all bodies", state.t)
    return Linear(state, status, none, np.zeros((system.nv, 0), dtype=complex), equilibrium=balanced, notes=notes)


def _normal(system: System, shapes: Complexes) -> Complexes:
    """Return shapes with the largest scaled component 1."""
    found = shapes.copy()
    for k in range(shapes.shape[1]):
        scaled = shapes[:, k] / system.scale_columns
        found[:, k] /= scaled[int(np.argmax(np.abs(scaled)))]
    return found
