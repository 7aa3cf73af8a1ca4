"""Quantities by path along a motion: points, angles, angular velocities, joint coordinates, and expressions of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from multibody.analyses.measures.readable import no_forces, paths_of
from multibody.errors import ModelError
from multibody.kernels.forces import APART, ROUNDING
from multibody.kernels.measure import measure_functions
from multibody.model.dimensions import (
    ANGLE,
    ANGULAR_MOMENTUM,
    ANGULAR_VELOCITY,
    ENERGY,
    FORCE,
    LENGTH,
    MOMENT,
    MOMENTUM,
    NONE,
    TIME,
    Found,
    dimension_of,
    rate,
    unit_name,
)
from multibody.model.expressions import CONSTANTS, Expression, evaluate, names
from multibody.model.paths import Path, component, vector_size
from multibody.model.result_paths import RESULT_KINDS
from multibody.model.units import rate_unit
from multibody.state.poses import matrix_of
from multibody.state.system import Floats, System
from multibody.tables.lower import Tables
from multibody.tables.products import across, dot, times, turned, turned_back
from multibody.tables.splines import table_function

if TYPE_CHECKING:
    from multibody.analyses.measures.force_values import ForceValues
    from multibody.state.kinetics import Dynamics

KEPT = 500_000  # instants times bodies up to which the motion of every body is kept once it is known
MOST_LEVELS = 100  # outputs that build on outputs


class BodyMotion(NamedTuple):
    """How a body lies and moves over time, vectors in ground axes; in the plane rates of rotation are numbers."""

    position: Floats
    axes: Floats
    velocity: Floats
    spin: Floats
    acceleration: Floats
    spin_rate: Floats


@dataclass(frozen=True)
class Measure:
    """Values over time with their unit and what is known about them."""

    values: Floats
    unit: str
    attributes: dict[str, Any]


class Measurer:
    """Evaluates paths on arrays over time.

    Parameters
    ----------
    tables : Tables
    t, q, v, a : arrays
        Times, positions, velocities and accelerations, one row an instant.
    references : array (functions,) or (instants, functions)
        Angle references at the first instant, or at every one.
    dynamics : Dynamics, optional
        Multipliers, energies and efforts, where the analysis has them.
    """

    def __init__(
        self, tables: Tables, t: Floats, q: Floats, v: Floats, a: Floats | None, references: Floats,
        dynamics: Dynamics | None = None,
    ) -> None:  # fmt: skip
        self.tables, self.model = tables, tables.model
        self.t, self.q, self.v, self.a = t, q, v, a
        self.references, self.dynamics = references, dynamics
        self._coordinates: dict[int, tuple[Floats, Floats, Floats]] = {}
        self._bodies: dict[str, BodyMotion] = {}
        self._outputs: list[str] = []  # those that are being evaluated
        self._known: dict[tuple[str, int], Floats] = {}  # outputs by name and order
        self._dimensions: dict[str, Found] = {}  # of outputs

    def __call__(self, text: str) -> Measure:
        """Return a path or an expression of paths over time."""
        parts = tuple(text.split("."))
        if all(part.isidentifier() for part in parts):
            path = self.model.resolve(parts, text, results=True)
            return self._by_path(path)
        return self._expression(text)

    def _by_path(self, path: Path) -> Measure:
        """Return one path."""
        if path.order == 2 and self.a is None:
            raise ModelError(f'"{path.text}" is not known', hint="a state has positions and velocities only")
        if path.kind in RESULT_KINDS:
            return self.forces.measure(path)
        values = self._values(path)
        return Measure(values, self._unit(path), {"path": path.text, **self._about(path)})

    @cached_property
    def forces(self) -> ForceValues:
        """Reactions, efforts, energies and momentum; an error where the analysis knows no forces."""
        from multibody.analyses.measures.force_values import ForceValues

        if self.dynamics is None and len(self.t) == 0:
            raise ModelError("the run has no instants", hint="see its status")
        if self.dynamics is None:
            raise no_forces()
        return ForceValues(self, self.dynamics)

    def _values(self, path: Path) -> Floats:
        """Return the values of a path."""
        kinds: dict[str, Callable[[Path], Floats]] = {
            "time": lambda p: self.t, "parameter": self._parameter, "joint": self._joint, "point": self._point,
            "angle": self._angle, "omega": self._omega, "spring": self._spring, "output": self._output,
            "rotation": self._rotation,
        }  # fmt: skip
        if path.kind not in kinds:
            raise ModelError(f'"{path.text}" is not a result', hint="name a coordinate, a point or an output")
        return kinds[path.kind](path)

    def _unit(self, path: Path) -> str:
        """Return the unit of a path."""
        units = self.model.units
        if path.kind == "time":
            return units.time
        if path.kind == "omega":
            return rate_unit("rad", units.time, path.order)  # an angular velocity is of order 1
        if path.kind == "rotation":
            return "1"
        if path.kind == "parameter":
            return ""
        if path.kind == "output":
            return self._output_unit(path)
        is_length = path.kind in ("point", "spring")
        if path.kind == "joint":
            is_length = self.tables.functions[self.tables.coordinates["joint", path.owner, path.item, 0]].is_length
        return rate_unit(units.length if is_length else "rad", units.time, path.order)

    def _output_unit(self, path: Path) -> str:
        """Return the unit of an output: the one that is stated, else what follows from its parts."""
        stated = self.model.output_units.get(path.owner)
        if stated is not None:
            return rate_unit(stated, self.model.units.time, path.order)
        found, plain = self._dimension_of_output(path.owner)
        return "" if plain else unit_name(rate(found, path.order), self.model.units)

    def dimension(self, formula: Any) -> Found:
        """Return the dimension of a formula of paths, and whether it is a plain number."""
        return dimension_of(formula, self._dimension_of_name)

    def _dimension_of_output(self, name: str) -> Found:
        """Return the dimension of an output, found once: outputs that build on outputs would multiply the work."""
        if name not in self._dimensions:
            self._dimensions[name] = self.dimension(self.model.outputs[name])
        return self._dimensions[name]

    def _dimension_of_name(self, parts: tuple[str, ...]) -> Found:
        """Return the dimension of a name inside an expression."""
        if parts in CONSTANTS:
            angular = {"deg": ANGLE, "rpm": ANGULAR_VELOCITY}.get(parts[0])
            return (NONE, True) if angular is None else (angular, False)
        if parts[0] in self.model.parameters:
            return None, True  # it fits any term, and nobody knows what it makes of a factor
        if vector_size(self.model, parts):
            parts = component(parts, "x")
        path = self.model.resolve(parts, ".".join(parts), results=True)
        if path.kind == "output":
            found, plain = self._dimension_of_output(path.owner)
            return rate(found, path.order), plain
        if path.kind == "omega":
            return rate(ANGULAR_VELOCITY, path.order - 1), False
        fixed = {"time": TIME, "rotation": NONE, "energy": ENERGY, "momentum": MOMENTUM, "angular_momentum": ANGULAR_MOMENTUM}
        if path.kind in fixed:
            return fixed[path.kind], False
        if path.kind in ("reaction", "total", "load"):
            return (FORCE if path.item == "force" else MOMENT), False
        if path.kind == "effort":
            names = self.model.units.names
            return {names["force"]: FORCE, names["moment"]: MOMENT}.get(self._by_path(path).unit), False
        return rate(ANGLE if self._unit(replace(path, order=0)) == "rad" else LENGTH, path.order), False

    def _about(self, path: Path) -> dict[str, str]:
        """Return axes, point and sign, as far as they apply."""
        if path.kind == "point":
            return {"axes": "ground", "point": f"{path.owner}.{path.item}"}
        if path.kind == "joint":
            joint = self.model.joints[path.owner]
            return {
                "joint": joint.kind.name,
                "sign": "second end relative to the first, right-handed about or along the axis",
            }
        return {"axes": "ground"} if path.kind == "omega" else {}

    def _parameter(self, path: Path) -> Floats:
        key = (path.owner, path.item) if path.item else (path.owner,)
        return np.full(len(self.t), self.tables.F[self.tables.parameter_slots[key]])

    def _body(self, name: str) -> BodyMotion:
        """Return r, A, ṙ, ω, r̈, ω̇ of a body over time, ω in ground axes (planar: numbers)."""
        if name in self._bodies:
            return self._bodies[name]
        found = self._body_at(name)
        if len(self.t) * len(self.tables.bodies) <= KEPT:
            self._bodies[name] = found
        return found

    def _body_at(self, name: str) -> BodyMotion:
        n, d, b = len(self.t), self.tables.dimension, self.tables.bodies.index(name)
        a = np.zeros_like(self.v) if self.a is None else self.a
        if b == 0:
            zero, still = np.zeros((n, d)), np.zeros((n, 3) if d == 3 else n)
            return BodyMotion(zero, np.broadcast_to(np.eye(d), (n, d, d)), zero, still, zero, still)
        layout = self.tables.layout
        position, velocity = layout.position(b), layout.velocity(b)
        if d == 2:
            k = layout.angle_of(b)
            c, s = np.cos(self.q[:, k]), np.sin(self.q[:, k])
            A = np.stack([np.stack([c, -s], -1), np.stack([s, c], -1)], -2)
            return BodyMotion(self.q[:, position], A, self.v[:, velocity], self.v[:, k], a[:, velocity], a[:, k])
        A, spin = matrix_of(self.q[:, layout.orientation(b)]), layout.spin(b)
        w, dw = turned(A, self.v[:, spin]), turned(A, a[:, spin])  # ω̇ = A ω̇′, as ω×ω = 0
        return BodyMotion(self.q[:, position], A, self.v[:, velocity], w, a[:, velocity], dw)

    def frame(self, body: str, frame: str) -> tuple[Floats, Floats, Floats]:
        """Return position, velocity and acceleration of a frame's point over time, ground axes."""
        key = (body, frame)
        if key not in self.tables.frames:
            raise ModelError(
                f'body "{body}" has no frame "{frame}"',
                hint=f"it has origin, com, {', '.join(self.model.frames_of(body))}",
            )
        s = self.tables.vector(self.tables.frames[key].point)
        r, A, dr, w, ddr, dw = self._body(body)
        arm = turned(A, s)
        return r + arm, dr + cross(w, arm), ddr + cross(dw, arm) + cross(w, cross(w, arm))

    def body_motion(self, body: str) -> BodyMotion:
        """Return r, A, ṙ, ω, r̈, ω̇ of a body over time, ground axes."""
        return self._body(body)

    def _point(self, path: Path) -> Floats:
        return np.asarray(self.frame(path.owner, path.item)[path.order][:, path.axis])

    def _angle(self, path: Path) -> Floats:
        if path.owner == "ground":
            return np.zeros(len(self.t))
        k = self.tables.layout.angle_of(self.tables.bodies.index(path.owner))
        return np.asarray((self.q, self.v, self.a)[path.order][:, k])  # type: ignore[index]

    def _omega(self, path: Path) -> Floats:
        if path.owner in self.model.joints:
            first, second = self.tables.ends[path.owner]
            names = [self.tables.bodies[end.body] for end in (first, second)]
            one, two = self._body(names[0]), self._body(names[1])
            C = times(one.axes, self.tables.matrix(first.axes))
            if path.order == 1:
                return turned_back(C, two.spin - one.spin)[:, path.axis]
            relative = two.spin_rate - one.spin_rate - cross(one.spin, two.spin)
            return turned_back(C, relative)[:, path.axis]
        motion = self._body(path.owner)
        return np.asarray((motion.spin if path.order == 1 else motion.spin_rate)[:, path.axis])

    def _rotation(self, path: Path) -> Floats:
        """Return the unit quaternion of a body, or of a joint's second frame relative to its first."""
        from multibody.state.poses import quaternion_of

        if path.owner in self.model.joints:
            first, second = self.tables.ends[path.owner]
            A = times(self._body(self.tables.bodies[first.body]).axes, self.tables.matrix(first.axes))
            B = times(self._body(self.tables.bodies[second.body]).axes, self.tables.matrix(second.axes))
            return np.array([quaternion_of(relative) for relative in across(A, B)])
        return self.q[:, self.tables.layout.orientation(self.tables.bodies.index(path.owner))]

    def coordinate(self, function: int) -> tuple[Floats, Floats, Floats]:
        """Return value, rate and acceleration of a coordinate function over time."""
        if function not in self._coordinates:
            self._evaluate([function])
        return self._coordinates[function]

    def _evaluate(self, functions: list[int]) -> None:
        """Evaluate several coordinate functions in one compiled loop."""
        system, n = System(self.tables), len(self.t)
        out = np.zeros((3, n, len(functions)))
        every = np.ascontiguousarray(self.references) if self.references.ndim == 2 else np.zeros((n, 0))
        first = np.zeros(len(system.ref)) if self.references.ndim == 2 else self.references.copy()
        a = np.zeros_like(self.v) if self.a is None else self.a
        system.ref[:] = first
        measure_functions(
            *system.run, np.ascontiguousarray(self.q), np.ascontiguousarray(self.v),
            np.ascontiguousarray(a), every, np.array(functions, dtype=np.int64), *out,
        )  # fmt: skip
        for k, function in enumerate(functions):
            self._coordinates[function] = (out[0, :, k], out[1, :, k], out[2, :, k])

    def _joint(self, path: Path) -> Floats:
        return self.coordinate(self.tables.coordinates["joint", path.owner, path.item, 0])[path.order]

    def _spring(self, path: Path) -> Floats:
        ends = [self.frame(*self.model.find_end(end, "")) for end in self.model.forces[path.owner].target]
        d, dd, ddd = (b - a for a, b in zip(*ends, strict=True))
        length = np.linalg.norm(d, axis=1)
        if path.order == 0:
            return np.asarray(length)
        reach = np.max(np.abs([ends[0][0], ends[1][0]]), axis=(0, 2))
        apart = length > APART * self.tables.length + ROUNDING * reach  # else the line has no direction, the length no rate
        whole = np.where(apart, length, 1.0)
        rate = np.where(apart, dot(d, dd) / whole, 0.0)
        if path.order == 1:
            return np.asarray(rate)
        curved = (dot(dd, dd) + dot(d, ddd) - rate**2) / whole
        return np.asarray(np.where(apart, curved, 0.0))

    def _output(self, path: Path) -> Floats:
        if path.owner in self._outputs:
            raise ModelError("it depends on itself", where=f"outputs.{path.owner}", hint="break the circle")
        if len(self._outputs) >= MOST_LEVELS:
            problem, hint = f"outputs build on each other more than {MOST_LEVELS} deep", "write some of them out"
            raise ModelError(problem, where=f"outputs.{path.owner}", hint=hint)
        key = (path.owner, path.order)
        if key not in self._known:  # a chain in which each uses the one before it twice would be evaluated 2ⁿ times
            self._outputs.append(path.owner)
            try:
                self._known[key] = self._derivative(self.model.outputs[path.owner], path.order)
            finally:
                self._outputs.pop()
        return self._known[key].copy()

    def _expression(self, text: str) -> Measure:
        """Return an expression of paths, a number or a vector at every instant."""
        from multibody.tables.scope import Scope

        formula = self.model.formula(text, text)
        reduced = Scope(self.model).reduced(formula, text)
        parts = [self._derivative(part, 0) for part in (reduced if isinstance(reduced, tuple) else (reduced,))]
        found, plain = self.dimension(formula)
        unit = "" if plain else unit_name(found, self.model.units)
        return Measure(np.stack(parts, axis=-1) if isinstance(reduced, tuple) else parts[0], unit, {"path": text})

    def readable(self, output: str) -> bool:
        """Return whether an output can be read here: what it names of forces or accelerations is known."""
        if self.dynamics is not None and self.a is not None:
            return True
        used = list(paths_of(self.model, self.model.outputs[output]))
        forces = self.dynamics is None and any(path.kind in RESULT_KINDS for path in used)
        return not forces and not (self.a is None and any(path.order == 2 for path in used))

    def _derivative(self, formula: Any, order: int) -> Floats:
        """Return the values of a formula; its rate and acceleration by the chain rule."""
        if isinstance(formula, Expression):
            from multibody.tables.scope import Scope

            formula = Scope(self.model).formula(formula, str(formula))
        for _ in range(order):
            formula = time_derivative(formula, self.model)
        value = formula if isinstance(formula, float) else evaluate(formula, self.lookup, self.splines())
        return np.broadcast_to(np.asarray(value, dtype=float), (len(self.t),)).copy()

    def values_of(self, formula: Any) -> Floats:
        """Return the values of a formula of paths over time."""
        return self._derivative(formula, 0)

    def splines(self) -> dict[str, Callable[..., Any]]:
        """Return the model's tables as functions."""
        return {name: table_function(table) for name, table in self.model.tables.items()}

    def lookup(self, parts: tuple[str, ...]) -> Any:
        """Return the values of a name inside an expression."""
        if parts in CONSTANTS:
            return CONSTANTS[parts]
        text = ".".join(parts)
        values = self._by_path(self.model.resolve(parts, text, results=True)).values
        if values.ndim > 1:
            raise ModelError(f'"{text}" is a vector', hint=f"an expression takes numbers: write {text}.x")
        return values


def time_derivative(formula: Any, model: Any) -> Any:
    """Return the time derivative of a formula of paths: Σ ∂/∂path · path.rate + ∂/∂t."""
    from multibody.model.expressions import differentiate, fold, name

    total: Any = differentiate(formula, ("t",))
    for parts in names(formula):
        if parts in (("t",), ("pi",), ("deg",), ("rpm",)) or parts[0] in model.parameters:
            continue
        higher = (*parts[:-1], "acceleration") if parts[-1] == "rate" else (*parts, "rate")
        total = total + differentiate(formula, parts) * name(*higher)
    return fold(total)


def cross(a: Floats, b: Floats) -> Floats:
    """Return a×b over time; in the plane a is a number an instant (about z) and b a vector."""
    if a.ndim == 1:
        return np.stack([-a * b[:, 1], a * b[:, 0]], -1)
    return np.cross(a, b)
