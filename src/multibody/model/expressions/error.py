"""The error of the expression language: what is wrong, what would mend it, and where in the formula."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from multibody.errors import close_match

INDENT = "    "
LONGEST_SHOWN = 110
CONTEXT = 45


class ExpressionError(ValueError):
    """A formula that cannot be read, or that makes no sense.

    Parameters
    ----------
    problem : str
        What is wrong, one clause.
    hint : str
        What would mend it; may be empty.
    text : str, optional
        The source of the formula.
    span : tuple of int, optional
        Start and end of the offending characters in `text`.

    Notes
    -----
    ``str()`` gives ``problem; hint`` and, where the source is known, two lines more: the source
    indented by four, and carets under the offending characters. Long sources are shown in part.
    """

    def __init__(
        self, problem: str, hint: str = "", text: str | None = None, span: tuple[int, int] | None = None
    ) -> None:
        super().__init__(problem, hint, text, span)
        self.problem = problem
        self.hint = hint
        self.text = text
        self.span = span

    def __str__(self) -> str:
        sentence = f"{self.problem}; {self.hint}" if self.hint else self.problem
        if self.text is None or self.span is None:
            return sentence
        return sentence + "\n" + point_at(self.text, self.span)


def point_at(text: str, span: tuple[int, int]) -> str:
    """Show a source and carets under a part of it.

    Parameters
    ----------
    text : str
        The source.
    span : tuple of int
        Start and end of the part; an empty part gets one caret.

    Returns
    -------
    str
        Two lines, both indented by four.
    """
    start = min(max(span[0], 0), len(text))
    end = min(max(span[1], start), len(text))
    before, marked, after = text[:start], text[start:end], text[end:]
    if len(text) > LONGEST_SHOWN:
        before = before if len(before) <= CONTEXT else "…" + before[-CONTEXT:]
        marked = marked if len(marked) <= CONTEXT else marked[:CONTEXT] + "…"
        after = after if len(after) <= CONTEXT else after[:CONTEXT] + "…"
    line = "".join(character if character.isprintable() else " " for character in before + marked + after)
    return f"{INDENT}{line.rstrip()}\n{INDENT}{' ' * _columns(before)}{'^' * max(1, _columns(marked))}"


def _columns(text: str) -> int:
    """Columns a text takes on a terminal: wide letters take two, combining marks none."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.combining(character) != 0 for character in text)


def nearest(word: str, choices: Iterable[str]) -> str | None:
    """Find the choice that looks most like a mistyped word; None if nothing does."""
    return close_match(word, tuple(choices))
