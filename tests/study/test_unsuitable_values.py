"""Studies whose model by itself could not begin, members with faults of our own, arguments of wrong types, damaged plans."""

from __future__ import annotations

import json
import pathlib
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.errors import ModelError
from multibody.study.members import OrdinaryMembers
from study.models import oscillator


def coasting() -> mb.Model:
    """Return a mass that coasts with 1 m/s for a time that is a parameter, 0 by itself."""
    made = mb.Model("coasting", dimension=2)
    made.parameter("T", 0.0)
    made.body("b", mass=1, inertia=1)
    made.translational("S", made.ground, "b", axis=(1, 0))
    made.initial({"S.rate": 1.0})
    return made


def pendulum(**values: float) -> mb.Model:
    return mb.load("pendulum", **values)


STUDIES: dict[str, tuple[Callable[[], mb.Model], dict[str, Any], str, dict[str, Any]]] = {
    "no time": (coasting, {"T": [1.0, 2.0, 3.0]}, "final S", {"until": "T"}),
    "no mass": (lambda: pendulum(m=0), {"m": [1.0, 2.0]}, "final O", {"until": 0.3}),
    "no inertia": (lambda: pendulum(l=0), {"l": [1.0, 2.0]}, "final O", {"until": 0.3}),
    "a time out of reach": (pendulum, {"l": [0.1, 0.15]}, "at(l, O)", {"until": 0.3}),
    "no end": (
        lambda: mb.load("slider-crank", omega=0), {"omega": [100.0, 150.0]}, "final S",
        {"until": "1/omega", "analysis": "kinematics"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", STUDIES)
def test_the_model_as_it_is_need_not_be_a_member(name: str) -> None:
    made, varied, output, options = STUDIES[name]
    study = made().study(varied, [output], **options)
    assert study.counts["done"] == len(study.values), study.messages
    assert np.all(np.isfinite(study.outputs))
    alone: Any = study.repeat(1)
    value = study.values[1, 0]
    expected = alone.at(value)["O"] if output.startswith("at") else alone.final[output.removeprefix("final ")]
    assert study.outputs[1, 0] == pytest.approx(float(expected), abs=1e-12)
    if name == "no time":
        assert study.outputs[:, 0] == pytest.approx([1.0, 2.0, 3.0], abs=1e-12)


def test_what_every_member_refuses_is_refused_at_once() -> None:
    with pytest.raises(ModelError, match="outside of the motion"):
        pendulum().study({"l": [1.0, 2.0]}, "at(l, O)", until=0.3)
    with pytest.raises(ModelError, match="the end time"):
        coasting().study({"T": [0.0, 0.0]}, "final S", until="T")


@pytest.mark.parametrize("ways", [{}, {"workers": 1}, {"chunk": 100}])
def test_a_contact_whose_curve_is_a_point_is_singular_and_told(ways: dict[str, Any]) -> None:
    """A cam of no size: the contact alone could move, no body."""
    study = mb.load("cam-flat").study({"base": [0.03, 0.0, 0.034]}, "final guide", until=0.02, **ways)
    assert study.counts["done"] == 3, study.messages
    assert study.outputs[[0, 2], 0] == pytest.approx(
        [mb.load("cam-flat", base=base).run(until=0.02).final["guide"] for base in (0.03, 0.034)], abs=1e-12
    )


def test_a_fault_of_ours_costs_one_member(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("multibody.study.study.fastest", lambda ordinary, values: ordinary)
    own = OrdinaryMembers.varied

    def varied(self: OrdinaryMembers, row: Any) -> mb.Model:
        if row[0] == 4.0:
            raise IndexError("nobody foresaw this")
        return own(self, row)

    monkeypatch.setattr(OrdinaryMembers, "varied", varied)
    study = oscillator().study({"k": [3.0, 4.0, 5.0]}, "final S", until=0.1, chunk=3)
    assert study.counts["failed"] == 1 and "IndexError: nobody foresaw this" in study.messages[1]
    assert np.isfinite(study.outputs[[0, 2], 0]).all()


class Cancelling(ThreadPoolExecutor):
    """An executor that is shut down as soon as it has work, and never tells of what it cancelled."""

    def submit(self, *given: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.cancel()
        self.shutdown(wait=False, cancel_futures=True)
        return future


def test_an_executor_that_cancels_does_not_hang() -> None:
    found: list[BaseException] = []

    def work() -> None:
        try:
            oscillator().study({"k": [3.0, 5.0]}, "final S", until=0.1, executor=Cancelling(1))
        except BaseException as error:
            found.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(60.0)
    assert not thread.is_alive()
    assert len(found) == 1 and "without an answer (CancelledError" in str(found[0])


WRONG: list[tuple[Callable[[pathlib.Path], object], str]] = [
    (lambda p: oscillator().study({"k": [3.0]}, "final S", until=0.1, progress=3), "study.progress: 3 is no function"),  # type: ignore[call-arg]
    (lambda p: oscillator().study({"k": [3.0]}, "final S", until=0.1, store=3), "study.store: 3 is no path"),  # type: ignore[call-arg]
    (lambda p: oscillator().study({"k": [3.0]}, "final S", until=0.1, store="a\0b"), "names no file"),
    (lambda p: oscillator().study({"k": np.ma.array([1.0, 2.0], mask=[0, 1])}, "final S", until=0.1), "masked"),
    (lambda p: oscillator().study({"k": [3.0]}, "final S", until=0.1).save(3), "3 is no path"),  # type: ignore[arg-type]
    (lambda p: oscillator().run(0.1).save(3), "3 is no path"),  # type: ignore[arg-type]
    (lambda p: oscillator().run(0.1).save(b"x.nc"), "no path|names no file"),  # type: ignore[arg-type]
    (lambda p: oscillator().save(3), "3 is no path"),  # type: ignore[arg-type]
    (lambda p: mb.load(3), "3 is no name of a model"),  # type: ignore[arg-type]
    (lambda p: mb.load(None), "None is no name of a model"),  # type: ignore[arg-type]
    (lambda p: mb.read_study(3), "3 is no path"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "said"), WRONG)
def test_wrong_types_are_answered_in_words(call: Callable[[pathlib.Path], object], said: str, tmp_path: pathlib.Path) -> None:
    with pytest.raises(ModelError, match=said):
        call(tmp_path)


@pytest.mark.parametrize("damage", ["other", "missing", "cut"])
def test_a_damaged_plan_is_told_and_mended_by_going_on(damage: str, tmp_path: pathlib.Path) -> None:
    given: dict[str, Any] = {"samples": 6, "until": 0.1, "store": tmp_path / "store"}
    before = oscillator().study({"k": (3.0, 5.0)}, "final S", **given)
    plan = tmp_path / "store" / "plan.npy"
    if damage == "other":
        np.save(plan, before.values + 1.0)
    elif damage == "missing":
        plan.unlink()
    else:
        plan.write_bytes(plan.read_bytes()[:-9])
    with pytest.raises(ModelError, match="the store is damaged"):
        mb.read_study(tmp_path / "store")
    again = oscillator().study({"k": (3.0, 5.0)}, "final S", resume=True, **given)
    assert np.array_equal(again.outputs, before.outputs)
    assert np.array_equal(mb.read_study(tmp_path / "store").values, before.values)


def test_a_chunk_without_end_is_told(tmp_path: pathlib.Path) -> None:
    given: dict[str, Any] = {"samples": 6, "until": 0.1, "store": tmp_path / "store"}
    oscillator().study({"k": (3.0, 5.0)}, "final S", **given)
    manifest = tmp_path / "store" / "study.json"
    told = json.loads(manifest.read_text()) | {"chunk": 0}
    manifest.write_text(json.dumps(told).replace('"chunk": 0', '"chunk": 1e400'))
    with pytest.raises(ModelError, match="the store is damaged"):
        mb.read_study(tmp_path / "store")
    with pytest.raises(ModelError, match="the store is damaged"):
        oscillator().study({"k": (3.0, 5.0)}, "final S", resume=True, **given)
