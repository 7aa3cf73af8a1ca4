"""Numbers that there can be: what was asked of them when a model was lowered holds for other parameters too."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from multibody.tables.lowered import MassSlots
from multibody.tables.mass import is_possible
from multibody.tables.wrench_elements import is_energetic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from multibody.tables.packer import Packer
    from multibody.tables.scope import Scope

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]
    Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Conditions:
    """Conditions on the numbers of a model that depend on parameters.

    Attributes
    ----------
    places : array of int
        Of numbers that must be zero or above; above zero where `strict` says so.
    strict : array of bool
    matrices : list of (int, int)
        Where symmetric matrices without negative eigenvalues begin, and their numbers of rows.
    inertias : list of int
        Where inertias begin, 3×3 each.
    """

    places: Integers
    strict: Flags
    matrices: list[tuple[int, int]]
    inertias: list[int]

    @classmethod
    def of(cls, scope: Scope, packer: Packer, masses: Iterable[MassSlots], dimension: int) -> Conditions:
        """Return what a scope was told to keep; formulas become numbers of the model."""
        first = packer.many([formula for formula, _ in scope.conditions])
        strict = np.array([strict for _, strict in scope.conditions], dtype=bool)
        matrices = [(packer.many([x for row in matrix for x in row]), len(matrix)) for matrix in scope.matrices]
        varied = {slot for slot, number in enumerate(packer.numbers) if not isinstance(number, float)}
        inertias = [slots.inertia for slots in masses if slots.stated] if dimension == 3 else []
        own = [at for at in inertias if not varied.isdisjoint(range(at, at + 9))]
        return cls(first + np.arange(len(strict)), strict, matrices, own)

    def hold(self, numbers: Floats) -> Flags:
        """Return whether numbers of models (models, numbers) are those of bodies, joints and forces that there can be."""
        values = numbers[:, self.places]
        sound = np.all(np.where(self.strict, values > 0.0, values >= 0.0), axis=1)
        for at in self.inertias:
            sound &= is_possible(np.asarray(np.linalg.eigvalsh(_matrices(numbers, at, 3)), dtype=np.float64))
        for at, count in self.matrices:
            sound &= is_energetic(_matrices(numbers, at, count))
        return np.asarray(sound)


def _matrices(numbers: Floats, at: int, count: int) -> Floats:
    """Return square matrices that lie in numbers of models (models, count, count)."""
    return numbers[:, at : at + count * count].reshape(-1, count, count)
