"""Equations in the coordinates of all bodies: q, v, Φ, Φ_q, ν, γ, M, Q as expressions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy

from multibody.symbolic.bodies import ZERO, Functions, Pose, ground, planar_pose, spatial_pose
from multibody.symbolic.constraints import row
from multibody.symbolic.forces import Forces, mass_blocks
from multibody.symbolic.formulas import symbolic
from multibody.symbolic.names import Names, latex_name
from multibody.tables.build import Builder
from multibody.tables.lower import Tables


@dataclass
class Parameters:
    """Symbols of time and parameters: those that are free, with their values, and those that follow from others."""

    t: Any
    free: dict[Any, float]
    derived: list[tuple[Any, Any]]
    by_path: dict[tuple[str, ...], Any]


def parameters(builder: Builder, names: Names) -> Parameters:
    """Return time and all parameters as symbols, each formula of parameters with symbols of earlier ones."""
    time = builder.model.units.names["time"]
    t = names.new("t", "t", time, "time", code="t")
    names.known[t] = names.known[t].__class__(t, "t", "t", time, "time")
    made = Parameters(t, {}, [], {("t",): t})
    for path, formula in builder.scope.formulas.items():
        given = builder.model.parameters[path[0]]
        latex = latex_name(path[0]) if len(path) == 1 else latex_name("_".join(path))
        symbol = names.new("_".join(path), latex, given.unit or "", given.doc or "")
        if isinstance(formula, float):
            made.free[symbol] = builder.scope.values[path]
        else:
            made.derived.append((symbol, symbolic(formula, made.by_path)))
        made.by_path[path] = symbol
    return made


@dataclass
class BodyEquations:
    """Symbols and matrices over the coordinates of all bodies; rows of Φ are joints, then motions."""

    q: list[Any]
    v: list[Any]
    Phi: Any
    Phi_q: Any
    nu: Any
    gamma: Any
    M: Any
    Q: Any


def body_symbols(builder: Builder, names: Names) -> tuple[list[Pose], list[Any], list[Any], list[tuple[Any, Any]]]:
    """Return poses of all bodies, the ground first, q, v, and coordinate and rate of every extra coordinate."""
    units, d = builder.model.units.names, builder.dimension
    length, speed, turning = units["length"], f"{units['length']}/{units['time']}", f"rad/{units['time']}"
    poses, q, v = [ground(d)], list[Any](), list[Any]()
    for body in builder.model.bodies:
        where = f"center of mass of {body}"
        r = [names.of(axis, body, length, where) for axis in "xyz"[:d]]
        if d == 2:
            turn = [names.of("theta", body, "rad", f"angle of {body}")]
        else:
            turn = [names.of(f"e{k}", body, "", f"Euler parameter of {body}") for k in range(4)]
        rates = [names.of(axis, body, speed, f"its velocity, of {body}", dot=True) for axis in "xyz"[:d]]
        if d == 2:
            spin = [names.of("theta", body, turning, f"angular velocity of {body}", dot=True)]
        else:
            about = f"angular velocity of {body}, its axes"
            spin = [names.of(f"omega{axis}", body, turning, about, prime=True) for axis in "xyz"]
        q, v = [*q, *r, *turn], [*v, *rates, *spin]
        poses.append(planar_pose(r[0], r[1], turn[0], [*rates, *spin]) if d == 2 else spatial_pose(r, turn, [*rates, *spin]))
    extras = []
    for joint in builder.extras:
        own = names.of("phi", joint, "rad", f"contact angle of {joint}")
        extras.append((own, names.of("phi", joint, turning, f"its rate, of {joint}", dot=True)))
    return poses, q + [x for x, _ in extras], v + [x for _, x in extras], extras


def mass_matrix(functions: Functions, size: int) -> Any:
    """Return M, with zeros for what is not stated and for extra coordinates."""
    M, layout = sympy.zeros(size, size), functions.layout
    for b, (m, J) in enumerate(mass_blocks(functions), 1):
        for k in range(functions.dimension):
            M[layout.first_rate(b) + k, layout.first_rate(b) + k] = m
        M[layout.spin(b), layout.spin(b)] = sympy.Matrix([[J]]) if functions.dimension == 2 else J
    return M


def body_equations(builder: Builder, tables: Tables, names: Names, given: Parameters) -> BodyEquations:
    """Return the equations in the coordinates of all bodies."""
    poses, q, v, extras = body_symbols(builder, names)
    functions = Functions(builder, given.by_path, poses, extras)
    rows = [row(record, functions) for record in builder.rows[: builder.count_joint + builder.count_motion]]
    Phi_q = sympy.zeros(len(rows), len(v))
    for r, own in enumerate(rows):
        for column, g in own.entries.items():
            Phi_q[r, column] = g
    forces, Q = Forces(functions, tables.length), [ZERO] * len(v)
    forces.weights(Q)
    forces.gyroscopic(Q)
    forces.actions(Q)
    columns = [sympy.Matrix(len(rows), 1, [getattr(own, key) for own in rows]) for key in ("value", "nu", "gamma")]
    return BodyEquations(q, v, columns[0], Phi_q, columns[1], columns[2], mass_matrix(functions, len(v)), sympy.Matrix(Q))
