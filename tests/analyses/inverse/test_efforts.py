"""Efforts along every coordinate that can be driven: what a motion and the forces beside it apply, by one path each."""

import warnings

import numpy as np
import pytest

import multibody as mb

G = 9.81


def crane(how: str = "boom.length", **law: float) -> mb.Model:
    """Return an arm that a cylinder lifts; the cylinder is a spring whose length is driven."""
    m = mb.Model("crane", dimension=2, gravity=(0, -G))
    m.frames(foot=(0.5, -0.2))
    m.body("arm", mass=100.0, inertia=20.0, com=(1.0, 0), frames={"eye": (0.7, 0.05), "tip": (2.0, 0)})
    m.revolute("O", m.ground, "arm")
    m.spring("boom", "ground.foot", "arm.eye", length=0.3, **law)  # type: ignore[arg-type]
    m.motion(how, "0.4 + 0.05*sin(t)")
    m.initial(guess={"O": 0.3})
    return m


def force_along(run: mb.Run) -> np.ndarray:
    """Return the cylinder's force from the moment balance about the pin, with nothing but positions and accelerations."""
    angle, d = run["O"].values, run.point("arm.eye").position.values - np.array([0.5, -0.2])
    eye, unit = run.point("arm.eye").position.values, d / np.linalg.norm(d, axis=1)[:, None]
    arm = eye[:, 0] * unit[:, 1] - eye[:, 1] * unit[:, 0]
    return np.asarray((120.0 * run["O.acceleration"].values + 100.0 * G * np.cos(angle)) / arm)


@pytest.mark.parametrize("how", ["boom", "boom.length"])
@pytest.mark.parametrize("law", [{}, {"stiffness": 1e4, "damping": 50.0}])
def test_a_driven_cylinder_reports_its_force(how: str, law: dict[str, float]) -> None:
    """Law and drive together hold the arm, whatever the law is; every analysis and every spelling says the same."""
    m = crane(how, **law)
    run = m.run(until=1.0)
    expected = force_along(run)
    for path in ("boom.effort", "boom.length.effort"):
        np.testing.assert_allclose(run[path], expected, rtol=1e-9)
        np.testing.assert_allclose(m.inverse(times=run.time, formulation="recursive").motion[path], expected, rtol=1e-9)
    found = m.inverse(times=run.time)
    np.testing.assert_allclose(found.motion["boom.effort"], expected, rtol=1e-9)
    own = np.zeros(len(run.time))
    if law:
        own = -1e4 * (run["boom"].values - 0.3) - 50.0 * run["boom.rate"].values
        assert 'motion["' in found.notes[0] and "boom applies along it" in found.notes[0]
    else:
        assert found.notes == []
    np.testing.assert_allclose(found[how], expected - own, rtol=1e-9)
    at = m.reactions(at=1.0)[how]
    assert at["effort"] == pytest.approx(expected[-1], rel=1e-9) and at["unit"] == "N"
    data = run.data
    np.testing.assert_allclose(data.force_effort.sel(force="boom"), expected, rtol=1e-9)
    np.testing.assert_allclose(data.motion_effort.sel(motion=how), expected - own, rtol=1e-9)


def test_a_force_on_the_length_counts_in_the_spring_and_by_its_own_name() -> None:
    """As along a joint's coordinate: the coordinate's effort has everything, a force's only its own."""
    m = crane()
    m.effort("valve", "boom.length", value=7.0)
    run = m.run(until=0.5)
    np.testing.assert_allclose(run["boom.effort"], force_along(run), rtol=1e-9)
    np.testing.assert_allclose(run["valve.effort"], 7.0)


def test_statics_knows_the_cylinder() -> None:
    """A held length is a support."""
    m = crane("boom")
    eq = m.statics()
    arm = eq.reactions()
    np.testing.assert_allclose(float(eq["boom.effort"]), arm["boom"]["effort"], rtol=1e-12)
    assert abs(float(eq["boom.effort"])) > 100.0


def driven_point() -> tuple[mb.Model, str]:
    """Return a body whose point is driven upward."""
    m = mb.Model("lift", dimension=2, gravity=(0, -G))
    m.body("b", mass=3.0, inertia=0.2, frames={"tip": (0, 0.4)})
    m.translational("T", m.ground, "b", axis=(0, 1))
    m.motion("b.tip.y", "0.4 + t^2")
    return m, "b.tip.y"


def driven_body() -> tuple[mb.Model, str]:
    """Return a body whose center of mass is driven upward."""
    m = mb.Model("lift", dimension=3, gravity=(0, 0, -G))
    m.body("b", mass=3.0, inertia=(0.2, 0.2, 0.2))
    m.translational("T", m.ground, "b", axis=(0, 0, 1))
    m.motion("b.z", "t^2")
    return m, "b.z"


def driven_screw() -> tuple[mb.Model, str]:
    """Return a nut without inertia about its axis that is pulled up along its screw."""
    m = mb.Model("nut", dimension=3, gravity=(0, 0, -G))
    m.body("b", mass=3.0, inertia=(0.2, 0.2, 0.0))
    m.screw("T", m.ground, "b", axis=(0, 0, 1), lead=0.1)
    m.motion("T.position", "t^2")
    return m, "T.position"


def driven_angle() -> tuple[mb.Model, str]:
    """Return a wheel whose body angle is driven."""
    m = mb.Model("wheel", dimension=2)
    m.body("b", mass=3.0, inertia=0.2)
    m.revolute("T", m.ground, "b")
    m.motion("b.angle", "t^2")
    return m, "b.angle"


@pytest.mark.parametrize(
    ("made", "expected"),
    [(driven_point, 3 * (G + 2)), (driven_body, 3 * (G + 2)), (driven_screw, 3 * (G + 2)), (driven_angle, 0.4)],
)
def test_every_driven_coordinate_has_an_effort(made: object, expected: float) -> None:
    """Newton's law gives it; run, inverse, reactions and saved columns have it under the coordinate's name."""
    m, path = made()  # type: ignore[operator]
    run = m.run(until=0.2)
    np.testing.assert_allclose(run[f"{path}.effort"], expected, rtol=1e-9)
    np.testing.assert_allclose(m.inverse(until=0.2, steps=3)[path], expected, rtol=1e-9)
    assert m.reactions(at=0.2)[path]["effort"] == pytest.approx(expected, rel=1e-9)
    assert float(run.data.motion_effort.sel(motion=path)[-1]) == pytest.approx(expected, rel=1e-9)
    if path == "T.position":
        assert run["T.effort"].attrs["beside"] == "T.position.effort"


def test_saved_columns_have_the_efforts_of_drives(tmp_path: object) -> None:
    """A column for each driven coordinate that is no joint's own."""
    m, path = driven_point()
    file = tmp_path / "a.csv"  # type: ignore[operator]
    m.run(until=0.1).save(file)
    assert f"{path}.effort" in file.read_text().splitlines()[0]


def test_a_cam_driven_by_its_contact() -> None:
    """The contact angle is a coordinate like any other; its effort has the power of the follower."""
    m = mb.Model("cam", dimension=2, gravity=(0, -G))
    m.body("cam", mass=0.5, inertia=4e-4)
    m.body("follower", mass=0.2, inertia=1e-4)
    m.revolute("O", m.ground, "cam")
    m.translational("guide", m.ground, "follower", axis=(0, 1))
    m.cam("touch", "cam", "follower", profile="0.03 + 0.01*(1 - cos(phi))/2", roller=0.008)
    m.initial(guess={"guide": 0.04})
    m.motion("touch.contact", "0.5 + 2*t")
    run = m.run(until=0.5)
    moved = (run["energy.kinetic"] + run["energy.potential"]).values
    power = run["touch.effort"].values * run["touch.rate"].values
    work = np.concatenate([[0], np.cumsum((power[1:] + power[:-1]) / 2 * np.diff(run.time))])
    np.testing.assert_allclose(work, moved - moved[0], atol=2e-3 * float(np.ptp(moved)))


@pytest.mark.parametrize("spelled", ["O", "O.angle"])
def test_both_spellings_of_a_driven_coordinate_name_its_effort_in_inverse(spelled: str) -> None:
    """However the motion is spelled, `O` and `O.angle` are the effort, and the motion has the coordinate."""
    m = mb.Model("p", dimension=2, gravity=(0, -G))
    m.body("rod", mass=1.0, inertia=0.1, com=(0.5, 0))
    m.revolute("O", "ground", "rod")
    m.motion(spelled, "0.3 + 0*t")
    found = m.inverse(at=0.0)
    expected = G * 0.5 * np.cos(0.3)
    for path in ("O.effort", "O.angle.effort", spelled):
        assert float(found[path][0]) == pytest.approx(expected) and found[path].attrs["unit"] == "N·m"
    other = "O" if spelled == "O.angle" else "O.angle"
    with pytest.warns(FutureWarning, match=rf'the coordinate is inverse.motion\["{other}"\]'):
        assert float(found[other][0]) == pytest.approx(expected)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert float(found.motion[other][0]) == pytest.approx(0.3)
        assert float(found["O.rate"][0]) == pytest.approx(0.0)
        assert found.names == [spelled]
