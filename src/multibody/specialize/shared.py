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
    base, words = _base(ptx, len(same)), np.ascontiguousarray(values).view(np.uint64)
    if base is None:
        return ptx

    def put(found: re.Match[str]) -> str:
        k, rest = divmod(int(found[4] or 0), _WORD * TILE)
        if found[3] != base or rest or not same[k]:
            return found[0]
        return f"mov.b64{found[1]}{found[2]}, 0d{int(words[k]):016X};"

    return _LOAD.sub(put, ptx)


def _base(ptx: str, count: int) -> str | None:
    """Return the register that holds where the member's numbers begin, None where that is not plain to see."""
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
