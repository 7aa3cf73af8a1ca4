"""Every analysis on both sides of the switch from dense to sparse matrices: the same model, the same answer."""

from __future__ import annotations

import importlib
import pkgutil

import numpy as np
import pytest
from scipy.sparse import csr_array

import multibody as mb
import multibody.analyses
from multibody.rank.leastnorm import constrained_step, sparse_step

SWITCHES = ("DENSE_LIMIT", "DENSE_ASSEMBLY", "DENSE_COLUMNS", "DENSE")
MODELS = ["four-bar", "spatial-four-bar", "iftomm-bricard", "parallelogram", "rods"]


def parallelogram() -> mb.Model:
    """Return three parallel legs under a beam: one row is redundant."""
    m = mb.Model("parallelogram", dimension=2, gravity=(0, -9.81))
    m.frames(g0=(0, 0), g1=(1, 0), g2=(2, 0))
    m.body("beam", mass=2, inertia=0.4, com=(1.1, 0.03), frames={"p0": (0, 0), "p1": (1, 0), "p2": (2, 0)})
    for k in range(3):
        m.body(f"leg{k}", mass=1 + k, inertia=0.1, com=(0.25, 0.02), frames={"top": (0.5, 0)})
        m.revolute(f"O{k}", f"ground.g{k}", f"leg{k}")
        m.revolute(f"P{k}", f"leg{k}.top", f"beam.p{k}")
    m.initial(guess={"O0": 0.9, "O1": 0.9, "O2": 0.9, "O0.rate": 1.3})
    return m


def with_massless_rods() -> mb.Model:
    """Return a pendulum of two bodies hung on massless rods in space."""
    m = mb.Model("rods", gravity=(0.3, -9.81, 0.5))
    m.body("rod", mass=0, inertia=(0, 0, 0), frames={"e": (0.3, 0.1, 0)})
    m.body("bob", mass=2, inertia=(0.02, 0.03, 0.04), com=(0.1, 0.2, -0.1), frames={"e": (0.2, 0, 0.3)})
    m.body("tip", mass=1, inertia=(0.02, 0.01, 0.03), com=(0.1, 0.02, 0.1))
    m.revolute("A", "ground", "rod", axis=(0.1, 0.2, 1))
    m.revolute("B", "rod.e", "bob", axis=(1, 0.2, 0.1))
    m.revolute("C", "bob.e", "tip", axis=(0.3, 1, 0.1))
    m.initial(guess={"A": 0.4, "B": -0.3, "C": 0.2, "A.rate": 1, "B.rate": -0.5})
    return m


def model_of(name: str) -> mb.Model:
    """Return a model by name."""
    own = {"parallelogram": parallelogram, "rods": with_massless_rods}
    return own[name]() if name in own else mb.load(name)


@pytest.fixture
def sparse(monkeypatch):
    """Return a function that makes every model count as a large one."""

    def switch() -> None:
        for module in pkgutil.walk_packages(multibody.analyses.__path__, "multibody.analyses."):
            found = importlib.import_module(module.name)
            for name in SWITCHES:
                if isinstance(getattr(found, name, None), int):
                    monkeypatch.setattr(found, name, 0)

    return switch


def same(a, b, tolerance=1e-9):
    """Assert that two arrays are equal to a part of their size."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    assert a.shape == b.shape
    assert np.max(np.abs(a - b), initial=0.0) <= tolerance * max(1.0, float(np.max(np.abs(a), initial=0.0)))


@pytest.mark.parametrize("name", MODELS)
def test_assemble(name, sparse):
    dense = model_of(name).assemble()
    sparse()
    large = model_of(name).assemble()
    same(dense.q, large.q)
    same(dense.v, large.v)


@pytest.mark.parametrize("name", MODELS)
def test_check(name, sparse):
    dense = model_of(name).check().plain()
    sparse()
    large = model_of(name).check().plain()
    for key in ("coordinates", "equations", "rank", "mobility", "unique_reactions"):
        assert dense[key] == large[key], key
    assert len(dense["redundant"]) == len(large["redundant"])


@pytest.mark.parametrize("name", MODELS)
def test_run_and_reactions(name, sparse):
    dense = model_of(name).run(until=0.2, rtol=1e-11, atol=1e-12, formulation="augmented")
    sparse()
    large = model_of(name).run(until=0.2, rtol=1e-11, atol=1e-12, formulation="augmented")
    assert dense.ok and large.ok
    same(dense.motion.q, large.motion.q, 1e-8)
    for joint in model_of(name).joints:
        same(dense[f"{joint}.reaction.force"], large[f"{joint}.reaction.force"], 1e-7)


@pytest.mark.parametrize("name", MODELS)
def test_statics_and_modes(name, sparse):
    dense, small = model_of(name).statics(), model_of(name).modes(at="equilibrium")
    sparse()
    large, many = model_of(name).statics(), model_of(name).modes(at="equilibrium")
    assert dense.ok == large.ok
    same(dense.found.motion.q, large.found.motion.q, 1e-8)
    for joint in model_of(name).joints:
        same(dense.reactions()[joint]["force"], large.reactions()[joint]["force"], 1e-8)
    same(np.sort(np.abs(small.eigenvalues)), np.sort(np.abs(many.eigenvalues)), 1e-8)


@pytest.mark.parametrize("name", ["slider-crank", "shabana-four-bar", "parallelogram"])
def test_inverse(name, sparse):
    def found():
        m = model_of(name)
        if not m.motions:
            joint = next(iter(m.joints))
            m.motion(joint, "0.9 + 0.5*t")
        return m.inverse(until=0.03, steps=10)

    dense = found()
    sparse()
    large = found()
    same(dense.motion.motion.a, large.motion.motion.a)
    for effort in dense.names:
        same(dense[effort], large[effort])


def chain(n: int, seed: int = 0) -> tuple[mb.Model, dict[str, float]]:
    """Return an open chain with axes that alternate and with guesses for all angles and rates."""
    random, m = np.random.default_rng(seed), mb.Model("chain")
    for k in range(n):
        m.body(f"b{k}", mass=1, inertia=(1, 1, 1), frames={"e": (0.2, 0.01, 0)})
        m.revolute(f"j{k}", f"b{k - 1}.e" if k else "ground", f"b{k}", axis=((0.1, 0, 1), (0, 1, 0.2))[k % 2])
    values = {f"j{k}": float(random.uniform(-1, 1)) for k in range(n)}
    values |= {f"j{k}.rate": float(random.normal()) for k in range(n)}
    return m, values


@pytest.mark.parametrize("n", [25, 26, 50])
def test_rate_guesses_that_are_consistent_stay(n):
    m, values = chain(n)
    m.initial(guess=values)
    state = m.assemble()
    assert max(abs(float(state[path]) - value) for path, value in values.items()) < 1e-11


@pytest.mark.parametrize("weight", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("kind", ["independent", "redundant", "contradicting guesses", "free directions", "ill scaled"])
def test_the_sparse_step_is_the_dense_one(kind, weight):
    random = np.random.default_rng(3)
    J, S = random.normal(size=(30, 50)), random.normal(size=(15, 50)) * weight**0.5
    x = random.normal(size=50)
    if kind == "redundant":
        J[20:] = random.normal(size=(10, 20)) @ J[:20]
    if kind == "contradicting guesses":
        S = np.vstack([S, S[:5] + J[:5] * weight**0.5])
    if kind == "free directions":
        J, S = J[:10], S[:4]
    if kind == "ill scaled":
        J[:10] *= 1e3
        S[:5] *= 1e-2
    c = -J @ x
    rest = random.normal(size=len(S)) * weight**0.5
    dense = constrained_step(J, c, S, rest)
    same(dense, sparse_step(csr_array(J), c, csr_array(S), rest))
    same(constrained_step(J, c, S[:0], rest[:0]), sparse_step(csr_array(J), c))
