"""What is relied on inside numba: where a release changes it, this says what, before anything else fails oddly."""

import functools
import inspect
import pathlib
import re
import tomllib
from types import SimpleNamespace
from typing import Any

import numba
import pytest
from llvmlite import ir as llvm
from numba.core import (
    base,
    codegen,
    compiler,
    compiler_machinery,
    imputils,
    ir,
    ir_utils,
    lowering,
    postproc,
    registry,
    types,
    untyped_passes,
)
from numba.core.dispatcher import Dispatcher
from numba.core.typing import context as typing_context
from numba.core.typing.templates import AttributeTemplate
from numba.np import arrayobj

from multibody.kernels import elements, frugal, joined, passes
from multibody.kernels.rotations import matrix_of_quaternion

LIBRARY = codegen.CPUCodeLibrary
RELIED_ON: list[tuple[Any, str, tuple[str, ...]]] = [  # owner, name, parameters
    (LIBRARY, "finalize", ("self",)),
    (LIBRARY, "_finalize_final_module", ("self",)),
    (LIBRARY, "_finalize_dynamic_globals", ("self",)),
    (LIBRARY, "_optimize_final_module", ("self",)),
    (LIBRARY, "_get_module_for_linking", ("self",)),
    (LIBRARY, "_raise_if_finalized", ("self",)),
    (LIBRARY, "_optimize_functions", ("self", "ll_module")),
    (ir.Inst, "_rec_list_vars", ("self", "val")),
    (compiler_machinery.PassManager, "_runPass", ("self", "index", "pss", "internal_state")),
    (compiler.CompilerBase, "define_pipelines", ("self",)),
    (postproc.PostProcessor, "run", ("self", "emit_dels", "extend_lifetimes")),
    (codegen.JITCPUCodegen, "set_env", ("self", "env_name", "env")),
    (codegen.JITCodeLibrary, "get_pointer_to_function", ("self", "name")),
    (arrayobj, "fix_integer_index", ("context", "builder", "idxty", "idx", "size")),
    (arrayobj, "make_array", ("array_type",)),
    (arrayobj, "populate_array", ("array", "data", "shape", "strides", "itemsize", "meminfo", "parent")),
    (lowering.Lower, "lower_getitem", ("self", "resty", "expr", "value", "index", "signature")),
    (lowering.Lower, "lower_setitem", ("self", "target_var", "index_var", "value_var", "signature")),
    (lowering.Lower, "lower_binop", ("self", "resty", "expr", "op")),
    (types.BaseFunction, "get_call_type", ("self", "context", "args", "kws")),
    (untyped_passes, "rewrite_semantic_constants", ("func_ir", "called_args")),
    (ir_utils, "get_definition", ("func_ir", "name", "kwargs")),
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


def test_what_is_spared_is_there_and_put_back() -> None:
    for owner, name, value in (*frugal.SPARED, *elements.STRAIGHT):
        assert owner is not None and hasattr(owner, name), f"numba {numba.__version__} is without {name}"
        assert getattr(owner, name) is not value  # outside our compilations


def test_variables_of_instructions_are_those_that_numba_finds() -> None:
    """Every instruction of a function, by the general search and by ours."""
    code, seen = compiler.run_frontend(matrix_of_quaternion.py_func), 0
    for block in code.blocks.values():
        for each in block.body:
            whole = each.value._kws if isinstance(getattr(each, "value", None), ir.Expr) else vars(each)
            expected = ir.Inst._rec_list_vars(each, whole)
            assert [x.name for x in frugal._variables(each, whole)] == [x.name for x in expected]
            seen += len(expected)
    assert seen > 100


def test_options_are_equal_where_numba_says_so() -> None:
    one, other, third = compiler.Flags(), compiler.Flags(), compiler.Flags()
    other.boundscheck = compiler.Flags().boundscheck  # set to what it is anyway
    third.nrt = not compiler.Flags().nrt
    for left, right in ((one, other), (one, third), (other, third)):
        assert frugal._same(left, right) == (left == right)
    assert frugal._same(one, 3) is NotImplemented
    assert {frugal._hash(each) for each in (one, other, third)} == {hash(one)} == {hash(third)}


def test_arguments_and_sizes_are_those_that_numba_finds() -> None:
    def with_location(context: Any, builder: Any, *, loc: Any = None) -> None: ...

    def without(context: Any, builder: Any) -> None:
        loc = context  # noqa: F841

    for each in (with_location, without, functools.wraps(with_location)(without), functools.partial(with_location, 1)):
        assert frugal._has_location(each) == base._has_loc(each)
    context = registry.cpu_target.target_context
    for kind in (llvm.IntType(1), llvm.DoubleType(), llvm.LiteralStructType([llvm.IntType(8), llvm.DoubleType()])):
        assert frugal._size_of(context, kind) == frugal._size_of(context, kind) == context.get_abi_sizeof(kind)


def test_registries_are_read_where_they_grew(monkeypatch: pytest.MonkeyPatch) -> None:
    class Pretended:
        registry_items = ("functions", "casts")

        def __init__(self) -> None:
            self.functions, self.casts = [1], [2, 3]

    grows, reads = Pretended(), list[Any]()
    context = SimpleNamespace(_registries={grows: grows})
    monkeypatch.setitem(frugal._REFRESH, Pretended, reads.append)
    monkeypatch.setattr(frugal, "_READ", {})
    refresh = frugal._refresher(Pretended)
    for wanted in (1, 1, 1):
        refresh(context)
        assert len(reads) == wanted
    grows.casts.append(4)
    refresh(context)
    assert len(reads) == 2
    for owner in (base.BaseContext, typing_context.BaseContext):
        assert "_registries" in inspect.getsource(owner) and owner in frugal._REFRESH


LEFT_OUT = {  # passes of numba that look for what no kernel has
    "WithLifting", "InlineClosureLikes", "MakeFunctionToJitFunction", "InlineInlinables", "FindLiterallyCalls", "LiteralUnroll",
    "LiteralPropagationSubPipelinePass", "InlineOverloads", "NopythonRewrites", "IRLegalization", "DumpParforDiagnostics",
}  # fmt: skip


def test_passes_of_kernels_are_those_of_numba_without_some() -> None:
    """A pass that a release adds or moves is judged here before kernels go without it."""
    assert passes.POSSIBLE
    state = compiler.StateDict()
    state.func_ir, state.flags = None, compiler.Flags()
    state.flags.enable_ssa = True
    every = [each.__name__ for each, _ in compiler.DefaultPassBuilder.define_nopython_pipeline(state).passes]
    ours = [name for _, names in passes.NEEDED for name in names]
    kept = [name for name in every if name not in LEFT_OUT]
    assert set(every) == set(ours) | LEFT_OUT
    once = [name for k, name in enumerate(kept) if name != "DeadBranchPrune" or k < kept.index("GenericRewrites")]
    assert [name for k, name in enumerate(ours) if name != "DeadBranchPrune" or k < ours.index("GenericRewrites")] == once


def test_numba_has_a_tested_upper_bound() -> None:
    project = tomllib.loads((pathlib.Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    bound = next(line for line in project["dependencies"] if line.startswith("numba"))
    upper = re.search(r"<(\d+)\.(\d+)", bound)
    assert upper, bound
    version = tuple(int(x) for x in numba.__version__.split(".")[:2])
    assert version < tuple(int(x) for x in upper.groups())
