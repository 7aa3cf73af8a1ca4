"""Words in a film: letters as outlines, drawn at any place between pixels, and a title whose time runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from multibody.view.film.ink import Ink, Item, affine
from multibody.view.geometry import Floats
from multibody.view.style import INK, RC, families, plain

ABOVE_ALL = 1000.0


class Word:
    """A word made ready to be drawn anywhere.

    Parameters
    ----------
    ink : Ink
    text : str
    size : float
        [points]
    italic, bold : bool

    Attributes
    ----------
    middle : array (2,)
        From the left end of its base line to its middle [pixels].
    advance : float
        How far the next word is from its left end [pixels].
    """

    def __init__(self, ink: Ink, text: str, size: float, *, italic: bool = False, bold: bool = False) -> None:
        from matplotlib.font_manager import FontProperties
        from matplotlib.textpath import TextPath, text_to_path

        style = FontProperties(
            family=families(), style="italic" if italic else "normal", weight="bold" if bold else "normal", size=size
        )
        self.ink, self.path = ink, TextPath((0.0, 0.0), plain(text), prop=style) if text.strip() else None
        wide, high, deep = text_to_path.get_text_width_height_descent(text, style, False)
        tall, below = text_to_path.get_text_width_height_descent("lp", style, False)[1:]
        self.middle = ink.pixels * np.array([0.5 * wide, 0.5 * max(tall, high) - max(below, deep)])
        self.advance = ink.pixels * float(wide)
        self.pen, self.scale = ink.pen((0.0, 0.0, 0.0), 0.0), ink.pixels * np.eye(2)

    def draw(self, place: Floats, tone: tuple[float, ...], halo: Any = None) -> None:
        """Draw it with the left end of its base line at a place [pixels], on a halo if a pen for that is given."""
        if self.path is None:
            return
        matrix = affine(self.scale, place)
        if halo is not None:
            self.ink.path(halo, self.path, matrix)
        self.ink.path(self.pen, self.path, matrix, tone)


def title_items(ink: Ink, title: Callable[[int], tuple[str, str]], count: int, place: Floats, room: float) -> list[Item]:
    """Return the title: what stays of it, and what changes from frame to frame, letter by letter of one width.

    Parameters
    ----------
    ink : Ink
    title : callable
        Returns the two parts of the k-th frame's title.
    count : int
        Of the frames.
    place : array (2,)
        Left end of its base line [pixels].
    room : float
        It is written smaller where it would be wider [pixels].
    """
    size, tone = float(RC["axes.titlesize"]), (*ink.paper.tone(INK), 1.0)
    wide = Word(ink, "".join(title(count - 1)) or " ", size, bold=True).advance
    size *= min(1.0, room / max(wide, 1.0))
    fixed, digit = Word(ink, title(0)[0] or " ", size, bold=True), Word(ink, "0", size, bold=True).advance
    made: dict[str, Word] = {}

    def draw(k: int) -> None:
        at = place + np.array([fixed.advance, 0.0])
        for letter in title(k)[1]:
            if letter not in made:
                made[letter] = Word(ink, letter, size, bold=True)
            made[letter].draw(at, tone)
            at = at + np.array([digit if letter.isdigit() else max(made[letter].advance, 0.35 * digit), 0.0])

    return [Item(-ABOVE_ALL, lambda k: fixed.draw(place, tone), still=True), Item(ABOVE_ALL, draw)]
