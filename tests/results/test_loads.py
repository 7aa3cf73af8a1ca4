"""Loads of a run: peaks, directions and means against closed forms, in other units, for odd models and files."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray

import multibody as mb
from cli_runs import run, run_json
from multibody.results.over_time import mean, rms
from other_units import SYSTEMS, in_units

G, M, L, J = 9.81, 2.0, 0.3, 0.05  # a pendulum: inertia about its center of mass


def pendulum() -> mb.Model:
    """Return a pendulum that is let go at the level of its pin."""
    m = mb.Model("pendulum", dimension=2, gravity=(0, -G))
    m.body("bob", mass=M, inertia=J, com=(L, 0))
    m.revolute("O", m.ground, "bob")
    m.initial({"O": 0.0})
    return m


# --- means over time --------------------------------------------------------------------------------------------------
def test_means_weigh_instants_by_time() -> None:
    t = np.sort(np.r_[np.linspace(0, 1, 11), np.linspace(0, 0.1, 400), 1.0])  # crowded at the start, one instant twice
    assert mean(t, 3 * t - 1) == pytest.approx(0.5, abs=1e-14)
    assert rms(t, np.full_like(t, -7.0)) == pytest.approx(7.0)
    fine = np.cumsum(np.abs(np.sin(np.arange(4000)))) / 2546.0
    assert rms(fine, np.sin(2 * np.pi * fine / fine[-1])) == pytest.approx(math.sqrt(0.5), rel=2e-6)
    assert rms(t[::-1], t) == pytest.approx(rms(t, t[::-1]))  # backward in time


def test_means_of_gaps_of_one_instant_and_of_extreme_numbers() -> None:
    assert rms([0.0], [-2.0]) == 2.0 and mean([0.0], [-2.0]) == -2.0
    assert math.isnan(rms([0.0, 1.0], [math.nan, math.nan]))
    assert rms([0, 1, 2, 3], [1, 1, math.nan, 5]) == pytest.approx(1.0)  # only one interval is known at both ends
    assert rms([0, 1], [1e-200, 1e-200]) == pytest.approx(1e-200)
    assert rms([0, 1], [1e200, 1e200]) == pytest.approx(1e200)


# --- closed forms -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("system", ["m-kg", "mm-g", "um-ng", "km-t", "mm-g-ms"])
def test_pin_of_a_pendulum(system: str) -> None:
    to = SYSTEMS[system]
    force = to.of(1, 1, -2)
    run = in_units(pendulum(), to).run(until=1.5 * to.time, rtol=1e-10)
    load = run.loads(refine=True)["O"]["force"]
    about_pin = J + M * L**2
    assert load.peak == pytest.approx(M * G * (1 + 2 * M * L**2 / about_pin) * force, rel=1e-8)
    assert load.direction == pytest.approx((0.0, 1.0), abs=2e-4)
    assert math.sin(run.at(load.time)["O"]) == pytest.approx(-1.0, abs=1e-8)
    angle = run["O"].values  # from the level, so that sin is minus the cosine from the plumb line
    radial = -np.sin(angle) * (1 + 2 * M * L**2 / about_pin)
    across = np.cos(angle) * (1 - M * L**2 / about_pin)
    exact = M * G * force * np.sqrt(np.mean((radial**2 + across**2)[1:-1]))  # the instants are evenly spaced
    assert load.rms == pytest.approx(exact, rel=3e-3)
    assert run.loads()["O"]["force"].peak <= load.peak
    assert load.lowest == pytest.approx(M * G * (1 - M * L**2 / about_pin) * force, rel=1e-4)  # at the level
    assert load.unique is True and load.on == "bob"


def test_a_peak_is_moved_only_by_what_is_no_round_off() -> None:
    model = mb.Model("rotor", dimension=2)
    model.body("rotor", mass=1.5, inertia=0.02, com=(0.01, 0.003))
    model.revolute("O", model.ground, "rotor")
    model.motion("O", "7*t")  # the same force at every instant, but for round-off
    run = model.run(until=0.3, output_step=0.1)
    plain, refined = (run.loads(refine=refine)["O"]["force"] for refine in (False, True))
    assert (refined.time, refined.peak) == (plain.time, plain.peak)


def test_rotating_unbalance_along_and_across_its_axis() -> None:
    m, e, c, w = 1.5, 0.01, 0.2, 300.0  # eccentricity and height of the center of mass over the bearing
    model = mb.Model("rotor", gravity=(0, 0, -G))
    model.body("rotor", mass=m, inertia=(0.02, 0.02, 0.03), com=(e, 0, c))
    model.revolute("O", model.ground, "rotor", axis=(0, 0, 1))
    model.motion("O", w * mb.t)
    loads = model.run(until=2 * math.pi / w).loads()
    own = loads["O"]
    assert own["radial"].peak == pytest.approx(m * e * w**2) and own["radial"].rms == pytest.approx(m * e * w**2)
    assert own["axial"].peak == pytest.approx(m * G) and own["axial"].lowest == pytest.approx(m * G)
    assert own["force"].peak == pytest.approx(m * math.hypot(e * w**2, G))
    tilt = m * e * (c * w**2 + G)  # of the centripetal force at height c and of the weight at arm e
    assert own["tilting"].peak == pytest.approx(tilt) and own["tilting"].rms == pytest.approx(tilt)
    assert own["moment"].peak == pytest.approx(tilt)
    assert "radial" in loads.tables()[1].text()


@pytest.mark.parametrize("axes", ["ground", "joint", "body"])
def test_axes_turn_the_components_and_not_the_direction(axes: str) -> None:
    m, e, w = 1.0, 0.1, 10.0
    model = mb.Model("rotor", dimension=2)
    model.body("rotor", mass=m, inertia=0.01, com=(e, 0))
    model.revolute("O", model.ground, "rotor")
    model.motion("O", w * mb.t + 0.7)
    load = model.run(until=0.01, output_step=0.01).loads(axes=axes)["O"]["force"]
    angle = 0.7 + w * load.time
    ground = -m * e * w**2 * np.array([math.cos(angle), math.sin(angle)])
    assert load.direction == pytest.approx(tuple(ground / np.linalg.norm(ground)))
    assert load.vector == pytest.approx((-m * e * w**2, 0.0) if axes == "body" else tuple(ground), abs=1e-9)


def slider_crank(r: float, l: float, w: float, m: float) -> mb.Model:
    """Return a slider-crank with all its mass in the slider."""
    model = mb.Model("slider-crank", dimension=2)
    model.body("crank", mass=0.0, inertia=0.0, frames={"pin": (r, 0)})
    model.body("rod", mass=0.0, inertia=0.0, frames={"small": (l, 0)})
    model.body("slider", mass=m, inertia=1e-3)
    model.revolute("O", model.ground, "crank")
    model.revolute("A", "crank.pin", "rod")
    model.revolute("B", "rod.small", "slider")
    model.translational("S", model.ground, "slider", axis=(1, 0))
    model.motion("O", w * mb.t)
    model.initial(guess={"S": r + l})
    return model


def test_slider_crank_by_hand() -> None:
    r, l, w, m = 0.05, 0.2, 100.0, 0.8
    loads = slider_crank(r, l, w, m).inverse(until=2 * math.pi / w, steps=720).loads()
    peak = m * r * w**2 * (1 + r / l)  # at the outer dead point, along the guide
    for name in ("O", "A", "B"):
        assert loads[name]["force"].peak == pytest.approx(peak)
        assert loads[name]["force"].time == pytest.approx(0.0) or loads[name]["force"].time == pytest.approx(2 * math.pi / w)
        assert loads[name]["force"].direction == pytest.approx((-1.0, 0.0), abs=1e-9)
    phi = np.linspace(0, 2 * np.pi, 721)
    s = r / l * np.sin(phi)
    tilt = np.arcsin(s)
    x2 = -r * np.cos(phi) - l * (np.cos(tilt) * (r / l * np.cos(phi) / np.cos(tilt)) ** 2
                                 + np.sin(tilt) * (-s + np.tan(tilt) * (r / l * np.cos(phi) / np.cos(tilt)) ** 2 * np.cos(tilt))
                                 / np.cos(tilt))  # fmt: skip
    side = m * x2 * w**2 * np.tan(tilt)
    assert loads["S"]["force"].peak == pytest.approx(np.max(np.abs(side)), rel=1e-9)
    torque = m * x2 * w**2 * (-r * np.sin(phi) - r * np.cos(phi) * np.tan(tilt))  # virtual power: force times dx/dφ
    assert loads["O"]["effort"].highest == pytest.approx(np.max(torque), rel=1e-9)
    assert loads["O"]["effort"].rms == pytest.approx(np.sqrt(np.mean(torque[1:] ** 2)), rel=1e-9)


# --- what there is, and what there is not -----------------------------------------------------------------------------
def test_springs_loads_bushings_and_couplers() -> None:
    m = mb.Model("parts", dimension=2)
    m.body("a", mass=1.0, inertia=0.1, at=(0.5, 0))
    m.body("b", mass=1.0, inertia=0.1, at=(2, 0))
    m.translational("S", m.ground, "a", axis=(1, 0))
    m.translational("T", m.ground, "b", axis=(1, 0))
    m.coupler("tied", "S - T + 1.5")
    m.spring("coil", m.ground, "a", stiffness=100.0, length=0.4)
    m.force("push", "b", value=(3.0, -4.0), moment=2.0)
    m.bushing("rubber", "a", "b", stiffness=(10.0, 10.0, 0.0))
    m.effort("motor", "S", value="5*cos(t)")
    m.initial({"S": 0.5})
    loads = m.run(until=0.01, output_step=0.001).loads()
    assert loads["coil"]["effort"].peak == pytest.approx(-100.0 * 0.1, rel=1e-3)
    assert loads["push"]["force"].peak == pytest.approx(5.0) and loads["push"]["force"].vector == pytest.approx((3.0, -4.0))
    assert loads["push"]["moment"].peak == pytest.approx(2.0)
    assert loads["motor"]["effort"].peak == pytest.approx(5.0) and loads["motor"]["effort"].unit == "N"
    assert loads["rubber"]["force"].peak == pytest.approx(15.0, rel=1e-3)
    assert math.isfinite(loads["tied"]["effort"].peak)
    assert {"S", "T", "tied", "coil", "push", "rubber", "motor"} == set(loads)
    assert loads.data["force_peak"].sel(joint="T").item() == pytest.approx(loads["T"]["force"].peak)
    with pytest.raises(mb.ModelError, match='nothing is known of "coyl"; did you mean "coil"'):
        loads["coyl"]


def test_what_is_not_unique_is_said() -> None:
    loads = mb.load("engine").run(until=0.1).loads()
    assert loads["O1"]["force"].unique is False and loads["O1"]["force"].open == ("z",)
    assert loads["O1"]["radial"].unique is True and loads["O1"]["axial"].unique is False
    assert "not Fz, Mx, My" in str(loads) and any("not unique" in note for note in loads.notes)
    assert not loads.data["axial_unique"].sel(joint="O1").item()


def test_runs_without_forces_without_joints_with_one_instant_and_unfinished(recwarn: Any) -> None:
    with pytest.raises(mb.ModelError, match="kinematics knows no forces"):
        mb.load("slider-crank").kinematics(until=0.01).loads()
    ball = mb.Model("ball", gravity=(0, 0, -G))
    ball.body("ball", mass=1.0, inertia=(1, 1, 1))
    empty = ball.run(until=0.1).loads()
    assert empty.rows == [] and empty.tables() == [] and "ball" in str(empty) and empty.data.sizes["component"] == 3
    one = mb.load("slider-crank").inverse(at=0.01).loads()["A"]["force"]
    assert one.rms == one.peak == one.lowest == one.highest
    stuck = mb.load("four-bar").run(until=1.0, rtol=1e-6)
    stuck.status = type(stuck.status)(False, "stopped\nearly", 0.5)
    partial = stuck.loads()
    assert partial.csv().startswith("# partial: stopped early\n") and "not complete" in partial.notes[0]


def test_a_blocked_effort_is_left_out_of_means() -> None:
    model = slider_crank(0.05, 0.2, 10.0, 1.0)
    model.effort("drag", "O", value=-1.0)
    with pytest.warns(RuntimeWarning):
        found = model.inverse(times=np.linspace(0, math.pi / 10, 21), efforts=["S"])  # dead points at both ends
    own = found.loads()
    assert found.blocked and all(math.isfinite(row.peak) for row in own.rows if row.quantity == "force")
    assert math.isfinite(own["B"]["force"].rms)


def test_other_axes_and_joints_are_refused_in_words() -> None:
    run = mb.load("four-bar").run(until=0.1)
    with pytest.raises(mb.ModelError, match='loads: unknown axes "grund"; did you mean "ground"'):
        run.loads(axes="grund")
    with pytest.raises(mb.ModelError, match='unknown joint "X"'):
        run.loads(["X"])
    assert set(run.loads(["A"])) == {"A"}


def test_a_large_model_shows_its_largest_loads() -> None:
    loads = mb.load("chain", n=60).run(until=0.01, output_step=0.005).loads()
    table = loads.tables()[0]
    assert len(loads.joints) > 30 == len(table.rows) and "largest of" in table.more
    sizes = [float(row[3]) for row in table.rows]
    assert sizes == sorted(sizes, reverse=True)
    assert len(loads.plain()["loads"]) > 60


# --- files and the command line ---------------------------------------------------------------------------------------
def test_files(tmp_path: Path) -> None:
    loads = mb.load("slider-crank").run(until=0.02).loads()
    for ending in ("csv", "json", "nc"):
        loads.save(tmp_path / f"loads.{ending}")
    lines = list(csv.DictReader(io.StringIO((tmp_path / "loads.csv").read_text())))
    first = next(line for line in lines if line["name"] == "A" and line["quantity"] == "force")
    assert float(first["peak"]) == loads["A"]["force"].peak and float(first["y"]) == loads["A"]["force"].vector[1]
    assert json.loads((tmp_path / "loads.json").read_text())["loads"][0]["name"] == "O"
    with xarray.open_dataset(tmp_path / "loads.nc", engine="h5netcdf") as data:
        assert data["force_peak"].sel(joint="A").item() == loads["A"]["force"].peak
    with pytest.raises(mb.ModelError, match=r"use \.csv, \.json or \.nc"):
        loads.save(tmp_path / "loads.txt")
    assert loads._repr_html_().startswith("<table>")


def test_a_planar_moment_is_about_z_in_a_table() -> None:
    model = mb.Model("rail", dimension=2, gravity=(0, -10.0))
    model.body("block", mass=2.0, inertia=0.1, com=(0.3, 0))
    model.translational("S", model.ground, "block", axis=(1, 0))
    lines = {line["quantity"]: line for line in csv.DictReader(io.StringIO(model.run(until=0.1).loads().csv()))}
    force, moment = lines["force"], lines["moment"]
    assert [moment[key] for key in ("x", "y", "direction x", "direction y")] == [""] * 4 and force["z"] == ""
    assert (float(moment["z"]), float(moment["direction z"])) == (pytest.approx(6.0), 1.0)
    assert (float(force["y"]), float(force["direction y"]), force["direction z"]) == (pytest.approx(20.0), 1.0, "")


def test_the_verb(tmp_path: Path) -> None:
    code, out, err = run("loads", "slider-crank", "--out", str(tmp_path / "loads.csv"))
    assert (code, err) == (0, "") and "peak over the instants" in out and "written" in out
    found = run_json("loads", "slider-crank", "--joints", "A", "--axes", "body")
    assert [row["quantity"] for row in found["loads"]] == ["force", "moment"] and found["loads"][0]["axes"] == "body"
    code, _, err = run("loads", "slider-crank", "--out", str(tmp_path / "loads.xyz"))
    assert code == 2 and "unknown ending" in err
    code, _, err = run("loads", "four-bar", "--joints", "Q")
    assert code == 2 and 'unknown joint "Q"' in err


def test_the_verb_reads_a_saved_run(tmp_path: Path) -> None:
    saved = tmp_path / "run.nc"
    made = mb.load("slider-crank").run(until=0.02, output_step=0.001)
    made.save(saved)
    found = run_json("loads", str(saved))
    assert found["loads"][0]["peak"] == pytest.approx(made.loads()["O"]["force"].peak, rel=1e-12)
    code, _, err = run("loads", str(saved), "--until", "1")
    assert code == 2 and "a saved run is as it is; leave out --set and --until" in err
    free = mb.load("four-bar").run(0.1)
    free.save(tmp_path / "free.nc")
    with pytest.raises(mb.ModelError, match=r"instants of a run alone, and t = 0\.01234 is none; what lies between"):
        mb.read_run(tmp_path / "free.nc").at(0.01234)
    code, _, err = run("loads", str(saved), "--refine")
    assert code == 2 and "a file holds the instants of a run alone" in err and "dense" not in err
    code, _, err = run("loads", str(saved), "--out", str(saved))
    assert code == 2 and "name another file" in err


def test_the_verb_needs_a_time_and_masses(tmp_path: Path) -> None:
    file = tmp_path / "bare.yaml"
    file.write_text("name: bare\ndimension: 2\nbodies: {a: {}}\njoints: {O: {revolute: [ground, a]}}\nmotions: {O: t}\n")
    code, _, err = run("loads", str(file))
    assert code == 2 and "the last time is missing; give --until T" in err
    code, _, err = run("loads", str(file), "--until", "1")
    assert code == 2 and "mass" in err


def test_si_units() -> None:
    own = in_units(pendulum(), SYSTEMS["mm-g-ms"])
    run = own.run(until=500.0, rtol=1e-9)
    si, here = run.loads().plain("SI"), run.loads().plain()
    assert si["units"] == {"length": "m", "time": "s", "mass": "kg"} and here["span"][1] == 500.0
    assert si["span"][1] == pytest.approx(0.5)
    assert si["loads"][0]["unit"] == "N"
    assert si["loads"][0]["time"] == pytest.approx(here["loads"][0]["time"] * 1e-3)
