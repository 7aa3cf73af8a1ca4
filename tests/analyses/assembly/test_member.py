"""Assembly in compiled code, against assembly in Python."""

from __future__ import annotations

import numpy as np
import pytest

import multibody as mb
from multibody.analyses.assembly.assemble import searched
from multibody.analyses.assembly.member import compiled_state, plan_of
from multibody.library._registry import names
from multibody.rank.run_rows import run_rows
from multibody.state.system import System, tables_of


@pytest.mark.parametrize("name", names())
def test_library(name: str) -> None:
    model = mb.load(name)
    tables = tables_of(model)
    if plan_of(tables) is None:
        assert name == "screw-press", "its motion switches"
        return
    found, expected = compiled_state(System(tables), 0.0), searched(System(tables), None, 0.0)
    assert found is not None and expected.ok
    state, rows = found
    size = tables.length
    np.testing.assert_allclose(state.q, expected.q, rtol=1e-12, atol=1e-12 * size)
    np.testing.assert_allclose(state.v, expected.v, rtol=1e-9, atol=1e-11 * max(1.0, np.abs(expected.v).max(initial=0.0)))
    np.testing.assert_allclose(state.references, expected.references, rtol=1e-12, atol=1e-12)
    system = System(tables)
    system.ref[:] = expected.references
    independent = run_rows(system, expected.q, 0.0)
    assert (rows is not None) == (len(independent) == system.rows)


def hanging(dimension: int, length: float, mass: float) -> mb.Model:
    """Return two rods and a spring between them, with guesses of unequal weight, in units of choice."""
    flat = dimension == 2
    m = mb.Model("rods", dimension=dimension, gravity=(0, -9.81 * length) if flat else (0, 0, -9.81 * length))
    end = (length, 0) if flat else (length, 0.2 * length, -0.1 * length)
    for name in ("a", "b"):
        m.body(name, mass=mass, inertia=mass * length**2 / 12 if flat else (mass * length**2 / 12,) * 3, frames={"end": end})
    axis = {} if flat else {"axis": (1, 2, 3)}
    m.revolute("A", m.ground, "a", **axis)
    m.revolute("B", "a.end", "b", **axis)
    m.initial({"A.rate": 2.0}, guess={"B": 1.0, "A": 0.4, "b.end.x": {"value": 1.1 * length, "weight": 0.1}})
    return m


@pytest.mark.parametrize("dimension", [2, 3])
def test_guesses_and_rates_in_other_units(dimension: int) -> None:
    angles = []
    for length, mass in ((1.0, 1.0), (1e3, 1e3), (1e-6, 1e-9)):
        model = hanging(dimension, length, mass)
        found = compiled_state(System(tables_of(model)), 0.0)
        assert found is not None
        state, expected = found[0], searched(System(tables_of(model)), None, 0.0)
        np.testing.assert_allclose(state.q, expected.q, rtol=1e-9, atol=1e-9 * length)
        system = System(tables_of(model))
        system.ref[:] = state.references
        values, rates, _ = system.functions(state.q, state.v, 0, len(system.tables.functions))
        coordinates = system.tables.coordinates
        A, B = (next(f for (kind, owner, *_), f in coordinates.items() if (kind, owner) == ("joint", name)) for name in "AB")
        assert rates[A] == pytest.approx(2.0, rel=1e-12)
        angles.append((values[A], values[B]))
    np.testing.assert_allclose(angles[1:], [angles[0]] * 2, rtol=1e-8)


def test_what_cannot_close_is_told_as_before() -> None:
    model = mb.load("four-bar", l0=100.0)
    assert compiled_state(System(tables_of(model)), 0.0) is None
    run = model.run(0.1)
    assert not run.ok and "cannot close" in run.status.message


def test_a_plan_belongs_to_the_structure() -> None:
    model = mb.load("four-bar")
    tables = tables_of(model)
    other = tables.with_parameters({"l0": 1.8}, model)
    assert plan_of(other) is plan_of(tables)
    found, fresh = compiled_state(System(other), 0.0), compiled_state(System(tables_of(mb.load("four-bar", l0=1.8))), 0.0)
    assert found is not None and fresh is not None
    assert np.array_equal(found[0].q, fresh[0].q) and np.array_equal(found[0].v, fresh[0].v)


def test_a_singular_position_is_not_crept_into() -> None:
    """Three parallel legs under a beam can lie flat: Newton's method comes near that, and ever slower; others are tried."""
    m = mb.Model("legs", dimension=2, gravity=(0, -9.81))
    m.frames(g0=(0, 0), g1=(1, 0), g2=(2, 0))
    m.body("beam", mass=2, inertia=0.4, frames={"p0": (0, 0), "p1": (1, 0), "p2": (2, 0)})
    for k in range(3):
        m.body(f"leg{k}", mass=1, inertia=0.1, com=(0.25, 0), frames={"top": (0.5, 0)})
        m.revolute(f"O{k}", f"ground.g{k}", f"leg{k}")
        m.revolute(f"P{k}", f"leg{k}.top", f"beam.p{k}")
    m.initial(guess={"O0": 0.9, "O1": 0.9, "O2": 0.9})
    assert compiled_state(System(tables_of(m)), 0.0) is None
    assert m.run(0.1)["O1"].values[0] == pytest.approx(0.9, abs=1e-6)


@pytest.mark.parametrize("given", [{"S.angle": 1.3}, {"S.position": 0.21}, {}])
def test_screws_begin_where_their_angle_or_position_asks(given: dict[str, float]) -> None:
    """A screw in general position: its nut stands pitch · angle further along the axis, turned by as much."""
    model = mb.Model("jack", gravity=(0, 0, -9.81))
    model.body("nut", mass=1.0, inertia=(0.1, 0.2, 0.3), com=(0.1, -0.2, 0.05), frames={"e": (0.3, 0.1, 0.2)})
    model.screw("S", "ground", "nut.e", axis=(1, -2, 3), lead=0.2 * np.pi)
    model.initial(given | ({"S.angle.rate": 0.7} if "S.angle" in given else {"S.position.rate": 0.07}))
    found, expected = compiled_state(System(tables_of(model)), 0.0), searched(System(tables_of(model)), None, 0.0)
    assert found is not None and expected.ok
    state = found[0]
    np.testing.assert_allclose(state.q, expected.q, atol=1e-12)
    np.testing.assert_allclose(state.v, expected.v, atol=1e-12)
    run = model.run(0.001)
    angle = float(run["S.angle"][0])
    assert float(run["S.position"][0]) == pytest.approx(0.1 * angle, abs=1e-12)
    assert angle == pytest.approx(given.get("S.angle", given.get("S.position", 0.0) / 0.1), abs=1e-12)
    assert float(run["S.angle.rate"][0]) == pytest.approx(0.7, rel=1e-9)
