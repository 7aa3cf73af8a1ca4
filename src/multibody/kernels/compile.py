"""The one decorator of the package, and the cache directory that its machine code lives in.

Numba's own cache looks only at the file of the outermost function; an edit in a callee would go unnoticed. The name of our
cache directory therefore contains a hash of all kernel sources, of the numba version and of the package version.
"""

from __future__ import annotations

import hashlib
import os
import pathlib
import sys
import tempfile
from collections.abc import Callable
from typing import Any, TypeVar

import numba

from multibody._version import __version__

_Function = TypeVar("_Function", bound=Callable[..., Any])
_KERNELS = pathlib.Path(__file__).parent


def source_hash() -> str:
    """Return a short hash of everything that machine code depends on.

    Returns
    -------
    str
        16 hexadecimal digits.
    """
    digest = hashlib.sha256(f"{numba.__version__} {__version__} {sys.version_info[:2]}".encode())
    for path in sorted(_KERNELS.glob("*.py")):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _base_directory() -> pathlib.Path:
    """Return where caches go: MULTIBODY_CACHE_DIR, NUMBA_CACHE_DIR, or the user's cache directory."""
    for variable in ("MULTIBODY_CACHE_DIR", "NUMBA_CACHE_DIR"):
        if os.environ.get(variable):
            return pathlib.Path(os.environ[variable])
    if sys.platform == "win32":
        return pathlib.Path(os.environ.get("LOCALAPPDATA", tempfile.gettempdir())) / "multibody"
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "multibody"


def cache_directory() -> pathlib.Path:
    """Return the directory of the compiled kernels, created if it can be.

    Returns
    -------
    pathlib.Path
        Its name ends in :func:`source_hash`. Falls back to the system's temporary directory where the user's cache
        directory cannot be written.
    """
    name = f"kernels-{source_hash()}"
    for base in (_base_directory(), pathlib.Path(tempfile.gettempdir()) / "multibody"):
        try:
            (base / name).mkdir(parents=True, exist_ok=True)
            if os.access(base / name, os.W_OK):
                return base / name
        except OSError:
            continue
    return pathlib.Path(tempfile.mkdtemp(prefix="multibody-"))


CACHE_DIRECTORY = cache_directory()
REGISTRY: list[Any] = []


def _compiled(function: _Function, **options: bool) -> _Function:
    """Return the dispatcher of a function, cached in our directory and compiled with our settings.

    Loops here are short and of unknown length: LLVM's loop vectorizer only costs compile time (a quarter of it), so it is
    off while one of our functions is compiled, and as it was for everybody else's. Kernels never allocate, so they need no
    reference counting; counting the references of array arguments would cost three quarters of their time.
    """
    previous = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(CACHE_DIRECTORY)  # other packages keep their own directory
    try:
        made: Any = numba.njit(cache=True, error_model="numpy", fastmath={"contract"}, _nrt=False, **options)(function)
    finally:
        numba.config.CACHE_DIR = previous
    compiler = getattr(made, "_compiler", None)
    if compiler is not None:  # absent where numba is switched off
        plain = compiler.compile

        def compile_without_vectorizer(arguments: Any, result: Any) -> Any:
            before = numba.config.LOOP_VECTORIZE
            numba.config.LOOP_VECTORIZE = 0
            try:
                return plain(arguments, result)
            finally:
                numba.config.LOOP_VECTORIZE = before

        compiler.compile = compile_without_vectorizer
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
    return _compiled(function, no_cfunc_wrapper=True)


def inner_kernel(function: _Function) -> _Function:
    """Compile as :func:`kernel` does, for functions that only other kernels call: no entrance from Python is built."""
    return _compiled(function, no_cfunc_wrapper=True, no_cpython_wrapper=True)
