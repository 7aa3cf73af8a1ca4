"""Results in tables and files of other programs: every form holds the same numbers to the last digit."""

from __future__ import annotations

import csv
import json
import pathlib
import warnings
from typing import Any

import numpy as np
import pytest

import multibody as mb
from cli_runs import run as command
from multibody.errors import ModelError
from multibody.results.mat import KEYWORDS, matlab_names


@pytest.fixture(scope="module")
def run() -> Any:
    return mb.load("four-bar").run(until=0.05, output_step=0.005)


@pytest.fixture(scope="module")
def space_run() -> Any:
    return mb.load("rssr").kinematics(until=0.3, steps=12)


def partial() -> Any:
    """Return a run that ends early: a formula that has no value after a while."""
    m = mb.Model("brief", dimension=2)
    m.body("puck", mass=1, inertia=1)
    m.translational("S", m.ground, "puck", axis=(1, 0))
    m.effort("push", "S", value="sqrt(0.5 - t)")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = m.run(until=1)
    assert not found.ok
    assert len(found.time) > 2
    return found


# --- pandas -----------------------------------------------------------------------------------------------------------
def test_a_wide_table_has_a_column_a_path(run: Any) -> None:
    frame = run.to_pandas()
    assert frame.index.name == "time"
    assert frame.columns.nlevels == frame.index.nlevels == 1
    assert np.array_equal(frame.index, run.time)
    for path in ("link2.x", "A.angle", "A.reaction.force.y", "energy.total"):
        assert np.array_equal(frame[path], run[path])
        assert frame.attrs["units"][path] == run[path].attrs["unit"]
    assert frame.attrs["success"] is True


def test_chosen_paths_vectors_and_expressions(run: Any) -> None:
    frame = run.to_pandas("A.reaction.force", "O1 - 2*A")
    assert list(frame.columns) == ["A.reaction.force.x", "A.reaction.force.y", "O1 - 2*A"]
    assert np.array_equal(frame["A.reaction.force.y"], run["A.reaction.force"][:, 1])
    assert np.array_equal(frame["O1 - 2*A"], run["O1 - 2*A"])
    with pytest.raises(ModelError, match="unknown name"):
        run.to_pandas("nothing.x")


def test_the_long_form_is_the_wide_one(run: Any) -> None:
    wide, long = run.to_pandas(), run.to_pandas(long=True)
    assert list(long.columns) == ["time", "path", "value", "unit"]
    assert len(long) == wide.size
    assert np.array_equal(long.pivot(index="time", columns="path", values="value")[wide.columns], wide)
    assert set(long.loc[long.path == "O1.angle", "unit"]) == {"rad"}


# --- files ------------------------------------------------------------------------------------------------------------
def rows_of(file: pathlib.Path) -> list[list[str]]:
    with open(file, newline="") as opened:
        return [row for row in csv.reader(opened) if not row[0].startswith("#")]


def test_csv_holds_every_digit(run: Any, tmp_path: pathlib.Path) -> None:
    frame = run.to_pandas()
    run.save(tmp_path / "wide.csv")
    head, *rows = rows_of(tmp_path / "wide.csv")
    assert head[:2] == ["time [s]", "link1.x [m]"]
    assert np.array_equal(np.array(rows, dtype=float)[:, 1:], frame)
    run.save(tmp_path / "long.csv", long=True)
    head, *rows = rows_of(tmp_path / "long.csv")
    assert head == ["time [s]", "path", "value", "unit"]
    long = run.to_pandas(long=True)
    assert [row[1] for row in rows] == list(long.path)
    assert np.array_equal([float(row[2]) for row in rows], long.value)
    run.save(tmp_path / "chosen.csv", paths=["A.reaction.force", "link2.x"])
    parts = ["A.reaction.force.x [N]", "A.reaction.force.y [N]"]
    assert rows_of(tmp_path / "chosen.csv")[0] == ["time [s]", *parts, "link2.x [m]"]


def test_parquet_holds_every_digit_and_the_units(run: Any, tmp_path: pathlib.Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    run.save(tmp_path / "wide.parquet")
    found = parquet.read_table(tmp_path / "wide.parquet")
    assert np.array_equal(found.to_pandas().to_numpy()[:, 1:], run.to_pandas())
    assert found.schema.field("energy.total").metadata == {b"unit": b"J"}
    run.save(tmp_path / "long.parquet", long=True)
    long = parquet.read_table(tmp_path / "long.parquet").to_pandas()
    assert np.array_equal(long.value, run.to_pandas(long=True).value)
    assert list(long.path) == list(run.to_pandas(long=True).path)


@pytest.mark.parametrize("ending", [".nc", ".mat"])
@pytest.mark.parametrize("which", ["run", "space_run"])
def test_a_run_comes_back_whole(which: str, ending: str, tmp_path: pathlib.Path, request: pytest.FixtureRequest) -> None:
    if ending == ".nc":
        pytest.importorskip("h5netcdf")
    run, file = request.getfixturevalue(which), tmp_path / f"run{ending}"
    run.save(file)
    back = mb.Run.load(file)
    assert back.status == run.status
    assert back.notes == run.notes
    assert back.certificate == run.certificate
    assert back.model.text() == run.model.text()
    assert back.to_pandas().equals(run.to_pandas())
    assert back.data.identical(run.data)
    for name in ("q", "v", "a", "references"):
        assert np.array_equal(getattr(back.motion, name), getattr(run.motion, name))
    assert np.array_equal(back.state_at(3).q, run.state_at(3).q)


def test_impulses_come_back_from_mat(tmp_path: pathlib.Path) -> None:
    m = mb.Model("jolt", dimension=2)
    m.body("cart", mass=2, inertia=1)
    m.body("load", mass=1, inertia=1)
    m.translational("S", m.ground, "cart", axis=(1, 0))
    m.translational("R", "cart", "load", axis=(0, 1))
    m.motion("S", "if(t < 0.25, 0, 2*(t - 0.25))")
    run = m.run(until=0.5)
    assert any(event.impulse is not None for event in run.events)
    run.save(tmp_path / "run.mat")
    back = mb.read_run(tmp_path / "run.mat")
    assert [event.plain() for event in back.events] == [event.plain() for event in run.events]


def test_mat_is_made_for_matlab(run: Any, tmp_path: pathlib.Path) -> None:
    from scipy.io import loadmat

    run.save(tmp_path / "run.mat")
    found = loadmat(tmp_path / "run.mat", squeeze_me=True)
    names, paths, units = ([str(x) for x in found[key]] for key in ("names", "paths", "units"))
    assert dict(zip(paths, names, strict=True))["A.reaction.force.x"] == "A_reaction_force_x"
    assert dict(zip(paths, units, strict=True)) == run.to_pandas().attrs["units"]
    for name, path in zip(names, paths, strict=True):
        assert np.array_equal(found[name], run.time if path == "time" else run[path])
    assert [str(note) for note in np.atleast_1d(found["notes"])] == run.notes
    assert bool(found["success"])
    assert str(found["unit_system"]["length"]) == "m"


def test_names_that_matlab_takes() -> None:
    given = ["A.x", "A_x", "A-x", "1st", "_a", "end", "größe", "a" * 70, "a" * 71, "time"]
    found = matlab_names(given, taken=["time"])
    assert found[:7] == ["A_x", "A_x_2", "A_x_3", "x1st", "x_a", "end_", "gr__e"]
    assert found[7] == "a" * 63
    assert found[8] == "a" * 61 + "_2"
    assert found[9] == "time_2"
    assert len(set(found)) == len(given)
    assert not set(found) & set(KEYWORDS)


def test_a_run_that_is_not_complete_says_so_everywhere(tmp_path: pathlib.Path) -> None:
    from scipy.io import loadmat

    found = partial()
    assert found.to_pandas().attrs["success"] is False
    for name in ("a.csv", "a.keys.csv"):
        found.save(tmp_path / name)
        assert "partial: " in (tmp_path / name).read_text().split("frame,")[0]
    found.save(tmp_path / "long.csv", long=True)
    assert (tmp_path / "long.csv").read_text().startswith("# partial: ")
    found.save(tmp_path / "a.keys.json")
    assert json.loads((tmp_path / "a.keys.json").read_text())["partial"] == found.status.message
    found.save(tmp_path / "a.mat")
    assert not loadmat(tmp_path / "a.mat")["success"]
    with pytest.warns(RuntimeWarning):
        assert mb.read_run(tmp_path / "a.mat").status == found.status


def test_what_is_not_a_run_is_refused_in_a_sentence(run: Any, tmp_path: pathlib.Path) -> None:
    run.save(tmp_path / "a.csv")
    with pytest.raises(ModelError, match=r"\.csv has numbers of a run, not the run; save it as \.nc or \.mat; pandas"):
        mb.Run.load(tmp_path / "a.csv")
    (tmp_path / "b.mat").write_bytes(b"MATLAB 5.0 MAT-file" + bytes(200))
    with pytest.raises(ModelError, match=r"no results file, or it is damaged|holds no run"):
        mb.Run.load(tmp_path / "b.mat")
    run.save(tmp_path / "c.mat")
    content = (tmp_path / "c.mat").read_bytes()
    (tmp_path / "c.mat").write_bytes(content[: len(content) // 2])
    with pytest.raises(ModelError, match=r"no results file, or it is damaged|holds no run"):
        mb.Run.load(tmp_path / "c.mat")
    with pytest.raises(ModelError, match="there is no such file"):
        mb.Run.load(tmp_path / "d.mat")
    for name, given in (
        ("a.nc", {"long": True}), ("a.json", {"paths": ["A"]}), ("a.csv", {"fps": 10}), ("a.keys.csv", {"long": True}),
    ):  # fmt: skip
        with pytest.raises(ModelError, match="use "):
            run.save(tmp_path / f"x{name}", **given)
    with pytest.raises(ModelError, match='"A" is no list; write'):
        run.save(tmp_path / "x.csv", paths="A")


# --- keyframes --------------------------------------------------------------------------------------------------------
def test_keyframes_are_the_poses_of_the_origins(space_run: Any, tmp_path: pathlib.Path) -> None:
    keys = space_run.keyframes(fps=40, unit="mm")  # the run has its instants at 0.025 s: frames lie on them
    assert np.allclose(keys.time, space_run.time, atol=1e-15)
    for k, body in enumerate(keys.bodies):
        assert np.allclose(keys.positions[:, k], 1000 * space_run.point(body).position, atol=1e-9)
        turned = np.abs(np.sum(keys.quaternions[:, k] * space_run[f"{body}.rotation"].values, axis=1))
        assert np.allclose(turned, 1, atol=1e-12)
    assert np.all(np.sum(keys.quaternions[1:] * keys.quaternions[:-1], axis=2) > 0), "no quaternion changes its sign"
    keys.save(tmp_path / "motion.keys.csv")
    head, *rows = rows_of(tmp_path / "motion.keys.csv")
    assert head == ["frame", "time", "body", "x", "y", "z", "qw", "qx", "qy", "qz"]
    frame = keys.to_pandas()
    assert np.array_equal([[float(x) for x in row[3:]] for row in rows], frame[head[3:]])
    assert rows[0][0] == "1"
    keys.save(tmp_path / "motion.keys.json")
    found = json.loads((tmp_path / "motion.keys.json").read_text())
    assert found["unit"] == "mm"
    assert np.array_equal(found["bodies"][keys.bodies[0]]["position"], keys.positions[:, 0])


def test_planar_keyframes_turn_about_z() -> None:
    m = mb.Model("turn", dimension=2, units={"length": "mm", "time": "ms", "mass": "kg"})
    m.body("bar", mass=1, inertia=1, com=(300, 0))
    m.revolute("O", m.ground, "bar")
    m.motion("O", "0.02*t")
    run = m.kinematics(until=1000, steps=2000)
    keys = run.keyframes(fps=10, speed=2)
    assert len(keys.time) == 6
    assert np.allclose(np.diff(keys.time), 0.2)
    assert np.allclose(keys.positions, 0, atol=1e-12), "the origin is the pin"
    half = 0.5 * 20.0 * keys.time
    assert np.allclose(keys.quaternions[:, 0], np.stack([np.cos(half), 0 * half, 0 * half, np.sin(half)], 1), atol=1e-9)
    for given in ({"fps": 0}, {"fps": float("nan")}, {"speed": -1}, {"unit": "mile"}, {"fps": 1e9}):
        with pytest.raises(ModelError, match="keyframes: "):
            run.keyframes(**given)


# --- other results ----------------------------------------------------------------------------------------------------
def test_efforts_and_loads_and_modes(tmp_path: pathlib.Path, run: Any) -> None:
    from scipy.io import loadmat

    inverse = mb.load("slider-crank").inverse(until=0.05, steps=6)
    name = inverse.names[0]
    frame = inverse.to_pandas()
    assert np.array_equal(frame[f"{name}.effort"], inverse[f"{name}.effort"])
    for ending in (".csv", ".mat", ".parquet"):
        inverse.save(tmp_path / f"i{ending}")
    assert np.array_equal(np.array(rows_of(tmp_path / "i.csv")[1:], dtype=float)[:, 1:], frame)
    found = loadmat(tmp_path / "i.mat", squeeze_me=True)
    assert np.array_equal(found[matlab_names([f"{name}.effort"])[0]], frame[f"{name}.effort"])
    loads = run.loads()
    table = loads.to_pandas().set_index(["name", "quantity"])
    assert table.loc[("A", "force"), "peak"] == loads["A"]["force"].peak
    modes = mb.load("double-pendulum").modes()
    assert np.array_equal(modes.to_pandas()["frequency [Hz]"], modes.frequencies)
    modes.save(tmp_path / "m.mat")
    found, space = loadmat(tmp_path / "m.mat", squeeze_me=True), modes.state_space()
    assert np.array_equal(found["A"], space.A)
    assert [str(x) for x in found["state_names"]] == space.states
    modes.save(tmp_path / "m.csv")
    assert np.array_equal([float(row[1]) for row in rows_of(tmp_path / "m.csv")[1:]], modes.frequencies)


# --- command line -----------------------------------------------------------------------------------------------------
def test_the_command_writes_all_forms_and_replaces_nothing(tmp_path: pathlib.Path) -> None:
    files = [tmp_path / name for name in ("a.csv", "a.mat", "a.keys.csv")]
    outs = [part for file in files for part in ("--out", str(file))]
    given = ["run", "pendulum", "--until", "0.1", "--output-step", "0.01", *outs, "--long", "--fps", "50"]
    status, _, err = command(*given)
    assert (status, err) == (0, ""), err
    assert rows_of(files[0])[0] == ["time [s]", "path", "value", "unit"]
    assert "# fps: 50" in files[2].read_text()
    assert len(mb.read_run(files[1]).time) == 11
    before = files[0].read_bytes()
    status, _, err = command(*given)
    assert status == 2
    assert "it exists already" in err
    assert files[0].read_bytes() == before
    assert command(*given, "--force")[0] == 0
    short = ("run", "pendulum", "--until", "0.1")
    for more, word in (
        (("--out", str(tmp_path / "b.nc"), "--long"), "there is no table"),
        (("--out", str(tmp_path / "b.keys.csv"), "--seconds", "3"), "there is no film"),
        (("--out", str(tmp_path / "b.csv"), "--fps", "3"), "there is no film"),
    ):  # fmt: skip
        status, _, err = command(*short, *more)
        assert status == 2
        assert word in err
    status, _, err = command("modes", "double-pendulum", "--out", str(tmp_path / "m.csv"), "--out", str(tmp_path / "m.json"))
    assert (status, err) == (0, "")
    assert len(json.loads((tmp_path / "m.json").read_text())["modes"]) == 2
