"""Signatures of joint and force methods are real ones, written from the catalog, and seen by type checkers."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import multibody as mb
from multibody.model import write_methods
from multibody.model.forces import KINDS as FORCES
from multibody.model.joints import ALIASES
from multibody.model.joints import KINDS as JOINTS

KINDS = {**JOINTS, **FORCES, **{alias: JOINTS[kind] for alias, kind in ALIASES.items()}}

GOOD = """
import numpy as np
import multibody as mb

m = mb.Model("slider-crank", dimension=2, gravity=(0, -9.81))
l2 = m.parameter("l2", 0.15)
p = m.parameter("p", (1.0, 2.0))
crank = m.body("crank", mass=1.0, inertia=np.float64(0.01), frames={"pin": (l2, 0)}, angle=30 * mb.deg)
rod = m.body("rod", mass="0.5*l2", inertia=0.5 * l2**2 / 12, com=(l2 / 2, 0), at=np.array([1.0, 2.0]))
O = m.revolute("O", m.ground, crank)
m.revolute("A", crank["pin"], rod, axis=(0, 0, 1))
S: mb.Joint = m.translational("S", "ground", rod, axis=[1, 0])
f: mb.Force = m.spring("f", m.ground, crank["pin"], stiffness=3, damping=l2, length="l2/2")
m.effort("motor", O, value=mb.sin(mb.t) * O.angle)
m.effort("other", O.angle, stiffness=1)
m.add(mb.Revolute("B", "ground", "rod", at=p + p))
m.add(mb.Spring("g", "ground", "rod", stiffness=1.0))
m.motion(O, 2 * mb.t)
m.initial({"O": 0.3}, guess={"S": l2})
state: mb.State = m.assemble({"O": 0.3})
states: list[mb.State] = m.assemble(branches=True)
run: mb.Run = m.run(1.0, initial={"O": 0.3, "O.rate": 1.0})
run2 = m.run(2.0, initial=run.final)
m.event("top", "O - 1", terminal=True, direction="rising")
run.plot("O", title="angle")
"""

# one fault a line; each must be seen
BAD = """
import multibody as mb
m = mb.Model("a")
m.revolute("A", "ground", "b", axs=(0, 0, 1))
m.revolute("A")
m.translational("S", "ground", "b")
m.revolut("A", "ground", "b")
m.revolute("A", 3, "b")
m.spring("f", "ground", "b", stifness=3)
m.effort("f", "A", value=None, rate=3)
m.body("b", mas=3)
m.body("b", rpi=(0, 0, 1))
m.body("b", mass=None, quaternion=3j)
mb.Spring("f", "ground", "b", stifness=3)
mb.Revolut("A", "ground", "b")
m.run(1, formulaton="kane")
m.run(1, initial=3)
m.event("e", "A", terminl=True)
m.stop("s", "A", lower=0)
"""


@pytest.mark.parametrize("name", KINDS)
def test_a_method_has_the_fields_of_its_kind(name: str) -> None:
    signature = inspect.signature(getattr(mb.Model, name))
    parameters = {key: p for key, p in signature.parameters.items() if key != "self"}
    assert next(iter(parameters)) == "name"
    assert not any(p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL) for p in parameters.values())
    for field in KINDS[name].fields:
        p = parameters.pop(field.name)
        assert (p.default is p.empty) == field.required or field.name == "expression"
        if not field.required:
            assert p.default == field.default
    assert set(parameters) <= {"name", "first", "second", "end", "coordinate", "at"}
    constructor = inspect.signature(getattr(mb, write_methods.class_name(name)))
    assert list(constructor.parameters) == [key for key in signature.parameters if key != "self"]
    documented = getattr(mb.Model, name).__doc__
    assert all(f"{key} : " in documented for key in constructor.parameters)


def test_the_written_files_follow_the_catalog() -> None:
    for path, text in write_methods.texts().items():
        fresh = "run python -m multibody.model.write_methods after a change of the catalog"
        assert path.read_text(encoding="utf-8") == text, fresh


def test_all_constructors_are_public_names() -> None:
    from multibody.model import constructors

    assert set(constructors.__all__) <= set(mb.__all__) and set(constructors.__all__) <= set(dir(mb))
    assert all(getattr(mb, name) is getattr(constructors, name) for name in constructors.__all__)


def test_all_functions_are_known_to_type_checkers() -> None:
    from multibody.model.expressions import public

    assert set(public.__all__) == set(mb._FUNCTIONS), "expressions/public.py lists what _FUNCTIONS of the package does"


def test_body_shows_its_orientations() -> None:
    names = list(inspect.signature(mb.Model.body).parameters)
    assert names[-8:] == ["angle", "x", "z", "quaternion", "rotvec", "rpy", "euler", "rotation"]


def test_the_first_axis_given_is_kept() -> None:
    models = [mb.Model("a"), mb.Model("b")]
    models[0].body("b", x=(1, 1, 0), z=(0, 1, 1))
    models[1].body("b", z=(0, 1, 1), x=(1, 1, 0))
    forms = [model.bodies["b"].orientation for model in models]
    assert [[letter for letter, _ in form.numbers] for form in forms if form] == [["x", "z"], ["z", "x"]]


@pytest.mark.parametrize("method", ["parameter", "table", "body", "output", "event", "revolute", "spring"])
def test_a_name_is_called_name(method: str) -> None:
    assert list(inspect.signature(getattr(mb.Model, method)).parameters)[1] == "name"


def test_no_public_verb_takes_just_anything() -> None:
    anything = {"set", "frames", "joint", "load"}  # parameters, frames and fields by their own names
    owners = [mb.Model, mb.Run, mb.State, mb.Robot, mb.Simulator]
    for owner in owners:
        for name, member in inspect.getmembers(owner, inspect.isfunction):
            if not name.startswith("_") and name not in anything:
                kinds = [p.kind for p in inspect.signature(member).parameters.values()]
                assert inspect.Parameter.VAR_KEYWORD not in kinds, f"{owner.__name__}.{name}"


def test_a_type_checker_sees_typos(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "bad.py").write_text(BAD)
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--hide-error-context", "good.py", "bad.py"]
    source = str(Path(mb.__file__).parents[1])
    environment = {"MYPYPATH": source, "PATH": "", "MYPY_CACHE_DIR": str(Path(__file__).parents[2] / ".mypy_cache")}
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment, timeout=600)
    lines = [line for line in ran.stdout.splitlines() if ": error:" in line]
    assert [line for line in lines if line.startswith("good.py")] == [], ran.stdout + ran.stderr
    seen = {int(line.split(":")[1]) for line in lines if line.startswith("bad.py")}
    assert seen == set(range(4, 1 + len(BAD.strip().splitlines()) + 1)), ran.stdout
