"""Prepared runs for tests of specialized code, and the ordinary kernels' answers."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import multibody as mb
from multibody.analyses.dynamics.run_start import start_state
from multibody.analyses.dynamics.simulation import Simulation
from multibody.formulations import formulation_of
from multibody.integrators import Rk4
from multibody.rank.run_rows import run_rows
from multibody.specialize.specialized import Specialized
from multibody.state.system import System, tables_of

STEP, STEPS = 2e-3, 40
CASES = {  # model, formulation, whether steps are projected
    "four-bar": ("four-bar", "augmented", False),
    "four-bar projected": ("four-bar", "augmented", True),
    "double pendulum": ("double-pendulum", "augmented", False),
    "spatial four-bar": ("spatial-four-bar", "augmented", True),
    "arm": ("arm7", "articulated", False),
}
QUICK = ("double pendulum",)  # the others take LLVM up to minutes when nothing is kept on disk


def simulation(name: str) -> Simulation:
    """Return a run at its start, of an arm at a start in general position."""
    model_name, formulation, projected = CASES[name]
    model: Any = mb.load(model_name)
    state, _ = start_state(model, None, None)
    system = System(tables_of(model))
    system.ref[:] = state.references
    rows = run_rows(system, state.q, state.t)
    found = Simulation(system, state, rows, formulation_of(formulation), Rk4(STEP), rtol=1e-8, atol=1e-10, dense=False)
    if not found.space.of_bodies:
        found.y[: found.space.nq] += np.linspace(-0.9, 0.7, found.space.nq)
        found.y[found.space.nq : -1] += np.linspace(0.6, -1.1, found.space.nv)
    if not projected:
        found.addresses = (found.addresses[0], 0, 0)
    return found


@functools.cache
def specialized(name: str) -> Specialized:
    """Return the code of a case."""
    run = simulation(name)
    rhs, accept = run.formulation.kernels()
    return Specialized(run.bundle, rhs, accept if CASES[name][2] else None)
