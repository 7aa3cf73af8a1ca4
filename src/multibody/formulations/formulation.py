"""What a formulation is: an object that owns its options, its coordinates and its compiled functions.

* ``space(system, state, rows)``: the coordinates, with everything a run needs prepared. It turns a state into y (``start``) and
  states y into all that is reported (``expanded``); its ``bundle`` has the blocks that kernels take, and for implicit methods
  the iteration matrix (``attach``) and the functions that evaluate residuals and linear systems (``newton_kernels``).
* ``kernels()``: the right-hand side ẏ = f(t, y), and the acceptance of a step, which brings y onto the constraints.

Kernels and spaces are imported on use: naming a formulation costs no compiled code.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from multibody.formulations.spaces.space import Space
    from multibody.state.state import State
    from multibody.state.system import Integers, System


@dataclass(frozen=True)
class FormulationBase(ABC):
    """What is asked of a formulation, so that nobody has to know it by name.

    Attributes
    ----------
    partitioned : bool
        Whether independent coordinates are chosen.
    stabilized : bool
        Whether violations of the constraints are fed back.
    usual : bool
        Whether ``auto`` takes it unless something speaks for another one.
    full_mass : bool
        Whether a mass matrix of all rates is formed; what forms none is made for long chains, and not for implicit methods.
    selective : bool
        Whether it can find the forces of some joints alone.
    sparse : bool
        Whether its iteration matrices have a sparse order of elimination, which is tried at the start of a run.
    pure : bool
        Whether its right-hand side depends on t, y and angle references alone, but for what near change points is remembered:
        it can then be evaluated again when a run is over.
    compiled : str
        ``module.function`` of a kernel that no run does without.
    """

    partitioned: ClassVar[bool] = False
    stabilized: ClassVar[bool] = False
    usual: ClassVar[bool] = False
    full_mass: ClassVar[bool] = True
    selective: ClassVar[bool] = False
    sparse: ClassVar[bool] = False
    pure: ClassVar[bool] = False
    compiled: ClassVar[str] = "augmented.rhs_augmented"

    @property
    def feedback(self) -> tuple[float | None, float | None]:
        """What `stabilized` feeds back [1/time], None where it is to be chosen."""
        return None, None

    @abstractmethod
    def kernels(self) -> tuple[Any, Any]:
        """Return the right-hand side and the acceptance."""

    @abstractmethod
    def space(self, system: System, state: State, rows: Integers) -> Space:
        """Return the coordinates of a run, prepared.

        Parameters
        ----------
        system : System
        state : State
            Consistent start.
        rows : array of int
            Independent rows of the bodies' coordinates.
        """
