"""Stops and friction on an expression of coordinates: backlash between two wheels."""

from pathlib import Path

import numpy as np
import pytest

import multibody as mb

ALL = ["augmented", "kane", "partitioning", "recursive", "articulated", "parametric"]


def wheels(dimension: int = 2) -> mb.Model:
    m = mb.Model("wheels", dimension=dimension)
    m.parameter("play", 0.05)
    for name, inertia in (("A", 0.3), ("B", 0.1)):
        body = m.body(f"w{name}", mass=1, inertia=inertia if dimension == 2 else (inertia, 2 * inertia, inertia))
        m.revolute(name, "ground", body, **({} if dimension == 2 else {"axis": (1, 2, -0.5)}))
    return m


def with_backlash(dimension: int = 2, damping: float = 0.0) -> mb.Model:
    m = wheels(dimension)
    m.stop("mesh", "A - 2*B", lower="-play", upper="play", stiffness=500, damping=damping, smooth=0.01)
    m.initial({"A.rate": 3.0})
    return m


def test_one_coordinate_is_the_stop_of_that_coordinate() -> None:
    runs = []
    for target in ("A", "A + 0*B"):
        m = wheels()
        m.stop("limit", target, upper=0.3, stiffness=400, damping=3, smooth=0.02)
        m.initial({"A.rate": 2.0})
        runs.append(m.run(1.0))
    assert runs[1]["A"].values == pytest.approx(runs[0]["A"].values, abs=1e-7)
    assert runs[1]["limit.effort"].values == pytest.approx(runs[0]["limit.effort"].values, abs=1e-4)
    assert runs[1]["limit.effort"].attrs["unit"] == "N·m"


@pytest.mark.parametrize("dimension", [2, 3])
def test_backlash_in_a_gear_pair(dimension: int) -> None:
    """What one wheel loses the other gets, times the ratio: 2 J_A ω_A + J_B ω_B stays; energy too, without damping."""
    m = with_backlash(dimension)
    run = m.run(0.6)
    assert run.ok
    play = run["A - 2*B"].values
    assert np.max(play) > 0.05 and np.min(np.abs(play)) < 0.05 and np.max(np.abs(play)) < 0.4
    effort = run["mesh.effort"].values
    assert run["A.effort"].values == pytest.approx(effort, abs=1e-9)
    assert run["B.effort"].values == pytest.approx(-2 * effort, abs=1e-9)
    assert np.all(effort[np.abs(play) < 0.05] == 0.0) and np.min(effort) < -1.0
    inertia = [0.3, 0.1] if dimension == 2 else [_about(0.3), _about(0.1)]
    momentum = 2 * inertia[0] * run["A.rate"].values + inertia[1] * run["B.rate"].values
    assert momentum == pytest.approx(momentum[0], abs=1e-7)
    assert run.certificate["energy_drift"] < 1e-6
    assert run.balance().relative < 1e-6


def _about(j: float) -> float:
    axis = np.array([1, 2, -0.5]) / np.linalg.norm([1, 2, -0.5])
    return float(axis @ np.diag([j, 2 * j, j]) @ axis)


@pytest.mark.parametrize("formulation", ALL)
def test_all_formulations_agree(formulation: str) -> None:
    expected = with_backlash(damping=2.0).run(0.3, rtol=1e-10, atol=1e-12)
    run = with_backlash(damping=2.0).run(0.3, formulation=formulation, rtol=1e-10, atol=1e-12)
    assert run["A"].values == pytest.approx(expected["A"].values, abs=1e-7)


def test_implicit_methods_take_it() -> None:
    expected = with_backlash(damping=2.0).run(0.3, rtol=1e-10, atol=1e-12)
    for method in ("bdf", "radau"):
        run = with_backlash(damping=2.0).run(0.3, integrator=method, rtol=1e-8)
        assert run.ok and run["B"].values == pytest.approx(expected["B"].values, abs=1e-5)


def test_friction_between_two_wheels() -> None:
    """Friction on A − B brings both to one speed: momentum stays."""
    m = wheels()
    m.friction("clutch", "A - B", load=10, coulomb=0.2)
    m.initial({"A.rate": 4.0})
    run = m.run(1.0)
    assert run["A.rate"].values[-1] == pytest.approx(4.0 * 0.3 / 0.4, abs=2e-3)
    assert run["A.rate - B.rate"].values[-1] == pytest.approx(0.0, abs=1e-3)
    assert run["clutch.effort"].values[1] == pytest.approx(-2.0, rel=1e-6)


def test_files_copies_and_refusals(tmp_path: Path) -> None:
    m = with_backlash()
    m.save(str(tmp_path / "m.yaml"))
    assert "stop: A - 2*B" in (tmp_path / "m.yaml").read_text()
    again = mb.load(str(tmp_path / "m.yaml"))
    whole = mb.Model("whole", dimension=2)
    whole.include(again, "left_", at=(1, 2), angle=0.4)
    assert whole.forces["left_mesh"].target == ("left_A - 2*left_B",)
    tight = {"rtol": 1e-11, "atol": 1e-12}
    assert whole.run(0.2, **tight)["left_B"].values == pytest.approx(m.run(0.2, **tight)["B"].values, abs=1e-7)
    for target, message in (
        ("A - 2*C", 'unknown name "C"'), ("A.rate - B", "cannot stand here"), ("2*play", "names no coordinate"),
        ("A -", "mesh"),
    ):  # fmt: skip
        with pytest.raises(mb.ModelError, match=message):
            bad = wheels()
            bad.stop("mesh", target, upper=1, stiffness=1)
            bad.run(0.1)
    slide = wheels()
    slide.translational("S", "ground", slide.body("s", mass=1, inertia=1), axis=(1, 0))
    slide.stop("mesh", "S - 0.1*A", upper=1, stiffness=1)
    with pytest.raises(mb.ModelError, match='force "mesh": "smooth" is missing'):
        slide.run(0.1)


def test_notes_name_the_expression() -> None:
    m = wheels()
    m.stop("mesh", "A - 2*B", upper=-1, stiffness=0.01)
    assert any('"A - 2*B" stays beyond the upper limit the whole time' in note for note in m.run(0.1).notes)
