"""Code for NVIDIA's processors is made without one: it is whole, and says so where there is no device."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from multibody.specialize import cuda
from multibody.specialize.device import DeviceCode, Disagreement, tiled, untiled
from multibody.specialize.optimize import strided
from specialize.cases import QUICK, STEP, simulation, specialized
from specialize.pretended import PretendedDevice, pretended_module
from thorough import few_of


@pytest.mark.parametrize("name", few_of(("double pendulum", "four-bar"), QUICK))
def test_is_whole(name: str, tmp_path: Path) -> None:
    text = specialized(name).ptx("sm_70")
    assert ".target sm_70" in text and len(re.findall(r"^\.visible \.entry members\(", text, flags=re.M)) == 1
    assert ".extern" not in text and ".func" not in text  # everything is in the entry
    assert not re.search(r"\bcall\b", text)
    shared, loads = tables_of(text), re.findall(r"ld\.global\.nc\.b64\s+%rd\d+, \[(%rd\d+)\+(\d+)\]", text)
    offsets = [int(offset) for register, offset in loads if register not in shared]
    assert offsets and all(each % (8 * cuda_tile()) == 0 for each in offsets)  # neighbors read neighbors
    assembler = shutil.which("ptxas")
    if assembler:
        (tmp_path / "members.ptx").write_text(text)
        subprocess.run([assembler, "-arch=sm_90", "members.ptx", "-o", "members.cubin"], cwd=tmp_path, check=True)


def tables_of(text: str) -> set[str]:
    """Return the registers that point into tables of the structure, which all members read at the same place."""
    found, more = set[str](), set(re.findall(r"mov\.b64\s+(%rd\d+), [a-z]\w*\$", text))
    while more:
        found |= more
        sums = re.findall(r"add\.s64\s+(%rd\d+), (%rd\d+), (%rd\d+);", text)
        more = {to for to, *of in sums if found & set(of)} - found
    return found


def cuda_tile() -> int:
    from multibody.specialize.program import TILE

    return TILE


def test_tiles_hold_members_side_by_side() -> None:
    rows = np.arange(70.0 * 3).reshape(70, 3)
    tiles = tiled(rows)
    assert tiles.shape == (3, 3, cuda_tile()) and list(tiles[1, 2, :2]) == [rows[32, 2], rows[33, 2]]
    assert np.array_equal(untiled(tiles, 70), rows)


def test_steps_among_numbers_are_as_wide_as_they_lie_apart() -> None:
    text = "  %number.8 = getelementptr i8, ptr %n, i64 256\n  %p = getelementptr inbounds [8 x i8], ptr %number.8, i64 %k\n"
    wide = strided(text + "  %x = load double, ptr %p, align 8", 32)
    assert "getelementptr inbounds [32 x [8 x i8]], ptr %number.8, i64 %k" in wide and "%n, i64 256" in wide
    with pytest.raises(RuntimeError, match="not known"):
        strided(text + "  call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %p, i64 72, i1 false)", 32)


def test_no_driver_is_said_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(name: str) -> Any:
        raise OSError(name)

    monkeypatch.setattr(cuda.ctypes, "CDLL", none)
    with pytest.raises(cuda.NoDevice, match="libcuda"):
        cuda.Driver()


def _device(monkeypatch: pytest.MonkeyPatch, wrong_above: int) -> Any:
    from multibody.specialize import device

    code, driver = specialized("double pendulum"), PretendedDevice()
    monkeypatch.setattr(device, "Module", pretended_module([code.host], wrong_above))
    return DeviceCode("", code.host, driver), driver  # type: ignore[arg-type]


def test_what_differs_from_the_host_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    run, code = simulation("double pendulum"), specialized("double pendulum")
    numbers, words = (np.repeat(part[None], 40, axis=0) for part in code.member(run.bundle))
    y = np.repeat(run.y[None], 40, axis=0)
    wanted, kept = y.copy(), words.copy()
    code.host.advance(numbers, wanted, kept, 0.0, STEP, 10)
    device, driver = _device(monkeypatch, wrong_above=2)
    got, left = y.copy(), words.copy()
    outcome = device.advance(numbers, got, left, 0.0, STEP, 10, seed=3)
    assert outcome.level == 2 and len(device.notes) == 2 and "level 4" in device.notes[0]
    assert np.array_equal(got, wanted) and np.array_equal(left, kept) and not driver.memory
    device, driver = _device(monkeypatch, wrong_above=-1)
    same = y.copy()
    with pytest.raises(Disagreement, match="level 0"):
        device.advance(numbers, same, words, 0.0, STEP, 10)
    assert np.array_equal(same, y) and not driver.memory


class _Timed:
    """A clock that each choice of a code takes its own time by."""

    def __init__(self, seconds: dict[tuple[int, int], float]) -> None:
        self.now, self.seconds = 0.0, seconds

    def perf_counter(self) -> float:
        return self.now


class _Module:
    def __init__(self, level: int) -> None:
        self.level, self.warps, self.limited = level, 0, True

    def limit(self, warps: int) -> None:
        self.warps = warps


def test_the_fastest_code_is_taken_and_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    from multibody.specialize import kept, tuning

    seconds = {(level, warps): 1.0 + 0.1 * level + warps for level in tuning.LEVELS for warps in tuning.WARPS}
    seconds[1, 3] = 0.5
    clock, resets, disk = _Timed(seconds), list[int](), dict[str, bytes]()
    monkeypatch.setattr(tuning, "time", clock)
    monkeypatch.setattr(kept, "read", disk.get)
    monkeypatch.setattr(kept, "write", disk.__setitem__)

    def go(module: Any) -> None:
        clock.now += seconds[module.level, module.warps]

    modules = {level: _Module(level) for level in tuning.LEVELS}
    found = tuning.fastest(PretendedDevice(), modules, go, lambda: resets.append(1))
    assert found == (1, 3) and len(resets) == tuning.REPEATS * len(seconds) + 1  # and members are back at their start
    tuning.remember("code", "device", found)
    assert tuning.remembered("code", "device") == found and tuning.remembered("code", "another") is None
    assert not tuning.is_worth(PretendedDevice(), modules[1], 10) and tuning.is_worth(PretendedDevice(), modules[1], 10_000)


def test_a_code_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """With members enough, both levels are tried, the members are stepped as ever, and the next code knows."""
    from multibody.specialize import device, kept

    disk = dict[str, bytes]()
    monkeypatch.setattr(kept, "read", disk.get)
    monkeypatch.setattr(kept, "write", disk.__setitem__)
    run, code = simulation("double pendulum"), specialized("double pendulum")
    numbers, words = (np.repeat(part[None], 300, axis=0) for part in code.member(run.bundle))
    y = np.repeat(run.y[None], 300, axis=0)
    wanted = y.copy()
    code.host.advance(numbers, wanted, words.copy(), 0.0, STEP, 10)
    base, made = pretended_module([code.host], 4), list[int]()

    class Limited(base):  # type: ignore[misc, valid-type]
        limited = True

        def __init__(self, driver: Any, ptx: str, level: int) -> None:
            super().__init__(driver, ptx, level)
            made.append(level)

        def limit(self, warps: int) -> None:
            self.warps = warps

    monkeypatch.setattr(device, "Module", Limited)
    for tries in (2, 0):
        made.clear()
        judged = DeviceCode("", code.host, PretendedDevice())  # type: ignore[arg-type]
        got = y.copy()
        outcome = judged.advance(numbers, got, words.copy(), 0.0, STEP, 10)
        assert np.array_equal(got, wanted) and outcome.level == judged._choice.level  # type: ignore[union-attr]
        assert len(made) == (2 + tries if tries else 1) and len(disk) == 1
