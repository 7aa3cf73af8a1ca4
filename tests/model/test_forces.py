"""Forces as they are stated: fields, files and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.kernels import codes as L
from multibody.model.forces import KINDS
from multibody.state.system import tables_of
from multibody.tables.lower import same_structure


def model_of(dimension: int = 2) -> Any:
    """Return two bodies, a hinge and a slide."""
    m = mb.Model("m", dimension=dimension)
    m.parameter("k", 4.0)
    m.body("a", mass=1, inertia=1 if dimension == 2 else (1, 2, 3), frames={"P": (1, 0, 0)[:dimension]})
    m.body("b", mass=1, inertia=1 if dimension == 2 else (1, 2, 3))
    m.revolute("O", m.ground, "a")
    m.translational("S", m.ground, "b", axis=(1, 0, 0)[:dimension])
    if dimension == 3:
        m.spherical("B", "a.P", "b")
    return m


def refused(m: Any) -> str:
    """Return the message with which lowering refuses a model."""
    with pytest.raises(mb.ModelError) as caught:
        tables_of(m)
    return str(caught.value)


STATED: dict[str, tuple[Any, ...]] = {  # kind, target, fields
    "negative stiffness": ("spring", ("a.P", "b"), {"stiffness": -1}, "-1 is negative; give a number that is zero or above"),
    "negative damping": ("effort", "O", {"damping": -0.5}, "-0.5 is negative"),
    "unknown field": ("spring", ("a.P", "b"), {"stifness": 1}, 'unknown field "stifness"; did you mean "stiffness"?'),
    "the same end twice": ("bushing", ("a.P", "a.P"), {}, "both ends are the same; a bushing joins two different frames"),
    "axes": ("force", "a", {"value": (1, 0), "axes": "bod"}, 'unknown axes "bod"; they are ground or body'),
    "nothing": ("force", "a", {}, "it has no force and no moment; give value: [..], moment: or both"),
    "three components": ("force", "a", {"value": (1, 0, 0)}, "3 components; 2 are needed in dimension 2"),
    "bushing count": ("bushing", ("a.P", "b"), {"stiffness": (1, 2)}, "(1, 2) is not a list of 3 numbers; translations, then"),
    "bushing sign": ("bushing", ("a.P", "b"), {"damping": (1, 2, -3)}, "-3 is negative; give numbers that are zero or above"),
    "matrix count": ("bushing", ("a.P", "b"), {"stiffness": [[1, 0], [0, 1]]},
        "a matrix with 2 rows of 2, 2 numbers; give 3 rows of 3 numbers: translations, then rotations"),
    "matrix not square": ("bushing", ("a.P", "b"), {"stiffness": [[1, 0, 0], [0, 1, 0], [0, 0]]},
        "a matrix with 3 rows of 3, 3, 2 numbers; give 3 rows of 3 numbers"),
    "rows and numbers": ("bushing", ("a.P", "b"), {"stiffness": [[1, 0, 0], 1, 1]},
        "rows and numbers are mixed; give the diagonal alone, or all rows"),
    "matrix not symmetric": ("bushing", ("a.P", "b"), {"damping": [[1, 0, 0], [0, 1, 0.2], [0, 0.3, 1]]},
        "the matrix is not symmetric: row 3 has 0.3 in column 2, row 2 has 0.2; give row 2 and row 3 the same number there"),
    "matrix sign": ("bushing", ("a.P", "b"), {"stiffness": [[1, 0, 0], [0, -2, 0], [0, 0, 1]]}, "-2 is negative"),
    "matrix of words": ("bushing", ("a.P", "b"), {"stiffness": [[1, 0, 0], [0, None, 0], [0, 0, 1]]}, "None is not a number"),
    "preload count": ("bushing", ("a.P", "b"), {"preload": (1, 2)}, "(1, 2) is not a list of 3 numbers; force, then moment"),
    "order of limits": ("stop", "O", {"lower": 2, "upper": 1, "stiffness": 1},
        "its lower limit 2 is not below its upper limit 1; lower must be below upper"),
    "equal limits": ("stop", "O", {"lower": 1, "upper": 1, "stiffness": 1}, "lower must be below upper"),
    "no limit": ("stop", "O", {"stiffness": 1}, "it has no limit; give lower, upper or both"),
    "no stiffness": ("stop", "O", {"upper": 1}, '"stiffness" is missing'),
    "smooth": ("stop", "O", {"upper": 1, "stiffness": 1, "smooth": 0}, "0 is not positive"),
    "static": ("friction", "O", {"coulomb": 0.4, "static": 0.2}, "static 0.2 is below coulomb 0.4"),
}  # fmt: skip


@pytest.mark.parametrize("case", STATED)
def test_what_is_refused_as_it_is_stated(case: str) -> None:
    kind, target, fields, message = STATED[case]
    m = model_of()
    targets = target if isinstance(target, tuple) else (target,)
    with pytest.raises(mb.ModelError) as caught:
        getattr(m, kind)("f", *targets, **fields)
    assert message in str(caught.value) and 'force "f"' in str(caught.value)
    assert not m.forces


LOWERED: dict[str, tuple[Any, ...]] = {
    "unknown coordinate": ("effort", ("OO",), {"value": 1}, 'unknown name "OO"; did you mean "O"?'),
    "a rate": ("effort", ("O.rate",), {"value": 1}, '"O.rate" is not a coordinate'),
    "the ground": ("effort", ("ground.origin.x",), {"value": 1}, "the ground does not move"),
    "a load on the ground": ("force", ("ground",), {"value": (1, 0)}, "the ground does not move; name a frame of a body"),
    "acceleration": ("effort", ("O",), {"value": "-O.acceleration"}, '"O.acceleration" is known only in results'),
    "effort in a law": ("spring", ("a.P", "b"), {"force": "O.effort"}, '"O.effort" is known only in results'),
    "unknown name": ("force", ("a",), {"value": ("c.x", 0)}, 'unknown name "c.x"'),
    "phi": ("effort", ("O",), {"value": "phi"}, '"phi" cannot stand here'),
    "formula of the stiffness": ("spring", ("a.P", "b"), {"stiffness": "2 - k"}, "-2 is negative"),
    "formula of a bushing": ("bushing", ("a.P", "b"), {"stiffness": (1, 1, "-k")}, "-4 is negative"),
    "matrix with a negative eigenvalue": ("bushing", ("a.P", "b"), {"stiffness": [[4, 0, 6], [0, 1, 0], [6, 0, 4]]},
        "it has a negative eigenvalue, -0.5 where its diagonal is scaled to ones"),
    "matrix with a zero on the diagonal": ("bushing", ("a.P", "b"), {"damping": [[4, 0, 1], [0, 1, 0], [1, 0, 0]]},
        "row 3 couples a direction whose own entry is zero, which gives a negative eigenvalue"),
    "formulas that are not symmetric": ("bushing", ("a.P", "b"), {"stiffness": [[4, "k", 0], ["k/2", 9, 0], [0, 0, 1]]},
        "the matrix is not symmetric: row 2 has 2 in column 1, row 1 has 4"),
    "formula of a matrix": ("bushing", ("a.P", "b"), {"stiffness": [["-k", 0, 0], [0, 1, 0], [0, 0, 1]]}, "-4 is negative"),
    "preload over time": ("bushing", ("a.P", "b"), {"preload": ("t", 0, 0)}, '"t" cannot stand here'),
    "formulas of limits": ("stop", ("O",), {"lower": "k", "upper": 3, "stiffness": 1}, "its lower limit 4 is not below"),
    "formula of the width": ("stop", ("O",), {"lower": 1, "stiffness": 1, "smooth": "k - 4"}, "0 is not positive"),
    "formula of static": ("friction", ("O",), {"coulomb": "k", "static": 1}, "static 1 is below coulomb 4"),
    "stiffness over time": ("spring", ("a.P", "b"), {"stiffness": "1 + t"}, '"t" cannot stand here'),
}


@pytest.mark.parametrize("case", LOWERED)
def test_what_is_refused_with_the_whole_model(case: str) -> None:
    kind, target, fields, message = LOWERED[case]
    m = model_of()
    getattr(m, kind)("f", *target, **fields)
    assert message in refused(m) and 'force "f"' in refused(m)


def test_the_omega_of_a_joint_cannot_stand_in_a_law() -> None:
    m = model_of(3)
    m.effort("f", "O", value="B.omega.x")
    assert '"B.omega.x" cannot stand in an expression; use the omega of its bodies' in refused(m)


def test_a_driven_coordinate_may_have_an_effort() -> None:
    m = model_of()
    m.motion("O", "t")
    m.effort("f", "O", value="-0.1*O.rate")
    assert tables_of(m).laws_of == {"f": [0]}


def test_every_kind_has_a_method_and_words_for_its_fields() -> None:
    for kind in KINDS.values():
        assert callable(getattr(mb.Model, kind.name))
        assert kind.summary and not kind.summary.endswith(".")
        assert all(field.doc and not field.doc.endswith(".") for field in kind.fields)


ALL = """name: all
dimension: {d}
parameters: {{k: 4}}
bodies:
  a: {{mass: 1, inertia: {inertia}, frames: {{P: {point}}}}}
  b: {{mass: 1, inertia: {inertia}}}
joints:
  O: {{revolute: [ground, a]}}
forces:
  s: {{spring: [a.P, b], stiffness: k, damping: 1, length: 0.5, force: -s.rate^3}}
  e: {{effort: O, value: sin(t), stiffness: 3, rest: 0.1, damping: k}}
  l: {{force: a.P, value: {value}, moment: {moment}, axes: body}}
  u: {{bushing: [a, b], stiffness: {diagonal}, damping: {diagonal}}}
  w: {{bushing: [a.P, b], stiffness: {matrix}, damping: {matrix}, preload: {diagonal}}}
  r: {{friction: O, load: 3*abs(O), coulomb: 0.2, static: 0.3, stribeck: 0.1, viscous: 0.4, smooth: 0.01}}
  p: {{stop: O, lower: -1, upper: k, stiffness: 1e3, damping: 5, smooth: 0.02}}
  q: {{stop: b.x, upper: 2, stiffness: 1e3}}
"""


@pytest.mark.parametrize("dimension", [2, 3])
def test_files_round_trip(dimension: int, tmp_path: Path) -> None:
    d = dimension
    text = ALL.format(
        d=d, inertia=1 if d == 2 else [1, 2, 3], point=[1, 0, 0][:d], value=["t", "k", 2][:d],
        moment="O.rate" if d == 2 else [0, "k", "O.rate"], diagonal=[1, "k", 3, 4, 5, 6][: 3 * (d - 1)],
        matrix=[["k" if r == c else 0.5 if r + c == 2 else 0 for c in range(3 * (d - 1))] for r in range(3 * (d - 1))],
    ).replace("'", "")  # fmt: skip
    source, file = tmp_path / "source.yaml", tmp_path / "all.yaml"
    source.write_text(text, encoding="utf-8")
    model = mb.load(str(source))
    model.save(str(file))
    again = mb.load(str(file))
    plain = {name: force.plain() for name, force in model.forces.items()}
    assert {name: force.plain() for name, force in again.forces.items()} == plain
    assert list(plain["p"]) == ["stop", "lower", "upper", "stiffness", "damping", "smooth"]
    assert "lower" not in plain["q"] and "damping" not in plain["q"]
    one, two = tables_of(model), tables_of(again)
    assert same_structure(one.packed, two.packed) and np.array_equal(one.F, two.F)
    assert one.wrench_of == {"w": 0} and "w" not in one.laws_of and len(plain["w"]["damping"][0]) == 3 * (d - 1)
    assert one.laws_of["u"] == list(range(2, 2 + 3 * (d - 1))) and one.load_of == {"l": 0}


def test_a_stop_moves_with_an_included_drawing() -> None:
    part = mb.Model("part", dimension=2)
    part.body("bar", mass=1, inertia=1)
    part.revolute("O", part.ground, "bar")
    part.stop("p", "bar.angle", lower=-0.5, upper=0.5, stiffness=10)
    part.stop("q", "O", lower=-0.5, stiffness=10)
    whole = mb.Model("whole", dimension=2)
    whole.include(part, prefix="x_", angle=1.0)
    tables = tables_of(whole)
    at = tables.law_of("x_p").numbers
    assert tables.F[at : at + 2] == pytest.approx([0.5, 1.5])
    at = tables.law_of("x_q").numbers
    assert tables.F[at : at + 2] == pytest.approx([-0.5, L.NEVER])


def test_set_changes_numbers_only() -> None:
    m = model_of()
    m.spring("s", "a.P", "b", stiffness="k", length=1)
    before = tables_of(m)
    after = tables_of(m.set(k=7.0))
    assert np.shares_memory(after.packed.rows, before.packed.rows)
    at = before.laws[0].numbers
    assert before.F[at : at + 4] == pytest.approx([0, 4, 1, 0]) and after.F[at : at + 4] == pytest.approx([0, 7, 1, 0])


def test_default_rates_of_friction_follow_the_unit_of_time() -> None:
    m = mb.Model("m", dimension=2, units={"time": "ms"})
    m.body("a", mass=1, inertia=1)
    m.revolute("O", m.ground, "a")
    m.friction("f", "O", coulomb=1)
    tables = tables_of(m)
    assert tables.F[tables.laws[0].slot("smoothing")] == pytest.approx(1e-5)  # 0.01 rad/s in rad/ms
