"""Entrances from Python to kernels that only other kernels call."""

from typing import Any

import numba


def entrance(kernel: Any) -> Any:
    """Return the same source, compiled so that Python can call it."""
    return numba.njit(error_model="numpy")(kernel.py_func)
