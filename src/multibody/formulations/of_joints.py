"""Formulations in the coordinates of the joints of a spanning tree: `recursive`, `transformation`, `articulated`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from multibody.arguments import answered
from multibody.formulations.formulation import FormulationBase
from multibody.options.methods import check_object

if TYPE_CHECKING:
    from multibody.formulations.spaces.along import Along
    from multibody.formulations.spaces.joint_space import JointSpace
    from multibody.state.state import State
    from multibody.state.system import Integers, System
    from multibody.tables.lower import Tables


@dataclass(frozen=True)
class OfJoints(FormulationBase):
    """In the coordinates of the joints of a spanning tree; loops are closed at the joints that were cut."""

    relative: ClassVar[bool] = True
    own_forces: ClassVar[bool] = True
    free: ClassVar[bool] = True
    compiled: ClassVar[str] = "relative.expand_relative"
    read_by: ClassVar[str] = "calls.call_state"
    transformed: ClassVar[bool] = False  # whether it writes out the matrix B of a body

    @abstractmethod
    def calls(self) -> dict[str, Any]:
        """Return the kernels that meet the mass matrix, by their names in ``kernels.tree.declared.TreeCalls``."""

    def space(self, system: System, state: State, rows: Integers) -> JointSpace:
        """Return the space of the joint coordinates."""
        from multibody.formulations.spaces.joint_space import JointSpace

        assert isinstance(self, JointFormulation)
        return JointSpace(system, state, rows, self)

    def implicit_space(self, system: System, state: State, rows: Integers) -> JointSpace:
        """Return the same space."""
        return self.space(system, state, rows)

    def cut_at(self, joints: Sequence[str]) -> Self:
        """Return itself with loops cut at these joints."""
        assert isinstance(self, JointFormulation)
        return replace(self, cut=joints)

    def check_size(self, tables: Tables) -> None:
        """Raise where full matrices would be too large."""
        from multibody.formulations.spaces.joint_space import joint_columns

        assert isinstance(self, JointFormulation)
        joint_columns(tables, self)

    def forces_along(self, tables: Tables, state: State, rows: Integers, joints: Sequence[str] | None) -> Along:
        """Return what finds forces along a motion that is known, in joint coordinates."""
        from multibody.formulations.spaces.along import SpaceAlong
        from multibody.state.system import System

        system = System(tables)
        system.ref[:] = state.references
        space = self.space(system, state, rows)
        if joints is not None:
            space.select(joints)
        return SpaceAlong(space, state)


@answered
@dataclass(frozen=True)
class Recursive(OfJoints):
    """Joint coordinates, the mass matrix from composite inertias K_i; loops are closed by multipliers and projection.

    Parameters
    ----------
    cut : list of str, optional
        Joints at which loops are cut; derived by default.
    """

    cut: Sequence[str] | None = None
    name: ClassVar[str] = "recursive"
    selective: ClassVar[bool] = True

    def calls(self) -> dict[str, Any]:
        """Return the kernels that meet the mass matrix."""
        from multibody.formulations import recursive

        return recursive.CALLS

    def kernels(self) -> tuple[Any, Any]:
        """Return the right-hand side and the acceptance."""
        from multibody.formulations.relative import accept_relative, rhs_relative

        return rhs_relative, accept_relative


@answered
@dataclass(frozen=True)
class Articulated(OfJoints):
    """Joint coordinates by the articulated-body recursion: time grows with the number of bodies, no matrix is formed.

    Parameters
    ----------
    cut : list of str, optional
        Joints at which loops are cut; derived by default.
    """

    cut: Sequence[str] | None = None
    name: ClassVar[str] = "articulated"
    full_mass: ClassVar[bool] = False

    def calls(self) -> dict[str, Any]:
        """Return the kernels that meet the mass matrix."""
        from multibody.formulations import articulated

        return articulated.CALLS

    def kernels(self) -> tuple[Any, Any]:
        """Return the right-hand side and the acceptance."""
        from multibody.formulations.relative import accept_relative, rhs_relative

        return rhs_relative, accept_relative


@answered
@dataclass(frozen=True)
class Transformation(OfJoints):
    """Joint coordinates by the velocity transformation ẏ = B q̇.

    Parameters
    ----------
    loops : {"projected", "stabilized", "partitioned"}
        What is done about the loops: multipliers with projection of accepted steps, multipliers with Baumgarte's feedback, or
        independent joint coordinates from which the others are settled at every evaluation.
    alpha, beta : float, optional
        Feedback of ``stabilized`` [1/time]; by default chosen from the rates at the start.
    cut : list of str, optional
        Joints at which loops are cut; derived by default.
    """

    loops: str = "projected"
    alpha: float | None = None
    beta: float | None = None
    cut: Sequence[str] | None = None
    transformed: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse words and feedback that do not exist."""
        check_object(self, "transformation")

    @property
    def name(self) -> str:  # type: ignore[override]
        """``transformation``, with what is done about the loops where that is not projection."""
        return "transformation" if self.loops == "projected" else f"transformation-{self.loops}"

    @property
    def partitioned(self) -> bool:  # type: ignore[override]
        """Whether independent coordinates are chosen."""
        return self.loops == "partitioned"

    @property
    def stabilized(self) -> bool:  # type: ignore[override]
        """Whether violations are fed back."""
        return self.loops == "stabilized"

    @property
    def feedback(self) -> tuple[float | None, float | None]:
        """α and β [1/time], None where they are to be chosen."""
        return self.alpha, self.beta

    def calls(self) -> dict[str, Any]:
        """Return the kernels that meet the mass matrix."""
        from multibody.formulations import transformation

        return transformation.CALLS

    def kernels(self) -> tuple[Any, Any]:
        """Return the right-hand side and the acceptance."""
        from multibody.formulations import relative as r

        if self.partitioned:
            return r.rhs_relative_partitioned, r.accept_relative_partitioned
        if self.stabilized:
            return r.rhs_relative_stabilized, r.accept_relative_stabilized
        return r.rhs_relative, r.accept_relative


JointFormulation = Recursive | Transformation | Articulated
