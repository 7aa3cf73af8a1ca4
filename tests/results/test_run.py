"""A run as a result: any time, going on, datasets, files, certificate."""

from __future__ import annotations

import json
import pathlib
import sys
from typing import Any

import numpy as np
import pandas
import pytest
import xarray

import multibody as mb
from multibody.results.balance import balance
from oracles import oracle


def top(**values: Any) -> mb.Model:
    """Return a body on a skew hinge that turns many times, with friction."""
    m = mb.Model("top", gravity=(0, 0, -9.81))
    m.body("body", mass=1.0, inertia=(0.3, 0.4, 0.5), com=(0.1, 0.05, 0.2))
    m.revolute("O", "ground", "body", axis=(0.2, -0.3, 1.0))
    m.effort("drag", "O", damping=0.05)
    m.initial({"O": 0.2, "O.rate": 9.0})
    return m


@pytest.fixture(scope="module")
def four_bar() -> Any:
    return mb.load("four-bar").run(until=2.0, rtol=1e-10)


# --- between and beyond the instants ----------------------------------------------------------------------------------
def test_any_time_of_a_run(four_bar: Any) -> None:
    fine = mb.load("four-bar").run(until=2.0, rtol=1e-10, output_step=2.0 / 1601)
    for k in (1, 555, 1600):
        state = four_bar.at(float(fine.time[k]))
        assert state.t == fine.time[k]
        for path in ("link2.x", "O1.rate", "link3.y.acceleration", "energy.kinetic", "energy.work", "O3.effort"):
            assert state[path] == pytest.approx(fine[path].values[k], abs=1e-9)
        assert state["A.reaction.force"] == pytest.approx(fine["A.reaction.force"].values[k], abs=1e-8)
    system = four_bar.measurer.forces.reactions.system
    assert np.max(np.abs(system.phi(state.q, state.t))) < 1e-11


def test_an_instant_of_the_grid_is_that_instant(four_bar: Any) -> None:
    state = four_bar.at(four_bar.time[37])
    assert np.array_equal(state.q, four_bar.motion.q[37])
    assert state["B.reaction.force.x"] == four_bar["B.reaction.force.x"].values[37]
    assert np.array_equal(four_bar.state_at(-1).q, four_bar.final.q)


def test_times_outside_and_runs_without_dense_output(four_bar: Any) -> None:
    with pytest.raises(mb.ModelError, match=r"t = 2\.5 is outside of the run; it goes from 0 to 2"):
        four_bar.at(2.5)
    sparse = mb.load("four-bar").run(until=1.0, dense=False)
    with pytest.raises(mb.ModelError, match="dense=True"):
        sparse.at(0.123)


def test_any_time_of_a_kinematic_run() -> None:
    model = mb.load("slider-crank")
    for run in (model.kinematics(until=0.02, steps=10), model.kinematics(start=0.02, until=0.0, steps=10), model.run(0.02)):
        assert run.at(0.0123)["O"] == pytest.approx(150 * 0.0123, abs=1e-12)
        exact = model.kinematics(at=0.0123, initial=run.at(0.0123))
        assert run.at(0.0123)["slider.x.acceleration"] == pytest.approx(
            float(exact["slider.x.acceleration"].values[0]), rel=1e-9
        )
    assert np.isfinite(run.at(0.0123)["O.effort"])


@pytest.mark.parametrize("model", [top(), mb.load("four-bar"), mb.load("rssr")], ids=lambda m: str(m.name))
def test_a_run_goes_on_where_it_ended(model: mb.Model) -> None:
    whole = model.run(until=2.0, rtol=1e-11, atol=1e-13)
    first = model.run(until=1.1, rtol=1e-11, atol=1e-13)
    second = model.run(until=2.0, initial=first.final, rtol=1e-11, atol=1e-13)
    assert second.time[0] == 1.1
    assert np.array_equal(second.motion.q[0], first.motion.q[-1])
    assert np.array_equal(second.motion.v[0], first.motion.v[-1])
    assert second.notes == first.notes
    for path in whole:  # turns are counted on
        assert second[path].values[0] == pytest.approx(first[path].values[-1], abs=1e-12)
        assert second[path].values[-1] == pytest.approx(whole[path].values[-1], abs=1e-6)
    work = first["energy.work"].values[-1] + second["energy.work"].values[-1]
    assert second["energy.work"].values[0] == 0.0
    assert work == pytest.approx(whole["energy.work"].values[-1], abs=1e-7)


def test_the_turns_of_a_top() -> None:
    run = top().run(until=2.0)
    assert run["O"].values[-1] > 4 * np.pi
    assert np.max(np.abs(np.diff(run["O"].values))) < 0.1
    again = top().run(until=3.0, initial=run.at(1.2345))
    assert again["O"].values[0] == pytest.approx(run.at(1.2345)["O"], abs=1e-10)


# --- reactions --------------------------------------------------------------------------------------------------------
def test_points_axes_and_drives(four_bar: Any) -> None:
    second, first = four_bar.reactions("O3"), four_bar.reactions("O3", at="first")
    assert np.max(np.abs(second.moment.values)) < 1e-10
    assert np.max(np.abs(first.moment.values)) < 1e-8  # the two frames coincide
    moved = four_bar.reactions("O3", at="end")
    arm = moved.point.values - second.point.values
    cross = arm[:, 0] * second.force.values[:, 1] - arm[:, 1] * second.force.values[:, 0]
    assert np.max(np.abs(moved.moment.values + cross)) < 1e-9
    assert moved.attrs["point"] == "link3.end"
    turned = four_bar.reactions("O3", axes="body")
    theta = four_bar["link3.angle"].values
    along = second.force.values[:, 0] * np.cos(theta) + second.force.values[:, 1] * np.sin(theta)
    assert np.max(np.abs(turned.force.sel(component="x").values - along)) < 1e-10
    assert list(four_bar.reactions("O3", axes="joint").component.values) == ["f", "g"]
    driven = four_bar.reactions("O1", drives=True)
    assert np.max(np.abs(driven.moment.values - four_bar["spring.effort"].values)) < 1e-9
    assert np.array_equal(driven.effort_angle.values, four_bar["spring.effort"].values)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"joint": "O5"}, 'unknown joint "O5"'),
        ({"joint": "A", "axes": "bodi"}, 'did you mean "body"'),
        ({"joint": "A", "at": "edn"}, 'has no frame "edn"'),
    ],
)
def test_bad_questions_about_reactions(four_bar: Any, options: dict[str, str], message: str) -> None:
    with pytest.raises(mb.ModelError) as caught:
        four_bar.reactions(**options)
    assert message in str(caught.value)


# --- events and notes -------------------------------------------------------------------------------------------------
def test_events_and_notes() -> None:
    m = mb.Model("fall", dimension=2, gravity=(0, -10))
    m.body("ball", mass=1.0, inertia=1.0, at=(0, 5))
    m.event("half", "ball.y - 2.5")
    m.event("floor", "ball.y", terminal=True)
    run = m.run(until=3.0)
    assert [event.name for event in run.events] == ["half", "floor"]
    assert [event.time for event in run.events] == pytest.approx([0.5**0.5, 1.0], abs=1e-9)
    assert run.notes == []
    plain = run.plain()
    assert plain["events"][1] == {"name": "floor", "time": pytest.approx(1.0), "terminal": True}
    assert plain["gravity"] == "(0, -10) m/s²"
    assert mb.load("four-bar").run(until=0.1).notes == ["gravity: none"]


# --- plain data -------------------------------------------------------------------------------------------------------
def test_plain_data_of_a_run(four_bar: Any) -> None:
    data = json.loads(json.dumps(four_bar.plain()))
    assert {"units", "status", "statistics", "certificate", "final", "events", "notes", "gravity"} <= set(data)
    assert data["gravity"] == "none"
    assert {"success", "message", "time_reached"} <= set(data["status"])
    assert {"steps", "rhs_evaluations", "jacobian_evaluations", "factorizations", "wall_time"} <= set(data["statistics"])
    quality = {"position_violation", "velocity_violation", "energy_drift", "smallest_singular_value"}
    assert quality <= set(data["certificate"])
    assert set(data["final"]["bodies"]["link2"]) >= {"position", "angle", "velocity", "angular_velocity"}
    assert data["final"]["joints"]["O1"] == {
        "coordinates": [four_bar["O1"].values[-1]], "rates": [four_bar["O1.rate"].values[-1]],
        "accelerations": [four_bar["O1.acceleration"].values[-1]],
    }  # fmt: skip


def test_plain_data_of_a_driven_model_has_the_same_keys(four_bar: Any) -> None:
    data = mb.load("slider-crank").run(until=0.02).plain()
    assert set(four_bar.plain()["certificate"]) - set(data["certificate"]) <= {
        "position_violation_before_projection", "velocity_violation_before_projection", "smallest_pivot_ratio",
    }  # fmt: skip
    assert {"steps", "rhs_evaluations", "jacobian_evaluations", "factorizations", "wall_time"} <= set(data["statistics"])


# --- certificate ------------------------------------------------------------------------------------------------------
def test_the_smallest_singular_value_is_that_of_the_closest_approach() -> None:
    run = mb.load("four-bar-singular").run(until=2.0)
    system = run.measurer.forces.reactions.system
    values = [
        np.linalg.svd(system.scaled(system.jacobian(q, t)), compute_uv=False)[-1]
        for t, q in zip(run.time, run.motion.q, strict=True)
    ]
    assert run.certificate["smallest_singular_value"] == pytest.approx(min(values), rel=0.05)
    assert run.certificate["smallest_singular_value"] < 1e-2


def test_balance_joins_the_certificate(four_bar: Any) -> None:
    found = four_bar.balance()
    assert four_bar.certificate["reaction_balance"] == found.relative < 1e-9
    data = four_bar.data
    data["total_force"][:, 1, 0] *= 1.001
    wrong = balance(data)
    assert wrong.relative > 1e-5
    assert wrong.body in ("link1", "link2")


# --- data and files ---------------------------------------------------------------------------------------------------
def test_the_dataset(four_bar: Any) -> None:
    data = four_bar.data
    assert data.reaction_force.dims == ("time", "joint", "component")
    assert data.reaction_moment.dims == ("time", "joint")
    assert list(data.joint.values) == ["O1", "A", "B", "O3"]
    assert list(data.component.values) == ["x", "y"]
    assert bool(data.unique_force.all())
    force = data.reaction_force.sel(joint="A", component="y").values
    assert np.array_equal(force, four_bar["A.reaction.force.y"].values)
    assert np.array_equal(data.effort.sel(joint_coordinate="O1.angle").values, four_bar["O1.effort"].values)
    assert np.array_equal(data.force_effort.sel(force="spring").values, four_bar["spring.effort"].values)
    assert data.attrs["success"] == 1
    assert json.loads(data.attrs["certificate"])["energy_drift"] == four_bar.certificate["energy_drift"]


@pytest.mark.parametrize("name", ["four-bar", "engine", "spatial-four-bar", "cam-roller", "planetary"])
def test_netcdf_files_can_be_read(name: str, tmp_path: pathlib.Path) -> None:
    run = mb.load(name).run(until=0.02)
    run.save(tmp_path / "run.nc")
    with xarray.open_dataset(tmp_path / "run.nc") as data:
        assert data.identical(data)
        assert np.array_equal(data.total_force.values, run.data.total_force.values)
        assert list(data.action.values if "action" in data else []) == list(run.data.get("action", xarray.DataArray([])).values)
        assert data.unique_force.dtype == bool
        assert balance(data.load()).relative < 1e-8


def test_tables_of_columns(four_bar: Any, tmp_path: pathlib.Path) -> None:
    four_bar.save(tmp_path / "run.csv")
    table = pandas.read_csv(tmp_path / "run.csv")
    assert list(table.columns[:2]) == ["time [s]", "link1.x [m]"]
    for column, path in (("A.reaction.force.x [N]", "A.reaction.force.x"), ("energy.work [J]", "energy.work"),
                         ("O1.angle.effort [N·m]", "O1.effort"), ("spring.effort [N·m]", "spring.effort")):  # fmt: skip
        assert np.array_equal(table[column].to_numpy(), four_bar[path].values)


def test_parquet_files(four_bar: Any, tmp_path: pathlib.Path) -> None:
    parquet = oracle("pyarrow.parquet")
    four_bar.save(tmp_path / "run.parquet")
    table = pandas.read_parquet(tmp_path / "run.parquet")
    assert np.array_equal(table["B.reaction.force.y"].to_numpy(), four_bar["B.reaction.force.y"].values)
    schema = parquet.read_schema(tmp_path / "run.parquet")
    assert schema.field("B.reaction.force.y").metadata[b"unit"] == b"N"
    assert schema.metadata[b"model"] == b"four-bar"


def test_missing_packages_and_endings(four_bar: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(mb.ModelError, match=r'unknown ending ".xls"; use .nc, .mat, .parquet, .csv, .json or .glb'):
        four_bar.save(tmp_path / "run.xls")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(mb.ModelError, match=r"pip install multibody\[parquet\]"):
        four_bar.save(tmp_path / "run.parquet")


def test_a_run_that_could_not_start_still_saves(tmp_path: pathlib.Path) -> None:
    m = mb.Model("apart", dimension=2)
    m.body("rod", mass=1.0, inertia=1.0, frames={"end": (1, 0)})
    m.frames(far=(3, 0))
    m.revolute("O", "ground", "rod")
    m.revolute("A", "ground.far", "rod.end")
    with pytest.warns(RuntimeWarning):
        run = m.run(until=1.0)
    assert not run.ok
    assert run.plain()["status"]["success"] is False
    for ending in ("csv", "json", "nc", "mat"):
        run.save(tmp_path / f"run.{ending}")
    assert run.to_pandas().shape[0] == 0
    with pytest.raises(mb.ModelError, match="keyframes: the run has no instants"):
        run.save(tmp_path / "run.keys.csv")
    with pytest.raises(mb.ModelError, match="the run has no instants"):
        run["O.reaction.force"]
    with pytest.raises(mb.ModelError, match="the run has no instants"):
        run.at(0.0)


@pytest.mark.parametrize("until", [0.03, -0.03])
def test_work_of_motions_forward_and_back_in_time_is_the_change_of_energy(until: float) -> None:
    run = mb.load("slider-crank").run(until=until, output_step=1e-4)
    energy = run["energy.total"].values
    assert run["energy.work"].values == pytest.approx(energy - energy[0], abs=1e-5 * np.max(np.abs(energy)))
    assert np.max(np.abs(run["energy.work"].values)) > 1.0


def test_a_table_names_the_item_that_is_not_finite() -> None:
    m = mb.Model("m", dimension=2)
    with pytest.raises(mb.ModelError, match=r'table "lift".*y, item 2: nan is not a finite number'):
        m.table("lift", [0, 1, 2], [0, float("nan"), 1])
