"""The list of models, their parameters, and the mobility that every one of them is known to have."""

import inspect
import subprocess
import sys

import numpy as np
import pytest

import multibody as mb
from library.states import Reading
from multibody.analyses.assembly.assemble import assemble
from multibody.library import describe, example, find, names
from multibody.state.system import System, tables_of

# mobility: velocity coordinates minus rank of the joints; equations: rows of the joints, redundant ones counted
MOBILITY = {
    ("slider-crank",): (1, 8),
    ("slider-crank", ("drive", False)): (1, 8),
    ("offset-slider-crank",): (1, 8),
    ("driven-slider",): (1, 8),
    ("shabana-four-bar",): (1, 8),
    ("two-link",): (2, 4),
    ("inverted-slider",): (1, 8),
    ("planetary",): (1, 16),
    ("planetary", ("n", 1)): (1, 8),
    ("planetary", ("n", 5), ("drive", "carrier")): (1, 24),
    ("planetary", ("drive", "torque")): (1, 16),
    ("rack-and-pinion",): (1, 5),
    ("cam-knife",): (1, 6),
    ("cam-roller",): (1, 6),
    ("cam-flat",): (1, 6),
    ("rssr",): (2, 16),
    ("universal-shaft",): (1, 14),
    ("double-universal",): (1, 18),
    ("screw-press",): (1, 15),
    ("stewart-platform",): (6, 72),
    ("delta-robot",): (3, 57),
    ("peaucellier",): (1, 20),
    ("six-bar",): (1, 14),
    ("double-pendulum",): (2, 4),
    ("four-bar",): (1, 8),
    ("four-bar-singular",): (1, 8),
    ("spatial-four-bar",): (1, 17),
    ("spatial-four-bar-haug",): (1, 17),
    ("engine",): (1, 20),
    ("engine", ("n", 3), ("data", "peer")): (3, 60),
    ("engine", ("n", 4), ("dimension", 2)): (4, 32),
    ("rrc-arm",): (7, 35),
    ("rrc-arm", ("case", "1b")): (7, 35),
    ("rrc-arm", ("case", 2)): (7, 35),
    ("arm7",): (7, 35),
    ("chain",): (10, 20),
    ("chain", ("n", 25)): (25, 50),
    ("pendulum",): (1, 2),
    ("tilted-four-bar",): (1, 17),
    ("tilted-four-bar", ("tilt", 0.0)): (1, 17),
    ("iftomm-pendulum",): (1, 2),
    ("iftomm-n-four-bar",): (1, 14),
    ("iftomm-n-four-bar", ("n", 40)): (1, 242),
    ("iftomm-n-four-bar", ("n", 7), ("drive", True)): (1, 44),
    ("iftomm-andrews",): (1, 20),
    ("iftomm-bricard",): (1, 30),
    ("iftomm-flyball",): (4, 20),
    ("bushing-suspension",): (19, 11),
}
STRUCTURE = {"n", "case", "data", "drive", "dimension"}  # arguments that shape the model instead of naming a number


def build(case):
    return find(case[0])(**dict(case[1:]))


def test_the_table_covers_the_library():
    assert names() == sorted({case[0] for case in MOBILITY})


@pytest.mark.parametrize("case", MOBILITY, ids=lambda case: "-".join(map(str, case)))
def test_it_assembles_with_the_known_mobility(case):
    model = build(case)
    assert model.name == case[0]
    state = assemble(model)
    assert state.ok, state.status
    system = System(tables_of(model))
    J = system.scaled(system.jacobian(state.q, state.t, 0, system.joint_rows))
    mobility, equations = MOBILITY[case]
    assert system.nv - np.linalg.matrix_rank(J) == mobility
    assert system.joint_rows == equations
    assert np.max(np.abs(system.phi(state.q, state.t))) < 1e-11 * system.tables.length + 1e-12


@pytest.mark.parametrize("name", names())
def test_it_says_what_it_is_and_how_long_it_runs(name):
    line = describe(name)
    assert 20 < len(line) <= 115 and line.endswith(".")
    text = inspect.getdoc(find(name))
    assert "Notes\n-----" in text  # data and source
    for key in inspect.signature(find(name)).parameters:
        assert key in text, f"{key} is not explained"
    model = find(name)()
    verbs = set(model.defaults)
    assert verbs and verbs <= {"run", "kinematics"}
    assert ("kinematics" in verbs) == bool(model.motions and not model.initials)
    assert all(options["until"] > 0.0 for options in model.defaults.values())


@pytest.mark.parametrize("name", names())
def test_numbers_are_parameters(name):
    for key, parameter in inspect.signature(find(name)).parameters.items():
        if key in STRUCTURE:
            continue
        default = parameter.default
        given = tuple(1.01 * c for c in default) if isinstance(default, tuple) else 1.01 * default + 0.01
        model = find(name)(**{key: given}, **({"case": "2"} if (name, key) == ("rrc-arm", "k") else {}))
        if (name, key) == ("planetary", "torque"):
            model = find(name)(torque=given, drive="torque")
        assert model.parameters[key].value == given, key


def test_every_declared_parameter_may_be_given():
    model = find("six-bar")(a=0.11, pO6=(0.4, 0.41))
    assert model.parameters["a"].value == 0.11 and model.parameters["pO6"].value == (0.4, 0.41)
    assert Reading(assemble(model)).point("crank", "end") == pytest.approx([0.11, 0.0], abs=1e-12)
    assert assemble(find("planetary")(zr=72, zs="30")).ok


def test_parameters_may_come_as_text():
    model = find("slider-crank")(omega="300*rpm", l2="0.3/2")
    assert model.defaults["kinematics"]["until"] == pytest.approx(0.2)
    assert Reading(assemble(model, t=0.05)).joint("O")[0] == pytest.approx(np.pi / 2)
    assert find("slider-crank")(drive="False").motions == {}
    assert find("iftomm-n-four-bar")(n="3", drive="true").motions
    assert "kinematics" not in find("slider-crank")(omega="10*l2").defaults  # not known before the model is made


def test_an_unknown_model_is_told_from_its_neighbors():
    with pytest.raises(mb.ModelError, match=r'no model "slider-crnk"; did you mean "slider-crank"\? It has arm7, '):
        find("slider-crnk")
    with pytest.raises(mb.ModelError, match='did you mean "iftomm-bricard"'):
        find("bricard")


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("slider-crank", {"l5": 1}, r'slider-crank: there is no parameter "l5"; it has l2, l3, omega, drive$'),
        ("peaucellier", {"line_": 1}, 'did you mean "line"'),
        ("arm7", {"n": 3}, 'arm7: there is no parameter "n"; it has spacing$'),
        ("chain", {"n": 2.5}, "chain: n = 2.5 is no count; give a whole number from 1 on"),
        ("planetary", {"n": "three"}, "planetary: n = three is no count"),
        (
            "planetary",
            {"drive": "suns"},
            r'planetary: drive has no choice "suns"; did you mean "sun"\? It is one of sun, carr',
        ),
        ("rrc-arm", {"case": "1c"}, 'rrc-arm: case has no choice "1c"'),
        ("engine", {"dimension": 4}, 'engine: dimension has no choice "4"; it is one of 2, 3'),
    ],
)
def test_bad_parameters_are_named(name, given, message):
    with pytest.raises(mb.ModelError, match=message):
        find(name)(**given)


def test_a_name_is_registered_once():
    with pytest.raises(ValueError, match="two models 'chain'"):
        example("chain")(lambda: mb.Model("chain"))


def test_nothing_is_imported_before_it_is_needed():
    code = (
        "import sys, multibody; assert 'multibody.library' not in sys.modules;"
        "import multibody.library as l; assert 'multibody.library.shabana' not in sys.modules;"
        "l.names(); assert 'multibody.library.shabana' in sys.modules;"
        "l.find('engine')(n=2); assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_a_long_ladder_moves():
    model = find("iftomm-n-four-bar")(n=1000, drive=True)
    state = assemble(model)
    assert len(state.tables.bodies) == 2002 and state.tables.count_joint == 6002
    reading = Reading(assemble(model, initial=state, t=0.02))
    theta = np.pi / 2 + np.pi / 3 * np.sin(0.04 * np.pi)
    rate = 2 * np.pi**2 / 3 * np.cos(0.04 * np.pi)
    for k in (0, 500, 1000):
        assert reading.angle(f"crank{k}") == pytest.approx((theta, rate), abs=1e-9)
        assert reading.point(f"crank{k}", "end") == pytest.approx([k + np.cos(theta), np.sin(theta)], abs=1e-9)
