"""What numba spends on things that nobody looks at while kernels are compiled, and how it is spared.

Nearly half of the time in which numba types and lowers our functions goes into these: its garbage is collected over and
over, thousands of errors that it raises and catches itself get colors for a terminal, every call into LLVM is announced to
listeners, where variables live is found after every pass, and the variables of an instruction ten times by a general search.
All registries are read again whenever a function is not found, options are compared one by one, sizes of types are asked of
LLVM, signatures of Python's ``inspect``, and warnings are caught around every instruction. Each is put back when a
compilation is over.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator
from typing import Any

from llvmlite import binding
from numba.core import base, errors, interpreter, ir, postproc, targetconfig, transforms
from numba.core.typing import context as typing_context


def _variables(owner: Any, value: Any) -> list[Any]:
    """Return the variables in a part of an instruction, as ``ir.Inst._rec_list_vars`` does."""
    if isinstance(value, ir.Var):
        return [value]
    if isinstance(value, ir.Inst):
        found: list[Any] = value.list_vars()
        return found
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    found = []
    for part in parts:
        kind = type(part)
        if kind is ir.Var:
            found.append(part)
        elif part is not None and kind is not str and kind is not ir.Loc:
            found += _variables(owner, part)
    return found


def _plain(scheme: Any, message: str, *style: Any) -> str:
    """Return an error message as it is."""
    return message


_COLORS = ((errors.HighlightColorScheme, "_markup", _plain),) if hasattr(errors, "HighlightColorScheme") else ()  # colorama
_PROCESS: Any = postproc.PostProcessor.run


def _processed(owner: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """Do of what follows a pass only what the next one reads: loops with one way back; lifetimes are found when asked for."""
    function = owner.func_ir
    if emit_dels or function.is_generator:
        _PROCESS(owner, emit_dels, extend_lifetimes)
        return
    function.blocks = transforms.canonicalize_cfg(function.blocks)
    function.variable_lifetime = postproc.VariableLifetime(function.blocks)
    function.generator_info = None


_REFRESH: dict[type, Any] = {owner: owner.refresh for owner in (base.BaseContext, typing_context.BaseContext)}
_READ: dict[int, int] = {}  # how much was registered when a context last read all of it


def _registered(context: Any) -> int:
    """Return how many functions, attributes and the like numba has been told of: a compilation adds those of our blocks."""
    return sum(
        len(getattr(registry, name)) for registry, loader in context._registries.items() for name in loader.registry_items
    )


def _refresher(owner: type) -> Any:
    """Return a method that reads all registries where there is something new in them."""

    def refresh(context: Any) -> None:
        if _READ.get(id(context)) != _registered(context):
            _REFRESH[owner](context)
            _READ[id(context)] = _registered(context)

    return refresh


_SAME: Any = targetconfig.TargetConfig.__eq__


def _same(options: Any, others: Any) -> Any:
    """Return whether two sets of options are equal, looking at those that are not as always."""
    if type(options) is not type(others):
        return _SAME(options, others)
    told, other = options._values, others._values
    return told == other or all(getattr(options, name) == getattr(others, name) for name in told.keys() | other.keys())


def _hash(options: Any) -> int:
    """Return what numba does, a number of the names alone."""
    kind = type(options)
    if kind not in _HASHES:
        _HASHES[kind] = hash(tuple(sorted(options.values())))
    return _HASHES[kind]


_HASHES: dict[type, int] = {}
_HAS_LOCATION: Any = getattr(base, "_has_loc", None)


def _has_location(function: Any) -> bool:
    """Return whether a function takes ``loc``, as the names of its arguments say."""
    code = getattr(function, "__code__", None)
    if code is None or hasattr(function, "__wrapped__"):
        return bool(_HAS_LOCATION(function))
    return "loc" in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


_SIZES: dict[str, int] = {}
_SIZE: Any = base.BaseContext.get_abi_sizeof


def _size_of(context: Any, kind: Any) -> int:
    """Return the size of a type of LLVM's, asked once."""
    text = str(kind)
    if text.startswith("%"):  # a name, behind which may be anything
        return int(_SIZE(context, kind))
    if text not in _SIZES:
        _SIZES[text] = _SIZE(context, kind)
    return _SIZES[text]


def _as_it_is(function: Any) -> Any:
    """Return a function in which nothing was to be found: kernels have no ``with`` and no dictionaries."""
    return function


_NOTHING = contextlib.nullcontext()


def _uncaught(owner: Any, filename: Any = None, lineno: Any = None) -> Any:
    """Catch no warnings around one instruction: kernels give rise to none."""
    return _NOTHING


SPARED: tuple[tuple[Any, str, Any], ...] = (  # owner, name, what stands there while a kernel is compiled
    *_COLORS,
    (getattr(binding.ffi.lib, "_lock", None), "_cblist", []),
    (postproc.PostProcessor, "run", _processed),
    (ir.Inst, "_rec_list_vars", _variables),
    *((owner, "refresh", _refresher(owner)) for owner in _REFRESH),
    (targetconfig.TargetConfig, "__eq__", _same),
    (targetconfig.TargetConfig, "__hash__", _hash),
    (base, "_has_loc", _has_location),
    (base.BaseContext, "get_abi_sizeof", _size_of),
    (interpreter, "peep_hole_delete_with_exit", _as_it_is),
    (interpreter, "peep_hole_fuse_dict_add_updates", _as_it_is),
    (getattr(errors, "WarningsFixer", None), "catch_warnings", _uncaught),
)


@contextlib.contextmanager
def without_collection() -> Iterator[None]:
    """Collect no garbage within, and lay what a compilation left with what is old: a search takes a fifteenth of it."""
    if not gc.isenabled():
        yield
        return
    alone = gc.get_freeze_count() == 0  # else somebody else has laid objects aside, and wants them there
    gc.disable()
    try:
        yield
    finally:
        if alone:
            gc.freeze()
            gc.unfreeze()
        gc.enable()
