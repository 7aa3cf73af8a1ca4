"""What members say together: against closed forms and against SciPy's own way to count."""

from __future__ import annotations

import math

import numpy as np
import pytest

import multibody as mb
from multibody.study.plan import make_plan
from multibody.study.sobol import sobol_indices
from study.models import ishigami, oscillator


def test_sobol_indices_of_ishigami() -> None:
    """Ishigami and Homma 1990 with a = 7, b = 0.1: the indices are known."""
    model, formula = ishigami()
    span = (-math.pi, math.pi)
    a, b = 7.0, 0.1
    plan = make_plan(model, {"x1": span, "x2": span, "x3": span}, 1024, "saltelli")
    x1, x2, x3 = plan.values.T
    values = np.sin(x1) + a * np.sin(x2) ** 2 + b * x3**4 * np.sin(x1)
    parts = {"1": 0.5 * (1 + b * math.pi**4 / 5) ** 2, "2": a**2 / 8, "13": b**2 * math.pi**8 * 8 / 225}
    whole = sum(parts.values())
    indices = sobol_indices(values.reshape(-1, 5))
    np.testing.assert_allclose(indices.first, np.array([parts["1"], parts["2"], 0.0]) / whole, atol=0.02)
    np.testing.assert_allclose(indices.total, np.array([parts["1"] + parts["13"], parts["2"], parts["13"]]) / whole, atol=0.02)
    assert np.all(indices.first_error < 0.1) and np.all(indices.total_error > 0)
    few = model.study({"x1": span, "x2": span, "x3": span}, formula, samples=16, method="saltelli", analysis="assemble")
    known = sobol_indices(few.outputs[:, 0].reshape(-1, 5), few.about.seed)
    np.testing.assert_array_equal(few.sobol(formula)[formula].total, known.total)
    x1, x2, x3 = few.values.T
    np.testing.assert_allclose(few.outputs[:, 0], np.sin(x1) + a * np.sin(x2) ** 2 + b * x3**4 * np.sin(x1), rtol=1e-12)
    text = str(few)
    assert "Sobol' indices" in text and "x3" in text


def test_indices_of_a_sum_do_not_depend_on_size_and_place() -> None:
    """Of 3x + 4y they are 9/25 and 16/25, whatever is added and however it is scaled."""
    rng = np.random.default_rng(1)
    a, b = rng.random((4096, 2)), rng.random((4096, 2))
    rows = [a, b, np.stack([b[:, 0], a[:, 1]], 1), np.stack([a[:, 0], b[:, 1]], 1)]
    for scale, shift in ((1.0, 0.0), (1e-9, 0.0), (1e6, 1e9)):
        found = sobol_indices(np.stack([shift + scale * (x @ [3.0, 4.0]) for x in rows], 1))
        np.testing.assert_allclose(found.first, [0.36, 0.64], atol=0.03)
        np.testing.assert_allclose(found.total, [0.36, 0.64], atol=0.03)


def test_indices_leave_out_what_has_no_value_and_say_where_nothing_varies() -> None:
    values = np.random.default_rng(0).random((50, 4))
    values[3, 2] = np.nan
    assert sobol_indices(values).count == 49
    assert np.all(np.isnan(sobol_indices(np.ones((50, 4))).first))
    with pytest.raises(mb.ModelError, match="gives no Sobol' indices"):
        oscillator().study({"k": [1.0]}, "final S", until=0.1).sobol()


def test_means_and_percentiles_of_an_amplitude() -> None:
    """The amplitude is the initial value: its spread is that of the plan."""
    found = oscillator().study({"initial.S": mb.normal(0.3, 0.01)}, {"top": "max(S)"}, samples=128, until=0.1)
    assert found.mean("top") == pytest.approx(0.3, abs=1e-4) and found.sd("top") == pytest.approx(0.01, rel=0.05)
    parts = found.percentiles("top", [5, 50, 95])
    assert parts[95.0] - parts[5.0] == pytest.approx(2 * 1.6449 * 0.01, rel=0.05)
    np.testing.assert_allclose(found["top"].values, found["initial.S"].values, rtol=1e-14)
    row = found.summary().rows[0]
    assert row[:3] == ["top", "m", "128"]
    for wrong in (101, [-1], "x", []):
        with pytest.raises(mb.ModelError, match="no percentages"):
            found.percentiles("top", wrong)  # type: ignore[arg-type]
    with pytest.raises(mb.ModelError, match='did you mean "top"'):
        found.mean("topp")
