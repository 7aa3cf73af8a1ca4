"""Specialized code on the host's processor: many members of one structure, stepped one after the other in every thread."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from llvmlite import binding

from multibody.specialize.build import built
from multibody.specialize.image import Floats, Words
from multibody.specialize.program import ENTRY, Program

_POINTER, _INTEGER, _NUMBER = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double


class HostEntry:
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
        self._address = self._engine.get_function_address(ENTRY)

    def run(self, vectors: Sequence[Any], t: float, h: float, *asked: int, threads: int | None = None) -> None:
        """Enter the code with all members, in several threads; Python's other threads go on meanwhile.

        Parameters
        ----------
        vectors : sequence of arrays
            As the entry takes them, statuses last; one row a member.
        t, h : float
        asked : int
            Steps, the number of an instant, and so on, as the entry takes them.
        threads : int, optional
            By default one for every processor.
        """
        members = len(vectors[-1])
        count = max(1, min(threads or os.cpu_count() or 1, members))
        edges = [members * k // count for k in range(count + 1)]
        given = [each.ctypes.data for each in vectors]
        kinds = (*(_POINTER,) * len(given), _INTEGER, _INTEGER, _NUMBER, _NUMBER, *(_INTEGER,) * len(asked))
        enter = ctypes.CFUNCTYPE(None, *kinds)(self._address)

        def part(i: int) -> None:
            enter(*given, edges[i], edges[i + 1], t, h, *asked)

        if count == 1:
            part(0)
        else:
            with ThreadPoolExecutor(count) as pool:
                list(pool.map(part, range(count)))


class HostCode(HostEntry):
    """Steps of members on this machine."""

    def advance(
        self, numbers: Floats, y: Floats, words: Words, t: float, h: float, steps: int, threads: int | None = None,
        statuses: Words | None = None,
    ) -> Words:  # fmt: skip
        """Step all members.

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
        statuses : array (members,) of int, optional, changed
            Those that are not 0 stay where they are.

        Returns
        -------
        array (members,) of int
            Status of every member, 0 where it came through; see ``stepping``.
        """
        statuses = np.zeros(len(y), np.int64) if statuses is None else statuses
        check_shapes(self.program, numbers, y, words)
        self.run((numbers, y, words, statuses), t, h, steps, threads=threads)
        return statuses


class HostIntegration(HostEntry):
    """Members integrated from instant to instant on this machine."""

    def integrate(
        self, numbers: Floats, y: Floats, words: Words, told: Floats, kept: Floats, states: Floats, known: Floats,
        statuses: Words, t: float, h: float, first: int, last: int, threads: int | None = None,
    ) -> None:  # fmt: skip
        """Go on to some instants.

        Parameters
        ----------
        numbers : array (members, numbers)
        y, words, told, kept : arrays (members, ·), changed
            The last two hold what the integrator keeps, see ``integration.Kept``.
        states, known : arrays (instants, members, ·), written
            y and words there; the words as numbers of 64 bits.
        statuses : array (members,) of int, changed
        t, h : float
            Time of instant 0, and from one to the next.
        first, last : int
            Number of the first instant that is asked for, and of the last one of all.
        threads : int, optional
        """
        check_shapes(self.program, numbers, y, words)
        wanted = {name: (each, (len(y), self.program.kept.length(name))) for name, each in (("told", told), ("kept", kept))}
        wanted["states"] = (states, (len(states), *y.shape))
        wanted["known"] = (known, (len(states), *words.shape))
        for name, (given, shape) in wanted.items():
            if given.shape != shape or given.dtype != np.float64 or not given.flags.c_contiguous:
                raise ValueError(f"{name} must be a contiguous array {shape} of float64")
        vectors = (numbers, y, words, told, kept, states, known, statuses)
        self.run(vectors, t, h, first, len(states), last, len(y), threads=threads)


class HostReader(HostEntry):
    """Readings of members on this machine."""

    def read(
        self, numbers: Floats, y: Floats, words: Words, results: Floats, statuses: Words, t: float, h: float, k: int,
        threads: int | None = None,
    ) -> None:  # fmt: skip
        """Take instant k of all members into their results.

        Parameters
        ----------
        numbers, y, words : arrays (members, ·)
        results : array (members, results), changed
        statuses : array (members,) of int, changed
            1 where a member cannot be read; those that are not 0 are not read.
        t, h : float
            Time of the instant, and how far instants lie apart.
        k : int
        threads : int, optional
        """
        check_shapes(self.program, numbers, y, words)
        if results.shape != (len(y), self.program.results) or results.dtype != np.float64 or not results.flags.c_contiguous:
            raise ValueError(f"results must be a contiguous array {(len(y), self.program.results)} of float64")
        self.run((numbers, y, words, results, statuses), t, h, k, threads=threads)


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
