"""Steps of the classical Runge–Kutta method for one member, as a kernel whose equations are joined to it later.

The same steps as ``integrators/rk4.py`` takes, with one place in the code where f is evaluated: everything is copied into that
place, and machine code that is short stays in the processor's cache. What cannot be stepped over is not broken up here: the
member stops, and says where.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from multibody.integrators.contract import finite
from multibody.kernels.acceptance import passes
from multibody.kernels.compile import inner_kernel

UNSOLVABLE, REFUSED, NOT_FINITE = 1, 2, 3  # why a member stopped: a status is REASONS · step + reason, 0 where it did not
REASONS = 4
RATES, ACCEPT = "multibody.rates", "multibody.accept"  # functions that are joined to this one
RENEW = "multibody.renew"  # says that numbers are read anew: LLVM would else keep all of them in registers from stage to stage
_FLOATS, _WORD = types.float64[::1], ir.IntType(64)
_PLACES = (types.voidptr, types.float64, _FLOATS, _FLOATS)


def _joined_later(name: str) -> Any:
    """Return what calls ``name(words, t, x, out) -> status``; x and out are handed over by their first item."""

    @intrinsic
    def evaluate(typing_context: Any, words: Any, t: Any, x: Any, out: Any) -> Any:
        def generate(context: Any, builder: Any, called: Any, arguments: Any) -> Any:
            data = [context.make_array(_FLOATS)(context, builder, value=each).data for each in arguments[2:]]
            given = [*arguments[:2], *data]
            kind = ir.FunctionType(_WORD, [each.type for each in given])
            return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), given)

        return types.int64(*_PLACES), generate

    return evaluate


@intrinsic
def renew(typing_context: Any, numbers: Any, k: Any) -> Any:
    """Say that a member's numbers, at this address, are read anew from here on."""

    def generate(context: Any, builder: Any, called: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(ir.VoidType(), [each.type for each in arguments])
        builder.call(cgutils.get_or_insert_function(builder.module, kind, RENEW), arguments)
        return context.get_dummy_value()

    return types.none(types.voidptr, types.int64), generate


rates, accept = _joined_later(RATES), _joined_later(ACCEPT)


@inner_kernel
def advance_member(numbers, words, projected, t, h, steps, y, x, slope, total):
    """Make steps of the length h from (t, y).

    Parameters
    ----------
    numbers, words : pointers
        The member's numbers, and what it has in the block ``State``; handed on.
    projected : int
        1: every step is accepted as the formulation does it, which brings it onto the constraints.
    t, h : float
    steps : int
    y : array, changed
        The state; where a member stops, that before the step that failed.
    x, slope, total : arrays of the same length
        Room; `total` is k₁ + 2 k₂ + 2 k₃.

    Returns
    -------
    int
        0, or where and why it stopped.
    """
    n = y.size
    for i in range(n):
        x[i] = y[i]
    for k in range(4 * steps):
        stage, step = k & 3, k >> 2
        begin = t + step * h
        part = 0.0 if stage == 0 else (h if stage == 3 else 0.5 * h)
        renew(numbers, k)
        if rates(words, begin + part, x, slope) != 0:
            return REASONS * step + UNSOLVABLE
        if stage < 3:
            ahead = h if stage == 2 else 0.5 * h
            for i in range(n):
                total[i] = slope[i] if stage == 0 else total[i] + 2.0 * slope[i]
                x[i] = y[i] + ahead * slope[i]
            continue
        for i in range(n):
            x[i] = y[i] + h / 6.0 * (total[i] + slope[i])
        if projected == 1 and not passes(accept(words, t + (step + 1) * h, x, slope)):
            return REASONS * step + REFUSED
        if not finite(x):
            return REASONS * step + NOT_FINITE
        for i in range(n):
            y[i] = x[i]
    return 0


SIGNATURES = {
    "advance_member": types.int64(
        types.voidptr, types.voidptr, types.int64, types.float64, types.float64, types.int64, *(_FLOATS,) * 4
    )
}
