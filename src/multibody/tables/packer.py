"""Numbers in F: where each of them lies, and which of them are formulas of the parameters."""

from __future__ import annotations

from collections.abc import Sequence

from multibody.model.expressions import Number
from multibody.model.matrices import Mat
from multibody.tables.lowered import EndSlots
from multibody.tables.placement import End
from multibody.tables.scope import Scope


class Packer:
    """Allocates numbers in F and remembers which of them are formulas.

    Parameters
    ----------
    scope : Scope
        The parameters, which come first in F.
    """

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.numbers: list[Number] = list(scope.formulas.values())
        self.parameter_slots = {path: k for k, path in enumerate(scope.order)}
        stated = scope.model.length
        self.length_slot = self.one(1.0 if stated is None else scope.scalar(stated, "length"))
        self._constants: dict[float, int] = {}

    def one(self, number: Number) -> int:
        """Allocate one number."""
        self.numbers.append(number)
        return len(self.numbers) - 1

    def many(self, numbers: Sequence[Number]) -> int:
        """Allocate several numbers in a row; return the offset of the first."""
        start = len(self.numbers)
        self.numbers.extend(numbers)
        return start

    def constant(self, value: float) -> int:
        """Return the offset of a constant, stored once."""
        if value not in self._constants:
            self._constants[value] = self.one(value)
        return self._constants[value]

    def weight(self, number: Number) -> int:
        """Return the offset of a weight; plain ones are shared."""
        return self.constant(number) if isinstance(number, float) else self.one(number)

    def matrix(self, matrix: Mat) -> int:
        """Allocate a matrix by rows; return the offset of its first number."""
        return self.many([x for row in matrix for x in row])

    def end(self, end: End) -> EndSlots:
        """Allocate a joint's end."""
        return EndSlots(end.body, self.many(end.point), self.matrix(end.axes))
