"""Members whose numbers no body, joint or force can have, executors that take nothing any more, certificates as outputs."""

from __future__ import annotations

import math
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.study.members import DONE, FAILED


def double() -> mb.Model:
    """Return two links, the first against a stop, with parameters for what must not be negative."""
    m = mb.Model("p", dimension=2, gravity=(0, -9.81))
    inertia, mass, low, k = m.parameter("I", 0.1), m.parameter("M", 1.0), m.parameter("lo", -0.2), m.parameter("k", 1e3)
    b = m.body("b", mass=mass, inertia=inertia, com=(0.5, 0), frames={"e": (1, 0)})
    m.body("b2", mass=1, inertia=0.1)
    m.revolute("O", m.ground, b)
    m.revolute("Q", b["e"], "b2")
    m.stop("st", "O", lower=low, upper=0.5, stiffness=k, damping=1)
    m.initial({"O": 0.3, "Q": 0.1})
    return m


@pytest.mark.parametrize(
    ("key", "bad", "good", "said"),
    [
        ("M", -0.1, 1.1, "its mass is negative"), ("I", -0.05, 0.2, "its inertia is negative"),
        ("lo", 0.6, -0.1, "is not below its upper limit"), ("k", -1.0, 900.0, "is not positive"),
    ],
)  # fmt: skip
def test_numbers_that_there_cannot_be_are_refused(key: str, bad: float, good: float, said: str) -> None:
    m = double()
    for _ in range(2):  # tables are kept after the first study
        study = m.study({key: [bad, good, bad, good]}, "final(O)", until=0.1)
        assert study.codes.tolist() == [FAILED, DONE, FAILED, DONE]
        assert all(said in study.messages[k] for k in (0, 2))
        assert np.all(np.isfinite(study.outputs[[1, 3]]))
    with pytest.raises(mb.ModelError, match=said):
        m.set(**{key: bad}).run(0.1)


def test_moments_that_no_body_has_are_refused() -> None:
    m = mb.Model("q", dimension=3, gravity=(0, 0, -9.81))
    a, density = m.parameter("A", 0.1), m.parameter("D", 1000.0)
    b = m.body("b", shape={"cylinder": [(0, 0, 0), (1, 0, 0)], "radius": 0.05, "density": density})
    c = m.body("c", mass=1, inertia=(a, 0.1, 0.1))
    m.revolute("O", m.ground, b, axis=(0, 1, 0))
    m.revolute("P", b, c, axis=(0, 1, 0))
    m.initial({"O": 0.1})
    assert "no body has the principal moments" in m.study({"A": [5.0, 0.1, 0.2, 0.15]}, "final(O)", until=0.05).messages[0]
    assert "its mass is negative" in m.study({"D": [-1000.0, 1000.0, 900.0, 800.0]}, "final(O)", until=0.05).messages[0]


def bushing(entries: str) -> mb.Model:
    """Return a rod in a bushing, whose stiffness couples two directions by a formula of p."""
    m = mb.Model("b", dimension=3)
    m.parameter("p", 0.5)
    m.body("rod", mass=1, inertia=(1, 1, 1))
    m.revolute("A", "ground", "rod", axis=(0, 0, 1))
    above, below = entries.split(",")
    rest = [[float(i == j) for j in range(6)] for i in range(2, 6)]
    m.bushing("f", "ground", "rod", stiffness=[[1, above, 0, 0, 0, 0], [below, 1, 0, 0, 0, 0], *rest])
    return m


def shaft() -> mb.Model:
    """Return a universal joint whose axes are perpendicular where p is 0.5."""
    m = mb.Model("u", dimension=3)
    m.parameter("p", 0.5)
    m.body("a", mass=1, inertia=(1, 1, 1))
    m.body("b", mass=1, inertia=(1, 1, 1), at=(1, 0, 0))
    m.revolute("A", "ground", "a", axis=(1, 0, 0))
    m.universal("U", "a", "b", at=(1, 0, 0), axes=((1, 0, 0), ("p - 0.5", 1, 0)))
    return m


@pytest.mark.parametrize(
    ("made", "bad", "said"),
    [
        (lambda: bushing("p,p"), 2.0, "negative eigenvalue"), (lambda: bushing("p,0.5"), 0.6, "not symmetric"),
        (shaft, 0.501, "not perpendicular"), (shaft, 0.5 - 1e-8, "not perpendicular"),
    ],
)  # fmt: skip
def test_conditions_between_several_numbers_are_kept(made: Any, bad: float, said: str) -> None:
    """Whether or not the model was analyzed before its parameter changed."""
    m = made()
    assert m.run(0.01).ok
    for model in (m, made()):
        with pytest.raises(mb.ModelError, match=said):
            model.set(p=bad).run(0.01)
    study = m.study({"p": [0.5, bad, 0.5 + 1e-12, bad, 0.5]}, "final(A)", until=0.01)
    assert study.codes.tolist() == [DONE, FAILED, DONE, FAILED, DONE]
    assert said in study.messages[1] and study.statistics["compiled"] == 3


def point_mass_loop() -> mb.Model:
    """Return a four-bar whose coupler is a point mass at its pin: no direction of its own has an inertia."""
    m = mb.Model("fb", dimension=2, gravity=(0, -9.81))
    mass = m.parameter("M", 1.0)
    m.body("a", mass=1, inertia=0.1, com=(0.25, 0), frames={"e": (0.5, 0)})
    m.body("b", mass=mass, inertia=0, frames={"e": (1.5, 0)})
    m.body("d", mass=1, inertia=0.1, com=(0.4, 0), frames={"e": (0.8, 0)})
    m.frames(q=(1.4, 0))
    m.revolute("O", m.ground, "a")
    m.revolute("P", "a.e", "b")
    m.revolute("Q", "b.e", "d.e")
    m.revolute("R", "ground.q", "d")
    m.initial({"O": 1.0, "O.rate": 3.0}, guess={"b.angle": 0.2, "d.angle": 1.5})
    return m


def test_what_rounding_leaves_of_no_inertia_is_none() -> None:
    """For some masses the inertia of the coupler about its pin was 1e-33 in place of 0, and was divided by."""
    m, masses = point_mass_loop(), np.linspace(0.1, 2.0, 20)
    found = m.study({"M": masses}, "final(O)", until=0.5, formulation="recursive")
    other = m.study({"M": masses}, "final(O)", until=0.5, formulation="augmented")
    assert found.counts["done"] == other.counts["done"] == 20
    np.testing.assert_allclose(found.outputs, other.outputs, rtol=0, atol=1e-7)


# --- executors --------------------------------------------------------------------------------------------------------
class _Odd(Executor):
    """Answers with what is no future, or with a future of nothing."""

    def __init__(self, what: str) -> None:
        self.what = what

    def submit(self, *_: Any, **__: Any) -> Any:
        if self.what == "number":
            return 3
        made: Future[None] = Future()
        made.set_result(None)
        return made


@pytest.mark.parametrize(("what", "said"), [("number", "submit returned 3"), ("none", "it answered None")])
def test_executors_that_are_none_are_named(what: str, said: str) -> None:
    with pytest.raises(mb.AnalysisError, match=said):
        mb.load("four-bar").study({"l0": (1.88, 1.92)}, "final(O1)", samples=8, until=0.1, executor=_Odd(what))


def test_an_executor_that_is_shut_down_on_the_way_keeps_what_is_computed() -> None:
    pool, calls = ThreadPoolExecutor(2), []

    def tell(done: int, count: int) -> None:
        calls.append(done)
        if len(calls) == 3:
            pool.shutdown(wait=False)

    with pytest.warns(RuntimeWarning, match="the executor broke .*another one is needed"):
        study = mb.load("four-bar").study(
            {"l0": (1.88, 1.92)}, "final(O1)", samples=80, until=0.1, chunk=5, executor=pool, progress=tell
        )
    assert 0 < study.counts["done"] < 80 and study.counts["not computed"] == 80 - study.counts["done"]
    with pytest.raises(mb.AnalysisError, match="the executor broke"):
        mb.load("four-bar").study({"l0": (1.88, 1.92)}, "final(O1)", samples=8, until=0.1, executor=pool)


# --- outputs ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["l0", "status", "message", "member"])
def test_names_that_tables_need_are_refused(name: str) -> None:
    with pytest.raises(mb.ModelError, match=f'an output cannot be called "{name}"'):
        mb.load("four-bar").study({"l0": [1.88, 1.9]}, {name: "final(O1)"}, until=0.1)


def test_extremes_of_what_is_no_number_are_none() -> None:
    study = mb.load("four-bar").study({"l0": [1.88, 1.9, 1.91, 1.92]}, ["max(sqrt(0.1 - t))", "max(O1)"], until=0.2)
    assert np.all(np.isnan(study.outputs[:, 0])) and np.all(np.isfinite(study.outputs[:, 1]))
    assert 'output "max(sqrt(0.1 - t))" is no number' in study.messages[0]


def test_a_body_may_be_called_first() -> None:
    m = mb.Model("f", dimension=2, gravity=(0, -9.81))
    m.parameter("g", 1.0)
    b = m.body("first", mass=1, inertia=0.1, com=(0.5, 0))
    m.revolute("O", m.ground, b)
    m.initial({"O": 0.2})
    study = m.study({"g": [1.0, 0.0, 2.0, 3.0]}, "final(first.x)/g", until=0.1)
    assert math.isinf(study.outputs[1, 0]) and list(study.messages) == [1]


def test_one_member_takes_no_others_along() -> None:
    n = mb.Model("q", dimension=3, gravity=(0, 0, -9.81))
    length = n.parameter("L", 1.0)
    b = n.body("b", shape={"cylinder": [(0, 0, 0), (length, 0, 0)], "radius": 0.05, "density": 1000})
    n.revolute("O", n.ground, b, axis=(0, 1, 0))
    n.initial({"O": 0.1})
    study = n.study({"L": [*np.linspace(1, 2, 40).tolist(), 0.0]}, "final(O)", until=0.1, workers=1)
    assert study.statistics["compiled"] == 40 and study.statistics["ordinary"] == 1
    assert "LinAlgError" not in study.statistics["because"]


# --- certificates -----------------------------------------------------------------------------------------------------
PROMISES = ("energy_drift", "position_violation", "velocity_violation", "velocity_violation_before_projection")


@pytest.mark.parametrize("options", [{}, {"formulation": "recursive"}, {"integrator": "rk4", "step": 0.01}])
def test_certificates_are_those_of_single_runs(options: dict[str, Any]) -> None:
    m, values = mb.load("four-bar"), [1.88, 1.9, 1.91, 1.92]
    study = m.study({"l0": values}, [f"certificate.{key}" for key in PROMISES], until=0.5, **options)
    assert study.statistics["compiled"] == 4
    for k, value in enumerate(values):
        single = m.set(l0=value).run(0.5, **options).certificate
        assert study.outputs[k].tolist() == [single[key] for key in PROMISES]


def test_a_balance_that_is_off_can_be_asked_for() -> None:
    """Fixed steps beyond what is stable: every member is done, and its energy drift says what it is worth."""
    m = mb.Model("pend", dimension=2, gravity=(0, -9.81))
    c = m.parameter("c", 1.0)
    b = m.body("b", mass=1, inertia=0.1, com=(0.5, 0))
    m.revolute("O", m.ground, b)
    m.effort("d", "O", damping=c)
    m.initial({"O": 0.3, "O.rate": 2.0})
    drift = m.study({"c": [1, 90, 98, 100]}, "certificate.energy_drift", until=1.0, integrator="rk4", step=0.01).outputs[:, 0]
    assert drift[0] < 1e-6 and np.all(drift[1:] > 1.0)


@pytest.mark.parametrize(
    ("asked", "analysis", "said"),
    [
        ("certificate.energy", "run", 'the certificate has no "energy"; did you mean "energy_drift"'),
        ("certificate.energy_drift", "kinematics", "this analysis has no certificate"),
    ],
)
def test_certificates_that_are_none(asked: str, analysis: str, said: str) -> None:
    with pytest.raises(mb.ModelError, match=said):
        mb.load("slider-crank").study({"l2": [0.14, 0.15]}, asked, analysis=analysis, until=0.1)


# --- values -----------------------------------------------------------------------------------------------------------
def test_columns_of_tables_are_values() -> None:
    pandas = pytest.importorskip("pandas")
    m, values = mb.load("four-bar"), [1.88, 1.9, 1.91, 1.92]
    expected = m.study({"l0": values}, "final(O1)", until=0.1)
    for given in (pandas.DataFrame({"l0": values})["l0"], expected.to_xarray()["l0"]):
        assert m.study({"l0": given}, "final(O1)", until=0.1).outputs.tolist() == expected.outputs.tolist()


def test_a_distribution_without_parameters_is_refused() -> None:
    from scipy import stats

    with pytest.raises(mb.ModelError, match="norm has no parameters yet"):
        mb.load("four-bar").study({"l0": stats.norm}, "final(O1)", samples=4, until=0.1)
