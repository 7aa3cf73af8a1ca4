"""What every `plot` returns: the axes of a diagram from top to bottom, with their figure at hand."""

from __future__ import annotations

import pathlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Plots(tuple["Axes", ...]):
    """The axes of a diagram, from top to bottom; a tuple even where there is one alone.

    ``run.plot("O")[0].set_ylim(0, 1)``, ``for ax in run.plot("O", "slider.x"): ...``, ``run.plot("O").save("angle.pdf")``.
    Given as ``ax=`` to another `plot` it takes further curves: ``second.plot("O", ax=first.plot("O"))``.
    """

    __slots__ = ()

    def __new__(cls, axes: Iterable[Axes]) -> Plots:
        """Return the axes as one diagram."""
        return super().__new__(cls, axes)

    @property
    def figure(self) -> Figure:
        """The figure that the axes are on."""
        figure: Any = self[0].figure
        while hasattr(figure, "figure") and figure.figure is not figure:  # a subfigure knows the whole
            figure = figure.figure
        found: Figure = figure
        return found

    def save(self, file: str | pathlib.Path) -> None:
        """Write the figure to a file; the ending decides the format: ``.png``, ``.pdf`` or ``.svg``."""
        from multibody._target import check_target
        from multibody.view.style import PICTURES, save

        check_target(file, PICTURES)
        save(self.figure, file)

    def __repr__(self) -> str:
        """Return a line for people."""
        return f"<Plots: {', '.join(repr(ax.get_ylabel()) for ax in self)}>"
