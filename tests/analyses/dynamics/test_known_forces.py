"""Runs whose motions determine everything: forces between the instants, in whichever coordinates they are found."""

from __future__ import annotations

import numpy as np
import pytest

import multibody as mb
from multibody.formulations import FORMULATIONS, formulation_of

RELATIVE = [name for name in FORMULATIONS if formulation_of(name).relative]


@pytest.mark.parametrize("name", ["slider-crank", "rrc-arm"])
@pytest.mark.parametrize("formulation", RELATIVE)
def test_forces_between_the_instants_are_those_of_the_coordinates_of_bodies(name: str, formulation: str) -> None:
    joint = {"slider-crank": "A", "rrc-arm": "joint2"}[name]
    paths = (f"{joint}.reaction.force", f"{joint}.reaction.moment", "energy.kinetic")
    by, known = (mb.load(name).run(0.1, formulation=each, output_step=0.01) for each in (formulation, "augmented"))
    for t in (0.0123, 0.05, 0.0999):
        for path in paths:
            wanted = np.asarray(known.at(t)[path])
            np.testing.assert_allclose(by.at(t)[path], wanted, rtol=1e-9, atol=1e-9 * (1.0 + np.max(np.abs(wanted))))


def test_chosen_joints_stay_chosen_between_the_instants() -> None:
    run = mb.load("slider-crank").run(0.1, formulation="recursive", output_step=0.01)
    found = mb.load("slider-crank").inverse(until=0.1, steps=10, formulation="recursive")
    assert float(run.at(0.05)["O.effort"]) == pytest.approx(float(found["O"][5]), rel=1e-9)


@pytest.mark.parametrize("formulation", ["augmented", "recursive"])
def test_forces_at_a_switching_instant_are_those_behind_it(formulation: str) -> None:
    """Also where it is none of the run's instants: the crank begins to be accelerated there."""
    m = mb.load("slider-crank")
    m.motions.clear()
    m.motion("O", "if(t <= 0.3, t, t + 5*(t - 0.3)^2)")
    run = m.run(1.0, output_step=0.25, formulation=formulation)
    before, there, behind = (float(run.at(t)["O.effort"]) for t in (0.3 - 1e-9, 0.3, 0.3 + 1e-9))
    assert abs(behind - before) > 0.1
    assert there == pytest.approx(behind, rel=1e-6)


def test_a_study_by_joint_coordinates_looks_between_the_instants() -> None:
    study = {
        name: mb.load("slider-crank").study(
            {"l2": [0.15, 0.151, 0.149, 0.152]}, ["max(norm(A.reaction.force))", "at(0.0123, O.effort)"], until=0.05,
            output_step=0.001, formulation=name,
        ).outputs
        for name in ("recursive", "augmented")
    }  # fmt: skip
    np.testing.assert_allclose(study["recursive"], study["augmented"], rtol=1e-9)
