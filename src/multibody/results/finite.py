"""Plain data without numbers that JSON has no word for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any


def finite(data: Any) -> Any:
    """Return plain data with None for numbers that are not finite."""
    if isinstance(data, Mapping):
        return {str(key): finite(value) for key, value in data.items()}
    if isinstance(data, str) or data is None:
        return data
    if isinstance(data, Sequence):
        return [finite(value) for value in data]
    if hasattr(data, "tolist"):  # NumPy's numbers and arrays
        return finite(data.tolist())
    return None if isinstance(data, float) and not math.isfinite(data) else data
