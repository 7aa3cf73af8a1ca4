"""A run is promised when it is integrated: its arrays are made when one of them is first read, and are the same."""

from __future__ import annotations

import copy
import pickle
import threading
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.analyses.dynamics import run as runs
from multibody.state.motion import Motion, PromisedMotion


@pytest.fixture
def run() -> mb.Run:
    return mb.load("four-bar").run(until=0.5)


def test_arrays_are_made_when_they_are_read(run: mb.Run) -> None:
    assert type(run.motion) is PromisedMotion
    assert run.ok and type(run.motion) is PromisedMotion  # whether it finished is known before
    assert len(run.time) == 401
    assert type(run.motion) is Motion and run.motion.dynamics is not None


def test_a_copy_of_a_promise_is_the_motion_itself(run: mb.Run) -> None:
    sent = pickle.loads(pickle.dumps(run))
    again = mb.load("four-bar").run(until=0.5)
    np.testing.assert_array_equal(sent["A.reaction.force"].values, again["A.reaction.force"].values)
    promised = mb.load("four-bar").run(until=0.5).motion
    assert type(copy.copy(promised)) is Motion and type(promised) is Motion


def test_a_model_that_is_changed_changes_no_promise() -> None:
    model = mb.load("four-bar")
    known = mb.load("four-bar").run(until=0.5)["A.reaction.force"].values
    run = model.run(until=0.5)
    model.gravity = (0.0, -1.0)
    other = model.run(until=0.5)["A.reaction.force"].values
    np.testing.assert_array_equal(run["A.reaction.force"].values, known)
    assert np.max(np.abs(other - known)) > 1.0


def test_runs_of_one_model_share_nothing_that_is_written() -> None:
    model = mb.load("four-bar")
    first, second = model.run(until=0.5), model.run(until=0.7)
    late = first["A.reaction.force"].values  # read after another run of the same model began from copies of the same blocks
    np.testing.assert_array_equal(late, mb.load("four-bar").run(until=0.5)["A.reaction.force"].values)
    assert second.time[-1] == 0.7


def test_threads_that_read_at_once_read_the_same(run: mb.Run) -> None:
    read: list[Any] = []
    threads = [threading.Thread(target=lambda: read.append(run["A.reaction.force"].values)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(read) == 4 and all(np.array_equal(each, read[0]) for each in read)


def test_an_interrupted_reading_is_begun_anew(run: mb.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = runs.gather

    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(runs, "gather", interrupted)
    with pytest.raises(KeyboardInterrupt):
        _ = run.time
    monkeypatch.setattr(runs, "gather", plain)
    assert len(run.time) == 401


def test_what_a_motion_does_not_have_is_told(run: mb.Run) -> None:
    with pytest.raises(AttributeError, match="nothing_like_it"):
        _ = run.motion.nothing_like_it  # type: ignore[attr-defined]


def test_a_start_is_assembled_once_and_belongs_to_nobody() -> None:
    model = mb.load("four-bar")
    first = model.run(until=0.1)
    first.motion.initial.q[:] = 0.0
    np.testing.assert_array_equal(model.run(until=0.1).motion.q, mb.load("four-bar").run(until=0.1).motion.q)
