"""The process that computes for a server of tools: one verb of the command line, with no way to files outside of a folder.

``python -m multibody.agent.child FOLDER PRIVATE WRITES SECONDS VERB ...``. The server has judged all names already; the fence
here (Python's audit hooks) holds whatever a model file may name, now and in later versions.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from typing import Any

MEMORY = 8 << 30  # bytes of address space that it may take
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGES = ("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown")
FORBIDDEN = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "socket.connect", "socket.bind")


def fence(folder: str, private: str, writes: bool) -> None:
    """Refuse from now on to open files elsewhere, to run programs and to connect to anything.

    Parameters
    ----------
    folder : path
        Read, and written if `writes`.
    private : path
        Read and written.
    writes : bool
    """
    from multibody.kernels.cache.folders import base_folder

    kept = base_folder()
    caches = [] if kept is None else [os.path.realpath(kept)]
    owned = [os.path.realpath(private), *caches, *([os.path.realpath(folder)] if writes else [])]
    own = [os.path.realpath(path) for path in (*sys.path, *sysconfig.get_paths().values(), sys.prefix, sys.base_prefix) if path]
    readable = [*owned, os.path.realpath(folder), *own, os.devnull]

    def within(path: Any, roots: list[str]) -> bool:
        if not isinstance(path, str | bytes | os.PathLike):
            return True  # a number: a file that is open already
        real = os.path.realpath(os.fsdecode(path))
        return any(real == root or real.startswith(root.rstrip(os.sep) + os.sep) for root in roots)

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode, flags = arguments
            written = bool((flags or 0) & WRITING) or (isinstance(mode, str) and any(letter in mode for letter in "wax+"))
            refused = not within(path, [*owned, os.devnull] if written else readable)
        elif event in CHANGES:
            refused = not all(within(path, owned) for path in arguments if isinstance(path, str | bytes | os.PathLike))
            path = arguments[0]
        else:
            refused, path = event in FORBIDDEN, event
        if refused:
            raise PermissionError(1, "it lies outside of the folder", path)

    sys.addaudithook(watch)


def _limit_memory() -> None:
    """Let a model that asks for too much get a MemoryError, which is told in words, in place of the whole machine."""
    try:
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY if hard < 0 else min(MEMORY, hard), hard))
    except (ImportError, OSError, ValueError):  # a system without such limits
        pass


def _limit_time(seconds: int) -> None:
    """End by itself after some time, should nobody be there to end it: a server that is gone ends no calls."""
    try:
        import signal

        signal.alarm(seconds)
    except (ImportError, AttributeError):  # a system without it
        pass


def main() -> None:
    """Run one verb behind the fence."""
    folder, private, writes, seconds, *verb = sys.argv[1:]
    _limit_time(int(seconds))
    _limit_memory()
    from multibody.cli.app import run

    fence(folder, private, writes == "1")
    sys.argv = ["multibody", *verb]
    run()


if __name__ == "__main__":
    main()
