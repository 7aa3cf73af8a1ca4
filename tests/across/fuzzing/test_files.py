"""Broken files through every verb: an answer in words within seconds, never a traceback."""

from __future__ import annotations

import pathlib
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from across.fuzzing.mutations import mutated
from across.fuzzing.verbs import VERBS, fault_of

SECONDS = 60  # for one file, on a busy machine; the slowest takes about one


@contextmanager
def limit(seconds: int) -> Iterator[None]:
    """Let a test fail that takes too long."""
    if sys.platform == "win32":
        yield
        return

    def late(*_: object) -> None:
        pytest.fail(f"no answer in {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("part", range(8))
def test_changed_models_are_answered(part: int, tmp_path: pathlib.Path) -> None:
    for seed in range(100_000 + 40 * part, 100_000 + 40 * (part + 1)):
        ending, text = mutated(seed)
        file = tmp_path / f"m{ending}"
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
        verbs = list(VERBS)  # each file through two of them, every pair over the seeds
        for verb in sorted({verbs[seed % len(verbs)], verbs[seed // len(verbs) % len(verbs)]}):
            with limit(SECONDS):
                assert fault_of(verb, file) == "", f"seed {seed}, {verb}"
