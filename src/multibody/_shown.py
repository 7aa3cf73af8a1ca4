"""What a notebook shows of a model or a result, in a room of its own: results themselves know no screen."""

from __future__ import annotations


class Shown:
    """Something that notebooks show as a card: a few facts and a picture or a player."""

    def _repr_html_(self) -> str:
        """Return the card."""
        from multibody.view.cards import card_of

        return card_of(self)
