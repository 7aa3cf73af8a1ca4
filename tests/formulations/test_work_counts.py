"""How much work the formulations need: Tables 1 to 3 of Park, Yoo, Hwang, Bae 1997 in kind.

The paper integrates with an Adams method of variable order (DE of Shampine and Gordon) and counts evaluations: Kane's method
and coordinate partitioning need the same number, constraint stabilization two to three times as many. Its feedback is not
stated ("usually 1 to 10").
"""

from __future__ import annotations

import pytest

import multibody as mb
from analyses.dynamics.checks import FORMULATIONS
from analyses.dynamics.test_papers import EXAMPLE_1, EXAMPLE_2_I_GRAVITY, EXAMPLE_2_II, EXAMPLE_3_A, EXAMPLE_3_B, errors_at
from multibody.formulations import Baumgarte

# example, duration, evaluations of KANE, GCP and CS in the paper
TABLES = {
    ("double-pendulum", 5): (96, 96, 140),
    ("double-pendulum", 10): (151, 152, 283),
    ("double-pendulum", 50): (625, 607, 1313),
    ("four-bar-singular", 10): (303, 295, 699),
    ("four-bar", 10): (311, 311, 707),
    ("spatial-four-bar", 10): (210, 210, 662),
    ("spatial-four-bar-haug", 10): (210, 210, 662),
}
REFERENCES = {
    "double-pendulum": EXAMPLE_1, "four-bar-singular": EXAMPLE_2_I_GRAVITY, "four-bar": EXAMPLE_2_II,
    "spatial-four-bar": EXAMPLE_3_A, "spatial-four-bar-haug": EXAMPLE_3_B,
}  # fmt: skip


def evaluations(name: str, until: float, formulation: object, rtol: float = 1e-5) -> int:
    """Return the evaluations of a run with the paper's integrator and tolerance that comes near the exact motion."""
    run = mb.load(name).run(until=until, formulation=formulation, integrator="adams", rtol=rtol, atol=rtol)
    assert run.ok
    positions = ("angle", "O", "D", "x", "y", "z")
    reference = {
        t: {path: x for path, x in values.items() if path.split(".")[-1] in positions}
        for t, values in REFERENCES[name].items()
        if t <= until
    }
    assert max(errors_at(run, reference).values()) < 300 * rtol  # not bought with accuracy
    return int(run.statistics["rhs_evaluations"])


@pytest.mark.parametrize(("name", "until"), TABLES)
def test_kane_and_partitioning_need_the_same_work(name: str, until: float) -> None:
    kane, partitioning = (evaluations(name, until, f) for f in ("kane", "partitioning"))
    assert abs(kane - partitioning) <= 0.1 * kane
    theirs = TABLES[name, until]
    assert abs(theirs[0] - theirs[1]) <= 0.1 * theirs[0]  # as in the paper
    assert kane <= 1.35 * theirs[0]


@pytest.mark.parametrize(("name", "until"), [key for key in TABLES if not key[0].startswith("spatial")])
def test_stabilization_needs_more_work(name: str, until: float) -> None:
    kane = evaluations(name, until, "kane")
    assert evaluations(name, until, Baumgarte(5, 5)) > 1.25 * kane
    assert evaluations(name, until, Baumgarte(10, 10)) > 1.6 * kane


def test_stabilization_of_the_spatial_four_bar() -> None:
    """With Haug's geometry as in the paper; with the paper's lengths the damped motion is slower than any feedback."""
    assert evaluations("spatial-four-bar-haug", 10, Baumgarte(10, 10)) > 1.2 * evaluations("spatial-four-bar-haug", 10, "kane")
    kane, stabilized = (evaluations("spatial-four-bar", 10, f) for f in ("kane", Baumgarte(5, 5)))
    assert 0.8 * kane < stabilized < 1.2 * kane


@pytest.mark.parametrize("name", ["spatial-four-bar", "spatial-four-bar-haug"])
def test_a_loose_tolerance_saves_evaluations(name: str) -> None:
    for formulation in ("kane", "partitioning"):
        assert evaluations(name, 10, formulation, 1e-3) < 0.75 * evaluations(name, 10, formulation)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_projection_does_not_restart_the_order(formulation: str) -> None:
    run = mb.load("double-pendulum").run(until=10, formulation=formulation, integrator="adams")
    counts = run.statistics
    assert counts["mean_order"] >= 4
    assert counts["rhs_evaluations"] <= 2.2 * counts["steps"] + 10  # two a step, and few refused
    if formulation != "baumgarte":
        assert counts["projections"] > 0.5 * counts["steps"]


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_one_partition_suffices_where_nothing_is_singular(formulation: str) -> None:
    run = mb.load("spatial-four-bar").run(until=10, formulation=formulation)
    assert run.statistics["partitions"] == (1 if formulation in ("partitioning", "kane") else 0)
    singular = mb.load("four-bar-singular").run(until=10, formulation=formulation)
    assert singular.statistics["partitions"] <= 12  # two at each of the six passages at most


def test_twelve_evaluations_a_step_and_three_for_the_dense_output() -> None:
    counts = mb.load("four-bar").run(until=10).statistics
    assert counts["rhs_evaluations"] == 2 + 15 * counts["steps"] + 11 * counts["rejected"]
    counts = mb.load("four-bar").run(until=10, dense=False).statistics
    assert counts["rhs_evaluations"] == 2 + 12 * counts["steps"] + 11 * counts["rejected"]
