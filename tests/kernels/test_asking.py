"""Questions to Python from inside a kernel: answers arrive, and exceptions wait until the kernel is back."""

from __future__ import annotations

import signal
import sys
from typing import Any

import numpy as np
import pytest

from multibody.kernels.asking import FAILED, ask, listening
from multibody.kernels.compile import kernel


@kernel
def _sum_of_answers(address, count, answers):  # type: ignore[no-untyped-def]
    """Ask for every number below a count, keep the answers, and return their sum."""
    total = 0
    for k in range(count):
        answers[k] = ask(address, k)
        total += answers[k]
    return total


@kernel
def _ask_late(address, rounds, x):  # type: ignore[no-untyped-def]
    """Compute for a while, then ask once."""
    for _ in range(rounds):
        x[0] = x[0] * 0.999 + 1.0
    return ask(address, 7)


def test_answers_arrive() -> None:
    with listening(lambda question: question * question) as address:
        assert _sum_of_answers(address, 5, np.zeros(5, dtype=np.int64)) == 30


def test_both_sides_see_the_same_memory() -> None:
    answers, seen = np.zeros(4, dtype=np.int64), []

    def answer(question: int) -> int:
        seen.append(answers.tolist())
        answers[3] = 9
        return question + 1

    with listening(answer) as address:
        _sum_of_answers(address, 3, answers)
    assert seen == [[0, 0, 0, 0], [1, 0, 0, 9], [1, 2, 0, 9]]


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt, SystemExit])
def test_an_exception_waits_for_the_kernel(kind: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    lost: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lost.append)
    answers, asked = np.zeros(6, dtype=np.int64), []

    def answer(question: int) -> int:
        asked.append(question)
        if question == 2:
            raise kind("no")
        return question

    with pytest.raises(kind), listening(answer) as address:
        _sum_of_answers(address, 6, answers)
    assert answers.tolist() == [0, 1, FAILED, FAILED, FAILED, FAILED]
    assert asked == [0, 1, 2]
    assert lost == []


def test_an_exception_around_the_kernel_passes() -> None:
    with pytest.raises(ZeroDivisionError), listening(lambda question: question):
        raise ZeroDivisionError


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer")
def test_an_interrupt_while_the_kernel_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is raised where Python goes on: at the question, which nothing in the function that answers could catch."""

    def interrupt(*given: Any) -> None:
        raise KeyboardInterrupt

    lost: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lost.append)
    x = np.zeros(1)
    with listening(lambda question: question) as address:
        _ask_late(address, 1, x)
    before, answers = signal.signal(signal.SIGALRM, interrupt), []
    try:
        with pytest.raises(KeyboardInterrupt), listening(lambda question: question) as address:
            signal.setitimer(signal.ITIMER_REAL, 0.01)
            answers.append(_ask_late(address, 100_000_000, x))
            answers.append(0)  # raised when the kernel is back, not by this instruction
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert answers == [FAILED, 0]
    assert lost == []
