"""Natural frequencies, damping and shapes against closed forms, and state-space matrices against runs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

import multibody as mb

G = 9.81


def pendulum(angle: float = -1.2, dimension: int = 2) -> mb.Model:
    """Return a rod of mass 2, inertia 0.1, center of mass at 0.4, that hangs at −π/2."""
    m = mb.Model("pendulum", dimension=dimension, gravity=(0, -G) if dimension == 2 else (0, -G, 0))
    inertia = 0.1 if dimension == 2 else (0.02, 0.1, 0.1)
    m.body("rod", mass=2.0, inertia=inertia, com=(0.4, 0) if dimension == 2 else (0.4, 0, 0))
    m.revolute("O", m.ground, "rod")
    m.initial({"O": angle})
    return m


def oscillator(stiffness: float = 50.0, damping: float = 3.0, mass: float = 2.0) -> mb.Model:
    """Return a block on a guide, held by a spring and a damper."""
    m = mb.Model("oscillator", dimension=2)
    m.body("block", mass=mass, inertia=0.1)
    m.translational("S", m.ground, "block", axis=(1, 0))
    m.effort("mount", "S", stiffness=stiffness, damping=damping)
    return m


@pytest.mark.parametrize("dimension", [2, 3])
def test_pendulum(dimension: int) -> None:
    found = pendulum(dimension=dimension).modes()
    expected = np.sqrt(2.0 * G * 0.4 / (0.1 + 2.0 * 0.16))
    assert found.ok and found.status.message == "linearized at a stable equilibrium"
    assert found.frequencies == pytest.approx([expected / (2 * np.pi)], rel=1e-12)
    assert found.eigenvalues == pytest.approx([1j * expected], rel=1e-12) and found.damping_ratios == pytest.approx([0.0])
    assert found.state["O"] == pytest.approx(-np.pi / 2, abs=1e-12) and found.stable


def test_inverted_pendulum_grows_and_decays() -> None:
    found = pendulum(np.pi / 2).modes()
    rate = np.sqrt(2.0 * G * 0.4 / (0.1 + 2.0 * 0.16))
    assert sorted(found.eigenvalues.real) == pytest.approx([-rate, rate], rel=1e-12) and not np.any(found.eigenvalues.imag)
    assert not found.stable and sorted(found.damping_ratios) == [-1.0, 1.0]
    assert "unstable equilibrium" in found.status.message


@pytest.mark.parametrize("damping", [0.0, 0.7, 5.0, 19.9])
def test_damped_oscillator(damping: float) -> None:
    found = oscillator(damping=damping).modes()
    natural = np.sqrt(50.0 / 2.0)
    assert found.frequencies == pytest.approx([natural / (2 * np.pi)], rel=1e-12)
    assert found.damping_ratios == pytest.approx([damping / (2.0 * 2.0 * natural)], abs=1e-13)
    ratio = damping / (4.0 * natural)
    assert found.damped_frequencies == pytest.approx([natural * np.sqrt(1 - ratio**2) / (2 * np.pi)], rel=1e-12)


def test_overdamped_oscillator_has_two_real_rates() -> None:
    found = oscillator(damping=40.0).modes()
    root = np.sqrt(40.0**2 - 4 * 2 * 50)
    assert sorted(found.eigenvalues.real) == pytest.approx(sorted([(-40 - root) / 4, (-40 + root) / 4]), rel=1e-12)
    assert found.damping_ratios == pytest.approx([1.0, 1.0])


@pytest.mark.parametrize("n", [1, 4, 9])
def test_spring_chain(n: int) -> None:
    """Equal masses between n + 1 equal springs: ω_k = 2 √(k/m) sin(kπ / 2(n + 1)), shapes are sines."""
    k, mass = 30.0, 0.5
    m = mb.Model("chain", dimension=2)
    m.frames(left=(0, 0), right=(n + 1, 0))
    for i in range(1, n + 1):
        m.body(f"b{i}", mass=mass, inertia=1e-3, at=(i, 0))
        m.translational(f"S{i}", m.ground, f"b{i}", at=(i, 0), axis=(1, 0))
    ends = ["ground.left", *(f"b{i}" for i in range(1, n + 1)), "ground.right"]
    for i in range(n + 1):
        m.spring(f"k{i}", ends[i], ends[i + 1], stiffness=k, length=0.8)
    found = m.modes()
    numbers = np.arange(1, n + 1)
    omega = 2.0 * np.sqrt(k / mass) * np.sin(numbers * np.pi / (2 * (n + 1)))
    assert np.abs(found.eigenvalues) == pytest.approx(omega, rel=1e-11)
    for mode in numbers:
        shape = np.array([found.shape(int(mode) - 1).coordinates[f"S{i}"] for i in range(1, n + 1)])
        exact = np.sin(mode * np.pi * numbers / (n + 1))
        shape, exact = (x / x[np.argmax(np.abs(exact))] for x in (shape, exact))
        assert np.max(np.abs(shape - exact)) < 1e-9


def test_double_pendulum_of_point_masses() -> None:
    """Equal masses and lengths: ω² = (2 ± √2) g/l, ratio of the angles ∓√2 (absolute)."""
    m = mb.Model("double", dimension=2, gravity=(0, -G))
    for name in ("a", "b"):
        m.body(name, mass=1.0, inertia=0.0, com=(0.7, 0), frames={"tip": (0.7, 0)})
    m.revolute("O", m.ground, "a")
    m.revolute("A", "a.tip", "b")
    m.initial({"O": -1.4, "A": 0.2})
    found = m.modes()
    assert np.abs(found.eigenvalues) ** 2 == pytest.approx([(2 - np.sqrt(2)) * G / 0.7, (2 + np.sqrt(2)) * G / 0.7], rel=1e-11)
    for k, ratio in ((0, np.sqrt(2)), (1, -np.sqrt(2))):
        bodies = found.shape(k).bodies
        assert bodies["b"]["rotation"] / bodies["a"]["rotation"] == pytest.approx(ratio, rel=1e-9)
        assert bodies["a"]["translation"][0] / bodies["a"]["rotation"] == pytest.approx(0.7, rel=1e-9)  # hangs down


def test_torsional_shaft_with_gear_and_free_rotation() -> None:
    """Two flywheels through a gear 2:1 with a torsion spring in the second shaft, free as a whole: one zero mode, one other."""
    J, k = (0.3, 0.02, 0.05), 7.0
    m = mb.Model("drive", dimension=2)
    for name, inertia, x in zip(("motor", "pinion", "load"), J, (0.0, 0.3, 0.3), strict=True):
        m.body(name, mass=1.0, inertia=inertia, at=(x, 0))
    m.revolute("M", m.ground, "motor", at=(0, 0))
    m.revolute("P", m.ground, "pinion", at=(0.3, 0))
    m.revolute("T", "pinion", "load", at=(0.3, 0))
    m.gear("mesh", "motor", "pinion", radii=(0.2, 0.1))
    m.effort("shaft", "T", stiffness=k)
    found = m.modes()
    before = J[0] / 4 + J[1]  # reduced to the second shaft
    assert found.eigenvalues[0] == 0.0 and any("zero mode: " in note for note in found.notes)
    assert np.abs(found.eigenvalues[1:]) == pytest.approx([np.sqrt(k * (1 / before + 1 / J[2]))], rel=1e-11)
    shape = found.shape(0).coordinates
    assert shape["P"] / shape["M"] == pytest.approx(-2.0) and abs(shape["T"]) < 1e-9
    assert repr(found).count("0 (free)") == 1


def test_a_body_on_bushings_has_six_modes() -> None:
    m = mb.Model("mount")
    m.body("box", mass=3.0, inertia=(0.2, 0.3, 0.4), frames={"foot": (0, 0, 0)})
    m.bushing("b", m.ground, "box.foot", stiffness=(10.0, 20.0, 30.0, 1.0, 2.0, 4.0))
    found = m.modes()
    expected = np.sqrt([10 / 3, 20 / 3, 30 / 3, 1 / 0.2, 2 / 0.3, 4 / 0.4])
    assert np.sort(np.abs(found.eigenvalues)) == pytest.approx(np.sort(expected), rel=1e-10)


def test_a_free_body_has_six_zero_modes() -> None:
    m = mb.Model("adrift")
    m.body("rock", mass=3.0, inertia=(0.2, 0.3, 0.4), at=(1, 2, 3))
    m.body("other", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.spring("s", "rock", "other", stiffness=8.0, length=1.0)
    m.initial(guess={"other.x": 2.0, "other.y": 2.0, "other.z": 3.0})
    found = m.modes()
    assert np.sum(found.eigenvalues == 0.0) == 11 and len(found) == 12
    assert np.abs(found.eigenvalues[-1]) == pytest.approx(np.sqrt(8.0 * (1 / 3.0 + 1.0)), rel=1e-9)


def test_units_of_time_do_not_change_hertz() -> None:
    text = """
name: swing
dimension: 2
units: {{length: {length}, time: {time}, mass: kg}}
gravity: [0, {gravity}]
bodies: {{bob: {{mass: 1, inertia: 0, com: [{arm}, 0]}}}}
joints: {{O: {{revolute: [ground, bob]}}}}
initial: {{O: -1}}
"""
    from multibody.files.reader import read_text

    one = read_text(text.format(length="m", time="s", gravity=-9.81, arm=0.5), "swing.yaml", mb.Model)
    two = read_text(text.format(length="mm", time="ms", gravity=-9.81e-3, arm=500), "swing.yaml", mb.Model)
    assert one.modes().frequencies == pytest.approx(two.modes().frequencies, rel=1e-12)
    assert two.modes().plain("SI")["modes"][0]["eigenvalue"][1] == pytest.approx(np.sqrt(9.81 / 0.5), rel=1e-12)


def test_four_bar_with_springs_against_a_run() -> None:
    """The period of a small oscillation about the equilibrium is that of the mode."""
    m = mb.load("four-bar")
    m.effort("hold", "O1", stiffness=400.0, rest=1.0)
    equilibrium = m.statics()
    assert equilibrium.ok and equilibrium.stability == "stable"
    mode = m.modes()
    frequency = mode.frequencies[0]
    shape = np.real(mode.found.shapes[:, 0])
    from dataclasses import replace

    start = replace(equilibrium.state, v=1e-4 * shape)
    run = m.run(4.0 / frequency, initial=start, rtol=1e-11, atol=1e-14, output_step=0.002 / frequency)
    rate = run["O1.rate"].values
    at = np.flatnonzero((rate[:-1] < 0.0) & (rate[1:] >= 0.0))
    crossings = run.time[at] - rate[at] * (run.time[at + 1] - run.time[at]) / (rate[at + 1] - rate[at])
    assert 1.0 / np.mean(np.diff(crossings)) == pytest.approx(frequency, rel=1e-6)


def test_state_space_predicts_a_run() -> None:
    """Initial condition and input response of ẋ = A x + B u, with an output that is an expression, against a run."""
    m = mb.Model("crane", dimension=2, gravity=(0, -G))
    m.body("trolley", mass=4.0, inertia=0.1)
    m.body("load", mass=2.0, inertia=0.05, com=(0, -0.8), frames={"hook": (0, -0.8)})
    m.translational("S", m.ground, "trolley", axis=(1, 0))
    m.revolute("H", "trolley", "load")
    m.effort("drive", "S", value=0.0)
    m.effort("brake", "S", damping=1.5)
    m.effort("rope", "H", stiffness=3.0, damping=0.2)
    m.output("sway", "load.hook.x - trolley.x")
    found = m.modes(inputs=["drive"], outputs=["S", "sway", "H.rate", "trolley.x.acceleration", "2*S + H"])
    assert found.eigenvalues[0] == 0.0  # the trolley is nowhere at home
    space = found.state_space()
    assert space.states == ["S", "H", "S.rate", "H.rate"] and space.inputs == ["drive"]
    push = 1e-5
    run = m.simulator(rtol=1e-12, atol=1e-16)
    run.set("drive.effort", push)
    x = np.zeros(4)
    step = 0.05
    block = np.zeros((5, 5))
    block[:4, :4], block[:4, 4:] = space.A * step, space.B * step
    advance = expm(block)
    for _ in range(30):
        run.step(step)
        x = advance[:4, :4] @ x + advance[:4, 4] * push
        y = space.C @ x + space.D[:, 0] * push
        names = ["S", "load.hook.x - trolley.x", "H.rate", "2*S + H"]
        assert y[[0, 1, 2, 4]] == pytest.approx([run[name] for name in names], abs=1e-5 * push)
    np.testing.assert_allclose(space.C[3], space.A[2], atol=1e-12)  # an acceleration as output
    np.testing.assert_allclose(space.D[3], space.B[2], atol=1e-12)
    assert not np.any(np.abs(space.D[[0, 1, 2, 4]]) > 1e-12)


def test_shapes_on_bushings_name_the_bodies_that_move() -> None:
    found = mb.load("bushing-suspension").modes()
    said = [found.words(k) for k in range(len(found))]
    assert len(set(said)) > 20  # overdamped ones come in pairs that move alike
    assert said[0].startswith("upper.turn.x +1")
    assert "heave" in said[0]
    shape = found.shape(5).bodies  # the tie rod turns about its own line
    assert said[5] == "tie.turn.y +1"
    most = max(shape, key=lambda name: float(np.max(np.abs(shape[name]["rotation"]))))
    assert most == "tie"
    assert mb.load("double-pendulum").modes().words(0).split()[0] in mb.load("double-pendulum").joints
