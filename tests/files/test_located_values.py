"""Faults that only values can show still name the file and the line."""

import pytest

import multibody as mb
from multibody.files.reader import read_text
from multibody.state.system import tables_of

TEXT = """name: x
bodies:
  b: {mass: 1, inertia: [1, 1, 1]}
  a: {mass: 1, inertia: [1, 1, k]}
joints:
  O: {revolute: [ground, a]}
parameters: {k: 9}
"""


def test_an_impossible_inertia_names_file_and_line() -> None:
    model = read_text(TEXT, "x.yaml", mb.Model)
    with pytest.raises(mb.ModelError, match="principal moments") as caught:
        tables_of(model)
    assert (caught.value.file, caught.value.line, caught.value.where) == ("x.yaml", 4, "bodies.a")


def test_the_same_model_with_a_possible_inertia_is_lowered() -> None:
    assert tables_of(read_text(TEXT, "x.yaml", mb.Model, {"k": 2.0})).nv == 12
