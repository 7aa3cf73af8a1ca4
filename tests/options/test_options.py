"""Options of verbs, formulations and integrators: one catalog for files, Python, the command line and the schema."""

import copy
import dataclasses
import inspect
import pickle
from pathlib import Path
from typing import Any

import pytest
import typer

import multibody as mb
from files.judge import accepts
from multibody import formulations, integrators
from multibody.cli.app import app
from multibody.files.reader import read_text
from multibody.files.schema import json_schema
from multibody.files.writer import model_to_plain
from multibody.files.yaml12 import read_yaml
from multibody.formulations import formulation_of
from multibody.integrators import integrator_of
from multibody.options.methods import FORMULATIONS, INTEGRATORS, label_of, split_methods
from multibody.options.verbs import VERBS

HEAD = """name: m
dimension: 2
parameters: {T: 2, k: 5}
bodies: {a: {mass: 1, inertia: 1}}
joints: {O: {revolute: [ground, a]}}
"""


def read(text: str) -> mb.Model:
    return read_text(HEAD + text, "f.yaml", mb.Model)


def pendulum() -> mb.Model:
    m = mb.Model("m", dimension=2, gravity=(0, -9.81))
    m.parameter("k", 5.0)
    m.body("a", mass=1, inertia=0.1, com=(0.5, 0))
    m.revolute("O", "ground", "a")
    return m


# --- one catalog ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("group", [FORMULATIONS, INTEGRATORS], ids=["formulations", "integrators"])
def test_the_classes_have_the_options_of_the_catalog(group: Any) -> None:
    for name, options in group.items():
        known = formulations.FORMULATIONS | integrators.INTEGRATORS | integrators.OPTIONAL
        fields = {f.name for f in dataclasses.fields(known[name])}
        assert fields == set(options), name


@pytest.mark.parametrize("verb", VERBS)
def test_python_and_the_command_line_have_the_options_of_the_catalog(verb: str) -> None:
    arguments = set(inspect.signature(getattr(mb.Model, verb)).parameters)
    assert set(VERBS[verb]) <= arguments
    command = typer.main.get_command(app).commands[verb]  # type: ignore[attr-defined]
    flags = {flag for parameter in command.params for flag in (*parameter.opts, *parameter.secondary_opts)}
    assert {option.command for option in VERBS[verb].values()} <= flags


@pytest.mark.parametrize("verb", VERBS)
def test_the_schema_has_the_options_of_the_catalog(verb: str) -> None:
    schema = json_schema()["properties"][verb]
    assert set(schema["properties"]) == set(VERBS[verb])
    assert schema["additionalProperties"] is False


# --- files ------------------------------------------------------------------------------------------------------------
FAULTS = [
    ("run: {until: 1,\n  rtoll: 1e-3}", 'f.yaml:7: run: unknown option "rtoll"; did you mean "rtol"?'),
    ("kinematics: {untill: 1}", 'f.yaml:6: kinematics: unknown option "untill"; did you mean "until"?'),
    ("kinematics: {from: 1}", 'f.yaml:6: kinematics: unknown option "from"; here it is called "start"'),
    ("check: {cuts: [O]}", 'f.yaml:6: check: unknown option "cuts"; did you mean "cut"? There is cut.'),
    ("check: {cut: [P]}", 'f.yaml:6: check.cut: unknown joint "P"'),
    ("check: {cut: O}", "f.yaml:6: check.cut: cut 'O' is no list of names"),
    ("assemble: {branch: true}", 'f.yaml:6: assemble: unknown option "branch"; did you mean "branches"?'),
    ("assemble: {branches: 1}", "f.yaml:6: assemble.branches: branches 1 is not true or false"),
    ("run: {rtol: 2}", "f.yaml:6: run.rtol: rtol 2 is no tolerance"),
    ("run: {until: [1]}", "f.yaml:6: run.until: until [1] is no time"),
    ("run: {until: 2*TT}", 'f.yaml:6: run.until: unknown name "TT"'),
    ("run: {step: -1}", "f.yaml:6: run.step: step -1 is no length of time"),
    ("kinematics: {steps: 1.5}", "f.yaml:6: kinematics.steps: steps 1.5 is out of range"),
    ("kinematics: {at: 1, until: 2}", "f.yaml:6: kinematics: at together with until; give one time or a range"),
    ("statics: {method: newtom}", 'f.yaml:6: statics.method: unknown method "newtom"; did you mean "newton"?'),
    ("modes: {count: 0}", "f.yaml:6: modes.count: count 0 is out of range"),
    ("inverse: {efforts: [P]}", "f.yaml:6: inverse.efforts: unknown name"),
    ("reactions: {joints: [Q]}", 'f.yaml:6: reactions.joints: unknown joint "Q"'),
    ("run: {formulation: baumgart}", 'f.yaml:6: run.formulation: unknown formulation "baumgart"; did you mean "baumgarte"?'),
    ("run: {formulation: {baumgarte: {alpa: 1}}}", 'f.yaml:6: baumgarte: unknown option "alpa"; did you mean "alpha"?'),
    ("run: {formulation: {baumgarte: {alpha: -1}}}", "f.yaml:6: baumgarte: alpha -1 is no feedback"),
    ("run: {formulation: {baumgarte: {alpha: 2*kk}}}", 'unknown name "kk"'),
    ("run: {formulation: {kane: {alpha: 1}}}", 'f.yaml:6: kane: unknown option "alpha"; kane has no options'),
    ("run: {formulation: {kane: , recursive: }}", "f.yaml:6: "),
    ("run: {integrator: {bdf: {max_order: 9}}}", "f.yaml:6: bdf: max_order 9 is out of range; give 1 to 5"),
    ("run: {integrator: {alpha: {rho: 1.5}}}", "f.yaml:6: alpha: rho 1.5 is no spectral radius; give 0 to 1"),
    ("run: {integrator: 'bdf:max_order'}", 'f.yaml:6: run.integrator: "max_order" is no option'),
    ("run: {cut: [O]}", "f.yaml:6: run.cut: loops are cut in joint coordinates, which no formulation asks for"),
    ("run: {cut: [O], formulation: kane}", "f.yaml:6: run.cut: kane has no tree, and no joint to cut"),
    ("run: {cut: [O], formulation: {recursive: {cut: [P]}}}", "f.yaml:6: run.cut: it is given twice: P in recursive and O"),
    ("events: {e: {when: O, terminall: true}}", 'f.yaml:6: event "e": unknown field "terminall"; did you mean "terminal"?'),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), FAULTS)
def test_a_file_is_told_what_is_no_option(text: str, message: str) -> None:
    with pytest.raises(mb.ModelError) as caught:
        read(text)
    assert message in str(caught.value)


MEANING = ("[P]", "[O]", "TT", "kk", "[Q]", "at: 1", "bdf:max")  # what a schema cannot see
FORM = [fault for fault in FAULTS if not any(word in fault[0] for word in MEANING)]


@pytest.mark.parametrize(("text", "message"), FORM)
def test_the_schema_refuses_the_same(text: str, message: str) -> None:
    assert not accepts(json_schema(), read_yaml(HEAD + text, "f.yaml").data)


SOUND = """run: {until: 2*T, formulation: {baumgarte: {alpha: k, beta: 2.5}}, integrator: {adams: {max_order: 6, max_step: T}}}
kinematics: {start: 1, until: T, steps: 7}
assemble: {t: T/2, branches: true}
check: {cut: [O]}
inverse: {until: 1, efforts: [O], formulation: auto}
reactions: {at: 1, joints: [O]}
statics: {t: 1, method: nearest, tolerance: 1e-8}
modes: {at: initial, count: 1, outputs: [O, O.rate]}
compare: {until: 1, formulations: [kane, {baumgarte: {alpha: 5, beta: 5}}], integrators: [bdf], rtol: [1e-6, 1e-8], repeats: 1}
"""


def test_all_verbs_go_round_through_a_file(tmp_path: Path) -> None:
    model = read(SOUND)
    assert set(model.defaults) == set(VERBS)
    for ending in ("yaml", "json"):
        file = tmp_path / f"m.{ending}"
        model.save(str(file))
        assert mb.load(str(file)).defaults == model.defaults
    for other in (copy.deepcopy(model.defaults), copy.copy(model.defaults), pickle.loads(pickle.dumps(model.defaults))):
        assert other == model.defaults
        with pytest.raises(mb.ModelError, match="rtoll"):
            other["run"]["rtoll"] = 1
    assert model.set(k=6).defaults == model.defaults


def test_the_schema_takes_what_the_reader_takes() -> None:
    assert accepts(json_schema(), read_yaml(HEAD + SOUND, "f.yaml").data)
    assert accepts(json_schema(), model_to_plain(read(SOUND)))
    short = "run: {formulation: 'baumgarte:alpha=5', integrator: radau}"
    assert accepts(json_schema(), read_yaml(HEAD + short, "f.yaml").data)


# --- Python -----------------------------------------------------------------------------------------------------------
def test_defaults_are_checked_where_they_are_set() -> None:
    m = pendulum()
    with pytest.raises(mb.ModelError, match=r'run: unknown option "untill"; did you mean "until"\?'):
        m.defaults["run"] = {"untill": 1}
    m.defaults["run"] = {"until": 1}
    for change in (
        lambda: m.defaults["run"].__setitem__("rtoll", 1), lambda: m.defaults["run"].update(rtoll=1),
        lambda: m.defaults.update(run={"rtoll": 1}), lambda: m.defaults["run"].setdefault("rtoll", 1),
        lambda: m.defaults.__setitem__("rum", {}), lambda: m.defaults["run"].__ior__({"rtoll": 1}),
    ):  # fmt: skip
        with pytest.raises(mb.ModelError):
            change()
    assert m.defaults == {"run": {"until": 1}}
    m.defaults = {"run": {"until": mb.pi / 2, "formulation": mb.Baumgarte(5, 6)}}
    assert m.defaults["run"]["formulation"] == {"baumgarte": {"alpha": 5, "beta": 6}}
    assert m.run().time[-1] == pytest.approx(1.5707963267948966)


def test_the_models_own_options_are_used() -> None:
    m = pendulum()
    m.motion("O", "k*t")
    m.defaults = {"kinematics": {"start": 1, "until": "k", "steps": 4}, "assemble": {"t": 0.5}}
    assert list(m.kinematics().time) == [1, 2, 3, 4, 5]
    assert list(m.kinematics(at=0.25).time) == [0.25]
    assert list(m.kinematics(until=3, steps=2).time) == [1, 2, 3]
    assert m.assemble()["O"] == 2.5
    assert m.assemble(t=0)["O"] == 0.0
    assert list(m.inverse().time) == [1, 2, 3, 4, 5]
    m.defaults["inverse"] = {"at": 2}
    assert list(m.inverse().time) == [2]
    bars = mb.load("four-bar")
    bars.defaults["check"] = {"cut": ["A"]}
    assert str(bars.check()) == str(mb.load("four-bar").check(cut=["A"])) != str(mb.load("four-bar").check())


def test_at_and_a_range_contradict_each_other() -> None:
    m = pendulum()
    m.motion("O", "k*t")
    with pytest.raises(mb.ModelError, match="kinematics: at together with until; give one time"):
        m.kinematics(1.0, at=0.5)
    with pytest.raises(mb.ModelError, match="kinematics: times together with steps"):
        m.kinematics(times=[0, 1], steps=3)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("baumgarte:alpha=5,beta=6", mb.Baumgarte(5, 6)),
        ({"baumgarte": {"alpha": 5}}, mb.Baumgarte(5)),
        ({"kane": None}, mb.Kane()),
        ("parametric:rotation=cosine", mb.Parametric("cosine")),
        ("parametric-cosine", mb.Parametric("cosine")),
        ("transformation:loops=stabilized,alpha=3", mb.Transformation("stabilized", alpha=3)),
        ("transformation-stabilized:alpha=3", mb.Transformation("stabilized", alpha=3)),
        ("recursive:cut=A+B", mb.Recursive(["A", "B"])),
    ],
)
def test_formulations_with_options(given: Any, expected: Any) -> None:
    assert formulation_of(given) == expected
    assert formulation_of(label_of(expected, "formulation")) == expected


@pytest.mark.parametrize(
    ("given", "step", "expected"),
    [
        ("bdf:max_order=2", None, mb.Bdf(max_order=2)),
        ({"bdf": {"max_order": 2, "form": "index1"}}, None, mb.Bdf(max_order=2, form="index1")),
        ("dop853:first_step=1e-3,max_step=0.1", None, mb.Dop853(1e-3, 0.1)),
        ("alpha:rho=0.5", 0.01, mb.Alpha(0.01, rho=0.5)),
        ("alpha:step=0.01,rho=0.5", None, mb.Alpha(0.01, rho=0.5)),
        (mb.Rk4(0.01), 0.01, mb.Rk4(0.01)),
    ],
)
def test_integrators_with_options(given: Any, step: float | None, expected: Any) -> None:
    assert integrator_of(given, step) == expected


def test_what_is_given_twice_must_agree() -> None:
    m = pendulum()
    with pytest.raises(mb.ModelError, match=r"rk4: step is given twice, 0\.1 in rk4 and 0\.2 beside it; keep one"):
        m.run(1, integrator=mb.Rk4(0.1), step=0.2)
    with pytest.raises(mb.ModelError, match="cut: it is given twice: A in recursive and O beside it"):
        m.run(1, formulation=mb.Recursive(["A"]), cut=["O"])
    with pytest.raises(mb.ModelError, match="cut: loops are cut in joint coordinates, which no formulation asks for; add"):
        m.run(1, cut=["O"])
    with pytest.raises(mb.ModelError, match="run: step is set, but auto takes dop853, and this integrator chooses"):
        m.run(1, step=0.1)
    with pytest.raises(mb.ModelError, match="rotation is in the name parametric-cosine"):
        formulation_of("parametric-cosine:rotation=regular")


def test_an_overridden_method_leaves_its_own_options_behind_with_a_word() -> None:
    m = pendulum()
    m.defaults["run"] = {"until": 0.1, "integrator": "rk4", "step": 0.01, "formulation": "recursive", "cut": ["O"]}
    run = m.run(integrator="dop853", formulation="augmented")
    assert any("step of the model's own options is not used: dop853 chooses its steps" in note for note in run.notes)
    assert any("cut of the model's own options is not used: augmented has no tree" in note for note in run.notes)


def test_options_reach_the_run() -> None:
    m = pendulum()
    m.defaults["run"] = {"until": 1, "integrator": {"dop853": {"max_step": "k/500"}}}
    assert m.run().statistics["steps"] >= 100
    assert m.run(integrator="dop853").statistics["steps"] < 50
    low, high = (m.run(integrator=f"bdf:max_order={k}", rtol=1e-6).statistics["steps"] for k in (1, 5))
    assert low > 3 * high


def test_lists_of_methods() -> None:
    assert split_methods(["baumgarte:alpha=5", "beta=5", "kane"]) == ["baumgarte:alpha=5,beta=5", "kane"]
    some = ["baumgarte:alpha=5,beta=5", "kane"]
    found = pendulum().compare(0.2, formulations=some, integrators=["adams:max_order=4"], repeats=1)
    assert [row.formulation for row in found.rows] == some
    assert {row.integrator for row in found.rows} == {"adams:max_order=4"}
    names = [row.formulation for row in pendulum().compare(0.1, formulations=["parametric"], repeats=1).rows]
    assert set(names) == {"parametric"}
