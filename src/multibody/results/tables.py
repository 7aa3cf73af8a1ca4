"""Tables for people: one description, shown as text, as HTML or on the terminal."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Table:
    """Rows of text under headings.

    Attributes
    ----------
    title : str
    columns : list of (heading, side)
        ``left`` for words, ``right`` for numbers.
    rows : list of list of str
    more : str
        Said below, where rows are left out.
    """

    title: str
    columns: list[tuple[str, str]]
    rows: list[list[str]] = field(default_factory=list)
    more: str = ""

    def text(self) -> str:
        """Return it as lines with aligned columns."""
        heads = [heading for heading, _ in self.columns]
        lines = [*([heads] if any(heads) else []), *self.rows]
        widths = [max(len(line[k]) for line in lines) for k in range(len(self.columns))]
        sides = [side for _, side in self.columns]
        shown = [
            "  ".join(
                cell.ljust(width) if side == "left" else cell.rjust(width)
                for cell, width, side in zip(line, widths, sides, strict=True)
            ).rstrip()
            for line in lines
        ]  # fmt: skip
        return "\n".join([*([self.title] if self.title else []), *shown, *([self.more] if self.more else [])])

    def html(self) -> str:
        """Return it as a ``<table>`` with a caption; numbers have the class ``n``."""

        def cells(tag: str, line: Sequence[str]) -> str:
            marked = zip(line, (side for _, side in self.columns), strict=True)
            return "".join(
                f"<{tag}{' class=n' if side == 'right' else ''}>{html.escape(cell)}</{tag}>" for cell, side in marked
            )

        heads = [heading for heading, _ in self.columns]
        head = f"<thead><tr>{cells('th', heads)}</tr></thead>" if any(heads) else ""
        body = "\n".join(f"<tr>{cells('td', row)}</tr>" for row in self.rows)
        caption = f"<caption>{html.escape(self.title)}</caption>" if self.title else ""
        more = f'<p class="more">{html.escape(self.more)}</p>' if self.more else ""
        return f"<table>{caption}{head}<tbody>\n{body}\n</tbody></table>{more}"


def number(value: float | None, scale: float = 0.0, digits: int = 4) -> str:
    """Return a number for people; what is round-off beside `scale` is 0, what is not known a dash."""
    if value is None or not math.isfinite(value):
        return "∞" if value is not None and math.isinf(value) and value > 0 else "–"
    return f"{0.0 if abs(value) <= 1e-10 * scale else value:.{digits}g}"


def value_text(value: Any) -> str:
    """Return a number, a formula or a vector of them as a person writes it."""
    if isinstance(value, list | tuple):
        return value_text(value[0]) if len(value) == 1 else f"({', '.join(value_text(item) for item in value)})"
    return f"{value:.6g}" if isinstance(value, int | float) else str(value)
