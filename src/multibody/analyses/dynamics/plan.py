"""What a run begins with, kept with the tables: the same question asked again finds options, start and blocks as they were.

All of it follows from the tables and from what was asked for. A model that was changed has other tables, and numbers that were
changed too; nothing that is kept is written to, every run copies what it writes.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from multibody.analyses.dynamics.choice import Choice
from multibody.analyses.dynamics.opening import Opening, begun
from multibody.analyses.dynamics.simulation import Simulation
from multibody.analyses.given.run_options import Options
from multibody.formulations.prepare import KEPT
from multibody.state.state import State
from multibody.state.system import Floats
from multibody.tables.lower import Tables

MOST = 8  # plans that tables keep, the latest ones: whoever asks for ever other tolerances fills no memory
PLAIN = (float, int, str, bool, type(None), np.float64)  # arguments by whose value a plan is found again


@dataclass(frozen=True)
class Plan:
    """What a run begins with.

    Attributes
    ----------
    tables : Tables
        Of the model.
    options : Options
    choice : Choice
    opening : Opening
        With a consistent state, and with inertias wherever something is free.
    times : array
        Instants of the output.
    said : tuple of str
        What is worth a word, empty texts among them.
    first : Simulation, optional
        At the start, never advanced; None where nobody asked for it again, it cannot be copied or would take too much memory.
    """

    tables: Tables
    options: Options
    choice: Choice
    opening: Opening
    times: Floats
    said: tuple[str, ...]
    first: Simulation | None = None

    @property
    def state(self) -> State:
        """The start, with arrays that its reader may change."""
        found = self.opening.state
        return replace(found, q=found.q.copy(), v=found.v.copy(), references=found.references.copy(), history=[*found.history])

    def start(self) -> Opening:
        """Return the opening with a workspace of its own."""
        return replace(self.opening, system=self.opening.system.working())

    def prepared(self) -> Plan:
        """Return the plan with a simulation that others are copied from, where that is worth it."""
        if self.first is not None or self.choice.integrator.implicit or self.opening.system.nv > KEPT:
            return self
        first, choice = begun(self.start(), self.choice, self.options)
        return replace(self, choice=choice, first=first)

    def simulation(self) -> tuple[Simulation, Choice]:
        """Return a simulation at the start, and what was chosen in the end."""
        return begun(self.start(), self.choice, self.options) if self.first is None else (self.first.again(), self.choice)


def question(*asked: Any) -> Hashable:
    """Return what was asked for as a key, None where its values do not tell everything: objects, arrays, lists."""
    kinds = tuple(map(type, asked))  # 1, 1.0 and True are equal, and not the same
    return (kinds, asked) if all(kind in PLAIN for kind in kinds) else None


def known_plan(tables: Tables | None, key: Hashable) -> Plan | None:
    """Return the plan of a question, None where it was not asked yet."""
    plans: dict[Hashable, Plan] = tables.cache.get("plans", {}) if tables is not None and key is not None else {}
    return plans.get(key)


def keep_plan(tables: Tables, key: Hashable, plan: Plan) -> None:
    """Keep the plan of a question, and let the oldest go where there are many."""
    plans: dict[Hashable, Plan] = tables.cache.setdefault("plans", {})
    plans[key] = plan
    for old in list(plans)[:-MOST]:
        plans.pop(old, None)
