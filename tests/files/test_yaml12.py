"""The YAML and JSON readers, the YAML writer, and the words of errors."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multibody.errors import AnalysisError, ModelError, ModelErrors, nearest, words
from multibody.files.yaml12 import read_json, read_yaml, write_yaml

SLIDER_CRANK = """\
# a comment
name: slider-crank
dimension: 2
gravity: [0, -9.81]
parameters: {l2: 0.15, l3: 0.35}
bodies:
  crank:  {mass: 1.0, inertia: 0.01, frames: {pin: [l2, 0]}}
  rod:
    mass: 0.5
    inertia: 0.5*l3^2/12
    com:
    - l3/2
    - 0
joints:
  A: {revolute: [crank.pin, rod]}
  S: {translational: [ground, slider],
      axis: [1, 0]}
"""


def yaml(text: str) -> Any:
    return read_yaml(text, "m.yaml").data


def refused(text: str, reader: Any = read_yaml) -> ModelError:
    with pytest.raises(ModelError) as caught:
        reader(text, "m.yaml")
    assert caught.value.file == "m.yaml"
    return caught.value


# ---------------------------------------------------------------- data and lines


def test_a_model_becomes_plain_data_in_the_written_order() -> None:
    data = yaml(SLIDER_CRANK)
    assert list(data) == ["name", "dimension", "gravity", "parameters", "bodies", "joints"]
    assert data["bodies"]["rod"] == {"mass": 0.5, "inertia": "0.5*l3^2/12", "com": ["l3/2", 0]}
    assert data["joints"]["A"] == {"revolute": ["crank.pin", "rod"]}
    assert data["name"] == "slider-crank"


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ((), 2),
        (("name",), 2),
        (("bodies",), 6),
        (("bodies", "crank", "frames", "pin", 1), 7),
        (("bodies", "rod"), 8),
        (("bodies", "rod", "com"), 11),
        (("bodies", "rod", "com", 1), 13),
        (("joints", "S", "translational"), 16),
        (("joints", "S", "axis"), 17),
        (("joints", "S", "missing", 3), 16),
        (("joints", "Q"), 14),
        (("nowhere",), 2),
    ],
)
def test_lines_of_keys_and_items_with_the_nearest_parent_as_fallback(path: tuple[str | int, ...], line: int) -> None:
    assert read_yaml(SLIDER_CRANK, "m.yaml").line(path) == line


def test_line_endings_and_byte_order_mark_do_not_matter() -> None:
    for break_ in ("\r\n", "\r"):
        document = read_yaml("\ufeff" + SLIDER_CRANK.replace("\n", break_), "m.yaml")
        assert document.data == yaml(SLIDER_CRANK)
        assert document.line(("joints", "S", "axis")) == 17


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n"])
def test_an_empty_file_holds_nothing_and_has_no_lines(text: str) -> None:
    document = read_yaml(text, "m.yaml")
    assert document.data is None
    assert document.line(("joints",)) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 1e-3),
        ("1E5", 1e5),
        (".5", 0.5),
        ("5.", 5.0),
        ("-3", -3),
        ("+2", 2),
        ("-1.5e+3", -1500.0),
        ("012", 12),
        ("0o14", 12),
        ("0x1F", 31),
        ("123456789012345678901", 123456789012345678901),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
    ],
)
def test_scalars_of_the_core_schema(text: str, value: object) -> None:
    for data in (yaml(f"a: {text}"), yaml(f"a: {text}\nb: 1")):
        assert data["a"] == value
        assert type(data["a"]) is type(value)


@pytest.mark.parametrize(
    "text",
    ["on", "off", "yes", "no", "y", "N", "1:30", "1_000", "2024-01-31", "nan", "inf", "1e", "e5", ".", "+", "=",
     "0b101", "tRUE", "1.2.3", "l2 + l3", "-l2", "max(a, b)", "a:b", "x#y", "$k", "$(k-1)", "٣"],
)  # fmt: skip
def test_what_is_not_magic_stays_text(text: str) -> None:
    assert yaml(f"a: {text}") == {"a": text}


@pytest.mark.parametrize("text", ["1", "true", "null", "", ".nan", "<<", "*a", "!x", "a, b", "{k}", "# no", "\t"])
def test_quoted_scalars_are_text(text: str) -> None:
    assert yaml(f'a: ["{text}"]') == yaml(f"a: ['{text}']") == {"a": [text]}
    assert yaml(f'"{text}x": 1') == {f"{text}x": 1}


def test_text_in_lines_of_its_own() -> None:
    assert yaml("a: |\n  one\n  two\nb: >\n  one\n  two\n") == {"a": "one\ntwo\n", "b": "one two\n"}


def test_one_document_may_be_marked() -> None:
    assert yaml("%YAML 1.2\n---\na: 1\n...\n") == {"a": 1}


# ---------------------------------------------------------------- refusals of the YAML reader


@pytest.mark.parametrize(
    ("text", "line", "problem", "hint"),
    [
        # what YAML has and model files do not
        ("a: 1\nb: !x 2", 2, "tags (!x)", "remove"),
        ("a: !!float 2", 1, "tags (!!float)", "remove"),
        ("a: !x!y 2", 1, "tags", "remove"),
        ("a:\n  b: &x 2", 2, "anchors (&x)", "write the value out"),
        ("a: 1\nb: *x", 2, "aliases (*x)", "write the value out"),
        ("a:\n  <<: {b: 1}", 2, "merge keys", "write the entries out"),
        ("a: 1\n---\nb: 1", 2, "second document", "one model"),
        ("%TAG ! x\n---\na: 1", 1, "%", "remove the line"),
        ("# c\n%YAML 1.1\n---\na: no", 2, "%", "remove the line"),
        ("a: 1\nb: 2\na: 3", 3, "written a second time, first on line 1", "rename or remove"),
        ("a: 1\n2: 3", 2, 'a key must be text, and "2" is not', 'in quotes: "2"'),
        ("a: {true: 3}", 1, 'a key must be text, and "true" is not', "quotes"),
        ("a: {~: 3}", 1, 'a key must be text, and "~" is not', "quotes"),
        ("? [a]\n: 1", 1, "a key cannot be a list", "a key is a name"),
        ("a: .nan", 1, ".nan is not a finite number", "1.8e308"),
        ("a: [1,\n -.INF]", 2, "-.INF is not a finite number", "1.8e308"),
        ("a: 1e999", 1, "1e999 is not a finite number", "1.8e308"),
        ("a: " + "9" * 5000, 1, "99... is not a finite number", "1.8e308"),
        ("a: x\nb: y\u2028z", 2, "line break U+2028", "\\u2028"),
        ("a: x\nb: \x07", 2, "U+0007", "escape"),
        # slips that are YAML by accident
        ("a: {mass:1.0, b: 2}", 1, "a space is missing after the colon", 'write "mass: 1.0"'),
        ("a:\n  crank:{mass: 1}\n", 2, "a space is missing after the colon", 'write "crank: {mass: 1}"'),
        ("a:\n  crank:1  # c\n", 2, "a space is missing after the colon", 'write "crank: 1"'),
        ("a: {b: 1, c}", 1, '"c" has no value', "KEY: VALUE"),
        ("a: {mass 1.0, b: 2}", 1, '"mass 1.0" has no value', 'write "mass: 1.0"'),
        ("a: [arm, {k}]", 1, '"k" has no value', "written $k"),
        ("a:\n  b: {value: max(c, d), e: 1}", 2, "text with commas is cut apart", 'in quotes: "max(c, d)"'),
        ("a: [0, atan2(y,\n  f(x, z))/2, 1]", 1, "text with commas is cut apart", '"atan2(y, f(x, z))/2"'),
        ("a: {b: norm(c, [1, 2]), d: 1}", 1, "text with commas is cut apart", '"norm(c, [1, 2])"'),
        # what is not YAML
        ("a:\n\tb: 1", 2, "a tab", "spaces"),
        ("a:\tb", 1, "a tab", "spaces"),
        ("a: [arm, planet{k}.pin]", 1, "braces cannot stand in a name", "planet$k"),
        ("a: {b: norm([c, d])}", 1, "text with commas is cut apart", '"norm([c, d])"'),
        ("a: {b: c[0]}", 1, 'this "[" of an expression', "quotes"),
        ("a: 1\nb:2\nc: 3", 2, "a space is missing after the colon", 'write "b: 2"'),
        ("a:\n  b: 1\n  c:2\n", 3, "a space is missing after the colon", 'write "c: 2"'),
        ("a:\n  b:1\n  c: 2\n", 2, "a space is missing after the colon", 'write "b: 1"'),
        ("a: [0, -9.81\nb: {c: 1}\nd:\n  e: 1", 1, 'the "[" opened here is not closed', 'add "]"'),
        ("x: 1\na: {b: [1, 2]\n", 2, 'the "{" opened here is not closed', 'add "}"'),
        ("a: [1,", 1, 'the "[" opened here is not closed', 'add "]"'),
        ("a: ['[', \"{\", 1,  # [\n", 1, 'the "[" opened here is not closed', 'add "]"'),
        ("a: {b: [1, 2}", 1, 'a "[" opened on this line is closed by "}"', 'close it by "]"'),
        ("a: {b: 1,\n  c: 2]", 2, 'a "{" opened on line 1 is closed by "]"', 'close it by "}"'),
        ("a: [1]]", 1, 'the "]" here closes nothing', "remove it"),
        ("a: }", 1, 'the "}" here closes nothing', "remove it"),
        ("a: {\n  b: {c: 1}\n  d: {e: 1}\n}", 3, "a comma is missing", "separate entries by commas"),
        ("a: {b: 1.0 c: 2.0}", 1, "a comma is missing", "separate entries by commas"),
        ("a: [1,, 2]", 1, "nothing stands before this comma", "remove the comma"),
        ("a: [b ? c, d]", 1, 'a "?" cannot stand', "quotes"),
        ("a: {: 3}", 1, "no key stands before this colon", "write the key"),
        ("a: b: c", 1, 'a second ": "', "quotes"),
        ("a: b\n  c: d", 2, "indented deeper than the line above", "equally"),
        ("a:\n    b: 1\n  c: 2", 3, "indentation of this line fits no line above", "equally"),
        ("name x\n# c\nb: 2", 1, 'not of the form "key: value"', "quotes"),
        ("a: 1\nb\n", 2, 'not of the form "key: value"', "quotes"),
        ("a: - b", 1, "cannot stand on the line of its key", "[ ... ]"),
        ("a: 1\n- b", 2, "among the entries of a map", "indent"),
        ("- a\nb: 1", 2, "among the items of a list", "dash"),
        ("a: @x", 1, 'a value cannot begin with "@"', "quotes"),
        ("a: *x*2", 1, 'a value cannot begin with "*"', "quotes"),
        ("a: >0", 1, 'a value cannot begin with ">"', "quotes"),
        ('a: 1\nb: "x\nc: 2', 2, 'the quote " opened here is not closed', "closing quote"),
        ('a: "\\q"', 1, '"\\q" is no escape', "single quotes"),
        ("a: 'x'*2", 1, "something follows a closed quote or bracket", "quotes"),
        ("a: [1, 2]*2", 1, "something follows a closed quote or bracket", "quotes"),
        ("{a: 1}\nb: 2", 2, "complete before this line", "brackets"),
    ],
)
def test_refusals_name_line_problem_and_remedy(text: str, line: int, problem: str, hint: str) -> None:
    error = refused(text)
    assert error.line == line
    assert problem in error.problem
    assert hint in error.hint
    assert str(error).startswith(f"m.yaml:{line}: ")
    assert not isinstance(error, ModelErrors), f"one slip, one message: {error}"
    for jargon in ("while ", "token", "scalar", "<block", "simple key", "stream"):
        assert jargon not in str(error)


def test_a_refusal_shows_the_source_with_a_caret() -> None:
    assert str(refused("a: 1\nb: {c: [1, 2}\n")).splitlines()[1:] == ["    b: {c: [1, 2}", "                ^"]
    long = "a: [" + "b, " * 100 + "@, " + "d, " * 100 + "]"
    source, caret = refused(long).detail.splitlines()
    assert len(source) <= 100
    assert source[caret.index("^")] == "@"


def test_a_refusal_says_where_in_words() -> None:
    error = refused("joints:\n  A: {x: 1}\n  A: {x: 2}")
    assert str(error) == (
        'm.yaml:3: joint "A": written a second time, first on line 2; rename or remove one of the two'
    )
    assert error.where == "joints.A"


def test_all_faults_come_at_once() -> None:
    error = refused("a: .nan\nb: &x 1\nc: 1\nc: 2\nd: [1\n")
    assert isinstance(error, ModelErrors)
    assert [fault.line for fault in error.errors] == [1, 2, 4, 5]
    assert (error.line, error.where) == (1, "a")


def test_no_code_is_run(tmp_path: Any) -> None:
    touched = tmp_path / "touched"
    for text in (
        f'a: !!python/object/apply:os.system ["touch {touched}"]',
        f'!!python/object/apply:os.system ["touch {touched}"]',
        f'? !!python/object/apply:os.system ["touch {touched}"]\n: 1',
        "a: !!python/name:os.system",
        "a: !!python/object/new:type {}",
    ):
        assert "tags (!!python/" in str(refused(text))
    assert not touched.exists()


def test_depth_is_limited() -> None:
    assert yaml("[" * 50 + "]" * 50) is not None
    for text in ("[" * 51 + "]" * 51, "[" * 100_000, "{a: " * 51 + "1" + "}" * 51, "- " * 51 + "1"):
        assert "deeper than 50 levels" in refused(text).problem
    assert read_json("[" * 50 + "]" * 50, "m.json").data is not None
    assert "deeper than 50 levels" in refused("[" * 100_000, read_json).problem


@pytest.mark.parametrize("reader", [read_yaml, read_json])
def test_size_is_limited(reader: Any) -> None:
    assert "more than the 10000000" in refused(" " * 10_000_001, reader).problem


@given(st.text(alphabet="ab1 .:-#,[]{}()\"'\n&*!?|>%@$\t\\", max_size=40))
def test_every_text_is_read_or_refused_in_order(text: str) -> None:
    try:
        document = read_yaml(text, "m.yaml")
    except ModelError as error:
        assert error.file == "m.yaml"
        assert error.line is not None
        assert 1 <= error.line <= text.count("\n") + 1
        assert error.hint
    else:
        same(yaml(write_yaml(document.data)), document.data)


# ---------------------------------------------------------------- JSON


def test_json_gives_the_same_document_as_yaml() -> None:
    data = yaml(SLIDER_CRANK)
    text = json.dumps(data, indent=2)
    document = read_json(text, "m.json")
    assert document.data == data
    lines = text.splitlines()
    for path, key in (
        (("bodies", "rod", "com"), '"com": ['),
        (("joints", "S"), '"S": {'),
        (("bodies", "rod", "com", 0), '"l3/2"'),
    ):
        line = document.line(path)
        assert line is not None
        assert key in lines[line - 1]
    assert document.line(("joints", "S", "none")) == document.line(("joints", "S"))
    assert read_json('\r\n\r\n{\r\n\t"a": 1}', "m.json").line(("a",)) == 4


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=15,
)


@given(json_values, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_json_is_read_as_the_standard_library_reads_it(data: Any, indent: Any, ascii_only: bool) -> None:
    same(read_json(json.dumps(data, indent=indent, ensure_ascii=ascii_only), "m.json").data, data)


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("", 1, "empty"),
        ('{"a": 1,\n"a": 2}', 2, "written a second time, first on line 1"),
        ('{"a":\n NaN}', 2, "NaN is not a finite number"),
        ("[-Infinity]", 1, "-Infinity is not a finite number"),
        ("[1e999]", 1, "1e999 is not a finite number"),
        ("[1,\n2,\n]", 3, 'a value is missing before "]"'),
        ('{"a": 1,\n}', 2, "a key is missing"),
        ("{a: 1}", 1, "a key is missing"),
        ('{"a" 1}', 1, "a colon is missing"),
        ('{"a": 1\n "b": 2}', 2, 'a comma or "}" is missing'),
        ('{"a": [1, 2', 1, 'a comma or "]" is missing'),
        ('{"a":', 1, "a value is missing before the end of the file"),
        ('["a\nb"]', 1, "this text is not closed"),
        ("[012]", 1, "neither number"),
        ("[.5]", 1, "neither number"),
        ("[True]", 1, "neither number"),
        ("[1] 2", 1, "something follows the end"),
    ],
)
def test_json_refusals(text: str, line: int, problem: str) -> None:
    error = refused(text, read_json)
    assert error.line == line
    assert problem in error.problem
    assert error.hint


# ---------------------------------------------------------------- writing


def same(one: Any, other: Any) -> None:
    """Assert equality of value, type and order all the way down; -0.0 is not 0.0."""
    assert type(one) is type(other)
    if isinstance(one, dict):
        assert list(one) == list(other)
        for key in one:
            same(one[key], other[key])
    elif isinstance(one, list):
        assert len(one) == len(other)
        for mine, theirs in zip(one, other, strict=True):
            same(mine, theirs)
    else:
        assert repr(one) == repr(other)


def test_a_model_is_written_as_a_person_would() -> None:
    text = """\
name: slider-crank
dimension: 2
gravity: [0, -9.81]
parameters: {l2: 0.15, l3: 0.35}
bodies:
  crank: {mass: 1.0, inertia: 0.01, frames: {pin: [l2, 0]}}
  rod: {mass: 0.5, inertia: 0.5*l3^2/12, com: [l3/2, 0]}
joints:
  A: {revolute: [crank.pin, rod]}
motions: {O: "step(t, 0, 0, 1, pi)"}
initial: {O: 0.3, O.rate: 15}
outputs:
  on: max(rod.x, rod.y) + a_rather_long_name_of_a_parameter*another_rather_long_name_of_a_parameter
  lift: atan2(rod.y, rod.x)
repeat:
  - for: {k: n}
    bodies:
      planet$k: {mass: 0.1, inertia: 1e-05, at: [a*cos(2*pi*k/n), a*sin(2*pi*k/n)]}
      other$k: {mass: 0.1}
"""
    assert write_yaml(yaml(text)) == text


@given(json_values)
def test_what_is_written_reads_back_exactly(data: Any) -> None:
    text = write_yaml(data)
    same(read_yaml(text, "m.yaml").data, data)
    assert text.endswith("\n")


pieces = st.lists(
    st.sampled_from(
        [
            *"ab1 .:-#,[]{}()\"'\n&*!?|>%@$\t\\=~<+eE0x^\x85\u2028\ufeff\x7f\xa0é",
            *("true", "null", ".inf", "<<", "---", "...", ": ", " #", "1e5", "0o7", "$k", "max(a, b)"),
        ]
    ),
    max_size=5,
).map("".join)


@given(st.dictionaries(pieces, pieces | st.lists(pieces, max_size=3), max_size=3), pieces, st.booleans())
def test_awkward_text_reads_back_exactly(data: dict[str, Any], text: str, deep: bool) -> None:
    whole: Any = {"a": {"b": {"c": data, text: [data, [text]]}}} if deep else [data, text]
    same(yaml(write_yaml(whole)), whole)
    same(yaml(write_yaml({"a": {text: text}})), {"a": {text: text}})


def test_lines_stay_within_100_columns_where_they_can() -> None:
    data = {"bodies": {f"b{i}": {"com": [1.5] * i, "frames": {f"f{j}": [j, j] for j in range(i)}} for i in range(40)}}
    text = write_yaml(data)
    assert max(map(len, text.splitlines())) <= 100
    same(yaml(text), data)


def test_subclasses_and_tuples_are_written_as_what_they_are() -> None:
    np = pytest.importorskip("numpy")
    assert write_yaml({"a": np.float64(0.1), "b": (1, 2)}) == "a: 0.1\nb: [1, 2]\n"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"joints": {"A": float("nan")}}, 'joint "A": a file cannot hold the number nan'),
        ({"a": [1.0, float("-inf")]}, "a, item 2: a file cannot hold the number -inf"),
        ({"a": {1: 2}}, "a: a file cannot have the key '1'"),
        ({"a": {"x" * 301: 2}}, "a: a file cannot have the key"),
        ({"bodies": {"rod": {1, 2}}}, 'body "rod": a file cannot hold a set'),
        ({"a": b"x"}, "a: a file cannot hold a bytes"),
    ],
)
def test_what_a_file_cannot_hold_is_refused_by_name(data: Any, said: str) -> None:
    with pytest.raises(ModelError) as caught:
        write_yaml(data)
    assert str(caught.value).startswith(said)


def test_writing_is_limited_in_depth_like_reading() -> None:
    deep: Any = 1
    for _ in range(50):
        deep = [deep]
    same(yaml(write_yaml(deep)), deep)
    with pytest.raises(ModelError, match="deeper than 50"):
        write_yaml([deep])


# ---------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("", ""),
        ("joints.A", 'joint "A"'),
        ("joints.A.axis", 'joint "A", axis'),
        ("joints.A.axis.1", 'joint "A", axis, item 2'),
        ("bodies.rod.frames.small", 'body "rod", frame "small"'),
        ("bodies.rod.shape.rod", 'body "rod", shape, rod'),
        ("parameters.l2", 'parameter "l2"'),
        ("motions.O", 'motion "O"'),
        ("motions.crank_pivot.angle", 'motion "crank_pivot.angle"'),
        ("forces.x", 'force "x"'),
        ("initial.O.rate", 'initial "O.rate"'),
        ("guess.S", 'guess "S"'),
        ("outputs.lift", 'output "lift"'),
        ("tables.lift.x", 'table "lift", x'),
        ("events.e", 'event "e"'),
        ("ground.seat", 'ground, frame "seat"'),
        ("ground.frames.seat", 'ground, frame "seat"'),
        ("ground", "ground"),
        ("repeat.0.bodies.planet$k", 'repeat 1, body "planet$k"'),
        ("units.length", "units, length"),
        ("joints", "joints"),
        ("rssr", "rssr"),
    ],
)
def test_paths_in_words(where: str, said: str) -> None:
    assert words(where) == said


def test_the_nearest_name() -> None:
    assert nearest("pim", ["origin", "com", "pin"]) == 'did you mean "pin"?'
    assert nearest("angel", ["angle", "rate"]) == 'did you mean "angle"?'
    assert nearest("PIN", ["pin"]) == 'did you mean "pin"?'
    assert nearest("crank", ["Rod", "slider"]) == ""
    assert nearest("x", []) == ""


def test_a_model_error_reads_as_one_sentence() -> None:
    hint = 'did you mean "pin"? It has origin, com, pin.'
    error = ModelError('body "crank" has no frame "pim"', where="joints.A", hint=hint)
    assert str(error) == f'joint "A": body "crank" has no frame "pim"; {hint}'
    located = error.located("slider-crank.yaml", 12)
    assert str(located) == f"slider-crank.yaml:12: {error}"
    assert (located.where, located.hint, located.file, located.line) == ("joints.A", hint, "slider-crank.yaml", 12)
    assert error.file is None, "locating makes a copy"
    assert str(located.located("other.yaml", 1)) == str(located), "what is known stays"
    assert str(ModelError("empty", file="m.yaml")) == "m.yaml: empty"
    assert str(ModelError("empty", line=3)) == "line 3: empty"


def test_details_stand_below_indented() -> None:
    error = ModelError('unknown name "O.angel"', where="motions.O", detail="pi/3*sin(O.angel)\n         ^^^^^^^")
    assert str(error).splitlines() == [
        'motion "O": unknown name "O.angel"',
        "    pi/3*sin(O.angel)",
        "             ^^^^^^^",
    ]


def test_several_errors_show_ten_and_count_the_rest() -> None:
    errors = [ModelError(f"fault {i}", where=f"joints.J{i}", hint="mend it") for i in range(13)]
    together = ModelErrors([ModelErrors(errors[:5]), *errors[5:]])
    lines = str(together).splitlines()
    assert lines[0] == 'joint "J0": fault 0; mend it'
    assert len(lines) == 11
    assert lines[-1] == "(+3 more)"
    assert len(together.errors) == 13
    assert (together.where, together.hint, together.line) == ("joints.J0", "mend it", None)
    located = together.located("m.yaml", 7)
    assert [error.line for error in located.errors] == [7] * 13
    assert (located.file, located.line) == ("m.yaml", 7)
    assert "more" not in str(ModelErrors(errors[:10]))
    with pytest.raises(ValueError, match="at least one"):
        ModelErrors([])


def test_errors_survive_a_change_of_process() -> None:
    one = ModelError("p", where="joints.A", hint="h", file="f", line=2, detail="d")
    for error in (one, ModelErrors([one, one]), AnalysisError("failed", status={"time": 1.0})):
        copy = pickle.loads(pickle.dumps(error))
        assert type(copy) is type(error)
        assert str(copy) == str(error)
    assert pickle.loads(pickle.dumps(AnalysisError("failed", status=3))).status == 3
    assert AnalysisError("failed").status is None
