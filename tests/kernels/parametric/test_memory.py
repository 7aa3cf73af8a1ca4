"""The memory of pairs: what is plane and what is space, what a copy shares, what travels."""

from __future__ import annotations

import pickle

import numpy as np

import multibody as mb
from formulations.parametric.cases import Equations
from multibody.kernels.declared import Model


def test_pairs_are_planar_or_spatial() -> None:
    planar, spatial = (Equations(mb.load(name)).bundle.parametric for name in ("four-bar", "spatial-four-bar"))
    assert len(planar.model.pairs) == len(planar.model.planar_numbers) == 4
    assert len(planar.model.spatial_numbers) == len(planar.state.charts) == len(planar.state.spatial_turns) == 0
    assert len(spatial.model.pairs) == len(spatial.model.spatial_numbers) == len(spatial.state.charts)
    assert len(spatial.model.planar_numbers) == len(spatial.state.planar_turns) == 0
    assert len(Model().parametric.pairs) == 0


def test_numbers_of_the_model_are_those_of_its_tables() -> None:
    bundle = Equations(mb.load("spatial-four-bar")).bundle
    assert np.array_equal(bundle.F, bundle.tables.F)


def test_a_working_copy_has_charts_and_factors_of_its_own() -> None:
    bundle = Equations(mb.load("spatial-four-bar")).bundle
    other = bundle.working()
    assert other.parametric.model is bundle.parametric.model
    for name in ("charts", "seen"):
        assert not np.shares_memory(getattr(other.parametric.state, name), getattr(bundle.parametric.state, name))
    assert not np.shares_memory(other.parametric.state.kkt.factor, bundle.parametric.state.kkt.factor)


def test_a_moved_chart_travels() -> None:
    m = mb.Model("top", dimension=3)
    m.body("top", mass=1.0, inertia=(0.05, 0.06, 0.03), com=(0.1, 0.05, 0.2))
    m.spherical("S", "ground", "top")
    bundle = Equations(m).bundle
    turned = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    bundle.set_frame(0, turned)
    there = pickle.loads(pickle.dumps(bundle))
    assert np.array_equal(there.frame(0), turned)
    assert np.array_equal(there.frame(0, second=True), bundle.frame(0, second=True))
