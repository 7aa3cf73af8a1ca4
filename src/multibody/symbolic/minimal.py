"""`Minimal`: equations of motion in as few coordinates as there are freedoms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy

from multibody.symbolic.code import Routine


@dataclass(frozen=True)
class Minimal:
    """Minimal equations of motion M(y) u̇ + h(y, u) = τ, u the independent speeds.

    Of a tree all coordinates are independent. Where loops close, the dependent coordinates stay symbols. They satisfy
    closure(y, t) = 0, their speeds are K u (plus `drift` where a closure moves with time), and the ratios K are symbols too.

    Attributes
    ----------
    y : list of sympy.Symbol
        Coordinates of all joints of the tree; a ball has four Euler parameters, second end in first.
    speeds : list of sympy.Symbol
        Their speeds; a ball has its relative angular velocity in the axes of its first end.
    u, dependent : list of sympy.Symbol
        Which of the speeds are independent, and which follow.
    cut : tuple of str
        Joints whose equations close the loops.
    closure : sympy.Matrix
        What vanishes where the loops close; no rows for a tree.
    closure_rows : list of str
        Names of these equations.
    definitions : list of (symbol, expression)
        All abbreviations in an order in which each depends only on earlier ones: matrices and angular velocities of long
        chains, ratios K = ∂u_d/∂u, dependent speeds, and what dependent accelerations have beside K u̇.
    K, drift : sympy.Matrix
        Velocity ratios, and the part of the dependent accelerations that is left where u̇ = 0.
    M, h, tau : sympy.Matrix
        Mass matrix; Coriolis, centrifugal and gyroscopic terms less weights; what springs, efforts, loads, … do.
    poses, J, bias : sympy.Matrix
        Where all bodies are (in the plane x, y, θ, in space center of mass and rotation matrix by rows); v = J times all
        speeds; and v̇ where no speed changes.
    """

    y: list[Any]
    speeds: list[Any]
    u: list[Any]
    dependent: list[Any]
    cut: tuple[str, ...]
    closure: Any
    closure_rows: list[str]
    definitions: list[tuple[Any, Any]]
    K: Any
    drift: Any
    M: Any
    h: Any
    tau: Any
    poses: Any
    J: Any
    bias: Any

    def routines(self) -> list[Routine]:
        """Return what code is written of."""
        known = tuple(self.definitions)
        found = [
            ("minimal_mass", "Mass matrix over the independent speeds u.", self.M),
            ("minimal_h", "Coriolis, centrifugal and gyroscopic terms less weights.", self.h),
            ("minimal_tau", "Generalized forces of springs, efforts, loads and all else that acts.", self.tau),
            ("minimal_poses", "Where all bodies are: x, y, theta, or center of mass and rotation matrix by rows.", self.poses),
            ("minimal_jacobian", "J of v = J times all speeds, of all bodies.", self.J),
            ("minimal_bias", "dv/dt of all bodies where no speed changes.", self.bias),
            ("closure", "What vanishes where the loops close.", self.closure),
            ("dependent_speeds", "Speeds of the dependent coordinates.", sympy.Matrix(self.dependent)),
            ("ratios", "Dependent speeds over independent ones.", self.K),
            ("dependent_drift", "Dependent accelerations less ratios times independent ones.", self.drift),
        ]
        matrices = ("minimal_mass", "minimal_jacobian", "ratios")
        return [Routine(name, doc, ("y", "u", "p"), value, known, name in matrices) for name, doc, value in found]
