"""Formulas of many members at once: paths, inputs and the time, read from states that lie side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from multibody.analyses.dynamics.side_by_side import SideBySide
from multibody.analyses.measures.measure import Measurer
from multibody.analyses.measures.readable import paths_of
from multibody.errors import ModelError
from multibody.model.expressions import CONSTANTS, evaluate, names
from multibody.model.result_paths import RESULT_KINDS
from multibody.results.reading import labels_of, path_text
from multibody.state.system import Floats
from multibody.tables.scope import Scope


class Component(NamedTuple):
    """One number of a quaternion, whose components are no names of formulas."""

    path: str
    k: int


class Reader:
    """Reads formulas of all members; what lies in the states themselves is taken from there.

    Parameters
    ----------
    members : SideBySide
    inputs : sequence of str
        Names of the inputs, in the order of their columns.
    """

    def __init__(self, members: SideBySide, inputs: Sequence[str]) -> None:
        self.members, self.model = members, members.tables.model
        self.inputs = {name: k for k, name in enumerate(inputs)}
        self.values = np.zeros((members.count, len(inputs)))
        self._scope = Scope(self.model)
        self._measurer: Measurer | None = None
        self._columns: dict[tuple[str, ...], int | None] = {}
        self._tables: dict[str, Callable[..., Any]] | None = None

    def at(self, inputs: Floats) -> None:
        """Take note of new states and inputs."""
        self.values, self._measurer = inputs, None

    def formulas(self, given: Any, where: str) -> list[tuple[str, Any]]:
        """Return names and formulas of a path or an expression; a vector has one for each component."""
        text = path_text(given)
        parts = tuple(text.split("."))
        if parts[-1] == "rotation" and self.model.resolve(parts, where, results=True).kind == "rotation":
            return list(zip(labels_of(text, 4), [Component(text, k) for k in range(4)], strict=True))
        formula = self.model.formula(text, where)
        reduced = self._scope.reduced(formula, where)
        made = [self._scope.formula(part, where) for part in (reduced if isinstance(reduced, tuple) else (reduced,))]
        for part in made:
            self._require_known(part, where)
        return list(zip(labels_of(text, len(made)), made, strict=True))

    def _require_known(self, formula: Any, where: str) -> None:
        """Refuse forces and accelerations, which are not computed between the steps."""
        free = [] if isinstance(formula, float) else [parts for parts in names(formula) if ".".join(parts) not in self.inputs]
        for parts in free:
            if parts in CONSTANTS or parts == ("t",):
                continue
            path = self.model.resolve(parts, where, results=True)
            used = [path, *(paths_of(self.model, self.model.outputs[path.owner]) if path.kind == "output" else ())]
            if any(one.kind in RESULT_KINDS or one.order > 1 for one in used):
                hint = "an environment reads positions, velocities, its inputs and t"
                raise ModelError(f'"{".".join(parts)}" is a force or an acceleration', where=where, hint=hint)

    def __call__(self, formula: Any) -> Floats:
        """Return the values of a formula for all members."""
        found: Any = formula
        if isinstance(formula, Component):
            return np.asarray(self._measured()(formula.path).values[:, formula.k])
        if not isinstance(formula, float) and formula.op == "name":
            found = self._lookup(formula.args)
        elif not isinstance(formula, float):
            if self._tables is None:
                self._tables = Measurer.splines(self._measured())
            found = evaluate(formula, self._lookup, self._tables)
        return found if np.ndim(found) == 1 else np.full(self.members.count, found)

    def _lookup(self, parts: tuple[str, ...]) -> Any:
        """Return the values of a name."""
        if parts == ("t",):
            return self.members.times
        if parts not in self._columns:
            self._columns[parts] = self._column(parts)
        column = self._columns[parts]
        if column is not None:
            return self.values[:, -1 - column] if column < 0 else self.members.Y[:, column]
        return self._measured().lookup(parts)

    def _column(self, parts: tuple[str, ...]) -> int | None:
        """Return where a name stands among the states, −1 − k for the k-th input; None where it has to be measured."""
        text = ".".join(parts)
        if text in self.inputs:
            return -1 - self.inputs[text]
        path = self.model.resolve(parts, text, results=True)
        if path.kind != "joint" or path.order > 1:
            return None
        return self.members.columns.get((self.members.tables.coordinates["joint", path.owner, path.item, 0], path.order))

    def _measured(self) -> Measurer:
        """Return what reads all other paths at the present states."""
        if self._measurer is None:
            self._measurer = self.members.measurer()
        return self._measurer

    def column_of(self, text: str) -> int | None:
        """Return where a joint coordinate or its rate stands in the states, None where it does not."""
        parts = tuple(text.split("."))
        if not all(part.isidentifier() for part in parts):
            return None
        column = self._column(parts)
        return None if column is None or column < 0 else column
