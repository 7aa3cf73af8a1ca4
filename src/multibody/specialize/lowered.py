"""Kernels as LLVM code, from the cache or made by a process of its own."""

from __future__ import annotations

import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass

from multibody.errors import AnalysisError
from multibody.specialize import kept


@dataclass(frozen=True)
class Lowered:
    """A kernel as LLVM code, unoptimized, with everything that it calls.

    Attributes
    ----------
    name : str
        ``module:function:version``.
    symbol : str
        Name of its function.
    bitcode : bytes
    """

    name: str
    symbol: str
    bitcode: bytes


def lowered(names: Sequence[str]) -> list[Lowered]:
    """Return the LLVM code of kernels.

    Parameters
    ----------
    names : sequence of str
        ``module:function:planar``, ``…:spatial``, or without a version for a kernel whose module has its signature.

    Returns
    -------
    list of Lowered
        In the same order.
    """
    known = {name: kept.read(_key(name)) for name in names}
    missing = [name for name, found in known.items() if found is None]
    if missing:
        made = _made(missing)
        for name in missing:  # another process may have made it meanwhile: what is built of one is found again only by that one
            known[name] = kept.read(_key(name)) or made[name]
            if known[name] is made[name]:
                kept.write(_key(name), made[name])
    return [_parsed(name, known[name] or b"") for name in names]


def _key(name: str) -> str:
    """Return the key under which a kernel is kept: with the sources of its module where that is one of this room."""
    module = pathlib.Path(__file__).parent / f"{name.partition(':')[0].rpartition('.')[2]}.py"
    own = name.startswith(__package__ or "") and module.exists()
    return f"lowered {name} {hashlib.sha256(module.read_bytes()).hexdigest() if own else ''}"


def _parsed(name: str, content: bytes) -> Lowered:
    """Return a kernel from what is kept of it: its symbol, a line's end, its bitcode."""
    symbol, _, bitcode = content.partition(b"\n")
    return Lowered(name, symbol.decode(), bitcode)


def _made(names: Sequence[str]) -> dict[str, bytes]:
    """Return symbol and bitcode of kernels, made by a process of its own."""
    with tempfile.TemporaryDirectory(prefix="multibody-") as folder:
        command = [sys.executable, "-m", "multibody.specialize.lowering", folder, *names]
        done = subprocess.run(command, capture_output=True, text=True, env=kept.environment())
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no word"])[-1]
            raise AnalysisError(f"kernels could not be turned into LLVM code: {last}")
        found = {}
        for name in names:
            place = pathlib.Path(folder) / name.replace(":", "-")
            symbol = json.loads(place.with_name(place.name + ".json").read_text())["symbol"]
            found[name] = symbol.encode() + b"\n" + place.with_name(place.name + ".bc").read_bytes()
    return found
