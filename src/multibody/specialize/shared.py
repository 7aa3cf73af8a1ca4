"""Numbers that all members of a call have in common become constants of its PTX: they take no memory and no load.

PTX is compiled by the driver in a second or two, so that this is done anew for every study. What a member has of its own is
read from its numbers as ever.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from multibody.specialize.program import TILE

_LOAD = re.compile(r"ld\.global\.nc\.b64(\s+)(%rd\d+), \[(%rd\d+)(?:\+(\d+))?\];")
_WORD = 8  # bytes


def common(numbers: Any) -> Any:
    """Return which numbers (members, numbers) are the same in all members, to the bit."""
    words = numbers.view(np.int64)
    return np.all(words == words[:1], axis=0)


def with_constants(ptx: str, same: Any, values: Any) -> str:
    """Return PTX in which numbers are constants.

    Parameters
    ----------
    ptx : str
        Of a program, whose first argument are the members' numbers.
    same : array (numbers,) of bool
        Which of them.
    values : array (numbers,)
    """
    words = np.ascontiguousarray(values).view(np.uint64)
    return "".join(_put(part, _base(part, len(same)), same, words) for part in functions(ptx))


def functions(ptx: str) -> list[str]:
    """Return PTX in parts with one function each: registers belong to a function."""
    return re.split(r"^(?=(?:\.visible )?\.(?:func|entry) [^;]*?\n\{)", ptx, flags=re.M)


def _put(ptx: str, base: str | None, same: Any, words: Any) -> str:
    """Return a function in which numbers are constants; without a base it is as it was."""

    def put(found: re.Match[str]) -> str:
        k, rest = divmod(int(found[4] or 0), _WORD * TILE)
        if found[3] != base or rest or not same[k]:
            return found[0]
        return f"mov.b64{found[1]}{found[2]}, 0d{int(words[k]):016X};"

    return ptx if base is None else _LOAD.sub(put, ptx)


def _base(ptx: str, count: int) -> str | None:
    """Return the register that holds where the member's numbers begin, None where that is not plain to see.

    An entry finds the member's tile by its number; a function is told where they are, and all that it reads without change
    from the device's memory is numbers.
    """
    if ptx.startswith(".func"):
        told = re.findall(r"cvta\.to\.global\.u64\s+(%rd\d+),", ptx)
        return told[0] if len(told) == 1 else None
    parameter = re.search(r"ld\.param\.b64\s+(%rd\d+), \[\w+_param_0\];", ptx)
    if parameter is None:
        return None
    width = _WORD * TILE * count
    tile = re.search(rf"mad\.lo\.s64\s+(%rd\d+), %rd\d+, {width}, {parameter[1]};", ptx)
    found = None if tile is None else re.search(rf"add\.s64\s+(%rd\d+), (?:{tile[1]}, %rd\d+|%rd\d+, {tile[1]});", ptx)
    if found is None:
        return None
    defined = re.findall(rf"^\s+[\w.]+\s+{found[1]},", ptx, flags=re.M)
    return found[1] if len(defined) == 1 else None
