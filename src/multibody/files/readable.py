"""Plain data of a model with numbers as people write them: 80*deg, 2*pi, rpm, 0.3 in place of 0.30000000000000004."""

from __future__ import annotations

import math
import re
from typing import Any

__all__ = ["readable"]

DIGITS = 15  # of a decimal fraction that is as good as the number itself
LONG = 12  # digits from which a number is looked at: shorter ones were written by somebody
_NUMERAL = re.compile(r"(?<![\w.])(?:\d+\.\d*|\.\d+|\d+)(?:e[-+]?\d+)?(?![\w.(])", re.IGNORECASE)
_WORDS = ("name", "doc", "unit")  # keys whose text is no formula


def readable(data: Any, *, angles: bool = True) -> Any:
    """Return plain data whose long numbers are written by constants and decimal fractions, equal to about 1e-15.

    Parameters
    ----------
    data : Any
        Text, numbers, booleans, lists and maps, as `model_to_plain` gives them.
    angles : bool
        Whether degrees may be meant; times are no angles.

    Returns
    -------
    Any
        The same with formulas in place of some numbers.
    """
    if isinstance(data, dict):
        return {key: value if key in _WORDS else readable(value, angles=angles) for key, value in data.items()}
    if isinstance(data, list):
        return [readable(item, angles=angles) for item in data]
    if isinstance(data, str):
        return _NUMERAL.sub(lambda found: _in_formula(found, angles), data)
    if isinstance(data, float) and len(_digits(repr(data))) >= LONG:
        text = _written(abs(data), angles)
        return math.copysign(float(text), data) if _is_number(text) else ("-" if data < 0 else "") + text
    return data


def _in_formula(found: re.Match[str], angles: bool) -> str:
    """Return a numeral of a formula, in parentheses where a product would be taken apart."""
    if len(_digits(found[0])) < LONG:
        return found[0]
    text = _written(float(found[0]), angles)
    before = found.string[: found.start()].rstrip()[-1:]
    behind = found.string[found.end() :].lstrip()[:1]
    apart = before in ("/", "^") or behind == "^" or found.string[: found.start()].rstrip().endswith("**")
    return f"({text})" if apart and not _is_number(text) and not text.isalpha() else text


def _written(value: float, angles: bool) -> str:
    """Return the shortest way to write a positive number that keeps its value to the last digit or so."""
    for name, unit in (("pi", math.pi), ("rpm", math.pi / 30), ("deg", math.pi / 180)):
        if value == unit:
            return name
    for part, form in ((1.0, "{}*pi"), (2.0, "pi/2"), (3.0, "pi/3"), (4.0, "pi/4"), (6.0, "pi/6")):
        count = round(value * part / math.pi, 12)
        if (part == 1.0 and _short(count) and count * math.pi == value) or (count == 1.0 and math.pi / part == value):
            return form.format(f"{count:g}")
    count = round(value / (math.pi / 180), 9)
    if angles and _short(count) and count * (math.pi / 180) == value:
        return f"{count:g}*deg"
    rounded = f"{value:.{DIGITS}g}"
    return rounded if len(rounded) + 3 < len(repr(value)) else repr(value)


def _short(count: float) -> bool:
    """Return whether a number has few digits."""
    return 0.0 < count < 1e4 and len(_digits(repr(count))) <= 3


def _digits(text: str) -> str:
    """Return the digits of a numeral that count."""
    return re.sub(r"e.*", "", text, flags=re.IGNORECASE).replace(".", "").replace("-", "").strip("0")


def _is_number(text: str) -> bool:
    """Return whether a text is a number and no formula."""
    return re.fullmatch(r"[\d.]+(e[-+]?\d+)?", text) is not None
