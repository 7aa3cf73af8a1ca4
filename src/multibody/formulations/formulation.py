"""What a formulation is: an object that owns its options, its coordinates and its compiled functions.

* ``space(system, state, rows)``: the coordinates, with everything a run needs prepared. It turns a state into y (``start``) and
  states y into all that is reported (``expanded``); its ``bundle`` has the blocks that kernels take, and for implicit methods
  the iteration matrix (``attach``) and the functions that evaluate residuals and linear systems (``newton_kernels``).
* ``kernels()``: the right-hand side ẏ = f(t, y), and the acceptance of a step, which brings y onto the constraints.

Everything else has an answer here that is right in any coordinates; a family says otherwise in its own file.

Kernels and spaces are imported on use: naming a formulation costs no compiled code.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

if TYPE_CHECKING:
    from multibody.formulations.spaces.along import Along
    from multibody.formulations.spaces.space import Space
    from multibody.state.state import State
    from multibody.state.system import Integers, System
    from multibody.tables.lower import Tables


@dataclass(frozen=True)
class FormulationBase(ABC):
    """What is asked of a formulation, so that nobody has to know it by name.

    Attributes
    ----------
    name : str
        What results say of it.
    relative : bool
        Whether its coordinates are those of a spanning tree.
    pairs : bool
        Whether the parameters of pairs are coordinates, so that its matrices hold what moves nothing as well.
    own_forces : bool
        Whether forces along a motion that is known are found in its coordinates, and the efforts of motions with them; they
        are found in those of bodies, and efforts by virtual power, otherwise.
    free : bool
        Whether its coordinates are independent of each other where no loop is closed.
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
    compiled, read_by : str
        ``module.function`` of kernels that no run does without: its own, and what reads states in its coordinates.
    """

    name: ClassVar[str]
    relative: ClassVar[bool] = False
    pairs: ClassVar[bool] = False
    own_forces: ClassVar[bool] = False
    free: ClassVar[bool] = False
    partitioned: ClassVar[bool] = False
    stabilized: ClassVar[bool] = False
    usual: ClassVar[bool] = False
    full_mass: ClassVar[bool] = True
    selective: ClassVar[bool] = False
    sparse: ClassVar[bool] = False
    pure: ClassVar[bool] = False
    compiled: ClassVar[str] = "augmented.rhs_augmented"
    read_by: ClassVar[str] = "expand.expand"

    @property
    def renewed(self) -> bool:
        """Whether coordinates are chosen anew on the way: a partition, or the angles of pairs."""
        return self.partitioned or self.pairs

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

    def cut_at(self, joints: Sequence[str]) -> Self | None:
        """Return itself with loops cut at these joints, None where it has no tree."""
        return None

    def check_size(self, tables: Tables) -> None:  # noqa: B027  # most take any model
        """Raise where a model is too large for it, before anything is assembled."""

    def forces_along(self, tables: Tables, state: State, rows: Integers, joints: Sequence[str] | None) -> Along:
        """Return what finds forces along a motion that is known: here in the coordinates of bodies.

        Parameters
        ----------
        tables : Tables
        state : State
            Where the motion starts.
        rows : array of int
            Independent rows of the bodies' coordinates, as many as velocities.
        joints : list of str, optional
            Joints whose forces are wanted.
        """
        from multibody.formulations.spaces.along import BodiesAlong

        return BodiesAlong(tables, state, rows)

    def implicit_space(self, system: System, state: State, rows: Integers) -> Space | None:
        """Return the coordinates in which its implicit equations are linearized, None where they are those of `augmented`.

        Arguments as for `space`.
        """
        return None
