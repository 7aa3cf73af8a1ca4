"""Inverse dynamics by one factorization an instant gives what singular values give, redundant and singular ones too."""

import dataclasses
import math
import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import multibody as mb
from multibody.analyses.inverse import virtual_power
from multibody.analyses.reactions import uniqueness
from multibody.cli.app import app
from multibody.library import names


def engine(n: int = 2, massless: bool = False) -> mb.Model:
    """Return spatial slider-cranks, redundant, each driven at its crank; perhaps with massless rods."""
    m = mb.load("engine", n=n)
    m.initials.clear()
    for k in range(1, n + 1):
        m.motion(f"O{k}", f"{0.3 + 0.5 * k} + 20*t")
    if massless:
        m.bodies["rod1"] = dataclasses.replace(m.bodies["rod1"], mass=0.0, inertia=(0.0, 0.0, 0.0))
    return m


def flat_parallelogram() -> mb.Model:
    """Return a parallelogram that turns through its flat position, where its joints lose rank."""
    m = mb.Model("parallelogram", dimension=2, gravity=(0, -9.81))
    m.body("left", mass=1.0, inertia=0.02, com=(0.1, 0.01), frames={"end": (0.3, 0)})
    m.body("bar", mass=2.0, inertia=0.05, com=(0.2, 0), frames={"end": (0.5, 0)})
    m.body("right", mass=1.0, inertia=0.02, com=(0.1, 0), frames={"end": (0.3, 0)})
    m.frames(other=(0.5, 0))
    m.revolute("O", m.ground, "left")
    m.revolute("A", "left.end", "bar")
    m.revolute("B", "bar.end", "right.end")
    m.revolute("C", m.ground["other"], "right")
    m.motion("O", "1 + t")
    m.initial(guess={"C": 1.0})
    return m


def both(make: Callable[[], mb.Model], monkeypatch: pytest.MonkeyPatch, **options: Any) -> tuple[Any, Any]:
    """Return what factors and what singular values give."""
    found = make().inverse(**options)
    reactions = {name: wrench(found, name) for name in found.model.joints}
    with monkeypatch.context() as patch:
        patch.setattr(virtual_power, "REGULAR", math.inf)
        patch.setattr(uniqueness, "SOUND", math.inf)
        reference = make().inverse(**options)
        expected = {name: wrench(reference, name) for name in reference.model.joints}
    return (found, reactions), (reference, expected)


def wrench(found: Any, joint: str) -> tuple[np.ndarray, list[bool]] | None:
    """Return force and moment of a joint over time and which components are unique; None for what has no wrench."""
    try:
        parts = [found.motion[f"{joint}.reaction.{item}"] for item in ("force", "moment")]
    except mb.ModelError:
        return None
    values = np.concatenate([part.values.reshape(len(found.time), -1) for part in parts], axis=1)
    return values, [part.attrs["unique"] for part in parts]


def assert_same(one: tuple[Any, Any], other: tuple[Any, Any]) -> None:
    """Compare efforts, conditions, flags and reactions."""
    (found, reactions), (reference, expected) = one, other
    assert found.unique == reference.unique
    assert [b.time for b in found.blocked] == [b.time for b in reference.blocked]
    for name in found.names:
        values = reference[name].values
        np.testing.assert_allclose(found[name].values, values, rtol=1e-10, atol=1e-10 * np.nanmax(np.abs(values), initial=1e-9))
    np.testing.assert_allclose(found.condition, reference.condition, rtol=1e-9)
    sizes = [np.nanmax(np.abs(item[0]), initial=0.0) for item in expected.values() if item is not None]
    for name, item in reactions.items():
        if item is not None:
            np.testing.assert_allclose(item[0], expected[name][0], atol=1e-10 * max([*sizes, 1e-9]))
            assert item[1] == expected[name][1], name


@pytest.mark.parametrize("massless", [False, True])
def test_redundant_joints_and_massless_rods(massless: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_same(*both(lambda: engine(2, massless), monkeypatch, until=0.3, steps=9))
    assert_same(*both(lambda: engine(2, massless), monkeypatch, until=0.3, steps=9, efforts=["S1", "O2"]))
    assert_same(*both(lambda: engine(2, massless), monkeypatch, until=0.3, steps=9, efforts=["S1", "O2", "O1"]))


def test_positions_where_joints_lose_rank(monkeypatch: pytest.MonkeyPatch) -> None:
    times = [0.0, 1.0, math.pi - 1 - 1e-6, math.pi - 1, 2.5]
    assert_same(*both(flat_parallelogram, monkeypatch, times=times))


def test_library_models_that_motions_drive(monkeypatch: pytest.MonkeyPatch) -> None:
    """At least eight of them, planar and spatial."""
    done = 0
    for name in names():
        model = mb.load(name)
        if not model.motions or "until" not in model.defaults.get("kinematics", {}):
            continue
        try:
            results = both(lambda name=name: mb.load(name), monkeypatch, steps=6)  # type: ignore[misc]
        except mb.ModelError:  # not all of its freedoms are driven
            continue
        assert_same(*results)
        done += 1
    assert done >= 8


def test_one_factorization_serves_every_regular_instant(monkeypatch: pytest.MonkeyPatch) -> None:
    """Singular values are taken a few times for the structure, however many instants there are."""
    counts = []
    svd = np.linalg.svd

    def counted(matrix: Any, *args: Any, **options: Any) -> Any:
        counts[-1] += matrix.ndim == 2 and min(matrix.shape) > 5
        return svd(matrix, *args, **options)

    monkeypatch.setattr(np.linalg, "svd", counted)
    for steps in (8, 40):
        counts.append(0)
        found = engine(2).inverse(until=0.3, steps=steps)
        found.motion["A1.reaction.force"]
    assert counts[0] == counts[1]


def test_progress_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[float] = []
    monkeypatch.setattr(virtual_power, "CHUNK", 1)
    engine(1).inverse(until=0.1, steps=5, progress=seen.append)
    np.testing.assert_allclose(seen, np.linspace(0, 0.1, 6))


@pytest.mark.parametrize("last", [0.0, 0.06])
def test_ctrl_c_keeps_what_was_computed(last: float, monkeypatch: pytest.MonkeyPatch) -> None:
    def until(t: float) -> None:
        if t >= last - 1e-9:
            raise KeyboardInterrupt

    monkeypatch.setattr(virtual_power, "CHUNK", 1)
    whole = engine(1).inverse(until=0.1, steps=5)
    with pytest.warns(RuntimeWarning, match="interrupted at t ="):
        part = engine(1).inverse(until=0.1, steps=5, progress=until)
    assert not part.ok and part.status.message == f"interrupted at t = {last:g}"
    assert len(part.time) == 1 + round(last / 0.02)
    name = next(iter(whole))
    np.testing.assert_array_equal(part[name], np.asarray(whole[name])[: len(part.time)])
    np.testing.assert_array_equal(part.motion["A1.reaction.force.x"], whole.motion["A1.reaction.force.x"][: len(part.time)])


@pytest.mark.parametrize("calls", [1, 4])
def test_ctrl_c_in_the_command_prints_and_writes_what_was_computed(
    calls: int, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    regular, count = virtual_power.Solver._regular, [0]

    def interrupted(self: Any, *arguments: Any) -> Any:
        count[0] += 1
        if count[0] == calls:
            raise KeyboardInterrupt
        return regular(self, *arguments)

    monkeypatch.setattr(virtual_power, "CHUNK", 1)
    monkeypatch.setattr(virtual_power.Solver, "_regular", interrupted)
    file = tmp_path / "efforts.csv"
    result = CliRunner().invoke(app, ["inverse", "slider-crank", "--steps", "20", "--out", str(file)])
    assert isinstance(result.exception, SystemExit) and result.exit_code == 1
    assert "interrupted at t =" in result.stdout
    assert file.exists() == (calls > 1)
    if calls > 1:
        text = file.read_text()
        assert "partial" in text and "interrupted" in text
        assert len([line for line in text.splitlines() if not line.startswith("#")]) == 1 + calls - 1
