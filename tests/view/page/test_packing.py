"""Packed numbers come back to half a quantum, whatever they are."""

from __future__ import annotations

import numpy as np
import pytest

from multibody.view.page.packing import packed
from view.page.unpacking import unpacked

T = np.linspace(0.0, 1.0, 201)


@pytest.mark.parametrize("size", [1e-280, 1e-12, 1.0, 1e12, 1e280])
@pytest.mark.parametrize("curve", [np.sin(9 * T), np.exp(-40 * T), np.ones(201), np.zeros(201), T**3 - 0.5, np.sign(T - 0.5)])
def test_numbers_come_back_to_four_billionths_of_their_column(size: float, curve: np.ndarray) -> None:
    back = unpacked(packed([size * curve]))[0]
    assert np.max(np.abs(back - size * curve)) <= 4e-9 * size * max(np.max(np.abs(curve)), 1e-300)


def test_what_is_not_finite_comes_back_as_nan_and_its_neighbors_as_they_were() -> None:
    column = np.sin(T)
    column[[0, 7, -1]] = np.nan, np.inf, -np.inf
    back = unpacked(packed([column]))[0]
    assert np.array_equal(np.isnan(back), ~np.isfinite(column))
    assert np.nanmax(np.abs(back - np.where(np.isfinite(column), column, np.nan))) < 4e-9


def test_noise_one_instant_and_nothing() -> None:
    noise = np.random.default_rng(1).normal(size=(3, 50))
    for given, back in zip(noise, unpacked(packed(list(noise))), strict=True):
        assert np.max(np.abs(given - back)) < 2e-8
    assert unpacked(packed([np.array([3.5])]))[0][0] == pytest.approx(3.5, rel=4e-9)
    assert unpacked(packed([])) == []


def test_a_given_quantum_is_kept_where_the_numbers_allow_it() -> None:
    turns = np.linspace(0.0, 3000.0, 400)
    block = packed([turns], [2.0**-14])
    assert block["columns"][0][0] == 2.0**-14
    assert np.max(np.abs(unpacked(block)[0] - turns)) <= 2.0**-15
    assert packed([turns], [1e-30])["columns"][0][0] == pytest.approx(3000.0 * 2.0**-30)


def test_a_smooth_curve_takes_about_two_characters_a_number() -> None:
    t = np.linspace(0.0, 10.0, 401)
    block = packed([np.sin(k * t) * np.cos(0.3 * t) for k in range(1, 6)])
    assert len(block["z"]) < 2.2 * 401 * 5
