"""Arithmetic with constants in PTX: products with 0 and 1, sums with 0, negations, products and sums of two constants.

Where a number is zero in all members, what it is multiplied with does not matter: 0·x is 0 here also for an x that is no
number, which compilers, true to IEEE 754, must not assume. States are tested to be finite after every step as ever.
"""

from __future__ import annotations

import re
import struct
from collections import Counter

from multibody.specialize.shared import functions

_DEFINITION = re.compile(r"^(\s+)(@!?%p\d+\s+)?([\w.:]+)(\s+)(%rd\d+), (.*);$")
_ARITHMETIC = ("fma.rn.f64", "mul.f64", "add.f64", "sub.f64", "neg.f64", "mul.rn.f64", "add.rn.f64", "sub.rn.f64")
_MOVE = "mov.b64"
ROUNDS = 4


def folded(ptx: str) -> str:
    """Return PTX in which arithmetic with constants is done beforehand."""
    return "".join(map(_folded, functions(ptx)))


def _folded(ptx: str) -> str:
    """Return a function of it."""
    lines = ptx.split("\n")
    defined = Counter(found[5] for found in map(_DEFINITION.match, lines) if found)
    for _ in range(ROUNDS):
        known: dict[str, str] = {}
        changed = False
        for k, line in enumerate(lines):
            found = _DEFINITION.match(line)
            if found is None or found[2] or defined[found[5]] != 1:
                continue
            operands = [known.get(each, each) for each in found[6].split(", ")]
            if found[3] in _ARITHMETIC:
                made = _simpler(found[3].partition(".")[0], operands)
                if made is not None:
                    changed, operands = True, list(made[1])
                    lines[k] = f"{found[1]}{made[0]}{found[4]}{found[5]}, {', '.join(operands)};"
                    if made[0] != _MOVE:
                        continue
                else:
                    continue
            elif found[3] not in (_MOVE, "mov.f64"):
                continue
            value = number(operands[0])
            if value is not None:
                known[found[5]] = written(value)
        if not changed:
            break
    return "\n".join(lines)


def number(text: str) -> float | None:
    """Return a constant of 64 bits as PTX writes it, None for what is none."""
    if text == "0":
        return 0.0
    if not re.fullmatch(r"0d[0-9A-Fa-f]{16}", text):
        return None
    found: float = struct.unpack(">d", bytes.fromhex(text[2:]))[0]
    return found


def written(value: float) -> str:
    """Return a number as PTX writes it."""
    return f"0d{struct.pack('>d', value).hex().upper()}"


def _simpler(word: str, operands: list[str]) -> tuple[str, tuple[str, ...]] | None:
    """Return a simpler instruction that gives the same, None where there is none."""
    values = [number(each) for each in operands]
    if word == "neg":
        return None if values[0] is None else (_MOVE, (written(-values[0]),))
    if word == "fma":
        return _simpler_product_and_sum(operands, values)
    a, b = values
    if a is not None and b is not None:
        return _MOVE, (written(a * b if word == "mul" else a + b if word == "add" else a - b),)
    if word == "mul":
        if 0.0 in (a, b):
            return _MOVE, (written(0.0),)
        if 1.0 in (a, b):
            return _MOVE, (operands[a == 1.0],)
        return ("neg.f64", (operands[a == -1.0],)) if -1.0 in (a, b) else None
    if b == 0.0:
        return _MOVE, (operands[0],)
    if a == 0.0:
        return (_MOVE if word == "add" else "neg.f64"), (operands[1],)
    return None


def _simpler_product_and_sum(operands: list[str], values: list[float | None]) -> tuple[str, tuple[str, ...]] | None:
    """Return the same of a·b + c."""
    a, b, c = values
    if 0.0 in (a, b):
        return _MOVE, (operands[2],)
    if c == 0.0:
        return "mul.rn.f64", (operands[0], operands[1])
    if 1.0 in (a, b):
        return "add.rn.f64", (operands[a == 1.0], operands[2])
    if -1.0 in (a, b):
        return "sub.rn.f64", (operands[2], operands[a == -1.0])
    return None
