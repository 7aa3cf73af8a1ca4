"""A planar mechanism at one pose on matplotlib axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multibody.view.flat_pen import FlatPen
from multibody.view.planar_bodies import paint_bodies, rounds
from multibody.view.planar_joints import JointPainter, Travel, slide_of
from multibody.view.scene import Scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def paint_planar(ax: Axes, scene: Scene, size: float, fade: float, travel: Travel) -> None:
    """Draw one scene.

    Parameters
    ----------
    ax : Axes
    scene : Scene
    size : float
        Of the joint symbols [length].
    fade : float
        0 for the pose itself; towards 1 for an earlier one, which is paler and has no supports.
    travel : dict
        Lowest and highest value of slides over a run, by name.
    """
    pen = FlatPen(ax, size, fade)
    round_ones = rounds(scene)
    blocks = {slide_of(scene, mark)[1] for mark in scene.marks if mark.kind == "translational"}
    paint_bodies(pen, scene, round_ones | blocks)
    JointPainter(pen, scene, travel, round_ones).paint()
