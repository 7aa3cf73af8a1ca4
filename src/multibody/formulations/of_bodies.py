"""Formulations in the coordinates of bodies: multipliers, stabilization, partitioning, Kane's method, pairs with parameters."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from multibody.arguments import answered
from multibody.formulations.formulation import FormulationBase
from multibody.options.methods import check_object

if TYPE_CHECKING:
    from multibody.formulations.spaces.cartesian_space import CartesianSpace
    from multibody.formulations.spaces.parametric_space import ParametricSpace
    from multibody.formulations.spaces.space import Space
    from multibody.state.state import State
    from multibody.state.system import Integers, System


@dataclass(frozen=True)
class OfBodies(FormulationBase):
    """In the coordinates of bodies; those that are welded together are one."""

    def space(self, system: System, state: State, rows: Integers) -> Space:
        """Return the space of the bodies, or of composites where bodies are welded together."""
        from multibody.tables.welds import find_welds

        welds = find_welds(system.tables)
        if welds is None:
            return self.body_space(system, state, rows)
        from multibody.formulations.spaces.welded_space import WeldedSpace  # here: it loads SciPy's sparse matrices

        return WeldedSpace(system, state, self, welds)

    @abstractmethod
    def body_space(self, system: System, state: State, rows: Integers) -> CartesianSpace | ParametricSpace:
        """Return the space of bodies as the tables have them."""


@dataclass(frozen=True)
class OfPoses(OfBodies):
    """In positions and orientations alone."""

    sparse: ClassVar[bool] = True

    def body_space(self, system: System, state: State, rows: Integers) -> CartesianSpace:
        """Return the space of the poses of all bodies."""
        from multibody.formulations.spaces.cartesian_space import CartesianSpace

        return CartesianSpace(system, state, rows, self)


@answered
@dataclass(frozen=True)
class Augmented(OfPoses):
    """Index 1 with multipliers; positions and velocities are projected at every accepted step."""

    name: ClassVar[str] = "augmented"
    usual: ClassVar[bool] = True
    pure: ClassVar[bool] = True

    def kernels(self) -> tuple[Any, Any]:
        """Return the right-hand side and the acceptance."""
        from multibody.formulations.augmented import accept_augmented, rhs_augmented

        return rhs_augmented, accept_augmented


@answered
@dataclass(frozen=True)
class Baumgarte(OfPoses):
    """Constraint stabilization Φ̈ + 2α Φ̇ + β² Φ = 0; states are projected near change points alone.

    Parameters
    ----------
    alpha, beta : float, optional
        Feedback [1/time]; by default both are chosen from the rates at the start.
    """

    alpha: float | None = None
    beta: float | None = None
    name: ClassVar[str] = "baumgarte"
    compiled: ClassVar[str] = "baumgarte.rhs_baumgarte"
    stabilized: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse feedback that does not decay."""
        check_object(self, "baumgarte")

    @property
    def feedback(self) -> tuple[float | None, float | None]:
        """α and β [1/time], None where they are to be chosen."""
        return self.alpha, self.beta

    def kernels(self) -> tuple[Any, Any]:
        """Return the right-hand side and the acceptance."""
        from multibody.formulations.baumgarte import accept_baumgarte, rhs_baumgarte

        return rhs_baumgarte, accept_baumgarte


@answered
@dataclass(frozen=True)
class Partitioning(OfPoses):
    """Generalized coordinate partitioning: dependent coordinates are settled at every evaluation."""

    name: ClassVar[str] = "partitioning"
    compiled: ClassVar[str] = "partitioning.rhs_partitioning"
    partitioned: ClassVar[bool] = True

    def kernels(self) -> tuple[Any, Any]:
        """Return the right-hand side and the acceptance."""
        from multibody.formulations.partitioned import accept_partitioned
        from multibody.formulations.partitioning import rhs_partitioning

        return rhs_partitioning, accept_partitioned


@answered
@dataclass(frozen=True)
class Kane(OfPoses):
    """Kane's method with the null-space matrix B: as many equations as degrees of freedom."""

    name: ClassVar[str] = "kane"
    compiled: ClassVar[str] = "kane.rhs_kane"
    partitioned: ClassVar[bool] = True

    def kernels(self) -> tuple[Any, Any]:
        """Return the right-hand side and the acceptance."""
        from multibody.formulations.kane import rhs_kane
        from multibody.formulations.partitioned import accept_partitioned

        return rhs_kane, accept_partitioned


@answered
@dataclass(frozen=True)
class Parametric(OfBodies):
    """Coordinates of the bodies and of their joints: every pair has six constraints (planar three) and its own parameters.

    Parameters
    ----------
    rotation : {"regular", "cosine"}
        Rows of the rotations: regular at every angle, or those of the paper, which lose rank where a sine vanishes; a run that
        comes there stops.
    """

    rotation: str = "regular"
    pairs: ClassVar[bool] = True
    compiled: ClassVar[str] = "parametric.rhs_parametric"

    def __post_init__(self) -> None:
        """Refuse words that do not exist."""
        check_object(self, "parametric")

    @property
    def name(self) -> str:  # type: ignore[override]
        """``parametric``, with the rows of the rotations where these are not the regular ones."""
        return "parametric" if self.rotation == "regular" else f"parametric-{self.rotation}"

    def kernels(self) -> tuple[Any, Any]:
        """Return the right-hand side and the acceptance."""
        from multibody.formulations.parametric import accept_parametric, rhs_parametric

        return rhs_parametric, accept_parametric

    def body_space(self, system: System, state: State, rows: Integers) -> ParametricSpace:
        """Return the space of bodies and the parameters of their pairs."""
        from multibody.formulations.spaces.parametric_space import ParametricSpace

        return ParametricSpace(system, state, rows, self)

    def implicit_space(self, system: System, state: State, rows: Integers) -> Space:
        """Return the space of bodies and parameters, exact in ground axes."""
        from multibody.formulations.spaces.parametric_space import ParametricSpace

        return ParametricSpace(system, state, rows, self, exact=True)
