"""Every fault of a file is told with its line, the user's own names and what would mend it."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

import multibody as mb
from five_models import everything
from multibody.files.reader import read_text
from multibody.files.writer import model_to_plain
from multibody.files.yaml12 import read_yaml
from multibody.tables.lower import lower

PLANAR = """\
name: two-bar
dimension: 2
parameters: {l2: 0.15, l3: 0.35}
bodies:
  crank:
    mass: 1.0
    inertia: 0.01
    frames: {pin: [l2, 0]}
  rod: {mass: 0.5, inertia: 0.1, com: [l3/2, 0]}
joints:
  O: {revolute: [ground, crank]}
  A: {revolute: [crank.pin, rod]}
motions:
  O: pi/3*t
"""


def fault(text: str, *changes: tuple[str, str]) -> mb.ModelError:
    """Return the one error of a changed text."""
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    with pytest.raises(mb.ModelError) as caught:
        read_text(text, "two-bar.yaml", mb.Model)
    assert not isinstance(caught.value, mb.ModelErrors), caught.value
    assert caught.value.file == "two-bar.yaml"
    return caught.value


PIN = "{revolute: [crank.pin, rod]}"

# what is changed -> line, where, and what the message says
CASES = {
    "body": ((PIN, "{revolute: [crank.pin, rdo]}"), 12, "joints.A",
             'joint "A": unknown body "rdo"; did you mean "rod"? There is ground, crank, rod.'),
    "frame": ((PIN, "{revolute: [crank.pim, rod]}"), 12, "joints.A",
              'joint "A": body "crank" has no frame "pim"; did you mean "pin"? It has origin, com, pin.'),
    "joint kind": ((PIN, "{revolut: [crank.pin, rod]}"), 12, "joints.A",
                   'joint "A": unknown kind "revolut"; did you mean "revolute"? Kinds are fixed, revolute,'),
    "force kind": (("motions:", "forces:\n  f: {sprng: [ground, rod]}\nmotions:"), 14, "forces.f",
                   'force "f": unknown kind "sprng"; did you mean "spring"?'),
    "key of a body": (("inertia: 0.01", "inertai: 0.01"), 7, "bodies.crank",
                      'body "crank": unknown field "inertai"; did you mean "inertia"?'),
    "key of a joint": ((PIN, "{revolute: [crank.pin, rod], axs: [0, 0, 1]}"), 12, "joints.A",
                       'unknown field "axs"; did you mean "axis"?'),
    "key of the file": (("joints:", "jonts:"), 10, "", 'unknown key "jonts"; did you mean "joints"? Keys are name,'),
    "joint with itself": ((PIN, "{revolute: [rod.com, rod]}"), 12, "joints.A",
                          'joins body "rod" with itself; a joint needs two different bodies'),
    "name of a joint taken": (("  A:", "  l2:"), 12, "joints.l2",
                              'the name "l2" is taken; names are unique over the whole model'),
    "reserved name": (("  A:", "  t:"), 12, "joints.t", '"t" is reserved; choose another name'),
    "no identifier": (("  A:", "  a-b:"), 12, "joints.a-b", "is not a name; a name is letters, digits and underscores"),
    "negative mass": (("mass: 1.0", "mass: -1.0"), 6, "bodies.crank",
        'body "crank": mass -1 is negative; a mass is zero'),
    "negative inertia": (("inertia: 0.01", "inertia: -2"), 7, "bodies.crank", "inertia -2 is negative"),
    "zero axis": ((PIN, "{translational: [crank.pin, rod], axis: [0, 0]}"), 12, "joints.A",
                  'joint "A": the axis is zero; an axis may have any length but zero'),
    "no axis": ((PIN, "{translational: [crank.pin, rod]}"), 12, "joints.A", '"axis" is missing; direction of sliding'),
    "one end": ((PIN, "{revolute: rod}"), 12, "joints.A", "revolute needs two ends; write revolute: [first, second]"),
    "place and frame": ((PIN, "{revolute: [crank.pin, rod], at: [0, 0]}"), 12, "joints.A",
                        "`at` together with body.frame; place it by frames or in place, not both"),
    "spatial kind": ((PIN, "{universal: [crank.pin, rod], axes: [[1, 0], [0, 1]]}"), 12, "joints.A",
                     'joint "A": universal needs dimension 3; in the plane'),
    "gear without teeth": ((PIN, "{gear: [crank, rod]}"), 12, "joints.A",
                           "a gear takes teeth or radii; give teeth: [a, b] or radii: [a, b]"),
    "carrier is a wheel": ((PIN, "{gear: [crank, rod], teeth: [3, 4], carrier: rod}"), 12, "joints.A",
                           '"rod" is a wheel and the carrier'),
    "components": (("com: [l3/2, 0]", "com: [l3/2, 0, 0]"), 9, "bodies.rod",
                   "3 components; 2 are needed in dimension 2"),
    "two shapes of orientation": (("com: [l3/2, 0]", "rpy: [0, 0, 0]"), 9, "bodies.rod", '"rpy" needs dimension 3'),
    "NaN": (("mass: 0.5", "mass: .nan"), 9, "bodies.rod.mass", ".nan is not a finite number"),
    "nan as a formula": (("mass: 0.5", "mass: nan"), 9, "bodies.rod", '"nan" is not a number; give a finite number'),
    "not a number": (("mass: 0.5", "mass: {a: 1}"), 9, "bodies.rod",
        "{'a': 1} is not a number; give a number or a formula"),
    "dimension": (("dimension: 2", "dimension: 4"), 2, "dimension", "dimension 4; it is 2 or 3"),
    "dimension as text": (("dimension: 2", "dimension: two"), 2, "dimension", "it is 2 or 3"),
    "unit": (("parameters:", "units: {length: inch}\nparameters:"), 3, "units",
             'unknown unit "inch" of length; did you mean "in"? It is one of m, mm, cm, km, um, in, ft'),
    "quantity": (("parameters:", "units: {lenght: m}\nparameters:"), 3, "units", 'unknown quantity "lenght"'),
    "units": (("parameters:", "units: SI\nparameters:"), 3, "units", "not a mapping of names; write {length: mm"),
    "gravity": (("parameters:", "gravity: 9.81\nparameters:"), 3, "gravity", "9.81 is not a vector; give a list of 2"),
    "length": (("parameters:", "length: -1\nparameters:"), 3, "length", "-1 is not positive"),
    "section": (("joints:", "joints: 3\nrun:"), 10, "joints", "it is not a mapping; write joints: {name: ...}"),
    "key twice": (("  rod:", "  crank: {}\n  rod:"), 9, "bodies.crank", "written a second time, first on line 5"),
    "tag": (("mass: 0.5", "mass: !!python/object/apply:os.getcwd []"), 9, "bodies.rod.mass", "tags"),
    "anchor": (("mass: 0.5", "mass: &m 0.5"), 9, "bodies.rod.mass", "anchors (&m) are not read"),
    "alias": (("mass: 0.5", "mass: *m"), 9, "bodies.rod.mass", "aliases (*m) are not read"),
    "merge key": (("{mass: 0.5,", "{<<: crank, mass: 0.5,"), 9, "bodies.rod", "merge keys (<<) are not read"),
    "tab": (("    mass: 1.0", "\tmass: 1.0"), 6, "", "tab"),
    "driven twice": (("pi/3*t", "pi/3*t\n  O.angle: t"), 15, "motions.O.angle",
                     'motion "O.angle": "O" drives the same coordinate; keep one of the two motions'),
    "motion of a rate": (("  O: pi", "  O.rate: pi"), 14, "motions.O.rate",
        '"O.rate" is a rate; name the coordinate itself: O'),
    "motion of the ground": (("  O: pi", "  ground.x: pi"), 14, "motions.ground.x", "the ground does not move"),
    "motion of a parameter": (("  O: pi", "  l2: pi"), 14, "motions.l2", '"l2" is a parameter; name a coordinate'),
    "motion of a coordinate": (("pi/3*t", "A"), 14, "motions.O", '"A" cannot stand here; only parameter, time may'),
    "depth": (("pi/3*t", "(" * 200 + "t" + ")" * 200), 14, "motions.O", "nested more than 100 deep"),
    "circle": (("l3: 0.35", "l3: l4 + 1, l4: 2*l3"), 3, "parameters.l3", "it depends on itself (l3 → l4 → l3); break"),
    "vector for a number": (("mass: 0.5", 'mass: "[l2, l3]"'), 9, "bodies.rod.mass", "is a vector; a number is needed"),
    "number for a vector": (("com: [l3/2, 0]", "com: l3"), 9, "bodies.rod.com", "l3 is a number; a vector is needed"),
    "component of a number": (("mass: 0.5", "mass: l2.x"), 9, "bodies.rod.mass",
        'parameter "l2" is a number; write l2'),
    "limits": (("l3: 0.35", "l3: {value: 2*l2, max: 0.2}"), 3, "parameters.l3",
        "0.3 is outside its limits; choose l3 ≤ 0.2"),
    "key of a parameter": (("l3: 0.35", "l3: {value: 1, mx: 0.2}"), 3, "parameters.l3",
        'unknown field "mx"; did you mean "max"'),
    "not finite": (("l3: 0.35", "l3: 1/(l2 - 0.15)"), 3, "parameters.l3", "is not a finite number"),
    "held path": (("motions:", "initial: {O.angel: 1}\nmotions:"), 13, "initial.O.angel",
                  'unknown name "O.angel"; did you mean "angle"? Joint "O" (revolute) has angle, rate.'),
    "held value over time": (("motions:", "initial: {A: 2*t}\nmotions:"), 13, "initial.A",
        "it depends on t; a value over time"),
    "held orientation": (("motions:", "initial: {A: {rpy: [0, 0, 1]}}\nmotions:"), 13, "initial.A",
        "it takes a number"),
    "weight": (("motions:", "guess: {A: {value: 2, weigth: 1}}\nmotions:"), 13, "guess.A", 'did you mean "weight"?'),
    "output": (("motions:", "outputs: {y: rod.cm.y}\nmotions:"), 13, "outputs.y",
        'unknown name "rod.cm.y"; did you mean "com"?'),
    "outputs in a circle": (("motions:", "outputs: {y: z, z: 2*y}\nmotions:"), 13, "outputs.y", "it depends on itself"),
    "event": (("motions:", "events: {e: {then: 3}}\nmotions:"), 13, "events.e", "it does not say when"),
    "coupler": ((PIN, "{coupler: O.rate - 2*t}"), 12, "joints.A", '"O.rate" cannot stand here'),
    "coupler of nothing": ((PIN, "{coupler: l2 - 2*t}"), 12, "joints.A",
        "it names no coordinate; write an expression of"),
    "cam": ((PIN, "{cam: [crank.pin, rod], profile: 0.1 + 0.01*sin(psi)}"), 12, "joints.A.profile",
        'unknown name "psi"'),
    "spring law": (("motions:", "forces:\n  s:\n    spring: [ground, rod]\n    force: -s.lenght\nmotions:"), 16,
                   "forces.s.force", 'unknown name "s.lenght"'),
    "effort": (("motions:", "forces: {e: {effort: OO, value: 1}}\nmotions:"), 13, "forces.e", 'unknown name "OO"'),
    "axes of a load": (("motions:", "forces: {e: {force: rod, value: [1, 0], axes: grund}}\nmotions:"), 13,
        "forces.e.axes",
                       'unknown axes "grund"; they are ground or body'),
    "function": (("pi/3*t", "sn(t)"), 14, "motions.O", 'unknown function "sn"; did you mean "sin"?'),
    "table": (("motions:", "tables: {f: {x: [0, 0], y: [1, 1]}}\nmotions:"), 13, "tables.f",
        "x does not increase; sort"),
    "options": (("motions:", "run: 3\nmotions:"), 13, "run", "it is not a mapping"),
    "frame of the ground": (("joints:", "ground: {x: [0, 0]}\njoints:"), 10, "ground.frames.x",
        '"x" would hide a path'),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_fault(case: str) -> None:
    change, line, where, message = CASES[case]
    error = fault(PLANAR, change)
    assert message in str(error)
    assert (error.line, error.where) == (line, where)


@pytest.mark.parametrize("text", ["", "# nothing\n"])
def test_an_empty_file(text: str) -> None:
    error = fault(text)
    assert "the file is empty; write keys such as name, bodies and joints" in str(error)


def test_a_file_that_is_no_mapping() -> None:
    assert "the file is not a mapping" in str(fault("- 1\n- 2\n"))


def test_a_name_in_an_expression_gets_a_caret() -> None:
    error = fault(PLANAR, ("pi/3*t", "pi/3*sin(O.angel)"))
    lines = str(error).split("\n")
    assert lines[0] == (
        'two-bar.yaml:14: motion "O": unknown name "O.angel"; '
        'did you mean "angle"? Joint "O" (revolute) has angle, rate.'
    )
    assert lines[1].strip() == "pi/3*sin(O.angel)"
    assert lines[2].index("^") == lines[1].index("O.angel")
    assert lines[2].count("^") == len("O.angel")


@pytest.mark.parametrize(
    "code",
    [
        "__import__('os').system('touch owned')",
        "().__class__.__bases__",
        "open('owned', 'w')",
        "exec(1)",
        "lambda: 0",
        "t if t else 1",
        "[x for x in t]",
        "eval(t)",
    ],
)
def test_an_expression_cannot_run_code(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    error = fault(PLANAR, ("  O: pi/3*t", f"  O: {json.dumps(code)}"))
    assert (error.line, error.where) == (14, "motions.O")
    assert "^" in str(error)
    assert not Path("owned").exists()


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ("{a: ", "}")])
def test_nesting_without_end(opening: str, closing: str) -> None:
    error = fault(PLANAR, ("mass: 0.5", f"mass: {opening * 5000}1{closing * 5000}"))
    assert error.line == 9
    assert "nested deeper than 50 levels; flatten the content" in str(error)


def test_an_impossible_inertia_is_told_when_the_model_is_lowered() -> None:
    model = read_text("bodies: {top: {mass: 1, inertia: [1, 1, 5]}}\n", "top.yaml", mb.Model)
    with pytest.raises(mb.ModelError, match=r"no body has the principal moments 1, 1, 5; each is") as caught:
        lower(model)
    assert caught.value.where == "bodies.top"


def test_six_loose_numbers_are_no_inertia() -> None:
    error = fault("bodies: {top: {mass: 1, inertia: [1, 1, 1, 0, 0, 0]}}\n")
    assert "give three principal moments or a 3×3 matrix" in str(error)


# --- many faults at once ---------------------------------------------------------------------------------------------


def faults(text: str) -> list[mb.ModelError]:
    with pytest.raises(mb.ModelErrors) as caught:
        read_text(text, "many.yaml", mb.Model)
    return caught.value.errors


def test_all_faults_come_at_once_in_the_order_of_lines() -> None:
    text = """\
name: many
dimension: 2
colour: red
gravity: [0, 0, -9.81]
parameters: {a: 1, b: c}
bodies:
  one: {mass: -1, frames: {p: [a, 0]}}
  two: {mas: 1}
joints:
  J: {revolute: [one.q, two]}
  K: {revolte: [one, two]}
motions: {J: T}
outputs: {y: L.angle}
"""
    errors = faults(text)
    assert [(error.line, error.where) for error in errors] == [
        (3, ""), (4, "gravity"), (5, "parameters.b"), (7, "bodies.one"), (8, "bodies.two"), (10, "joints.J"),
        (11, "joints.K"), (12, "motions.J"), (13, "outputs.y"),
    ]  # fmt: skip


def test_ten_are_shown_and_the_rest_is_counted() -> None:
    bodies = "".join(f"  b{k}: {{mass: -1}}\n" for k in range(13))
    with pytest.raises(mb.ModelErrors) as caught:
        read_text(f"bodies:\n{bodies}", "many.yaml", mb.Model)
    lines = str(caught.value).split("\n")
    assert len(lines) == 11
    assert lines[9].startswith('many.yaml:11: body "b9"')
    assert lines[10] == "(+3 more)"
    assert len(caught.value.errors) == 13


def test_what_uses_a_faulty_item_is_not_told_again() -> None:
    text = """\
dimension: 2
parameters: {a: sin(, c: 2*a}
tables: {lift: {x: [1, 0], y: [0, 1]}}
ground: {seat: [0, 0, 0]}
bodies:
  one: {mass: -1, frames: {p: [c, 0]}}
joints:
  J: {revolute: [one.p, ground], axs: 1}
  K: {revolute: [ground.seat, one]}
motions: {J: lift(t)}
forces: {e: {effort: J, value: a*one.p.x}}
initial: {J.rate: a}
outputs: {y: J.angle + c}
"""
    text = text.replace("sin(,", '"sin(",')
    assert [error.where for error in faults(text)] == [
        "parameters.a", "tables.lift", "ground.frames.seat", "bodies.one", "joints.J",
    ]  # fmt: skip


def test_a_misspelled_section_is_read_all_the_same() -> None:
    text = PLANAR.replace("bodies:", "bodys:").replace("mass: 0.5", "mass: -0.5")
    assert [(error.line, error.where) for error in faults(text)] == [(4, ""), (9, "bodies.rod")]


# --- anything at all -------------------------------------------------------------------------------------------------

ODD = (
    None, True, [], {}, 0, -1, 1e300, "", "a", "l2 + ", "x.y.z", "ground", "..", "$k", "k", "t", "phi", [1], [1, 2, 3],
    ["a", "b"], {"a": 1}, {"value": 1}, {"rpy": [0, 0, 0]}, {"euler": {"": [1, 2, 3]}}, [None, None], [{}], [[]],
    {"for": {"k": 2}}, "1b", 10**30, "é", "a" * 5000, "[1, 2, 3]", "norm(3)", "f(",
    {"name": 1, "dimension": 2, "first": 3, "self": 1, "item": 4, "kind_name": 1, "target": 2, "body_name": 2},
)  # fmt: skip
ODD_KEYS = ("a", "t", "c", "self", "item", "name", "dimension", "O.rate", "", "$k", "at", "x", "a.b", "__class__")


def places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of everything inside plain data."""
    keys = data if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ()
    return [place for key in keys for place in [(*path, key), *places(data[key], (*path, key))]]


def spoiled(data: Any, random: Random) -> Any:
    """Return data with one place replaced, removed or renamed."""
    data = json.loads(json.dumps(data))
    *outer, last = random.choice(places(data))
    inner = data
    for key in outer:
        inner = inner[key]
    action = random.random()
    if action < 0.6:
        inner[last] = random.choice(ODD)
    elif action < 0.8 or isinstance(inner, list):
        del inner[last]
    else:
        inner[random.choice(ODD_KEYS)] = inner.pop(last)
    return data


@pytest.mark.parametrize("seed", range(5))
def test_whatever_a_file_holds_it_is_a_model_or_a_model_error(seed: int) -> None:
    random = Random(seed)
    models = [model_to_plain(everything(2)), model_to_plain(everything(3))]
    models += [read_yaml(file.read_text(), file.name).data for file in (Path(__file__).parent / "models").iterdir()]
    refused = 0
    for _ in range(100):
        data = spoiled(random.choice(models), random)
        try:
            read_text(json.dumps(data), "odd.json", mb.Model, format="json")
        except mb.ModelError as error:
            refused += 1
            assert str(error).startswith("odd.json:")
    assert refused > 50
