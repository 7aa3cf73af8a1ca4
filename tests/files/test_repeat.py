"""Copies: what a repeat stands for, and what is wrong with one."""

from pathlib import Path

import numpy as np
import pytest

import multibody as mb
from five_models import planetary
from multibody.files.reader import read_text
from multibody.files.writer import model_to_plain
from multibody.tables.lower import lower, same_structure

PLANETARY = (Path(__file__).parent / "models" / "planetary.yaml").read_text()

CHAIN = """\
name: chain
dimension: 2
parameters: {n: 3, l: 0.5, m: {value: 2, doc: mass of k links}}
bodies:
  link0: {mass: m}
joints:
  J0: {revolute: [ground, link0]}
repeat:
- for: {k: n}
  ground: {peg$k: [k*l, 0]}
  bodies:
    link$k:
      mass: m/k
      at: [l*k, -l*(k - 1)/2]
      frames: {end$k: [l, 0]}
      shape: {mesh: k.stl}
  joints:
    J$k: {revolute: [link$(k-1), link$k]}
  forces:
    s$k: {spring: [ground.peg$k, link$k.end$k], stiffness: 100*k, force: "-5*s$k.length + J$(k-1).rate/k"}
  motions: {J$k: "sin(k*t) + step(t, 0, 0, k, 1)"}
  initial: {J$k.rate: k}
  guess: {link$k.x: {value: k*l, weight: 1/k}}
  outputs: {tip$k: link$k.end$k.y - link$(n-k).y}
  events: {e$k: J$k - k}
"""


def read(text: str, **parameters: object) -> mb.Model:
    return read_text(text, "copies.yaml", mb.Model, parameters)


def fault(old: str, new: str, text: str = CHAIN, **parameters: object) -> mb.ModelError:
    assert old in text
    with pytest.raises(mb.ModelError) as caught:
        read(text.replace(old, new, 1), **parameters)
    assert not isinstance(caught.value, mb.ModelErrors), caught.value
    return caught.value


def test_every_section_is_written_out() -> None:
    data = model_to_plain(read(CHAIN, n=2))
    assert data["ground"] == {"peg1": ["l", 0], "peg2": ["2*l", 0]}
    assert list(data["bodies"]) == ["link0", "link1", "link2"]
    assert data["bodies"]["link2"] == {
        "mass": "m/2",
        "frames": {"end2": ["l", 0]},
        "shape": {"mesh": "k.stl"},
        "at": ["l*2", "-l/2"],
    }
    assert data["joints"] == {
        "J0": {"revolute": ["ground", "link0"]},
        "J1": {"revolute": ["link0", "link1"]},
        "J2": {"revolute": ["link1", "link2"]},
    }
    law = "-5*s2.length + J1.rate/2"
    assert data["forces"]["s2"] == {"spring": ["ground.peg2", "link2.end2"], "stiffness": 200, "force": law}
    assert data["motions"] == {"J1": "sin(t) + step(t, 0, 0, 1, 1)", "J2": "sin(2*t) + step(t, 0, 0, 2, 1)"}
    assert data["initial"] == {"J1.rate": 1, "J2.rate": 2}
    assert data["guess"] == {"link1.x": "l", "link2.x": {"value": "2*l", "weight": 0.5}}
    assert data["outputs"] == {"tip1": "link1.end1.y - link1.y", "tip2": "link2.end2.y - link0.y"}
    assert data["events"] == {"e1": {"when": "J1 - 1"}, "e2": {"when": "J2 - 2"}}


@pytest.mark.parametrize("n", [0, 1, 3, 5])
def test_the_planetary_gear_with_any_number_of_planets(n: int) -> None:
    one, two = lower(read(PLANETARY, n=n)), lower(planetary(n))
    assert [row.name for row in one.rows] == [row.name for row in two.rows]
    assert same_structure(one.packed, two.packed)
    np.testing.assert_array_equal(one.F, two.F)


def test_a_count_may_be_a_formula_and_begin_elsewhere() -> None:
    text = PLANETARY.replace("for: {k: n}", "for: {k: (zs - zp)/2 + 1}\n  from: n - 1")
    assert [name for name in read(text).bodies if name.startswith("planet")] == ["planet2", "planet3", "planet4"]
    assert len(read(text, n=8).bodies) == 2


def test_an_index_may_go_around() -> None:
    mesh = 'pair$k: {gear: [planet$k, "planet$(if(k<n, k+1, 1))"]'
    text = PLANETARY.replace("sun_mesh$k: {gear: [sun, planet$k]", mesh)
    joints = read(text, n=4).joints
    assert [joints[f"pair{k}"].second for k in range(1, 5)] == ["planet2", "planet3", "planet4", "planet1"]


def test_a_counter_before_an_underscore() -> None:
    text = "repeat: [{for: {i: 2}, bodies: {a$i_left: {mass: i}}}]"
    assert {name: body.mass for name, body in read(text).bodies.items()} == {"a1_left": 1.0, "a2_left": 2.0}


def test_two_blocks_use_each_other() -> None:
    text = """\
repeat:
- for: {i: 2}
  joints: {J$i: {revolute: [a$i, b$i]}}
- for: {j: 2}
  bodies: {a$j: {mass: 1}, b$j: {mass: 1}}
"""
    assert list(read(text).joints) == ["J1", "J2"]


@pytest.mark.parametrize(
    ("old", "new", "line", "where", "message"),
    [
        ("{n: 3,", "{n: 2.5,", 9, "repeat.0.for", "n = 2.5 is not a whole number; a counter runs over whole numbers"),
        ("{n: 3,", "{n: -1,", 9, "repeat.0.for", "n = -1 is negative; a counter runs from 0 or above"),
        ("{k: n}", "{k: 1e7}", 9, "repeat.0", "more than 100000 items; lower the count of the repeat"),
        ("{k: n}", "{k: nn}", 9, "repeat.0.for", 'unknown name "nn"'),
        ("{k: n}", "{l: n}", 9, "repeat.0.for", 'the counter "l" is also a name of the model; choose another letter'),
        ("{k: n}", "{k: n, j: 2}", 9, "repeat.0", "it needs one counter; write for: {k: n}"),
        ("{k: n}", "{k: link0}", 9, "repeat.0.for", 'unknown name "link0"'),
        ("{k: n}", "{t: n}", 9, "repeat.0.for", '"t" is reserved'),
        ("  joints:\n    J$k", "  joint:\n    J$k", 17, "repeat.0.joint", 'unknown key "joint"; did you mean "joints"'),
        ("J$k: {rev", "J$i: {rev", 18, "repeat.0.joints.J$i", 'unknown counter "$i"; the counter here is $k'),
        ("J$k: {rev", "J: {rev", 18, "repeat.0.joints.J", "all its copies have one name; put the counter into it: $k"),
        ("link$(k-1), link", "link$(k-2), link", 18, "repeat.0.joints.J$k", "k-2 is -1 for k = 1; names are numbered"),
        ("link$(k-1), link", "link$(k/2), link", 18, "repeat.0.joints.J$k", "k/2 is 0.5 for k = 1"),
        ("link$(k-1), link", "link$(q), link", 18, "repeat.0.joints.J$k", '"q" is not a number here; it may use k and'),
        ("link$(k-1), link", "link$(k+1), link", 18, "joints.J3", 'unknown body "link4"; did you mean "link3"?'),
        ("link$(k-1), link", "lnk$(k-1), link", 18, "joints.J1", 'unknown body "lnk0"; did you mean "link0"?'),
        ("mass: m/k", "mass: m/kk", 13, "bodies.link1.mass", 'unknown name "kk"'),
        ("mass: m/k", "mass: -k", 13, "bodies.link1", "mass -1 is negative"),
        ("mass: m/k", "mass: k*", 13, "bodies.link1", "the formula ends too early"),
    ],
)
def test_faults_point_to_the_template(old: str, new: str, line: int, where: str, message: str) -> None:
    error = fault(old, new)
    assert message in str(error)
    assert (error.file, error.line, error.where) == ("copies.yaml", line, where)


def test_a_count_that_is_set_must_be_whole() -> None:
    error = fault("name: chain", "name: chain", n=1.5)
    assert "n = 1.5 is not a whole number" in str(error)


def test_a_counter_is_not_replaced_inside_other_names() -> None:
    text = """\
parameters: {kk: 2, a_k: 3}
repeat: [{for: {k: 1}, bodies: {b$k: {mass: k*kk + a_k, frames: {k: [k, 0, 0]}}}, outputs: {y$k: b$k.k.x + k}}]
"""
    data = model_to_plain(read(text))
    assert data["bodies"]["b1"] == {"mass": "kk + a_k", "frames": {"k": [1, 0, 0]}}
    assert data["outputs"] == {"y1": "b1.k.x + 1"}
