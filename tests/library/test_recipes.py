"""Recipes: each has a page, a place in the lists, the mobility that it should have, and numbers that formulas know too.

The pages themselves are run by the tests of the documentation; here the formulas are tried with other parameters.
"""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import least_squares

import multibody as mb
from multibody.errors import ModelError
from multibody.library import describe, find, names, recipes

DOCS = Path(__file__).resolve().parents[2] / "docs"
MOBILITY = {
    "backlash": 2, "bouncing-ball": 3, "cam-lift-off": 1, "double-wishbone": 1, "excavator": 3, "four-cylinder-engine": 1,
    "inverted-pendulum": 2, "quick-return": 1, "reaching-arm": 6, "rolling-wheel": 1, "shock-absorber": 1, "walking-leg": 1,
}  # fmt: skip


def test_the_table_covers_the_recipes() -> None:
    assert recipes() == sorted(MOBILITY)
    assert not set(recipes()) & set(names())


@pytest.mark.parametrize("name", recipes())
def test_it_is_described_linked_and_sound(name: str) -> None:
    assert 20 < len(describe(name)) <= 115 and describe(name)[-1] in ".?"
    page = (DOCS / "recipes" / f"{name}.md").read_text(encoding="utf-8")
    assert f'--8<-- "{name}.yaml"' in page and f'mb.load("{name}"' in page and f"({name}.png)" in page
    assert f"]({name}.md)" in (DOCS / "recipes" / "index.md").read_text(encoding="utf-8")
    assert f"recipes/{name}.md" in (DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8")
    model = mb.load(name)
    assert model.name == name
    assert set(model.defaults) <= {"run", "kinematics"} and model.defaults
    assert all(item.doc for item in model.parameters.values())
    report = model.check()
    assert report.mobility == MOBILITY[name]
    assert not report.redundant


@pytest.mark.parametrize("page", sorted((DOCS / "recipes").glob("*.md")), ids=lambda page: page.stem)
def test_every_picture_of_a_page_is_drawn_by_its_snippets(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE))
    for picture in re.findall(r"!\[[^\]]*\]\(([\w-]+\.png)\)", text):
        assert picture in code or re.sub(r"-\w+\.png$", "-{path}.png", picture) in code


def test_parameters_are_set_and_wrong_ones_are_named() -> None:
    assert mb.load("quick-return", r=0.05).parameters["r"].value == 0.05
    with pytest.raises(ModelError, match="rr"):
        mb.load("quick-return", rr=1)
    with pytest.raises(ModelError, match='did you mean "quick-return"'):
        find("quick-retrun")


@pytest.mark.parametrize(("r", "d", "L"), [(0.1, 0.25, 0.5), (0.15, 0.25, 0.48), (0.04, 0.3, 0.52)])
def test_time_ratio_and_stroke_of_the_shaper(r: float, d: float, L: float) -> None:
    m = mb.load("quick-return", r=r, d=d, L=L)
    m.event("end", "way.rate")
    run = m.kinematics()
    back, forth = (event.time for event in run.events)
    alpha = math.asin(r / d)
    assert (1 - forth + back) / (forth - back) == pytest.approx((math.pi + 2 * alpha) / (math.pi - 2 * alpha), rel=1e-9)
    assert abs(run.at(back)["way"] - run.at(forth)["way"]) == pytest.approx(2 * L * r / d, rel=1e-9)


@pytest.mark.parametrize("given", [{}, {"beta": 5, "k": 0.3}, {"r": 0.01, "k": 0.002, "m": 1e-3}])
def test_acceleration_of_the_wheel(given: dict[str, float]) -> None:
    run = mb.load("rolling-wheel", **given).run(until=0.1)
    values = {"r": 0.3, "k": 0.24, "beta": 20, "m": 12} | given
    ratio, pull = (values["k"] / values["r"]) ** 2, 9.81 * math.sin(math.radians(values["beta"]))
    assert run["S.acceleration"].values == pytest.approx(pull / (1 + ratio), rel=1e-9)
    assert run["norm(mesh.reaction.force)"].values == pytest.approx(values["m"] * pull / (1 + 1 / ratio), rel=1e-9)


@pytest.mark.parametrize("given", [{}, {"e": 0.003, "k": 2e4, "speed": 6000}, {"m": 0.05, "preload": 20, "speed": 8000}])
def test_contact_force_of_the_cam(given: dict[str, float]) -> None:
    values = {"e": 0.005, "m": 0.15, "k": 12e3, "preload": 100, "speed": 3000} | given
    run = mb.load("cam-lift-off", **given).run()
    angle, omega = run["O"].values, values["speed"] * mb.rpm
    lift = values["e"] * (1 - np.cos(angle))
    inertia = values["m"] * (values["e"] * omega**2 * np.cos(angle) + 9.81)
    expected = values["preload"] + values["k"] * lift + inertia
    np.testing.assert_allclose(run["contact_force"].values, expected, rtol=1e-9, atol=1e-9 * np.max(np.abs(expected)))
    assert any("pull" in note for note in run.notes) == bool(expected.min() < 0)


def test_shaking_force_of_the_engine() -> None:
    run = mb.load("four-cylinder-engine", balance=0, speed=1200).run()
    gas = sum(run[f"gas{k}.force.z"].values for k in range(1, 5))
    force = -gas - sum(run[f"{joint}.reaction.force.z"].values for joint in "OLR")
    r, l, omega, mass = 0.043, 0.14, 1200 * mb.rpm, 0.45 + 0.55 * 0.04 / 0.14
    expected = 0.0
    for phase in (0.0, math.pi, math.pi, 0.0):
        angle = run["O"].values + phase
        root = np.sqrt(l**2 - r**2 * np.sin(angle) ** 2)
        swing = r**2 * np.cos(2 * angle) / root + r**4 * np.sin(2 * angle) ** 2 / (4 * root**3)
        expected = expected + mass * omega**2 * (r * np.cos(angle) + swing)
    weight = 9.81 * (6 + 4 * (1.2 + 0.55 + 0.45) + 2 * 0.6)
    np.testing.assert_allclose(force, expected - weight, rtol=0, atol=1e-8 * np.max(np.abs(expected)))


def test_camber_and_toe_by_distances_alone() -> None:
    """Ball joints, tie rod and wheel from lengths that stay, without any rotation of a joint."""
    run = mb.load("double-wishbone").kinematics(times=[0.0, 0.3, 1.0])
    points = {name: np.array(item.value, dtype=float) for name, item in mb.load("double-wishbone").parameters.items()
              if isinstance(item.value, list | tuple)}  # fmt: skip
    axle = points["wheel"] + [0, 0.1, 0]
    lower, upper, steer, wheel = (points[name] for name in ("lower_ball", "upper_ball", "steer", "wheel"))
    held = {"lower_front": 0, "lower_rear": 0, "upper_front": 1, "upper_rear": 1, "rack": 2}  # what hangs on them
    fixed = [(points[name], k) for name, k in held.items()]
    moving = [lower, upper, steer, wheel, axle]
    pairs = [(i, j) for i in range(5) for j in range(i)]

    def residual(flat: np.ndarray, height: float) -> list[float]:
        now = flat.reshape(5, 3)
        lengths = [np.linalg.norm(now[k] - p) - np.linalg.norm(moving[k] - p) for p, k in fixed]
        lengths += [np.linalg.norm(now[i] - now[j]) - np.linalg.norm(moving[i] - moving[j]) for i, j in pairs]
        return [*lengths, now[3, 2] - height]

    guess = np.array(moving).ravel()
    for k in range(3):
        height = wheel[2] + float(run["bump"][k])
        found = least_squares(residual, guess, args=(height,), xtol=1e-15, ftol=1e-15, gtol=1e-15)
        assert found.cost < 1e-20
        center, end = found.x.reshape(5, 3)[3:]
        x, y, z = end - center
        assert float(run["camber"][k]) == pytest.approx(-math.degrees(math.atan2(z, y)), abs=1e-6)
        assert float(run["toe"][k]) == pytest.approx(math.degrees(math.atan2(x, y)), abs=1e-6)


def test_cylinders_do_the_work_of_the_arm() -> None:
    run = mb.load("excavator").run()
    power = sum(run[f"{name}_cylinder.effort*{name}_cylinder.rate"] for name in ("boom", "stick", "bucket"))
    loads = run["digging.force.x*bucket.teeth.x.rate + load.force.y*bucket.y.rate"]
    energy = run["energy.kinetic"] + run["energy.potential"]
    gained = float(energy[-1] - energy[0])
    spent = float((power + loads).integrate("time"))
    assert spent == pytest.approx(gained, abs=2e-4 * float(abs(power).max()) * 8)


def test_poles_of_the_pendulum() -> None:
    m = mb.load("inverted-pendulum", M=2.0, m=0.5, l=1.2)
    space = m.modes(at=m.assemble({"pivot": 0, "pivot.rate": 0}), inputs=["motor"]).state_space()
    D = 2.5 * 1.2 / 3 - 0.5 * 1.2 / 4
    assert space.A[2:, 1] == pytest.approx([0.5 * 9.81 * 1.2 / 4 / D, 2.5 * 9.81 / 2 / D], rel=1e-9)
    assert space.B[2:, 0] == pytest.approx([1.2 / 3 / D, 0.5 / D], rel=1e-9)
