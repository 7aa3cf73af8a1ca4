"""Random trees, loops and meshes in joint coordinates: against dense NumPy, against Cartesian coordinates, cut anywhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

import multibody as mb
from across.properties.strategies import examples, random_turn, seeds
from analyses.dynamics.random_models import Heavy, well_posed
from analyses.dynamics.test_random_models import heavies
from formulations.relative.agreement import CLOSINGS, METHODS, worst

OPTIONS = {"rtol": 1e-10, "atol": 1e-12, "output_step": 0.05}


def check_accelerations(heavy: Heavy) -> None:
    """Assert that the first accelerations and constraint forces are those of the dense KKT system."""
    assume(well_posed(heavy))
    model = heavy.model()
    state = heavy.state(model)
    exact, forces = heavy.accelerations(model, state)
    size, push = (max(1.0, float(np.max(np.abs(x)))) for x in (exact, forces))
    for name, formulation in CLOSINGS.items():
        run = model.run(1e-3, initial=state, formulation=formulation, output_step=1e-3)
        assert np.max(np.abs(run.motion.a[0] - exact)) < 1e-9 * size, name
        held = heavy.mass_matrix(state) @ run.motion.a[0] - heavy.forces(state)  # what the joints must do
        assert np.max(np.abs(held - forces)) < 1e-8 * push, name
        assert run.balance().relative < 1e-9, name  # and what the reactions do


@examples(16)
@given(heavies(2))
def test_planar_accelerations_and_reactions(heavy: Heavy) -> None:
    check_accelerations(heavy)


@examples(16)
@given(heavies(3))
def test_spatial_accelerations_and_reactions(heavy: Heavy) -> None:
    check_accelerations(heavy)


def check_runs(heavy: Heavy) -> None:
    """Assert that short runs agree with Cartesian coordinates in everything, forces included."""
    assume(well_posed(heavy))
    model = heavy.model()
    state = heavy.state(model)
    expected = model.run(0.2, initial=state, **OPTIONS)
    for name, formulation in CLOSINGS.items():
        run = model.run(0.2, initial=state, formulation=formulation, **OPTIONS)
        assert run.ok, (name, run.status.message)
        assert run.certificate["energy_drift"] < 1e-6, name
        assert worst(run, expected) < 1e-7, name


@examples(8)
@given(heavies(2))
def test_planar_runs(heavy: Heavy) -> None:
    check_runs(heavy)


@examples(8)
@given(heavies(3))
def test_spatial_runs(heavy: Heavy) -> None:
    check_runs(heavy)


def any_cut(heavy: Heavy, seed: int) -> list[str]:
    """Return joints whose removal leaves a random spanning tree of the mechanism (bodies on no pair float)."""
    rng, m = np.random.default_rng(seed), heavy.mechanism
    root = {name: name for name in ("ground", *(b.name for b in m.bodies))}

    def top(name: str) -> str:
        while root[name] != name:
            name = root[name]
        return name

    cut = []
    for joint in (m.joints[k] for k in rng.permutation(len(m.joints))):
        first, second = top(m.body_of(joint.first)), top(m.body_of(joint.second))
        if joint.kind == "free":
            continue
        if first == second or rng.uniform() < 0.2:  # some are cut without need
            cut.append(joint.name)
        else:
            root[first] = second
    return cut


@examples(12)
@given(st.sampled_from([2, 3]).flatmap(heavies), seeds)
def test_where_loops_are_cut_does_not_matter(heavy: Heavy, seed: int) -> None:
    assume(well_posed(heavy))
    model, cut = heavy.model(), any_cut(heavy, seed)
    state = heavy.state(model)
    expected = model.run(0.2, initial=state, **OPTIONS)
    for formulation in (mb.Recursive(cut), mb.Articulated(cut), mb.Transformation("partitioned", cut=cut)):
        run = model.run(0.2, initial=state, formulation=formulation, **OPTIONS)
        assert run.ok, run.status.message
        assert worst(run, expected) < 1e-7, (formulation, cut)


@examples(6)
@given(st.sampled_from([2, 3]).flatmap(heavies), seeds)
def test_a_model_moved_far_away_and_turned_moves_alike(heavy: Heavy, seed: int) -> None:
    assume(well_posed(heavy))
    rng, d = np.random.default_rng(seed), heavy.mechanism.dimension
    R, shift = random_turn(rng, d), rng.uniform(-1e4, 1e4, d)
    rates = {k: np.concatenate([R @ v[:d], v[d:] if d == 2 else R @ v[d:]]) for k, v in heavy.rates.items()}
    other = replace(heavy, mechanism=heavy.mechanism.moved(shift, R), gravity=R @ heavy.gravity, rates=rates)
    near, far = heavy.model(), other.model()
    near_state, far_state = heavy.state(near), other.state(far)
    for name, formulation in METHODS.items():
        here = near.run(0.2, initial=near_state, formulation=formulation, **OPTIONS)
        there = far.run(0.2, initial=far_state, formulation=formulation, **OPTIONS)
        assert here.ok and there.ok
        x, y = here.data["position"].values @ R.T + shift, there.data["position"].values
        assert np.max(np.abs(x - y)) < 1e-7, name  # 1e-11 of the distance
        v, w = here.data["velocity"].values @ R.T, there.data["velocity"].values
        assert np.max(np.abs(v - w)) < 1e-6 * max(1.0, float(np.max(np.abs(v)))), name
