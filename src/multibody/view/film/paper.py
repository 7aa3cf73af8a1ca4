"""The paper of a film, white or dark, and how the colors of a drawing look on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody.arguments import short
from multibody.errors import ModelError
from multibody.view.geometry import Floats
from multibody.view.style import ACCENT, GROUND, INK, PALE, RC, rc_of

WHITE = "#ffffff"
GRID = str(RC["grid.color"])
ON_DARK = {INK: "#d7dce2", GROUND: "#98a1ad", PALE: "#6d7683", GRID: "#2a2f36", ACCENT: "#ef6f61", WHITE: "#16191d"}
"""The named inks on dark paper; other colors become a little brighter."""

Color = tuple[float, float, float]


@dataclass(frozen=True)
class Paper:
    """White or dark paper."""

    dark: bool = False

    @property
    def color(self) -> str:
        """The paper's own color."""
        return ON_DARK[WHITE] if self.dark else WHITE

    def tone(self, color: str) -> Color:
        """Return a color of the drawing as it is on this paper."""
        from matplotlib.colors import to_rgb

        if not self.dark:
            return to_rgb(color)
        named = ON_DARK.get(color.lower())
        return to_rgb(named) if named else _mixed(to_rgb(color), (1.0, 1.0, 1.0), 0.2)

    def tone_of(self, tints: Floats) -> Floats:
        """Return colors of the drawing (n, 3) as they are on this paper."""
        from matplotlib.colors import to_hex

        if not self.dark:
            return tints
        found, rows = np.unique(tints, axis=0, return_inverse=True)
        return np.array([self.tone(to_hex(tint)) for tint in found])[rows.reshape(-1)]

    def face(self, color: str, paleness: float) -> Color:
        """Return a color mixed with the paper; as much of dark paper as of white would make faces vanish."""
        from matplotlib.colors import to_rgb

        return _mixed(self.tone(color), to_rgb(self.color), 0.9 * paleness if self.dark else paleness)

    def rc(self) -> dict[str, Any]:
        """Return matplotlib's settings on this paper."""
        from matplotlib.colors import to_hex

        if not self.dark:
            return rc_of()
        changed = {key: to_hex(self.tone(value)) for key, value in RC.items() if "color" in key and str(value).startswith("#")}
        own = {"figure.facecolor": self.color, "axes.facecolor": self.color, "axes.titlecolor": ON_DARK[INK]}
        return {**rc_of(), **changed, **own}


def paper_of(name: str) -> Paper:
    """Return the paper of a name."""
    if name not in ("light", "dark"):
        raise ModelError(f"paper is {short(name)}", where="animate", hint='it is "light" or "dark"')
    return Paper(name == "dark")


def _mixed(one: Color, other: Color, amount: float) -> Color:
    """Return a mixture of two colors: `amount` 0 is the first, 1 the second."""
    r, g, b = (x + (y - x) * amount for x, y in zip(one, other, strict=True))
    return (r, g, b)
