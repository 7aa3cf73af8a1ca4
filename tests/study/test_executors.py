"""Where members are computed: workers that are killed, executors that break, faults that nobody foresaw."""

from __future__ import annotations

import itertools
import multiprocessing
import pathlib
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.errors import AnalysisError
from multibody.state.state import Status
from multibody.study import executors
from multibody.study.conduct import Book, conduct
from multibody.study.executors import Threads, pool_of
from multibody.study.members import DONE, FAILED
from study.models import swing
from study.stubs import Raising, Treacherous

VALUES = np.arange(12.0)[:, None]


def book() -> Book:
    return Book.blank(VALUES, 1, 2, None, None)


def counts(folder: pathlib.Path) -> dict[float, int]:
    found = [float(x) for file in folder.glob("computed-*") for x in file.read_text().split()]
    return {x: found.count(x) for x in found}


def test_a_worker_that_is_killed_costs_nothing(tmp_path: pathlib.Path) -> None:
    """The pool is the user's: it breaks with the worker, and processes of our own take its place, which are killed too."""
    members, kept = Treacherous(tmp_path, 5.0, 2), book()
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert conduct(members, kept, pool_of(members, pool, None, 6)) == ""
    np.testing.assert_array_equal(kept.outputs, VALUES**2)
    assert np.all(kept.status == DONE) and kept.messages == {}
    assert len(list(tmp_path.glob("death-*"))) == 2
    assert len(multiprocessing.active_children()) == 0, "no process is left"


def test_faults_in_a_worker_are_told(tmp_path: pathlib.Path) -> None:
    members, kept = Raising(tmp_path, 7.0, 0), book()
    with ThreadPoolExecutor(2) as pool:
        assert conduct(members, kept, pool_of(members, pool, None, 6)) == ""
    assert list(np.flatnonzero(kept.status == FAILED)) == [6, 7] and "RuntimeError: nobody foresaw this" in kept.messages[7]
    with ThreadPoolExecutor(2) as pool, pytest.raises(AnalysisError, match="end without an answer"):
        every = Book.blank(np.full((2, 1), 7.0), 1, 2, None, None)
        conduct(members, every, pool_of(members, pool, None, 1))


def test_a_worker_with_another_version_is_told_of(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    members, kept = Treacherous(tmp_path, np.nan, 0), book()
    with ThreadPoolExecutor(1) as threads:
        pool = pool_of(members, threads, None, 6)
        monkeypatch.setattr(executors, "__version__", "0.0.0")
        with pytest.raises(AnalysisError, match=r"this worker has version 0\.0\.0 of multibody"):
            conduct(members, kept, pool)


def test_members_that_let_go_of_the_lock_are_computed_on_threads(tmp_path: pathlib.Path) -> None:
    members, kept = Treacherous(tmp_path, np.nan, 0), book()
    members.threads = True
    pool = pool_of(members, None, 3, 6)
    assert isinstance(pool, Threads)
    assert conduct(members, kept, pool) == ""
    np.testing.assert_array_equal(kept.outputs, VALUES**2)
    assert set(counts(tmp_path).values()) == {1}, "each once"
    assert pool_of(members, None, 3, 1) is None, "one chunk needs no threads"


def test_a_run_that_is_interrupted_interrupts_the_study(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run meets Ctrl-C by ending in order, with what it has; to the study it is no member."""
    from multibody.study import readings

    own, count = readings.run, itertools.count()

    def run(model: Any, **options: Any) -> Any:
        motion = own(model, **options)
        if next(count) == 2:
            motion.status = Status(False, "interrupted at t = 0.01", 0.01)
        return motion

    monkeypatch.setattr(readings, "run", run)
    monkeypatch.setattr("multibody.study.study.fastest", lambda ordinary, values: ordinary)  # members one by one
    with pytest.warns(RuntimeWarning, match="interrupted after 2 of 5 members"):
        found = swing().study({"l0": (1.88, 1.92, 5)}, "final O1", until=0.05)
    assert found.states == ["done", "done", "not computed", "not computed", "not computed"]


def test_an_executor_and_workers_exclude_each_other() -> None:
    with ThreadPoolExecutor(1) as pool, pytest.raises(mb.ModelError, match="workers together with an executor"):
        swing().study({"l0": [1.9]}, "final O1", until=0.1, workers=2, executor=pool)
