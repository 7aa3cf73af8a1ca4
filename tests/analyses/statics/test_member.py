"""Statics in compiled code, against the search in Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.analyses.statics import statics as module
from multibody.analyses.statics.statics import Balanced, statics
from multibody.library._registry import names

ALONE = {"delta-robot", "stewart-platform"}  # which take Python seconds


def in_python(model: mb.Model, patch: pytest.MonkeyPatch, **options: Any) -> Balanced:
    """Return what is found without compiled code."""
    with patch.context() as own:
        own.setattr(module, "compiled_rest", lambda *_: None)
        return statics(model, **options)


def same(model: mb.Model, patch: pytest.MonkeyPatch, **options: Any) -> Balanced:
    """Compare both searches: pose, forces, residual, stability and words."""
    found, known = statics(model, **options), in_python(model, patch, **options)
    a, b, size = found.motion, known.motion, known.motion.tables.length
    assert a.dynamics is not None and b.dynamics is not None
    loose = 1e-9 if found.stability is not None and found.stability.kind == "indifferent" else 1e-12
    np.testing.assert_allclose(a.q, b.q, rtol=loose, atol=loose * size)
    np.testing.assert_allclose(a.references, b.references, rtol=loose, atol=loose * size)
    force = max(1e-300, float(np.abs(b.dynamics.multipliers).max(initial=0.0)))
    np.testing.assert_allclose(a.dynamics.multipliers, b.dynamics.multipliers, rtol=0, atol=1e-11 * force)
    np.testing.assert_allclose(a.dynamics.potential, b.dynamics.potential, rtol=1e-10, atol=1e-12 * force * size)
    np.testing.assert_allclose(a.dynamics.efforts, b.dynamics.efforts, rtol=1e-9, atol=1e-11 * force)
    np.testing.assert_array_equal(a.dynamics.loads, b.dynamics.loads)
    assert found.status.message == known.status.message and found.notes == known.notes and found.residual < 1e-10
    assert found.stability is not None and known.stability is not None
    lowest = known.stability.eigenvalues
    round_off = 1e-12 * max(float(np.abs(lowest).max(initial=0.0)), force * size)
    np.testing.assert_allclose(found.stability.eigenvalues, lowest, rtol=1e-9, atol=round_off)
    assert abs(found.iterations - known.iterations) <= 1
    return found


@pytest.mark.parametrize("name", [name for name in names() if name not in ALONE])
def test_library(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    same(mb.load(name), monkeypatch)


@pytest.mark.parametrize("scale", [1.0, 1e3, 1e-6])
def test_other_units(scale: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rod on a pin and a spring, in meters, millimeters and megameters: the same angle, closed form of the balance."""
    m = mb.Model("rod", dimension=2, gravity=(0, -9.81 * scale))
    m.body("rod", mass=2.0, inertia=0.1 * scale**2, com=(0.4 * scale, 0), frames={"tip": (0.8 * scale, 0)})
    m.revolute("O", m.ground, "rod")
    m.effort("spring", "O", stiffness=20.0 * scale**2, rest=0.0)
    angle = float(same(m, monkeypatch).motion.q[0, 2])
    assert 20.0 * angle + 2.0 * 9.81 * 0.4 * np.cos(angle) == pytest.approx(0.0, abs=1e-8)


def test_what_is_not_found_is_said_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing holds a block on a slope; a body without a mass under gravity."""
    m = mb.Model("slope", dimension=2, gravity=(0, -9.81))
    m.body("block", mass=1.0, inertia=1.0)
    m.translational("S", m.ground, "block", axis=(1, 0.5))
    found, known = statics(m), in_python(m, monkeypatch)
    assert not found.status.success and found.status == known.status and "nothing holds" in found.status.message
    m.body("ghost")
    m.revolute("G", "block", "ghost")
    with pytest.raises(mb.ModelError, match="gravity acts"):
        statics(m)


def test_masses_need_not_be_stated_without_gravity(monkeypatch: pytest.MonkeyPatch) -> None:
    m = mb.Model("springs", dimension=2)
    m.body("bar", frames={"e": (1.0, 0.0)})
    m.revolute("O", m.ground, "bar")
    m.effort("spring", "O", stiffness=3.0, rest=0.2)
    m.effort("motor", "O", value=1.5)
    assert same(m, monkeypatch).motion.q[0, 2] == pytest.approx(0.7, abs=1e-12)


def test_forces_without_a_value_are_named() -> None:
    m = mb.Model("root", dimension=2)
    m.body("bar", mass=1.0, inertia=1.0)
    m.revolute("O", m.ground, "bar")
    m.effort("pull", "O", value="sqrt(-1 - O^2)")
    with pytest.raises((mb.ModelError, mb.AnalysisError), match="pull"):
        statics(m)
