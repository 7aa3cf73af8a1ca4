"""The one decorator of the package, and the cache directories that its machine code lives in.

Numba's own cache looks only at the file of the outermost function; an edit in a callee would go unnoticed. The name of a
cache directory therefore contains a hash of all sources that its functions may call, of the numba version and of the package
version. Kernels, formulations (which call kernels) and integrators (which call formulations through addresses only) have a
directory each, so that an edit in one room compiles no other room again. Which directories are taken, and which files in them
are believed, :mod:`multibody.kernels.cache` says.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import pathlib
import sys
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numba
from numba.core import codegen, types, untyped_passes
from numba.np import arrayobj

from multibody import kernels
from multibody._version import __version__
from multibody.kernels import elements, folded, frugal, joined, passes
from multibody.kernels.cache.folders import room_folder
from multibody.kernels.cache.machine_code import MachineCode
from multibody.kernels.memory.compiled import Place

_Function = TypeVar("_Function", bound=Callable[..., Any])
_PACKAGE = pathlib.Path(__file__).parent.parent
_ALWAYS = tuple(f"kernels/{name}.py" for name in ("*", "memory/*", "newton/*", "tree/declared", "parametric/declared"))
_SOURCES = {  # what the functions of a room may call, and the memory that they find: a test follows their imports
    "kernels": _ALWAYS,
    "tree": (*_ALWAYS, "kernels/tree/*.py"),
    "assembly": (*_ALWAYS, "kernels/assembly/*.py"),
    "statics": (*_ALWAYS, "kernels/assembly/*.py", "kernels/statics/*.py"),
    "robot": (*_ALWAYS, "kernels/tree/*.py", "kernels/robot/*.py"),
    "parametric": (*_ALWAYS, "kernels/parametric/*.py"),
    "formulations": (*_ALWAYS, "kernels/tree/*.py", "kernels/parametric/*.py", "formulations/*.py"),
    "integrators": (
        *(f"kernels/{name}.py" for name in ("__init__", "compile", "joined", "frugal", "folded", "elements", "passes")),
        *(f"kernels/{name}.py" for name in ("objects", "calls", "stacked", "acceptance", "memory/*")),
        "integrators/*.py",
    ),
    "specialize": ("kernels/**/*.py", "formulations/*.py", "integrators/*.py", "specialize/*.py"),
}


@functools.cache
def source_hash(room: str = "kernels") -> str:
    """Return a short hash of everything that the machine code of a room depends on.

    Parameters
    ----------
    room : str
        ``kernels``, ``tree``, ``assembly``, ``statics``, ``robot``, ``parametric``, ``formulations``, ``integrators`` or
        ``specialize``.

    Returns
    -------
    str
        16 hexadecimal digits.
    """
    digest = hashlib.sha256(f"{numba.__version__} {__version__} {sys.version_info[:2]} {kernels.CHECKED}".encode())
    for path in sorted({path for pattern in _SOURCES[room] for path in _PACKAGE.glob(pattern)}):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@functools.cache
def cache_directory(room: str = "kernels") -> pathlib.Path | None:
    """Return the directory of a room's compiled functions, created if it can be.

    Parameters
    ----------
    room : str

    Returns
    -------
    pathlib.Path or None
        Its name ends in :func:`source_hash`; it belongs to the user and is written by nobody else. None where there is none.
    """
    return room_folder(f"{room}-{source_hash(room)}")


def room_directories() -> list[pathlib.Path]:
    """Return the directories of all rooms, those that can be had."""
    found = (cache_directory(room) for room in _SOURCES)
    return [each for each in found if each is not None]


def _skip_blas() -> None:
    """Load numba's array functions without its search for a BLAS, which imports scipy.linalg (0.1 s): kernels use none."""
    name = "scipy.linalg.cython_blas"
    if name not in sys.modules:
        sys.modules[name] = None  # type: ignore[assignment]  # what Python takes for "cannot be imported"
        try:
            importlib.import_module("numba.np.arraymath")
        finally:
            del sys.modules[name]


if kernels.ALONE:
    _skip_blas()
CACHE_DIRECTORY = cache_directory()
_JOIN = joined.POSSIBLE and not kernels.CHECKED  # errors must come back through every call
REGISTRY: list[Any] = []


def _plain_index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    """Return an array index as it is: kernels never count from the end, and testing every index costs 40 % of their time."""
    return context.cast(builder, index, kind, types.intp if kind.signed else types.uintp)


_OPERATORS: dict[tuple[int, Any], tuple[Any, Any]] = {}
_RESOLVE: Any = getattr(types.BaseFunction, "get_call_type", None)
_BOOLEAN: Any = types.Boolean


def _resolve_once(kind: Any, context: Any, given: Any, named: Any) -> Any:
    """Return the signature of a call as numba finds it; those of operators are remembered.

    For every ``W[k]`` and every sum numba goes through dozens of candidates, a sixth of the time of a compilation, while
    kernels know a few dozen combinations of types. The kind of function is kept beside the answer, lest another take its id.
    """
    if named or getattr(kind.typing_key, "__module__", "") != "_operator":
        return _RESOLVE(kind, context, given, named)
    known = _OPERATORS.get((id(kind), given))
    if known is None:
        known = _OPERATORS[id(kind), given] = (_RESOLVE(kind, context, given, named), kind)
    return known[0]


@contextlib.contextmanager
def _our_settings() -> Iterator[None]:
    """Compile our way within, and leave numba as it was for everybody else's functions."""
    ours: tuple[tuple[Any, str, Any], ...] = (
        (numba.config, "LOOP_VECTORIZE", 0),
        (arrayobj, "fix_integer_index", _plain_index),
        (types.BaseFunction, "get_call_type", _resolve_once),
        (untyped_passes, "rewrite_semantic_constants", folded.fold),
        *frugal.SPARED,
        *elements.STRAIGHT,
    )
    if _JOIN:
        ours += (
            (codegen.JITCPUCodegen, "_library_class", joined.JoinedLibrary),
            (codegen.JITCPUCodegen, "set_env", joined.set_environment),
        )
    before = [(place, name, getattr(place, name)) for place, name, _ in ours if hasattr(place, name)]
    for place, name, value in ours:
        if hasattr(place, name):  # another release of numba may be without
            setattr(place, name, value)
    outermost = "literal_type" not in vars(_BOOLEAN)
    if outermost:  # a tag that is True is not None, also where Python hands it over: see ``tags``
        _BOOLEAN.literal_type = types.boolean
    try:
        yield
    finally:
        if outermost:
            del _BOOLEAN.literal_type
        for place, name, value in before:
            setattr(place, name, value)


def _room(module: str) -> str:
    """Return the room whose directory keeps a module's functions."""
    parts = module.split(".")
    if parts[0] != "multibody":
        return "kernels"
    return parts[2] if parts[1] == "kernels" and parts[2] in _SOURCES else parts[1]


def _from_kernels(signature: Any) -> bool:
    """Return whether only kernels call with these types: Python and addresses hand over addresses of blocks, never blocks."""
    return _JOIN and any(isinstance(kind, Place) for kind in getattr(signature, "args", signature))


@contextlib.contextmanager
def _entrance(options: dict[str, Any], wanted: bool) -> Iterator[None]:
    """Build an entrance from Python within, or none."""
    before = dict(options)
    if not wanted:
        options["no_cpython_wrapper"] = True
    try:
        yield
    finally:
        options.clear()
        options.update(before)


def _shared(function: Any, plane: bool, arguments: Any) -> joined.Shared | None:
    """Return the name by which entries call a shared function with these types, None where it is joined or an entry itself."""
    if not _from_kernels(arguments) or joined.ALL_WAIT:
        return None
    given = tuple(getattr(arguments, "args", arguments))
    if not plane and any(isinstance(kind, Place) and kind.known.get("planar") for kind in given):
        return None
    what = f"{source_hash(_room(function.__module__))} {function.__module__} {given}"
    symbol = f"multibody.{function.__qualname__}.{hashlib.sha256(what.encode()).hexdigest()[:16]}"
    return joined.Shared(function.__module__, function.__qualname__, given, symbol)


def _compiled(function: _Function, forceinline: bool = False, shared: str = "", **options: bool) -> _Function:
    """Return the dispatcher of a function, cached in our directory and compiled with our settings.

    Loops here are short and of unknown length: LLVM's loop vectorizer only costs compile time (a quarter of it), so it is
    off while one of our functions is compiled; so is the test for negative indices, and operators are looked up once.
    Kernels never allocate, so they need no reference counting, which would cost three quarters of their time. Inlining is
    said of every function, because one that says nothing takes it over from the caller that is being compiled.
    """
    settings = {"error_model": "numpy", "fastmath": {"contract"}, "_nrt": False, "forceinline": forceinline, **options}
    settings["boundscheck"] = kernels.CHECKED
    inner = _JOIN and options.get("no_cpython_wrapper", False)
    outside = functools.partial(_shared, function, shared == "plane and space") if shared else lambda arguments: None
    made: Any = numba.njit(pipeline_class=passes.COMPILER, **settings)(function)
    compiler = getattr(made, "_compiler", None)
    if compiler is not None:  # absent where numba is switched off
        plain = compiler.compile

        def compile_our_way(arguments: Any, result: Any) -> Any:
            name = outside(arguments)
            below = (inner or _from_kernels(arguments)) and name is None
            joining = joined.compiling(function.__qualname__, below, name)
            wanted = not below and name is None
            with _our_settings(), frugal.without_collection(), joining, _entrance(compiler.targetoptions, wanted):
                return plain(arguments, result)

        compiler.compile = compile_our_way
        folder = cache_directory(_room(function.__module__))
        if folder is not None and not inner:
            made._cache = MachineCode(function, folder, bool(options.get("no_cpython_wrapper")), _from_kernels, outside)
    REGISTRY.append(made)
    result: _Function = made
    return result


def kernel(function: _Function) -> _Function:
    """Compile a module-level function in nopython mode and keep its machine code on disk.

    Parameters
    ----------
    function : callable
        Module-level function on scalars, tuples of scalars and contiguous arrays.

    Returns
    -------
    callable
        The numba dispatcher.
    """
    return _compiled(function, no_cfunc_wrapper=True, no_cpython_wrapper=joined.ALL_WAIT)


def shared_kernel(function: _Function) -> _Function:
    """Compile as :func:`kernel` does; kernels that call it all enter the same machine code, which is made once.

    For large functions that an evaluation calls once or twice: copied into every entry, all forces alone were a sixth of what
    LLVM had to do.
    """
    return _compiled(function, no_cfunc_wrapper=True, no_cpython_wrapper=joined.ALL_WAIT, shared="plane and space")


def shared_in_space(function: _Function) -> _Function:
    """Compile as :func:`shared_kernel` does for models in space, as :func:`kernel` does for planar ones.

    For rows, which in the plane are so short that a call is felt.
    """
    return _compiled(function, no_cfunc_wrapper=True, no_cpython_wrapper=joined.ALL_WAIT, shared="space")


def inner_kernel(function: _Function) -> _Function:
    """Compile as :func:`kernel` does, for functions that only other kernels call: no entrance from Python is built."""
    return _compiled(function, no_cfunc_wrapper=True, no_cpython_wrapper=True)


def inlined(function: _Function) -> _Function:
    """Compile as :func:`inner_kernel` does, and copy the code into every caller.

    For the small parts of right-hand sides: an array is handed over as seven words, so that a call with the whole bundle costs
    more than many of these functions need for their work. What few evaluations come to stays a call.
    """
    return _compiled(function, no_cfunc_wrapper=True, no_cpython_wrapper=True, forceinline=True)
