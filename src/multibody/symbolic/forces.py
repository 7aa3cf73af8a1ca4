"""Masses and forces on paper: the blocks of M, and Q of weights, gyroscopic moments, laws, loads and wrench elements."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import sympy

from multibody.errors import ModelError
from multibody.kernels import codes as L
from multibody.kernels.declared import BushingNumbers, WrenchFrames
from multibody.kernels.forces import _friction_effort, _linear_effort
from multibody.kernels.vectors import row_of
from multibody.kernels.wrench_elements import add_wrench_element
from multibody.model.expressions import Number, name
from multibody.symbolic.bodies import ZERO, Functions
from multibody.symbolic.formulas import symbolic
from multibody.symbolic.written import lifted, named, plain, written
from multibody.tables.build import Builder
from multibody.tables.expression_forces import stop_effort
from multibody.tables.forces import Law, Load, OfLength
from multibody.tables.inputs import Item
from multibody.tables.lowered import LoweredLaw
from multibody.tables.programs import coordinate
from multibody.tables.wrench_elements import WrenchElement, frame_numbers


def mass_blocks(functions: Functions) -> list[tuple[Any, Any]]:
    """Return mass and inertia of every body: planar a number, spatial the matrix in body axes; 0 where none is stated."""
    d, found = functions.dimension, []
    for own in functions.builder.placement.masses:
        m = ZERO if own.mass is None else functions.number(own.mass)
        if d == 2:
            J: Any = ZERO if own.inertia is None else functions.number(own.inertia)
        elif own.inertia is None:
            J = sympy.zeros(3, 3)
        else:
            J = sympy.Matrix([[functions.number(x) for x in row] for row in own.inertia])  # type: ignore[union-attr]
        found.append((m, J))
    return found


def _linear(n: Any, own: Any, x: Any) -> Any:
    """Return the effort of a law that is linear in value and rate, plus a formula."""
    return plain(written(_linear_effort)(n, lifted(own.value), lifted(own.rate), x, True)[0])


def _friction(n: Any, own: Any, x: Any) -> Any:
    """Return the effort of friction under a load, of which x is the part that is a formula."""
    return plain(written(_friction_effort)(n, lifted(own.rate), n.load + x)[0])


_WRITTEN: dict[int, Callable[[Any, Any, Any], Any]] = {L.LINEAR: _linear, L.FRICTION: _friction}  # a stop has a way of its own


class Forces:
    """Generalized forces of a lowered model over the velocity columns of its bodies.

    Parameters
    ----------
    functions : Functions
        Coordinate functions at the poses.
    length : float
        Characteristic length: defaults of widths are parts of it.
    """

    def __init__(self, functions: Functions, length: float) -> None:
        self.functions, self.length = functions, length
        self.builder: Builder = functions.builder
        self.width = functions.layout.velocities

    def weights(self, Q: list[Any]) -> None:
        """Add the weights to Q."""
        gravity = self.builder.model.gravity
        if gravity is None:
            return
        d, layout = self.functions.dimension, self.functions.layout
        g = [self.functions.number(x) for x in self.builder.scope.vector(gravity, d, "gravity")]
        for b, (m, _) in enumerate(mass_blocks(self.functions)):
            for k in range(d):
                Q[layout.first_rate(b + 1) + k] += m * g[k]

    def gyroscopic(self, Q: list[Any]) -> None:
        """Add the gyroscopic moments −ω′ × J′ω′ of spatial bodies to Q."""
        if self.functions.dimension == 2:
            return
        for b, (_, J) in enumerate(mass_blocks(self.functions)):
            spin = sympy.Matrix(self.functions.poses[b + 1].spin)
            for k, x in enumerate((J * spin).cross(spin), self.functions.layout.spin(b + 1).start):
                Q[k] += x

    def actions(self, Q: list[Any], elsewhere: Callable[[Law], bool] = lambda law: False) -> None:
        """Add what laws, loads and wrench elements do to Q, but for laws that are taken elsewhere."""
        for law in self.builder.forces.laws:
            if elsewhere(law):
                continue
            own = self.functions[law.function]
            effort = self.effort(law)
            for column, g in own.columns:
                Q[column] += effort * g
        for load in self.builder.forces.loads:
            self._add_load(load, Q)
        for element in self.builder.forces.wrench_elements:
            self._add_element(element, Q)

    # --- laws -----------------------------------------------------------------------------------------------------------
    def _inputs(self, items: tuple[Item, ...]) -> dict[tuple[str, ...], Any]:
        """Return what the inputs of an expression stand for, with parameters and t."""
        found = dict(self.functions.names)
        for k, (code, index) in enumerate(items):
            if code in (L.INPUT_VALUE, L.INPUT_RATE):
                own = self.functions[index]
                value = own.value if code == L.INPUT_VALUE else own.rate
            else:
                pose, axis = self.functions.poses[index], code - L.INPUT_OMEGA
                value = sum((a * w for a, w in zip(written(row_of)(pose.A, axis), pose.spin, strict=True)), ZERO)
            found[coordinate(k + 1).args] = value
        return found

    def _number(self, value: Number | OfLength) -> Any:
        """Return a number of a law; defaults are parts of the characteristic length, a number."""
        return self.functions.number(value.factor * self.length if isinstance(value, OfLength) else value)

    def effort(self, law: Law) -> Any:
        """Return the effort of a law along its function, as the kernel of its kind is written."""
        own = self.functions[law.function]
        if law.kind == L.STOP:
            return self._stop(law)
        if law.kind not in _WRITTEN:
            problem = f"its law is not known on paper (kind {law.kind})"
            raise ModelError(problem, where=f"forces.{law.name}", hint="leave the force out")
        n = named(LoweredLaw.RECORDS[law.kind], [self._number(x) for x in law.numbers])
        return _WRITTEN[law.kind](n, own, lifted(self._formula(law.formula, law.items)))

    def _formula(self, formula: Number, items: tuple[Item, ...]) -> Any:
        return symbolic(formula, self._inputs(items))

    def _stop(self, law: Law) -> Any:
        """Return what a stop does; a limit that is never reached is left out."""
        own, (lower, upper, stiffness, damping, width) = self.functions[law.function], law.numbers
        if isinstance(width, OfLength):
            width = width.factor * self.length
        limits: dict[str, Any] = {"lower": lower, "upper": upper}
        stated = {key: x for key, x in limits.items() if not (isinstance(x, float) and abs(x) >= L.NEVER)}
        c, rate = name("c"), name("c", "rate")
        formula = stop_effort(c, rate, stated, stiffness, damping, width)  # type: ignore[arg-type]
        return symbolic(formula, {**self.functions.names, c.args: own.value, rate.args: own.rate})

    # --- loads and wrench elements ----------------------------------------------------------------------------------------
    def _add_load(self, load: Load, Q: list[Any]) -> None:
        """Add a force and a moment at a point of a body."""
        names, pose, d = self._inputs(load.items), self.functions.poses[load.body], self.functions.dimension
        own = [self._number(x) + symbolic(f, names) for x, f in zip(load.numbers, load.formulas, strict=True)]
        A = sympy.Matrix(d, d, list(pose.A))
        s = sympy.Matrix([self.functions.number(x) for x in load.point])
        force, moment, at = sympy.Matrix(own[:d]), sympy.Matrix(own[d:]), self.functions.layout.first_rate(load.body)
        if load.axes == 1:
            force, moment = A * force, moment if d == 2 else A * moment
        if d == 2:
            arm = A * s
            turning = [arm[0] * force[1] - arm[1] * force[0] + moment[0]]
        else:
            turning = list(s.cross(A.T * force) + A.T * moment)
        for k, x in enumerate([*force, *turning]):
            Q[at + k] += x

    def _add_element(self, element: WrenchElement, Q: list[Any]) -> None:
        """Add a wrench element, by the kernel that adds it as it is written, with blocks of symbols in place of memory."""
        planar, poses = self.functions.dimension == 2, self.functions.poses
        frames = [self.functions.number(x) for end in (element.first, element.second) for x in frame_numbers(end)]
        values: Callable[[int], Any] = lambda f: lifted(self.functions[f].value)  # noqa: E731
        model = SimpleNamespace(planar=planar, width=self.width, numbers=None, values=values)
        places = [
            SimpleNamespace(x=lifted(p.r[0]), y=lifted(p.r[1]), cos=lifted(p.A[0]), sin=lifted(p.A[2])) if planar
            else SimpleNamespace(r=lifted(p.r), A=lifted(p.A)) for p in poses
        ]  # fmt: skip
        velocity = [lifted(x) for p in poses for x in p.velocity]
        zero = [lifted(ZERO)] * L.WRENCH
        scratch = SimpleNamespace(
            planar_pose=places, spatial_pose=places, velocity=velocity,
            wrench_work=[SimpleNamespace(wrench=list(zero), elastic=list(zero))],
        )  # fmt: skip
        own = SimpleNamespace(
            kind=element.kind, first=element.first.body, second=element.second.body, angles=element.angles,
            frames=named(WrenchFrames, frames), numbers=named(BushingNumbers, [self._number(x) for x in element.numbers]),
        )  # fmt: skip
        total = lifted(Q)
        written(add_wrench_element)(model, None, scratch, None, own, total)
        Q[:] = plain(total)
