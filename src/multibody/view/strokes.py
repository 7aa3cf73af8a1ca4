"""What a mechanism is drawn with: strokes that are fixed in a body, and things that stretch between two bodies.

A drawing is worked out once, in body axes. Pictures, pages, animations and 3-D files place it at a pose: a stroke moves with
its body as a rigid thing, a stretched thing is laid anew between its two points. Whoever draws needs no word about joints.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from multibody.view.geometry import Floats

PLANAR = frozenset({"area", "line", "dot", "circle"})
"""Kinds of strokes in the plane."""
SPATIAL = frozenset({"tube", "ball", "box", "faces", "line", "dot", "mesh"})
"""Kinds of strokes in space."""


@dataclass(frozen=True)
class Owner:
    """What a stroke belongs to: a click on the stroke means this.

    Attributes
    ----------
    sort : str
        "body", "joint" or "force".
    name : str
        As the model names it.
    """

    sort: str
    name: str


@dataclass(frozen=True, eq=False)
class Stroke:
    """A part of a drawing that is fixed in one body.

    Attributes
    ----------
    kind : str
        In the plane: "area" (closed outline, filled), "line" (rows of NaN part it), "dot" (one point, `width` is its diameter
        on paper), "circle" (one point and a `radius` [length], filled with the color of the paper).
        In space: "tube" (two ends and a `radius`), "ball" (center and `radius`), "box" (8 corners as
        :func:`multibody.view.geometry.box_corners` orders them), "faces" (one convex polygon), "line", "dot", and "mesh"
        (corners of `triangles`).
    body : int
        0 is the ground.
    points : array (n, d)
        In body axes from the body's center of mass [length].
    color : str
        "#rrggbb".
    owner : Owner
    level : float
        What lies above what, in the plane: higher covers lower. In space: how far it is pulled to the eye [symbol sizes].
    paleness : float
        How much the face of an area is mixed with the paper: 0 its color, 1 the paper.
    alpha : float
        Opacity of the face.
    width : float
        Of the line or the edge on paper [points]; 0: none.
    radius : float
        [length].
    dashes : tuple of float
        Lengths on paper of strokes and gaps [points]; empty: solid.
    hole : array (m, 2)
        Outline that is cut out of an area.
    triangles : array (t, 3) of int
        Of a mesh, rows of `points`.
    ghost : bool
        Whether earlier poses show it too; symbols and supports they do not.
    symbol : bool
        Whether it is a joint's symbol rather than a body's own shape; symbols can be switched off.
    """

    kind: str
    body: int
    points: Floats
    color: str
    owner: Owner
    level: float = 0.0
    paleness: float = 0.55
    alpha: float = 1.0
    width: float = 1.2
    radius: float = 0.0
    dashes: tuple[float, ...] = ()
    hole: Floats = field(default_factory=lambda: np.zeros((0, 2)))
    triangles: np.ndarray = field(default_factory=lambda: np.zeros((0, 3), dtype=np.int32))
    ghost: bool = True
    symbol: bool = False


@dataclass(frozen=True, eq=False)
class Stretched:
    """A thing between a point of one body and a point of another: drawn anew at every pose.

    Attributes
    ----------
    kind : str
        "spring" (a zigzag in the plane, a coil in space), "cylinder" (a tube on the first end and a piston rod on the second,
        where the length is driven) or "rod".
    bodies : (int, int)
    points : array (2, d)
        Each in the axes of its body from its center of mass [length].
    size : float
        Half the width of the zigzag, radius of the coil or of the cylinder's tube [length].
    color : str
    owner : Owner
    level, width
        As for :class:`Stroke`.
    rest : float
        Shortest length over the motion [length]: a cylinder's tube is no longer than this.
    """

    kind: str
    bodies: tuple[int, int]
    points: Floats
    size: float
    color: str
    owner: Owner
    level: float = 0.0
    width: float = 1.0
    rest: float = 0.0


@dataclass(frozen=True, eq=False)
class Wanderer:
    """A dot that moves in no body: the contact of a cam; its place at every instant of a motion (instants, d), in ground."""

    places: Floats
    color: str
    owner: Owner
    width: float = 3.0
    level: float = 0.0


@dataclass(frozen=True, eq=False)
class Drawing:
    """A mechanism as it is drawn.

    Attributes
    ----------
    dimension : int
        2 or 3.
    size : float
        Of the joint symbols [length].
    strokes, stretched, wanderers
        What it is made of.
    names : list of (Owner, body, point)
        Where names belong: a point in body axes from the body's center of mass. Stretched things are not among them: their
        names belong in their middle.
    low, high : arrays (d,)
        The box that the whole motion needs, in ground, margins included [length].
    notes : tuple of str
        A sentence about each thing that is not drawn although the model names it: a mesh that cannot be read.
    """

    dimension: int
    size: float
    strokes: list[Stroke]
    stretched: list[Stretched]
    wanderers: list[Wanderer]
    names: list[tuple[Owner, int, Floats]]
    low: Floats
    high: Floats
    notes: tuple[str, ...] = ()
