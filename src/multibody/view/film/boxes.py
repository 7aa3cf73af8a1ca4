"""What is new in a frame: the box of the pixels that changed."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Pixels = npt.NDArray[np.uint8]
"""A frame (height, width, 4): red, green, blue, and 255."""


def changed_box(before: Pixels | None, now: Pixels, even: bool = False) -> tuple[tuple[int, int], Any, npt.NDArray[np.bool_]]:
    """Return the left upper corner of the box that changed, its rows and columns, and which of its pixels changed.

    Parameters
    ----------
    before : array, optional
        None: everything is new.
    now : array
    even : bool
        Whether the corner has to lie on even numbers.
    """
    if before is None:
        return (0, 0), (slice(None), slice(None)), np.ones(now.shape[:2], dtype=bool)
    changed = before.view(np.uint32)[..., 0] != now.view(np.uint32)[..., 0]
    rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
    if len(rows) == 0:  # a frame has one pixel at least
        return (0, 0), (slice(1), slice(1)), changed[:1, :1]
    top, left = (int(index[0]) & (~1 if even else ~0) for index in (rows, columns))
    box = (slice(top, int(rows[-1]) + 1), slice(left, int(columns[-1]) + 1))
    return (left, top), box, changed[box]
