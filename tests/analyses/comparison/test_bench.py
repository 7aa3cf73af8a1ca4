"""Benchmark problems: their references, the verdict on a run, the matrix of combinations, and the verb."""

import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import multibody as mb
from multibody.analyses.comparison import bench as analysis
from multibody.analyses.comparison.bench import attempt
from multibody.cli.app import app
from multibody.formulations import FORMULATIONS
from multibody.integrators import INTEGRATORS
from multibody.library import find
from multibody.library.criteria import Check, Problem
from multibody.library.iftomm import PROBLEMS
from multibody.results.bench import Bench, bench

DATA = json.loads((Path(__file__).parents[2] / "data" / "library.json").read_text(encoding="utf-8"))
BY_NAME = {problem.name: problem for problem in PROBLEMS}


def patient(problem: Problem) -> Problem:
    """Return a problem without its limit of time: tests judge no times."""
    return dataclasses.replace(problem, seconds=math.inf)


def solved(problem: Problem, formulation: str = "auto", integrator: str = "auto", **parameters: Any) -> analysis.Attempt:
    """Return one attempt."""
    model = find(problem.model)(**{**problem.parameters, **parameters})
    return attempt(patient(problem), model, formulation, integrator)


# --- the references ---------------------------------------------------------------------------------------------------
def swing(angle: float, rate: float, factor: float, until: float) -> float:
    """Return the angle of θ̈ = −factor cos θ at a time, by the classical method of order 4 with a small step."""
    h = 1e-3
    for _ in range(round(until / h)):
        k = [(rate, -factor * math.cos(angle))]
        for a in (0.5, 0.5, 1.0):
            k.append((rate + a * h * k[-1][1], -factor * math.cos(angle + a * h * k[-1][0])))
        angle += h / 6 * (k[0][0] + 2 * k[1][0] + 2 * k[2][0] + k[3][0])
        rate += h / 6 * (k[0][1] + 2 * k[1][1] + 2 * k[2][1] + k[3][1])
    return angle


@pytest.mark.parametrize("name", ["pendulum", "n-four-bar-2", "n-four-bar-40"])
def test_references_with_one_coordinate_agree_with_their_equation(name: str) -> None:
    problem = BY_NAME[name]
    n = problem.parameters.get("n", 0)
    start = (math.pi / 2, -1.0, 9.81 * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)) if n else (math.pi, 0.0, 9.81)
    for check in problem.checks:
        angle = swing(*start, check.time)
        expected = math.cos(angle) if check.path.endswith("x") else math.sin(angle)
        assert check.value == pytest.approx(expected, abs=1e-8)


READ: dict[str, Any] = {
    "andrews": lambda row, path: row["q"]["OFB".index(path)],
    "bricard": lambda row, path: row["P3"]["xyz".index(path[-1])],
    "flyball": lambda row, path: row[{"slide": "s", "spin": "psi"}[path]],
}


@pytest.mark.parametrize("name", READ)
def test_the_other_references_are_those_that_the_models_are_tested_with(name: str) -> None:
    problem, rows = BY_NAME[name], DATA[f"iftomm-{name}"]
    for time in {check.time for check in problem.checks}:
        here = [check for check in problem.checks if check.time == time]
        distances = [max(abs(READ[name](row, check.path) - check.value) for check in here) for row in rows]
        assert min(distances) < 1e-11


# --- the verdict ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", BY_NAME)
def test_what_is_chosen_by_default_meets_all_criteria(name: str) -> None:
    found = solved(BY_NAME[name])
    assert (found.outcome, found.error is None) == ("passed", False), found.reason
    assert set(found.errors) == {check.name for check in BY_NAME[name].checks}


def test_a_stiff_problem_is_solved_by_the_implicit_methods() -> None:
    for integrator in (name for name, kind in INTEGRATORS.items() if kind.implicit):
        found = solved(BY_NAME["flyball"], "augmented", integrator)
        assert found.outcome == "passed", found.reason
        assert found.jacobians > 0
        assert found.factorizations > found.jacobians


def test_another_model_fails() -> None:
    found = solved(BY_NAME["pendulum"], "augmented", "dop853", l=1.001)
    assert found.outcome == "failed"
    assert "bar.x at 10 is off by" in found.reason
    assert found.error == pytest.approx(max(found.errors.values()))
    assert found.error > 1e-3


def test_energy_and_violation_are_judged() -> None:
    strict = dataclasses.replace(BY_NAME["pendulum"], energy_drift=1e-13, violation=1e-16)
    found = solved(strict, "augmented", "dop853")
    assert found.outcome == "failed"
    assert "energy drift" in found.reason
    assert "position violation" in found.reason
    assert "bar" not in found.reason


def test_what_takes_too_long_is_stopped() -> None:
    problem = dataclasses.replace(BY_NAME["flyball"], seconds=0.2)
    found = attempt(problem, find(problem.model)(), "augmented", "rk4")
    assert found.outcome == "failed"
    assert found.reason.startswith("stopped at t = ")
    assert found.error is None


def test_a_run_that_is_interrupted_ends_the_benchmark(monkeypatch: pytest.MonkeyPatch) -> None:
    motion = analysis.run(find("iftomm-pendulum")(), 0.1)
    motion.status = dataclasses.replace(motion.status, success=False, message="interrupted at t = 0.1")
    monkeypatch.setattr(analysis, "run", lambda *given, **options: motion)
    with pytest.raises(KeyboardInterrupt):
        solved(BY_NAME["pendulum"])


def test_a_combination_that_does_not_exist_is_refused_with_the_reason() -> None:
    found = bench(problems=["pendulum"], formulations=["baumgarte"], integrators=["bdf", "dop853"], repeats=1)
    refused, passed = found.rows
    assert (refused.outcome, passed.outcome) == ("refused", "passed")
    assert "baumgarte" in refused.reason
    assert found.cells(refused)[2:-1] == ["–"] * (len(found.headings()) - 3)
    assert found.cells(refused)[-1] == "(1)"
    assert found.table().endswith(f"(1) {refused.reason}")
    assert found.ok


# --- the matrix -------------------------------------------------------------------------------------------------------
def test_every_registered_method_takes_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "attempt", lambda p, m, f, i, r: analysis.Attempt(p.name, f, i, "passed"))
    found = mb.bench("iftomm")
    pairs = {(f, i) for f in FORMULATIONS for i in INTEGRATORS} | {("auto", "auto")}
    for problem in PROBLEMS:
        assert {(row.formulation, row.integrator) for row in found.of(problem.name)} == pairs
    assert len(found.rows) == len(PROBLEMS) * len(pairs)


def test_problems_by_name() -> None:
    chosen = analysis._chosen(PROBLEMS, ["iftomm-bricard", "n-four-bar", "andrews"])
    assert [problem.name for problem in chosen] == ["bricard", "n-four-bar-2", "n-four-bar-40", "andrews"]
    with pytest.raises(mb.ModelError, match='did you mean "andrews"'):
        analysis._chosen(PROBLEMS, ["andrew"])


def test_fixed_steps_go_by_the_order() -> None:
    problem = Problem("p", "m", 10.0, (Check("x", 1.0, 0.0, 1.0),), 1.0, 1.0, 1.0, {4: 100, 2: 1000})
    assert [problem.step(order) for order in (1, 2, 3, 4, 8)] == [0.01, 0.01, 0.01, 0.1, 0.1]


def test_a_problem_that_nothing_solves_is_named() -> None:
    row = analysis.Attempt("pendulum", "kane", "rk4", "failed", "too slow")
    found = Bench("iftomm", [BY_NAME["pendulum"]], [row])
    assert not found.ok
    assert found.plain()["status"] == {"success": False, "message": "not solved: pendulum"}
    assert repr(found) == "<Bench 'iftomm': 0 passed, 1 failed, 0 refused>"


# --- the verb ---------------------------------------------------------------------------------------------------------
def test_the_verb_prints_one_json_object() -> None:
    arguments = ["bench", "iftomm", "--problem", "pendulum", "--formulation", "augmented", "--integrator", "dop853,adams"]
    done = CliRunner().invoke(app, [*arguments, "--repeats", "1", "--json"])
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert [problem["name"] for problem in found["problems"]] == ["pendulum"]
    assert found["problems"][0]["checks"][0]["tolerance"] == BY_NAME["pendulum"].checks[0].tolerance
    assert [row["integrator"] for row in found["rows"]] == ["dop853", "adams"]
    for row in found["rows"]:
        assert row["outcome"] == "passed"
        assert row["wall_time"] > 0
        assert np.isfinite([row[key] for key in ("error", "position_violation", "velocity_violation", "energy_drift")]).all()
    assert found["status"] == {"success": True, "message": "finished"}


def test_the_verb_prints_a_table() -> None:
    arguments = ["bench", "iftomm", "--problem", "pendulum", "--formulation", "augmented", "--integrator", "dop853"]
    done = CliRunner().invoke(app, [*arguments, "--repeats", "1"])
    assert done.exit_code == 0
    for word in ("pendulum, 10 s", "error", "factored", "dop853", "passed"):
        assert word in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["iftom"], 'no benchmark suite "iftom"; did you mean "iftomm"'),
        (["iftomm", "--problem", "pendulums"], 'no problem "pendulums"; did you mean "pendulum"'),
        (["iftomm", "--integrator", "bfd"], 'unknown integrator "bfd"'),
        (["iftomm", "--formulation", "cane"], 'unknown formulation "cane"'),
        (["iftomm", "--repeats", "0"], "0 repeats"),
    ],
)
def test_bad_input(arguments: list[str], words: str) -> None:
    done = CliRunner().invoke(app, ["bench", *arguments])
    assert done.exit_code == 2
    assert words in done.stderr
