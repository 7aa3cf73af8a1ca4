"""Outputs of studies: numbers of a motion against closed forms, in any units; and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.study.extremes import largest as largest_of_all
from multibody.study.language import with_parentheses
from study.models import closed_form, oscillator, swing

UNTIL = 2.3


def largest(t: np.ndarray, values: np.ndarray, between: Any) -> tuple[float, float]:
    """Return time and size of the largest value of one member."""
    def of_one(which: np.ndarray, times: np.ndarray) -> np.ndarray:
        assert list(which) == [0] and times.shape[0] == 1
        return np.asarray(between(times[0]))[None, :]

    when, size = largest_of_all(t[None, :], values[None, :], None if between is None else of_one)
    return float(when[0]), float(size[0])


# integrals on 400 intervals are of the accuracy of the grid, all others of the integrator
COARSE = ("integral(S)", "mean S", "rms(S)", "max(S - mean(S))")


@pytest.mark.parametrize("scale", [(1.0, 1.0), (1e3, 1e3)], ids=["m, kg", "mm, g"])
def test_numbers_of_an_oscillator(scale: tuple[float, float]) -> None:
    cases = [(4.0, 1.0), (5.0, 1.5)]
    length, mass = scale
    asked = list(closed_form(4.0, 1.0, 0.3, UNTIL))
    found = oscillator(scale=scale).study(
        {"k": [k * mass for k, _ in cases], "m": [m * mass for _, m in cases]}, asked, method="list", until=UNTIL, rtol=1e-11,
        atol=1e-13,
    )  # fmt: skip
    assert found.states == ["done", "done"]
    lengths = {"2*k": mass, "max(energy.kinetic)/k": length**2, "max(final(S), 0) + 1": 1.0}
    for row, (k, m) in zip(found.outputs, cases, strict=True):
        for name, x, exact in zip(asked, row, closed_form(k, m, 0.3, UNTIL).values(), strict=True):
            if name == "max(final(S), 0) + 1" and length != 1.0:
                continue  # a sum of a length and a number is another one in other units
            factor = lengths.get(name, 1.0 if "time" in name or "first" in name else length)
            tolerance = 2e-5 if name in COARSE else 1e-8
            assert x == pytest.approx(exact * factor, rel=tolerance, abs=tolerance * factor), name


def test_integrals_are_of_second_order() -> None:
    exact = closed_form(4.0, 1.0, 0.3, UNTIL)["rms(S)"]
    errors = []
    for count in (50, 100):
        found = oscillator().study({"k": [4.0]}, "rms(S)", until=UNTIL, output_step=UNTIL / count, rtol=1e-11, atol=1e-13)
        errors.append(abs(found.outputs[0, 0] - exact))
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)


def test_extremes_between_the_instants_are_those_of_the_motion() -> None:
    asked = ["max(abs(S.rate))", "time of max abs(S.rate)"]
    coarse = {"until": UNTIL, "output_step": UNTIL / 20, "rtol": 1e-11, "atol": 1e-13}
    refined = oscillator().study({"k": [4.0]}, asked, **coarse).outputs[0]
    plain = oscillator().study({"k": [4.0]}, asked, refine=False, **coarse).outputs[0]
    assert refined == pytest.approx([0.6, math.pi / 4], rel=1e-7)
    assert abs(plain[0] - 0.6) > 1e-4, "on the instants alone the peak is missed"


def test_the_largest_of_several_peaks() -> None:
    """The highest instant is not beside the highest peak."""
    def f(t: np.ndarray) -> np.ndarray:
        return np.exp(-(((t - 0.3) / 0.1) ** 2)) + 1.02 * np.exp(-(((t - 0.75) / 0.04) ** 2))

    for direction in (1, -1):
        t = np.linspace(0, 1, 31)[::direction]
        assert abs(t[np.argmax(f(t))] - 0.3) < 0.02
        when, size = largest(t, f(t), f)
        assert when == pytest.approx(0.75, abs=1e-5) and size == pytest.approx(1.02, abs=1e-7)


@pytest.mark.parametrize("place", [0.0, 0.013, 0.1, 0.15, 0.16, 0.999, 1.0])
def test_a_peak_anywhere_between_instants_of_any_spacing(place: float) -> None:
    def f(t: np.ndarray) -> np.ndarray:
        return np.cos(2 * (t - place)) + 3.0

    for t in (np.linspace(0, 1, 11), np.append(np.arange(0, 1, 0.3), 1.0), np.linspace(0, 1, 8)[::-1], np.array([0.0, 1.0])):
        when, size = largest(t, f(t), f)
        assert size == pytest.approx(4.0, abs=1e-9) and when == pytest.approx(place, abs=3e-5)


def test_members_do_not_know_each_other() -> None:
    """Peaks of many members at once, at the ends, between and none at all, are those of each alone."""
    t = np.array([np.linspace(0, 1 + 0.1 * k, 11) for k in range(6)])
    centers = np.array([-0.2, 0.0, 0.333, 0.51, 1.38, 2.0])

    def f(which: np.ndarray, times: np.ndarray) -> np.ndarray:
        return np.cos(2 * (times - centers[which][:, None]))

    values = f(np.arange(6), t)
    values[4, 3] = np.nan
    when, size = largest_of_all(t, values, f)
    for k in range(6):
        alone = largest_of_all(t[k : k + 1], values[k : k + 1], lambda _, times, k=k: f(np.array([k]), times))
        assert np.array_equal([when[k], size[k]], [alone[0][0], alone[1][0]], equal_nan=True)
    assert np.isnan(size[4]), "a quantity that is no number at one instant has no largest value"
    np.testing.assert_allclose(when[:4], [0.0, 0.0, 0.333, 0.51], atol=3e-5)


def test_a_corner_and_a_constant_have_their_largest_value() -> None:
    t = np.linspace(0, 1, 11)
    when, size = largest(t, -np.abs(t - 0.437), lambda x: -np.abs(x - 0.437))
    assert size == pytest.approx(0.0, abs=2e-3) and when == pytest.approx(0.437, abs=2e-3)
    assert largest(t, np.full(11, 2.0), lambda x: np.full(len(x), 2.0))[1] == 2.0
    assert largest(t[:1], np.array([3.0]), None) == (0.0, 3.0)
    assert math.isnan(largest(t, np.full(11, np.nan), None)[1])


def test_units() -> None:
    force = "norm(A.reaction.force)"
    asked = [f"max({force})", f"integral({force})", "time of max O1", "rms(O1.rate)", "final(O1)/l0"]
    found = swing().study({"l0": [1.9]}, asked, until=0.05)
    assert found.about.units == ("N", "kg·m/s", "s", "rad/s", ""), "nobody knows the unit of a parameter"
    small = oscillator(scale=(1e3, 1e3)).study({"k": [4e3]}, ["max(S)", "max(spring.effort)"], until=0.1)
    assert small.about.units[0] == "mm"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("final slider.x", "final(slider.x)"),
        ("final slider.x / 2", "final(slider.x) / 2"),
        ("max norm(A.reaction.force) - min norm(B.x)", "max(norm(A.reaction.force)) - min(norm(B.x))"),
        ("time of max slider.x", "time_of_max(slider.x)"),
        ("time  of min (a + b)", "time_of_min (a + b)"),
        ("max(mean x, 2)", "max(mean(x), 2)"),
        ("at(0.5, final.x)", "at(0.5, final.x)"),
        ("max abs(x - mean x)", "max(abs(x - mean(x)))"),
    ],
)
def test_words_before_names(text: str, meant: str) -> None:
    assert with_parentheses(text) == meant


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("slider.x", 'unknown name "slider.x"'),
        ("block.x", '"block.x" is no number but a value over time; say which value of it: max(block.x), final(block.x)'),
        ("block.com", "no number but a vector over time; say which value of it: max(norm(block.com))"),
        ("max(block.com)", "it is a vector; take its norm"),
        ("max(blok.x)", 'did you mean "block"?'),
        ("first(midle)", 'there is no event "midle"; did you mean "middle"? Events are middle.'),
        ("at(5, S)", "t = 5 is outside of the motion; it goes from 0 to 1"),
        ("final(S)*pair.z", 'parameter "pair" is a vector of 2; it has pair.x, pair.y'),
        ("max(S*k.x)", 'parameter "k" is a number'),
        ("final(S)*pair", "it is a vector"),
        ("at(S, S)", "the time of at(time, …) is no number"),
        ("at(S)", "at takes 2 arguments, not 1"),
        ("final(S, 2)", "final takes 1 argument, not 2"),
        ("max()", "max takes 1 argument, not 0"),
        ("final(S) +", "the formula ends too early"),
        ("maximum(S)", 'unknown function "maximum"'),
        ("final(q.effort)", 'unknown name "q"'),
        ("", "is no output"),
        (3, "is no output"),
    ],
)
def test_what_is_no_output(output: object, said: str) -> None:
    with pytest.raises(mb.ModelError) as caught:
        oscillator().study({"k": (1, 2)}, [output], until=1, samples=2)
    assert said in str(caught.value)


def test_outputs_of_other_analyses() -> None:
    crank = mb.load("slider-crank")
    with pytest.raises(mb.ModelError, match="kinematics knows no forces"):
        crank.study({"l2": [0.1]}, "max(A.reaction.force.x)", analysis="kinematics", until=0.01)
    state = crank.study({"l2": [0.1, 0.15]}, ["slider.x", "slider.x/l2"], analysis="assemble", t=0.0)
    assert state["slider.x"].values == pytest.approx([0.45, 0.5], abs=1e-12)
    for outputs in ({}, [], None, 5, ["final(l2)", "final(l2)"], {"a": 3}, {3: "final(l2)"}):
        with pytest.raises(mb.ModelError):
            crank.study({"l2": [0.1]}, outputs, analysis="assemble")
