"""The motion at several times between the instants of a run is the motion at each of them."""

from __future__ import annotations

import numpy as np
import pytest

import multibody as mb
from multibody.analyses.measures.measure import Measurer
from multibody.results.instant import motion_between
from multibody.results.run import Run


def run_of(name: str) -> Run:
    if name == "kinematics":
        return mb.load("slider-crank").kinematics(0.02, 20)
    if name == "driven":
        return mb.load("slider-crank").run(0.02, output_step=0.001)
    return mb.load(name).run(0.2, output_step=0.05)


@pytest.mark.parametrize("name", ["four-bar", "spatial-four-bar", "kinematics", "driven"])
@pytest.mark.parametrize("first", [0, 1])
def test_several_times_at_once(name: str, first: int) -> None:
    run = run_of(name)
    low, high = run.time[first], run.time[first + 2]
    times = low + (high - low) * np.array([0.0, 0.2, 0.5, 0.9])
    found = motion_between(run, times)
    assert found is not None
    measurer = Measurer(found.tables, found.t, found.q, found.v, found.a, found.references, found.dynamics)
    joint = list(run.model.joints)[1]
    paths = [f"{list(run.model.bodies)[1]}.x", f"{list(run.model.bodies)[1]}.x.acceleration"]
    paths += [] if name == "kinematics" else [f"{joint}.reaction.force.x", "energy.kinetic"]
    for path in paths:
        own = measurer(path).values
        alone = [run.at(float(t))[path] for t in times]
        np.testing.assert_allclose(own, alone, rtol=1e-9, atol=1e-9 * np.max(np.abs(alone)))
