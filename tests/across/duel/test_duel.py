"""Random mechanisms against an independent program: accelerations, reactions, what is unique of them, and the motion.

A thousand seeds are in ``benchmarks/duel.py``; these are few, and together they have every kind of joint.
"""

from __future__ import annotations

import numpy as np
import pytest

import multibody as mb
from across.duel.cases import CLOSING, TREE, random_case
from across.duel.compare import judge, may_refuse
from across.duel.told import model_of

SEEDS = {2: (0, 3, 13, 19, 58, 67, 71, 82), 3: (1, 2, 3, 5, 15, 16, 41, 69, 118, 140)}
CLOSE = 1e-8
CASES = [(dimension, seed) for dimension, seeds in SEEDS.items() for seed in seeds]


@pytest.mark.parametrize(("dimension", "seed"), CASES)
def test_every_formulation_agrees_with_the_independent_program(dimension: int, seed: int) -> None:
    case = random_case(seed, dimension)
    for verdict in judge(case, integrate=seed % 2 == 0):
        words = f"{verdict.formulation}: {verdict}"
        assert not verdict.refused or may_refuse(case, verdict.formulation), words
        assert not verdict.faults and verdict.worst < CLOSE, words


@pytest.mark.parametrize(("dimension", "seed"), CASES)
def test_mobility_is_the_independent_programs(dimension: int, seed: int) -> None:
    case = random_case(seed, dimension)
    driven = 1 if "motion" in case.kinds else 0  # check counts the freedom that motions take
    assert model_of(case).check().mobility == case.mobility + driven


def test_the_seeds_have_all_kinds_of_joints() -> None:
    for dimension, seeds in SEEDS.items():
        found = set().union(*(random_case(seed, dimension).kinds for seed in seeds))
        assert {*TREE[dimension], *CLOSING[dimension], "motion"} <= found, {*TREE[dimension], *CLOSING[dimension]} - found


def test_a_wrong_sign_would_be_found() -> None:
    case = random_case(9, 3)
    load = next(words for what, _, words in case.told if what == "force")
    load["value"] = -np.asarray(load["value"])
    assert all(verdict.worst > 1e-3 for verdict in judge(case, ("augmented", "recursive"), integrate=False))


def test_a_shifted_point_would_be_found() -> None:
    case = random_case(3, 3)
    body = next(words for what, _, words in case.told if what == "body")
    body["com"] = np.asarray(body["com"]) + 1e-4
    try:
        verdicts = judge(case, ("augmented",), integrate=False)
    except mb.ModelError:
        return
    assert verdicts[0].worst > 1e-6 or verdicts[0].faults
