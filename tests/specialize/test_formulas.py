"""Formulas as LLVM code against the same formulas by NumPy."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from llvmlite import binding

from multibody.errors import AnalysisError
from multibody.kernels import codes as L
from multibody.model.expressions import evaluate, parse
from multibody.specialize.formulas import FormulaCode
from multibody.specialize.host import _engine
from multibody.tables.programs import Compiler

FORMULAS = [
    "a + b*c - a/c", "-(a - b)^3 + a^0.7 + c^(-2)", "sin(a)*cos(b) + tan(c)", "asin(b) + acos(b) + atan(a) + atan2(b, -a)",
    "sinh(b) + cosh(b) + tanh(a) + exp(-a) + log(c)", "sqrt(a) + abs(-b)", "min(a, b, c) + 10*max(a, b)",
    "sign(b - a) + sign(a)", "if(a < b, 1, 2) + if(a >= b, 4, 8)", "(a <= 0.3) + 2*(a > b) + 4*(b == b) + 8*(a != b)",
    "step(a, 0, 1, 1, 3)", "p*q + 2.5",
    "haversine(b, 0, 1, 1, 3) + poly(a, 0.1, 1, 2, 3)", "1.25",
]  # fmt: skip
VALUES = {("a",): 0.3, ("b",): -0.45, ("c",): 1.7, ("p",): 3.0, ("q",): -0.125}


def test_all_operations() -> None:
    constants: list[float] = []
    compiler = Compiler({("p",): 0, ("q",): 2}, {}, lambda x: constants.append(x) or len(constants) - 1)
    operations, values = compiler.operations([parse(text) for text in FORMULAS], {("a",): 0, ("b",): 1, ("c",): 2}, "test")
    code = FormulaCode(operations, constants, "%known", "%numbers", {})
    lines = [*code.lines, *(f"%at.{j} = getelementptr double, ptr %out, i64 {j}" for j in range(len(values)))]
    lines += [f"store double %f.{k}, ptr %at.{j}" for j, k in enumerate(values)]
    body = "".join(f"  {line}\n" for line in [*lines, "ret void"])
    text = "\n".join(sorted(code.declared)) + f"\ndefine void @formulas(ptr %known, ptr %numbers, ptr %out) {{\n{body}}}"
    engine = _engine()
    engine.add_module(binding.parse_assembly(text))
    engine.finalize_object()
    enter = ctypes.CFUNCTYPE(None, *(ctypes.c_void_p,) * 3)(engine.get_function_address("formulas"))
    known, numbers, out = np.array([0.3, -0.45, 1.7]), np.array([3.0, 9.0, -0.125]), np.zeros(len(FORMULAS))
    enter(known.ctypes.data, numbers.ctypes.data, out.ctypes.data)
    wanted = [evaluate(parse(text), VALUES.__getitem__) for text in FORMULAS]
    assert out == pytest.approx(np.array(wanted, dtype=float), rel=1e-15, abs=1e-15)


def test_what_is_used_twice_is_computed_once() -> None:
    compiler = Compiler({}, {}, lambda x: 0)
    operations, values = compiler.operations([parse("sin(a)*2"), parse("sin(a)*2 + a")], {("a",): 0}, "test")
    assert [op for op, *_ in operations].count(L.OP_SIN) == 1 and values[0] in operations[values[1]][2]


def test_tables_are_refused() -> None:
    with pytest.raises(AnalysisError, match="table"):
        FormulaCode([(L.OP_INPUT, 0, ()), (L.OP_SPLINE, 0, (0,))], [], "%known", "%numbers", {})
