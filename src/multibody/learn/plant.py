"""What environments have in common: members with inputs, outputs, rewards and ends, as arrays; nothing of Gymnasium."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from multibody.analyses.dynamics.side_by_side import STEPPED_BY, SideBySide
from multibody.analyses.dynamics.stepper import input_slots, started
from multibody.arguments import number_in, short
from multibody.errors import ModelError, nearest
from multibody.formulations import FORMULATIONS, formulation_of
from multibody.integrators import contract as C
from multibody.learn.formulas import Reader
from multibody.learn.starts import Starts
from multibody.model.model import Model
from multibody.options.methods import AUTO
from multibody.state.system import Floats, tables_of
from multibody.tables.columns import columns_of
from multibody.tables.tree import spanning_tree

Rule = Callable[[], Floats]


class Plant:
    """Members of a model as a controller sees them.

    Parameters
    ----------
    model, inputs, outputs, step, reward, terminated, initial, substeps, formulation
        As for :meth:`Model.environment`.
    members : int

    Attributes
    ----------
    inputs, outputs : list of str
        Names of the numbers of an action and of an observation.
    low, high : arrays (inputs,)
        Limits of actions, infinite where there are none.
    notes : list of str
    """

    def __init__(
        self, model: Model, inputs: Any, outputs: Any, step: float, reward: Any, terminated: Any, initial: Any, members: int,
        substeps: int, formulation: Any,
    ) -> None:  # fmt: skip
        self.step, h = _length(step, substeps)
        limits = _limits(model, inputs)
        self.inputs = list(limits)
        self.low, self.high = (np.array([pair[k] for pair in limits.values()]) for k in (0, 1))
        sim, note = started(model, None, formulation or _default(model), STEPPED_BY, None, None, h)
        self.members = SideBySide(sim, self.inputs, _count(members, "members"), self.step)
        self.reader = Reader(self.members, self.inputs)
        self.notes = [*([note] if note else []), *self.members.notes]
        asked = _default_outputs(model) if outputs is None else _listed(outputs)
        pairs = [pair for one in asked for pair in self.reader.formulas(one, "outputs")]
        if not pairs:
            raise ModelError("there is nothing to observe", where="outputs", hint='name paths, such as ["O", "O.rate"]')
        self.outputs, self._observed = [name for name, _ in pairs], [formula for _, formula in pairs]
        self._reward = self._rule(reward, "reward")
        self._ends = [self._rule(one, "terminated") for one in _listed(terminated)]
        if not isinstance(initial, Mapping | None):
            raise ModelError(f"{short(initial)} is no mapping", where="initial", hint='write {"pivot": (-0.1, 0.1)}')
        self.starts = Starts(model, self.members, self.reader, initial or {})
        self.last = np.zeros((self.members.count, len(self.inputs)))

    def _rule(self, given: Any, where: str) -> Rule:
        """Return what gives a number a member: a formula, or a function of observations and actions."""
        if callable(given):
            return lambda: _answer(given(self.observe(), self.last.copy()), self.members.count, where)
        found = self.reader.formulas(given if isinstance(given, str) else str(given), where)
        if len(found) != 1:
            raise ModelError("it is a vector", where=where, hint="write a formula that is a number")
        formula = found[0][1]
        return lambda: self.reader(formula)

    # --- going on -----------------------------------------------------------------------------------------------------
    def reset(self, which: Sequence[int], generators: Sequence[np.random.Generator]) -> dict[int, str]:
        """Begin episodes of some members; return why some could not be put to their starts, by member."""
        failures = self.starts(which, generators)
        self.last[list(which)] = 0.0
        self.reader.at(self.last)
        return failures

    def advance(self, actions: Any, going: Any) -> dict[int, str]:
        """Step the members whose `going` is true; return why some stopped, by member."""
        self.last = self._checked(actions)
        statuses = self.members.advance(self.last, np.asarray(going, dtype=np.int64))
        self.reader.at(self.last)
        return {int(k): self.members.why(int(k)) for k in np.flatnonzero(statuses != C.DONE)}

    def _checked(self, actions: Any) -> Floats:
        """Return actions as numbers within their limits; what is no finite number is refused."""
        count = self.members.count
        try:
            given = np.array(actions, dtype=np.float64).reshape(count, len(self.inputs))
        except (TypeError, ValueError):
            hint = f"give an array of {len(self.inputs)} numbers" + (f" for each of {count} members" if count > 1 else "")
            raise ModelError(f"{short(actions)} is no action", where="step", hint=hint) from None
        if not np.all(np.isfinite(given)):
            member = int(np.argmax(~np.all(np.isfinite(given), axis=1)))
            raise ModelError(f"the action of member {member} is not finite", where="step", hint="give finite numbers")
        return np.clip(given, self.low, self.high)

    def observe(self) -> Floats:
        """Return observations (members, outputs)."""
        return np.stack([self.reader(formula) for formula in self._observed], axis=1)

    def rewards(self) -> Floats:
        """Return rewards (members,)."""
        return np.array(self._reward())

    def ended(self) -> Any:
        """Return which members have reached an end (members,)."""
        found = np.zeros(self.members.count, dtype=bool)
        for rule in self._ends:
            found |= rule() != 0.0
        return found


# --- what is given ----------------------------------------------------------------------------------------------------
def _length(step: Any, substeps: Any) -> tuple[float, float]:
    """Return the length of a step and of the integrator's."""
    length = number_in(step)
    if not (math.isfinite(length) and length > 0.0):
        raise ModelError(f"step is {short(step)}", where="environment", hint="give the time between two actions")
    return length, length / _count(substeps, "substeps")


def _count(value: Any, name: str) -> int:
    """Return a whole number from 1 on."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ModelError(f"{name} is {short(value)}", where="environment", hint="give a whole number from 1 on")
    return int(value)


def _listed(given: Any) -> list[Any]:
    """Return one or several items as a list."""
    if given is None:
        return []
    if isinstance(given, str) or callable(given) or not isinstance(given, Sequence):
        return [given]
    return list(given)


def _limits(model: Model, inputs: Any) -> dict[str, tuple[float, float]]:
    """Return the inputs with their limits; a vector becomes its components."""
    known, found = input_slots(tables_of(model)), dict[str, tuple[float, float]]()
    given = inputs if isinstance(inputs, Mapping) else dict.fromkeys(_listed(inputs))
    for path, limit in given.items():
        if path not in known:
            there = f"It has {', '.join(known)}." if known else "The model has no effort: add model.effort(...)."
            hint = f"{nearest(str(path), known)} {there}".strip()
            raise ModelError(f"{short(path)} cannot be set", where="inputs", hint=hint)
        axes = [f".{axis}" for axis in "xyz"[: len(known[path].values)]] if len(known[path].values) > 1 else [""]
        pair = (-math.inf, math.inf) if limit is None else _pair(path, limit)
        for axis in axes:
            if f"{path}{axis}" in found:
                raise ModelError(f'"{path}{axis}" is given twice', where="inputs", hint="name each component once")
            found[f"{path}{axis}"] = pair
    if not found:
        raise ModelError("there is nothing to act on", where="inputs", hint='write {"motor.effort": (-10, 10)}')
    return found


def _pair(path: str, limit: Any) -> tuple[float, float]:
    """Return limits (low, high)."""
    low, high = (number_in(x) for x in limit) if isinstance(limit, tuple | list) and len(limit) == 2 else (math.nan, math.nan)
    if not low < high:
        raise ModelError(f"{short(limit)} are no limits", where=f"inputs.{path}", hint="write (low, high)")
    return low, high


def _default(model: Model) -> str:
    """Return the formulation: where there are no loops one whose coordinates are then free, else what runs take."""
    tables = tables_of(model)
    loops = len(columns_of(tables, spanning_tree(tables, None)).loop_rows())
    return AUTO if loops else next(name for name in FORMULATIONS if formulation_of(name).free)


def _default_outputs(model: Model) -> list[str]:
    """Return coordinates and rates of all joints."""
    every = [f"{name}.{item}" for name, joint in model.joints.items() for item in joint.names_of_coordinates(model.dimension)]
    return [*every, *(f"{name}.rate" for name in every)]


def _answer(values: Any, count: int, where: str) -> Floats:
    """Return what a user's function gave as a number a member."""
    try:
        return np.broadcast_to(np.asarray(values, dtype=np.float64).reshape(-1 if np.ndim(values) else 1), (count,))
    except (TypeError, ValueError):
        hint = f"let the function return an array of {count} numbers"
        raise ModelError(f"the function returned {short(values)}", where=where, hint=hint) from None
