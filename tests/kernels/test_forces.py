"""Generalized forces of every kind: closed forms, energy, power, action and reaction, in general position."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernels import differences
from kernels.differences import Floats, relative_error
from kernels.force_cases import CASES, INERTIA, MASSES, STOPS, Bench, ForceCase, bench, bench_of, stop_bench, weighted
from kernels.mechanisms import BODIES, World
from multibody.kernels import codes as L
from multibody.model.expressions import Expression
from multibody.model.forces import KINDS
from multibody.model.model import Model
from multibody.state.system import System, tables_of


def name_of(case: ForceCase) -> str:
    """Return the id of a case."""
    return f"{case.name}-{case.dimension}d"


every_case = pytest.mark.parametrize("case", CASES, ids=name_of)
dimensions = pytest.mark.parametrize("dimension", [2, 3])
every_stop = pytest.mark.parametrize("name", STOPS)


def at_rest(b: Bench, q: Floats | None = None) -> Floats:
    """Return Q without velocities."""
    return b.forces(q, np.zeros_like(b.v))[0]


def slope(b: Bench) -> Floats:
    """Return the derivative of the potential energy along the velocity columns."""
    return differences.along_columns(b.system, b.q, lambda q: np.array(b.potential(q)))


def found(name: str, dimension: int) -> Bench:
    """Return a case by its name."""
    return bench(next(case for case in CASES if case.name == name and case.dimension == dimension))


def test_every_kind_is_tried() -> None:
    tried = {(force.kind.name, case.dimension) for case in CASES for force in case.world().model.forces.values()}
    assert tried | {("stop", 2), ("stop", 3)} == {(kind, d) for kind in KINDS for d in (2, 3)}


@pytest.mark.parametrize("case", [case for case in CASES if case.conservative], ids=name_of)
def test_conservative_forces_are_slopes_of_the_potential(case: ForceCase) -> None:
    b = bench(case)
    assert relative_error(at_rest(b), -slope(b)) < 1e-10
    assert bool(np.any(at_rest(b))) == (case.name != "none")


@every_case
def test_power_is_what_the_forces_do_beyond_the_potential(case: ForceCase) -> None:
    b = bench(case)
    Q, power = b.forces()
    stored = differences.derivative(lambda s: np.array(b.potential(b.system.displaced(b.q, b.v, s))))
    assert power == pytest.approx(float(Q @ b.v + stored), rel=1e-10, abs=1e-10)
    if case.conservative:
        assert power == 0.0


@every_case
def test_internal_forces_cancel(case: ForceCase) -> None:
    b = bench(case)
    Q = b.forces()[0] - found("none", case.dimension).forces(b.q, b.v)[0]  # without the gyroscopic moments
    force, moment = b.resultant(Q)
    size = float(np.max(np.abs(Q), initial=1.0))
    if case.internal:
        assert np.max(np.abs(Q)) > 1e-3
        assert np.max(np.abs(force)) < 1e-13 * size
        assert np.max(np.abs(moment)) < 1e-12 * size
    elif "contact" not in case.name and case.name != "none":
        assert np.max(np.abs(force)) + np.max(np.abs(moment)) > 1e-3


@dimensions
def test_weights_and_gyroscopic_moments(dimension: int) -> None:
    b = found("gravity", dimension)
    stated: Any = b.world.model.gravity
    gravity = np.array([*stated, 0.0][:3])
    wrenches = {}
    for body in BODIES:
        r, A, _, w = b.pose(body)
        J = A @ np.array(INERTIA[body]) @ A.T
        gyroscopic = -np.cross(w, J @ w) if dimension == 3 else np.zeros(3)
        wrenches[body] = (r, MASSES[body] * gravity, gyroscopic)
    assert relative_error(b.forces()[0], b.generalized(wrenches)) < 1e-13
    assert b.potential() == pytest.approx(-sum(m * gravity @ b.pose(body)[0] for body, m in MASSES.items()), rel=1e-13)


@dimensions
def test_a_spring_pushes_its_ends_apart_along_their_line(dimension: int) -> None:
    b = found("damper", dimension)
    (p, _, dp, _), (q, _, dq, _) = b.end("b.P"), b.end("c.Q")
    length = np.linalg.norm(q - p)
    u = (q - p) / length
    rate = u @ (dq - dp)
    effort = 1.4 * (0.7 - length) - 0.7 * rate  # stiffness 2 base, free length base
    none = np.zeros(3)
    expected = b.generalized({"b": (p, -effort * u, none), "c": (q, effort * u, none)})
    assert b.efforts()[0] == pytest.approx(effort, rel=1e-13)
    assert relative_error(b.forces()[0] - found("none", dimension).forces(b.q, b.v)[0], expected) < 1e-13
    assert b.potential() == pytest.approx(0.7 * (length - 0.7) ** 2, rel=1e-13)


@dimensions
def test_a_constant_effort_on_a_hinge_is_a_moment_about_its_axis(dimension: int) -> None:
    b = found("effort-constant", dimension)
    q, _, _, _ = b.end("b.Q")
    Q = b.forces()[0] - found("none", dimension).forces(b.q, b.v)[0]
    assert b.efforts() == pytest.approx([1.9])
    if dimension == 2:
        axis = np.array([0.0, 0.0, 1.9])
        expected = b.generalized({"a": (q, np.zeros(3), -axis), "b": (q, np.zeros(3), axis)})
        assert relative_error(Q, expected) < 1e-13
    _, rate = b.coordinate()
    assert Q @ b.v == pytest.approx(1.9 * rate, rel=1e-12)
    assert b.system.tables.F[b.system.tables.laws[0].numbers] == 1.9


@dimensions
def test_an_expression_gives_the_effort_that_it_says(dimension: int) -> None:
    b = found("effort-point-law", dimension)
    y, rate = b.coordinate()
    assert b.efforts()[0] == pytest.approx(-(rate**3) + np.sin(b.t) * y, rel=1e-12)
    b = found("spring-law", dimension)
    length, rate = b.coordinate()
    angle = b.system.value(b.q, b.system.tables.coordinates["joint", "J", "angle", 0])
    effort = -3 * (length - 1) ** 3 - 0.5 * rate * angle + np.cos(b.t) * b.end("b.Q")[0][1] * rate
    assert b.efforts()[0] == pytest.approx(effort, rel=1e-12)


def test_angular_velocities_are_in_ground_axes() -> None:
    b = found("load-body-law", 3)
    wa, wb, wc = (b.pose(body)[3] for body in BODIES)
    omega = wb[0] - 0.4 * wa[1] + 0.2 * wb[2] * wc[1]
    A = b.pose("b")[1]
    assert (A.T @ b.wrenches()[0, 3:])[2] == pytest.approx(omega, rel=1e-12)


@dimensions
@pytest.mark.parametrize("axes", ["ground", "body"])
def test_a_load_acts_at_its_point(dimension: int, axes: str) -> None:
    b = found(f"load-{axes}", dimension)
    point, _, _, _ = b.end("b.P")
    A = b.pose("b")[1] if axes == "body" else np.eye(3)
    fields = b.world.model.forces["L"].fields
    force = A @ np.array([*fields["value"], 0.0][:3])
    moment = A @ np.array([0.0, 0.0, fields["moment"]] if dimension == 2 else fields["moment"])
    expected = b.generalized({"b": (point, force, moment)})
    assert relative_error(b.forces()[0] - found("none", dimension).forces(b.q, b.v)[0], expected) < 1e-13
    wrench = [*force[:2], moment[2]] if dimension == 2 else [*force, *moment]
    assert b.wrenches()[0] == pytest.approx(wrench, rel=1e-13)


@dimensions
def test_a_bushing_resists_along_the_axes_of_its_first_frame(dimension: int) -> None:
    b = found("bushing-ground", dimension)
    (p, first, _, _), (q, second, _, _) = b.end("ground.G"), b.end("c.P")
    k = np.array(b.world.model.forces["B"].fields["stiffness"])
    shift, R = first.T @ (q - p), first.T @ second
    angles = [np.arctan2(-R[1, 2], R[2, 2]), np.arctan2(R[0, 2], R[2, 2]), np.arctan2(R[1, 0], R[0, 0])]
    moved = np.array([*shift[:2], b.coordinate(2)[0]] if dimension == 2 else [*shift, *angles])
    assert b.efforts() == pytest.approx(-k * moved, rel=1e-12)
    assert np.cos(b.coordinate(dimension)[0]) == pytest.approx(np.cos(angles[2] if dimension == 2 else angles[0]))
    Q = b.forces()[0] - found("none", dimension).forces(b.q, b.v)[0]
    width = b.system.tables.width
    force = first[:dimension, :dimension] @ (-k * moved)[:dimension]
    assert Q[2 * width : 2 * width + dimension] == pytest.approx(force, rel=1e-12)


def test_a_bushing_twisted_a_little_turns_back_about_the_axis_of_the_twist() -> None:
    """For small angles the three rotations are the components of the rotation vector."""
    twist = 1e-5 * np.array([0.3, -0.7, 0.5])
    world = weighted(World(3, np.random.default_rng(5)))
    world.model.bushing("B", "ground", "c", stiffness=(1, 1, 1, 2.0, 2.0, 2.0))
    b = bench_of(world, np.random.default_rng(6))
    q = b.q.copy()
    q[17:21] = [1.0, *(twist / 2)]
    q[17:21] /= np.linalg.norm(q[17:21])
    b.system.take_references(q)
    moved = Bench(world, b.system, q, b.v, b.t)
    assert moved.efforts()[3:] == pytest.approx(-2.0 * twist, rel=1e-4)


@dimensions
@pytest.mark.parametrize("speed", [-3.0, -0.2, 0.0, 0.05, 1.0, 40.0])
def test_friction_against_the_motion(dimension: int, speed: float) -> None:
    b = found("friction-stribeck", dimension)
    rate = b.coordinate()[1]
    falling = 0.4 + 0.5 * np.exp(-((speed / 0.7) ** 2))
    expected = -3.0 * falling * np.tanh(speed / 0.07)
    assert b.efforts(b.v * speed / rate)[0] == pytest.approx(expected, rel=1e-12, abs=1e-15)
    assert b.forces(v=b.v * speed / rate)[1] <= 0.0


@dimensions
def test_friction_takes_the_size_of_its_load(dimension: int) -> None:
    world = weighted(World(dimension, np.random.default_rng(1)))
    world.model.friction("R", "J", load="-2 - J^2", coulomb=0.5, viscous=0.3, smooth=0.2)
    b = bench_of(world, np.random.default_rng(2))
    angle, rate = b.coordinate()
    assert b.efforts()[0] == pytest.approx(-0.5 * (2 + angle**2) * np.tanh(rate / 0.2) - 0.3 * rate, rel=1e-12)


def test_defaults_scale_with_the_model() -> None:
    world = weighted(World(2, np.random.default_rng(1)))
    world.model.friction("turning", "J", coulomb=1)
    world.model.friction("sliding", "K.x", coulomb=1)
    world.model.stop("angle", "J", upper=1, stiffness=1)
    world.model.stop("length", "K.x", lower=1, stiffness=1)
    tables = world.system().tables
    F, at, length = tables.F, [tables.law_of(name).numbers for name in tables.laws_of], tables.length
    assert length > 0.5
    assert [F[at[0] + 5], F[at[0] + 3]] == pytest.approx([0.01, 0.1])
    assert [F[at[1] + 5], F[at[1] + 3]] == pytest.approx([0.01 * length, 0.1 * length])
    assert [F[at[2] + 4], F[at[3] + 4]] == pytest.approx([0.001, 0.001 * length])
    assert F[at[0]] == 1.0  # without a load the coefficients are efforts


# --- stops -----------------------------------------------------------------------------------------------------------
def ramp(p: float, w: float) -> tuple[float, float]:
    """Return r(p) and the share of the damping."""
    if p >= w:
        return p - w / 2, 1.0
    return p**3 / w**2 - p**4 / (2 * w**3), 3 * (p / w) ** 2 - 2 * (p / w) ** 3


@every_stop
@dimensions
def test_a_stop_pushes_back_and_never_pulls(name: str, dimension: int) -> None:
    b = stop_bench(name, dimension, "J")
    depth, width, damping, upper = STOPS[name]
    _, rate = b.coordinate()
    inwards = rate if upper else -rate
    expected = 0.0
    if depth > 0.0:
        r, share = ramp(depth, width)
        expected = max(0.0, 2.2 * r + damping * share * inwards)
    assert b.efforts()[0] == pytest.approx(-expected if upper else expected, rel=1e-11)
    assert (expected == 0.0) == (name == "outside" or name.startswith("letting-go"))
    stored = differences.derivative(lambda s: np.array(b.potential(b.system.displaced(b.q, b.v, s))))
    Q, power = b.forces()
    assert power == pytest.approx(float(Q @ b.v + stored), rel=1e-9, abs=1e-9)
    assert power <= 1e-12


@pytest.mark.parametrize("name", ["shallow-lower", "deep-upper", "letting-go"])
@dimensions
def test_the_potential_of_a_stop(name: str, dimension: int) -> None:
    """Without damping its force has a potential; with damping it may let go before it is relaxed, and has none."""
    b = stop_bench(name, dimension, "J")
    assert np.max(np.abs(slope(b))) == 0.0 < np.max(np.abs(at_rest(b)))
    b.system.F[b.system.tables.laws[0].slot("damping")] = 0.0
    assert relative_error(at_rest(b), -slope(b)) < 1e-9


def test_a_stop_sets_in_smoothly() -> None:
    """Effort and its slope are continuous where the ramp begins and ends."""
    b = stop_bench("deep-upper", 2, "b.P.x")
    F, at = b.system.F, b.system.tables.laws[0].numbers
    value, rest = b.coordinate()[0], np.zeros_like(b.v)
    width = F[at + 4]

    def push(depth: float) -> float:
        F[at + 1] = value - depth
        return -float(b.efforts(rest)[0])

    h = 1e-6
    for edge in (0.0, width):
        left, right = (push(edge) - push(edge - h)) / h, (push(edge + h) - push(edge)) / h
        assert left == pytest.approx(right, abs=1e-4)
        assert push(edge + h) == pytest.approx(push(edge - h), abs=1e-5)
    assert push(width) == pytest.approx(2.2 * width / 2, rel=1e-9)


# --- special places --------------------------------------------------------------------------------------------------
@dimensions
def test_a_spring_without_length_has_no_direction_and_no_force(dimension: int) -> None:
    model = Model("m", dimension=dimension)
    model.body("a", mass=1, inertia=1 if dimension == 2 else (1, 1, 1))
    model.spring("S", "ground", "a", stiffness=5.0, length=0.3, damping=1.0)
    system = System(tables_of(model))
    q = np.zeros(system.nq)
    q[3:4] = 1.0  # the scalar part of a quaternion
    b = Bench(World(dimension, np.random.default_rng(0)), system, q, np.ones(system.nv), 0.0)
    Q, power = b.forces()
    assert not Q.any() and power == 0.0
    assert all(np.all(np.isfinite(matrix)) for matrix in b.partials())


@dimensions
def test_parameters_change_forces_without_a_new_lowering(dimension: int) -> None:
    world = weighted(World(dimension, np.random.default_rng(8)))
    world.model.parameter("k", 2.0)
    world.model.spring("S", "a.P", "b.Q", stiffness="k", length="k/4")
    world.model.force("L", "c.P", value=("k", "k*t", 0)[:dimension])
    b = bench_of(world, np.random.default_rng(9))
    tables = b.system.tables.with_parameters({"k": 6.0}, world.model)
    assert np.shares_memory(tables.packed.laws, b.system.tables.packed.laws)
    old, length = b.efforts()[0], b.coordinate()[0]
    assert old == pytest.approx(2.0 * (0.5 - length))
    b.system.model = tables.packed
    assert b.efforts()[0] == pytest.approx(6.0 * (1.5 - length))
    assert b.wrenches()[0, :2] == pytest.approx([6.0, 6.0 * b.t])


@dimensions
def test_a_matrix_bushing_against_its_page(dimension: int) -> None:
    """Force and moment on the second body at its frame, p − K e − C ė turned into a wrench by the angles' gradients."""
    b = found("bushing-matrix-damped", dimension)
    (p, first, dp, wi), (q, second, dq, wj) = b.end("b.Q"), b.end("a.P")
    fields, base = b.world.model.forces["B"].fields, 0.7
    K = np.array([[0.3 * base if isinstance(x, Expression) else x for x in row] for row in fields["stiffness"]])
    C, preload = np.array(fields["damping"]), np.array(fields["preload"])
    R, w = first.T @ second, first.T @ (wj - wi)
    shift, rate = first.T @ (q - p), first.T @ (dq - dp - np.cross(wi, q - p))
    x, y, z = np.eye(3)
    angles, T = [], []
    for a, c, axis in ((-y, z, R[:, 2]), (x, z, R[:, 2]), (y, x, R[:, 0])):
        s, k = a @ axis, c @ axis
        angles.append(np.arctan2(s, k))
        T.append((k * np.cross(axis, a) - s * np.cross(axis, c)) / (s * s + k * k))
    whole = b.system.value(b.q, int(b.system.model.wrench_elements[0].angles[2]))
    assert np.cos(whole) == pytest.approx(np.cos(angles[2]))
    if dimension == 2:
        efforts = preload - K @ [*shift[:2], whole] - C @ [*rate[:2], w[2]]
        wrench = efforts
    else:
        efforts = preload - K @ [*shift, *angles[:2], whole] - C @ [*rate, *(np.array(T) @ w)]
        wrench = np.array([*efforts[:3], *(np.array(T).T @ efforts[3:])])
    assert b.efforts() == pytest.approx(wrench, rel=1e-11)
    f, m = np.array([*wrench[:2], 0.0]), np.array([0.0, 0.0, wrench[-1]])
    if dimension == 3:
        f, m = wrench[:3], wrench[3:]
    f, m = first @ f, first @ m
    expected = b.generalized({"b": (q, -f, -m), "a": (q, f, m)})
    assert relative_error(b.forces()[0] - found("none", dimension).forces(b.q, b.v)[0], expected) < 1e-12


@dimensions
def test_a_kind_that_no_kernel_knows_has_no_number(dimension: int) -> None:
    """A code that was forgotten in a kernel is seen at once: it is not taken for another kind."""
    world = weighted(World(dimension, np.random.default_rng(3)))
    world.model.effort("E", "J", stiffness=1.0)
    world.model.bushing("B", "a.P", "b.Q", preload=np.ones(3 * (dimension - 1)))
    b = bench_of(world, np.random.default_rng(4))
    assert np.all(np.isfinite(b.efforts())) and np.isfinite(b.potential())
    b.system.model.laws.kind[:] = 99
    assert np.isnan(b.efforts()[0]) and np.isnan(b.potential())
    b.system.model.laws.kind[:] = L.LINEAR
    b.system.model.wrench_elements.kind[:] = 99
    assert np.all(np.isnan(b.efforts()[1:])) and np.isnan(b.potential())


def test_constants_need_no_program() -> None:
    b = found("damper", 3)
    law = b.system.model.laws[0]
    assert law.kind == L.LINEAR and law.program == -1
    assert b.system.tables.laws_of == {"S": [0]}
    b = found("bushing", 3)
    assert b.system.tables.laws_of == {"B": [0, 1, 2, 3, 4, 5]} and len(b.system.model.laws) == 6
