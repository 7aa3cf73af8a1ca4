"""From the values of parameters to the numbers of members: geometry, masses, initial values, scales; all members at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from multibody.integrators import members as M
from multibody.kernels.calls import address_with
from multibody.kernels.programs import evaluate_programs
from multibody.model.expressions import Expression, evaluate
from multibody.model.model import Model
from multibody.state.system import Flags, Floats, Integers
from multibody.tables.length import set_lengths
from multibody.tables.lower import Tables
from multibody.tables.scales import characteristic_masses
from multibody.tables.scope import Scope

LEAST = 1e-9  # of the largest mass and inertia: what counts beside them
DROWNING = 1e-7  # of the largest mass: lighter bodies drown where M is inverted
OPENED = "it does not close at once"  # why a member is left to the ordinary path


class NotServed(Exception):  # noqa: N818  # nothing went wrong
    """Why the members of a study are computed by the ordinary path."""


def note(why: Any, good: Flags, text: str) -> None:
    """Note why members are left to the ordinary path, where nothing is noted yet."""
    why[(why == "") & ~good] = text


class Numbers:
    """What numbers the members of a model have, by the values of some of its parameters.

    Parameters
    ----------
    tables : Tables
        Of the model.
    names : sequence of str
        Scalar parameters that are given for every member.
    """

    def __init__(self, tables: Tables, names: Sequence[str]) -> None:
        self.tables = tables
        self.given = np.array([tables.parameter_slots[(name,)] for name in names], dtype=np.int64)
        keep = ~np.isin(tables.slots, self.given)
        self._starts, self._slots = tables.starts[keep], tables.slots[keep]
        limits = [(tables.model.parameters[name].min, tables.model.parameters[name].max) for name in names]
        self._low = np.array([-np.inf if low is None else low for low, _ in limits])
        self._high = np.array([np.inf if high is None else high for _, high in limits])
        layout, self._translations = tables.layout, np.zeros(tables.nv, dtype=bool)
        layout.split_rates(self._translations, len(tables.bodies) - 1)[:, layout.shift] = True
        self._lengths = np.array([row.is_length for row in tables.rows], dtype=bool)

    def fill(self, values: Floats, models: Integers, scratch: int, numbers: Floats) -> Flags:
        """Write the numbers of members; return which of them are sound.

        Parameters
        ----------
        values : array (members, given)
        models : array of int (members,)
            Addresses of models that read `numbers`.
        scratch : int
            Address of room for programs.
        numbers : array (members, numbers), written
        """
        numbers[:] = self.tables.F
        numbers[:, self.given] = values
        sound = np.all(np.isfinite(values) & (values >= self._low) & (values <= self._high), axis=1)
        planar = self.tables.dimension == 2
        M.number_members(_address(planar), models, scratch, self._starts, self._slots, numbers)
        sound &= np.all(np.isfinite(numbers), axis=1)
        set_lengths(self.tables, numbers)
        sound[sound] = self.tables.conditions.hold(numbers[sound])
        return np.asarray(sound)

    def scales(self, numbers: Floats, rows: Floats, columns: Floats) -> None:
        """Write what makes rows and columns of Φ_q free of units (members, ·)."""
        length = numbers[:, self.tables.packed.length, None]
        rows[:] = np.where(self._lengths[: rows.shape[1]], 1.0 / length, 1.0)
        columns[:] = np.where(self._translations, length, 1.0)

    def heavy(self, numbers: Floats) -> Flags:
        """Return whether every body has a mass and an inertia that count beside those of the others."""
        tables = self.tables
        masses = numbers[:, [slots.mass for slots in tables.masses]]
        at = np.array([slots.inertia for slots in tables.masses])
        if tables.dimension == 2:
            least: Floats = numbers[:, at]
            largest = least
        else:
            moments = np.linalg.eigvalsh(numbers[:, at[:, None] + np.arange(9)].reshape(len(numbers), len(at), 3, 3))
            least, largest = np.asarray(moments[..., 0]), np.asarray(moments[..., -1])
        length = numbers[:, tables.packed.length] ** 2
        size = np.maximum(masses.max(axis=1) * length, largest.max(axis=1))
        counts = np.minimum(masses.min(axis=1) * length, least.min(axis=1)) > LEAST * size
        return np.asarray(counts & (masses.min(axis=1) >= DROWNING * masses.max(axis=1)))

    def inverts(self, numbers: Floats, invertible: Flags) -> Flags:
        """Return for which members M is inverted, as ``inverts_masses`` decides it, by whether each mass and inertia can be."""
        masses = numbers[:, [slots.mass for slots in self.tables.masses]]
        drowning = np.min(masses, axis=1, initial=np.inf) < DROWNING * np.max(masses, axis=1, initial=0.0)
        return np.asarray(invertible & ~drowning)

    def row_weights(self, numbers: Floats, weights: Floats) -> None:
        """Write the weights of rows in the matrix of the general path (members, rows), none where M is inverted."""
        mass, lengths = characteristic_masses(self.tables, numbers)[:, None], numbers[:, self.tables.packed.length]
        squares = np.array([[length**2] for length in lengths.tolist()])  # by the power of single numbers, to the last digit
        weights[:] = np.where(self._lengths[: weights.shape[1]], mass, mass * squares)

    def number(self, model: Model, value: Any, where: str) -> Any:
        """Return a formula of parameters as what :meth:`evaluated` takes: a number, or a formula."""
        scope = Scope(model)
        return scope.scalar(model.formula(value, where), where)

    def evaluated(self, formula: Any, numbers: Floats) -> Floats:
        """Return a formula of parameters for every member (members,)."""
        if not isinstance(formula, Expression):
            return np.full(len(numbers), float(formula))
        slots = self.tables.parameter_slots
        found = evaluate(formula, lambda parts: numbers[:, slots[parts]].copy())
        return np.broadcast_to(np.asarray(found, dtype=float), (len(numbers),)).copy()


def _address(planar: bool) -> int:
    """Return where the evaluation of programs begins."""
    return address_with(evaluate_programs, M.as_called(M.NUMBERS, planar))
