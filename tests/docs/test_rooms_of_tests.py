"""Tests lie where the code lies: every folder of tests has the name of a room, or of a file in a room, of the package."""

import pathlib

import pytest

import multibody

TESTS = pathlib.Path(__file__).parents[1]
PACKAGE = pathlib.Path(multibody.__file__).parent
ACROSS = "across"  # what no single room answers for: properties of mechanisms, mistakes in Python, duels, fuzzed files
NO_ROOMS = {ACROSS, "docs", "data", "typed"}  # the pages, stored numbers, what type checkers read
UNTESTED_ALONE = {"state", "tables"}  # known by what is made of them
UNTESTED_BELOW = {  # rooms in rooms that are known by what is made of them; this set may only become smaller
    "analyses/given",  # by every verb that is given something
    "files/robots/mjcf",  # with the other formats
    "kernels/newton",  # by the matrices of implicit methods, in formulations/implicit
    "view/study",
}  # fmt: skip


def folders_of(root: pathlib.Path) -> set[pathlib.PurePath]:
    """Return the folders that hold Python files, themselves or below, relative to the root."""
    files = [file.relative_to(root) for file in root.rglob("*.py")]
    return {folder for file in files for folder in file.parents if folder.name}


FOLDERS = sorted(folder for folder in folders_of(TESTS) if folder.parts[0] not in NO_ROOMS)


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_a_folder_of_tests_has_the_name_of_what_it_tests(folder: pathlib.PurePath) -> None:
    place = PACKAGE / folder
    assert place.is_dir() or place.with_suffix(".py").is_file(), f"no room multibody/{folder}; see tests/{ACROSS}"


def test_every_room_has_its_tests() -> None:
    rooms = {str(folder) for folder in folders_of(PACKAGE) if len(folder.parts) == 1}
    assert rooms - {str(folder) for folder in FOLDERS} == UNTESTED_ALONE


def test_every_room_in_a_room_has_its_tests() -> None:
    rooms = {folder for folder in folders_of(PACKAGE) if len(folder.parts) > 1}
    assert {str(folder) for folder in rooms - set(FOLDERS)} == UNTESTED_BELOW
