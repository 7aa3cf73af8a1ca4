"""Machine code of one function on disk: one file for each combination of types, with a checksum before it is believed.

Numba's own files are an index and numbered data, written one after the other: two processes at once may pair the index of one
with the data of the other, and a damaged file ends the process. Here a file stands alone. Its name is made from all that the
machine code depends on, its first bytes are a checksum of that and of the rest, so that a file which is damaged, cut off or
renamed is known for what it is before anything of it is unpickled. It is then compiled anew and written again.

Machine code may call functions of other files by name (:class:`~multibody.kernels.joined.Shared`): they are loaded first.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import os
import pathlib
import pickle
import stat
import sys
import uuid
from collections.abc import Callable
from typing import Any

import llvmlite
import numba
from numba.core import compiler
from numba.core.serialize import dumps

from multibody.kernels.cache.folders import say
from multibody.kernels.joined import Shared, adopt

DIGEST = hashlib.sha256().digest_size


class MachineCode:
    """What a numba dispatcher asks for machine code before it compiles.

    Parameters
    ----------
    function : callable
    folder : pathlib.Path
        Of the user alone, see :mod:`multibody.kernels.cache.folders`.
    inner : bool
        Whether Python has no entrance to it.
    passes : callable, optional
        Says of a signature whether it is left alone: nothing is kept for it.
    shared : callable, optional
        Says by which name other machine code calls it with a signature, None where it does not.
    """

    def __init__(
        self, function: Any, folder: pathlib.Path, inner: bool = False, passes: Callable[[Any], bool] = lambda _: False,
        shared: Callable[[Any], Shared | None] = lambda _: None,
    ) -> None:  # fmt: skip
        self.cache_path = str(folder)
        self._function, self._inner, self._enabled, self._shared = function, inner, True, shared
        self._passes = lambda signature: passes(signature) and shared(signature) is None
        code = function.__code__
        self._name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__.replace('<', '').replace('>', '')}"
        self._name += f"-{code.co_firstlineno}.{sys.implementation.cache_tag}"

    def enable(self) -> None:
        """Use the files."""
        self._enabled = True

    def disable(self) -> None:
        """Leave the files alone."""
        self._enabled = False

    def flush(self) -> None:
        """Forget what is on disk."""
        for file in pathlib.Path(self.cache_path).glob(f"{self._name}-*.nbc"):
            file.unlink(missing_ok=True)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return the machine code for a signature, None if it is to be compiled."""
        context.refresh()
        if not self._enabled or self._passes(signature):
            return None
        key = self._key(signature, context.codegen())
        try:
            content = read_own(self._path(key))
        except FileNotFoundError:
            return None
        except OSError as error:
            say(f"compiled kernels in {self.cache_path} cannot be read ({error.strerror}); they are compiled anew")
            return None
        if content is None or content[:DIGEST] != digest_of(key, content[DIGEST:]):
            say(f"compiled kernels in {self.cache_path} are damaged; they are compiled anew")
            return None
        try:
            needs, parts = pickle.loads(memoryview(content)[DIGEST:])
            for each in needs.values():
                getattr(importlib.import_module(each.module), each.function).compile(each.types)
            made = compiler.CompileResult._rebuild(context, *parts)
            adopt(made.library, self._shared(signature), needs, made.fndesc.mangled_name)
            return made
        except Exception as error:  # whole, but numba cannot use it: whatever it says, it can be compiled
            say(f"compiled kernels in {self.cache_path} cannot be used ({type(error).__name__}); they are compiled anew")
            return None

    def save_overload(self, signature: Any, made: Any) -> None:
        """Write machine code; a disk that takes no more costs time later, never the result."""
        if not self._enabled or self._passes(signature):
            return
        if made.library.has_dynamic_globals or any(not part.can_cache for part in made.lifted):
            return
        key = self._key(signature, made.codegen)
        content = dumps((getattr(made.library, "needs", {}), made._reduce()))
        try:
            write_whole(self._path(key), digest_of(key, content) + content)
        except OSError as error:
            why = f"{error.strerror}; every process compiles them until the folder takes them"
            say(f"compiled kernels cannot be kept in {self.cache_path}: {why}")

    def _key(self, signature: Any, codegen: Any) -> bytes:
        """Return everything that the machine code depends on beside the sources that name the folder."""
        function = self._function
        cells = tuple(cell.cell_contents for cell in function.__closure__ or ())
        parts = (
            numba.__version__, llvmlite.__version__, sys.version, function.__module__, function.__qualname__,
            self._inner, function.__code__.co_code,
            dumps(cells) if cells else b"", _stamp(function), str(signature), codegen.magic_tuple(),
        )  # fmt: skip
        return repr(parts).encode()

    def _path(self, key: bytes) -> str:
        """Return the file of a key."""
        return os.path.join(self.cache_path, f"{self._name}-{hashlib.sha256(key).hexdigest()[:16]}.nbc")


def _stamp(function: Any) -> str:
    """Return a hash of the source file of a function outside the package, whose folder does not know it."""
    if function.__module__.startswith("multibody."):
        return ""
    try:
        return hashlib.sha256(pathlib.Path(function.__code__.co_filename).read_bytes()).hexdigest()
    except OSError:
        return ""


def digest_of(key: bytes, content: bytes) -> bytes:
    """Return the checksum of what a file holds and of what it is for."""
    return hashlib.sha256(hashlib.sha256(key).digest() + content).digest()


def read_own(path: str) -> bytes | None:
    """Return a file's content, None if it is no plain file of the user."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(handle, "rb") as file:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or (hasattr(os, "getuid") and found.st_uid != os.getuid()):
            return None
        return file.read()


def write_whole(path: str, content: bytes) -> None:
    """Write a file beside its place and move it there; processes that do so at once write the same."""
    beside = f"{path}.{uuid.uuid4().hex[:16]}"
    try:
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        with open(handle, "wb") as file:
            file.write(content)
        os.replace(beside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise
