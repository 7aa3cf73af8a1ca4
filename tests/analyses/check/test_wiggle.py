"""Small motions: as many as the mobility says, along the joints, each by one coordinate."""

from __future__ import annotations

import numpy as np
import pytest

import multibody as mb
from multibody.analyses.kinematics.sigma import opened_direction, sigma_over
from multibody.state.system import System


@pytest.mark.parametrize("name", ["four-bar", "six-bar", "rssr", "stewart-platform", "arm7", "planetary", "screw-press"])
def test_freedoms_are_as_many_as_the_mobility_and_keep_the_joints_closed(name: str) -> None:
    model = mb.load(name)
    found, system = model.wiggle(), System(model.assemble().tables)
    report = model.check()
    assert len(found) == report.coordinates - report.rank
    system.ref[:] = found.state.references
    for motion in found.motions:
        assert np.ptp(motion.q, axis=0).max() > 1e-3
        for q in motion.q[::6]:
            phi = system.phi(np.ascontiguousarray(q), found.state.t, 0, system.joint_rows)
            assert np.max(np.abs(phi * system.scale_rows[: system.joint_rows])) < 1e-9
        assert np.allclose(motion.q[0], found.state.q, atol=1e-9) and np.allclose(motion.q[-1], motion.q[0], atol=1e-9)


def test_each_freedom_of_an_arm_turns_one_joint() -> None:
    assert mb.load("arm7").wiggle().words == [f"joint{k} +1" for k in range(1, 8)]
    assert "7 freedoms" in repr(mb.load("arm7").wiggle())


def test_a_structure_has_no_freedoms_and_its_page_shows_the_pose(tmp_path) -> None:
    m = mb.Model("frame", dimension=2)
    m.body("a", mass=1.0)
    m.add(mb.Fixed("F", "ground", "a"))
    assert len(m.wiggle()) == 0
    assert m.wiggle().page(tmp_path / "x.html").exists()


def test_large_models_are_refused_in_words() -> None:
    with pytest.raises(mb.ModelError, match="small motions of 450 velocity coordinates"):
        mb.load("chain", n=150).wiggle()


def test_the_singular_value_along_a_run_is_that_of_its_certificate() -> None:
    run = mb.load("four-bar-singular").run(5.0)
    sigma = sigma_over(run.motion)
    assert sigma is not None and len(sigma) == len(run.time)
    assert run.certificate["smallest_singular_value"] <= np.min(sigma) * 1.001


def test_the_direction_that_opens_violates_no_constraint_to_first_order() -> None:
    m = mb.load("four-bar-singular")
    run = m.run(1.0)
    found = opened_direction(run.motion, 0.0)
    assert found is not None
    k, d = found
    system = System(run.tables)
    J = system.scaled(system.jacobian(np.array(run.motion.q[k]), 0.0))
    x = d / system.scale_columns
    assert np.linalg.norm(J @ x) == pytest.approx(np.linalg.svd(J, compute_uv=False)[min(J.shape) - 1], abs=1e-9)
