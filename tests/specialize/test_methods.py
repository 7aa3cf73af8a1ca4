"""Whole studies in specialized code of larger models against the ordinary way: what takes LLVM minutes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import multibody as mb
from thorough import thorough

FORCES = ("max(norm(A.reaction.force))", "final(energy.total)")
ALPHA: dict[str, Any] = {"until": 0.2, "integrator": "alpha", "step": 0.005, "output_step": 0.02}
CASES: dict[str, tuple[str, dict[str, list[float]], tuple[str, ...], dict[str, Any]]] = {
    "alpha": ("four-bar", {"l0": [1.89, 1.9, 1.91]}, FORCES, ALPHA),
    "alpha, index 3": ("four-bar", {"l0": [1.89, 1.9]}, FORCES, {**ALPHA, "integrator": {"alpha": {"form": "index3"}}}),
    "alpha in joint coordinates": ("four-bar", {"l0": [1.89, 1.9]}, FORCES, {**ALPHA, "formulation": "recursive"}),
    "no step is projected": (
        "four-bar", {"l0": [1.89, 1.9]}, ("max(norm(A.reaction.force))", "at(0.5, O1)"),
        {"until": 1.0, "integrator": "rk4", "step": 0.002, "output_step": 0.01, "formulation": "baumgarte"},
    ),
    "kinematics with idle freedom": (
        "rssr", {"omega": [9.0, 11.0]}, ("max(coupler.x)", "final(rocker_pivot)", "max(rocker_pivot.acceleration)"),
        {"analysis": "kinematics", "until": 0.3, "steps": 30},
    ),
    "inverse": (
        "slider-crank", {"l2": [0.149, 0.15]}, ("max(O.effort)", "max(norm(A.reaction.force))", "final(energy.total)"),
        {"analysis": "inverse", "until": 0.04, "steps": 40},
    ),
}  # fmt: skip


@thorough
@pytest.mark.parametrize("name", CASES)
def test_equals_the_ordinary_way(name: str) -> None:
    model, varied, outputs, options = CASES[name]
    told: dict[str, Any] = {"refine": False, **options}
    found, wanted = (mb.load(model).study(varied, list(outputs), device=each, **told) for each in ("host", None))
    assert found.statistics["ordinary"] == 0 and found.states == wanted.states
    scale = np.max(np.abs(wanted.outputs), axis=0)
    rounding = 1e-11 if "index 3" in name else 1e-12  # of Φ/(h²βκ), which is solved for there
    assert found.outputs / scale == pytest.approx(wanted.outputs / scale, abs=rounding)
