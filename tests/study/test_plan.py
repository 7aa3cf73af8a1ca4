"""Plans: grids, lists, samples and distributions; reproducible, and refused where they make no sense."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import multibody as mb
from multibody.study.plan import make_plan, unit_samples
from study.models import oscillator


def test_a_grid_is_a_product_with_the_last_parameter_fastest() -> None:
    plan = make_plan(oscillator(), {"k": (1, 3, 3), "m": [2, "1/4*2"]})
    assert plan.method == "grid" and plan.shape == (3, 2) and plan.keys == ("k", "m")
    np.testing.assert_array_equal(plan.values, [[1, 2], [1, 0.5], [2, 2], [2, 0.5], [3, 2], [3, 0.5]])


def test_lists_go_side_by_side_and_a_number_stays() -> None:
    plan = make_plan(oscillator(), {"k": range(1, 4), "m": np.array([2.0, 3.0, 4.0]), "initial.S": 0.1}, method="zip")
    np.testing.assert_array_equal(plan.values, [[1, 2, 0.1], [2, 3, 0.1], [3, 4, 0.1]])
    with pytest.raises(mb.ModelError) as caught:
        make_plan(oscillator(), {"k": [1, 2, 3], "m": [1, 2]}, method="list")
    assert str(caught.value) == 'study.m: it has 2 values, and k has 3; give lists of one length, or use method="grid"'


@pytest.mark.parametrize("method", ["random", "sobol", "halton", "lhs"])
def test_samples_follow_their_distributions_and_their_seed(method: str) -> None:
    given = {
        "k": mb.normal(5, 0.5), "m": mb.triangular(0, 1, 4), "pair.x": (2, 6), "pair.y": stats.beta(2, 3),
        "initial.S": mb.normal(0, 1, low=0), "initial.S.rate": [1, 2, 4],
    }  # fmt: skip
    n = 2048
    plan = make_plan(oscillator(), given, samples=n, method=method, seed=3)
    assert plan.values.shape == (n, 6)
    np.testing.assert_array_equal(plan.values, make_plan(oscillator(), given, samples=n, method=method, seed=3).values)
    assert not np.array_equal(plan.values, make_plan(oscillator(), given, samples=n, method=method, seed=4).values)
    known = [stats.norm(5, 0.5), stats.triang(0.25, 0, 4), stats.uniform(2, 4), stats.beta(2, 3), stats.halfnorm()]
    for column, distribution in zip(plan.values.T, known, strict=False):
        distance = stats.kstest(column, distribution.cdf).statistic
        assert distance < (1.95 / math.sqrt(n) if method == "random" else 0.01), distribution.dist.name
    counts = np.unique(plan.values[:, 5], return_counts=True)[1]
    assert np.all(np.abs(counts - n / 3) < (100 if method == "random" else 30))


def test_a_distribution_that_is_cut_off_keeps_its_shape() -> None:
    u = unit_samples(1, 1000, "random", 0)[:, 0]
    own, known = mb.normal(2, 3, 1, 4), stats.truncnorm(-1 / 3, 2 / 3, 2, 3)
    np.testing.assert_allclose(own.ppf(u), known.ppf(u), rtol=1e-12)
    assert str(own) == "normal(2, 3, 1, 4)" and str(mb.uniform(1, 2)) == "uniform(1, 2)"


def test_a_saltelli_plan_changes_one_number_at_a_time() -> None:
    plan = make_plan(oscillator(), {"k": (0, 1), "m": (0, 1)}, samples=8, method="saltelli")
    a, b, ab1, ab2 = np.moveaxis(plan.values.reshape(8, 4, 2), 1, 0)
    np.testing.assert_array_equal(ab1, np.stack([b[:, 0], a[:, 1]], 1))
    np.testing.assert_array_equal(ab2, np.stack([a[:, 0], b[:, 1]], 1))
    assert not np.any(a == b)


NAN, INF = math.nan, math.inf
FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"parameters": {"kk": (1, 2)}}, 'unknown parameter "kk"; did you mean "k"?'),
    ({"parameters": {"initial.Q": (1, 2)}}, 'unknown name "Q"'),
    ({"parameters": {"initial.block.com.y": (1, 2), "initial.block.y": (1, 2)}}, "are one number; vary it once"),
    ({"parameters": {"initial.t": (1, 2)}}, "it is no initial value"),
    ({"parameters": {"pair": (1, 2)}}, "it is a vector; vary its components: pair.x"),
    ({"parameters": {"pair.z": (1, 2)}}, "it is a vector"),
    ({"parameters": {"k.x": (1, 2)}}, 'parameter "k" is a number'),
    ({"parameters": {}}, "nothing is varied"),
    ({"parameters": ["k"]}, "is not a mapping"),
    ({"parameters": {"k": (2, 1)}}, "the range goes from 2 to 1; give the lower limit first"),
    ({"parameters": {"k": (1, 1)}}, "the range goes from 1 to 1"),
    ({"parameters": {"k": (1, INF)}}, "inf is not a finite number"),
    ({"parameters": {"k": (1, 2, 1)}}, "1 points"),
    ({"parameters": {"k": (1, 2, 3, 4)}}, "is no range"),
    ({"parameters": {"k": []}}, "the list is empty"),
    ({"parameters": {"k": [1, NAN]}}, "nan is not a finite number"),
    ({"parameters": {"k": [[1, 2], [3, 4]]}}, "is no list of numbers"),
    ({"parameters": {"k": None}}, "None is not a finite number"),
    ({"parameters": {"k": "1 +"}}, "the formula ends too early"),
    ({"parameters": {"k": stats.norm(NAN, 1)}}, "values that are not finite; check its parameters"),
    ({"parameters": {"k": (1, 2)}, "method": "grid", "samples": None}, "a range has no values of its own for method grid"),
    ({"parameters": {"k": mb.normal(1, 2)}, "method": "list", "samples": None}, "a distribution has no values of its own"),
    ({"parameters": {"k": (1, 2)}, "samples": None}, "the number of samples is missing"),
    ({"parameters": {"k": (1, 2, 3)}, "method": "grid"}, "samples together with method grid"),
    ({"parameters": {"k": (1, 2)}, "method": "sobl"}, 'did you mean "sobol"?'),
    *(({"parameters": {"k": (1, 2)}, "samples": x}, "samples is") for x in (0, -3, 2.5, NAN, "ten", True, INF)),
    *(({"parameters": {"k": (1, 2)}, "seed": x}, "seed is") for x in (-1, 0.5, None)),
    ({"parameters": {"k": (0, 1, 9_999_999), "m": (0, 1, 9_999_999)}, "samples": None}, "the plan has 1e+14 members"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "said"), FAULTS, ids=[said[:40] for _, said in FAULTS])
def test_what_is_no_plan(given: dict[str, Any], said: str) -> None:
    with pytest.raises(mb.ModelError) as caught:
        make_plan(oscillator(), **({"samples": 4} | given))
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: mb.normal(1, 0), "sd is 0"),
        (lambda: mb.normal(NAN, 1), "mean is nan"),
        (lambda: mb.normal(0, 1, 2, 1), "low 2 is not below high 1"),
        (lambda: mb.normal(0, 1, 40, 50), "next to nothing of the distribution"),
        (lambda: mb.uniform(2, 1), "low 2 is not below high 1"),
        (lambda: mb.uniform("a", 1), "low is 'a'"),
        (lambda: mb.triangular(0, 3, 2), "0, 3, 2 do not rise"),
    ],
)
def test_what_is_no_distribution(make: Any, said: str) -> None:
    with pytest.raises(mb.ModelError) as caught:
        make()
    assert said in str(caught.value)
