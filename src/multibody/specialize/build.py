"""From a program to machine code or PTX: optimized by a process of its own, kept on disk."""

from __future__ import annotations

import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile
from typing import Any

from llvmlite import binding

from multibody.errors import AnalysisError
from multibody.specialize import kept, optimize
from multibody.specialize.image import NUMBERS
from multibody.specialize.program import ENTRY, TILE, Program, symbol_of
from multibody.specialize.stepping import RENEW
from multibody.specialize.straight import MACHINE, PROGRAM

ROUNDS = 3  # of LLVM's O3
LONGEST, PATIENCE = 300.0, 4.0  # seconds that LLVM may take; how many times as long for a second form as for the first
UNROLL = (3000, 12000)  # instructions that a loop may become; the second where the first leaves arrays in memory


def built(program: Program, target: str) -> tuple[bytes, dict[str, Any]]:
    """Return machine code (an object file) or PTX of a program, and how it was made.

    Parameters
    ----------
    program : Program
    target : str
        ``host``, or ``sm_XX``.

    Returns
    -------
    result : bytes
    report : dict
        ``seconds`` of the optimizer, ``outside``: functions that it calls from outside, ``allocas`` that were left.
    """
    digest = hashlib.sha256(program.text.encode())
    for each in program.kernels:
        digest.update(hashlib.sha256(each.bitcode).digest())
    host = f" {binding.get_host_cpu_name()} {binding.get_host_cpu_features().flatten()}"
    key = f"built {target}{host if target == 'host' else ''} {ROUNDS} {UNROLL} {digest.hexdigest()}"
    content = kept.read(key)
    if content is None:
        content = _made(program, target)
        kept.write(key, content)
    report, _, result = content.partition(b"\n")
    return result, json.loads(report)


def _made(program: Program, target: str) -> bytes:
    """Return report and result: the first in which nothing is left in memory, else that in which least is."""
    found: list[tuple[int, bytes]] = []
    limit = LONGEST
    forms = UNROLL if program.again else UNROLL[:1]
    for unroll in forms:
        try:
            content = _optimized(program, target, unroll, limit)
        except AnalysisError:  # LLVM may fail on one form of the code, or not come to an end, and not on another
            if unroll == forms[-1] and not found:
                raise
            continue
        report = json.loads(content.partition(b"\n")[0])
        limit = min(LONGEST, 20.0 + PATIENCE * report["seconds"])
        found.append((len(report["allocas"]), content))
        if found[-1][0] == 0:
            break
    return min(found, key=lambda each: each[0])[1]


def _optimized(program: Program, target: str, unroll: int, limit: float) -> bytes:
    """Return report and result, made by a process of its own."""
    with tempfile.TemporaryDirectory(prefix="multibody-") as name:
        folder = pathlib.Path(name)
        (folder / "program.ll").write_text(program.text)
        task: dict[str, Any] = {"target": target, "entry": ENTRY, "rounds": ROUNDS, "functions": program.functions}
        task |= {"renew": RENEW, "numbers": NUMBERS, "stride": 1 if target == "host" else TILE, "unroll": unroll}
        task |= {"apart": program.apart, "rolled": program.rolled, "machine": MACHINE, "program": PROGRAM}
        task["kernels"] = [(f"{k}.bc", each.symbol, symbol_of(each.name)) for k, each in enumerate(program.kernels)]
        for k, each in enumerate(program.kernels):
            (folder / f"{k}.bc").write_bytes(each.bitcode)
        (folder / "task.json").write_text(json.dumps(task))
        command = [sys.executable, str(optimize.__file__), name]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
        except subprocess.TimeoutExpired:
            raise AnalysisError(f"LLVM made no specialized code in {limit:.0f} s; the structure is too large for it") from None
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no word"])[-1]
            raise AnalysisError(f"LLVM could not make specialized code: {last}")
        return (folder / "report.json").read_bytes() + b"\n" + (folder / "result").read_bytes()
