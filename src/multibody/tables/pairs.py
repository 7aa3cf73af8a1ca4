"""Pairs, lowered: the relative motion of a joint's ends with the functions and numbers that belong to it, by name.

What a pair lets go is said in the catalog (``model/structure.py``). Here stands where its coordinates and numbers are, so that
rows, columns of a tree, the start of assembly and parametric pairs read the same ones and nobody looks for them in records.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from multibody.kernels.declared import PlanarNumbers
from multibody.model.expressions import Number
from multibody.model.joints import Joint
from multibody.model.structure import BALL, Freedom, PairMotion
from multibody.tables.lowered import EndSlots
from multibody.tables.packer import Packer

if TYPE_CHECKING:
    from multibody.tables.build import Builder
    from multibody.tables.lower import Tables


@dataclass(frozen=True)
class Screw:
    """What a screw is known by: position = pitch · angle.

    Attributes
    ----------
    angle, position : int
        Functions of its angle [rad] and of the position [length] that it brings about.
    pitch : int
        Where the advance a radian [length] lies in F.
    """

    angle: int
    position: int
    pitch: int


@dataclass(frozen=True)
class Pair:
    """The relative motion of a joint's two ends, and where its functions and numbers lie.

    Attributes
    ----------
    joint : str
    motion : PairMotion
        What the second end may do relative to the first.
    ends : tuple of EndSlots
        Body, point and axes f, g, h of the first and of the second end.
    functions : tuple of int
        Coordinate function of each freedom of the motion, −1 for those of a ball.
    angle : int
        In the plane the function that measures the angle between the ends, or keeps it; −1 in space.
    screw : Screw or None
        Of a pair that turns and slides at once.
    """

    joint: str
    motion: PairMotion
    ends: tuple[EndSlots, EndSlots]
    functions: tuple[int, ...]
    angle: int
    screw: Screw | None

    @property
    def first(self) -> int:
        """Body of the first end, 0 for the ground."""
        return self.ends[0].body

    @property
    def second(self) -> int:
        """Body of the second end, 0 for the ground."""
        return self.ends[1].body

    @property
    def steps(self) -> list[tuple[Freedom, int]]:
        """The freedoms from the first end outward, each with its function."""
        return list(zip(self.motion.freedoms, self.functions, strict=True))


def lowered_pairs(builder: Builder, packer: Packer, ends: Mapping[str, tuple[EndSlots, EndSlots]]) -> dict[str, Pair]:
    """Return the pairs of a model whose coordinates and rows are built; what numbers they have of their own are allocated."""
    found = {}
    for name, joint in builder.model.joints.items():
        motion = joint.kind.structure(builder.dimension).motion
        if motion is not None:
            found[name] = _lowered(builder, packer, joint, motion, ends[name])
    return found


def _lowered(builder: Builder, packer: Packer, joint: Joint, motion: PairMotion, ends: tuple[EndSlots, EndSlots]) -> Pair:
    """Return one of them."""
    functions = tuple(
        -1 if freedom.how == BALL else builder.joint_function(joint, freedom.coordinate) for freedom in motion.freedoms
    )
    angle, screw = builder.aligned.get(joint.name, -1), None
    if motion.dimension == 2 and motion.turns:
        angle = builder.joint_function(joint, motion.turns[0].coordinate)
    if motion.screw is not None:
        about, along = (builder.joint_function(joint, name) for name in (motion.screw.coordinate, motion.screw.position))
        screw = Screw(about, along, packer.one(pitch_formula(builder, joint, motion.screw)))
    return Pair(joint.name, motion, ends, functions, angle, screw)


def pitch_formula(builder: Builder, joint: Joint, screw: Freedom) -> Number:
    """Return the advance a radian of a screw [length] as a number or formula of the parameters."""
    return builder.scope.scalar(joint.fields[screw.lead], f"joints.{joint.name}") / (2.0 * math.pi)


def pitch_of(tables: Tables, pair: Pair) -> float:
    """Return the advance a radian of a pair [length], 0 but for screws."""
    return 0.0 if pair.screw is None else float(tables.F[pair.screw.pitch])


def offset_of(tables: Tables, pair: Pair) -> Any:
    """Return the offset of a planar pair [rad]: the angle between its ends where both bodies have the same angle."""
    return tables.F[int(tables.packed.functions.numbers[pair.angle]) + PlanarNumbers.fields["offset"].slot]
