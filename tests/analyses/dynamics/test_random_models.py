"""Random mechanisms: formulation against formulation, against dense NumPy, and against themselves told in another way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from across.properties.strategies import examples, meshes, random_turn, seeds, single_loops, trees
from analyses.dynamics.checks import FORMULATIONS
from analyses.dynamics.random_models import Heavy, loaded, own_acceleration, well_posed

LOOPS = {2: ("revolute", "translational"), 3: ("revolute", "translational", "cylindrical", "spherical", "universal")}


@st.composite
def heavies(draw: st.DrawFn, dimension: int) -> Heavy:
    """Random trees, single loops and meshes with loops, loaded."""
    shape = draw(st.sampled_from(["tree", "loop", "mesh"]))
    if shape == "tree":
        mechanism = draw(trees(dimension, most=5))
    elif shape == "loop":
        low = 4 if dimension == 2 else 7
        mechanism = draw(single_loops(dimension, LOOPS[dimension], low, low + 2))
    else:
        mechanism = draw(meshes(dimension))
    return loaded(mechanism, draw(seeds))


def check_accelerations(heavy: Heavy) -> None:
    """Assert that all four right-hand sides give the v̇ of the dense KKT system."""
    assume(well_posed(heavy))
    model = heavy.model()
    state = heavy.state(model)
    exact, _ = heavy.accelerations(model, state)
    size = max(1.0, float(np.max(np.abs(exact))))
    for formulation in FORMULATIONS:
        found = own_acceleration(model, state, formulation)
        assert np.max(np.abs(found - exact)) < 1e-9 * size, formulation


@examples(50)
@given(heavies(2))
def test_planar_accelerations(heavy: Heavy) -> None:
    check_accelerations(heavy)


@examples(50)
@given(heavies(3))
def test_spatial_accelerations(heavy: Heavy) -> None:
    check_accelerations(heavy)


def check_runs(heavy: Heavy) -> None:
    """Assert that short runs of the four formulations agree and keep their energy balance."""
    assume(well_posed(heavy))
    model = heavy.model()
    state = heavy.state(model)
    runs = [model.run(0.2, initial=state, formulation=f, rtol=1e-10, atol=1e-12, output_step=0.05) for f in FORMULATIONS]
    for run in runs:
        assert run.ok, run.status.message
        assert run.certificate["energy_drift"] < 1e-6
        size = max(1.0, float(np.max(np.abs(run.motion.v))))
        assert np.max(np.abs(run.motion.q - runs[0].motion.q)) < 1e-7 * size
        assert np.max(np.abs(run.motion.v - runs[0].motion.v)) < 1e-7 * size


@examples(25)
@given(heavies(2))
def test_planar_runs(heavy: Heavy) -> None:
    check_runs(heavy)


@examples(25)
@given(heavies(3))
def test_spatial_runs(heavy: Heavy) -> None:
    check_runs(heavy)


@examples(8)
@given(heavies(3))
def test_constraint_forces_of_reactions(heavy: Heavy) -> None:
    assume(well_posed(heavy))
    model = heavy.model()
    state = heavy.state(model)
    run = model.run(0.01, initial=state, output_step=0.01)
    exact, forces = heavy.accelerations(model, state)
    Q = heavy.mass_matrix(state) @ run.motion.a[0] - heavy.forces(state)  # what the joints must do
    assert np.max(np.abs(run.motion.a[0] - exact)) < 1e-9 * max(1.0, float(np.max(np.abs(exact))))
    assert np.max(np.abs(Q - forces)) < 1e-8 * max(1.0, float(np.max(np.abs(forces))))


# --- told in another way ----------------------------------------------------------------------------------------------


def positions(heavy: Heavy, scale: float = 1.0, units: dict[str, str] | None = None) -> dict[str, np.ndarray]:
    """Return where the points P and Q of every body are after 0.2 s."""
    model = heavy.model(scale, units)
    run = model.run(0.2, initial=heavy.state(model, scale), rtol=1e-10, atol=1e-12, output_step=0.1)
    assert run.ok
    points = {f"{b.name}.{p}": run.point(f"{b.name}.{p}") for b in heavy.mechanism.bodies for p in "PQ"}
    return {
        name: np.stack([point.position.values[-1], point.velocity.values[-1], 0.01 * point.acceleration.values[-1]])
        for name, point in points.items()
    }


def assert_same(found: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> None:
    """Assert that points, velocities and accelerations agree."""
    size = max(1.0, *(float(np.max(np.abs(x))) for x in expected.values()))
    for name, value in expected.items():
        assert np.max(np.abs(found[name] - value)) < 1e-7 * size, name


@examples(8)
@given(st.sampled_from([2, 3]).flatmap(heavies), seeds)
def test_the_order_of_bodies_and_joints_does_not_matter(heavy: Heavy, seed: int) -> None:
    assume(well_posed(heavy))
    rng, m = np.random.default_rng(seed), heavy.mechanism
    other = m.reordered(rng.permutation(len(m.bodies)), rng.permutation(len(m.joints)))
    assert_same(positions(replace(heavy, mechanism=other)), positions(heavy))


@examples(8)
@given(st.sampled_from([2, 3]).flatmap(heavies))
def test_units_do_not_matter(heavy: Heavy) -> None:
    assume(well_posed(heavy))
    found = positions(heavy, 1000.0, {"length": "mm", "time": "s", "mass": "kg"})
    assert_same({name: value / 1000.0 for name, value in found.items()}, positions(heavy))


@examples(8)
@given(st.sampled_from([2, 3]).flatmap(heavies), seeds)
def test_moving_the_whole_model_moves_the_motion(heavy: Heavy, seed: int) -> None:
    assume(well_posed(heavy))
    rng, d = np.random.default_rng(seed), heavy.mechanism.dimension
    R, shift = random_turn(rng, d), rng.uniform(-2, 2, d)
    rates = {k: np.concatenate([R @ v[:d], v[d:] if d == 2 else R @ v[d:]]) for k, v in heavy.rates.items()}
    other = replace(heavy, mechanism=heavy.mechanism.moved(shift, R), gravity=R @ heavy.gravity, rates=rates)
    expected = {name: value @ R.T + np.outer([1.0, 0.0, 0.0], shift) for name, value in positions(heavy).items()}
    assert_same(positions(other), expected)
