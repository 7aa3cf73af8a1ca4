"""What a study decides for all members does not depend on which of them comes first; what it is told is taken at its word."""

from __future__ import annotations

import gc
import pathlib
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.errors import ModelError
from oracles import oracle
from study.models import oscillator, swing

LENGTHS = [1.9, 1.91, 1.92, 1.93, 1.94]
REFUSED: dict[str, dict[str, Any]] = {  # of the first member alone
    "no time": {"until": "if(l0 > 1.9, 0.05, 0)"}, "an endless one": {"until": "0.001/(l0 - 1.9)"},
    "none": {"until": "0.2*sqrt(l0 - 1.905)"}, "output step": {"until": 0.05, "output_step": "if(l0 > 1.9, 0.01, 0)"},
    "tolerance": {"until": 0.05, "rtol": "if(l0 > 1.9, 1e-6, 0)"},
    "start": {"analysis": "kinematics", "start": "1e-5/(l2 - 0.15)", "until": 0.04, "steps": 3},
    "effort": {"analysis": "inverse", "until": "1e-5/(l2 - 0.15)", "steps": 3},
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_first_member_that_is_refused_costs_no_other(name: str) -> None:
    told, key, values = REFUSED[name], "l0", LENGTHS
    if "analysis" in told:
        key, values = "l2", [0.15, 0.151, 0.152, 0.153, 0.154]
    model = swing() if key == "l0" else mb.load("slider-crank")
    found, turned = (model.study({key: x}, "final A", **told) for x in (values, values[::-1]))
    assert found.states == ["failed", *["done"] * 4] and turned.states == found.states[::-1], found.messages
    np.testing.assert_array_equal(found.outputs, turned.outputs[::-1])
    assert found.messages[0] == turned.messages[4]


def test_a_first_member_that_does_not_serve_leaves_the_others_to_compiled_loops() -> None:
    model = mb.load("pendulum")
    for masses in ([0.0, 1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0, 0.0]):
        found = model.study({"m": masses}, "final O", until=0.1)
        assert found.statistics["compiled"] == 4 and found.statistics["ordinary"] == 1, found.statistics
    jump = mb.load("screw-press").study({"time": [0, 1, 2, 3, 4]}, "final nut", until=0.5).statistics
    assert jump == {"compiled": 4, "ordinary": 1, "because": {"a motion that jumps": 1}}


@pytest.mark.parametrize("name", ["member", "status", "message"])
def test_columns_of_tables_are_no_parameters(name: str) -> None:
    model = mb.load("pendulum")
    model.parameter(name, 1.0)
    with pytest.raises(ModelError, match=f'study.{name}: a parameter called "{name}" cannot be varied'):
        model.study({name: [10, 20]}, "final O", until=0.1)


def test_the_unit_of_a_parameter_is_not_known() -> None:
    asked = ["final(S)*k", "final(S)/k", "final(S) + m", "2*final(S)", "final(S)^2", "k*m"]
    assert oscillator().study({"k": [4.0]}, asked, until=0.1).about.units == ("", "", "m", "m", "m²", "")


@pytest.mark.parametrize(("low", "high"), [(6.9, 9.0), (6.5, 8.0), (2.0, 3.0), (-1.0, 1.0), (-8.0, -6.5), (3.0, np.inf)])
def test_cut_normal_distributions_on_both_sides(low: float, high: float) -> None:
    from scipy.stats import truncnorm

    u = np.linspace(0.01, 0.99, 41)
    limits = {key: value for key, value in (("low", low), ("high", high)) if np.isfinite(value)}
    expected = truncnorm(low, high, loc=0.0, scale=1.0).ppf(u)
    np.testing.assert_allclose(mb.normal(0, 1, **limits).ppf(u), expected, rtol=1e-11, atol=1e-12)
    other = mb.normal(5, 2, **{key: 5 + 2 * x for key, x in limits.items()})
    np.testing.assert_allclose(other.ppf(u), 5 + 2 * expected, rtol=1e-11)


def test_threads_that_are_given_count_what_they_compute() -> None:
    with ThreadPoolExecutor(2) as pool:
        found = swing().study({"l0": (1.88, 1.92)}, "final O1", samples=12, until=0.05, executor=pool, chunk=4)
    assert found.statistics["compiled"] == 12


@pytest.mark.parametrize("key", ["refine", "resume", "specialize"])
def test_words_are_no_truth_values(key: str) -> None:
    told: dict[str, Any] = {key: "no"}
    with pytest.raises(ModelError, match=f"study.{key}: {key} is 'no'; give True or False"):
        swing().study({"l0": [1.9]}, "final O1", until=0.05, **told)


WRONG: list[tuple[Any, Any, str]] = [
    ({"l0": (1, 2, float("inf"))}, "final O1", "inf points; give a whole number from 2 to 10000000"),
    ({"l0": (1, 2, 20_000_000)}, "final O1", "20000000 points"), ({1: [1]}, "final O1", "1 is no name"),
    ({"l0": [1.9]}, {3: "final O1"}, "3 is no name of an output"), ({"l0": [1.9]}, b"final O1", "b'final O1' is no output"),
    ({"l0": [1.9]}, "first(hit)", "The model has no events"),
    ({"l0": [1.9]}, ["final O1 + 1"] * 10_001, "give 10000 at most"),
]  # fmt: skip


@pytest.mark.parametrize(("varied", "asked", "said"), WRONG)
def test_what_is_at_fault_is_named(varied: Any, asked: Any, said: str) -> None:
    with pytest.raises(ModelError) as caught:
        swing().study(varied, asked, until=0.05)
    assert said in str(caught.value)


def test_a_number_in_an_array_is_a_number() -> None:
    assert swing().study({"l0": np.array(1.9)}, "final O1", until=0.05).counts["done"] == 1


def test_stores_that_cannot_be_reached(tmp_path: pathlib.Path) -> None:
    far = "x" * 300
    for ask in (lambda: swing().study({"l0": [1.9]}, "final O1", until=0.05, store=far), lambda: mb.read_study(far)):
        with pytest.raises(ModelError, match="cannot be reached"):
            ask()
    found = swing().study({"l0": LENGTHS}, "final O1", until=0.05, store=tmp_path / "s")
    for ending in ("csv", "json"):
        found.save(tmp_path / f"s.{ending}")
        with pytest.raises(ModelError, match=f"studies are not read back from .{ending} files"):
            mb.read_study(tmp_path / f"s.{ending}")
    next((tmp_path / "s").glob("chunk-*")).write_bytes(b"no chunk")
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        assert "not computed" in mb.read_study(tmp_path / "s").states
        gc.collect()


def test_clusters_without_a_connection_or_workers() -> None:
    distributed = oracle("distributed")
    with distributed.LocalCluster(n_workers=0, dashboard_address=None, processes=False) as cluster:
        client = distributed.Client(cluster)
        from multibody.study.executors import _threads_of

        with pytest.warns(RuntimeWarning, match="the cluster has no workers"):
            assert _threads_of(client) == 1
        client.close()
        with pytest.raises(ModelError, match="the Dask client is closed"):
            swing().study({"l0": LENGTHS}, "final O1", until=0.05, executor=client)
