"""What is relied on inside numba: where a release changes it, this says what, before anything else fails oddly."""

import inspect
import pathlib
import re
import tomllib
from typing import Any

import numba
import pytest
from numba.core import codegen, imputils, types
from numba.core.dispatcher import Dispatcher
from numba.core.typing.templates import AttributeTemplate
from numba.np import arrayobj

from multibody.kernels import joined

LIBRARY = codegen.CPUCodeLibrary
RELIED_ON: list[tuple[Any, str, tuple[str, ...]]] = [  # owner, name, parameters
    (LIBRARY, "finalize", ("self",)),
    (LIBRARY, "_finalize_final_module", ("self",)),
    (LIBRARY, "_finalize_dynamic_globals", ("self",)),
    (LIBRARY, "_optimize_final_module", ("self",)),
    (LIBRARY, "_get_module_for_linking", ("self",)),
    (LIBRARY, "_raise_if_finalized", ("self",)),
    (codegen.CPUCodegen, "_module_pass_manager", ("self", "kwargs")),
    (codegen.JITCPUCodegen, "set_env", ("self", "env_name", "env")),
    (codegen.JITCodeLibrary, "get_pointer_to_function", ("self", "name")),
    (arrayobj, "fix_integer_index", ("context", "builder", "idxty", "idx", "size")),
    (arrayobj, "make_array", ("array_type",)),
    (arrayobj, "populate_array", ("array", "data", "shape", "strides", "itemsize", "meminfo", "parent")),
    (types.BaseFunction, "get_call_type", ("self", "context", "args", "kws")),
    (AttributeTemplate, "generic_resolve", ()),
    (imputils, "lower_getattr_generic", ("ty",)),
    (imputils, "lower_setattr_generic", ("ty",)),
    (Dispatcher, "get_compile_result", ("self", "sig")),
]


@pytest.mark.parametrize(("owner", "name", "parameters"), RELIED_ON, ids=lambda x: x if isinstance(x, str) else "")
def test_what_is_relied_on_is_as_it_was(owner: Any, name: str, parameters: tuple[str, ...]) -> None:
    if name == "generic_resolve":  # a hook that subclasses define
        assert "generic_resolve" in inspect.getsource(owner)
        return
    assert hasattr(owner, name), f"numba {numba.__version__} has no {owner.__name__}.{name}"
    found = tuple(inspect.signature(getattr(owner, name)).parameters)
    assert found == parameters, f"numba {numba.__version__} changed {owner.__name__}.{name}: {found}"


def test_kernels_are_joined_with_this_release() -> None:
    """Without it they are compiled as numba does it, in twice the time."""
    assert joined.POSSIBLE
    assert codegen.JITCPUCodegen._library_class is codegen.JITCodeLibrary  # as it is outside our compilations


def test_numba_has_a_tested_upper_bound() -> None:
    project = tomllib.loads((pathlib.Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    bound = next(line for line in project["dependencies"] if line.startswith("numba"))
    upper = re.search(r"<(\d+)\.(\d+)", bound)
    assert upper, bound
    version = tuple(int(x) for x in numba.__version__.split(".")[:2])
    assert version < tuple(int(x) for x in upper.groups())
