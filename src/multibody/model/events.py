"""What an event can be told beside its expression."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from multibody.errors import ModelError, nearest

DIRECTIONS: dict[Any, int] = {"falling": -1, "both": 0, "rising": 1, -1: -1, 0: 0, 1: 1}
FIELDS = ("terminal", "direction")


def check_event(options: Mapping[str, Any], where: str) -> None:
    """Refuse fields of an event that do not exist, and values that they do not take."""
    for key in options:
        if key not in FIELDS:
            hint = nearest(key, FIELDS) or "it takes when, terminal, direction"
            raise ModelError(f'unknown field "{key}"', where=where, hint=hint)
    terminal, direction = options.get("terminal", False), options.get("direction", 0)
    if not isinstance(terminal, bool):
        raise ModelError(f"{terminal!r} is not true or false", where=f"{where}.terminal", hint="write true or false")
    if isinstance(direction, bool | list | dict) or direction not in DIRECTIONS:
        hint = "it is rising, falling or both (1, -1 or 0)"
        raise ModelError(f"unknown direction {direction!r}", where=f"{where}.direction", hint=hint)
