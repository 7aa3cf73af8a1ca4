"""The programs of a model as straight LLVM code, in the place of the stack machine that runs them.

A program is known when code is made: its operations become instructions one by one. Where a kernel asks for the program at a
place that is known as well, nothing else is left of all programs.
"""

from __future__ import annotations

from typing import Any

from multibody.kernels import codes as L
from multibody.kernels.arrays import Arrays
from multibody.kernels.declared import Scratch
from multibody.kernels.memory.declaration import SLOT
from multibody.specialize.formulas import FormulaCode, Operation
from multibody.specialize.image import NUMBERS, Image

PROGRAM = "multibody.program"  # (scratch, place) -> value
MACHINE = "8programs11run_program"  # in the name of the kernel whose place it takes, as numba makes names
_LEAVES = (L.OP_CONSTANT, L.OP_INPUT, L.OP_PARAMETER)
_OF_TWO = (*range(L.OP_ADD, L.OP_INTEGER_POWER), *range(L.OP_LESS, L.OP_SELECT), L.OP_ATAN2, L.OP_MIN, L.OP_MAX)
_PAIR = 2  # numbers of an operation: its code and its argument


def straight(arrays: Arrays, image: Image, functions: dict[str, str], declared: set[str]) -> list[str]:
    """Return the function that takes the place of the stack machine; nothing where a program reads a table of the model.

    Parameters
    ----------
    arrays : Arrays
    image : Image
    functions : dict
        Own functions in the place of the mathematical library's.
    declared : set of str, added to
        Functions that the text must declare.
    """
    model, made, cases = arrays.model, [], []
    code = model.code.tolist()
    if not code or L.OP_SPLINE in code[::_PAIR]:
        return []
    numbers = f"getelementptr (i8, ptr @{NUMBERS}, i64 {SLOT * image.number('model.numbers')})"
    for pc in _starts(code):
        operations, value = _operations(code, pc, model)
        if value < 0:
            continue
        found = FormulaCode(operations, [], "%input", numbers, functions)
        declared |= found.declared
        lines = [*found.lines, f"ret double %f.{value}"]
        made.append(f"define internal double @{PROGRAM}.{pc}(ptr %input) alwaysinline {{\n  " + "\n  ".join(lines) + "\n}")
        cases.append(pc)
    return [*made, _chooser(cases)]


def _chooser(cases: list[int]) -> str:
    """Return the function that finds a program by its place."""
    lines = [
        "entry:", f"  %at = getelementptr i8, ptr %scratch, i64 {SLOT * Scratch.fields['input'].slot}",
        "  %input = load ptr, ptr %at, align 8",
        f"  switch i64 %pc, label %none [ {' '.join(f'i64 {pc}, label %case.{pc}' for pc in cases)} ]",
    ]  # fmt: skip
    for pc in cases:
        lines += [f"case.{pc}:", f"  %value.{pc} = call double @{PROGRAM}.{pc}(ptr %input)", f"  ret double %value.{pc}"]
    lines += ["none:", "  unreachable"]
    return f"define double @{PROGRAM}(ptr %scratch, i64 %pc) alwaysinline {{\n" + "\n".join(lines) + "\n}"


def _starts(code: list[int]) -> list[int]:
    """Return where programs begin: each ends with an operation that says so."""
    ends = [pc + _PAIR for pc in range(0, len(code), _PAIR) if code[pc] == L.OP_END]
    return [0, *ends[:-1]]


def _operations(code: list[int], pc: int, model: Any) -> tuple[list[Operation], int]:
    """Return the operations of a program, constants being numbers of the model as parameters are, and which gives its value."""
    made: list[Operation] = []
    stack, kept = list[int](), dict[int, int]()
    while code[pc] != L.OP_END:
        op, argument = code[pc], code[pc + 1]
        pc += _PAIR
        if op == L.OP_KEEP:
            kept[argument] = stack[-1]
        elif op == L.OP_LOAD:
            stack.append(kept[argument])
        else:
            count = 0 if op in _LEAVES else 3 if op == L.OP_SELECT else 2 if op in _OF_TWO else 1
            operands = tuple(stack[len(stack) - count :])
            del stack[len(stack) - count :]
            if op in (L.OP_CONSTANT, L.OP_PARAMETER):
                op, argument = L.OP_PARAMETER, argument + (model.parameters if op == L.OP_PARAMETER else 0)
            stack.append(len(made))
            made.append((op, argument, operands))
    return made, stack[-1] if stack else -1
