"""Expressions of results: vectors, units from their parts, outputs with units."""

from pathlib import Path

import numpy as np
import pytest

import multibody as mb


def crank(units: dict[str, str] | None = None) -> mb.Model:
    m = mb.Model("crank", dimension=2, gravity=(0, -9.81), units=units)
    m.parameter("w", 3.0)
    m.body("a", mass=2, inertia=0.3, com=(0.5, 0), frames={"pin": (1.0, 0.0)})
    m.body("b", mass=1, inertia=0.1, com=(0.4, 0), frames={"tip": (0.8, 0.1)})
    m.revolute("O", "ground", "a")
    m.revolute("B", "a.pin", "b")
    m.motion("O", "w*t + 0.1*t^3")
    return m


def arm() -> mb.Model:
    m = mb.Model("arm", gravity=(0, 0, -9.81))
    m.body("a", mass=2, inertia=(0.3, 0.2, 0.1), com=(0.5, 0.1, 0), frames={"pin": (1.0, 0.2, -0.1)})
    m.revolute("O", "ground", "a", axis=(1, 2, -0.5))
    return m


def test_vectors_of_forces_in_expressions() -> None:
    run = crank().run(0.3)
    force = run["B.reaction.force"].values
    assert run["norm(B.reaction.force)"].values == pytest.approx(np.hypot(*force.T), rel=1e-14)
    assert run["dot(B.reaction.force, B.reaction.force)"].values == pytest.approx(np.sum(force**2, axis=1))
    assert run["unit(B.reaction.force).x"].values == pytest.approx(force[:, 0] / np.hypot(*force.T))
    arms = run.point("b.tip")
    cross = arms.position.values[:, 0] * force[:, 1] - arms.position.values[:, 1] * force[:, 0]
    assert run["cross(b.tip, B.reaction.force)"].values == pytest.approx(cross)
    assert run["norm(b.tip.rate)"].values == pytest.approx(np.hypot(*arms.velocity.values.T))
    both = run["B.reaction.force + O.reaction.force"]
    assert both.values == pytest.approx(force + run["O.reaction.force"].values)
    assert both.dims == ("time", "component") and list(both.component.values) == ["x", "y"]
    assert both.attrs["unit"] == "N"


def test_vectors_in_space() -> None:
    run = arm().run(0.2)
    force, moment = run["O.reaction.force"].values, run["O.reaction.moment"].values
    assert run["norm(O.reaction.moment)"].values == pytest.approx(np.linalg.norm(moment, axis=1))
    assert run["cross(a.pin, O.reaction.force)"].values == pytest.approx(np.cross(run.point("a.pin").position.values, force))
    assert run["norm(a.omega)"].values == pytest.approx(np.abs(run["O.rate"].values))
    assert run["norm(a.omega)"].attrs["unit"] == "rad/s"
    assert run["cross(a.omega, a.pin)"].attrs["unit"] == "m/s"
    assert run["dot(momentum, momentum)^0.5"].values == pytest.approx(run["norm(momentum)"].values)


UNITS = {
    "O.effort*O.rate": "W", "2*O.effort": "N·m", "O.effort*O": "J", "energy.kinetic + energy.potential": "J",
    "norm(B.reaction.force)": "N", "b.x.rate^2": "m²/s²", "b.x.acceleration*2": "m/s²", "O/deg": "1", "O.rate/rpm": "1",
    "O - 30*deg": "rad", "sin(O)": "1", "b.x/t": "m/s", "b.x + O": "", "w*2": "", "sqrt(b.x^2 + b.y^2)": "m",
    "O.rate*b.x": "m/s", "max(b.x, b.y, 1)": "m", "if(t > 0.1, b.x, 0)": "m", "b.x*b.y": "m²", "t": "s", "1/t": "1/s",
    "O.reaction.force.x*b.y.rate": "W", "O.effort/O": "N·m/rad", "O.reaction.force.x/b.x": "N/m", "momentum.x/t": "N",
    "step5(t, 0, 0, 1, 2)*b.x": "m", "atan2(b.y, b.x)": "rad", "b.x^w": "", "cross(b.tip, B.reaction.force)": "N·m",
}  # fmt: skip


def test_units_follow_from_the_parts() -> None:
    run = crank().run(0.1)
    assert {text: run[text].attrs["unit"] for text in UNITS} == UNITS


def test_units_of_other_sets() -> None:
    run = crank({"length": "mm", "time": "s", "mass": "g"}).run(0.1)
    assert run["O.effort*O.rate"].attrs["unit"] == "g·mm²/s³"
    assert run["b.x.rate*2"].attrs["unit"] == "mm/s"
    run = crank({"length": "in", "time": "s", "force": "lbf"}).run(0.1)
    assert run["O.effort*O.rate"].attrs["unit"] == "lbf·in/s"
    assert run["2*O.reaction.force.x"].attrs["unit"] == "lbf"


OUTPUTS = """
outputs:
  power: O.effort*O.rate
  pull: {value: norm(B.reaction.force), unit: kN}
  twice: 2*power
  height: b.y
"""


def test_outputs_have_units(tmp_path: Path) -> None:
    crank().save(str(tmp_path / "m.yaml"))
    text = (tmp_path / "m.yaml").read_text() + OUTPUTS
    (tmp_path / "m.yaml").write_text(text)
    model = mb.load(str(tmp_path / "m.yaml"))
    model.save(str(tmp_path / "again.json"))
    again = mb.load(str(tmp_path / "again.json"))
    assert again.output_units == {"pull": "kN"} and again.outputs == model.outputs
    run = model.run(0.1)
    units = {"power": "W", "pull": "kN", "twice": "W", "height": "m", "height.rate": "m/s"}
    assert {name: run[name].attrs["unit"] for name in units} == units
    assert run["twice"].values == pytest.approx(2 * run["O.effort"].values * run["O.rate"].values)
    assert run.data["power"].attrs["unit"] == "W"
    assert run.plain()["final"]["output_units"] == {"power": "W", "pull": "kN", "twice": "W", "height": "m"}
    axes = run.plot("power", "norm(B.reaction.force)", "height")
    assert len(axes) == 3
    model.motion("B", "t")
    run, driven = model.run(0.1), model.kinematics(0.1)  # knows no forces: what needs them is left out, the rest is there
    assert list(driven.data["height"].values) == pytest.approx(list(run["height"].values[::4]))
    assert set(driven.plain()["final"]["outputs"]) == {"height"}
    with pytest.raises(mb.ModelError, match="use run or inverse"):
        driven["power"]


def test_outputs_are_converted_to_si() -> None:
    m = crank({"length": "mm", "time": "ms", "mass": "g"})
    m.output("power", "O.effort*O.rate")
    m.output("stated", "O.effort*O.rate", unit="mW")
    run = m.run(0.1)
    found = run.plain("SI")["final"]
    factor = 1e-3 * (1e-3) ** 2 / (1e-3) ** 3
    assert found["outputs"]["power"] == pytest.approx(run["power"].values[-1] * factor)
    assert found["output_units"] == {"power": "W", "stated": "mW"}
    assert found["outputs"]["stated"] == run["stated"].values[-1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("outputs: {p: {valu: O}}", 'unknown field "valu"; did you mean "value"?'),
        ("outputs: {p: {value: O, unit: 3}}", "its unit is 3"),
        ("outputs: {p: {unit: W}}", "it has no value"),
        ("outputs: {p: B.reaction.force}", "is a vector"),
        ("outputs: {p: norm(B.reaction.forc)}", 'did you mean "force"?'),
        ("outputs: {p: norm(b.tap)}", 'unknown name "b.tap"'),
    ],
)
def test_outputs_that_are_none(text: str, message: str, tmp_path: Path) -> None:
    crank().save(str(tmp_path / "m.yaml"))
    (tmp_path / "m.yaml").write_text((tmp_path / "m.yaml").read_text() + text + "\n")
    with pytest.raises(mb.ModelError) as caught:
        mb.load(str(tmp_path / "m.yaml"))
    assert message in str(caught.value)


def test_vectors_of_the_state_in_forces_and_events() -> None:
    m = arm()
    m.effort("push", "O", value="-3*dot(a.pin, a.pin.rate) - 0.1*norm(a.omega)")
    m.event("near", "norm(a.pin - [1, 0, 0]) - 0.5")
    written = arm()
    square = "a.pin.x*a.pin.x.rate + a.pin.y*a.pin.y.rate + a.pin.z*a.pin.z.rate"
    written.effort("push", "O", value=f"-3*({square}) - 0.1*sqrt(a.omega.x^2 + a.omega.y^2 + a.omega.z^2)")
    written.event("near", "sqrt((a.pin.x - 1)^2 + a.pin.y^2 + a.pin.z^2) - 0.5")
    runs = [model.run(1.0) for model in (m, written)]
    assert runs[0]["O"].values == pytest.approx(runs[1]["O"].values, abs=1e-12)
    assert [e.time for e in runs[0].events] == pytest.approx([e.time for e in runs[1].events]) and runs[0].events


def test_a_placed_copy_keeps_what_its_outputs_mean() -> None:
    part = crank()
    part.output("reach", "norm(b.tip)")
    part.output("side", "B.reaction.force.x")
    whole = mb.Model("whole", dimension=2, gravity=(-9.81 * np.sin(0.7) * -1, -9.81 * np.cos(0.7)))
    whole.include(part, "p_", at=(3, 4), angle=0.7)
    a, b = part.run(0.2), whole.run(0.2)
    assert b["p_reach"].values == pytest.approx(a["reach"].values)
    assert b["p_side"].values == pytest.approx(a["side"].values, rel=1e-6, abs=1e-6)


def test_places_of_errors_are_not_split_at_dots() -> None:
    with pytest.raises(mb.ModelError) as caught:
        crank().run(0.1)["b.xx"]
    assert str(caught.value).startswith('b.xx: unknown name "b.xx"')
