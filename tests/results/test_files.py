"""Files are whole or as they were, whatever happens while they are written, and targets are judged before the work."""

from __future__ import annotations

import errno
import json
import os
import pathlib
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody import _target
from multibody._target import check_target, write_whole
from multibody.errors import ModelError
from multibody.state.state import Status

posix = pytest.mark.skipif(sys.platform == "win32", reason="files as on Unix")


@pytest.fixture(scope="module")
def run() -> Any:
    return mb.load("slider-crank").kinematics(until=0.01, steps=3)


# --- one file ---------------------------------------------------------------------------------------------------------
def test_a_file_is_replaced_with_its_permissions(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "a.csv"
    write_whole(file, b"old")
    file.chmod(0o640)
    write_whole(file, b"new")
    assert file.read_bytes() == b"new"
    if sys.platform != "win32":
        assert file.stat().st_mode & 0o777 == 0o640
    assert [item.name for item in tmp_path.iterdir()] == ["a.csv"]


@posix
def test_a_link_stays_a_link(tmp_path: pathlib.Path) -> None:
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("real.csv")
    write_whole(tmp_path / "link.csv", b"new")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text() == "new"


@pytest.mark.parametrize("step", ["open", "write", "fsync", "replace"])
@pytest.mark.parametrize("fault", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_a_fault_at_any_step_leaves_the_old_file(
    tmp_path: pathlib.Path, step: str, fault: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.csv"
    file.write_text("old")

    def fail(*_: Any, **__: Any) -> Any:
        raise fault

    if step == "write":
        class Full:
            def __init__(self, handle: int, mode: str) -> None:
                os.close(handle)

            def __enter__(self) -> Any:
                return self

            def __exit__(self, *_: Any) -> None: ...

            write = fail

        monkeypatch.setattr(_target, "open", Full, raising=False)
    else:
        monkeypatch.setattr(_target.os, step, fail)
    expected = ModelError if isinstance(fault, OSError) else KeyboardInterrupt
    with pytest.raises(expected) as caught:
        write_whole(file, b"new")
    monkeypatch.undo()
    if expected is ModelError:
        assert "it cannot be written (No space left on device); check the path and the room on the disk" in str(caught.value)
    assert file.read_text() == "old"
    assert [item.name for item in tmp_path.iterdir()] == ["a.csv"], "nothing is left beside it"


KILLED = """
import sys
from multibody._target import write_whole
content = {key: bytes([key]) * 3_000_000 for key in (65, 66)}
print("ready", flush=True)
while True:
    for key in (65, 66):
        write_whole(sys.argv[1], content[key])
"""


@posix
def test_a_process_that_is_killed_leaves_a_whole_file(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "a.csv"
    for pause in (0.0, 0.003, 0.011):
        started = subprocess.Popen([sys.executable, "-c", KILLED, str(file)], stdout=subprocess.PIPE)
        assert started.stdout is not None
        started.stdout.readline()
        while not file.exists():
            time.sleep(0.001)
        time.sleep(pause)
        started.kill()
        started.wait()
        content = file.read_bytes()
        assert len(content) == 3_000_000
        assert len(set(content)) == 1


# --- judged before the work -------------------------------------------------------------------------------------------
def test_targets_that_cannot_be(tmp_path: pathlib.Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    endings = (".csv", ".nc")
    for name, words in (
        ("a.txt", 'unknown ending ".txt"; use .csv or .nc'), ("none/a.csv", "there is no such directory; make it first"),
        ("folder.csv", "it is a directory; name another file"), ("a\0.csv", "null"),
    ):  # fmt: skip
        with pytest.raises(ModelError, match=words.replace(".", r"\.")):
            check_target(tmp_path / name, endings)
    assert check_target(tmp_path / "A.CSV", endings) == ".csv"


@posix
def test_devices_pipes_and_links_to_themselves_are_no_targets(tmp_path: pathlib.Path) -> None:
    (tmp_path / "full.csv").symlink_to("/dev/full")
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "self.csv").symlink_to("self.csv")
    for name in ("full.csv", "pipe.csv", "self.csv"):
        with pytest.raises(ModelError, match=r"no plain file|cannot be written"):
            check_target(tmp_path / name)


def test_the_model_itself_is_never_a_target(tmp_path: pathlib.Path) -> None:
    other = mb.Model("other", dimension=2)
    other.body("b", mass=1.0, inertia=1.0)
    other.save(str(tmp_path / "part.json"))
    (tmp_path / "m.json").write_text(json.dumps({
        "dimension": 2, "include": [{"model": "part.json", "prefix": "p_"}],
        "joints": {"O": {"revolute": ["ground", "p_b"]}}, "motions": {"O": "t"},
    }))  # fmt: skip
    model = mb.load(str(tmp_path / "m.json"))
    run = model.kinematics(until=1.0, steps=2)
    os.link(tmp_path / "part.json", tmp_path / "twin.json")
    for name in ("m.json", "part.json", "twin.json", "./m.json"):
        with pytest.raises(ModelError, match="it is a file of the model itself; name another file"):
            run.save(tmp_path / name)
    run.save(tmp_path / "result.json")
    model.set().save(str(tmp_path / "m.json"))  # to save a model over itself is meant


# --- results ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("ending", [".csv", ".nc", ".json", ".parquet", ".CSV", ".Nc", ".JSON", ".Parquet"])
def test_every_kind_of_result_survives_a_full_disk(
    tmp_path: pathlib.Path, ending: str, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if ending.lower() == ".parquet":
        pytest.importorskip("pyarrow")
    file = tmp_path / f"a{ending}"
    run.save(file)
    before = file.read_bytes()

    def full(*_: Any) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(_target.os, "fsync", full)
    with pytest.raises(ModelError, match="No space left on device"):
        run.save(file)
    assert file.read_bytes() == before


@pytest.mark.parametrize("name", ["m.yaml", "m.json"])
def test_a_model_survives_a_full_disk(tmp_path: pathlib.Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = mb.load("slider-crank")
    model.save(str(tmp_path / name))
    before = (tmp_path / name).read_bytes()

    def full(*_: Any) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(_target.os, "fsync", full)
    with pytest.raises(ModelError, match="No space left"):
        model.save(str(tmp_path / name))
    assert (tmp_path / name).read_bytes() == before


def test_a_partial_result_says_so_in_every_file(tmp_path: pathlib.Path, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import xarray

    whole = tmp_path / "whole.csv"
    run.save(whole)
    assert whole.read_text().startswith("time [s],")
    partial = mb.load("slider-crank").kinematics(until=0.01, steps=3)
    monkeypatch.setattr(partial.motion, "status", Status(False, "interrupted at t = 0.01", 0.01))
    monkeypatch.setattr(partial, "status", partial.motion.status, raising=False)
    for name in ("p.csv", "p.nc", "p.json"):
        partial.save(tmp_path / name)
    lines = (tmp_path / "p.csv").read_text().splitlines()
    assert lines[0] == "# partial: interrupted at t = 0.01"
    assert lines[1:] == whole.read_text().splitlines()
    assert np.loadtxt(tmp_path / "p.csv", delimiter=",", skiprows=2).shape == (4, len(lines[1].split(",")))
    pandas = pytest.importorskip("pandas")
    assert list(pandas.read_csv(tmp_path / "p.csv", comment="#")) == lines[1].split(",")
    assert xarray.open_dataset(tmp_path / "p.nc").attrs["status"] == "interrupted at t = 0.01"
    assert json.loads((tmp_path / "p.json").read_text())["status"]["success"] is False


def test_names_in_any_alphabet_reach_every_file(tmp_path: pathlib.Path) -> None:
    model = mb.Model("größe", dimension=2)
    model.body("Stößel", mass=1.0, inertia=1.0)
    model.revolute("ω", "ground", "Stößel")
    model.motion("ω", "t")
    run = model.kinematics(until=1.0, steps=2)
    for ending in (".csv", ".nc", ".json"):
        run.save(tmp_path / f"größe-{ending}{ending}")


# --- the command line -------------------------------------------------------------------------------------------------
def command(where: pathlib.Path, *words: str, before: Any = None) -> subprocess.CompletedProcess[str]:
    kept = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}  # byte code that a full disk cuts off would be found by later tests
    return subprocess.run(
        [sys.executable, "-m", "multibody", *words], cwd=where, capture_output=True, text=True, timeout=120, preexec_fn=before,
        env=kept,
    )  # fmt: skip


@posix
def test_a_disk_that_fills_up_costs_the_file_and_not_the_result(tmp_path: pathlib.Path) -> None:
    import resource

    def small() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    (tmp_path / "a.csv").write_text("old")
    words = ("kinematics", "slider-crank", "--until", "0.1", "--out", "a.csv", "--out", "a.nc", "--out", "a.png", "--json")
    found = command(tmp_path, *words, "--force", before=small)
    assert found.returncode == 1
    assert json.loads(found.stdout)["status"]["success"] is True
    assert found.stderr.count("error: ") == 3
    assert "a.csv: it cannot be written (File too large)" in found.stderr
    assert "Traceback" not in found.stderr
    assert (tmp_path / "a.csv").read_text() == "old"
    assert [item.name for item in tmp_path.iterdir()] == ["a.csv"]


@posix
def test_a_terminal_that_takes_nothing_more_is_no_traceback(tmp_path: pathlib.Path) -> None:
    with open("/dev/full", "w") as full:
        found = subprocess.run(
            [sys.executable, "-m", "multibody", "examples"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60
        )
    assert found.returncode == 1
    assert found.stderr == "error: the output cannot be written (No space left on device); make room or write elsewhere\n"


def interrupting(place: Any, name: str, calls: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the user press Ctrl-C in a call of a function, after so many that go through."""
    plain, seen = getattr(place, name), [0]

    def called(*given: Any, **named: Any) -> Any:
        seen[0] += 1
        if seen[0] > calls:
            raise KeyboardInterrupt  # what SIGINT becomes, unless a shell has it ignored
        return plain(*given, **named)

    monkeypatch.setattr(place, name, called)


def test_ctrl_c_in_kinematics_keeps_what_was_computed(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from multibody.analyses.kinematics.follower import Follower

    model = mb.load("slider-crank")
    whole = model.kinematics(until=1.0, steps=2000)
    interrupting(Follower, "track", 5, monkeypatch)  # three for the first point
    with pytest.warns(RuntimeWarning, match="interrupted"):
        run = model.kinematics(until=1.0, steps=2000)
    assert 500 < len(run.time) < 2001
    assert run.status.message == f"interrupted at t = {run.time[-1]:.9g}"
    assert np.array_equal(run.motion.q, whole.motion.q[: len(run.time)]), "parts give what the whole gives"
    run.save(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text().startswith("# partial: interrupted at t = ")


def test_ctrl_c_in_compare_keeps_what_was_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    from multibody.analyses.comparison import compare

    interrupting(compare, "_trial", 1, monkeypatch)
    found = mb.load("four-bar").compare(0.05, formulations=["kane"], integrators=["dop853", "adams"], repeats=1)
    assert len(found.rows) == 1
    assert not found.ok
    assert found.plain()["status"]["message"] == "interrupted after 1 of 2 combinations"


def test_ctrl_c_in_a_run_of_compare_is_no_failed_combination(monkeypatch: pytest.MonkeyPatch) -> None:
    from multibody.analyses.dynamics.simulation import Simulation

    interrupting(Simulation, "advance", 1, monkeypatch)  # the reference goes through
    found = mb.load("four-bar").compare(0.05, formulations=["kane"], integrators=["dop853", "adams"], repeats=1)
    assert found.rows == []
    assert found.interrupted == "interrupted after 0 of 2 combinations"
    found.table()


def test_ctrl_c_in_bench_keeps_what_was_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    from multibody.analyses.comparison import bench as analysis
    from multibody.results.bench import bench

    interrupting(analysis, "attempt", 1, monkeypatch)
    found = bench("iftomm", problems=["pendulum"], formulations=["augmented"], integrators=["dop853", "adams"], repeats=1)
    assert len(found.rows) == 1
    assert found.plain()["status"] == {"success": False, "message": "interrupted after 1 of 2 runs"}
    found.table()
