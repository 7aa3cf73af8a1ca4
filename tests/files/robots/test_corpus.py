"""Robots that other people wrote: each is read or refused in a sentence, and trees have Pinocchio's dynamics.

Set MULTIBODY_CORPUS=1 to download them (some 400 MB, once); ``benchmarks/corpus.py`` makes the table of the documentation.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import corpus

pytestmark = pytest.mark.skipif(not corpus.wanted(), reason="the corpus is not here: set MULTIBODY_CORPUS=1 to download it")
LIKE_ANOTHER = "random_urdfs"  # a thousand objects of one link


def files(name: str, ending: str) -> list[Path]:
    place = corpus.fetch(name)
    if place is None:
        pytest.skip(f"{name} cannot be downloaded")
    found = corpus.files_of(place, ending)
    return [file for file in found if LIKE_ANOTHER not in str(file) or file.stem.endswith("77")]


@pytest.mark.parametrize("ending", corpus.endings())
@pytest.mark.parametrize("name", (*corpus.WHEELS, *corpus.PACKAGES))
def test_every_file_is_read_or_refused_in_words(name: str, ending: str) -> None:
    for file in files(name, ending):
        found = corpus.read(file)  # anything but a ModelError fails here
        assert found.model is not None or found.refused
        assert len(found.notes) <= 1


@pytest.mark.parametrize("name", ["example-robot-data", "genesis-world", "rtb-data"])
def test_trees_have_pinocchios_dynamics(name: str) -> None:
    pytest.importorskip("pinocchio")
    import peer

    compared = 0
    for file in files(name, ".urdf"):
        try:
            found = peer.difference(file, "floating", states=1)
        except (ValueError, AssertionError, IndexError):  # broken, or with joints that are not compared
            continue
        if found is not None:
            compared += 1
            assert found.worst < 1e-10, file
    assert compared >= {"example-robot-data": 60, "genesis-world": 15, "rtb-data": 3}[name]


def test_cassies_loops_close() -> None:
    found = files("example-robot-data", ".sdf")
    assert len(found) == 5
    for file in found:
        model = corpus.read(file, limits="none").model
        assert model is not None
        assert corpus.gap(model) < 1e-12, file
        assert model.check().mobility > 0
