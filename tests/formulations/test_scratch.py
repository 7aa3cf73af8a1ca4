"""Scratch means nothing after a call: a run whose scratch is spoiled between all its steps is the same to the last bit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.analyses.dynamics.opening import opened
from multibody.analyses.dynamics.simulation import Simulation
from multibody.formulations import formulation_of
from multibody.integrators import contract as C
from multibody.integrators import integrator_of
from multibody.kernels.memory.declaration import Block

STEPS = 12
CASES = [
    *[("four-bar", formulation, "dop853") for formulation in ("augmented", "baumgarte", "partitioning", "kane")],
    *[(name, "augmented", how) for name in ("four-bar", "spatial-four-bar") for how in ("alpha", "bdf", "radau", "adams")],
    *[(name, kind, "dop853") for name in ("four-bar", "rssr") for kind in ("recursive", "transformation", "articulated")],
    *[("spatial-four-bar", "recursive", method) for method in ("alpha", "bdf", "radau")],
    *[("double-pendulum", "parametric", method) for method in ("rk4", "bdf")],
    ("rssr", "parametric", "dop853"),
    ("bushing-suspension", "augmented", "bdf"),
]


def spoil(block: Any) -> None:
    """Write nonsense to everything in a block of scratch."""
    for name, field in block.fields.items():
        value = getattr(block, name)
        if isinstance(value, Block):
            if value is not getattr(type(block)(), name):  # not the empty one that all share
                spoil(value)
        elif not field.array:
            setattr(block, name, math.nan if field.kind is float else 7)
        elif len(value):
            np.asarray(value).view(np.float64)[:] = math.nan


def stepped(name: str, formulation: str, method: str, spoiled: bool) -> tuple[list[bytes], int]:
    """Return the states after every step, and how many there were."""
    opening = opened(mb.load(name), None)
    integrator = integrator_of(method, 1e-3 if method in ("rk4", "alpha") else None)
    sim = Simulation(
        opening.system, opening.state, opening.rows, formulation_of(formulation), integrator, rtol=1e-6, atol=1e-8, dense=False
    )
    found = []
    for _ in range(STEPS):
        if spoiled:
            spoil(sim.bundle.scratch)
        assert sim.call(50.0, 1) == C.CONTINUE
        found.append(sim.y.tobytes())
    return found, int(sim.counts[C.STEPS])


@pytest.mark.parametrize(("name", "formulation", "method"), CASES)
def test_scratch_means_nothing_between_steps(name: str, formulation: str, method: str) -> None:
    assert stepped(name, formulation, method, True) == stepped(name, formulation, method, False)
