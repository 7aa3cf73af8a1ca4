"""`Equations`: what ``model.equations()`` returns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from multibody.symbolic import code, text
from multibody.symbolic.minimal import Minimal
from multibody.symbolic.names import Names


@dataclass(frozen=True)
class Equations:
    """Equations of a model as SymPy expressions, in the user's names.

    The coordinates are those of the kernels: in the plane x, y, θ of each body, in space its center of mass and the Euler
    parameters e0 … e3; velocities are those of the centers of mass in ground axes and, in space, the angular velocity in body
    axes (no rates of Euler parameters, no normalization among the equations). With them

        Φ(q, t) = 0,   Φ_q v = ν,   Φ_q v̇ = γ,   M v̇ + Φ_qᵀ λ = Q.

    Attributes
    ----------
    name : str
        Of the model.
    dimension : int
    t : sympy.Symbol
    q, v : list of sympy.Symbol
        Coordinates and velocities, in the order of ``State.q`` and ``State.v``.
    parameters : dict
        Value of each free parameter, by symbol.
    derived : dict
        Formula of each parameter that follows from others, by symbol.
    rows : list of str
        Name of each equation: joints, then motions.
    Phi, Phi_q, nu, gamma : sympy.Matrix
        Constraints, their Jacobian over v, right-hand sides of velocity and acceleration.
    M, Q : sympy.Matrix or None
        Mass matrix and generalized forces, with weights and gyroscopic moments; None where masses are missing.
    minimal : Minimal or None
        Equations of motion in as few coordinates as there are freedoms.
    notes : list of str
        What is missing, and why; how angles are counted.
    difference : float
        Largest difference from the kernels that was found at random states, free of units.
    names : Names
        Names of all symbols as text, in LaTeX and in code, with units.
    """

    name: str
    dimension: int
    t: Any
    q: list[Any]
    v: list[Any]
    parameters: dict[Any, float]
    derived: dict[Any, Any]
    rows: list[str]
    Phi: Any
    Phi_q: Any
    nu: Any
    gamma: Any
    M: Any
    Q: Any
    names: Names
    minimal: Minimal | None = None
    notes: list[str] = field(default_factory=list)
    difference: float = 0.0
    tables: dict[str, tuple[int, Sequence[float], Sequence[float]]] = field(default_factory=dict)

    @cached_property
    def program(self) -> code.Program:
        """The routines that evaluate the equations, before they are written in a language."""
        routines = [
            code.Routine("phi", "Constraints, zero where the joints close.", ("q", "p"), self.Phi),
            code.Routine("phi_q", "Jacobian of the constraints over v.", ("q", "p"), self.Phi_q, matrix=True),
            code.Routine("nu", "Right-hand side of phi_q v = nu.", ("q", "p"), self.nu),
            code.Routine("gamma_term", "Right-hand side of phi_q dv/dt = gamma.", ("q", "v", "p"), self.gamma),
        ]
        if self.M is not None:
            routines.append(code.Routine("mass_matrix", "Mass matrix.", ("p",), self.M, matrix=True))
            routines.append(code.Routine("force", "Generalized forces Q.", ("q", "v", "p"), self.Q))
        arrays: dict[str, Sequence[Any]] = {"q": self.q, "v": self.v, "p": list(self.parameters)}
        if self.minimal is not None:
            routines += self.minimal.routines()
            arrays |= {"y": self.minimal.y, "u": self.minimal.u}
        used = [item for item in routines if item.value.shape[0] * item.value.shape[1]]
        values = list(self.parameters.values())
        return code.Program(self.names, text.header(self), arrays, list(self.derived.items()), self.tables, values, used)

    def python(self) -> str:
        """Return Python functions that evaluate the equations with ``math`` alone; they return lists."""
        return code.python(self.program)

    def c(self) -> str:
        """Return C functions (C99) that evaluate the equations with ``math.h`` alone; they write to ``out``, by rows."""
        return code.c(self.program)

    def latex(self) -> str:
        """Return all equations in LaTeX, for a document that uses amsmath."""
        return text.latex(self)

    def plain(self) -> dict[str, Any]:
        """Return the equations as JSON has them: expressions as text."""
        return text.plain(self)

    def __str__(self) -> str:
        return text.printed(self)

    def _repr_latex_(self) -> str:
        return f"$$\n{text.aligned(self)}\n$$"

    def _repr_html_(self) -> str:
        return text.html(self)
