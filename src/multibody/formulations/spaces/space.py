"""What a simulation asks of its coordinates.

A space turns states into y = (q, v, w) and back, knows the scales of its components, and evaluates what is reported. Which
one a formulation works in it says itself, see ``formulations/formulation.py``. What most spaces answer alike is said once, in
:class:`SpaceBase`; a new one begins there.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Protocol, Self

from multibody.formulations.prepare import Bundle
from multibody.formulations.spaces.expanded import Expanded
from multibody.kernels.arrays import Arrays
from multibody.state.state import State
from multibody.state.system import Floats, System

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
    def free(self) -> bool: ...  # whether the columns of y may be chosen freely  # noqa: D102

    def state_columns(self) -> tuple[dict[tuple[int, int], int], list[int]]: ...  # noqa: D102

    def start(self, state: State, work: float = 0.0) -> Floats: ...  # noqa: D102

    def scales(self) -> Floats: ...  # noqa: D102

    def cartesian(  # noqa: D102
        self, times: Floats, Y: Floats, references: Floats, like: Floats, closing: bool = False
    ) -> Floats: ...

    def expanded(self, times: Floats, Y: Floats, references: Floats, like: Floats, closing: bool) -> Expanded: ...  # noqa: D102

    def keep_closed(self, found: Expanded, closed: Sequence[int], times: Floats, ends: Floats, like: Floats) -> None: ...  # noqa: D102

    def with_new_charts(self, y: Floats) -> Floats: ...  # noqa: D102

    def trouble(self) -> tuple[str, str] | None: ...  # noqa: D102

    def take_other_rows(self, y: Floats, t: float) -> bool: ...  # whether redundant rows were chosen anew  # noqa: D102

    def branch(self) -> Space: ...  # a copy on the same memory, whose choice of rows is its own  # noqa: D102

    def forget(self) -> None: ...  # noqa: D102

    def select(self, joints: Sequence[str]) -> None: ...  # noqa: D102

    def reading(self) -> Space: ...  # noqa: D102

    def apart(self, system: System) -> Space: ...  # a copy with memory of its own  # noqa: D102

    def reader(self) -> Reader: ...  # noqa: D102


class SpaceBase:
    """What most coordinates answer alike: nothing is kept beside the blocks, and nothing is chosen anew on the way."""

    choose: Any = None
    of_bodies = False
    alone = ""  # why members are computed one by one in these coordinates, where that is not the formulation itself

    @property
    def free(self) -> bool:
        """Whether the columns of y may be chosen freely: nothing depends on them."""
        return False

    def state_columns(self) -> tuple[dict[tuple[int, int], int], list[int]]:
        """Return where coordinate functions (order 0) and their rates (order 1) stand in y, and which columns are angles."""
        return {}, []

    def keep_closed(self, found: Expanded, closed: Sequence[int], times: Floats, ends: Floats, like: Floats) -> None:
        """Put states that were on the constraints before they were closed back to their places, to the last digit.

        Parameters
        ----------
        found : Expanded, changed
        closed : sequence of int
            Which: 0 for the first, −1 for the last one.
        times : array (instants,)
        ends : array (2, n)
            First and last y before they were closed.
        like : array (nq,)
        """
        bodies = self.cartesian(times[[0, -1]], ends, found.references[[0, -1]], like)  # type: ignore[attr-defined]
        for k in closed:
            found.Y[k] = bodies[k]

    def with_new_charts(self, y: Floats) -> Floats:
        """Return y in coordinates that are regular where it is; called where the acceptance asks for that."""
        return y

    def trouble(self) -> tuple[str, str] | None:
        """Return why rows lost their rank and what helps, where these coordinates know it."""
        return None

    def take_other_rows(self, y: Floats, t: float) -> bool:
        """Choose redundant rows anew at y; return whether others serve better, so that the blocks are new ones."""
        return False

    def branch(self) -> Self:
        """Return a copy on the same memory, whose choice of rows is its own."""
        return copy.copy(self)

    def forget(self) -> None:
        """Forget the last accepted state; nothing of it is kept here."""

    def select(self, joints: Sequence[str]) -> None:
        """Let only these joints' forces be found: here they come all at once."""


def reader_of(bundle: Bundle) -> Reader:
    """Return the blocks of a bundle on bodies."""
    return Arrays(bundle.model, bundle.state, bundle.scratch)
