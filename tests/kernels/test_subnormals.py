"""Subnormal numbers are zero in kernels, and only there."""

import numpy as np
import pytest

import multibody as mb
from multibody.kernels.compile import kernel
from multibody.kernels.subnormals import FLUSH, exchange_mode, flushed

SMALLEST = 2.2250738585072014e-308


@kernel
def halved(x):  # type: ignore[no-untyped-def]
    """Halve the numbers of an array."""
    for k in range(x.shape[0]):
        x[k] *= 0.5


@pytest.mark.skipif(FLUSH == 0, reason="the control register of this processor is not known")
def test_subnormal_numbers_are_zero_within_and_themselves_outside() -> None:
    x = np.full(4, SMALLEST)
    halved(x)
    assert np.all(x == 0.5 * SMALLEST) and np.all(x > 0.0)
    with flushed():
        halved(y := np.full(4, SMALLEST))
    assert np.all(y == 0.0)
    halved(z := np.full(4, SMALLEST))
    assert np.all(z > 0.0)


def test_the_mode_is_put_back_after_an_error() -> None:
    before = exchange_mode(1, 0)
    with pytest.raises(KeyError), flushed():
        raise KeyError
    assert exchange_mode(1, 0) == before


def test_a_run_leaves_the_arithmetic_of_others_alone() -> None:
    before = exchange_mode(1, 0)
    mb.load("four-bar").run(until=0.1)
    assert exchange_mode(1, 0) == before
    assert 0.5 * np.float64(SMALLEST) > 0.0
