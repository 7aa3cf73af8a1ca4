"""Files that would take for ever, and those that are no files: one sentence within seconds."""

from __future__ import annotations

import os
import pathlib
import sys
import time

import pytest

import multibody as mb
from multibody.errors import close_match, nearest
from multibody.model.model import Model as PlainModel
from multibody.tables.lower import lower

posix = pytest.mark.skipif(sys.platform == "win32", reason="files as on Unix")
HEAD = "name: m\ndimension: 2\nbodies: {b: {mass: 1, inertia: 1}}\njoints: {O: {revolute: [ground, b]}}\n"


def refused(tmp_path: pathlib.Path, text: str, name: str = "m.yaml") -> str:
    """Return what is said of a file."""
    (tmp_path / name).write_text(text)
    with pytest.raises(mb.ModelError) as caught:
        mb.load(str(tmp_path / name))
    return str(caught.value)


@posix
def test_what_is_no_plain_file_is_not_read(tmp_path: pathlib.Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "zero.yaml").symlink_to("/dev/zero")
    (tmp_path / "self.yaml").symlink_to("self.yaml")
    (tmp_path / "folder.yaml").mkdir()
    for name, words in (
        ("pipe", "it is no plain file"), ("zero", "it is no plain file"), ("self", "symbolic links"),
        ("folder", "directory"),
    ):  # fmt: skip
        with pytest.raises(mb.ModelError, match=words):
            mb.load(str(tmp_path / f"{name}.yaml"))
        (tmp_path / "m.yaml").write_text(f"name: m\ndimension: 2\ninclude: [{{model: {name}.yaml, prefix: p_}}]\n")
        with pytest.raises(mb.ModelError):
            mb.load(str(tmp_path / "m.yaml"))


def test_a_huge_file_is_refused_unread(tmp_path: pathlib.Path) -> None:
    with open(tmp_path / "m.yaml", "wb") as file:
        file.truncate(10**10)
    with pytest.raises(mb.ModelError, match="the file has 10000000000 bytes, more than the 10000000 that are read"):
        mb.load(str(tmp_path / "m.yaml"))


def test_names_with_nul(tmp_path: pathlib.Path) -> None:
    assert "is no name of a file" in refused(tmp_path, 'name: i\ndimension: 2\ninclude:\n- {model: "a\\0b.yaml", prefix: p_}\n')
    with pytest.raises(mb.ModelError, match="is no name of a file"):
        mb.load("a\0b.yaml")


@pytest.mark.parametrize("count", ["1000000000000", "1e99", "200000"])
def test_repeats_without_end_or_without_content(tmp_path: pathlib.Path, count: str) -> None:
    head = f"name: r\ndimension: 2\nrepeat:\n- for: {{k: {count}}}\n"
    assert "repeat 1: there is nothing to copy; give it sections" in refused(tmp_path, head)
    assert "more than 100000 items" in refused(tmp_path, head + "  bodies: {b$k: {mass: 1}}\n")


def test_too_many_bodies(tmp_path: pathlib.Path) -> None:
    entries = ", ".join(f'"b{k}": {{"mass": 1, "inertia": 1}}' for k in range(200_000))
    assert "more than 300000 values" in refused(tmp_path, f'{{"dimension": 2, "bodies": {{{entries}}}}}', "m.json")
    model = PlainModel("m", dimension=2)
    for k in range(20_001):
        model.body(f"b{k}")
    with pytest.raises(mb.ModelError, match="20001 bodies; a model may have 20000"):
        lower(model)


@pytest.mark.parametrize("value", ["1e300", "-1e300", "1e101"])
@pytest.mark.parametrize("place", ["mass: {}", "com: [{}, 0]", "frames: {{P: [0, {}]}}", "inertia: {}"])
def test_numbers_out_of_range_are_refused_with_their_place(tmp_path: pathlib.Path, value: str, place: str) -> None:
    field = place.format(value)
    said = refused(tmp_path, f"name: m\ndimension: 2\nbodies:\n  b: {{{field}}}\n")
    assert ":4: body" in said
    assert "is beyond the numbers that can be computed with; give a number up to 1e+100" in said or "positive" in said


def test_numbers_below_all_sizes_count_as_zero(tmp_path: pathlib.Path) -> None:
    (tmp_path / "m.yaml").write_text("dimension: 2\nbodies: {b: {mass: 5e-324, inertia: 1e-306, com: [1e-200, 0]}}\n")
    body = mb.load(str(tmp_path / "m.yaml")).bodies["b"]
    assert (body.mass, body.inertia) == (0.0, 0.0)
    said = refused(tmp_path, "dimension: 2\nbodies: {b: }\njoints: {S: {translational: [ground, b], axis: [1e-306, 0]}}\n")
    assert "the axis is zero" in said


def test_large_and_small_axes_have_directions(tmp_path: pathlib.Path) -> None:
    (tmp_path / "m.yaml").write_text(
        "dimension: 2\nbodies: {b: }\njoints: {S: {translational: [ground, b], axis: [1e-99, 1e-99]}}\n"
    )
    state = mb.load(str(tmp_path / "m.yaml")).assemble()
    assert state.ok


@pytest.mark.parametrize(
    "section",
    [
        "joints:\n" + "".join(f"  J{k}: {{revolute: [ground, lnk_{k:05d}]}}\n" for k in range(1500)),
        "outputs:\n" + "".join(f"  o{k}: lnk_{k:05d}.x*2\n" for k in range(1500)),
        "motions:\n" + "".join(f"  lnk_{k:05d}.x: t\n" for k in range(1500)),
    ],
)
def test_thousands_of_misspelled_names(tmp_path: pathlib.Path, section: str) -> None:
    bodies = "".join(f"  link_{k:05d}: \n" for k in range(1500))
    begin = time.process_time()
    said = refused(tmp_path, f"dimension: 2\nbodies:\n{bodies}{section}")
    assert 'did you mean "link_00000' in said
    assert "(+1490 more)" in said
    assert time.process_time() - begin < 20.0


def test_near_names_among_many() -> None:
    names = [f"link_{k:05d}" for k in range(3000)] + ["crank", "rod", "slider"]
    assert nearest("crnak", names) == 'did you mean "crank"?'
    assert nearest("LINK_01234", names) == 'did you mean "link_01234"?'
    assert nearest("lnk_02999", names) == 'did you mean "link_02999"?'
    assert nearest("zzzzqqq", names) == ""
    assert close_match("x" * 1000, ("x" * 999,)) is None


# --- formulas -----------------------------------------------------------------------------------------------------------
def test_products_of_hundreds_of_factors(tmp_path: pathlib.Path) -> None:
    product = "*".join(f"(1+t/{k})" for k in range(2, 402))
    (tmp_path / "m.yaml").write_text(f"{HEAD}motions: {{O: 0.01*{product}}}\n")
    run = mb.load(str(tmp_path / "m.yaml")).kinematics(until=0.5, steps=2)
    value, slope, bend = 0.01, 0.0, 0.0
    for k in range(2, 402):
        value, slope, bend = value * (1 + 0.5 / k), slope * (1 + 0.5 / k) + value / k, bend * (1 + 0.5 / k) + 2 * slope / k
    for path, expected in (("O", value), ("O.rate", slope), ("O.acceleration", bend)):
        assert float(run[path][-1]) == pytest.approx(expected, rel=1e-9)


def test_chains_of_outputs_and_parameters(tmp_path: pathlib.Path) -> None:
    outputs = ", ".join(f"o{k}: o{k - 1}*o{k - 1}/(1+o{k - 1}^2)+o{k - 1}" for k in range(1, 60))
    parameters = ", ".join(f"p{k}: p{k - 1}*p{k - 1}/(1+p{k - 1}^2)" for k in range(1, 100))
    text = HEAD.replace("mass: 1,", "mass: 1+p99,")
    text += f"parameters: {{p0: 1.1, {parameters}}}\nmotions: {{O: t}}\noutputs: {{o0: O, {outputs}}}\n"
    (tmp_path / "m.yaml").write_text(text)
    run = mb.load(str(tmp_path / "m.yaml")).kinematics(until=0.5, steps=2)
    expected = 0.5
    for _ in range(59):
        expected = expected * expected / (1 + expected**2) + expected
    assert float(run["o59"][-1]) == pytest.approx(expected, rel=1e-12)
    long = ", ".join(f"o{k}: o{k - 1}+1" for k in range(1, 400))
    (tmp_path / "n.yaml").write_text(f"{HEAD}motions: {{O: t}}\noutputs: {{o0: O, {long}}}\n")
    deep = mb.load(str(tmp_path / "n.yaml")).kinematics(until=0.5, steps=2)
    with pytest.raises(mb.ModelError, match="outputs build on each other more than 100 deep"):
        deep["o399"]


def test_shared_parts_are_computed_once() -> None:
    from multibody.model.expressions import differentiate, parse
    from multibody.tables.programs import Compiler

    chain = parse("x")
    for _ in range(40):
        chain = chain * chain + 1.0
    constants: list[float] = []
    compiler = Compiler({}, {}, lambda value: constants.append(value) or len(constants))
    compiler.program(differentiate(differentiate(chain, "x"), "x"), [("x",)], "")
    assert len(compiler.code) < 4000, "a tree would have 2^40 operations"
    assert len(constants) < 10


def test_a_coupler_that_is_no_number_at_the_start(tmp_path: pathlib.Path) -> None:
    (tmp_path / "m.yaml").write_text(HEAD.replace("joints: {", "joints: {C: {coupler: sqrt(O - 5)}, "))
    with pytest.raises(mb.ModelError, match="joint"):
        mb.load(str(tmp_path / "m.yaml")).assemble()


def test_inverse_of_what_cannot_close(tmp_path: pathlib.Path) -> None:
    (tmp_path / "m.yaml").write_text(
        "dimension: 2\nbodies: {a: {mass: 1, inertia: 1}}\n"
        "joints: {A: {revolute: [ground, a]}, B: {distance: [ground, a], at: [[9, 0], [1, 0]], distance: 1}}\nmotions: {A: t}\n"
    )
    from typer.testing import CliRunner

    from multibody.cli.app import app

    for extra in ([], ["--formulation", "recursive"]):
        result = CliRunner().invoke(app, ["inverse", str(tmp_path / "m.yaml"), "--until", "1", "--steps", "3", *extra])
        assert isinstance(result.exception, SystemExit), result.exception
        assert result.exit_code in (1, 2)
