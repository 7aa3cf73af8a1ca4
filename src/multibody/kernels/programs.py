"""Expression programs: a small stack machine. Code is pairs (operation, argument) in I, constants and parameters in F."""

from __future__ import annotations

import math

from multibody.kernels import layout as L
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at


@inner_kernel
def run_program(model, scratch, pc, inputs):
    """Return the value of the program at I[pc]; its inputs (time, coordinates) lie at W[inputs]."""
    I, F, W = model.I, model.F, scratch.W
    base = I[L.W_STACK]
    top = base - 1
    while I[pc] != L.OP_END:
        op, arg = I[pc], I[pc + 1]
        pc += 2
        if op <= L.OP_LOAD:
            top += 1
            if op == L.OP_CONSTANT:
                W[top] = F[arg]
            elif op == L.OP_INPUT:
                W[top] = W[inputs + arg]
            elif op == L.OP_PARAMETER:
                W[top] = F[I[L.PARAMETERS] + arg]
            else:
                W[top] = W[base + L.STACK_DEPTH + arg]
        elif op == L.OP_SELECT:
            top -= 2
            W[top] = W[top + 1] if W[top] != 0.0 else W[top + 2]
        elif op == L.OP_SPLINE:
            W[top] = spline_value(model, arg // 8, arg % 8, W[top])
        elif op == L.OP_INTEGER_POWER:
            W[top] = _integer_power(W[top], arg)
        elif _is_binary(op):
            top -= 1
            W[top] = _binary(op, W[top], W[top + 1])
        elif op == L.OP_KEEP:
            W[base + L.STACK_DEPTH + arg] = W[top]
        else:
            W[top] = _unary(op, W[top])
    return W[top]


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
    I, F = model.I, model.F
    k = I[L.SPLINES] + L.SPLINE_STRIDE * s
    kind, count, knots, coefficients = I[k], I[k + 1], I[k + 2], I[k + 3]
    first, last = F[knots], F[knots + count]
    if kind == L.SPLINE_PERIODIC:
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
    u, c = x - F[knots + low], coefficients + 4 * low
    if order == 0:
        return F[c] + u * (F[c + 1] + u * (F[c + 2] + u * F[c + 3]))
    if order == 1:
        return F[c + 1] + u * (2.0 * F[c + 2] + u * 3.0 * F[c + 3])
    if order == 2:
        return 2.0 * F[c + 2] + 6.0 * u * F[c + 3]
    return 6.0 * F[c + 3] if order == 3 else 0.0


@kernel
def evaluate_programs(model, scratch, pcs, slots):
    """Write the value of each program into its slot of F: the numbers that depend on parameters, in order."""
    model, scratch = model_at(model), scratch_at(scratch)
    I, F = model.I, model.F
    for k in range(pcs.shape[0]):
        F[slots[k]] = run_program(model, scratch, pcs[k], I[L.W_INPUT])
