"""Compiling our way: what is changed in numba is put back, and functions of others are compiled as ever."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from numba.core import types
from numba.np import arrayobj

from multibody.kernels import compile as ours
from multibody.kernels.compile import inner_kernel, kernel


@inner_kernel
def _last_but(x, k):
    return x[x.shape[0] - k]


@kernel
def _sum_of_last(x):
    """Add the last two numbers."""
    return _last_but(x, 1) + _last_but(x, 2)


@kernel
def _broken(x):
    """Add a number to a word, which nobody can compile."""
    return x + "word"


def settings() -> tuple[Any, ...]:
    """Return what a compilation of ours changes in numba."""
    return (numba.config.LOOP_VECTORIZE, arrayobj.fix_integer_index, types.BaseFunction.get_call_type)


def test_numba_is_left_as_it_was() -> None:
    before = settings()
    assert _sum_of_last(np.array([1.0, 2.0, 4.0])) == 6.0
    assert settings() == before
    with pytest.raises(numba.TypingError):
        _broken(1.0)
    assert settings() == before
    assert before[2] is not ours._resolve_once


def test_functions_of_others_count_from_the_end() -> None:
    _sum_of_last(np.array([1.0, 2.0, 4.0]))
    last = numba.njit(lambda x, k: x[k])
    assert last(np.array([1.0, 2.0, 4.0]), -1) == 4.0


def test_operators_are_found_as_numba_finds_them() -> None:
    context = numba.core.registry.cpu_target.typing_context
    context.refresh()
    for function, given in (
        ("add", (types.float64, types.float64)), ("add", (types.int64, types.float64)),
        ("getitem", (types.float64[::1], types.int64)), ("getitem", (types.float64[::1], types.slice2_type)),
    ):  # fmt: skip
        kind = context.resolve_value_type(getattr(__import__("operator"), function))
        for _ in range(2):
            assert ours._resolve_once(kind, context, given, {}) == ours._RESOLVE(kind, context, given, {})
    with pytest.raises(numba.TypingError):
        ours._resolve_once(kind, context, (types.float64, types.float64), {})
