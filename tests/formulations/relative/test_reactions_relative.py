"""Reactions in joint coordinates: equal to those from multipliers, in balance with the motion, one joint or all."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

import multibody as mb
from analyses.reactions.free_bodies import residual, saved
from formulations.relative.agreement import CLOSINGS, METHODS, exact

JOINTS = {"arm7": "joint4", "tilted-four-bar": "A", "rrc-arm": "joint2", "delta-robot": "Ub2", "engine": "B1", "six-bar": "E"}


def moving(name: str) -> mb.Model:
    """Return a library model in motion."""
    model = mb.load(name)
    if name == "arm7":
        model.initial({f"joint{k}": 0.3 * k for k in range(1, 8)} | {f"joint{k}.rate": 0.5 * (-1) ** k for k in range(1, 8)})
    if name == "six-bar":
        model.motions.clear()
        model.initial({"O2": 0.3, "O2.rate": 4.0})
    return model


@pytest.mark.parametrize("name", JOINTS)
def test_one_joint_alone_and_among_all(name: str) -> None:
    model, joint = moving(name), JOINTS[name]
    whole = exact(model, 0.2)
    for title, formulation in METHODS.items():
        options: dict[str, Any] = {"formulation": formulation, "rtol": 1e-11, "atol": 1e-12}
        alone = model.reactions(0.2, [joint], **options)
        among = model.reactions(0.2, **options)
        assert set(among) == set(model.joints) and set(alone) == {joint}
        for key in ("force", "moment"):
            expected = whole[f"{joint}.reaction.{key}"].values[-1]
            size = max(1.0, float(np.max(np.abs(expected))))
            assert alone[joint][key] == pytest.approx(among[joint][key], rel=1e-10, abs=1e-10 * size), (title, key)
            assert alone[joint][key] == pytest.approx(expected, rel=1e-8, abs=1e-8 * size), (title, key)


@pytest.mark.parametrize(
    ("name", "title"), [("tilted-four-bar", "partitioned"), ("rrc-arm", "recursive"), ("arm7", "articulated")]
)
def test_reactions_carry_the_saved_motion(name: str, title: str, tmp_path: pathlib.Path) -> None:
    run = moving(name).run(0.1, formulation=CLOSINGS[title], rtol=1e-12, atol=1e-13, output_step=1e-3)
    assert residual(saved(run, tmp_path)) < 1e-6


@pytest.mark.parametrize("name", METHODS)
def test_at_another_point_and_in_other_axes(name: str) -> None:
    model = moving("tilted-four-bar")
    expected, run = exact(model, 0.5), exact(model, 0.5, METHODS[name])
    for joint in model.joints:
        for options in ({"at": "first"}, {"at": "follower.end"}, {"axes": "body"}, {"axes": "joint", "drives": True}):
            mine, theirs = run.reactions(joint, **options), expected.reactions(joint, **options)
            for key in ("force", "moment"):
                size = max(1.0, float(np.max(np.abs(theirs[key].values))))
                assert np.max(np.abs(mine[key].values - theirs[key].values)) < 1e-8 * size, (joint, options)


@pytest.mark.parametrize("name", METHODS)
def test_a_pendulum_pulls_on_its_pivot_by_hand(name: str) -> None:
    run = exact(mb.load("pendulum"), 2.0, METHODS[name])
    angle, rate = run["O"].values, run["O.rate"].values
    bend = -1.5 * 9.81 * np.cos(angle)
    along, across = (np.stack(pair, 1) for pair in ((np.cos(angle), np.sin(angle)), (-np.sin(angle), np.cos(angle))))
    force = 0.5 * (bend[:, None] * across - rate[:, None] ** 2 * along) + np.array([0.0, 9.81])
    assert run["O.reaction.force"].values == pytest.approx(force, abs=1e-9)
    assert np.max(np.abs(run["O.reaction.moment"].values)) < 1e-12


@pytest.mark.parametrize("name", METHODS)
def test_a_static_chain_carries_its_weight(name: str) -> None:
    model = mb.load("chain", n=6)
    model.initial({"joint1": -np.pi / 2, "joint1.rate": 0.0})
    run = model.run(0.1, formulation=METHODS[name])
    for k in range(1, 7):
        assert run[f"joint{k}.reaction.force"].values[-1] == pytest.approx([0.0, 9.81 * (7 - k) / 6], abs=1e-9)
