"""What a lowered model is made of, by name: where numbers lie in F, functions, forces, what its start must meet.

Kernels read packed records (``kernels/declared.py``); everybody else reads these. Pairs have a file of their own, ``pairs``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from multibody.kernels import codes as L
from multibody.kernels.declared import FrictionLaw, LinearLaw, StopLaw
from multibody.kernels.memory.declaration import Record


# --- where numbers lie -------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class EndSlots:
    """Where a joint's end lies in F: point from the center of mass, then its axes by rows, both in body axes."""

    body: int
    point: int
    axes: int


class FrameSlots(NamedTuple):
    """Where a frame of a body lies in F: point from the center of mass [length], axes by rows, both in body axes."""

    point: int
    axes: int


class PoseSlots(NamedTuple):
    """Where the drawn pose of a body lies in F: center of mass [length] and body axes by rows, both in ground axes."""

    center: int
    axes: int


class MassSlots(NamedTuple):
    """Where mass and inertia of a body lie in F, −1 where they are not stated.

    The inertia is about the center of mass: in the plane a number, in space the matrix by rows in body axes.
    """

    mass: int
    inertia: int

    @property
    def stated(self) -> bool:
        """Whether the body has both."""
        return self.mass >= 0 and self.inertia >= 0


class LengthSlot(NamedTuple):
    """A number in F that is a multiple of the characteristic length."""

    slot: int
    factor: float


# --- what acts and what it acts on -------------------------------------------------------------------------------------------
class LoweredFunction(NamedTuple):
    """A coordinate function: the bodies that it depends on, 0 the ground, and whether it is a length or an angle.

    `kind` is what it is, as in ``kernels/codes.py``; `extra` the extra coordinate that it is, where it is one.
    """

    first: int
    second: int
    is_length: bool
    kind: int
    extra: int

    @property
    def bodies(self) -> tuple[int, int]:
        """Both bodies."""
        return self.first, self.second

    @property
    def moving(self) -> set[int]:
        """Bodies whose coordinates it depends on; none where it is an extra coordinate."""
        return set() if self.kind == L.EXTRA else {self.first, self.second} - {0}


@dataclass(frozen=True)
class LoweredLaw:
    """An effort along a coordinate function.

    Attributes
    ----------
    force : str
        The force that it is, or is a direction of.
    kind : int
        LINEAR, FRICTION or STOP.
    function : int
        What it acts along.
    numbers : int
        Where its numbers begin in F.
    program : int
        Where its program table begins, −1 for none.
    first_input, inputs : int
        First input of its expression, and how many there are; see ``Tables.inputs_of``.
    """

    force: str
    kind: int
    function: int
    numbers: int
    program: int
    first_input: int
    inputs: int

    RECORDS: ClassVar[dict[int, type[Record]]] = {L.LINEAR: LinearLaw, L.FRICTION: FrictionLaw, L.STOP: StopLaw}

    def slot(self, name: str) -> int:
        """Return where one of its numbers lies in F, by its name in ``kernels/declared.py``."""
        return self.numbers + self.RECORDS[self.kind].fields[name].slot


class LoweredLoad(NamedTuple):
    """A force and a moment at a frame.

    Attributes
    ----------
    force : str
    body : int
        On which it acts.
    components : int
        Where its constant components begin in F: force, then moment.
    program : int
        Where its program tables begin, one a component, −1 for none.
    first_input, inputs : int
        First input of its expressions, and how many there are; see ``Tables.inputs_of``.
    """

    force: str
    body: int
    components: int
    program: int
    first_input: int
    inputs: int

    def table_of(self, component: int) -> int:
        """Return where the program table of a component begins: its value, by time, by every input."""
        return self.program + component * (L.BY_FIRST + self.inputs)


class LoweredWrench(NamedTuple):
    """A force and a moment between two frames: their bodies, and where frames and numbers begin in F."""

    force: str
    first: int
    second: int
    frames: int
    numbers: int


# --- what a start must meet --------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class LoweredGuess:
    """A value or an orientation that assembly stays near.

    Attributes
    ----------
    path : str
        As the user wrote it.
    function : int
        What has the value, −1 for an orientation.
    body : int
        What has the orientation, −1 for a value.
    value, weight : int
        Where they lie in F.
    orientation : int
        Where the matrix begins in F, −1 for a value.
    """

    path: str
    function: int
    body: int
    value: int
    weight: int
    orientation: int


@dataclass(frozen=True)
class LoweredRate:
    """A rate that the initial state holds or stays near.

    Attributes
    ----------
    path : str
        As the user wrote it.
    function : int
        Whose rate it is, −1 for an angular velocity.
    body, axis : int
        Whose angular velocity it is, and which component in ground axes; body −1 for the rate of a function.
    held : bool
        Whether it must be met, or only nearly so.
    value, weight : int
        Where they lie in F.
    """

    path: str
    function: int
    body: int
    axis: int
    held: bool
    value: int
    weight: int


class HeldRotation(NamedTuple):
    """An orientation that the initial state holds: the axes of both ends are then aligned."""

    path: str
    first: EndSlots
    second: EndSlots
