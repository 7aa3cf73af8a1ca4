"""The other half of ``view/page/packing.py``: columns as a page reads them."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np

from multibody.view.page.packing import HOLE, Floats


def unpacked(block: dict[str, Any]) -> list[Floats]:
    """Return the columns of a block."""
    count, heads = block["count"], block["columns"]
    planes = np.frombuffer(zlib.decompress(base64.b64decode(block["z"])), dtype=np.uint8).reshape(4, -1)
    whole = np.ascontiguousarray(planes.T).view("<i4").reshape(len(heads), count)
    found = []
    for (step, order), row in zip(heads, whole, strict=True):
        current = row.astype(np.int32)
        for _ in range(order):
            current = np.cumsum(current, dtype=np.int32)
        found.append(np.where(current == HOLE, np.nan, current * step))
    return found
