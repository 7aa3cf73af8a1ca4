"""MJCF files that other people wrote: read or refused in a sentence, trees as MuJoCo has them, loops closed exactly.

Set MULTIBODY_CORPUS=1 to download them; ``benchmarks/corpus.py`` makes the table of the documentation.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import multibody as mb
from files.robots import corpus
from oracles import oracle

pytestmark = pytest.mark.skipif(not corpus.wanted(), reason="the corpus is not here: set MULTIBODY_CORPUS=1 to download it")
oracle("mujoco")

from files.robots.mjcf_corpus import LOOPS, loop_of, mjcf_files, worst_of  # noqa: E402  (it needs MuJoCo)

PACKAGES = ("gym-xarm", "gym-hil", "mujoco-warp", "genesis-world", "pybullet", "dart-doc")


def place_of(name: str) -> Path:
    place = corpus.fetch(name)
    if place is None:
        pytest.skip(f"{name} cannot be downloaded")
    return place


@pytest.mark.parametrize("name", PACKAGES)
def test_every_file_is_read_or_refused_in_words(name: str) -> None:
    found = [corpus.read(file) for file in mjcf_files(place_of(name))]  # anything but a ModelError fails here
    assert all(item.model is not None or item.refused for item in found)
    assert all(len(item.notes) <= 1 for item in found)


@pytest.mark.parametrize("name", PACKAGES)
def test_trees_have_mujocos_dynamics(name: str) -> None:
    for file in mjcf_files(place_of(name)):
        try:
            worst = worst_of(file)
        except mb.ModelError:
            continue
        assert worst is None or worst < 1e-10, file


@pytest.mark.parametrize(("name", "end", "until", "push"), LOOPS)
def test_loops_close_where_mujoco_leaves_them_open(name: str, end: str, until: float, push: float) -> None:
    file = next(path for path in mjcf_files(place_of(name)) if str(path).endswith(end))
    found = loop_of(file, until, push)
    assert found.gap < 1e-12
    assert found.soft > 1e3 * found.gap
    assert found.mobility > 0
