"""Large models: sparse equilibria and modes against full matrices and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import jn_zeros

import multibody as mb
from analyses.linear.models import catenary, hanging
from multibody.analyses.modes import modes
from multibody.analyses.statics import balance

G = 9.81


def springs(n: int, damping: float = 0.0, last: float = 30.0) -> mb.Model:
    """Return n masses between n + 1 springs on guides; `last` is the stiffness of the last one."""
    m = mb.Model("springs", dimension=2)
    m.frames(left=(0, 0), right=(n + 1, 0))
    for i in range(1, n + 1):
        m.body(f"b{i}", mass=0.5, inertia=1e-3, at=(i, 0))
        m.translational(f"S{i}", m.ground, f"b{i}", at=(i, 0), axis=(1, 0))
    ends = ["ground.left", *(f"b{i}" for i in range(1, n + 1)), "ground.right"]
    for i in range(n + 1):
        m.spring(f"k{i}", ends[i], ends[i + 1], stiffness=last if i == n else 30.0, damping=damping, length=1.0)
    return m


def frequencies(n: int) -> np.ndarray:
    """Return the closed form of the chain of springs."""
    return 2.0 * np.sqrt(30.0 / 0.5) * np.sin(np.arange(1, n + 1) * np.pi / (2 * (n + 1)))


def test_a_long_chain_of_springs() -> None:
    n = 200
    found = springs(n).modes(count=8)
    assert len(found) == 8 and found.found.minimal is None
    assert np.abs(found.eigenvalues) == pytest.approx(frequencies(n)[:8], rel=1e-8)
    shape = found.shape(2).coordinates
    exact = np.sin(3 * np.pi * np.arange(1, n + 1) / (n + 1))
    computed = np.array([shape[f"S{i}"] for i in range(1, n + 1)])
    assert np.abs(computed @ exact) / (np.linalg.norm(computed) * np.linalg.norm(exact)) == pytest.approx(1.0, abs=1e-9)


def test_a_long_chain_of_springs_and_dampers() -> None:
    """Damping proportional to stiffness: ζ = ω c / 2k."""
    n, c = 200, 0.6
    found = springs(n, damping=c).modes(count=5)
    omega = frequencies(n)[:5]
    assert found.frequencies * 2 * np.pi == pytest.approx(omega, rel=1e-8)
    assert found.damping_ratios == pytest.approx(omega * c / 60.0, rel=1e-7)


def test_a_long_chain_that_is_free_has_a_zero_mode() -> None:
    m = springs(160)
    del m.forces["k0"], m.forces["k160"]
    found = m.modes(count=3)
    assert found.eigenvalues[0] == 0.0
    assert np.abs(found.eigenvalues[1:]) == pytest.approx(2 * np.sqrt(60.0) * np.sin(np.arange(1, 3) * np.pi / 320), rel=1e-7)


def test_an_unstable_mode_of_a_large_model_is_found() -> None:
    m = springs(150)
    m.effort("push", "S75", value="400*S75")
    eq = m.statics()
    assert eq.ok and eq.stability == "unstable" and eq.directions[0].startswith("S75 +1")
    found = m.modes(count=4)
    assert not found.stable and np.max(found.eigenvalues.real) > 10.0


def test_a_long_hanging_chain() -> None:
    n, span, link = 160, 0.8, 0.01
    model = hanging(n, span, link, 0.03)
    found = model.statics()
    assert found.ok and found.stability == "stable" and not np.any(found.eigenvalues <= 0.0)
    angles, pull = catenary(n, span, link, 0.03 * G)
    assert np.array([found[f"link{k}.angle"] for k in range(1, n + 1)]) == pytest.approx(angles, abs=1e-6)
    assert found["P1.reaction.force.x"] == pytest.approx(-pull, rel=1e-6)


def test_a_long_chain_that_hangs_free_swings_as_a_rope() -> None:
    """From a level start to the vertical; frequencies √(g/l) j/2 with the zeros j of the Bessel function J₀ (Bernoulli)."""
    found = mb.load("chain", n=150).modes(count=3)
    assert found.ok and found.status.message == "linearized at a stable equilibrium"
    assert np.abs(found.eigenvalues) == pytest.approx(0.5 * np.sqrt(G / 1.0) * jn_zeros(0, 3), rel=1e-3)


@pytest.mark.parametrize("damping", [0.0, 0.05])
def test_sparse_and_full_matrices_agree(damping: float, monkeypatch: pytest.MonkeyPatch) -> None:
    model = hanging(14, 0.8, 0.1, 0.3)
    for k in range(2, 15):
        model.effort(f"d{k}", f"P{k}", stiffness=0.2, damping=damping)
    full, rest = model.modes(), model.statics()
    for module in (balance, modes):
        monkeypatch.setattr(module, "DENSE_LIMIT", 5)
    other = model.statics()
    assert other["link7.y"] == pytest.approx(rest["link7.y"], abs=1e-9) and other.stability == "stable"
    assert other.eigenvalues[:4] == pytest.approx(rest.eigenvalues[:4], rel=1e-7)
    sparse = model.modes(count=6)
    assert sparse.found.minimal is None and sparse.eigenvalues == pytest.approx(full.eigenvalues[:6], rel=1e-6)


def test_inputs_of_large_models_are_refused() -> None:
    with pytest.raises(mb.ModelError, match="too large for inputs"):
        springs(150).modes(inputs=["S1"])
