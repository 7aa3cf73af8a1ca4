"""Where members begin: the model's own start, with values that are drawn anew for every episode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from multibody.analyses.dynamics.opening import opened
from multibody.analyses.dynamics.side_by_side import SideBySide
from multibody.arguments import number_in, short
from multibody.errors import AnalysisError, ModelError
from multibody.learn.formulas import Reader
from multibody.model.forces import coordinate_text
from multibody.model.model import Model
from multibody.model.parameters import changed
from multibody.state.system import Floats, tables_of
from multibody.study.varied import varied_model


class Starts:
    """Draws initial states and puts members there.

    Parameters
    ----------
    model : Model
    members : SideBySide
    reader : Reader
    initial : mapping
        By path a number, a range (low, high), or a distribution with ``ppf``.
    """

    def __init__(self, model: Model, members: SideBySide, reader: Reader, initial: Mapping[Any, Any]) -> None:
        paths = [coordinate_text(path, "initial") for path in initial]
        self.members, self.model = members, model
        self.draws = [drawn(path, value) for path, value in zip(paths, initial.values(), strict=True)]
        columns = [reader.column_of(path) for path in paths]
        self.columns = [column for column in columns if column is not None]
        self.direct = members.free and len(self.columns) == len(columns) and len(set(columns)) == len(columns)
        self._varied = varied_model(model, [f"initial.{path}" for path in paths], None) if paths else None
        if self._varied is not None:
            tables_of(self._varied[0])  # lowered once: starts differ in numbers alone

    def __call__(self, which: Sequence[int], generators: Sequence[np.random.Generator]) -> dict[int, str]:
        """Put members to newly drawn starts; return why some could not be, by member: these are at the model's own start."""
        members = np.asarray(which, dtype=np.int64)
        if not self.draws:
            for member in members:
                self.members.restart(int(member))
            return {}
        parts = np.array([generator.random(len(self.draws)) for generator in generators]).reshape(len(members), len(self.draws))
        values = np.stack([draw(parts[:, k]) for k, draw in enumerate(self.draws)], axis=1)
        quick = self.members.near(self.columns, values) if self.direct else np.zeros(len(members), dtype=bool)
        if np.any(quick):
            self.members.put(members[quick], self.columns, values[quick])
        failures = {}
        for k in np.flatnonzero(~quick):
            why = self._assembled(int(members[k]), values[k])
            if why:
                failures[int(members[k])] = why
        return failures

    def _assembled(self, member: int, values: Floats) -> str:
        """Assemble a member with initial values; return why it could not be, "" where it could."""
        assert self._varied is not None
        made, names, _ = self._varied
        try:
            opening = opened(changed(made, dict(zip(names, map(float, values), strict=True))), None).required()
        except (ModelError, AnalysisError) as error:
            self.members.restart(member)
            return str(error)
        self.members.place(member, opening.state)
        return ""


def drawn(path: str, given: Any) -> Any:
    """Return what turns numbers between 0 and 1 into initial values: of a number, a range, or a distribution."""
    value = number_in(given)
    if np.isfinite(value):
        return lambda u: np.full(len(u), value)
    if isinstance(given, tuple | list) and len(given) == 2:
        low, high = (number_in(x) for x in given)
        if np.isfinite(low) and np.isfinite(high) and low <= high:
            return lambda u: low + (high - low) * u
    if callable(getattr(given, "ppf", None)):
        return lambda u: np.asarray(given.ppf(u), dtype=float)
    hint = "give a number, a range (low, high), or a distribution: mb.normal(0, 0.1), one of scipy.stats"
    raise ModelError(f"{short(given)} is no initial value", where=f"initial.{path}", hint=hint)
