"""Given states brought onto the constraints in compiled code, against singular values in Python."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import multibody as mb
from multibody.analyses.dynamics.run_start import _closed, closed_state
from multibody.state.system import System, tables_of

MODELS = ["four-bar", "slider-crank", "spatial-four-bar-haug", "iftomm-bricard", "engine"]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("size", [1e-3, 0.02])
def test_the_smallest_change(name: str, size: float) -> None:
    state = mb.load(name).assemble()
    system, random = System(tables_of(mb.load(name))), np.random.default_rng(3)
    shake = size * random.normal(size=system.nv) * system.scale_columns
    given = replace(state, q=system.displaced(state.q, shake), v=state.v + shake)
    found, note = closed_state(system, given, state.t)
    system.ref[:] = state.references
    q, v, moved, changed = _closed(system, given.q.copy(), given.v.copy(), state.t)
    assert found.ok and "inconsistent" in note and np.isfinite(moved) and changed > 0.0
    np.testing.assert_allclose(found.q, q, rtol=0, atol=1e-9 * max(1.0, system.tables.length))
    np.testing.assert_allclose(found.v, v, rtol=0, atol=1e-8 * float(np.abs(v).max()))
    scale = system.scale_rows[: system.rows]
    residual = system.phi(found.q, state.t) * scale
    assert np.max(np.abs(residual)) < 1e-11
    rates = (system.jacobian(found.q, state.t) @ found.v - system.velocity_side(found.q, state.t)) * scale
    assert np.max(np.abs(rates)) < 1e-9 * max(1.0, float(np.abs(v).max()))


@pytest.mark.parametrize("name", MODELS)
def test_a_consistent_state_stays_as_it_is_to_the_last_digit(name: str) -> None:
    state = mb.load(name).assemble()
    found, note = closed_state(System(tables_of(mb.load(name))), state, state.t)
    assert note == "" and np.array_equal(found.q, state.q) and np.array_equal(found.v, state.v)


def test_what_cannot_be_closed_is_said() -> None:
    model = mb.load("four-bar")
    state = model.assemble()
    long = System(tables_of(model.set(l0=6.5)))
    found, _ = closed_state(long, state, 0.0)
    assert not found.ok and "cannot be closed from the given state" in found.status.message
    assert np.array_equal(found.q, state.q)
