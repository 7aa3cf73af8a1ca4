"""Small motions as a result: freedoms of a mechanism at a pose, listed in words and played in a page."""

from __future__ import annotations

from typing import Any

from multibody._result_verbs import PageVerbs
from multibody.analyses.check.wiggle import SmallMotion, wiggle
from multibody.arguments import answered
from multibody.results.state import State


@answered
class Freedoms(PageVerbs):
    """The freedoms that the joints of a mechanism leave at a pose; motions are not held.

    Attributes
    ----------
    state : State
        The pose.
    words : list of str
        What each freedom moves: ``O +1, A -0.5``.
    """

    def __init__(self, state: State) -> None:
        self.state, self.tables = state, state.tables
        self.model = state.tables.model
        self.motions: list[SmallMotion] = wiggle(state)

    @property
    def words(self) -> list[str]:
        """What each freedom moves, by the coordinates that change most."""
        return [motion.words for motion in self.motions]

    def __len__(self) -> int:
        """Return their number: the mobility at this pose."""
        return len(self.motions)

    def plain(self) -> dict[str, Any]:
        """Return them as JSON has them."""
        return {"model": self.model.name, "freedoms": self.words}

    def __repr__(self) -> str:
        """Return a list for people."""
        count = len(self)
        lines = [f'{count} freedom{"" if count == 1 else "s"} of "{self.model.name}" at t = {self.state.t:g}']
        return "\n".join(lines + [f"  {k + 1}: {words}" for k, words in enumerate(self.words)])
