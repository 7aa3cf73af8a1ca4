"""Compiled expressions: values and partial derivatives of the stack machine against NumPy and SciPy.

Every formula is put into a coupler on the coordinates of a free planar body (u = a.x, v = a.y, w = a.angle), so that
its value is Φ, its first partials are Φ_q and −ν, and its second partials appear in γ and in (Φ_qᵀλ)_q.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline

from kernels.entrance import entrance
from multibody.kernels import codes as L
from multibody.kernels import programs
from multibody.kernels.declared import Model as ModelBlock
from multibody.kernels.declared import Scratch
from multibody.model.expressions import (
    FUNCTIONS,
    Expression,
    Number,
    components,
    differentiate,
    evaluate,
    parse,
    substitute,
)
from multibody.model.model import Model
from multibody.state.system import System, tables_of
from multibody.tables.programs import Compiler

run_program, spline_value = entrance(programs.run_program), entrance(programs.spline_value)

Floats = npt.NDArray[np.float64]
Table = Callable[[Any, int], Any]

NAMES = {"u": ("a", "x"), "v": ("a", "y"), "w": ("a", "angle")}
PARAMETERS = {"p": 1.3, "r": -0.4}
X = [0.0, 0.4, 1.1, 1.5, 2.6, 3.0]
Y = [0.2, 0.9, -0.3, 0.1, 0.7, 0.2]
KINDS = ("spline", "periodic", "linear")

# One or more samples of every function; u, v, w and t are random in (0.1, 0.9).
SAMPLES: dict[str, list[str]] = {
    "sin": ["sin(3*u - v)"],
    "cos": ["cos(3*u + t*v)"],
    "tan": ["tan(u*v)"],
    "asin": ["asin(u*v)"],
    "acos": ["acos(u - v)"],
    "atan": ["atan(5*u - 3*v)"],
    "atan2": ["atan2(u - v, w - 0.5)", "atan2(-u, -t)"],
    "sinh": ["sinh(2*u)"],
    "cosh": ["cosh(2*u - t)"],
    "tanh": ["tanh(3*u - v)"],
    "exp": ["exp(-3*u*t)"],
    "log": ["log(u + v)"],
    "sqrt": ["sqrt(u + v*t)"],
    "abs": ["abs(u - v)", "u*abs(v - w)^3"],
    "sign": ["sign(u - v)*w", "sign(u - u)*w + v"],
    "min": ["min(u, v)", "min(u, v, w, t)", "min(3*u, v + 0.2, w*t + 0.1)*v", "min(u, u, v)"],
    "max": ["max(u, v)", "max(u, v, w, t)", "max(3*u, v + 0.2, w*t + 0.1)*v", "max(u, v, v)"],
    "if": ["if(u < v, sin(u), v^2*w)", "if(u - u, v, w*u)", "if(u <= v, if(v > w, u, v*t), w)", "if(t, u, 1/(t - t))"],
    "step": ["step(u, 0.3, v, 0.6, 2*w)", "step(u, v, -1, v, 2) + w", "step(t, v/2, -p, v, u)"],
    "haversine": ["haversine(u, 0.3, v, 0.6, 2*w)", "haversine(t, v/2, -p, v, u)"],
    "step5": ["step5(u, 0.3, v, 0.6, 2*w)", "step5(t, v/2, -p, v, u)"],
    "trapezoid": ["trapezoid(u, 0.1, v, 0.3, 2*w, 0.5, 0.9)", "trapezoid(t, v/2, -p, v, u, 2*v, 3*v)"],
    "poly": ["poly(u, 0.3, 1, -2, 3, 0.5)", "poly(u - v, w, t, p, v, 2*u)", "poly(u, 0.2, 4) + v"],
    "norm": ["norm([u, v, w])", "norm([u - v, t])"],
    "unit": ["unit([u, v, t]).y", "unit([u, w]).x*v"],
    "cross": ["cross([u, v, w], [t, 1, u*v]).z", "cross([u, v], [w, t])"],
    "dot": ["dot([u, v, w], [t, p, u])"],
}
OPERATORS = [
    "u + v - w", "u - (v - w)", "u/v/w", "u/(v*w)", "-u^2", "(-u)^2", "(-u)^3*v", "u^-1", "u^-2*v", "u^0.5", "u^v",
    "u^9 + v", "(u - v)^8", "(u - v)^12", "u^1", "u**3", "2^u", "(u < v) + 2*(u > v)*w", "(u <= v)*w + (u >= v)*t*u",
    "(u == u)*v", "(u != v)*v", "p*u + r*v", "pi*u + deg*v + rpm*w", "p", "t", "u*t^3", "-(-u)", "1e-3*u + 2.5E2*v",
]  # fmt: skip


def paths_of(formula: str) -> Number:
    """Return a formula of u, v, w as one of the body's coordinates."""
    return substitute(parse(formula), {(short,): Expression("name", path) for short, path in NAMES.items()})


def system_of(
    formulas: Sequence[str | Number], tables: Sequence[tuple[str, Sequence[float], Sequence[float], str]] = ()
) -> System:
    """Return a free planar body with a coupler for every formula."""
    model = Model("formulas", dimension=2)
    for name, value in PARAMETERS.items():
        model.parameter(name, value)
    for name, x, y, kind in tables:
        model.table(name, x, y, kind=kind)
    model.body("a")
    for k, formula in enumerate(formulas):
        expression = paths_of(formula) if isinstance(formula, str) else formula
        model.joint("coupler", f"c{k}", "", "", expression=expression + 0.5 * Expression("name", ("a", "x")))
    return System(tables_of(model))


def reference(number: Number, q: Floats, t: float, tables: dict[str, Table] | None = None) -> float:
    """Return the value with NumPy."""
    values = {("a", "x"): q[0], ("a", "y"): q[1], ("a", "angle"): q[2], ("t",): t} | {
        (k,): x for k, x in PARAMETERS.items()
    }
    with np.errstate(all="ignore"):
        return float(evaluate(number, lambda path: float(values[path]), tables))


def program_formula(system: System, k: int) -> Number:
    """Return the formula of coupler k in which vectors are written out, of the body's coordinates."""
    expression = components(system.tables.model.joints[f"c{k}"].fields["expression"], lambda path: 0)
    assert not isinstance(expression, tuple)
    return expression


def points(count: int, seed: int) -> list[tuple[Floats, float]]:
    """Return random q and t with all values in (0.1, 0.9)."""
    rng = np.random.default_rng(seed)
    return [(rng.uniform(0.1, 0.9, size=3), float(rng.uniform(0.1, 0.9))) for _ in range(count)]


def check(system: System, formulas: int, q: Floats, t: float, tables: dict[str, Table] | None = None) -> None:
    """Compare values, first and second partial derivatives of all couplers."""
    variables: list[tuple[str, ...]] = [*NAMES.values(), ("t",)]
    phi, jacobian, nu = system.phi(q, t), system.jacobian(q, t), system.velocity_side(q, t)
    for k in range(formulas):
        formula = program_formula(system, k)
        first = [differentiate(formula, path) for path in variables]
        second = np.array([[reference(differentiate(f, path), q, t, tables) for path in variables] for f in first])
        message = f"{formula} at {q}, {t}"
        close: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-12, "err_msg": message}
        np.testing.assert_allclose(phi[k], reference(formula, q, t, tables), **close)
        np.testing.assert_allclose([*jacobian[k], -nu[k]], [reference(f, q, t, tables) for f in first], **close)
        np.testing.assert_allclose(system.hessian(q, t, np.ones(1), k, k + 1), second[:3, :3], **close)
        rates = np.array(
            [0.7, -1.1, 0.4, 1.0]
        )  # of u, v, w and t; the coordinates themselves have no second derivatives
        np.testing.assert_allclose(system.gamma(q, rates[:3], t, k, k + 1)[0], -rates @ second @ rates, **close)


def test_every_function_has_a_sample() -> None:
    assert set(SAMPLES) == set(FUNCTIONS)


@pytest.mark.parametrize("function", SAMPLES)
def test_functions(function: str) -> None:
    system = system_of(SAMPLES[function])
    for q, t in points(12, 1):
        check(system, len(SAMPLES[function]), q, t)


@pytest.mark.parametrize("formula", OPERATORS)
def test_operators(formula: str) -> None:
    system = system_of([formula])
    for q, t in points(4, 2):
        check(system, 1, q, t)


def test_both_sides_of_every_switch_are_met() -> None:
    """The random points are on either side of each switch, and the switches themselves give what NumPy gives."""
    system = system_of(
        ["min(u, v)", "if(u < v, sin(u), v)", "step(u, 0.3, v, 0.6, w)", "haversine(u, 0.3, v, 0.6, w)", "abs(u - v)"]
    )
    sides = {(q[0] < q[1], q[0] < 0.3, q[0] > 0.6) for q, _ in points(12, 1)}
    assert {a for a, _, _ in sides} == {b for _, b, _ in sides} == {c for _, _, c in sides} == {True, False}
    for u in (0.3, 0.6):
        for v in (u, np.nextafter(u, 1.0), np.nextafter(u, 0.0)):
            q = np.array([u, v, 0.2])
            for k in range(5):
                assert system.phi(q, 0.0)[k] == pytest.approx(reference(program_formula(system, k), q, 0.0), rel=1e-14)


WITHOUT_VALUE = [
    "log(u - 2)", "sqrt(u - 2)", "asin(u + 2)", "acos(u + 2)", "(u - 2)^0.5", "(u - u)/(v - v)", "1/(u - u)",
    "-1/(u - u)", "log(u - u)", "(u - u)^-1", "exp(1e4*u)", "min(log(u - 2), log(u - 2))",
]  # fmt: skip


@pytest.mark.parametrize("formula", WITHOUT_VALUE)
def test_formulas_without_a_value_raise_nothing(formula: str) -> None:
    """They give NaN or an infinity, the same as NumPy: kernels have no exceptions."""
    q = np.array([0.4, 0.5, 0.6])
    system = system_of([formula])
    found, expected = system.phi(q, 0.2)[0], reference(program_formula(system, 0), q, 0.2)
    assert not math.isfinite(found)
    np.testing.assert_equal(found, expected)


# --- random formulas -------------------------------------------------------------------------------------------------

LEAVES = st.sampled_from(["u", "v", "w", "t", "p", "r", "0.7", "2", "pi"]).map(parse)


def _grown(inner: st.SearchStrategy[Number]) -> st.SearchStrategy[Number]:
    def call(name: str, *arguments: Number) -> Number:
        return Expression("call", (name, *arguments))

    smooth = st.sampled_from(["sin", "cos", "atan", "tanh", "abs"])
    return st.one_of(
        st.tuples(st.sampled_from("+-*"), inner, inner).map(lambda x: Expression(x[0], (x[1], x[2]))),
        st.tuples(smooth, inner).map(lambda x: call(*x)),
        st.tuples(st.sampled_from(["min", "max"]), st.lists(inner, min_size=2, max_size=4)).map(
            lambda x: call(x[0], *x[1])
        ),
        st.tuples(inner, st.integers(0, 4)).map(lambda x: Expression("^", (x[0], parse(str(x[1]))))),
        st.tuples(inner, inner).map(
            lambda x: Expression("/", (x[0], Expression("+", (parse("2"), Expression("^", (x[1], parse("2")))))))
        ),
        st.tuples(st.sampled_from(["<", ">="]), inner, inner, inner, inner).map(
            lambda x: call("if", Expression(x[0], (x[1], x[2])), x[3], x[4])
        ),
        inner.map(lambda x: Expression("neg", (x,))),
    )


@settings(max_examples=60, deadline=None, derandomize=True)
@given(formula=st.recursive(LEAVES, _grown, max_leaves=12), seed=st.integers(0, 1000))
def test_random_formulas(formula: Number, seed: int) -> None:
    substituted = substitute(formula, {(short,): Expression("name", path) for short, path in NAMES.items()})
    system = system_of([substituted])
    ((q, t),) = points(1, seed)
    expected = reference(program_formula(system, 0), q, t)
    assert system.phi(q, t)[0] == pytest.approx(expected, rel=1e-11, abs=1e-11)
    for path, found in zip(
        [*NAMES.values(), ("t",)], [*system.jacobian(q, t)[0], -system.velocity_side(q, t)[0]], strict=True
    ):
        slope = reference(differentiate(program_formula(system, 0), path), q, t)
        assert found == pytest.approx(slope, rel=1e-9, abs=1e-9)


# --- the compiler alone ----------------------------------------------------------------------------------------------


class Machine:
    """A compiler and the arrays its programs run on, without a model."""

    def __init__(self) -> None:
        self.constants: list[float] = []
        self.compiler = Compiler({("p",): 0, ("r",): 1}, {}, self._constant)

    def _constant(self, value: float) -> int:
        self.constants.append(value)
        return len(PARAMETERS) + len(self.constants) - 1

    def run(self, start: int, inputs: Sequence[float]) -> float:
        """Return the value of the program at `start`."""
        model = ModelBlock(code=self.compiler.code, numbers=[*PARAMETERS.values(), *self.constants])
        stack, kept = np.full(L.STACK_DEPTH, np.nan), np.full(self.compiler.kept, np.nan)
        scratch = Scratch(input=np.array(inputs, dtype=float), stack=stack, kept=kept)
        return float(run_program(model.address, scratch.address, start))


def test_programs_have_the_inputs_in_their_order() -> None:
    machine = Machine()
    start = machine.compiler.program(parse("x - 2*y + p*10"), [("y",), ("x",)], "")
    assert machine.run(start, [3.0, 5.0]) == pytest.approx(5.0 - 6.0 + 13.0)


def test_equal_programs_are_stored_once_and_zero_not_at_all() -> None:
    machine = Machine()
    inputs = [("x",), ("y",)]
    start = machine.compiler.program(parse("x*y + p"), inputs, "")
    size = len(machine.compiler.code)
    assert machine.compiler.program(parse("x*y + p"), inputs, "") == start
    assert len(machine.compiler.code) == size
    other = machine.compiler.program(parse("x*y + p"), inputs[::-1], "")  # other inputs are another program
    assert other != start
    assert machine.compiler.program(parse("0*x"), inputs, "") == -1
    assert machine.run(machine.compiler.program_of_zero(), []) == 0.0


@pytest.mark.parametrize("deep", ["left", "right"])
def test_long_formulas_stay_within_the_stack(deep: str) -> None:
    machine = Machine()
    terms = [f"sin({k}*x)" for k in range(1, 61)]
    text = " - ".join(terms * 4) if deep == "left" else " - (".join(terms) + ")" * (len(terms) - 1)
    start = machine.compiler.program(parse(text), [("x",)], "")
    assert machine.run(start, [0.5]) == pytest.approx(reference_of(text, 0.5))


def reference_of(text: str, x: float) -> float:
    """Return the value of a formula of x."""
    return float(evaluate(parse(text), lambda path: x))


def test_formulas_that_nest_too_deep_are_refused() -> None:
    formula: Number = parse("x")
    for k in range(300):
        formula = Expression("-", (parse(f"sin({k + 2}*x)"), formula))
    with pytest.raises(ValueError, match="nests too deep"):
        Machine().compiler.program(formula, [("x",)], "motions.O")


# --- tables ----------------------------------------------------------------------------------------------------------


def scipy_table(kind: str, x: Sequence[float], y: Sequence[float]) -> Table:
    """Return the table as SciPy has it: held constant outside, unless it is periodic."""
    knots = np.array(x)
    if kind == "linear":
        slopes = np.diff(y) / np.diff(x)

        def linear(u: Any, order: int) -> Any:
            inside = (u >= knots[0]) & (u <= knots[-1])
            piece = np.clip(np.searchsorted(knots, u, side="right") - 1, 0, len(slopes) - 1)
            return np.interp(u, x, y) if order == 0 else np.where(inside & (order == 1), slopes[piece], 0.0)

        return linear
    spline = CubicSpline(x, y, bc_type="periodic" if kind == "periodic" else "not-a-knot")
    if kind == "periodic":
        return lambda u, order: spline(u, order)

    def clamped(u: Any, order: int) -> Any:
        inside = (u >= knots[0]) & (u <= knots[-1])
        return np.where(inside | (order == 0), spline(np.clip(u, knots[0], knots[-1]), order), 0.0)

    return clamped


@pytest.mark.parametrize("count", [2, 3, 4, 6])
@pytest.mark.parametrize("kind", KINDS)
def test_tables_and_their_derivatives(kind: str, count: int) -> None:
    x, y = X[:count], [*Y[: count - 1], Y[0]]
    system = system_of(["lift(u)"], [("lift", x, y, kind)])
    expected = scipy_table(kind, x, y) if count > 2 else scipy_table("linear", x, y)
    span = x[-1] - x[0]
    rng = np.random.default_rng(count)
    for u in [*rng.uniform(x[0], x[-1], size=20), *rng.uniform(x[0] - 2.0 * span, x[-1] + 2.0 * span, size=20)]:
        inside = x[0] + (u - x[0]) % span if kind == "periodic" else u
        for order in range(3):
            found = spline_value(system.at.model, 0, order, float(u))
            np.testing.assert_allclose(found, expected(inside, order), rtol=1e-11, atol=1e-12, err_msg=f"{order} {u}")


@pytest.mark.parametrize("kind", KINDS)
def test_tables_at_their_knots(kind: str) -> None:
    system = system_of(["lift(u)"], [("lift", X, Y, kind)])
    for x, y in zip(X, Y, strict=True):
        assert spline_value(system.at.model, 0, 0, x) == pytest.approx(y, abs=1e-14)
    turns = 1e3 * (X[-1] - X[0]) if kind == "periodic" else 0.0
    assert spline_value(system.at.model, 0, 0, X[2] + turns) == pytest.approx(Y[2], abs=1e-11)


@pytest.mark.parametrize("kind", KINDS)
def test_tables_in_formulas(kind: str) -> None:
    """Inside formulas, two tables at once, with the derivatives that rows need."""
    second = [0.5, -0.1, 0.3, 0.2, 0.8, 0.5]
    formulas = ["lift(u)", "v*lift(3*u - w)^2 + drop(t*v)", "drop(lift(u) + w)"]
    system = system_of(formulas, [("lift", X, Y, kind), ("drop", X, second, "periodic")])
    tables = {"lift": scipy_table(kind, X, Y), "drop": scipy_table("periodic", X, second)}
    for q, t in points(12, 3):
        check(system, len(formulas), q, t, tables)
    check(system, len(formulas), np.array([4.1, 0.3, -2.7]), 0.5, tables)  # outside the knots


# --- parameters ------------------------------------------------------------------------------------------------------


def test_parameters_are_read_when_a_program_runs() -> None:
    """Other values need no other program."""
    system = system_of(["sin(p*u)*r + p^2"])
    q = np.array([0.3, 0.4, 0.5])
    assert system.phi(q, 0.0)[0] == pytest.approx(math.sin(1.3 * 0.3) * -0.4 + 1.69 + 0.15)
    system.F[system.tables.parameter_slots["p",]] = 0.6
    assert system.phi(q, 0.0)[0] == pytest.approx(math.sin(0.18) * -0.4 + 0.36 + 0.15)
