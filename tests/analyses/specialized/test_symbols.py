"""Paths as formulas of what is known at an instant, against the values that results give for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.analyses.specialized.symbols import SymbolicMeasurer
from multibody.errors import ModelError
from multibody.model.expressions import evaluate
from multibody.state.system import tables_of
from multibody.tables.scope import Scope

CASES = {
    "four-bar": [
        "norm(A.reaction.force)", "A.reaction.force.x - B.reaction.force.y", "O3.reaction.moment", "A.angle", "B.angle.rate",
        "A.angle.acceleration", "link2.x", "link3.y.rate", "link2.x.acceleration", "link2.angle.rate", "energy.total",
        "energy.work", "momentum.x", "angular_momentum", "t*length + l0",
    ],
    "spatial-four-bar": [
        "norm(A.reaction.force)", "O.reaction.moment.x", "D.reaction.force.z", "O.angle", "coupler.x", "rocker.y.rate",
        "coupler.z.acceleration", "coupler.omega.y", "energy.kinetic", "momentum.y", "pA.x*coupler_length",
    ],
}  # fmt: skip


def _formula(model: Any, text: str) -> Any:
    return Scope(model).reduced(model.formula(text, text), text)


def _measurers(name: str) -> tuple[Any, Any, Any]:
    """Return a model, the measurer of a short run of it, and a symbolic one."""
    model = mb.load(name)
    measurer = model.run(0.05, output_step=0.025).measurer
    tables = tables_of(model)
    count = tables.count_joint + tables.count_motion
    return model, measurer, SymbolicMeasurer(tables, measurer.dynamics.rows, int(tables.row_pointer[count]))


@pytest.mark.parametrize("name", CASES)
def test_means_what_results_mean(name: str) -> None:
    model, measurer, symbolic = _measurers(name)
    dynamics, numbers = measurer.dynamics, measurer.tables.F
    known = {
        "t": measurer.t[:, None], "bodies": np.hstack([measurer.q, measurer.v, dynamics.work[:, None]]), "A": measurer.a,
        "multipliers": dynamics.multipliers, "energies": np.stack([dynamics.kinetic, dynamics.potential], axis=1),
        "efforts": dynamics.efforts, "loads": dynamics.loads, "entries": measurer.forces.reactions.entries,
    }  # fmt: skip

    def lookup(parts: tuple[str, ...]) -> Any:
        part, k = parts[0][1:], int(parts[1])
        if part == "number":
            return numbers[k]
        if part in known:
            return known[part][:, k]
        return measurer.coordinate(symbolic.functions[k])[("values", "rates", "accelerations").index(part)]

    for text in CASES[name]:
        wanted = evaluate(_formula(model, text), measurer.lookup)
        found = evaluate(symbolic.formula(_formula(model, text), text), lookup)
        assert found == pytest.approx(wanted, rel=1e-13, abs=1e-13), text


def test_what_cannot_be_said_is_refused_by_name() -> None:
    model, _, symbolic = _measurers("four-bar")
    with pytest.raises(ModelError, match=r"made of another one"):
        symbolic.formula(mb.model.expressions.Expression("name", ("#0",)) * 2.0, "output")
    with pytest.raises(ModelError, match="nothing"):
        symbolic.formula(_formula(model, "nothing.x"), "output")
