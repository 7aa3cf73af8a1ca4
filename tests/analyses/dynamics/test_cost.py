"""What `auto` chooses: by the operations of an evaluation, never far from the cheapest."""

import warnings

import numpy as np
import pytest

import multibody as mb
from multibody.analyses.dynamics.choice import GAIN, choose
from multibody.analyses.dynamics.cost import Structure, evaluation_costs, structure_of
from multibody.library import names
from multibody.state.system import tables_of
from tool_arms import arm


def chosen(model: mb.Model) -> tuple[str, dict[str, float]]:
    """Return what auto takes and what each formulation costs."""
    tables = tables_of(model)
    return choose(tables, None, None).formulation.name, evaluation_costs(structure_of(tables))


@pytest.mark.parametrize(("n", "tools"), [(7, 0), (12, 1), (24, 1), (24, 24), (48, 24)])
def test_trees_with_massless_tools_go_to_joint_coordinates(n: int, tools: int) -> None:
    name, costs = chosen(arm(n, tools))
    assert name == "articulated"
    plain = chosen(arm(n))[1]
    assert costs["augmented"] < 1.05 * plain["augmented"]  # a weld adds no equation
    assert costs["articulated"] < plain["articulated"] * (1 + tools / n) + 0.1


def test_runs_of_such_trees_evaluate_what_they_say() -> None:
    run = arm(24, 24).run(0.02)
    assert run.statistics["formulation"] == "articulated" and "without a closed loop" in run.statistics["choice"]
    other = arm(24, 24).run(0.02, formulation="augmented")
    np.testing.assert_allclose(run["t23.z"].values, other["t23.z"].values, atol=1e-7)
    np.testing.assert_allclose(run["f3.reaction.force"].values, 0.0, atol=1e-9)


def test_no_library_model_gets_three_times_the_cheapest() -> None:
    """Cost of an evaluation times the evaluations that a run takes, in each formulation that auto chooses from."""
    done = 0
    for name in names():
        model = mb.load(name)
        if "until" not in model.defaults.get("run", {}):
            continue
        taken, costs = chosen(model)
        assert costs[taken] <= GAIN * min(costs.values()), name
        work = {}
        for formulation, cost in costs.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    run = mb.load(name).run(0.05, formulation=formulation, integrator="dop853", rtol=1e-6, atol=1e-8)
                except mb.ModelError:
                    continue
            work[formulation] = cost * run.statistics.get("rhs_evaluations", 0)
        assert work[taken] <= 3.0 * min(work.values()), (name, taken, work)
        done += bool(work[taken])
    assert done >= 15


def test_costs_follow_the_operations() -> None:
    """Sparse rows are linear, full matrices cubic; loops make joint coordinates cubic, an open tree leaves them linear."""
    rows = [evaluation_costs(structure_of(tables_of(mb.load("iftomm-n-four-bar", n=n))))["augmented"] for n in (40, 80)]
    assert rows[1] < 2.1 * rows[0]
    full = [evaluation_costs(Structure(3, n, n, 0.0, False, n // 6, n // 6, 0, 0, False))["augmented"] for n in (120, 240)]
    assert full[1] > 7.0 * full[0]
    tree = [evaluation_costs(structure_of(tables_of(mb.load("chain", n=n))))["articulated"] for n in (40, 80)]
    assert tree[1] < 2.1 * tree[0]


def test_massless_links_between_loops_take_the_cheaper_way() -> None:
    name, costs = chosen(mb.load("tilted-four-bar"))
    assert name == "recursive" and costs["augmented"] > 3.0 * costs["recursive"]


def test_what_the_choice_does_not_take_gives_way() -> None:
    """The last link of this chain turns without inertia: articulated cannot move it, augmented says why nothing can."""
    m = arm(6)
    m.body("pin", mass=0.0, inertia=(0.0, 0.0, 0.0))
    m.revolute("last", "b5.end", "pin", axis=(0, 0, 1))
    m.effort("spring", "last", stiffness=1.0)
    with pytest.raises(mb.ModelError, match="no inertia"):
        m.run(0.01)


def test_a_model_without_masses_is_refused_by_name() -> None:
    m = mb.Model("bare")
    m.body("a")
    m.body("b")
    m.fixed("W", "a", "b")
    m.revolute("O", m.ground, "a")
    with pytest.raises(mb.ModelError, match="mass"):
        m.run(0.01)
