"""Which level of the driver's optimizer, and how many warps at a time, make a program fastest: tried once on its own members.

Where threads keep much in local memory, more of them drive each other's out of the cache, and the driver's highest level may
keep more there than a lower one. Neither is known beforehand, and a few steps show both. What was found is kept with the
compiled kernels, under a hash of the code and the name of the processor.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from multibody.specialize import kept
from multibody.specialize.cuda import WARP

LEVELS = (4, 1)  # that are tried: between them the driver's code was never the fastest
WARPS = (2, 3, 4)  # of a multiprocessor
REPEATS = 3
STEPS = 8  # that are made for a trial
FILLED = 8  # warps for every multiprocessor that a call must have to be worth a trial


class Choice(NamedTuple):
    """A level of the driver's optimizer, and warps of a multiprocessor."""

    level: int
    warps: int


def remembered(code: str, device: str) -> Choice | None:
    """Return what was found for a code on a device, None where it was not tried."""
    content = kept.read(_key(code, device))
    try:
        return None if content is None else Choice(*json.loads(content))
    except (ValueError, TypeError):
        return None


def remember(code: str, device: str, choice: Choice) -> None:
    """Keep what was found."""
    kept.write(_key(code, device), json.dumps(choice).encode())


def is_worth(driver: Any, module: Any, count: int) -> bool:
    """Return whether a trial may save time: threads are limited, and there are more members than they."""
    return bool(module.limited) and count >= FILLED * WARP * driver.processors


def fastest(driver: Any, modules: Mapping[int, Any], go: Callable[[Any], None], reset: Callable[[], None]) -> Choice:
    """Return the fastest choice.

    Parameters
    ----------
    driver : Driver
    modules : mapping of Module
        The code by levels.
    go : callable
        Hands some of the work to a module.
    reset : callable
        Puts members back to where they begin.
    """
    found: dict[Choice, float] = {}
    for level, module in modules.items():
        for warps in WARPS:
            module.limit(warps)
            for _ in range(REPEATS):
                reset()
                driver.finish()
                begin = time.perf_counter()
                go(module)
                driver.finish()
                choice = Choice(level, warps)
                found[choice] = min(found.get(choice, float("inf")), time.perf_counter() - begin)
    reset()
    return min(found, key=lambda each: found[each])


def _key(code: str, device: str) -> str:
    return f"tuned {device} {LEVELS} {WARPS} {hashlib.sha256(code.encode()).hexdigest()}"
