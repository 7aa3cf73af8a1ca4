"""Kinematics from a compiled start: motion, square system and branch label are those from the start of ``assemble``."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.analyses.kinematics import kinematics as analysis
from multibody.analyses.kinematics.turning import turned
from multibody.library import names
from multibody.rank.drive import find_drive, plain_drive
from multibody.state.system import System, tables_of


def slider_crank(angle: float, length: float = 1.0, crank: float = 0.15) -> mb.Model:
    """Return an inclined slider-crank that its slider drives, near its dead point where the angle is small."""
    tilt, l2, l3 = 0.4, crank * length, 0.35 * length
    start = l2 * math.cos(angle) + math.sqrt(l3**2 - (l2 * math.sin(angle)) ** 2)
    m = mb.Model("slider", dimension=2, gravity=(0.0, -9.81 * length))
    m.body("crank", mass=1.0, inertia=0.01 * length**2, com=(0.07 * length, 0.01 * length), frames={"pin": (l2, 0)})
    m.body("rod", mass=2.0, inertia=0.03 * length**2, com=(0.1 * length, -0.02 * length), frames={"pin": (l3, 0)})
    m.body("slider", mass=0.5, inertia=0.001 * length**2)
    m.revolute("O", m.ground, "crank")
    m.revolute("A", "crank.pin", "rod")
    m.revolute("B", "rod.pin", "slider")
    m.translational("S", m.ground, "slider", axis=(math.cos(tilt), math.sin(tilt)))
    m.motion("S", f"{start!r} - {0.3 * length!r}*t^2")
    m.initial(guess={"O": tilt + angle, "rod.angle": tilt - math.asin(0.15 / 0.35 * math.sin(angle))})
    return m


def both(model: mb.Model, monkeypatch: pytest.MonkeyPatch, **options: Any) -> tuple[Any, Any]:
    """Return motions from the compiled start and from that of ``assemble``, errors as their words."""

    def answer() -> Any:
        try:
            return analysis.kinematics(model, **options)
        except mb.ModelError as error:
            return str(error)

    found = answer()
    with monkeypatch.context() as patch:
        patch.setattr(analysis, "compiled_state", lambda system, t: None)
        return found, answer()


def assert_same(one: Any, other: Any) -> None:
    """Compare words, or all that motions say."""
    if isinstance(other, str):
        assert one == other
        return
    assert one.status == other.status and list(one.branches) == list(other.branches)
    assert [(s.kind, s.reason) for s in one.singularities] == [(s.kind, s.reason) for s in other.singularities]
    for a, b in ((one.q, other.q), (one.v, other.v), (one.a, other.a)):
        np.testing.assert_allclose(a, b, atol=1e-11 * np.max(np.abs(b), initial=1e-9))


def test_library_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """At least ten of them are square and begin with the compiled start."""
    square = 0
    for name in names():
        model = mb.load(name)
        if not model.motions:
            continue
        one, other = both(model, monkeypatch, start=0.01, until=0.03, steps=4)
        assert_same(one, other)
        system = System(tables_of(model))
        square += system.rows == system.nv and not isinstance(one, str) and one.initial.branch == ""
    assert square >= 10


@pytest.mark.parametrize("length", [1.0, 1000.0])
@pytest.mark.parametrize("angle", [0.3, 1e-3, 1e-5, 1e-7, 0.0])
def test_near_a_dead_point(angle: float, length: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """The slider cannot be driven from its dead point: the nearer it begins, the less is known, until it is refused."""
    model = slider_crank(angle, length)
    one, other = both(model, monkeypatch, until=1e-3, steps=3)
    if isinstance(other, str):
        assert one == other and angle < 1e-6
        assert "or the start is a singular position" in one
        return
    assert one.status.success == other.status.success
    np.testing.assert_allclose(one.q[0], other.q[0], atol=1e-9 * length)
    np.testing.assert_allclose(one.sigma[0], other.sigma[0], rtol=1e-3, atol=1e-9)
    if angle >= 1e-3:
        assert_same(one, other)


def test_inverse_near_a_dead_point_takes_singular_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where σ is below the limit of the factors, efforts are those of power: e Ṡ = d/dt (kinetic and potential energy)."""
    for angle in (0.3, 1e-4):
        found = slider_crank(angle).inverse(times=np.linspace(0.0, 0.2, 401))
        dynamics, rate = found.motion.motion.dynamics, found.motion["S.rate"].values
        energy = dynamics.kinetic + dynamics.potential
        power = found["S"].values * rate
        work = np.concatenate([[0.0], np.cumsum(0.5 * np.diff(found.time) * (power[1:] + power[:-1]))])
        late = slice(100, None)  # the efforts at the dead point itself are steep
        gained = energy[late] - energy[100]
        np.testing.assert_allclose(work[late] - work[100], gained, atol=1e-4 * np.max(np.abs(energy - energy[0])))


def test_a_redundant_model_moves_the_same_whichever_rows_it_chooses(monkeypatch: pytest.MonkeyPatch) -> None:
    """The choice hangs on the last digits of the start; motion and branch do not."""
    model = mb.load("engine", n=2)
    model.initials.clear()
    model.motion("O1", "0.8 + 20*t")
    model.motion("O2", "1.3 + 20*t")
    one, other = both(model, monkeypatch, until=0.1, steps=5)
    for a, b in ((one.q, other.q), (one.v, other.v), (one.a, other.a)):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13 * np.max(np.abs(b)))
    assert list(one.branches) == list(other.branches) and one.branches[0][1] != ""


def test_the_square_system_of_independent_rows() -> None:
    """What is taken without a look is what a look would find."""
    for name in ("slider-crank", "six-bar", "four-cylinder-engine", "walking-leg"):
        model = mb.load(name)
        motion, system = analysis.kinematics(model, times=[0.0, 0.013]), System(tables_of(model))
        assert system.rows == system.nv
        system.ref[:] = motion.references[-1] if motion.references.ndim == 2 else motion.references
        found, plain = find_drive(system, motion.q[-1], 0.013), plain_drive(system.nv)
        np.testing.assert_array_equal(found.rows, plain.rows)
        assert found.gauge.shape == plain.gauge.shape == (0, system.nv)


def test_the_branch_is_read_when_it_is_asked_for() -> None:
    model = mb.load("shabana-four-bar")
    run = model.kinematics(until=0.01, steps=3)
    label = model.assemble().branch
    assert label in ("+", "-")
    assert run.branches == [(0.0, label)]
    assert pickle.loads(pickle.dumps(run.motion.branches)) == [(0.0, label)]
    assert run.motion.branches[0] == (0.0, label) and len(run.motion.branches) == 1


def test_the_way_of_the_motions() -> None:
    """Angles alone count, over the whole grid."""
    model = mb.load("two-link")
    model.motions["O"] = "40*t"
    model.motions["A"] = "sin(30*t)"
    system = System(tables_of(model))
    grid = np.linspace(0.0, 2.0, 150)
    name, way = turned(system, model.assemble().q, grid)
    assert name == "O" and way == pytest.approx(80.0, rel=1e-12)
