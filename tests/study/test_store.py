"""Stores: what is finished is kept, whatever ends the study; nothing is lost, and nothing is computed twice."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import warnings
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.study.compiled import CompiledMembers
from multibody.study.members import OrdinaryMembers
from oracles import oracle
from study import killed
from study.models import oscillator, swing

VARIED: dict[str, Any] = {"k": (3.0, 5.0), "initial.S": (0.1, 0.3)}
GIVEN: dict[str, Any] = {"samples": 10, "until": 0.1, "chunk": 4}


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return a list in which every member that is computed is noted; members are computed one by one."""
    monkeypatch.setattr("multibody.study.study.fastest", lambda ordinary, values: ordinary)
    rows: list[Any] = []
    own = OrdinaryMembers._member

    def member(self: OrdinaryMembers, row: Any) -> Any:
        found = own(self, row)
        rows.append(tuple(row))
        return found

    monkeypatch.setattr(OrdinaryMembers, "_member", member)
    return rows


def reference() -> Any:
    return oscillator().study(VARIED, ["final S", "max(S)"], **GIVEN)


@contextlib.contextmanager
def ended_early() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def stop_after(count: int) -> Any:
    def progress(done: int, whole: int) -> None:
        if done >= count:
            raise KeyboardInterrupt

    return progress


def test_ctrl_c_keeps_every_finished_member(tmp_path: pathlib.Path, computed: list[Any]) -> None:
    with pytest.warns(RuntimeWarning, match="interrupted after 6 of 10 members"):
        part = oscillator().study(VARIED, ["final S", "max(S)"], **GIVEN, store=tmp_path / "s", progress=stop_after(6))
    assert not part.ok and part.counts == {"done": 6, "stopped": 0, "failed": 0, "not computed": 4}
    assert part.status.message.startswith("interrupted after 6 of 10 members") and "resume" in part.status.advice
    whole = oscillator().study(VARIED, ["final S", "max(S)"], **GIVEN, store=tmp_path / "s", resume=True)
    assert whole.ok and len(computed) == 10 == len(set(computed)), "none was computed twice"
    np.testing.assert_array_equal(whole.outputs, reference().outputs)
    again = oscillator().study(VARIED, ["final S", "max(S)"], **GIVEN, store=tmp_path / "s", resume=True)
    assert len(computed) == 20, "the reference, and nothing for a study that is complete"
    np.testing.assert_array_equal(again.outputs, whole.outputs)
    read = mb.read_study(tmp_path / "s")
    np.testing.assert_array_equal(read.outputs, whole.outputs)
    assert read.ok and read.keys == ("k", "initial.S") and "dimension: 2" in read.about.model_text


def test_ctrl_c_keeps_finished_chunks_of_compiled_members(tmp_path: pathlib.Path) -> None:
    given: dict[str, Any] = {"samples": 40, "until": 0.1, "chunk": 4, "workers": 2}
    with pytest.warns(RuntimeWarning, match="interrupted after"):
        part = oscillator().study(VARIED, ["final S", "max(S)"], **given, store=tmp_path / "s", progress=stop_after(8))
    done = part.counts["done"]
    assert 8 <= done < 40 and done % 4 == 0 and part.counts["not computed"] == 40 - done
    whole = oscillator().study(VARIED, ["final S", "max(S)"], **given, store=tmp_path / "s", resume=True)
    assert whole.ok and whole.statistics["compiled"] <= 40 - 8, "finished chunks are not computed again"
    np.testing.assert_array_equal(whole.outputs, oscillator().study(VARIED, ["final S", "max(S)"], **given).outputs)


def test_a_store_of_another_study_is_refused(tmp_path: pathlib.Path) -> None:
    store = tmp_path / "s"
    oscillator().study(VARIED, "final S", **GIVEN, store=store)
    with pytest.raises(mb.ModelError, match="it holds a study already; resume=True"):
        oscillator().study(VARIED, "final S", **GIVEN, store=store)
    others: dict[str, Any] = {
        "another model": lambda: oscillator(k=5.0).study(VARIED, "final S", **GIVEN, store=store, resume=True),
        "other values": lambda: oscillator().study(VARIED, "final S", **{**GIVEN, "seed": 1}, store=store, resume=True),
        "other outputs": lambda: oscillator().study(VARIED, "final S.rate", **GIVEN, store=store, resume=True),
        "other options": lambda: oscillator().study(VARIED, "final S", **{**GIVEN, "until": 0.2}, store=store, resume=True),
    }
    for words, ask in others.items():
        with pytest.raises(mb.ModelError, match=f"of another study .*{words}"):
            ask()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("mine")
    with pytest.raises(mb.ModelError, match=r"the folder is not empty \(letter.txt\)"):
        oscillator().study(VARIED, "final S", **GIVEN, store=tmp_path / "full")
    with pytest.raises(mb.ModelError, match="the store cannot be made"):
        oscillator().study(VARIED, "final S", **GIVEN, store=tmp_path / "no" / "such")
    with pytest.raises(mb.ModelError, match="holds no study"):
        mb.read_study(tmp_path / "full")


def test_a_damaged_chunk_is_computed_again(tmp_path: pathlib.Path, computed: list[Any]) -> None:
    store = tmp_path / "s"
    first = oscillator().study(VARIED, "final S", **GIVEN, store=store)
    for k, damage in enumerate((b"", b"no zip at all")):
        (store / f"chunk-{4 * k:010d}.npz").write_bytes(damage)
    (store / ".chunk-0000000008.a1b2c3.npz").write_bytes(b"left by a process that was killed")
    again = oscillator().study(VARIED, "final S", **GIVEN, store=store, resume=True)
    assert len(computed) == 10 + 8
    np.testing.assert_array_equal(first.outputs, again.outputs)


@pytest.mark.parametrize(
    "change",
    [
        {"chunk": 0}, {"chunk": "many"}, {"digests": 3}, {"digests": None}, {"about": None}, {"about": {"name": 3}},
        {"form": 7}, {"version": "0.0.0"},
    ],
)  # fmt: skip
def test_a_manifest_that_cannot_be_is_refused_in_words(tmp_path: pathlib.Path, change: dict[str, Any]) -> None:
    store = tmp_path / "s"
    oscillator().study({"k": [1.0]}, "final S", until=0.05, store=store)
    told = json.loads((store / "study.json").read_text())
    (store / "study.json").write_text(json.dumps({**told, **change}))
    if "about" in change or "form" in change or "chunk" in change:
        with pytest.raises(mb.ModelError):
            mb.read_study(store)
    if "about" not in change:
        with pytest.raises(mb.ModelError):
            oscillator().study({"k": [1.0]}, "final S", until=0.05, store=store, resume=True)
    for text in ("", "[1, 2]", "{"):
        (store / "study.json").write_text(text)
        with pytest.raises(mb.ModelError):
            mb.read_study(store)


def test_a_full_disk_ends_the_study_in_words_and_loses_nothing(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, computed: list[Any]
) -> None:
    own, calls = os.fsync, []

    def fsync(handle: int) -> None:
        calls.append(handle)
        if len(calls) > 6:  # two for each of plan, manifest and first chunk
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        own(handle)

    with monkeypatch.context() as patched, ended_early():
        patched.setattr(os, "fsync", fsync)
        part = oscillator().study(VARIED, ["final S", "max(S)"], **GIVEN, store=tmp_path / "s")
    assert part.status.message.startswith("the store takes no more") and "No space left on device" in part.status.message
    assert part.counts["done"] == 8, "the chunk that could not be written is in the result"
    assert mb.read_study(tmp_path / "s").counts["done"] == 4
    whole = oscillator().study(VARIED, ["final S", "max(S)"], **GIVEN, store=tmp_path / "s", resume=True)
    assert len(computed) == 8 + 6 and whole.ok
    np.testing.assert_array_equal(whole.outputs, reference().outputs)


def test_a_cluster_loses_a_worker_and_the_parent_and_nothing_else(tmp_path: pathlib.Path, computed: list[Any]) -> None:
    """Two worker processes of Dask: one is killed by SIGKILL in a first study, the parent in a second; both kill for real."""
    oracle("distributed")
    script = pathlib.Path(killed.__file__)
    source = os.pathsep.join([str(pathlib.Path(mb.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": source}
    ran = subprocess.run(
        [sys.executable, str(script), str(tmp_path)], env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert ran.returncode == -9 and (tmp_path / "worker").exists(), ran.stderr
    first = np.load(tmp_path / "first.npy")
    done = json.loads((tmp_path / "parent").read_text())["done"]
    kept = mb.read_study(tmp_path / "store")
    assert done >= killed.GIVEN["samples"] // 2
    assert kept.counts["done"] == done, "what was told of is kept"
    whole = swing().study(killed.VARIED, killed.ASKED, **killed.GIVEN, store=tmp_path / "store", resume=True)
    assert whole.counts["done"] == killed.GIVEN["samples"]
    assert len(computed) == killed.GIVEN["samples"] - kept.counts["done"], "nothing twice"
    alone = swing().study(killed.VARIED, killed.ASKED, **killed.GIVEN)
    np.testing.assert_array_equal(whole.outputs, alone.outputs)
    np.testing.assert_array_equal(first, alone.outputs, "a worker was killed under this one, which went on to its end")


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_in_the_middle_of_a_chunk_keeps_the_members_under_way(
    workers: int, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signal that comes while compiled loops run: the batch is finished and kept, nothing of it is computed again."""
    given: dict[str, Any] = {"samples": 32, "until": 0.1, "chunk": 8, "workers": workers}
    some, calls, came = CompiledMembers._some, [], threading.Event()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background lets it be ignored

    def interrupted(self: CompiledMembers, values: Any, outputs: Any) -> Any:
        calls.append(len(values))
        if len(calls) == 3:  # the first one tries a few
            signal.raise_signal(signal.SIGINT) if workers == 1 else os.kill(os.getpid(), signal.SIGINT)
            came.set()
        elif workers == 2 and len(calls) > 3:
            came.wait(5.0)
        return some(self, values, outputs)

    monkeypatch.setattr(CompiledMembers, "_some", interrupted)
    with pytest.warns(RuntimeWarning, match="interrupted after"):
        part = oscillator().study(VARIED, ["final S", "max(S)"], **given, store=tmp_path / "s")
    done = part.counts["done"]
    assert 16 <= done < 32 and part.counts["not computed"] == 32 - done, "that of the interrupt is among them"
    monkeypatch.setattr(CompiledMembers, "_some", some)
    whole = oscillator().study(VARIED, ["final S", "max(S)"], **given, store=tmp_path / "s", resume=True)
    assert whole.ok and whole.statistics["compiled"] == 32 - done
    np.testing.assert_array_equal(whole.outputs, oscillator().study(VARIED, ["final S", "max(S)"], **given).outputs)
    assert signal.signal(signal.SIGINT, before) is signal.default_int_handler
