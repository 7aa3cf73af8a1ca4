"""Ready models that motions do not fully drive move in parametric coordinates as in those of their bodies."""

from __future__ import annotations

from typing import Any

import pytest

import multibody as mb
from formulations.relative.agreement import MOTION, differences

UNTIL: dict[str, float] = {
    "arm7": 0.3, "chain": 0.1, "delta-robot": 0.15, "double-pendulum": 1.0, "engine": 0.1, "four-bar": 1.0,
    "four-bar-singular": 0.5, "iftomm-andrews": 0.01, "iftomm-bricard": 1.5, "iftomm-flyball": 0.2, "iftomm-n-four-bar": 0.4,
    "iftomm-pendulum": 1.0, "pendulum": 1.0, "planetary": 0.05, "rrc-arm": 0.1, "rssr": 0.2, "spatial-four-bar": 1.0,
    "spatial-four-bar-haug": 0.5, "stewart-platform": 0.2, "tilted-four-bar": 0.4,
}  # fmt: skip
SET: dict[str, dict[str, Any]] = {"planetary": {"drive": "torque"}}
FINE = {"rtol": 1e-11, "atol": 1e-13}


@pytest.mark.parametrize("integrator", ["dop853", "bdf"])
@pytest.mark.parametrize("name", UNTIL)
def test_the_motion_is_that_of_augmented(name: str, integrator: str) -> None:
    model, until = mb.load(name, **SET.get(name, {})), UNTIL[name]
    expected = model.run(until, formulation="augmented", integrator="dop853", output_step=until / 20, **FINE)
    run = model.run(until, formulation="parametric", integrator=integrator, output_step=until / 20, **FINE)
    assert run.ok, run.status.message
    assert run.statistics["formulation"] == "parametric"
    found = differences(run, expected, MOTION)
    assert max(found.values()) < 1e-8, found
    assert run.certificate["position_violation"] < 1e-10
