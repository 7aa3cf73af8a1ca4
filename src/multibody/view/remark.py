"""A remark at the foot of a figure, under everything else: that a run is not complete, and why."""

from __future__ import annotations

import textwrap
from typing import Any

from multibody.view.style import ACCENT, plain

SIZE = 7.0  # of its letters [points]
WIDE = 0.58  # width of a letter over its size
POINTS = 72.0  # an inch
MOST_LINES = 3


def write_remark(figure: Any, text: str, color: Any = ACCENT, grow: bool = True) -> None:
    """Write a remark into the lower left corner; what lays the figure out leaves it its lines.

    Parameters
    ----------
    figure : Figure
    text : str
        Longer ones are wrapped, and cut behind a few lines.
    color : color
    grow : bool
        Whether the figure becomes higher by the remark; a film keeps the size that was asked for.
    """
    width, height = figure.get_size_inches() * POINTS
    letters = max(20, int(0.98 * width / (WIDE * SIZE)))
    lines = textwrap.wrap(" ".join(text.split()), letters, max_lines=MOST_LINES, placeholder=" …")
    room = 1.35 * SIZE * len(lines) + 4.0
    engine = figure.get_layout_engine()
    if engine is not None and hasattr(engine, "get"):
        if grow:
            height += room
            figure.set_size_inches(width / POINTS, height / POINTS)
        left, bottom, wide, high = engine.get().get("rect", (0.0, 0.0, 1.0, 1.0))
        engine.set(rect=(left, bottom + room / height, wide, high - room / height))
    figure.text(0.01, 3.0 / height, plain("\n".join(lines)), color=color, fontsize=SIZE, va="bottom", linespacing=1.2)
