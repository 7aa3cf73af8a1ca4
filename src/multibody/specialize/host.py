"""Specialized code on the host's processor: many members of one structure, stepped one after the other in every thread."""

from __future__ import annotations

import ctypes
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from llvmlite import binding

from multibody.specialize.build import built
from multibody.specialize.image import Floats, Words
from multibody.specialize.program import ENTRY, Program

_POINTER, _INTEGER, _NUMBER = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double


class HostCode:
    """Machine code of a program on this machine.

    Parameters
    ----------
    program : Program
        Made for ``host``.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        code, self.report = built(program, "host")
        self._engine: Any = _engine()
        self._engine.add_object_file(binding.ObjectFileRef.from_data(code))
        self._engine.finalize_object()
        address = self._engine.get_function_address(ENTRY)
        kind = ctypes.CFUNCTYPE(None, *(_POINTER,) * 4, _INTEGER, _INTEGER, _NUMBER, _NUMBER, _INTEGER)
        self._call = kind(address)

    def advance(
        self, numbers: Floats, y: Floats, words: Words, t: float, h: float, steps: int, threads: int | None = None
    ) -> Words:
        """Step all members; Python's other threads go on meanwhile.

        Parameters
        ----------
        numbers : array (members, numbers)
        y : array (members, size), changed
        words : array (members, words) of int, changed
        t, h : float
            Time at the start, step.
        steps : int
        threads : int, optional
            By default one for every processor.

        Returns
        -------
        array (members,) of int
            Status of every member, 0 where it came through; see ``stepping``.
        """
        members, statuses = len(y), np.zeros(len(y), np.int64)
        check_shapes(self.program, numbers, y, words)
        count = max(1, min(threads or os.cpu_count() or 1, members))
        edges = [members * k // count for k in range(count + 1)]
        given = [each.ctypes.data for each in (numbers, y, words, statuses)]

        def part(k: int) -> None:
            self._call(*given, edges[k], edges[k + 1], t, h, steps)

        if count == 1:
            part(0)
        else:
            with ThreadPoolExecutor(count) as pool:
                list(pool.map(part, range(count)))
        return statuses


def check_shapes(program: Program, numbers: Floats, y: Floats, words: Words) -> None:
    """Refuse arrays that machine code would read or write beyond."""
    wide = (("numbers", numbers, program.image.number_count, np.float64), ("y", y, program.size, np.float64))
    for name, given, width, kind in (*wide, ("words", words, program.image.word_count, np.int64)):
        if given.dtype != kind or not given.flags.c_contiguous or given.shape != (len(y), width):
            wanted = f"a contiguous array {(len(y), width)} of {np.dtype(kind)}"
            raise ValueError(f"{name} must be {wanted}, not {given.shape} of {given.dtype}")


def _engine() -> Any:
    """Return a loader of machine code for one program; each has its own, so that names never meet."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    machine = binding.Target.from_default_triple().create_target_machine(jit=True)
    return binding.create_mcjit_compiler(binding.parse_assembly(""), machine)
