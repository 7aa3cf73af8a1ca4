"""Running numbers against the same numbers of a whole motion."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from multibody.results import over_time
from multibody.specialize import reducing as R

KINDS = (R.LARGEST, R.SMALLEST, R.INTEGRAL, R.SQUARE, R.VALUE, R.VALUE)


def _noted(t: np.ndarray, values: np.ndarray, between: int) -> np.ndarray:
    """Return the running numbers of one series, all kinds; the last but one at instant 3, the last at the end."""
    kinds, series = np.array(KINDS), np.zeros(len(KINDS), np.int64)
    instants, results = np.array([0, 0, 0, 0, 3, -1]), np.full(R.PLACES * len(KINDS), 7.7)
    h = float(t[1] - t[0])
    with np.errstate(invalid="ignore"):
        for k, (time, value) in enumerate(zip(t, values, strict=True)):
            R.note.py_func(kinds, series, instants, between, k, float(time), h, np.array([value]), results)
    return results.reshape(-1, R.PLACES)


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the kernel's parts be Python too."""
    monkeypatch.setattr(R, "_note_extreme", R._note_extreme.py_func)


@pytest.mark.parametrize("end", [2.0, -2.0])
def test_equals_the_whole_motion(end: float) -> None:
    t = np.linspace(0.0, end, 41)
    values = np.cos(3.1 * t) + 0.3 * t
    found = _noted(t, values, 0)
    assert found[0, R.ANSWER] == values.max() and found[0, R.COMPANION] == t[values.argmax()]
    assert found[1, R.ANSWER] == values.min() and found[1, R.COMPANION] == t[values.argmin()]
    assert found[2, R.ANSWER] == pytest.approx(over_time.integral(t, values), rel=1e-14)
    assert math.sqrt(found[3, R.ANSWER] / 2.0) == pytest.approx(over_time.rms(t, values), rel=1e-14)
    assert found[4, R.ANSWER] == values[3] and found[5, R.ANSWER] == values[-1]


@pytest.mark.parametrize("end", [2.0, -2.0])
def test_extremes_lie_on_parabolas(end: float) -> None:
    """The top between instants is known to the fourth order of their spacing; the instants alone know it to the second."""
    for n, phase in itertools.product((40, 80), (0.2, 0.23, 0.27)):
        t, apart = np.linspace(0.0, end, n + 1), 3.1 * 2.0 / n
        found = _noted(t, np.sin(3.1 * t + phase), 1)
        tops = np.array([k * math.pi + math.pi / 2.0 - phase for k in range(-4, 4)]) / 3.1
        assert abs(found[0, R.ANSWER] - 1.0) < apart**4 / 40.0 and abs(found[1, R.ANSWER] + 1.0) < apart**4 / 40.0
        assert np.min(np.abs(tops - found[0, R.COMPANION])) < apart**3 / 3.1


def test_what_has_no_value_is_never_an_extreme() -> None:
    t = np.linspace(0.0, 1.0, 5)
    found = _noted(t, np.array([np.nan, 1.0, np.nan, 3.0, 2.0]), 1)
    assert found[0, R.ANSWER] == 3.0 and found[1, R.ANSWER] == 1.0 and math.isnan(found[2, R.ANSWER])
    assert math.isnan(_noted(t, np.full(5, np.nan), 1)[0, R.ANSWER])
