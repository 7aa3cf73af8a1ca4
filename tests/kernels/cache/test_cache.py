"""The compiled cache: whose folder is taken, and that no file is believed which is not as it was written."""

from __future__ import annotations

import os
import pathlib
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import numba
import pytest

from multibody.kernels.cache import folders, machine_code
from multibody.kernels.cache.folders import CacheWarning, Unfit, fit_folder, user_folder
from multibody.kernels.cache.machine_code import MachineCode
from multibody.kernels.cache.warmed import is_warm, note_warm

posix = pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and modes as on Unix")
root = pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root gives files away")
STRANGER = 4321


@pytest.fixture(autouse=True)
def _talkative() -> Iterator[None]:
    """Let what is said once in a process be said once in a test."""
    folders.say.cache_clear()
    yield
    folders.say.cache_clear()


@pytest.fixture
def private(tmp_path: pathlib.Path) -> pathlib.Path:
    """Return a folder that nobody else can write."""
    made = tmp_path / "private"
    made.mkdir(mode=0o700)
    return made


# --- folders ----------------------------------------------------------------------------------------------------------
@posix
def test_a_folder_is_made_for_the_user_alone(private: pathlib.Path) -> None:
    made = fit_folder(private / "a" / "b")
    assert made == (private / "a" / "b").resolve()
    assert [(private / part).stat().st_mode & 0o777 for part in ("a", "a/b")] == [0o700, 0o700]
    assert fit_folder(made) == made


@posix
@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777, 0o1777])
@pytest.mark.parametrize("which", ["folder", "parent"])
def test_a_folder_that_others_can_write_is_refused(private: pathlib.Path, mode: int, which: str) -> None:
    (private / "parent" / "folder").mkdir(parents=True)
    place = private / "parent" if which == "parent" else private / "parent" / "folder"
    place.chmod(mode)
    if which == "parent" and mode == 0o1777:  # as /tmp: what is the user's stays the user's
        assert fit_folder(private / "parent" / "folder")
        return
    with pytest.raises(Unfit, match=f"{place} can be written by other users; chmod go-w"):
        fit_folder(private / "parent" / "folder")


@root
@pytest.mark.parametrize("which", ["parent", "parent/folder"])
def test_a_folder_of_another_user_is_refused(private: pathlib.Path, which: str) -> None:
    (private / "parent" / "folder").mkdir(parents=True)
    os.chown(private / which, STRANGER, STRANGER)
    with pytest.raises(Unfit, match=f"{which} belongs to another user"):
        fit_folder(private / "parent" / "folder")


@root
def test_nothing_is_made_in_a_place_of_another_user(private: pathlib.Path) -> None:
    os.chown(private, STRANGER, STRANGER)
    with pytest.raises(Unfit):
        fit_folder(private / "new")
    assert list(private.iterdir()) == []


@posix
def test_a_link_is_followed_and_what_it_leads_to_is_judged(private: pathlib.Path) -> None:
    (private / "real").mkdir(mode=0o700)
    (private / "link").symlink_to("real")
    assert fit_folder(private / "link" / "in") == (private / "real" / "in").resolve()
    (private / "real").chmod(0o777)
    with pytest.raises(Unfit, match="real can be written"):
        fit_folder(private / "link" / "in")
    (private / "a").symlink_to("b")
    (private / "b").symlink_to("a")
    with pytest.raises(Unfit, match="circle"):
        fit_folder(private / "a")
    (private / "dangling").symlink_to("nowhere")
    with pytest.raises(Unfit):
        fit_folder(private / "dangling")


@root
def test_a_link_of_another_user_is_refused(private: pathlib.Path) -> None:
    (private / "real").mkdir(mode=0o700)
    (private / "link").symlink_to("real")
    os.chown(private / "link", STRANGER, STRANGER, follow_symlinks=False)
    with pytest.raises(Unfit, match="link belongs to another user"):
        fit_folder(private / "link")


def test_a_file_in_the_way_is_refused(private: pathlib.Path) -> None:
    (private / "file").write_text("")
    for place in (private / "file", private / "file" / "below"):
        with pytest.raises(Unfit):
            fit_folder(place)


@posix
def test_which_folder_is_the_users(private: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in (*folders.VARIABLES, "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(private))
    assert user_folder() == private / ".cache" / "multibody"
    for nothing in ("", "relative", "./cache"):  # a relative one would be another in every working directory
        monkeypatch.setenv("XDG_CACHE_HOME", nothing)
        assert user_folder() == private / ".cache" / "multibody"
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    assert user_folder() == pathlib.Path("/cache/multibody")
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/numba")
    assert user_folder() == pathlib.Path("/numba")
    monkeypatch.setenv("MULTIBODY_CACHE_DIR", "/own")
    assert user_folder() == pathlib.Path("/own")
    monkeypatch.setenv("MULTIBODY_CACHE_DIR", "here")
    with pytest.raises(Unfit, match="MULTIBODY_CACHE_DIR=here is a relative path"):
        user_folder()


# --- files ------------------------------------------------------------------------------------------------------------
def twice(x: float) -> float:
    """Return 2 x."""
    return 2.0 * x


def thrice(x: float) -> float:
    """Return 3 x."""
    return 3.0 * x


def compiled(folder: pathlib.Path, function: Any = twice) -> Any:
    """Return a new dispatcher with files in a folder."""
    made = numba.njit(no_cfunc_wrapper=True)(function)
    made._cache = MachineCode(function, folder)
    return made


def hits(made: Any) -> int:
    return sum(made.stats.cache_hits.values())


def only_file(folder: pathlib.Path) -> pathlib.Path:
    (file,) = folder.iterdir()
    return file


def test_a_second_dispatcher_finds_the_machine_code(private: pathlib.Path) -> None:
    assert compiled(private)(2.0) == 4.0
    again = compiled(private)
    assert again(2.0) == 4.0
    assert hits(again) == 1
    assert again(2) == 4.0
    assert len(list(private.iterdir())) == 2, "a file for each combination of types"
    again._cache.flush()
    assert list(private.iterdir()) == []


class Planted:
    """What runs when it is unpickled."""

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return (pytest.fail, ("a planted file was executed",))


def with_another_byte(content: bytes, k: int) -> bytes:
    """Return a file whose byte k is another one."""
    return content[:k] + bytes([content[k] ^ 1]) + content[k + 1 :]


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:20],
        lambda content: content[:-1],
        lambda content: content + b"0",
        lambda content: with_another_byte(content, len(content) // 2),
        lambda content: b"\0" * len(content),
        lambda content: pickle.dumps(Planted()),
        lambda content: content[:32] + pickle.dumps(Planted()),
    ],
)
def test_a_damaged_file_is_compiled_anew_and_mended(private: pathlib.Path, damage: Any) -> None:
    compiled(private)(2.0)
    file = only_file(private)
    file.write_bytes(damage(file.read_bytes()))
    with pytest.warns(CacheWarning, match=f"compiled kernels in {private} are damaged; they are compiled anew"):
        assert compiled(private)(2.0) == 4.0
    after = compiled(private)
    assert after(2.0) == 4.0
    assert hits(after) == 1


def test_the_file_of_another_function_is_not_taken(private: pathlib.Path) -> None:
    compiled(private)(2.0)
    file = only_file(private)
    compiled(private, thrice)(2.0)
    (other,) = set(private.iterdir()) - {file}
    os.replace(other, file)
    with pytest.warns(CacheWarning, match="damaged"):
        assert compiled(private)(2.0) == 4.0


@pytest.mark.parametrize("part", ["numba.__version__", "llvmlite.__version__", "sys.version"])
def test_a_file_of_another_version_is_not_taken(private: pathlib.Path, part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled(private)(2.0)
    monkeypatch.setattr(f"multibody.kernels.cache.machine_code.{part}", "0.0")
    other = compiled(private)
    assert other(2.0) == 4.0
    assert hits(other) == 0


def test_a_whole_file_that_numba_cannot_use_is_compiled_anew(private: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = compiled(private)
    monkeypatch.setattr(machine_code, "dumps", lambda data: pickle.dumps(("nothing", "that", "numba", "knows")))
    made(2.0)
    monkeypatch.undo()
    with pytest.warns(CacheWarning, match=f"{private} cannot be used"):
        assert compiled(private)(2.0) == 4.0


@posix
def test_what_is_no_plain_file_is_not_read(private: pathlib.Path) -> None:
    compiled(private)(2.0)
    file = only_file(private)
    file.unlink()
    os.mkfifo(file)
    with pytest.warns(CacheWarning):
        assert compiled(private)(2.0) == 4.0
    file.unlink()
    file.mkdir()
    with pytest.warns(CacheWarning):
        assert compiled(private)(2.0) == 4.0
    file.rmdir()
    file.symlink_to(file)
    folders.say.cache_clear()
    with pytest.warns(CacheWarning, match="cannot be read"):
        assert compiled(private)(2.0) == 4.0


@root
def test_a_file_of_another_user_is_not_read(private: pathlib.Path) -> None:
    compiled(private)(2.0)
    os.chown(only_file(private), STRANGER, STRANGER)
    with pytest.warns(CacheWarning, match="damaged"):
        assert compiled(private)(2.0) == 4.0


def test_a_disk_that_takes_no_more_costs_only_time(private: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(machine_code.os, "replace", full)
    with pytest.warns(CacheWarning, match=f"cannot be kept in {private}: No space left on device"):
        assert compiled(private)(2.0) == 4.0
    assert list(private.iterdir()) == [], "what could not be finished is removed"


def test_a_folder_that_is_removed_meanwhile_costs_only_time(private: pathlib.Path) -> None:
    made = compiled(private)
    private.rmdir()
    with pytest.warns(CacheWarning, match="cannot be kept"):
        assert made(2.0) == 4.0


def test_several_at_once_leave_whole_files(private: pathlib.Path) -> None:
    threads = [threading.Thread(target=compiled(private), args=(2.0,)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    after = compiled(private)
    assert after(2.0) == 4.0
    assert hits(after) == 1
    only_file(private)


# --- processes --------------------------------------------------------------------------------------------------------
CODE = """
import sys
from multibody.kernels.compile import CACHE_DIRECTORY, kernel, source_hash
from small import half
print(half(3.0), CACHE_DIRECTORY, sum(half.stats.cache_hits.values()))
"""
SMALL = "from multibody.kernels.compile import kernel\n\n\n@kernel\ndef half(x):\n    return 0.5 * x\n"


def process(where: pathlib.Path, **settings: str) -> subprocess.Popen[str]:
    """Start a process that compiles a small kernel."""
    (where / "small.py").write_text(SMALL)
    environment = {key: value for key, value in os.environ.items() if key not in (*folders.VARIABLES, "XDG_CACHE_HOME")}
    environment["PYTHONPATH"] = os.pathsep.join([str(where), *filter(None, [environment.get("PYTHONPATH")])])
    return subprocess.Popen(
        [sys.executable, "-c", CODE], cwd=where, env={**environment, **settings}, text=True, stdout=-1, stderr=-1
    )


def answer(started: subprocess.Popen[str]) -> tuple[str, int, str]:
    """Return the folder, the hits and what was said on stderr."""
    out, said = started.communicate(timeout=120)
    assert started.returncode == 0, said
    value, folder, found = out.split()
    assert value == "1.5"
    return folder, int(found), said


@posix
def test_a_predictable_folder_of_others_is_neither_read_nor_written(tmp_path: pathlib.Path) -> None:
    shared = tmp_path / "tmp"
    shared.mkdir()
    (shared / "multibody").mkdir()
    (shared / "multibody").chmod(0o777)
    folder, _, said = answer(process(tmp_path, HOME=str(tmp_path / "nowhere"), TMPDIR=str(shared)))
    assert pathlib.Path(folder).parent.parent == shared
    assert not folder.startswith(f"{shared}/multibody/")
    assert f"compiled kernels are kept in {pathlib.Path(folder).parent} until this process ends: the home" in said
    assert "Traceback" not in said
    assert list((shared / "multibody").iterdir()) == []
    assert not pathlib.Path(folder).exists(), "the private folder goes with its process"
    assert not (tmp_path / "nowhere").exists()


@posix
def test_an_empty_variable_does_not_mean_the_working_directory(tmp_path: pathlib.Path) -> None:
    folder, _, said = answer(process(tmp_path, XDG_CACHE_HOME="", MULTIBODY_CACHE_DIR="", HOME=str(tmp_path)))
    assert folder.startswith(f"{tmp_path}/.cache/multibody/")
    assert said == ""
    assert not (tmp_path / "multibody").exists()


@posix
@pytest.mark.parametrize("variable", folders.VARIABLES)
def test_a_named_folder_is_judged_like_any_other(tmp_path: pathlib.Path, variable: str) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    folder, _, said = answer(process(tmp_path, **{variable: str(tmp_path / "open")}))
    assert not folder.startswith(str(tmp_path / "open"))
    assert f"{tmp_path}/open can be written by other users; chmod go-w {tmp_path}/open" in said


def test_two_processes_at_once_and_a_third(tmp_path: pathlib.Path) -> None:
    kept = tmp_path / "kept"
    for started in [process(tmp_path, MULTIBODY_CACHE_DIR=str(kept)) for _ in range(2)]:
        assert answer(started)[2] == ""
    folder, found, said = answer(process(tmp_path, MULTIBODY_CACHE_DIR=str(kept)))
    assert (found, said) == (1, "")
    assert folder.startswith(str(kept))


# --- what was compiled ahead ------------------------------------------------------------------------------------------
def test_what_was_compiled_ahead_is_known_to_be_whole(private: pathlib.Path) -> None:
    rooms = [private / "kernels-1", private / "tree-2"]
    for room in rooms:
        room.mkdir(mode=0o700)
        (room / "a.nbc").write_bytes(room.name.encode())
    assert not is_warm(rooms)
    note_warm(rooms)
    assert is_warm(rooms)
    assert not is_warm([rooms[0], private / "tree-3"])  # other sources
    (rooms[1] / "b.nbc").write_bytes(b"more")  # of somebody who compiled beside
    assert is_warm(rooms)
    (rooms[1] / "a.nbc").write_bytes(b"tree-x")
    assert not is_warm(rooms)
    (rooms[1] / "a.nbc").unlink()
    assert not is_warm(rooms)
    note_warm(rooms)
    assert is_warm(rooms)
    next(private.glob("warm-*.json")).write_bytes(b"{")
    assert not is_warm(rooms)


def test_nothing_compiled_is_not_warm(private: pathlib.Path) -> None:
    room = private / "kernels-1"
    room.mkdir(mode=0o700)
    note_warm([room])
    assert not is_warm([room])
