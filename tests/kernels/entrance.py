"""Entrances from Python to kernels that only other kernels call."""

import inspect
from typing import Any

from multibody.kernels import declared
from multibody.kernels.compile import kernel as compiled

BLOCKS = ("model", "state", "scratch")


def entrance(kernel: Any) -> Any:
    """Return the same source, compiled so that Python can call it; blocks are handed over by their addresses."""
    names = list(inspect.signature(kernel.py_func).parameters)
    if not set(names) & set(BLOCKS):
        return compiled(kernel.py_func)
    places = ", ".join(f"{name}_at({name})" if name in BLOCKS else name for name in names)
    made: dict[str, Any] = {"__name__": __name__, "inner": kernel}
    made |= {f"{name}_at": getattr(declared, f"{name}_at") for name in BLOCKS}
    exec(f"def enter({', '.join(names)}):\n    return inner({places})", made)
    found = compiled(made["enter"])
    found._cache.disable()  # its source is in no file
    return found
