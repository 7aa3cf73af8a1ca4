"""Rows of rotations: rank at every angle, the loss of the paper's cosine rows, turns that are counted, charts of balls."""

from __future__ import annotations

import math

import numpy as np
import pytest

import multibody as mb
from formulations.parametric.cases import COSINE, Equations, pair_fields, swinging
from formulations.relative.agreement import exact, worst
from multibody.errors import ModelError

FINE = {"rtol": 1e-10, "atol": 1e-12}


def turned(kind: str, angle: float) -> mb.Model:
    """Return a body that hangs on the ground by one pair in general position, its angles all the same."""
    rng = np.random.default_rng(7)
    m = mb.Model("turned", dimension=3, gravity=(0.0, -9.81, 0.0))
    place = {"at": rng.normal(size=3) * 0.3, "rotvec": rng.normal(size=3)}
    m.body("b", mass=1.0, inertia=(0.2, 0.3, 0.4), com=rng.normal(size=3) * 0.2, frames={"P": place})
    joint = m.joint(kind, "J", "ground", "b.P", **pair_fields(kind, rng))
    for item in joint.names_of_coordinates(3):
        m.initial({f"J.{item}": angle if item.startswith("angle") else 0.1})
    if kind == "spherical":
        m.initial({"J.rotation": {"rpy": [angle, 0.3, angle]}})
    return m


@pytest.mark.parametrize("angle", [0.0, 0.7, math.pi])
@pytest.mark.parametrize("kind", COSINE)
def test_regular_rows_have_full_rank_at_every_angle(kind: str, angle: float) -> None:
    e = Equations(turned(kind, angle))
    J = e.space._scaled(e.space.jacobian(e.y, 0.0))
    assert len(J) == 6
    s = np.linalg.svd(J, compute_uv=False)
    assert s[-1] > 1e-2 * s[0]


@pytest.mark.parametrize("kind", COSINE)
def test_cosine_rows_lose_rank_where_a_sine_vanishes(kind: str) -> None:
    for angle in (0.0, math.pi):
        with pytest.raises(ModelError, match=r'"J": its cosine rows lose rank at the start: .* use Parametric\("regular"\)'):
            Equations(turned(kind, angle), "cosine")
    sizes = []
    for angle in (0.7, 0.07, 0.007):
        e = Equations(turned(kind, angle), "cosine")
        J = e.space._scaled(e.space.jacobian(e.y, 0.0))
        sizes.append(np.linalg.svd(J, compute_uv=False)[-1])
    assert sizes[1] < 0.3 * sizes[0]
    assert sizes[2] == pytest.approx(0.1 * sizes[1], rel=0.3)  # as the sine does


@pytest.mark.parametrize("integrator", ["dop853", "bdf"])
@pytest.mark.parametrize("kind", COSINE)
def test_cosine_rows_give_the_same_motion_away_from_there(kind: str, integrator: str) -> None:
    model = swinging(kind, np.random.default_rng(3))
    expected = exact(model, 0.1)
    run = exact(model, 0.1, mb.Parametric("cosine"), integrator=integrator, **FINE)
    assert run.statistics["formulation"] == "parametric-cosine"
    assert worst(run, expected, "position", "velocity", "rotation") < 1e-8


@pytest.mark.filterwarnings("ignore:turned")
@pytest.mark.parametrize("integrator", ["dop853", "bdf"])
def test_a_run_that_meets_the_loss_stops_and_names_the_joint(integrator: str) -> None:
    model = turned("revolute", 0.7)
    model.initial({"J.rate": 5.0})
    run = model.run(2.0, formulation=mb.Parametric("cosine"), integrator=integrator)
    assert not run.ok
    assert "the cosine rows of joint J lose rank" in run.status.message
    assert 'Parametric("regular")' in run.status.advice
    assert 0.7 < run["J"].values[-1] <= math.pi + 1e-3
    assert model.run(2.0, formulation="parametric", integrator=integrator).ok


@pytest.mark.parametrize("integrator", ["dop853", "bdf"])
def test_a_screw_turns_many_times(integrator: str) -> None:
    lead, mass, inertia = 0.02, 0.8, 0.3
    m = mb.Model("spindle", dimension=3)
    m.body("nut", mass=mass, inertia=(0.2, 0.2, inertia))
    m.screw("S", "ground", "nut", lead=lead)
    m.effort("motor", "S", value=4.0)
    m.initial({"S": 0.3, "S.rate": 1.0})
    run = exact(m, 3.0, "parametric", integrator=integrator, **FINE)
    p = lead / (2.0 * math.pi)
    alpha = 4.0 / (inertia + mass * p * p)  # the nut's mass, seen from its angle
    expected = 0.3 + run.time + 0.5 * alpha * run.time**2
    assert expected[-1] > 9 * 2 * math.pi
    assert np.max(np.abs(run["S"].values - expected)) < 1e-7
    assert np.max(np.abs(run["nut.z"].values - p * run["S"].values)) < 1e-12


@pytest.mark.parametrize("integrator", ["dop853", "bdf", "rk4"])
def test_a_ball_passes_the_edges_of_its_charts(integrator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from multibody.formulations.spaces.parametric_space import ParametricSpace

    moves, plain = [], ParametricSpace.with_new_charts
    monkeypatch.setattr(ParametricSpace, "with_new_charts", lambda self, y: (moves.append(1), plain(self, y))[1])
    m = mb.Model("top", dimension=3, gravity=(0.0, 0.0, -9.81))
    m.body("top", mass=1.0, inertia=(0.05, 0.06, 0.03), com=(0.1, 0.05, 0.2))
    m.spherical("S", "ground", "top")
    m.initial({"top.omega.x": 3.0, "top.omega.y": 25.0, "top.omega.z": 4.0})
    step = {"step": 1e-4} if integrator == "rk4" else {}
    expected, run = exact(m, 1.0), exact(m, 1.0, "parametric", integrator=integrator, **FINE, **step)
    assert len(moves) > 3
    assert worst(run, expected, "position", "velocity", "rotation", "angular_velocity") < 1e-7
    assert worst(run, expected, "acceleration", "reaction_force") < 1e-6
    assert run.certificate["energy_drift"] < 1e-8
