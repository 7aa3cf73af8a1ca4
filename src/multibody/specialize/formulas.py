"""Formulas of outputs as straight LLVM code: one instruction an operation, what is used twice computed once."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from multibody.errors import AnalysisError
from multibody.kernels import codes as L
from multibody.kernels.memory.declaration import SLOT

Operation = tuple[int, int, tuple[int, ...]]  # code, argument, operands by their numbers, as ``tables.programs`` has them
_ARITHMETIC = {L.OP_ADD: "fadd", L.OP_SUBTRACT: "fsub", L.OP_MULTIPLY: "fmul", L.OP_DIVIDE: "fdiv"}
_COMPARED = {
    L.OP_LESS: "olt", L.OP_LESS_EQUAL: "ole", L.OP_GREATER: "ogt", L.OP_GREATER_EQUAL: "oge", L.OP_EQUAL: "oeq",
    L.OP_NOT_EQUAL: "une",
}  # fmt: skip
_FUNCTIONS = {
    L.OP_SIN: "sin", L.OP_COS: "cos", L.OP_TAN: "tan", L.OP_ASIN: "asin", L.OP_ACOS: "acos", L.OP_ATAN: "atan",
    L.OP_ATAN2: "atan2", L.OP_SINH: "sinh", L.OP_COSH: "cosh", L.OP_TANH: "tanh", L.OP_EXP: "exp", L.OP_LOG: "log",
    L.OP_POWER: "pow",
}  # fmt: skip
_INSTRUCTIONS = {L.OP_SQRT: "@llvm.sqrt.f64", L.OP_ABS: "@llvm.fabs.f64"}


class FormulaCode:
    """The code of some formulas.

    Parameters
    ----------
    operations : sequence of Operation
        Operands before what uses them.
    constants : sequence of float
        Those that ``OP_CONSTANT`` names.
    inputs, parameters : str
        Pointers to what ``OP_INPUT`` and ``OP_PARAMETER`` name by its place.
    functions : dict
        Own functions in the place of the mathematical library's.

    Attributes
    ----------
    lines : list of str
        Instructions; the value of operation k is ``%f.k``.
    declared : set of str
        Functions that the text must declare.
    """

    def __init__(
        self, operations: Sequence[Operation], constants: Sequence[float], inputs: str, parameters: str,
        functions: dict[str, str],
    ) -> None:  # fmt: skip
        self.lines: list[str] = []
        self.declared: set[str] = set()
        self._functions = functions
        for k, (op, argument, operands) in enumerate(operations):
            x = [f"%f.{each}" for each in operands]
            if op == L.OP_CONSTANT:
                self._put(k, f"fadd double {written(constants[argument])}, {written(-0.0)}")  # nothing is added to it
            elif op in (L.OP_INPUT, L.OP_PARAMETER):
                base = inputs if op == L.OP_INPUT else parameters
                self._put(f"{k}.at", f"getelementptr i8, ptr {base}, i64 {SLOT * argument}")
                self._put(k, f"load double, ptr %f.{k}.at, align 8")
            elif op == L.OP_INTEGER_POWER:
                self._power(k, x[0], argument)
            elif op in _COMPARED or op in (L.OP_SELECT, L.OP_MIN, L.OP_MAX, L.OP_SIGN):
                self._choice(k, op, x)
            else:
                self._number(k, op, x)

    def _put(self, k: int | str, text: str) -> None:
        self.lines.append(f"%f.{k} = {text}")

    def _number(self, k: int, op: int, x: list[str]) -> None:
        """Write arithmetic and functions."""
        given = ", ".join(f"double {each}" for each in x)
        if op in _ARITHMETIC:
            self._put(k, f"{_ARITHMETIC[op]} double {x[0]}, {x[1]}")
        elif op == L.OP_NEGATE:
            self._put(k, f"fneg double {x[0]}")
        elif op in _INSTRUCTIONS or op in _FUNCTIONS:
            name = _INSTRUCTIONS.get(op) or self._functions.get(_FUNCTIONS[op]) or f"@{_FUNCTIONS[op]}"
            if name not in self._functions.values():
                self.declared.add(f"declare double {name}({', '.join(['double'] * len(x))})")
            self._put(k, f"call double {name}({given})")
        else:
            raise AnalysisError("an output reads a table, which specialized code does not do")

    def _power(self, k: int, x: str, n: int) -> None:
        """Write xⁿ as products."""
        last = written(1.0)
        for i in range(n):
            self._put(f"{k}.{i}", f"fmul double {last}, {x}")
            last = f"%f.{k}.{i}"
        self._put(k, f"fadd double {last}, {written(-0.0)}")

    def _choice(self, k: int, op: int, x: list[str]) -> None:
        """Write comparisons, and what is chosen by them."""
        zero, one = written(0.0), written(1.0)
        if op in _COMPARED:
            self._put(f"{k}.is", f"fcmp {_COMPARED[op]} double {x[0]}, {x[1]}")
            self._put(k, f"select i1 %f.{k}.is, double {one}, double {zero}")
        elif op == L.OP_SELECT:
            self._put(f"{k}.is", f"fcmp une double {x[0]}, {zero}")
            self._put(k, f"select i1 %f.{k}.is, double {x[1]}, double {x[2]}")
        elif op == L.OP_SIGN:
            self._put(f"{k}.up", f"fcmp ogt double {x[0]}, {zero}")
            self._put(f"{k}.down", f"fcmp olt double {x[0]}, {zero}")
            self._put(f"{k}.low", f"select i1 %f.{k}.down, double {written(-1.0)}, double {zero}")
            self._put(k, f"select i1 %f.{k}.up, double {one}, double %f.{k}.low")
        else:
            self._put(f"{k}.is", f"fcmp {'olt' if op == L.OP_MIN else 'ogt'} double {x[1]}, {x[0]}")
            self._put(k, f"select i1 %f.{k}.is, double {x[1]}, double {x[0]}")


def written(value: float) -> str:
    """Return a number as LLVM reads it to the last bit."""
    return f"0x{struct.unpack('>Q', struct.pack('>d', value))[0]:016X}"
