"""What a simulation asks of its coordinates.

A space turns states into y = (q, v, w) and back, knows the scales of its components, and evaluates what is reported. Which
one a formulation works in it says itself, see ``formulations/formulation.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from multibody.formulations.prepare import Bundle
from multibody.formulations.spaces.expanded import Expanded
from multibody.kernels.arrays import Arrays
from multibody.state.state import State
from multibody.state.system import Floats, System

if TYPE_CHECKING:
    from multibody.formulations.spaces.parametric_space import ParametricSpace

Reader = Arrays  # with which coordinate functions are read at poses of bodies


class Space(Protocol):
    """What a simulation asks of its coordinates."""

    system: System
    monitor: Any
    nq: int
    nv: int
    rate_scales: Floats

    @property
    def bundle(self) -> Bundle: ...  # noqa: D102

    @property
    def of_bodies(self) -> bool: ...  # whether y is (q, v, w) of the bodies  # noqa: D102

    @property
    def choose(self) -> Any: ...  # the kernel that chooses dependent columns  # noqa: D102

    @property
    def pairs(self) -> ParametricSpace | None: ...  # that of the parameters of pairs, where they are coordinates  # noqa: D102

    def start(self, state: State, work: float = 0.0) -> Floats: ...  # noqa: D102

    def scales(self) -> Floats: ...  # noqa: D102

    def cartesian(  # noqa: D102
        self, times: Floats, Y: Floats, references: Floats, like: Floats, closing: bool = False
    ) -> Floats: ...

    def expanded(self, times: Floats, Y: Floats, references: Floats, like: Floats, closing: bool) -> Expanded: ...  # noqa: D102

    def take_other_rows(self, y: Floats, t: float) -> bool: ...  # whether redundant rows were chosen anew  # noqa: D102

    def branch(self) -> Space: ...  # a copy on the same memory, whose choice of rows is its own  # noqa: D102

    def forget(self) -> None: ...  # noqa: D102

    def select(self, joints: Sequence[str]) -> None: ...  # noqa: D102

    def reading(self) -> Space: ...  # noqa: D102

    def apart(self, system: System) -> Space: ...  # a copy with memory of its own  # noqa: D102

    def reader(self) -> Reader: ...  # noqa: D102


def reader_of(bundle: Bundle) -> Reader:
    """Return the blocks of a bundle on bodies."""
    return Arrays(bundle.model, bundle.state, bundle.scratch)
