"""Answers of a bounded size: what is too long is thinned, and the answer says so."""

from __future__ import annotations

import json
from typing import Any

SIZES = (2000, 500, 200, 100, 50, 20, 10, 5, 2)  # items that a list or mapping may have, tried in turn


def size_of(data: Any) -> int:
    """Return how many characters data take as JSON."""
    return len(json.dumps(data, ensure_ascii=False))


def bounded(data: dict[str, Any], most: int) -> dict[str, Any]:
    """Return data that take at most so many characters as JSON; lists are thinned evenly, mappings cut.

    Parameters
    ----------
    data : dict
    most : int
        Characters.

    Returns
    -------
    dict
        With ``shortened``, a sentence, where something was left out.
    """
    whole = size_of(data)
    if whole <= most:
        return data
    for count in SIZES:
        told = f"the answer had {whole} characters, {most} are allowed: lists are thinned and mappings cut to {count} items"
        made: dict[str, Any] = {"shortened": told} | _thinned(data, count, top=True)
        if size_of(made) <= most:
            return made
    told = f"the answer had {whole} characters, {most} are allowed: ask for less (fewer paths, joints, bodies or instants)"
    status = data.get("status")
    short = {"shortened": told} | ({"status": status} if status is not None else {})
    return short if size_of(short) <= most else {"shortened": told}


def _thinned(data: Any, count: int, top: bool = False) -> Any:
    """Return data with at most so many items in lists (first and last kept) and mappings; the outermost keys all stay."""
    if isinstance(data, dict):
        keys = list(data) if top else list(data)[:count]
        made = {key: _thinned(data[key], count) for key in keys}
        return made if len(keys) == len(data) else made | {"…": f"and {len(data) - len(keys)} more"}
    if isinstance(data, list):
        if len(data) > count:
            data = [data[round(k * (len(data) - 1) / (count - 1))] for k in range(count)]
        return [_thinned(item, count) for item in data]
    return data
