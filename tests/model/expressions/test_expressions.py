"""The expression language: reading, printing, folding, derivatives, vectors, values, and what is refused."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import multibody.model.expressions as ex
from multibody.model.expressions import (
    FUNCTIONS,
    Expression,
    ExpressionError,
    Number,
    as_number,
    check_calls,
    component,
    components,
    differentiate,
    evaluate,
    fold,
    name,
    names,
    number,
    parse,
    substitute,
    switches,
    tables,
)

Path = tuple[str, ...]

x, y, z = name("x"), name("y"), name("z")


def value(formula: str | Number, **names_: Any) -> Any:
    """Value of a formula for given names; "rod__x" stands for rod.x."""
    known = {tuple(key.split("__")): each for key, each in names_.items()}
    return evaluate(parse(formula) if isinstance(formula, str) else formula, known.__getitem__)


def tree(op: str, *args: Any) -> Expression:
    return Expression(op, args)


# Reading


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", number(1)),
        (".5", number(0.5)),
        ("2.", number(2)),
        ("1e-3", number(1e-3)),
        ("1.5E+3", number(1500)),
        ("-2", number(-2)),
        ("-(2)", tree("neg", number(2))),
        ("-x^2", tree("neg", tree("^", x, number(2)))),
        ("-2^2", tree("neg", tree("^", number(2), number(2)))),
        ("(-2)^2", tree("^", number(-2), number(2))),
        ("2^-1", tree("^", number(2), number(-1))),
        ("2^-x^2", tree("^", number(2), tree("neg", tree("^", x, number(2))))),
        ("x**y", tree("^", x, y)),
        ("x^y^z", tree("^", x, tree("^", y, z))),
        ("x - y - z", tree("-", tree("-", x, y), z)),
        ("x/y*z", tree("*", tree("/", x, y), z)),
        ("x - y*z", tree("-", x, tree("*", y, z))),
        ("-x*y", tree("*", tree("neg", x), y)),
        ("x*-y", tree("*", x, tree("neg", y))),
        ("+x", x),
        ("x + 1 < y*2", tree("<", tree("+", x, number(1)), tree("*", y, number(2)))),
        ("(x)", x),
        ("rod.small.x.rate", name("rod", "small", "x", "rate")),
        ("größe_1 + 曲柄.角", tree("+", name("größe_1"), name("曲柄", "角"))),
        ("lift(phi)", tree("call", "lift", name("phi"))),
        ("lift''(phi)", tree("table", "lift", 2, name("phi"))),
        ("f()", tree("call", "f")),
        ("if(x >= 0, 1, y)", tree("call", "if", tree(">=", x, number(0)), number(1), y)),
        ("[x, 0, y]", tree("vector", x, number(0), y)),
        ("(x + y).z", tree("component", tree("+", x, y), "z")),
        ("cross(x, y).x", tree("component", tree("call", "cross", x, y), "x")),
        ("[x, y].y", tree("component", tree("vector", x, y), "y")),
        ("0*x + 2*3", tree("+", tree("*", number(0), x), tree("*", number(2), number(3)))),
        (" x\n\t+ y ", tree("+", x, y)),
    ],
)
def test_parse(text: str, expected: Expression) -> None:
    assert parse(text) == expected


REFUSED = [
    ("", "", "empty"),
    ("   ", "", "empty"),
    ("__import__('os')", "__import__", "names begin with a letter"),
    ("x.__class__", "x.__class__", "names begin with a letter"),
    ("(x).__class__", ".__class__", "component"),
    ("x._y", "x._y", "names begin with a letter"),
    ("a[0]", "[", "a.x, a.y, a.z"),
    ("lambda x: x", "lambda", "cannot stand"),
    ("x if y else z", "else", "if(condition, a, b)"),
    ("x if(y, 1, 2)", "if", "operator is missing"),
    ("if(x, y)(z)", "(", "operator is missing"),
    ("x and y", "and", "nest if"),
    ("not x", "not", "if(a, 0, 1)"),
    ("True", "True", "write 1"),
    ("f('os')", "'", "quoted"),
    ('"text"', '"', "quoted"),
    ("x'", "'", "prime"),
    ("x; y", ";", "one formula"),
    ("(x := 1)", ":=", "assign"),
    ("x = 1", "=", "=="),
    ("x // 2", "//", "a/b"),
    ("x % 2", "%", "remainder"),
    ("x && y", "&&", "nest if"),
    ("!x", "!", "!="),
    ("a @ b", "@", "dot"),
    ("{x}", "{", "( )"),
    ("planet$k", "$", "repeat"),
    ("30°", "°", "30*deg"),
    ("x \u2212 1", "\u2212", "ASCII minus"),
    ("x\\y", "\\", "cannot stand"),
    ("x\0y", "\0", "U+0000"),
    ("0x10", "0x10", "decimal"),
    ("1_000", "1_000", "without _"),
    ("1.2.3", "1.2.3", "one decimal point"),
    ("1e", "1e", "exponent"),
    ("30deg", "30deg", "30*deg"),
    ("2(x + 1)", "(", "a*b"),
    ("x y", "y", "a*b"),
    ("(x) y", "y", "a*b"),
    ("1e999", "1e999", "too large"),
    ("nan", "nan", "finite"),
    ("-inf", "inf", "finite"),
    ("Infinity", "Infinity", "finite"),
    ("٣", "٣", "cannot stand"),
    ("x +", "", "too early"),
    ("x * / y", "/", "missing"),
    ("()", ")", "missing"),
    ("(x", "(", "never closed"),
    ("f(x, y", "(", "never closed"),
    ("[x, y", "[", "never closed"),
    ("x)", ")", "closes nothing"),
    ("(x]", "]", 'write ")"'),
    ("f(x,)", ")", "missing"),
    ("f(,x)", ",", "missing"),
    ("[]", "[", "empty"),
    ("0,5", ",", "0.5"),
    ("x.", "x.", "dot"),
    ("x.5", "x.", "dot"),
    (".x", ".", "cannot stand"),
    ("x + .", ".", "cannot stand"),
    ("(x).w", ".w", ".x, .y, .z"),
    ("x < y < z", "<", "chained"),
    ("rod.sin(x)", "rod.sin", "no dot"),
    ("sin + 1", "sin", "write sin(x)"),
    ("sin'(x)", "sin'", "tables"),
    ("lift'(x, y)", "lift'", "1 argument"),
]


@pytest.mark.parametrize(("text", "marked", "fragment"), REFUSED)
def test_refused(text: str, marked: str, fragment: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    error = caught.value
    assert error.text == text
    assert error.span is not None
    assert text[slice(*error.span)] == marked
    assert fragment in f"{error.problem}; {error.hint}"


def test_error_text_points_at_the_place() -> None:
    with pytest.raises(ExpressionError) as caught:
        parse("pi/3*sin(0x1F)")
    assert str(caught.value).splitlines() == [
        '"0x1F" is not a number; write it in decimal digits',
        "    pi/3*sin(0x1F)",
        "             ^^^^",
    ]
    assert isinstance(caught.value, ValueError)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)


def test_error_text_of_wide_letters_newlines_and_long_sources() -> None:
    with pytest.raises(ExpressionError) as caught:
        parse("曲柄 +\n%")
    assert str(caught.value).splitlines()[1:] == ["    曲柄 + %", "           ^"]
    with pytest.raises(ExpressionError) as caught:
        parse("a + " * 100 + "% + " + "b + " * 100)
    source, carets = str(caught.value).splitlines()[1:]
    assert len(source) < 120
    assert source[carets.index("^")] == "%"


def test_limits() -> None:
    assert parse("(" * 100 + "x" + ")" * 100) == x
    for text in ("(" * 101 + "x" + ")" * 101, "-" * 5000 + "x", "x^" * 3000 + "x", "sin(" * 2000, "[" * 9999):
        with pytest.raises(ExpressionError, match="nested more than 100 deep"):
            parse(text)
    assert parse("x" + " " * 9_999) == x
    with pytest.raises(ExpressionError, match="more than 10000") as caught:
        parse("x" * 10_001)
    assert len(str(caught.value)) < 400


@settings(deadline=None)
@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        parsed = parse(text)
    except ExpressionError as error:
        assert error.span is not None
        assert 0 <= error.span[0] <= error.span[1] <= len(text)
        assert "^" in str(error)
    else:
        assert parse(str(parsed)) == parsed


PIECES = [*"x2+-*^/()[],<()f' ", "rod.y", ".5", "==", "sin", ".x", "1e-3"]


@settings(max_examples=120, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_shuffled_pieces_are_read_or_refused(text: str) -> None:
    try:
        parsed = parse(text)
    except ExpressionError as error:
        assert error.hint
    else:
        assert parse(str(parsed)) == parsed


def test_every_node_knows_its_place() -> None:
    text = "2*(a + sin(b.c))^-k"
    found = {text[slice(*node.span)] for node in ex.postorder(parse(text)) if node.span is not None}
    assert found == {"2", "a", "b.c", "sin(b.c)", "a + sin(b.c)", "(a + sin(b.c))^-k", "k", "-k", text}
    assert all(node.text == text for node in ex.postorder(parse(text)))


# Numbers


def test_as_number() -> None:
    assert as_number(2) == 2.0
    assert type(as_number(2)) is float
    assert as_number("-1e-3") == -1e-3
    assert type(as_number(np.float64(0.5))) is float
    assert as_number(np.int64(3)) == 3.0
    assert as_number(number(4)) == 4.0
    assert as_number("30*deg") == tree("*", number(30), name("deg"))
    assert as_number(x) is x
    for wrong in (True, math.nan, math.inf, None, [1.0], 1j, 10**400, np.bool_(True), "nan", b"1"):
        with pytest.raises(ExpressionError):
            as_number(wrong)
    with pytest.raises(ExpressionError):
        number(math.nan)
    for wrong_name in ("a b", "", "rod.x", "1a"):
        with pytest.raises(ExpressionError):
            name(wrong_name)


# Printing


@pytest.mark.parametrize(
    "text",
    [
        "0.5*l3^2/12", "-(a + b)", "-a*b", "a*(b/c)", "a - (b - c)", "a - (b + c)", "(a^b)^c", "a^b^c", "a^-b",
        "a^(b*c)", "(-2)^2", "-2^2", "2*-3", "a + -2", "-(2)", "--2", "--a", "1e-05", "1e+22",
        "if(a <= b, [a, b].x, (a).y)",
        "(a < b) == (b < c)", "lift'(phi) + lift''(2*phi)", "rod.small.x - 1", "(a + b).x.y", "f()", "-f(a)^2",
        "0.1 + 2", "a*b*c/d", "(2).x", "-(a*b)", "(a == b)*c",
    ],
)  # fmt: skip
def test_prints_as_written(text: str) -> None:
    assert str(parse(text)) == text
    assert repr(parse(text)) == f"Expression({text!r})"


@pytest.mark.parametrize(
    ("text", "printed"),
    [("((a))*(b)", "a*b"), ("2.0", "2"), ("a**2", "a^2"), ("(a*b)*c", "a*b*c"), ("+a", "a"), ("(a^2)*-(b)", "a^2*-b")],
)
def test_prints_with_few_parentheses(text: str, printed: str) -> None:
    assert str(parse(text)) == printed


identifiers = st.sampled_from(["x", "y", "rod", "l2", "größe", "曲柄", "t", "pi"])
finite = st.floats(allow_nan=False, allow_infinity=False)
paths = st.lists(identifiers, min_size=1, max_size=3).map(lambda parts: name(*parts))


def _grown(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    binary = st.sampled_from(["+", "-", "*", "/", "^", "<", "<=", ">", ">=", "==", "!="])
    return st.one_of(
        st.builds(lambda op, a, b: tree(op, a, b), binary, inner, inner),
        st.builds(lambda a: tree("neg", a), inner),
        st.builds(lambda f, args: tree("call", f, *args), st.sampled_from(["sin", "f", "if", "lift"]),
                  st.lists(inner, max_size=3)),
        st.builds(lambda f, order, a: tree("table", f, order, a), st.just("lift"), st.integers(1, 3), inner),
        st.builds(lambda args: tree("vector", *args), st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda a, axis: tree("component", a, axis), inner, st.sampled_from("xyz")),
    )  # fmt: skip


trees = st.recursive(st.one_of(finite.map(number), paths), _grown, max_leaves=12)


@settings(max_examples=120, deadline=None)
@given(trees)
def test_round_trip(expression: Expression) -> None:
    again = parse(str(expression))
    assert again == expression
    assert hash(again) == hash(expression)
    assert str(again) == str(expression)
    assert pickle.loads(pickle.dumps(expression)) == expression


# The tree


def test_expressions_are_immutable_values() -> None:
    expression = parse("x + 1")
    with pytest.raises(AttributeError):
        expression.op = "-"
    with pytest.raises(AttributeError):
        del expression.args
    with pytest.raises(AttributeError):
        expression.anything = 1
    assert copy.copy(expression) is expression
    assert copy.deepcopy([expression])[0] is expression
    assert expression == parse("(x)  + 1.0")
    assert len({expression, parse("x+1"), parse("1+x")}) == 2
    assert expression != parse("x + 2")
    assert expression != "x + 1"
    assert number(1) != 1.0
    assert pickle.loads(pickle.dumps(expression)).span == expression.span


def test_shared_nodes_are_walked_once() -> None:
    shared: Number = x
    same: Number = x
    for _ in range(200):
        shared, same = shared * shared + 1.0, same * same + 1.0
    assert isinstance(shared, Expression)
    assert shared == same
    assert pickle.loads(pickle.dumps(shared)) == shared
    assert evaluate(shared * 0.5, lambda path: 0.0) > 0.0
    assert names(shared) == {("x",)}
    assert fold(shared) == shared
    assert differentiate(substitute(shared, {("x",): y}), ("x",)) == 0.0


@pytest.mark.parametrize("terms", [2000, 3000])
def test_long_sums_meet_no_recursion_limit(terms: int) -> None:
    text = "+".join("x" * terms)
    expression = parse(text)
    assert parse(str(expression).replace(" ", "")) == expression
    assert hash(expression) == hash(parse(text))
    assert pickle.loads(pickle.dumps(expression)) == expression
    assert differentiate(expression, ("x",)) == terms
    assert value(expression, x=2.0) == 2.0 * terms
    assert fold(expression) == expression
    assert substitute(expression, {("x",): 3.0}) == 3.0 * terms
    assert names(expression) == {("x",)}
    assert switches(expression) == []
    assert check_calls(expression) is expression
    assert components(expression, lambda path: 0) is expression
    assert components(expression, lambda path: 3)[2] == substitute(expression, {("x",): name("x", "z")})  # type: ignore[index]


def test_long_chains_of_every_kind() -> None:
    products = parse("x" + "*2" * 1000)
    assert fold(products) == x * 2.0**1000 / 1.0
    assert products * 3.0 == x * (3.0 * 2.0**1000)
    assert value(differentiate(parse("x" + "*x" * 3000), ("x",)), x=1.0) == 3001.0
    many = parse("min(" + ", ".join(["x"] * 3000) + ")")
    assert value(differentiate(many, ("x",)), x=1.0) == 1.0
    assert switches(many) == []
    nested: Number = x
    for _ in range(3000):
        nested = ex.sin(nested)
    slope = differentiate(nested, ("x",))
    assert 0.0 < value(slope, x=1.0) < 1.0
    assert str(nested).startswith("sin(sin(")


# Python operators


def test_operators_fold() -> None:
    assert 0 * x == 0.0
    assert type(0 * x) is float
    assert x * 0.0 == 0.0
    assert x + 0 is x
    assert 0.0 + x is x
    assert x - 0 is x
    assert 1 * x is x
    assert x / 1 is x
    assert x**1 is x
    assert x**0 == 1.0
    assert 1**x == 1.0
    assert 0 / x == 0.0
    assert x - x == 0.0
    negative = -x
    assert -negative is x
    assert str(0 - x) == "-x"
    assert str(-1 * x) == "-x"
    assert str(x + -2) == "x - 2"
    assert str(x - -2) == "x + 2"
    assert str(x + -y) == "x - y"
    assert str(x - -y) == "x + y"
    assert str(-x * -y) == "x*y"
    assert str(2 * (3 * x)) == "6*x"
    assert str(-x * 2 * 3) == "x*-6"
    assert str(0.5 * x**2 / 12) == "0.5*x^2/12"
    assert str(2**x) == "2^x"
    assert str(1 / x) == "1/x"
    assert str(2 - x) == "2 - x"
    assert number(2) * number(3) == 6.0
    assert number(2) ** 3 == 8.0
    assert str(abs(x)) == "abs(x)"
    assert abs(number(-2)) == 2.0
    assert +x is x


def test_operations_without_a_finite_value_stay_formulas() -> None:
    assert str(number(1) / 0) == "1/0"
    assert str(number(0) / 0) == "0/0"
    assert str(x / 0) == "x/0"
    assert str(number(-1) ** 0.5) == "(-1)^0.5"
    assert str(number(0) ** -1) == "0^-1"
    assert str(number(1e300) * 1e300) == "1e+300*1e+300"
    assert str(number(1e308) + 1e308) == "1e+308 + 1e+308"
    assert str(number(-1e308) - 1e308) == "-1e+308 - 1e+308"
    assert str(x * 1e-200 * 1e-200) == "x*1e-200*1e-200"
    assert str(ex.log(0)) == "log(0)"
    assert fold(parse("if(0 != 0, 1/0, 2)")) == 2.0


def test_comparisons_build_nodes() -> None:
    assert str(x < 1) == "x < 1"
    assert str(x <= 1) == "x <= 1"
    assert str(x > 1) == "x > 1"
    assert str(x >= y) == "x >= y"
    assert (number(1) < 2) == 1.0
    with pytest.raises(TypeError, match="if_"):
        bool(x < 1)
    with pytest.raises(TypeError, match="min_"):
        min(x, y)
    assert bool(x)


def test_operators_with_numpy_and_sequences() -> None:
    assert str(np.float64(2) * x) == "2*x"
    assert str(x * np.float64(2)) == "x*2"
    assert str(x + np.int64(2)) == "x + 2"  # type: ignore[operator]
    assert [str(each) for each in np.array([1.0, 2.0]) * x] == ["x", "2*x"]
    offset = (0, 0, y)
    assert str(x + offset) == "x + [0, 0, y]"
    assert str(offset + x) == "[0, 0, y] + x"
    assert str((0, 1) * x) == "[0, 1]*x"
    for wrong in ("y", None, True, ()):
        with pytest.raises(TypeError):
            x + wrong  # type: ignore[operator]
    with pytest.raises(ExpressionError):
        x + math.nan


def test_python_functions() -> None:
    assert ex.sin(0.5) == math.sin(0.5)
    assert str(ex.sin(2 * x)) == "sin(2*x)"
    assert ex.min_(3, 1, 2) == 1.0
    assert ex.max_(3, 1, 2) == 3.0
    assert ex.if_(x > 0, 1, 1) == 1.0
    assert ex.if_(1, x, y) is x
    assert ex.if_(number(0), x, y) is y
    assert ex.step(0.5, 0, 0, 1, 2) == 1.0
    assert ex.haversine(0.5, 0, 0, 1, 2) == pytest.approx(1.0)
    assert ex.poly(2, 1, 1, 1, 1) == 3.0
    assert ex.poly(x, 0, y, 0, 0) is y
    assert str(ex.poly(x, 0, 1, 2, 0)) == "poly(x, 0, 1, 2)"
    assert str(ex.atan2(y, x)) == "atan2(y, x)"
    assert str(ex.t * ex.rpm) == f"t*{2 * math.pi / 60!r}"
    assert (ex.pi, ex.deg) == (math.pi, math.pi / 180)
    with pytest.raises(TypeError, match="atan2"):
        ex.atan2(1.0)
    with pytest.raises(ExpressionError, match="sin cannot take"):
        ex.sin("x")  # type: ignore[arg-type]
    python_names = {"abs": "abs_", "min": "min_", "max": "max_", "if": "if_"}
    for each in FUNCTIONS:
        assert getattr(ex, python_names.get(each, each)).__doc__


# Folding and substitution


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("2*3 + 1", "7"), ("x + 0", "x"), ("0 + x*1", "x"), ("x*(2 - 2)", "0"), ("x^(3 - 2)", "x"), ("x^0", "1"),
        ("--x", "x"), ("-(2)", "-2"), ("sin(0)*x + y", "y"), ("x*2*3", "x*6"), ("2*x*3", "6*x"), ("1/0", "1/0"),
        ("2 < 3", "1"), ("if(2 < 3, x, y)", "x"), ("if(x, y, y)", "y"), ("30*deg/pi", repr(30 * ex.deg / ex.pi)),
        ("lift(1 + 1)", "lift(2)"), ("lift'(1 + 1)", "lift'(2)"), ("[1 + 1, x*1]", "[2, x]"), ("(x + 0).y", "(x).y"),
        ("sin(1, 2)", "sin(1, 2)"), ("0*[1, 2]", "0*[1, 2]"), ("x - x", "0"), ("max(1, 2, 3)", "3"), ("0/x", "0"),
        ("min(x, x)", "x"), ("max(x, y, x)", "max(x, y)"),
    ],
)  # fmt: skip
def test_fold(text: str, folded: str) -> None:
    assert str(as_number(str(fold(parse(text))))) == str(as_number(folded))


def test_fold_keeps_what_needs_no_folding_and_its_place() -> None:
    expression = parse("sin(x)*y + z")
    assert fold(expression) is expression
    changed = fold(parse("sin(x + 0)*y"))
    assert isinstance(changed, Expression)
    assert changed.text == "sin(x + 0)*y"
    assert fold(2) == 2.0


scalar_trees = st.recursive(
    st.one_of(st.integers(-3, 3).map(number), st.sampled_from([x, y, z, name("pi")])),
    lambda inner: st.one_of(
        st.builds(lambda op, a, b: tree(op, a, b), st.sampled_from(["+", "-", "*", "/", "^", "<", "=="]), inner, inner),
        st.builds(lambda f, a: tree("call", f, a), st.sampled_from(["sin", "exp", "abs", "sqrt", "sign"]), inner),
        st.builds(lambda a, b, c: tree("call", "if", a, b, c), inner, inner, inner),
        st.builds(lambda a: tree("neg", a), inner),
        st.builds(lambda a, b: tree("call", "max", a, b), inner, inner),
    ),
    max_leaves=10,
)
POINT: dict[Path, float] = {("x",): 0.7, ("y",): -1.3, ("z",): 2.1}


def _clean(expression: Expression, lookup: Callable[[tuple[str, ...]], float]) -> bool:
    """Whether all parts of a formula have modest values: neither 0*inf nor rounding decides about the result."""
    parts = [float(evaluate(part, lookup)) for part in ex.postorder(expression)]
    return all(math.isfinite(part) and (part == 0.0 or 1e-6 < abs(part) < 1e6) for part in parts)


def _contains(expression: Expression, *ops: str) -> bool:
    return any(part.op in ops or (part.op == "call" and part.args[0] in ops) for part in ex.postorder(expression))


@settings(max_examples=120, deadline=None)
@given(scalar_trees)
def test_folding_keeps_the_value(expression: Expression) -> None:
    if _clean(expression, POINT.__getitem__) and not _contains(expression, "<", "==", "sign", "if"):
        expected = evaluate(expression, POINT.__getitem__)
        assert evaluate(fold(expression), POINT.__getitem__) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert fold(fold(expression)) == fold(expression)


@settings(max_examples=120, deadline=None)
@given(scalar_trees)
def test_substituting_all_names_gives_the_value(expression: Expression) -> None:
    substituted = fold(substitute(expression, {**POINT, ("pi",): math.pi}))
    expected = evaluate(expression, POINT.__getitem__)
    if _clean(expression, POINT.__getitem__) and not _contains(expression, "<", "==", "sign", "if"):
        assert type(substituted) is float
        assert substituted == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_substitute() -> None:
    expression = parse("a*cos(2*pi*k/n) + 0*b")
    replaced = substitute(expression, {("k",): 3.0, ("a",): y})
    assert str(replaced) == "y*cos(6*pi/n) + 0*b"
    assert substitute(parse("2*k + 1"), {("k",): 3}) == 7.0
    assert str(substitute(parse("x + y"), {("x",): y, ("y",): x})) == "y + x"
    assert str(substitute(parse("p.x + p"), {("p",): 1.0})) == "p.x + 1"
    assert substitute(expression, {}) is expression
    assert substitute(3, {}) == 3.0
    assert isinstance(replaced, Expression)
    assert replaced.text == expression.text


@settings(deadline=None)
@given(
    st.sampled_from(["+", "-", "*", "/", "**"]), st.floats(-5, 5).map(lambda v: round(v, 2)),
    st.floats(-5, 5).map(lambda v: round(v, 2)),
)  # fmt: skip
def test_operators_agree_with_python(op: str, a: float, b: float) -> None:
    try:
        expected = eval(f"a {op} b", {"a": a, "b": b})
    except ZeroDivisionError:
        return
    if isinstance(expected, complex):
        return
    for left, right in ((x, b), (a, y), (x, y)):
        built = eval(f"left {op} right", {"left": left, "right": right})
        assert value(built, x=a, y=b) == pytest.approx(expected, rel=1e-12)


# Derivatives

DIFFERENCES = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))


def slope_by_differences(e: Number, path: tuple[str, ...], at: dict[tuple[str, ...], float], h: float = 5e-3) -> float:
    """Central differences of order 8."""
    total = 0.0
    for k, weight in DIFFERENCES:
        up = evaluate(e, {**at, path: at[path] + k * h}.__getitem__, TABLES)
        down = evaluate(e, {**at, path: at[path] - k * h}.__getitem__, TABLES)
        total += weight * float(up - down) / h
    return total


def _table(argument: Any, order: int) -> Any:
    return np.sin(argument + order * math.pi / 2)


TABLES = {"lift": _table}

# Each function in general position; a, b, c, d, f are drawn away from its kinks and poles.
SMOOTH = {
    "sin": "sin(a*b + 1)",
    "cos": "cos(a*b + 1)",
    "tan": "tan(a/2)*b",
    "asin": "asin(a*b/3)",
    "acos": "acos(a*b/3)",
    "atan": "atan(a*b)",
    "atan2": "atan2(a - 2, b - c)",
    "sinh": "sinh(a*b)",
    "cosh": "cosh(a*b)",
    "tanh": "tanh(a*b)",
    "exp": "exp(-a*b)",
    "log": "log(a*b)",
    "sqrt": "sqrt(a + b^2)",
    "abs": "abs(a*b - 6)*c",
    "sign": "a*sign(b - 6) + sign(a)*b^2",
    "min": "min(a*b, 7 + c^2, a^2 - 9)",
    "max": "max(a*b, 7 + c^2, a^2 - 9)",
    "if": "if(a > 0.2, a^2*b, log(a - 9)) + if(c > 9, a, b*c)",
    "step": "step(a, b - 3, c, d + 3, f) + step(a, 5*b, c*a, 7*d, f) + step(a, -d - 5, c, -b, f*a)",
    "haversine": "haversine(a, b - 3, c, d + 3, f) + haversine(a, 5*b, c*a, 7*d, f) + haversine(a, -d - 5, c, -b, f*a)",
    "step5": "step5(a, b - 3, c, d + 3, f) + step5(a, 5*b, c*a, 7*d, f) + step5(a, -d - 5, c, -b, f*a)",
    "trapezoid": "trapezoid(a, b - 3, c, d + 3, f, 9*d, 9*f + 3) + trapezoid(a, -9*b, c*a, -3*d, f, b - 2, d + 2*f)",
    "poly": "poly(a, b, c, d*a, f, 3, a*c)",
}
MORE = ["a*b/c - b/(a + c)", "a^2*b^0.5", "(a - 1.5)^3", "a^(b*c)", "2^(a*b)", "(a*b)^c", "-a^-b", "lift(a*b)*c",
        "lift'(a^2)", "sin(pi*a)*rpm + a*deg", "(a < 9)*a^2 + (a == b)"]  # fmt: skip

positions = st.fixed_dictionaries({(letter,): st.floats(0.6, 1.4) for letter in "abcdf"})


def test_every_scalar_function_has_a_derivative_test() -> None:
    assert set(SMOOTH) == {title for title, info in FUNCTIONS.items() if info.derivative is not None}


@pytest.mark.parametrize("text", [*SMOOTH.values(), *MORE])
@settings(max_examples=3, deadline=None)
@given(at=positions)
def test_first_and_second_derivatives(text: str, at: dict[tuple[str, ...], float]) -> None:
    expression = parse(text)
    for path in sorted(names(expression) & at.keys()):
        first = differentiate(expression, path)
        expected = slope_by_differences(expression, path, at)
        assert evaluate(first, at.__getitem__, TABLES) == pytest.approx(expected, rel=1e-9, abs=1e-9)
        for other in sorted(names(expression) & at.keys()):
            second = differentiate(first, other)
            expected = slope_by_differences(first, other, at)
            assert evaluate(second, at.__getitem__, TABLES) == pytest.approx(expected, rel=1e-8, abs=1e-8)


@pytest.mark.parametrize(
    ("text", "slope"),
    [
        ("3", "0"), ("x", "1"), ("y", "0"), ("pi*x", repr(math.pi)), ("x^2", "2*x"), ("x^0.5", "0.5*x^-0.5"),
        ("sin(3*x)", "cos(3*x)*3"), ("abs(x)", "sign(x)"), ("sign(x)", "0"), ("min(x, y)", "if(x <= y, 1, 0)"),
        ("if(x > 0, x^2, y)", "if(x > 0, 2*x, 0)"), ("lift(2*x)", "lift'(2*x)*2"), ("lift'(x)", "lift''(x)"),
        ("poly(x, 0, 1, 2, 3)", "poly(x, 0, 2, 6)"), ("x < y", "0"), ("x/y", "1/y"), ("log(x)", "1/x"), ("-x", "-1"),
        ("x^n", "n*x^(n - 1)"), ("rod.x*x", "rod.x"), ("y*(x - x)", "0"), ("atan(x)", "1/(1 + x^2)"),
    ],
)  # fmt: skip
def test_derivatives_are_folded(text: str, slope: str) -> None:
    assert str(as_number(str(differentiate(parse(text), ("x",))))) == str(as_number(slope))


def test_powers_at_zero() -> None:
    assert value(differentiate(parse("x^2"), ("x",)), x=0.0) == 0.0
    assert value(differentiate(parse("x^n"), ("x",)), x=0.0, n=2.0) == 0.0
    assert value(differentiate(parse("x^1"), ("x",)), x=0.0) == 1.0
    assert value(differentiate(parse("x^3"), ("x",)), x=-2.0) == 12.0
    assert value(differentiate(parse("x^0.5"), ("x",)), x=0.0) == math.inf
    second = differentiate(differentiate(parse("x^2"), ("x",)), ("x",))
    assert second == 2.0


def test_ramps_are_flat_at_and_beyond_their_ends() -> None:
    for title in ("step", "step5", "haversine"):
        ramp = parse(f"{title}(x, 1, 2, 3, 6)")
        slope = differentiate(ramp, ("x",))
        at = np.array([-5.0, 1.0, 2.0, 3.0, 9.0])
        assert value(ramp, x=at) == pytest.approx([2, 2, 4, 6, 6])
        assert value(slope, x=at)[[0, 1, 3, 4]] == pytest.approx(0.0, abs=0.0)
        assert value(slope, x=2.0) == pytest.approx({"step": 3.0, "step5": 3.75}.get(title, math.pi))


def test_quintics_have_no_jump_in_their_second_derivative() -> None:
    for text in ("step5(x, 1, 2, 3, 6)", "trapezoid(x, 1, 2, 3, 6, 4, 9)"):
        curve = differentiate(differentiate(parse(text), ("x",)), ("x",))
        for corner in (1.0, 3.0, 4.0, 9.0):
            assert abs(value(curve, x=corner - 1e-7) - value(curve, x=corner + 1e-7)) < 1e-5
    shape = parse("trapezoid(x, 1, 2, 3, 6, 4, 9)")
    at = np.array([0.0, 1.0, 2.0, 3.0, 3.5, 4.0, 6.5, 9.0, 12.0])
    assert value(shape, x=at) == pytest.approx([2, 2, 4, 6, 6, 6, 4, 2, 2])


def test_derivatives_of_what_has_none() -> None:
    for text in ("[x, y]", "norm(p)", "dot(p, q)*x", "(p + q).x"):
        with pytest.raises(ExpressionError, match="components"):
            differentiate(parse(text), ("x",))
    with pytest.raises(ExpressionError, match="takes 1 argument, not 2"):
        differentiate(parse("sin(x, y)"), ("x",))
    with pytest.raises(ExpressionError, match="cannot be differentiated"):
        differentiate(parse("f(x, y)"), ("x",))
    assert differentiate(2.0, ("x",)) == 0.0
    assert differentiate(parse("rod.x^2"), ("rod", "x")) == 2 * name("rod", "x")


# Names, tables, calls


def test_names_and_tables() -> None:
    expression = parse("sin(rod.x)*lift(t) + cam''(pi*rod.x) + [l2, 0].x")
    assert names(expression) == {("rod", "x"), ("t",), ("pi",), ("l2",)}
    assert tables(expression) == {"lift", "cam"}
    assert names(2.0) == set()
    assert tables(2.0) == set()


def test_check_calls_makes_tables() -> None:
    expression = parse("2*lift(phi + 0) + sin(x)")
    checked = check_calls(expression, {"lift"})
    assert checked == tree(
        "+", tree("*", number(2), tree("table", "lift", 0, parse("phi + 0"))), tree("call", "sin", x)
    )
    assert str(checked) == str(expression)
    assert check_calls(checked, {"lift"}) is checked
    assert check_calls(parse("lift'(x)"), {"lift"}) == parse("lift'(x)")
    assert check_calls(1.0) == 1.0


@pytest.mark.parametrize(
    ("text", "marked", "fragment"),
    [
        ("1 + sinn(x)", "sinn", 'did you mean "sin"?'),
        ("lfit(x)", "lfit", 'did you mean "lift"?'),
        ("lfit''(x)", "lfit", 'did you mean "lift"?'),
        ("qqqq(x)", "qqqq", "there are sin, cos"),
        ("2*atan2(x)", "atan2(x)", "atan2 takes 2 arguments, not 1; write atan2(y, x)"),
        ("sin()", "sin()", "sin takes 1 argument, not 0"),
        ("min(x)", "min(x)", "at least 2 arguments, not 1"),
        ("lift(x, y)", "lift(x, y)", 'table "lift" takes 1 argument, not 2'),
        ("step(x, 1, 0, 0, 1)", "step(x, 1, 0, 0, 1)", "x1 must be above x0"),
        ("haversine(x, 1, 0, 1, 1)", "haversine(x, 1, 0, 1, 1)", "jump"),
        ("step5(x, 2, 0, 1, 1)", "step5(x, 2, 0, 1, 1)", "x1 must be above x0"),
        ("trapezoid(x, 0, 0, 1, 1, 3, 2)", "trapezoid(x, 0, 0, 1, 1, 3, 2)", "x3 must be above x2"),
    ],
)
def test_check_calls_refuses(text: str, marked: str, fragment: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        check_calls(parse(text), {"lift": None})
    assert text[slice(*caught.value.span)] == marked  # type: ignore[misc]
    assert fragment in str(caught.value)


def test_switches() -> None:
    def found(text: str) -> list[str]:
        return [str(each) for each in switches(parse(text))]

    assert found("abs(x - 1) + sign(y)") == ["x - 1", "y"]
    assert found("min(x, 2*y)") == ["x - 2*y"]
    assert found("max(x, y, z)") == ["x - max(y, z)", "y - z"]
    assert found("if(x > 1, y, abs(z))") == ["x - 1", "z"]
    assert found("if(x, 1, 2)") == ["x"]
    assert found("if((x < 1)*(y < 2), 1, 2)") == ["x - 1", "y - 2"]
    assert found("step(t, 1, 0, 2, 5)") == ["t - 1", "t - 2"]
    assert found("haversine(t, 0, 0, t1, 5)") == ["t", "t - t1"]
    assert found("abs(x) + sign(x) + (x == 0)*(2 > 1)") == ["x"]
    assert found("sin(x)*lift(y)^2") == []
    assert found("abs(2)") == []
    assert switches(1.0) == []
    ramp = parse("step(t, 1, 0, 2, 5)")
    assert [str(each) for each in switches(differentiate(ramp, ("t",)))] == ["t - 1", "t - 2"]


# Vectors

SIZES: dict[Path, int] = {("p",): 3, ("q",): 3, ("u",): 2, ("v",): 2, ("w",): 4}


def expanded(text: str) -> Any:
    result = components(parse(text), lambda path: SIZES.get(path, 0))
    return tuple(map(str, result)) if isinstance(result, tuple) else str(result)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p", ("p.x", "p.y", "p.z")),
        ("u", ("u.x", "u.y")),
        ("p.x + 1", "p.x + 1"),
        ("p + q", ("p.x + q.x", "p.y + q.y", "p.z + q.z")),
        ("p + [0, 0, h]", ("p.x", "p.y", "p.z + h")),
        ("-p*2", ("p.x*-2", "p.y*-2", "p.z*-2")),
        ("h*u - v/2", ("h*u.x - v.x/2", "h*u.y - v.y/2")),
        ("(p - q).z", "p.z - q.z"),
        ("(p).y", "p.y"),
        ("norm(u)", "sqrt(u.x^2 + u.y^2)"),
        ("norm([3, 4])", "5.0"),
        ("unit(u)", ("u.x/sqrt(u.x^2 + u.y^2)", "u.y/sqrt(u.x^2 + u.y^2)")),
        ("dot(p, q)", "p.x*q.x + p.y*q.y + p.z*q.z"),
        ("cross(p, q)", ("p.y*q.z - p.z*q.y", "p.z*q.x - p.x*q.z", "p.x*q.y - p.y*q.x")),
        ("cross(u, v)", "u.x*v.y - u.y*v.x"),
        ("cross([0, 0, 1], p)", ("-p.y", "p.x", "0.0")),
        ("if(a < b, u, v)", ("if(a < b, u.x, v.x)", "if(a < b, u.y, v.y)")),
        ("0*a + sin(norm([a, 0]))", "0*a + sin(sqrt(a^2))"),
        ("[1 + 1, a]", ("1 + 1", "a")),
        ("lift(u.x)", "lift(u.x)"),
        ("lift'(dot(u, [1, 0]))", "lift'(u.x)"),
        ("w.x", "w.x"),
        ("2", "2.0"),
    ],
)
def test_components(text: str, expected: Any) -> None:
    assert expanded(text) == expected


@pytest.mark.parametrize(
    ("text", "marked", "fragment"),
    [
        ("1 + (p + 2)", "p + 2", "a vector of 3 cannot be added to a number"),
        ("p - u", "p - u", "a vector of 2 cannot be subtracted from a vector of 3"),
        ("a + p*q", "p*q", "dot(a, b) or cross(a, b)"),
        ("1/p", "1/p", "a number cannot be divided by a vector"),
        ("p/q", "p/q", "a vector of 3 cannot be divided by a vector"),
        ("p^2", "p", "dot(a, a)"),
        ("sin(p)", "p", 'sin takes numbers, and "p" is a vector'),
        ("max(a, -p)", "-p", "max takes numbers"),
        ("lift(u)", "u", "lift takes numbers"),
        ("a < p", "p", '"<" works on numbers'),
        ("[p, 0]", "p", "a vector is made of numbers"),
        ("(u).z", "(u).z", "it has .x, .y"),
        ("(a + 1).x", "(a + 1).x", '".x" needs a vector, and "a + 1" is a number'),
        ("norm(a)", "norm(a)", 'norm needs a vector, and "a" is a number'),
        ("dot(p, u)", "dot(p, u)", "dot cannot combine a vector of 3 with a vector of 2"),
        ("cross([1, 2, 3, 4], [1, 2, 3, 4])", "cross([1, 2, 3, 4], [1, 2, 3, 4])", "two vectors of 3"),
        ("norm(p, q)", "norm(p, q)", "takes 1 argument"),
        ("if(p, 1, 2)", "p", "if takes numbers"),
        ("if(a, p, 0)", "if(a, p, 0)", "if cannot choose between a vector of 3 and a number"),
        ("w", "w", "a vector of 4"),
    ],
)
def test_mixed_shapes_are_refused(text: str, marked: str, fragment: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        expanded(text)
    assert text[slice(*caught.value.span)] == marked  # type: ignore[misc]
    assert fragment in str(caught.value)


def test_vectors_in_python() -> None:
    p, q = name("p"), name("q")
    assert str(ex.norm(p - q)) == "norm(p - q)"
    assert ex.norm((3, 4)) == 5.0
    assert str(ex.norm((x, 0))) == "sqrt(x^2)"
    assert str(ex.cross((0, 0, 1), (x, y, 0))) == "[-y, x, 0]"
    assert ex.dot((1, 2, 3), [4, 5, 6]) == 32.0
    assert str(ex.unit(p)) == "unit(p)"
    assert str(component(p, "x")) == "p.x"
    assert component(p, "x") == name("p", "x")
    assert component((1, x, 2), "y") is x
    assert str(component(p + q, "z")) == "(p + q).z"
    with pytest.raises(ExpressionError):
        component(p, "w")
    with pytest.raises(ExpressionError):
        component((1, 2), "z")
    with pytest.raises(ExpressionError, match="dot cannot take None"):
        ex.dot(p, None)  # type: ignore[arg-type]
    with pytest.raises(ExpressionError) as caught:
        components(ex.norm(p + 1), lambda path: 3)
    assert str(caught.value).splitlines()[1:] == ["    p + 1", "    ^^^^^"]


@settings(deadline=None)
@given(st.lists(st.floats(-5, 5), min_size=6, max_size=6))
def test_vector_algebra_agrees_with_numpy(numbers: list[float]) -> None:
    first, second = np.array(numbers[:3]), np.array(numbers[3:])
    known: dict[Path, float] = {("p", axis): float(each) for axis, each in zip("xyz", first, strict=True)}
    known |= {("q", axis): float(each) for axis, each in zip("xyz", second, strict=True)}

    def numeric(text: str) -> Any:
        parts = components(parse(text), lambda path: 3 if len(path) == 1 else 0)
        if isinstance(parts, tuple):
            return np.array([evaluate(part, known.__getitem__) for part in parts])
        return evaluate(parts, known.__getitem__)

    assert numeric("2*p - q/4") == pytest.approx(2 * first - second / 4)
    assert numeric("cross(p, q)") == pytest.approx(np.cross(first, second))
    assert numeric("dot(p, q) + norm(p)") == pytest.approx(first @ second + np.linalg.norm(first))
    for title in ("cross", "dot"):
        assert FUNCTIONS[title].numpy(first, second) == pytest.approx(numeric(f"{title}(p, q)"))
    assert FUNCTIONS["norm"].numpy(first) == pytest.approx(numeric("norm(p)"))


def test_numpy_functions_of_vectors_take_the_last_axis() -> None:
    rows = np.array([[3.0, 4.0], [0.0, 2.0]])
    assert FUNCTIONS["norm"].numpy(rows) == pytest.approx([5, 2])
    assert FUNCTIONS["unit"].numpy(rows) == pytest.approx(np.array([[0.6, 0.8], [0, 1]]))
    assert FUNCTIONS["cross"].numpy(rows, rows[::-1]) == pytest.approx([6, -6])


# Values


def test_evaluate() -> None:
    assert value("30*deg + 60*rpm + pi") == pytest.approx(math.pi / 6 + 2 * math.pi + math.pi)
    assert value("2*rod.x^2", rod__x=3) == 18.0
    assert type(value("x", x=np.int64(2))) is float
    assert value("x^-1", x=np.array([1, 2, 4])) == pytest.approx([1, 0.5, 0.25])
    assert value("if(x < 0, -x, x^2) + y", x=np.array([-2.0, 3.0]), y=1.0) == pytest.approx([3, 10])
    assert value("x*y", x=np.ones((2, 1)), y=np.arange(3.0)).shape == (2, 3)
    assert value("(x < 1) + (x <= 1) + (x > 1) + (x >= 1) + (x == 1) + (x != 1)", x=1.0) == 3.0
    assert value("poly(x, 1, 2, 3)", x=np.array([1.0, 2.0])) == pytest.approx([2, 5])
    assert value("poly(1, 1, x)", x=np.array([1.0, 2.0])) == pytest.approx([1, 2])
    assert value("min(x, 2, 3)", x=np.array([1.0, 5.0])) == pytest.approx([1, 2])
    assert value("sign(x)*abs(x)", x=-3.0) == -3.0
    assert value("[x, 2*x]", x=np.array([1.0, 2.0, 3.0])).shape == (3, 2)
    assert value("norm([x, 4]) + [1, 2].y", x=3.0) == 7.0
    assert value("norm([3, 4])") == 5.0
    assert evaluate(2, lambda path: 0.0) == 2.0


@pytest.mark.filterwarnings("error")
def test_evaluate_where_there_is_no_value() -> None:
    assert value("1/x", x=0.0) == math.inf
    assert math.isnan(value("log(x)", x=-1.0))
    assert math.isnan(value("x^0.5", x=-1.0))
    assert value("if(x > 0, log(x), 0)", x=np.array([-1.0, 1.0])) == pytest.approx([0, 0])
    assert value("step(x, 1, 2, 1, 3)", x=np.array([0.0, 1.0, 2.0])) == pytest.approx([2, 2, 3])


def test_evaluate_tables() -> None:
    at: dict[Path, float] = {("x",): 0.3}
    assert evaluate(parse("lift(2*x) + lift'(x)"), at.__getitem__, TABLES) == pytest.approx(
        math.sin(0.6) + math.cos(0.3)
    )
    assert evaluate(check_calls(parse("lift(x)"), TABLES), at.__getitem__, TABLES) == pytest.approx(math.sin(0.3))
    with pytest.raises(ExpressionError, match='did you mean "lift"'):
        evaluate(parse("lif(x)"), at.__getitem__, TABLES)
    with pytest.raises(ExpressionError, match="takes 1 argument"):
        evaluate(parse("lift(x, x)"), at.__getitem__, TABLES)
    with pytest.raises(ExpressionError, match="takes 1 argument"):
        evaluate(parse("sin(x, x)"), at.__getitem__)
    with pytest.raises(KeyError):
        evaluate(parse("unknown"), at.__getitem__)


def test_intermediate_arrays_are_released() -> None:
    alive: list[int] = []
    big = np.ones(8)

    class Counted(np.ndarray):
        """An array that counts its living copies."""

        def __array_finalize__(self, source: object) -> None:
            alive.append(1)

        def __del__(self) -> None:
            alive.pop()

    highest = 0

    def table(argument: Any, order: int) -> Any:
        nonlocal highest
        highest = max(highest, len(alive))
        return argument

    def lookup(path: tuple[str, ...]) -> Any:
        return big.view(Counted)

    evaluate(parse("+".join(["f(x)"] * 300)), lookup, {"f": table})
    assert highest < 50


# The table of functions


def test_rows_are_complete() -> None:
    for title, info in FUNCTIONS.items():
        least, most, doc, numpy_function = info[:4]
        assert most is None or least <= most
        assert info.signature.startswith(f"{title}(")
        assert callable(numpy_function)
        assert doc.endswith(doc.strip())
        parsed = parse(info.signature.replace("...", "a, b").replace("condition", "c"))
        assert info.accepts(len(parsed.args) - 1)
