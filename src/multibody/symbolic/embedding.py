"""Minimal equations of motion: a tree in its joint coordinates, and loops embedded by velocity ratios.

Of the tree M u̇ + h = τ with M = Jᵀ M J, h = Jᵀ (M b − Q of weights and gyroscopic moments), τ = Jᵀ Q of all else. Loops close
where C(y, t) = 0. Their Jacobian C_u splits into dependent and independent speeds,

    u_d = K u + C_d⁻¹ ν,   K = −C_d⁻¹ C_i,   u̇_d = K u̇ + C_d⁻¹ γ,

and with T = [1; K]: M̂ = Tᵀ M T, ĥ = Tᵀ (h + M_d C_d⁻¹ γ), τ̂ = Tᵀ τ (Wehage, Haug 1982; Shabana, ch. 5).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from multibody.symbolic.bodies import ZERO, Function, Functions
from multibody.symbolic.body_equations import mass_matrix
from multibody.symbolic.constraints import row
from multibody.symbolic.forces import Forces
from multibody.symbolic.kinematics import Coordinate, TreeMotion, abbreviated, tree_motion
from multibody.symbolic.minimal import Minimal
from multibody.symbolic.names import Names
from multibody.symbolic.trigonometry import simplified
from multibody.tables.build import Builder
from multibody.tables.lower import Tables
from multibody.tables.tree import Tree, loop_rows

CRAMER = 3  # dependent speeds up to which ratios are written in closed form
PATIENCE = 1.5  # seconds for all that is simplified


@dataclass
class TreeEquations:
    """Equations of the opened mechanism: those of the tree, and those that close its loops.

    Attributes
    ----------
    motion : TreeMotion
    M, h, tau : sympy.Matrix
        Over the speeds of all joints of the tree.
    rows : list of int
        Equations that close loops, by their place in Φ.
    C, Cu, nu, gamma : sympy.Matrix
        Their values, Jacobian over all speeds, and right-hand sides.
    """

    motion: TreeMotion
    M: Any
    h: Any
    tau: Any
    rows: list[int]
    C: Any
    Cu: Any
    nu: Any
    gamma: Any


def tree_equations(
    builder: Builder, tables: Tables, tree: Tree, names: Names, by_path: Mapping[Any, Any], q: list[Any], v: list[Any],
    absolute: bool,
) -> TreeEquations:  # fmt: skip
    """Return the equations of the opened mechanism; q, v are the coordinates of all bodies."""
    motion = tree_motion(builder, tables, tree, names, by_path, absolute, q, v)
    count = len(builder.extras)
    extras = list(zip(q[len(q) - count :], v[len(v) - count :], strict=True))
    _add_extras(motion, extras, len(q) - count)
    functions = _functions(builder, by_path, motion, extras)
    size = motion.J.shape[0]
    M, forces = mass_matrix(functions, size), Forces(functions, tables.length)
    inertial, applied, tau = [ZERO] * size, [ZERO] * size, [ZERO] * len(motion.u)
    forces.weights(inertial)
    forces.gyroscopic(inertial)
    forces.actions(applied, lambda law: _along(law, motion, forces, tau))
    J, until = motion.J, time.process_time() + PATIENCE
    own = [_short(x, until) for x in (J.T * M * J, J.T * (M * motion.bias - sympy.Matrix(inertial)))]
    tau_all = _short(J.T * sympy.Matrix(applied) + sympy.Matrix(tau), until)
    rows = [r for r in loop_rows(tables, tree) if r < tables.count_joint]
    found = [row(builder.rows[r], functions) for r in rows]
    Cu, gamma = sympy.zeros(len(rows), len(motion.u)), sympy.zeros(len(rows), 1)
    for r, item in enumerate(found):
        gamma[r] = item.gamma
        for column, g in item.entries.items():
            Cu[r, :] += g * J[column, :]
            gamma[r] -= g * motion.bias[column]
    columns = [sympy.Matrix(len(rows), 1, [getattr(item, key) for item in found]) for key in ("value", "nu")]
    closing = [_short(x, until) for x in (columns[0], Cu, columns[1], gamma)]
    if motion.definitions:  # a long chain: its closure is abbreviated as well
        closing[1] = abbreviated(closing[1], "C", names, motion.definitions)
    return TreeEquations(motion, own[0], own[1], tau_all, rows, *closing)


def _add_extras(motion: TreeMotion, extras: Sequence[tuple[Any, Any]], place: int) -> None:
    """Add the contact angles of cams as coordinates of their own, without mass."""
    motion.coordinates += [Coordinate((y,), (u,), str(y), False, place=place + k) for k, (y, u) in enumerate(extras)]
    if extras:
        motion.J = sympy.diag(motion.J, sympy.eye(len(extras)))
        motion.bias = sympy.Matrix([*motion.bias, *[ZERO] * len(extras)])


def poses_of(motion: TreeMotion, dimension: int) -> Any:
    """Return where all bodies are: in the plane x, y, θ, in space the center of mass and the rotation matrix by rows."""
    found = [x for pose in motion.poses[1:] for x in (*pose.r, *([pose.angle] if dimension == 2 else pose.A))]
    return sympy.Matrix(found)


def _functions(
    builder: Builder, by_path: Mapping[Any, Any], motion: TreeMotion, extras: Sequence[tuple[Any, Any]]
) -> Functions:
    """Return the coordinate functions at the poses of the tree; those that are its coordinates are their symbols."""
    functions = Functions(builder, by_path, motion.poses, extras)
    for f, (y, u, _) in motion.own.items():
        made = functions[f]
        functions.set(f, Function(y, made.columns, made.gamma, u))
    return functions


def _along(law: Any, motion: TreeMotion, forces: Forces, tau: list[Any]) -> bool:
    """Add the effort of a law along a coordinate of the tree to τ; return whether it is one."""
    if law.function not in motion.own:
        return False
    tau[motion.own[law.function][2]] += forces.effort(law)
    return True


def _short(matrix: Any, until: float) -> Any:
    """Return a matrix with its entries simplified."""
    return matrix.applyfunc(lambda x: simplified(x, until))


def of_tree(own: TreeEquations, poses: Any) -> Minimal:
    """Return the minimal equations of a mechanism without loops."""
    motion, none = own.motion, sympy.zeros(0, 0)
    return Minimal(
        motion.y, motion.u, motion.u, [], (), sympy.zeros(0, 1), [], motion.definitions, none, sympy.zeros(0, 1), own.M, own.h,
        own.tau, poses, motion.J, motion.bias,
    )  # fmt: skip


@dataclass(frozen=True)
class Choice:
    """Which of the speeds are dependent, which of the closing equations decide on them, and the order of pivots."""

    independent: list[int]
    dependent: list[int]
    rows: list[int]


def embedded(own: TreeEquations, tree: Tree, chosen: Choice, poses: Any, names: Names, row_names: Sequence[str]) -> Minimal:
    """Return the minimal equations of a mechanism with loops."""
    motion, i, d = own.motion, chosen.independent, chosen.dependent
    u, dependent = [motion.u[k] for k in i], [motion.u[k] for k in d]
    solver = Solver(own.Cu.extract(chosen.rows, d), names)
    tags = [("K", a, b if len(u) > 1 else None) for a in dependent for b in u]
    K = solver.solve(-own.Cu.extract(chosen.rows, i), tags)
    nu = own.nu.extract(chosen.rows, [0])
    speeds = K * sympy.Matrix(u) if u else sympy.zeros(len(d), 1)
    if any(x != 0 for x in nu):
        speeds += solver.solve(nu, [("k", a, None) for a in dependent])
    ratios = [*solver.take(), *zip(dependent, speeds, strict=True)]
    drift = solver.solve(own.gamma.extract(chosen.rows, [0]), [("b", a, None) for a in dependent])
    T = sympy.zeros(len(motion.u), len(i))
    for c, k in enumerate(i):
        T[k, c] = 1
    for r, k in enumerate(d):
        T[k, :] = K[r, :]
    everywhere, until = list(range(len(motion.u))), time.process_time() + PATIENCE
    quadratic = own.h + own.M.extract(everywhere, d) * drift
    M, h, tau = (_short(x, until) for x in (T.T * own.M * T, T.T * quadratic, T.T * own.tau))
    early, rest = _split(motion.definitions, set(motion.u))
    return Minimal(
        motion.y, motion.u, u, dependent, tree.cut, own.C, [row_names[r] for r in own.rows],
        [*early, *ratios, *rest, *solver.take()], K, drift, M, h, tau, poses, motion.J, motion.bias,
    )  # fmt: skip


def _split(definitions: Sequence[tuple[Any, Any]], speeds: set[Any]) -> tuple[list[tuple[Any, Any]], list[tuple[Any, Any]]]:
    """Return the abbreviations that positions alone decide on, and those that depend on speeds."""
    early, late, moving = [], [], set(speeds)
    for symbol, x in definitions:
        if x.free_symbols & moving:
            moving.add(symbol)
            late.append((symbol, x))
        else:
            early.append((symbol, x))
    return early, late


def _determinant(A: Any) -> Any:
    """Return the determinant by its first row; SymPy's own simplifies on the way, which takes minutes."""
    if A.shape[0] == 0:
        return sympy.Integer(1)
    return sum(((-1) ** c * A[0, c] * _minor(A, 0, c) for c in range(A.shape[0]) if A[0, c] != 0), ZERO)


def _minor(A: Any, r: int, c: int) -> Any:
    """Return the determinant without a row and a column."""
    return _determinant(A.extract([k for k in range(A.shape[0]) if k != r], [k for k in range(A.shape[0]) if k != c]))


class Solver:
    """Solves C_d x = b on paper: by Cramer's rule if it is small, else by elimination with abbreviations.

    The order of rows and columns is that of pivots, which were chosen at a state of the mechanism.
    """

    def __init__(self, Cd: Any, names: Names) -> None:
        self.names, self.n, self.made = names, Cd.shape[0], list[tuple[Any, Any]]()
        self.L, self.U = sympy.zeros(self.n, self.n), Cd.copy()
        until = time.process_time() + PATIENCE
        self.small = self.n <= CRAMER
        if self.small:
            self.determinant = simplified(_determinant(Cd), until)
            self.adjugate = _short(sympy.Matrix(self.n, self.n, lambda r, c: (-1) ** (r + c) * _minor(Cd, c, r)), until)
            return
        for k in range(self.n):
            for r in range(k + 1, self.n):
                if self.U[r, k] != 0:
                    self.L[r, k] = self._new("L", self.U[r, k] / self.U[k, k])
                    for c in range(k + 1, self.n):
                        if self.U[k, c] != 0:
                            self.U[r, c] = self._new("U", self.U[r, c] - self.L[r, k] * self.U[k, c])
                    self.U[r, k] = ZERO

    def take(self) -> list[tuple[Any, Any]]:
        """Return the abbreviations made since they were last taken."""
        made, self.made = self.made, []
        return made

    def _new(self, text: str, value: Any, latex: str = "") -> Any:
        """Return an abbreviation of a value that is no plain number."""
        if value.is_Atom and not latex:
            return value
        symbol = self.names.new(text, latex or text, "", "")
        self.made.append((symbol, value))
        return symbol

    def solve(self, b: Any, tags: Sequence[tuple[str, Any, Any]]) -> Any:
        """Return x as a matrix of symbols; tags say what each is called: a letter, and the speeds that it belongs to."""
        rows, columns = b.shape
        x = sympy.zeros(rows, columns)
        for c in range(columns):
            own = self._cramer(b[:, c]) if self.small else self._eliminated(b[:, c])
            for r in range(rows):
                letter, *of = tags[columns * r + c]
                words = [str(speed).replace("dot", "", 1) for speed in of if speed is not None]
                marks = [self.names.known[speed].latex.replace(r"\dot", "", 1) for speed in of if speed is not None]
                latex = rf"{letter}_{{{','.join(marks)}}}"
                x[r, c] = own[r] if own[r].is_Atom else self._new("_".join([letter, *words]), own[r], latex)
        return x

    def _cramer(self, b: Any) -> list[Any]:
        """Return adj(C_d) b / det C_d."""
        until = time.process_time() + PATIENCE
        return [sympy.factor_terms(simplified(x, until)) / self.determinant for x in self.adjugate * b]

    def _eliminated(self, b: Any) -> list[Any]:
        """Return x by forward and backward substitution."""
        x = list(b)
        for r in range(self.n):
            x[r] = self._new("x", x[r] - sum((self.L[r, k] * x[k] for k in range(r)), ZERO))
        for r in range(self.n - 1, -1, -1):
            rest = sum((self.U[r, k] * x[k] for k in range(r + 1, self.n)), ZERO)
            x[r] = self._new("x", (x[r] - rest) / self.U[r, r])
        return x
