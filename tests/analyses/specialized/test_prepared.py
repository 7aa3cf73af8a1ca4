"""Members of specialized code before they move: all at once, and to the bit what simulations begin with."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.analyses.specialized.prepared import Preparation

RK4 = {"until": 0.1, "integrator": "rk4", "step": 0.01}
CASES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "bodies in the plane": ("four-bar", "l0", RK4), "feedback": ("four-bar", "l0", {**RK4, "formulation": "baumgarte"}),
    "bodies in space": ("arm7", "spacing", {**RK4, "formulation": "augmented"}),
    "joints in the plane": ("double-pendulum", "a", {**RK4, "formulation": "articulated"}),
    "joints in space": ("arm7", "spacing", {**RK4, "formulation": "articulated"}),
    "steps of their own": ("four-bar", "l0", {"until": 0.1, "integrator": "dop853"}),
    "an implicit method": ("four-bar", "l0", {**RK4, "integrator": "alpha"}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_members_are_prepared_all_at_once(name: str) -> None:
    """None is made by itself: that would take ten to a hundred times as long, and nobody would be told."""
    model_name, key, told = CASES[name]
    model = mb.load(model_name)
    own = float(model.parameters[key].value)
    preparation = Preparation(model, (key,), None, told)
    values = own * np.array([[1.0], [1.001], [0.999]])
    made = preparation.prepared(values)
    assert preparation._quick is not None and preparation._checked and np.all(made.fits)
    for k, row in enumerate(values):
        alone = preparation._one(row)
        assert alone is not None
        counted = preparation._quick.counted(made.numbers.shape[1])
        np.testing.assert_array_equal(made.numbers[k, counted], alone[0][counted])
        np.testing.assert_array_equal(made.y[k], alone[1])
