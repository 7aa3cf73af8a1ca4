"""What was made once is kept on disk: under a name made from sources and structure, believed only with its checksum.

The folder is that of compiled kernels (:mod:`multibody.kernels.cache`), with the same care for whose it is.
"""

from __future__ import annotations

import functools
import hashlib
import os
import pathlib
import platform

import llvmlite

from multibody.kernels.cache.folders import say
from multibody.kernels.cache.machine_code import DIGEST, digest_of, read_own, write_whole
from multibody.kernels.compile import cache_directory


def read(key: str) -> bytes | None:
    """Return what is kept under a key, None where there is nothing or it is damaged."""
    path = _path(key)
    if path is None:
        return None
    try:
        content = read_own(str(path))
    except OSError:
        return None
    if content is None or content[:DIGEST] != digest_of(key.encode(), content[DIGEST:]):
        return None
    return content[DIGEST:]


def write(key: str, content: bytes) -> None:
    """Keep something under a key; a disk that takes no more costs time later, never the result."""
    path = _path(key)
    if path is None:
        return
    try:
        write_whole(str(path), digest_of(key.encode(), content) + content)
    except OSError as error:
        say(f"specialized code cannot be kept in {path.parent}: {error.strerror}; it is made again every time")


def environment() -> dict[str, str]:
    """Return the environment of a process that finds this package where this one found it."""
    root = str(pathlib.Path(__file__).parents[2])
    others = os.environ.get("PYTHONPATH", "")
    return {**os.environ, "PYTHONPATH": root + (os.pathsep + others if others else "")}


@functools.cache
def _made_by() -> str:
    """Return what makes the code, beside our sources."""
    return f"{llvmlite.__version__} {platform.machine()}"


def _path(key: str) -> pathlib.Path | None:
    """Return the file of a key in the folder of this room, whose name has a hash of all sources."""
    folder = cache_directory("specialize")
    return None if folder is None else folder / f"{hashlib.sha256(f'{_made_by()} {key}'.encode()).hexdigest()[:32]}.spc"
