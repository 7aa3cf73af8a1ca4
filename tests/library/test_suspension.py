"""The suspension in rubber bushings: what it weighs, how it swings, and that it is stiff."""

from __future__ import annotations

import numpy as np
import pytest

import multibody as mb


@pytest.fixture(scope="module")
def run() -> mb.Run:
    return mb.load("bushing-suspension").run(integrator="bdf")


def test_it_comes_to_rest_under_its_weight(run: mb.Run) -> None:
    assert run.ok
    model = mb.load("bushing-suspension")
    weight = 9.81 * (360 + 6 + 2.5 + 0.6 + 38)
    rest = model.set(bump=0.0).run(40.0, integrator="bdf")  # the bump is past, and the body's motion dies with 1 s
    tire = float(rest["tire.effort"].values[-1])
    lean = float(rest["carrier.wheel.z"].values[-1]) / float(rest["tire.length"].values[-1])
    assert tire * lean == pytest.approx(weight, rel=1e-3)
    assert np.max(np.abs(run["chassis.z"].values - 0.5)) < 0.05


def test_energy_and_constraints(run: mb.Run) -> None:
    assert run.certificate["energy_drift"] < 1e-4
    assert run.certificate["position_violation"] < 1e-8


def test_the_bushings_give_way_by_their_law(run: mb.Run) -> None:
    ends = [run.point(f"{body}.lower_front") for body in ("chassis", "lower")]
    gap = ends[1].position.values - ends[0].position.values  # the chassis does not turn: its axes are those of ground
    rate = ends[1].velocity.values - ends[0].velocity.values
    law = -(1e7 * gap + 2e4 * rate) * [0.2, 1.0, 1.0]
    assert run["lower_front.effort"].values[:, :3] == pytest.approx(law, rel=1e-6, abs=1e-3)
    assert list(run["lower_front.effort"].component.values) == ["x", "y", "z", "about_x", "about_y", "about_z"]
    assert 1e-4 < np.max(np.abs(gap)) < 2e-3


def test_an_explicit_method_finds_the_same_motion(run: mb.Run) -> None:
    explicit = mb.load("bushing-suspension").run(0.3, integrator="dop853", output_step=0.01)
    for path in ("chassis.z", "carrier.z", "tie.y"):
        assert run[path].values[:31] == pytest.approx(explicit[path].values, abs=1e-5)


def test_an_explicit_method_needs_more_than_fifty_times_the_steps(run: mb.Run) -> None:
    model = mb.load("bushing-suspension")
    length = 0.1
    later = model.run(run.final.t + length, initial=run.final, integrator="dop853")  # all fast motion is over
    assert later.statistics["stiff"]
    assert later.statistics["steps"] * run.time[-1] / length > 50 * run.statistics["steps"]
