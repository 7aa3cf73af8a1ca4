"""Pages of every kind of result, files that give runs back, and what is said where something is wrong."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import webbrowser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import multibody as mb
from multibody.cli.app import app
from multibody.view.page import write
from view.page.unpacking import unpacked


def data_of(file: Path) -> dict[str, Any]:
    """Return the data in a page."""
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', file.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return dict(json.loads(found[1]))


def curve(data: dict[str, Any], path: str, run: int = 0) -> np.ndarray:
    names = [item["name"] for item in data["runs"][run]["paths"]]
    return unpacked(data["runs"][run]["values"])[names.index(path)]


@pytest.fixture(scope="module")
def run() -> mb.Run:
    return mb.load("four-bar").run(2.0)


def test_a_page_holds_paths_reactions_and_what_is_known_about_the_run(run: mb.Run, tmp_path: Path) -> None:
    data = data_of(run.page(tmp_path / "x.html", plot=["O1 - 2*A"], trace=["link2"], title="Four <bars>", paper="dark"))
    assert data["title"] == "Four <bars>" and data["plot"] == ["O1 - 2*A"] and data["paper"] == "dark"
    for path in ("O1.angle", "O1.angle.rate", "link2.x", "A.reaction.force.x", "energy.total", "O1 - 2*A"):
        own = run[path].values
        assert np.max(np.abs(curve(data, path) - own)) <= 4e-9 * np.max(np.abs(own))
    about = data["runs"][0]
    assert about["status"] == "finished" and not about["partial"] and about["certificate"]["position_violation"] >= 0.0
    assert about["reactions"]["A"]["force"] == [True, True] and "mobility" in data["check"]
    assert len(unpacked(about["beside"])[about["sigma"]]) == len(run.time)


@pytest.mark.parametrize(("length", "mass", "time"), [("mm", "g", "s"), ("um", "kg", "us"), ("km", "t", "h")])
def test_poses_keep_a_millionth_of_the_model_in_any_units(length: str, mass: str, time: str, tmp_path: Path) -> None:
    from multibody.model.units import LENGTHS, TIMES

    units, second = LENGTHS[length], TIMES[time]
    own_units = {"length": length, "mass": mass, "time": time}
    m = mb.Model("pendulum", dimension=2, gravity=[0.0, -9.81 / units * second**2], units=own_units)
    m.body("rod", mass=1.0, com=[0.5 / units, 0.0], inertia=0.1 / units**2)
    m.revolute("O", "ground", "rod")
    made = m.run(1.0 / second)
    data = data_of(made.page(tmp_path / "x.html"))
    x, y, angle = unpacked(data["runs"][0]["poses"])
    own = made.measurer.q
    assert np.max(np.abs(np.stack([x, y], 1) - own[:, :2])) <= 1e-6 / units
    assert np.max(np.abs(angle - own[:, 2])) <= 1e-6


def test_quaternions_keep_their_side() -> None:
    from multibody.view.page.content import _poses

    run = mb.load("rssr").run(2.0)
    columns, _ = _poses(run.tables, np.array(run.measurer.q), 1.0)
    turns = np.array(columns).reshape(-1, 7, len(run.time))[:, 3:]
    assert np.min(np.sum(turns[:, :, 1:] * turns[:, :, :-1], axis=1)) > 0.0


def test_a_run_backward_in_time_rises_in_the_page(tmp_path: Path) -> None:
    back = mb.load("four-bar").run(-1.0)
    data = data_of(back.page(tmp_path / "x.html"))
    assert curve(data, "O1.angle")[-1] == pytest.approx(float(back["O1"].values[0]), abs=1e-8)


def test_states_modes_freedoms_equilibria_and_inverse_have_pages(tmp_path: Path) -> None:
    four, rest = mb.load("four-bar"), mb.load("bushing-suspension")
    assert data_of(four.assemble().page(tmp_path / "a.html"))["runs"][0]["sort"] == "pose"
    modes = rest.modes(count=3)
    runs = data_of(modes.page(tmp_path / "b.html"))["runs"]
    assert [run["sort"] for run in runs] == ["mode"] * 3 and f"{modes.frequencies[0]:.4g} Hz" in runs[0]["label"]
    assert data_of(four.wiggle().page(tmp_path / "c.html"))["runs"][0]["sort"] == "freedom"
    hanging = data_of(mb.load("pendulum").statics().page(tmp_path / "d.html"))["runs"][0]
    assert hanging["reactions"]["O"]["force"] == [True, True]
    driven = data_of(mb.load("slider-crank").inverse(until=0.04).page(tmp_path / "e.html"))
    assert "O.angle.effort" in [path["name"] for path in driven["runs"][0]["paths"]]


def test_several_runs_share_a_drawing_only_where_they_have_the_same_numbers(tmp_path: Path) -> None:
    short, long = mb.load("slider-crank"), mb.load("slider-crank", l3=0.6)
    data = data_of(mb.page(tmp_path / "x.html", [short.run(0.02), short.run(0.04), long.run(0.04)], labels=["a", "b", "c"]))
    assert [run["drawing"] for run in data["runs"]] == [0, 0, 1] and [run["label"] for run in data["runs"]] == ["a", "b", "c"]
    with pytest.raises(mb.ModelError, match='"six-bar" is another mechanism than "slider-crank"'):
        mb.page(tmp_path / "y.html", [short.run(0.01), mb.load("six-bar").run(0.01)])
    with pytest.raises(mb.ModelError, match="2 labels for 1 results"):
        mb.page(tmp_path / "y.html", [short.run(0.01)], labels=["a", "b"])
    with pytest.raises(mb.ModelError, match="there is nothing to show"):
        mb.page(tmp_path / "y.html", [])


def test_a_comparison_shows_its_runs(tmp_path: Path) -> None:
    found = mb.load("pendulum").compare(0.5, formulations=["augmented", "kane"], integrators=["dop853"], repeats=1)
    labels = [run["label"] for run in data_of(found.page(tmp_path / "x.html"))["runs"]]
    assert labels == ["augmented, dop853, 1e-08", "kane, dop853, 1e-08"]


def test_a_large_model_leaves_groups_of_curves_out_and_says_so(tmp_path: Path) -> None:
    made = mb.load("chain", n=150).run(0.02)
    file = made.page(tmp_path / "x.html")
    assert file.stat().st_size < 700_000
    assert "left out, for the page would be too large: velocities" in data_of(file)["runs"][0]["missing"]


def test_curves_that_are_asked_for_stay_and_instants_show_the_motion_of_a_large_model(tmp_path: Path) -> None:
    made = mb.load("chain", n=150).run(1.0)
    asked = ["joint150.reaction.force.x", "energy.kinetic", "joint1 + joint2"]
    data = data_of(made.page(tmp_path / "x.html", plot=asked[:2], x=asked[2]))
    shown = data["runs"][0]
    assert [path["name"] for path in shown["paths"]] == [asked[2], asked[1], asked[0]] and "reactions" in shown["missing"]
    assert shown["instants"]["of"] == len(made.time) > shown["instants"]["shown"] >= 120
    assert not any("ask for more" in note for note in shown["notes"])
    assert any(note.startswith("the page leaves 280 of 401 instants out, and bodies turn up to") for note in shown["notes"])


def test_a_run_with_few_instants_is_asked_for_more(tmp_path: Path) -> None:
    notes = data_of(mb.load("slider-crank").run(0.2, output_step=0.02).page(tmp_path / "x.html"))["runs"][0]["notes"]
    assert any("ask for more (output_step, steps) to see how they move" in note for note in notes)


def test_runs_without_labels_are_told_apart_by_what_differs_else_by_numbers(tmp_path: Path) -> None:
    def labels(*lengths: float) -> list[str]:
        runs = [mb.load("slider-crank", l3=l3).run(0.002) for l3 in lengths]
        return [run["label"] for run in data_of(mb.page(tmp_path / "x.html", runs, force=True))["runs"]]

    assert labels(0.35, 0.6) == ["l3 = 0.35 m", "l3 = 0.6 m"]
    assert labels(0.35, 0.35) == ["slider-crank 1", "slider-crank 2"] and labels(0.35) == ["slider-crank"]
    assert labels(0.35, 0.6, 0.35) == ["1: l3 = 0.35 m", "2: l3 = 0.6 m", "3: l3 = 0.35 m"]


# --- files that give runs back ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["four-bar", "planetary", "rssr", "cam-flat"])
def test_a_saved_run_comes_back_with_its_model(name: str, tmp_path: Path) -> None:
    own = mb.load(name).run(0.5)
    own.save(tmp_path / "run.nc")
    back = mb.read_run(tmp_path / "run.nc", own.model)
    assert np.array_equal(back.time, own.time) and back.status == own.status and back.notes == own.notes
    joints = [joint for joint in own.tables.ends if len(own.tables.joint_rows[joint])]
    for path in [*own, *(f"{joint}.reaction.force" for joint in joints[:2])]:
        assert np.array_equal(back[path].values, own[path].values, equal_nan=True)
    assert back.certificate == own.certificate and str(back.model.check()) == str(own.model.check())


@pytest.mark.parametrize("driven", [True, False])
def test_a_saved_run_keeps_its_impulses(driven: bool, tmp_path: Path) -> None:
    m = mb.Model("kicked", dimension=2)
    for name in ("arm", "bob"):
        m.body(name, mass=2.0, inertia=0.1, com=(0.5, 0), frames={"tip": (1, 0)})
    m.revolute("O", m.ground, "arm")
    m.revolute("P", "arm.tip", "bob")
    m.motion("O", "if(t < 0.5, t, 0.5 + 3*(t - 0.5))")
    if driven:
        m.motion("P", "0.1*t")
    own = m.run(until=1.0)
    own.save(tmp_path / "run.nc")
    back = mb.read_run(tmp_path / "run.nc")
    assert any("velocities jump" in note for note in own.loads().notes) and own.loads().notes == back.loads().notes
    assert own.size("O", {}).notes == back.size("O", {}).notes and "velocities jump" in back.size("O", {}).notes[0]
    assert own.plain()["events"] == back.plain()["events"]
    (first,), (again,) = own.events, back.events
    assert first.impulse is not None and again.impulse is not None and again.impulse.names == first.impulse.names
    assert again.impulse["O.effort"] == first.impulse["O.effort"] and np.array_equal(again.v, first.v)
    assert np.array_equal(again.impulse["P.reaction.force"], first.impulse["P.reaction.force"])
    assert np.array_equal(again.impulse.before, first.impulse.before)


def test_a_run_that_was_saved_without_impulses_is_read(tmp_path: Path, run: mb.Run) -> None:
    run.save(tmp_path / "run.nc")
    assert all(event.impulse is None for event in mb.read_run(tmp_path / "run.nc").events)


def test_damaged_files_are_told_in_one_sentence(tmp_path: Path) -> None:
    import h5py
    import xarray

    mb.load("pendulum").run(0.05, output_step=0.025).save(tmp_path / "run.nc")  # small: it is read sixty times
    with xarray.open_dataset(tmp_path / "run.nc", engine="h5netcdf") as opened:
        data = opened.load()
    kept = json.loads(data.attrs["kept"])

    def said(kept: str, drop: str = "") -> str:
        if drop:
            data.drop_vars(drop).to_netcdf(tmp_path / "other.nc", engine="h5netcdf")
        else:  # a copy with another word in it is written a hundred times as quickly
            shutil.copyfile(tmp_path / "run.nc", tmp_path / "other.nc")
            with h5py.File(tmp_path / "other.nc", "r+") as file:
                file.attrs["kept"] = kept
        with pytest.raises(mb.ModelError) as fault:
            mb.read_run(tmp_path / "other.nc")
        return str(fault.value)

    damaged = [json.dumps({key: value for key, value in kept.items() if key != gone}) for gone in kept]
    damaged += [json.dumps(kept | {key: None}) for key in kept]
    damaged += [json.dumps(kept | {key: 3}) for key in ("status", "events", "initial", "notes") if key in kept]
    damaged += [json.dumps(kept | {key: [3]}) for key in ("events", "singularities", "branches", "initial")]
    damaged += [json.dumps(kept | {"status": kept["status"] | {key: value}}) for key, value in (
        ("success", "no"), ("message", None), ("time_reached", "late"), ("mood", 1))]  # fmt: skip
    damaged += [json.dumps(kept | {"events": [{"name": "O", "time": 0.1, "terminal": False, "impulse": {}}]})]
    for text in ("{", "", "3", "[]", "null", *damaged):
        words = said(text)
        assert words.startswith(str(tmp_path)) and words.endswith("; save the run again") and "\n" not in words
    for name in ("kept_q", "kept_a", "kept_multipliers", "kept_rows", "kept_references", "time"):
        assert "it is damaged; save the run again" in said(data.attrs["kept"], name)


def test_files_that_are_no_runs_are_told_in_one_sentence(tmp_path: Path, run: mb.Run) -> None:
    def said(file: Path, model: Any = None) -> str:
        with pytest.raises(mb.ModelError) as fault:
            mb.read_run(file, model)
        return str(fault.value)

    assert said(tmp_path / "no.nc").endswith("there is no such file; check the path")
    (tmp_path / "bad.nc").write_bytes(b"not a file of HDF5")
    assert "it is no results file, or it is damaged" in said(tmp_path / "bad.nc")
    run.save(tmp_path / "run.nc")
    whole = (tmp_path / "run.nc").read_bytes()
    (tmp_path / "cut.nc").write_bytes(whole[: len(whole) // 2])
    assert "it is no results file, or it is damaged" in said(tmp_path / "cut.nc")
    run.data.to_netcdf(tmp_path / "plain.nc", engine="h5netcdf")
    assert "it holds no model" in said(tmp_path / "plain.nc")
    assert 'it holds a run of another model, "four-bar"' in said(tmp_path / "run.nc", mb.load("pendulum"))


# --- what is wrong ------------------------------------------------------------------------------------------------------
def test_files_are_not_replaced_unless_asked_and_targets_are_judged(run: mb.Run, tmp_path: Path) -> None:
    file = run.page(tmp_path / "x.html")
    before = file.read_bytes()
    with pytest.raises(mb.ModelError, match="it exists already"):
        run.page(file)
    assert file.read_bytes() == before
    run.page(file, force=True, title="other")
    assert file.read_bytes() != before
    for name, words in (("x.txt", 'unknown ending ".txt"'), ("none/x.html", "there is no such directory")):
        with pytest.raises(mb.ModelError, match=words):
            run.page(tmp_path / name)
    with pytest.raises(mb.ModelError, match=r'"A\.reaction\.force" is a vector'):
        run.page(tmp_path / "y.html", plot=["A.reaction.force"])
    for options, words in (({"trace": ["nowhere.P"]}, "nowhere"), ({"paper": "pink"}, 'unknown paper "pink"')):
        with pytest.raises(mb.ModelError, match=words):
            run.page(tmp_path / "y.html", **options)
    assert not (tmp_path / "y.html").exists()


def test_without_a_browser_the_place_of_the_page_is_said(run: mb.Run, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    file = run.view()
    assert str(file) in capsys.readouterr().out and file.stat().st_size > 50_000
    file.unlink()
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: bool(opened.append(address)) or True)
    file = run.at(1.0).view()
    assert opened == [file.as_uri()] and capsys.readouterr().out == ""
    file.unlink()


@pytest.mark.parametrize("name", ["n" * 300, "기계" * 150, "x\ud800"])
def test_a_page_of_any_name_is_opened_and_one_that_fails_leaves_nothing(name: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda address: True)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    m = mb.Model(name, dimension=2)
    m.body("a", mass=1.0, inertia=1.0)
    file = m.assemble().view()
    assert file.parent == tmp_path and file.stat().st_size > 50_000
    file.unlink()

    def fails(*_: Any) -> None:
        raise mb.ModelError("it cannot be written")

    monkeypatch.setattr(write, "write_whole", fails)
    with pytest.raises(mb.ModelError, match="it cannot be written"):
        m.assemble().view()
    assert not list(tmp_path.iterdir())


def test_numbers_that_are_not_finite_become_gaps(run: mb.Run, tmp_path: Path) -> None:
    data = data_of(run.page(tmp_path / "x.html", plot=["1/(link1.x - link1.x)"]))
    assert np.all(np.isnan(curve(data, "1/(link1.x - link1.x)")))


def test_a_model_is_moved_as_its_file_says_and_played(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda address: True)
    file = tmp_path / "m.html"
    crank = mb.load("slider-crank")
    assert crank.page(file, plot=["slider.x"]) == file
    found = data_of(file)
    assert found["plot"] == ["slider.x"] and len(found["runs"]) == 1
    with pytest.raises(mb.ModelError, match="it exists already"):
        crank.page(file)
    with pytest.raises(mb.ModelError, match="until"):
        crank.page(file, "nonsense", force=True)
    place = crank.view(0.01)
    assert place.suffix == ".html" and data_of(place)["runs"]
    place.unlink()


def test_verbs_write_pages_and_view_opens_them(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda address: True)
    call = CliRunner().invoke
    file = tmp_path / "x.html"
    done = call(app, ["run", "four-bar", "--until", "0.5", "--out", str(file), "--out", str(tmp_path / "x.nc"), "--plot", "A"])
    assert done.exit_code == 0 and data_of(file)["plot"] == ["A"]
    again = call(app, ["run", "four-bar", "--until", "0.5", "--out", str(file)])
    assert again.exit_code == 2 and "it exists already" in again.output
    for verb in (["kinematics", "slider-crank", "--until", "0.01"], ["check", "four-bar"], ["statics", "pendulum"],
                 ["assemble", "four-bar", "--branches"], ["modes", "pendulum"], ["view", str(tmp_path / "x.nc")],
                 ["view", "four-bar", "--until", "0.2"], ["view", "four-bar", "--wiggle"]):  # fmt: skip
        done = call(app, [*verb, "--out", str(file), "--force"])
        assert done.exit_code == 0, done.output
        assert f"written: {file}" in done.output.replace("\n", "") and data_of(file)["runs"]
    opened = call(app, ["view", str(tmp_path / "x.nc")])
    assert opened.exit_code == 0 and opened.output.startswith("page: ")
    Path(opened.output.removeprefix("page: ").strip()).unlink()
    saved = ["view", "x.nc", "--until", "1"]
    for words, verb in (("there is no such file", ["view", "no.nc"]), ("a saved run is as it is", saved)):
        done = call(app, verb)
        assert done.exit_code == 2 and words in done.output and "Traceback" not in done.output
