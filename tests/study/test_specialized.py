"""Studies in specialized code: against closed forms, against the ordinary way, and what they refuse."""

from __future__ import annotations

import functools
import math
import pickle
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.errors import AnalysisError, ModelError
from multibody.specialize import cuda
from multibody.specialize.device import DeviceCode, Disagreement
from multibody.study.specialized import SpecializedMembers, on_device
from thorough import thorough

START, GRAVITY, UNTIL, STEP = 1.0, 9.81, 1.2, 0.01
OUTPUTS = {
    "peak": "max(norm(O.reaction.force))", "when": "time of max norm(O.reaction.force)", "low": "min(O.angle)",
    "mean": "mean(O.angle)", "rms": "rms(O.angle.rate)*l", "sum": "integral(rod.x)", "end": "final(energy.total)",
    "half": "at(0.6, O.angle)", "free": "2*m + max(O.angle)/l",
}  # fmt: skip
RUN: dict[str, Any] = {"until": UNTIL, "integrator": "rk4", "step": STEP, "output_step": STEP, "refine": False}
VARIED = {"m": [1.0, 2.5, 2.5, 0.4], "l": [0.5, 0.5, 0.8, 1.1]}
VALUES = np.array(list(zip(*VARIED.values(), strict=True)))


@functools.cache
def pendulum(event: bool = False) -> mb.Model:
    """Return a rod on a pin, its center of mass l away, let go at an angle from below."""
    made = mb.Model("pendulum", dimension=2, gravity=(0, -GRAVITY))
    mass, length = made.parameter("m", 1.0, min=0.01), made.parameter("l", 0.5)
    made.body("rod", mass=mass, inertia=0.1 * mass, frames={"pin": (0, length)})
    made.revolute("O", made.ground, "rod.pin")
    made.initial({"O": START, "O.rate": 0.0})
    if event:
        made.event("below", "O", direction="falling")
    return made


ADAPTIVE: dict[str, Any] = {"integrator": "dop853", "step": None, "output_step": 0.02}


IMPLICIT: dict[str, Any] = {"integrator": {"alpha": {"rho": 0.7}}, "step": 0.008, "output_step": 0.02}


@functools.cache
def adaptive() -> tuple[SpecializedMembers, Any]:
    """Return members that choose their steps, and their outputs by the ordinary way."""
    members = _members(**ADAPTIVE)
    return on_device(members, "host", 0), members.compute(VALUES)


@functools.cache
def both() -> tuple[Any, Any]:
    """Return the study in specialized code and by the ordinary way."""
    study = functools.partial(pendulum().study, VARIED, OUTPUTS, method="list", **RUN)
    return study(specialize=True), study()


def test_equals_the_ordinary_way() -> None:
    found, wanted = both()
    assert found.states == wanted.states and found.about.units == wanted.about.units
    assert found.outputs == pytest.approx(wanted.outputs, rel=1e-12, abs=1e-12)


def test_members_that_choose_their_steps_equal_the_ordinary_way() -> None:
    """The same steps, and the same dense output between them: equal far beyond the tolerance of the steps."""
    members, wanted = adaptive()
    found = members.compute(VALUES)
    assert not np.any(found.status) and found.outputs == pytest.approx(wanted.outputs, rel=1e-12, abs=1e-12)


@functools.cache
def implicit() -> tuple[SpecializedMembers, Any]:
    """Return members that are stepped by ``alpha``, and their outputs by the ordinary way."""
    members = _members(**IMPLICIT)
    return on_device(members, "host", 0), members.compute(VALUES)


@thorough
def test_members_by_an_implicit_method_equal_the_ordinary_way() -> None:
    members, wanted = implicit()
    found = members.compute(VALUES)
    assert not np.any(found.status) and not members.aside
    assert found.outputs == pytest.approx(wanted.outputs, rel=1e-12, abs=1e-12)


def test_an_implicit_method_goes_on_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its matrices, its factors and its past are put away and fetched again; instants lie between its steps."""
    from multibody.specialize import schedule

    members, wanted = implicit()
    monkeypatch.setattr(schedule, "instants_in", lambda *lengths: 7)
    assert members.compute(VALUES).outputs == pytest.approx(wanted.outputs, rel=1e-12, abs=1e-12)


def test_an_integrator_goes_on_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """With room for a few instants at a time, what it keeps of a member is put away and fetched again."""
    from multibody.specialize import schedule

    members, wanted = adaptive()
    monkeypatch.setattr(schedule, "instants_in", lambda *lengths: 7)
    assert members.compute(VALUES).outputs == pytest.approx(wanted.outputs, rel=1e-12, abs=1e-12)


def test_closed_form() -> None:
    """At the lowest point the pin carries m g + m l ω², ω² = 2 m g l (1 − cos θ₀)/(J + m l²); energy stays."""
    found, _ = both()
    for k, (m, l) in enumerate(zip(*VARIED.values(), strict=True)):
        squared = 2.0 * m * GRAVITY * l * (1.0 - math.cos(START)) / (0.1 * m + m * l * l)
        numbers = dict(zip(found.about.outputs, found.outputs[k], strict=True))
        assert numbers["peak"] == pytest.approx(m * GRAVITY + m * l * squared, rel=2e-3)  # at the instant nearest to it
        assert numbers["end"] == pytest.approx(-m * GRAVITY * l * math.cos(START), rel=1e-7)
        assert numbers["free"] == pytest.approx(2.0 * m + START / l, rel=1e-12)


def _members(**options: Any) -> Any:
    """Return the members of a study by the ordinary way."""
    from multibody.study.members import prepare

    given = {**{key: value for key, value in RUN.items() if key != "refine"}, **options}
    told = {key: value for key, value in given.items() if value is not None}
    outputs = told.pop("outputs", OUTPUTS)
    return prepare(told.pop("model", pendulum()), list(VARIED), outputs, "run", told, None, RUN["refine"])


def test_a_member_that_does_not_fit_goes_the_ordinary_way() -> None:
    """A mass below its least one is refused; the members beside it are computed."""
    members = on_device(_members(), "host", 0)
    found = members.compute(np.array([[1.0, 0.5], [0.001, 0.5], [2.0, 0.6]]))
    assert found.status.tolist() == [0, 2, 0] and "m" in found.messages[1] and np.all(np.isnan(found.outputs[1]))
    assert found.outputs[0] == pytest.approx(both()[1].outputs[0], rel=1e-12, abs=1e-12)


def test_travels() -> None:
    members = on_device(_members(), "host", 0)
    there = pickle.loads(pickle.dumps(members))
    values = np.array([[1.0, 0.5]])
    assert np.array_equal(there.compute(values).outputs, members.compute(values).outputs)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"integrator": "radau", "step": None}, r'steps by rk4, dop853, alpha, and not by radau.*say integrator="dop853"'),
        ({"integrator": "dop853", "step": None, "output_step": 0.7}, "1.2 is no whole number of steps of 0.7"),
        ({"step": 0.007}, r"1.2 is no whole number of steps of 0.007.*would do"),
        ({"output_step": 0.015}, "0.015 is no whole number of steps of 0.01"),
        ({"output_step": 0.7}, "the last instant is not at the end"),
        ({"formulation": "kane"}, "kane is not made into specialized code"),
        ({"outputs": ["at(0.605, O.angle)"]}, r"reads nothing at t = 0.605.*divides 0.605"),
        ({"outputs": ["max(abs(O.angle - mean(O.angle)))"]}, "made of another one"),
        ({"model": pendulum(True)}, "the model has events"),
        ({"model": pendulum(True), "outputs": ["first(below)"]}, "knows no events"),
    ],
)  # fmt: skip
def test_what_is_refused(options: dict[str, Any], words: str) -> None:
    members = _members(**options)
    with pytest.raises(ModelError, match=words):
        on_device(members, "host", 0)


def test_devices_and_analyses_that_are_not_known() -> None:
    with pytest.raises(ModelError, match=r"unknown device 'tpu'; it is host .* or cuda"):
        pendulum().study(VARIED, OUTPUTS, method="list", device="tpu", **RUN)
    with pytest.raises(ModelError, match="by run, kinematics, inverse, and not by assemble"):
        pendulum().study(VARIED, ["O.angle"], method="list", device="host", analysis="assemble")


def test_no_device_is_said_before_anything_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(name: str) -> Any:
        raise OSError(name)

    monkeypatch.setattr(cuda.ctypes, "CDLL", none)
    with pytest.raises(ModelError, match=r'libcuda.*install NVIDIA\'s driver.*device="host"'):
        pendulum().study(VARIED, OUTPUTS, method="list", device="cuda", **RUN)


def _on_pretended_device(monkeypatch: pytest.MonkeyPatch, wrong_above: int) -> SpecializedMembers:
    """Return members on a device whose memory and processor are the host's; its code is wrong above a level."""
    members = on_device(_members(), "host", 0)
    members.batch.__dict__["_device"] = _pretended(monkeypatch, members.batch, wrong_above)
    members.device = "cuda"
    return members


def _pretended(monkeypatch: pytest.MonkeyPatch, batch: Any, wrong_above: int) -> DeviceCode:
    """Return the code of members on a device that there is not."""
    from multibody.specialize import device
    from specialize.pretended import PretendedDevice, pretended_module

    code, reader = batch._host
    monkeypatch.setattr(device, "Module", pretended_module([code, reader], wrong_above))
    return DeviceCode("steps", code, PretendedDevice(), ("readings", reader))  # type: ignore[arg-type]


def test_a_device_is_believed_where_it_agrees(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.array(list(zip(*VARIED.values(), strict=True)) * 11)
    members = _on_pretended_device(monkeypatch, wrong_above=3)
    found = members.compute(values)
    assert len(members.batch._device.notes) == 1 and not members.batch._device.driver.memory
    assert found.outputs == pytest.approx(np.tile(both()[0].outputs, (11, 1)), rel=1e-14)


def test_an_integrator_on_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    members, wanted = adaptive()
    device = _pretended(monkeypatch, members.batch, wrong_above=3)
    monkeypatch.setitem(members.batch.__dict__, "_device", device)
    monkeypatch.setattr(members, "device", "cuda")
    found = members.compute(np.tile(VALUES, (9, 1)))
    assert len(device.notes) == 1 and not device.driver.memory
    assert found.outputs == pytest.approx(np.tile(wanted.outputs, (9, 1)), rel=1e-12, abs=1e-12)


def test_a_device_that_never_agrees_gives_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    members = _on_pretended_device(monkeypatch, wrong_above=-1)
    with pytest.raises(AnalysisError, match=r'not what the host computes.*level 0.*device="host"') as caught:
        members.compute(np.array([[1.0, 0.5]] * 3))
    assert isinstance(caught.value.__context__, Disagreement) and not members.batch._device.driver.memory
