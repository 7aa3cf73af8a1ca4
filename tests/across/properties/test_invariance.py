"""What must not matter: the order of bodies and joints, units, a motion of the whole drawing, which end is first."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from across.properties.strategies import (
    LENGTHS,
    Floats,
    Mechanism,
    driven,
    examples,
    random_turn,
    seeds,
    single_loops,
    trees,
)
from multibody.analyses.check.check import check

LINKS = ("revolute", "translational", "fixed")
CHAIN = ("revolute", "translational", "cylindrical", "screw", "universal", "spherical", "planar", "fixed")
LOOPS = [pytest.param(2, LINKS, 4, 5, id="planar"), pytest.param(3, CHAIN, 7, 8, id="spatial")]


def driven_loop(mechanism: Mechanism, seed: int) -> Mechanism:
    """Return the mechanism with motions; examples that motions cannot drive well are passed over."""
    moved = driven(mechanism, np.random.default_rng(seed))
    assume(moved is not None)
    assert moved is not None
    return moved


def coordinates(mechanism: Mechanism) -> list[tuple[str, bool]]:
    """Return the paths of all scalar joint coordinates, and which are lengths."""
    return [(f"{j.name}.{item}", item in LENGTHS) for j in mechanism.joints for item in j.drawn]


def table(run: Any, paths: list[str]) -> Floats:
    """Return values, rates and accelerations of paths over time."""
    read = run.measurer  # the labels that run[path] adds cost more than the numbers
    return np.array([[read(path + suffix).values for path in paths] for suffix in ("", ".rate", ".acceleration")])


def points(mechanism: Mechanism) -> list[str]:
    """Return paths of points of all bodies."""
    axes = "xyz"[: mechanism.dimension]
    return [f"{b.name}.{place}{axis}" for b in mechanism.bodies for place in ("", "Q.") for axis in axes]


def close(found: Floats, expected: Floats, tolerance: float) -> None:
    """Check three orders, each relative to its largest number (at least 1)."""
    for order in range(len(expected)):
        scale = max(1.0, float(np.max(np.abs(expected[order]), initial=0.0)))
        assert np.max(np.abs(found[order] - expected[order]), initial=0.0) < tolerance * scale


@pytest.mark.parametrize(("dimension", "kinds", "low", "high"), LOOPS)
def test_order_does_not_matter(dimension: int, kinds: tuple[str, ...], low: int, high: int) -> None:
    @examples(12)
    @given(single_loops(dimension, kinds, low, high), seeds)
    def holds(mechanism: Mechanism, seed: int) -> None:
        mechanism = driven_loop(mechanism, seed)
        rng = np.random.default_rng(seed)
        other = mechanism.reordered(rng.permutation(len(mechanism.bodies)), rng.permutation(len(mechanism.joints)))
        assert check(other.model()).mobility == check(mechanism.model()).mobility
        paths = [path for path, _ in coordinates(mechanism)] + points(mechanism)
        runs = [m.model().kinematics(until=3.0, steps=15) for m in (mechanism, other)]
        assert all(run.ok for run in runs)
        close(table(runs[1], paths), table(runs[0], paths), 1e-9)

    holds()


@pytest.mark.parametrize("dimension", [2, 3])
def test_order_does_not_matter_to_a_tree(dimension: int) -> None:
    @examples(25)
    @given(trees(dimension), seeds)
    def holds(mechanism: Mechanism, seed: int) -> None:
        rng = np.random.default_rng(seed)
        other = mechanism.reordered(rng.permutation(len(mechanism.bodies)), rng.permutation(len(mechanism.joints)))
        states = [m.model().assemble() for m in (mechanism, other)]
        assert all(state.ok for state in states)
        for path in [path for path, _ in coordinates(mechanism)] + points(mechanism):
            assert states[1][path] == pytest.approx(states[0][path], abs=1e-12)
        assert check(other.model()).mobility == mechanism.freedom

    holds()


@pytest.mark.parametrize(("dimension", "kinds", "low", "high"), LOOPS)
@pytest.mark.parametrize(("unit", "scale"), [("mm", 1e3), ("km", 1e-3)])
def test_units_do_not_matter(dimension: int, kinds: tuple[str, ...], low: int, high: int, unit: str, scale: float) -> None:
    @examples(8)
    @given(single_loops(dimension, kinds, low, high), seeds)
    def holds(mechanism: Mechanism, seed: int) -> None:
        mechanism = driven_loop(mechanism, seed)
        models = [mechanism.model(), mechanism.model(scale, {"length": unit})]
        states = [model.assemble() for model in models]
        assert states[0].branch == states[1].branch
        assert abs(len(states[0].history) - len(states[1].history)) <= 1
        runs = [model.kinematics(until=3.0, steps=15) for model in models]
        assert all(run.ok for run in runs)
        iterations = [run.statistics["newton_iterations"] for run in runs]
        assert abs(iterations[0] - iterations[1]) <= 1
        assert runs[1].statistics["steps"] == runs[0].statistics["steps"]
        paths = coordinates(mechanism) + [(path, True) for path in points(mechanism)]
        factor = np.array([scale if is_length else 1.0 for _, is_length in paths])
        names = [path for path, _ in paths]
        close(table(runs[1], names) / factor[:, None], table(runs[0], names), 1e-10)
        for key in ("position_violation", "velocity_violation"):  # free of units
            assert runs[1].certificate[key] < 1e-12
        low_value, other = (run.certificate["smallest_singular_value"] for run in runs)
        assert other == pytest.approx(low_value, rel=1e-6)
        assert runs[1][points(mechanism)[0]].attrs["unit"] == unit

    holds()


@pytest.mark.parametrize(("dimension", "kinds", "low", "high"), LOOPS)
def test_units_do_not_matter_to_assembly(dimension: int, kinds: tuple[str, ...], low: int, high: int) -> None:
    """A loop that must be closed anew at another value of a coordinate: the same steps, the same pose."""

    @examples(10)
    @given(single_loops(dimension, kinds, low, high), seeds)
    def holds(mechanism: Mechanism, seed: int) -> None:
        motion = driven_loop(mechanism, seed).motions[0]
        states = []
        for scale, unit in ((1.0, "m"), (1e3, "mm"), (1e-3, "km")):
            model = mechanism.model(scale, {"length": unit})
            model.initial({motion.coordinate: (motion.value + 0.1) * (scale if motion.is_length else 1.0)})
            states.append((scale, model.assemble()))
        first = states[0][1]
        for scale, state in states:
            assert state.ok == first.ok
            assert state.branch == first.branch
            assert abs(len(state.history) - len(first.history)) <= 1
            for path, is_length in coordinates(mechanism) + [(path, True) for path in points(mechanism)]:
                factor = scale if is_length else 1.0
                assert state[path] / factor == pytest.approx(first[path], abs=1e-8)

    holds()


@pytest.mark.parametrize(("dimension", "kinds", "low", "high"), LOOPS)
def test_a_motion_of_the_whole_drawing_does_not_matter(dimension: int, kinds: tuple[str, ...], low: int, high: int) -> None:
    @examples(15)
    @given(single_loops(dimension, kinds, low, high), seeds)
    def holds(mechanism: Mechanism, seed: int) -> None:
        mechanism = driven_loop(mechanism, seed)
        rng = np.random.default_rng(seed + 1)
        shift, turn = 5.0 * rng.normal(size=dimension), random_turn(rng, dimension)
        runs = [m.model().kinematics(until=3.0, steps=15) for m in (mechanism, mechanism.moved(shift, turn))]
        assert all(run.ok for run in runs)
        paths = [path for path, _ in coordinates(mechanism) if not _in_place_planar(mechanism, path)]
        close(table(runs[1], paths), table(runs[0], paths), 1e-9)
        for body in mechanism.bodies:
            here, there = (run.measurer.frame(body.name, "Q") for run in runs)
            for order in range(3):
                expected = here[order] @ turn.T + (shift if order == 0 else 0.0)
                assert np.max(np.abs(there[order] - expected)) < 1e-9 * max(1.0, float(np.max(np.abs(expected))))

    holds()


def _in_place_planar(mechanism: Mechanism, path: str) -> bool:
    """Return whether a coordinate lies along axes that the drawing does not carry with it: x, y of a planar joint in place."""
    name, _, item = path.partition(".")
    joint = next(j for j in mechanism.joints if j.name == name)
    return joint.kind == "planar" and joint.at is not None and item in ("x", "y")


@pytest.mark.parametrize(("dimension", "kinds", "low", "high"), LOOPS)
def test_the_output_grid_does_not_matter(dimension: int, kinds: tuple[str, ...], low: int, high: int) -> None:
    """Wide motions, some of which lock up: few and many instants tell the same story, on the same branch."""

    @examples(15)
    @given(single_loops(dimension, kinds, low, high), seeds)
    def holds(mechanism: Mechanism, seed: int) -> None:
        wide = driven(mechanism, np.random.default_rng(seed), amplitude=1.5)
        assume(wide is not None)
        assert wide is not None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # of runs that stop
            fine, coarse = (wide.model().kinematics(until=6.0, steps=n) for n in (600, 24))
        assert fine.ok == coarse.ok
        assert coarse.status.time_reached == pytest.approx(fine.status.time_reached, abs=2e-3)
        count = min(len(coarse.time), (len(fine.time) - 1) // 25 + 1)
        q = fine.motion.q[::25][:count]
        assert np.max(np.abs(np.abs(coarse.motion.q[:count]) - np.abs(q))) < 1e-7 * max(1.0, float(np.max(np.abs(q))))
        for run in (fine, coarse):
            assert run.certificate["position_violation"] < 1e-11

    holds()


@pytest.mark.parametrize("dimension", [2, 3])
def test_exchanging_the_ends_of_joints_negates_their_coordinates(dimension: int) -> None:
    kinds = ("revolute", "translational") if dimension == 2 else (
        "revolute", "translational", "cylindrical", "screw", "universal", "planar", "spherical")  # fmt: skip

    @examples(30)
    @given(trees(dimension, 5, kinds))
    def holds(mechanism: Mechanism) -> None:
        one, two = (m.model().assemble() for m in (mechanism, mechanism.with_ends_exchanged()))
        assert one.ok and two.ok
        for joint in mechanism.joints:
            for item, value in joint.drawn.items():
                path = f"{joint.name}.{item}"
                assert one[path] == pytest.approx(value, abs=1e-12)
                if joint.kind == "universal":  # the first axis is now the other one
                    item = {"angle1": "angle2", "angle2": "angle1"}[item]
                if not (joint.kind == "planar" and item in ("x", "y")):  # these lie along the other body's axes then
                    assert two[f"{joint.name}.{item}"] == pytest.approx(-value, abs=1e-12)
            if joint.kind == "planar":
                before, after = ([state[f"{joint.name}.{c}"] for c in "xy"] for state in (one, two))
                assert np.linalg.norm(after) == pytest.approx(np.linalg.norm(before), abs=1e-12)
            if joint.kind == "spherical":
                before, after = (state[f"{joint.name}.rotation"] for state in (one, two))
                conjugate = before * np.array([1.0, -1.0, -1.0, -1.0])
                assert min(np.max(np.abs(after - conjugate)), np.max(np.abs(after + conjugate))) < 1e-12
        for path in points(mechanism):
            assert two[path] == pytest.approx(one[path], abs=1e-12)

    holds()


@examples(20)
@given(single_loops(2, LINKS, 4, 4), seeds, st.sampled_from([2.0, 5.0]))
def test_faster_motions_scale_rates_only(mechanism: Mechanism, seed: int, factor: float) -> None:
    """The same path walked k times as fast: the same positions, rates times k, accelerations times k²."""
    mechanism = driven_loop(mechanism, seed)
    fast = replace(mechanism, motions=tuple(replace(m, rate=factor * m.rate) for m in mechanism.motions))
    one = mechanism.model().kinematics(until=2.0, steps=10)
    two = fast.model().kinematics(until=2.0 / factor, steps=10)
    paths = [path for path, _ in coordinates(mechanism)] + points(mechanism)
    scale = np.array([1.0, factor, factor**2])
    close(table(two, paths) / scale[:, None, None], table(one, paths), 1e-10)
