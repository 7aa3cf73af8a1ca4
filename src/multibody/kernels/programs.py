"""Expression programs: a small stack machine. Code is pairs (operation, argument), constants and parameters are numbers."""

from __future__ import annotations

import math

from multibody.kernels import codes as L
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import Cubic, cubic, model_at, scratch_at
from multibody.kernels.vectors import load2, load3

PIECE = Cubic.size


@inner_kernel
def run_program(model, scratch, pc):
    """Return the value of the program that begins at pc; its inputs (time, coordinates) are known."""
    code, stack, kept, top = model.code, scratch.stack, scratch.kept, -1
    while code[pc] != L.OP_END:
        op, arg = load2(code, pc)
        pc += 2
        if op <= L.OP_LOAD:
            top += 1
            if op == L.OP_CONSTANT:
                stack[top] = model.numbers[arg]
            elif op == L.OP_INPUT:
                stack[top] = scratch.input[arg]
            elif op == L.OP_PARAMETER:
                stack[top] = model.numbers[model.parameters + arg]
            else:
                stack[top] = kept[arg]
        elif op == L.OP_SELECT:
            top -= 2
            truth, first, second = load3(stack, top)
            stack[top] = first if truth != 0.0 else second
        elif op == L.OP_SPLINE:
            stack[top] = spline_value(model, arg // 8, arg % 8, stack[top])
        elif op == L.OP_INTEGER_POWER:
            stack[top] = _integer_power(stack[top], arg)
        elif _is_binary(op):
            top -= 1
            first, second = load2(stack, top)
            stack[top] = _binary(op, first, second)
        elif op == L.OP_KEEP:
            kept[arg] = stack[top]
        else:
            stack[top] = _unary(op, stack[top])
    return stack[top]


@inner_kernel
def _is_binary(op):
    """Return whether the operation takes two values."""
    if L.OP_ADD <= op <= L.OP_POWER or L.OP_LESS <= op <= L.OP_NOT_EQUAL:
        return True
    return op == L.OP_ATAN2 or op == L.OP_MIN or op == L.OP_MAX


@inner_kernel
def _binary(op, x, y):
    """Return x op y; comparisons give 1 or 0."""
    if op == L.OP_ADD:
        return x + y
    if op == L.OP_SUBTRACT:
        return x - y
    if op == L.OP_MULTIPLY:
        return x * y
    if op == L.OP_DIVIDE:
        return x / y
    if op == L.OP_POWER:
        return x**y
    if op == L.OP_ATAN2:
        return math.atan2(x, y)
    if op == L.OP_MIN:
        return min(x, y)
    if op == L.OP_MAX:
        return max(x, y)
    if op == L.OP_LESS:
        truth = x < y
    elif op == L.OP_LESS_EQUAL:
        truth = x <= y
    elif op == L.OP_GREATER:
        truth = x > y
    elif op == L.OP_GREATER_EQUAL:
        truth = x >= y
    elif op == L.OP_EQUAL:
        truth = x == y
    else:
        truth = x != y
    return 1.0 if truth else 0.0


@inner_kernel
def _unary(op, x):
    """Return the function of one argument."""
    if op == L.OP_NEGATE:
        return -x
    if op == L.OP_SIN:
        return math.sin(x)
    if op == L.OP_COS:
        return math.cos(x)
    if op == L.OP_SQRT:
        return math.sqrt(x)
    if op == L.OP_TAN:
        return math.tan(x)
    if op == L.OP_ASIN:
        return math.asin(x)
    if op == L.OP_ACOS:
        return math.acos(x)
    if op == L.OP_ATAN:
        return math.atan(x)
    if op == L.OP_SINH:
        return math.sinh(x)
    if op == L.OP_COSH:
        return math.cosh(x)
    if op == L.OP_TANH:
        return math.tanh(x)
    if op == L.OP_EXP:
        return math.exp(x)
    if op == L.OP_LOG:
        return math.log(x)
    if op == L.OP_ABS:
        return abs(x)
    if x > 0.0:  # sign
        return 1.0
    return -1.0 if x < 0.0 else 0.0


@inner_kernel
def _integer_power(x, n):
    """Return x^n for a whole number n ≥ 0 by repeated multiplication."""
    result = 1.0
    for _ in range(n):
        result *= x
    return result


@kernel
def spline_value(model, s, order, x):
    """Return the derivative of the given order of spline s at x; pieces are cubics in x − left knot."""
    model = model_at(model)
    F, spline = model.numbers, model.splines[s]
    count, knots = spline.intervals, spline.knots
    first, last = F[knots], F[knots + count]
    if spline.kind == L.SPLINE_PERIODIC:
        x = x - (last - first) * math.floor((x - first) / (last - first))
    elif x < first or x > last:
        if order > 0:
            return 0.0
        x = min(max(x, first), last)
    low, high = 0, count
    while high - low > 1:
        middle = (low + high) // 2
        if x < F[knots + middle]:
            high = middle
        else:
            low = middle
    u, c = x - F[knots + low], cubic(F, spline.coefficients + PIECE * low)
    if order == 0:
        return c.zeroth + u * (c.first + u * (c.second + u * c.third))
    if order == 1:
        return c.first + u * (2.0 * c.second + u * 3.0 * c.third)
    if order == 2:
        return 2.0 * c.second + 6.0 * u * c.third
    return 6.0 * c.third if order == 3 else 0.0


@kernel
def evaluate_programs(model, scratch, pcs, slots, numbers):
    """Write the value of each program into its slot of the model's numbers: those that depend on parameters, in order."""
    model, scratch = model_at(model), scratch_at(scratch)
    for k in range(pcs.shape[0]):
        numbers[slots[k]] = run_program(model, scratch, pcs[k])
