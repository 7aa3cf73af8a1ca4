"""What `multibody warm` left on disk, noted, so that it is known to be whole without asking for every kernel again."""

from __future__ import annotations

import hashlib
import json
import pathlib
import sys
from collections.abc import Sequence

import llvmlite
import numba
from numba.core.registry import cpu_target

from multibody.kernels.cache.machine_code import read_own, write_whole


def is_warm(rooms: Sequence[pathlib.Path]) -> bool:
    """Return whether everything that was compiled ahead is still there, to the last byte.

    Parameters
    ----------
    rooms : sequence of pathlib.Path
        The folders of all rooms, whose names tell the sources.

    Returns
    -------
    bool
        False where nothing was noted, for other sources, another processor or other releases of Python and numba too.
    """
    try:
        content = read_own(str(_note(rooms)))
        noted = json.loads(content) if content is not None else None
        return isinstance(noted, dict) and bool(noted) and all(_digest(rooms[0].parent / name) == noted[name] for name in noted)
    except (OSError, ValueError):
        return False


def note_warm(rooms: Sequence[pathlib.Path]) -> None:
    """Note what lies in the folders; where that cannot be written, the next `warm` asks for everything once more."""
    found = {f"{room.name}/{file.name}": _digest(file) for room in rooms for file in sorted(room.glob("*.nbc"))}
    try:
        write_whole(str(_note(rooms)), json.dumps(found).encode())
    except OSError:
        return


def _note(rooms: Sequence[pathlib.Path]) -> pathlib.Path:
    """Return the file of the note, with all that machine code depends on in its name."""
    parts = (*(room.name for room in rooms), numba.__version__, llvmlite.__version__, sys.version)
    made_for = repr((parts, cpu_target.target_context.codegen().magic_tuple()))
    return rooms[0].parent / f"warm-{hashlib.sha256(made_for.encode()).hexdigest()[:16]}.json"


def _digest(file: pathlib.Path) -> str:
    """Return a checksum of a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()
