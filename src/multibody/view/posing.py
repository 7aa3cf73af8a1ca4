"""A drawing on matplotlib axes at one pose: the same strokes in the plane and in space, each with its own pen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from multibody.view import stretch
from multibody.view.deep_axes import FacetPen
from multibody.view.flat_axes import PatchPen

if TYPE_CHECKING:
    from multibody.view.geometry import Floats
    from multibody.view.scene import Poses
    from multibody.view.strokes import Drawing, Stretched, Stroke

FINENESS = 0.7  # of the pieces that faces in space are cut into [symbol sizes]


class Pen(Protocol):
    """Draws what is placed."""

    def stroke(self, stroke: Stroke, points: Floats) -> None:
        """Draw a stroke whose points are placed."""

    def stretched(self, thing: Stretched, a: Floats, b: Floats) -> None:
        """Draw a spring, a cylinder or a rod."""

    def dot(self, point: Floats, color: str, diameter: float, level: float) -> None:
        """Draw a small dot."""

    def flush(self) -> None:
        """Add what was collected to the axes."""


def show_pose(ax: Any, drawing: Drawing, poses: Poses, row: int, fade: float = 0.0, symbols: bool = True) -> None:
    """Draw a mechanism at one pose.

    Parameters
    ----------
    ax : Axes or Axes3D
    drawing : Drawing
    poses : Poses
    row : int
        The instant of the motion, for what moves in no body.
    fade : float
        0 for the pose itself; toward 1 for an earlier one, which is paler, lies behind and has no supports or symbols.
    symbols : bool
        Whether joints have their symbols.
    """
    pen: Pen = PatchPen(ax, fade, poses) if drawing.dimension == 2 else FacetPen(ax, drawing, fade, FINENESS)
    for stroke in drawing.strokes:
        if (stroke.ghost or not fade) and (symbols or not stroke.symbol):
            pen.stroke(stroke, poses.place(stroke.body, stroke.points))
    for thing in drawing.stretched:
        pen.stretched(thing, *stretch.ends_at(thing, poses))
    for wanderer in drawing.wanderers:
        pen.dot(wanderer.places[row], wanderer.color, wanderer.width, wanderer.level)
    pen.flush()
