"""Models, states, runs and results are pickled, copied and sent to other processes, and say there what they said here."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pytest

import multibody as mb
from across.python.models import crank, elsewhere, pendulum
from multibody.analyses.comparison.bench import Attempt
from multibody.results.bench import Bench

WAYS: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda item: pickle.loads(pickle.dumps(item)), "copy": copy.copy, "deepcopy": copy.deepcopy,
}  # fmt: skip


def _bench() -> Bench:
    return Bench("iftomm", [], [Attempt("pendulum", "kane", "adams", "passed", error=0.5)])


def _compared() -> Any:
    return pendulum().compare(0.05, formulations=["augmented"], integrators=["dop853"], repeats=1)


# what it is -> how it is made, and what it says (numbers)
RESULTS: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "state": (lambda: pendulum().assemble(), lambda x: x["rod.tip.y"]),
    "run": (lambda: pendulum().run(0.5), lambda x: [x.at(0.2345)["O"], *x["O.reaction.force"].values[-1]]),
    "certificate": (lambda: pendulum().run(0.5), lambda x: x.certificate["position_violation"]),
    "recursive": (lambda: pendulum().run(0.5, formulation="recursive"), lambda x: [x.at(0.2345)["O"], x["O"].values[-1]]),
    "parametric": (lambda: pendulum().run(0.5, formulation="parametric"), lambda x: [x.at(0.2345)["O"], x["O"].values[-1]]),
    "bdf": (lambda: pendulum().run(0.2, integrator="bdf"), lambda x: [x.at(0.1234)["O"], x["O"].values[-1]]),
    "instant": (lambda: pendulum().run(0.5).at(0.2345), lambda x: [x["O.acceleration"], *x["O.reaction.force"]]),
    "event": (lambda: pendulum().run(0.8).events[0], lambda x: [x.time, *x.q]),
    "kinematics": (lambda: crank().kinematics(0.1, 4), lambda x: [*x["slider.x"].values, x.at(0.03)["slider.x"]]),
    "inverse": (lambda: crank().inverse(0.1, 4), lambda x: [*x["O"].values, *x.motion["S"].values]),
    "statics": (lambda: pendulum().statics(), lambda x: [x["O"], *x.eigenvalues]),
    "modes": (lambda: pendulum().modes(), lambda x: [*x.frequencies, *x.state_space().A.ravel()]),
    "check": (lambda: crank().check(), lambda x: x.mobility),
    "compare": (_compared, lambda x: x.rows[0].error),
    "bench": (_bench, lambda x: x.rows[0].error),
    "jacobian": (lambda: pendulum().system_jacobian(), lambda x: [*x.residual, *x.dF_dy.toarray().ravel()]),
    "balance": (lambda: pendulum().run(0.1).balance(), lambda x: x.relative),
    "relative": (lambda: crank().kinematics(0.1, 4).relative("slider", "crank"), lambda x: x.coriolis.ravel()),
    "robot": (lambda: pendulum().robot(), lambda x: x.inverse_dynamics(x.q0, np.ones(1), np.ones(1))),
    "dataset": (lambda: pendulum().run(0.1).data, lambda x: x["position"].values.ravel()),
}  # fmt: skip


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_says_the_same_after_a_journey(name: str) -> None:
    make, says = RESULTS[name]
    item = make()
    said = np.asarray(says(item), dtype=float)
    for way, go in WAYS.items():
        there = go(item)
        assert type(there) is type(item)
        np.testing.assert_array_equal(np.asarray(says(there), dtype=float), said, err_msg=way)


@pytest.mark.parametrize("way", WAYS)
def test_a_model_and_its_items(way: str) -> None:
    m = pendulum()
    m.check()
    there = WAYS[way](m)
    assert there.bodies == m.bodies and there.joints == m.joints and there.parameters == m.parameters
    there.body("other", mass=1, inertia=1)
    there.gravity = (0, 0)
    assert "other" not in m.bodies and m.gravity == (0.0, -9.81), "the copy is independent"
    for item in (m.bodies["rod"], m.joints["O"], m.forces["motor"], m.bodies["rod"]["tip"], m.parameters["l"], 2 * mb.t):
        assert WAYS[way](item) == item
    for chosen in (mb.Baumgarte(5, 5), mb.Adams(max_order=6), mb.Rk4(0.1)):
        assert WAYS[way](chosen) == chosen


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("formulation", ["augmented", "recursive"])
def test_a_simulator_goes_on_from_where_it_was(way: str, formulation: str) -> None:
    sim = pendulum().simulator(formulation=formulation)
    sim.set("motor.effort", 2.0)
    sim.step(0.1)
    there = WAYS[way](sim)
    assert (there.t, there["O"], there["O.rate"], there["motor.effort"]) == (sim.t, sim["O"], sim["O.rate"], 2.0)
    before = sim["O"]
    there.step(0.1)
    assert sim["O"] == before, "the copy moves alone"
    assert there["O"] == pytest.approx(sim.step(0.1)["O"], abs=1e-8)


def test_errors_arrive_whole() -> None:
    with pytest.raises(mb.ModelError) as caught:
        pendulum().revolute("A")  # type: ignore[call-arg]
    there = pickle.loads(pickle.dumps(caught.value))
    assert str(there) == str(caught.value) and isinstance(there, mb.ModelError)


METHODS: tuple[dict[str, Any], ...] = (
    {"formulation": "recursive"}, {"formulation": "parametric"}, {"formulation": "kane"}, {"integrator": "bdf"},
    {"formulation": "recursive", "integrator": "radau"}, {"formulation": "parametric", "integrator": "bdf"},
)  # fmt: skip


def test_another_process_gives_the_same() -> None:
    """A fresh interpreter (spawn): addresses of compiled functions are found anew there."""
    m = pendulum()
    runs, state = [m.run(0.3, **method) for method in METHODS], m.assemble({"O": 0.7})
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        there = pool.submit(elsewhere, m, runs, state).result(timeout=300)
    assert there["between"] == [run.at(0.2345)["O"] for run in runs]
    np.testing.assert_array_equal(there["force"], [run["O.reaction.force"].values[-1] for run in runs])
    here = m.run(0.2, initial=state, formulation="recursive")
    np.testing.assert_array_equal(there["run"]["O"].values, here["O"].values)
    assert there["run"].at(0.1234)["O"] == here.at(0.1234)["O"]
    assert there["going on"] == m.run(0.4, initial=runs[0].final)["O"].values[-1]
