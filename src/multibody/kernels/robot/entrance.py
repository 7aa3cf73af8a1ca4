"""Entrances from Python that compile nothing by themselves: an argument of another type raises TypeError at once."""

from __future__ import annotations

from typing import Any

import numba


def prepared(function: Any, *arguments: Any) -> Any:
    """Return a kernel that is compiled, or loaded, for the types of these arguments and takes no others from then on.

    A kernel that may compile would spend seconds on an array of another type; this one raises TypeError, and the caller
    then converts.
    """
    if hasattr(function, "disable_compile"):  # a plain function where numba is switched off
        function.disable_compile(False)
        function.compile(tuple(numba.typeof(argument) for argument in arguments))
        function.disable_compile()
    return function
