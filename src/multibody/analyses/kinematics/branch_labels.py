"""The branch label of a motion that keeps its branch, found when somebody reads it: most people and all studies never do."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, overload

from multibody.analyses.assembly.branches import branch_label
from multibody.state.state import State
from multibody.state.system import System

Label = tuple[float, str]


class BranchLabels(Sequence[Label]):
    """The one label from the start on.

    Parameters
    ----------
    time : float
        When the motion begins.
    start : State
        Where it begins, consistent.
    """

    def __init__(self, time: float, start: State) -> None:
        self.time, self.start = time, start

    @cached_property
    def found(self) -> list[Label]:
        """Time and label."""
        system = System(self.start.tables)
        system.ref[:] = self.start.references
        return [(self.time, branch_label(system, self.start.q, self.start.t))]

    @overload
    def __getitem__(self, k: int) -> Label: ...

    @overload
    def __getitem__(self, k: slice) -> list[Label]: ...

    def __getitem__(self, k: Any) -> Any:
        return self.found[k]

    def __len__(self) -> int:
        return 1

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel as a list."""
        return list, (self.found,)
