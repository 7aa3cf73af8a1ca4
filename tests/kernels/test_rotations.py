"""Quaternions, vectors and states: what the kernels do with poses and velocities, against SciPy and NumPy."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.spatial.transform import Rotation

from kernels.entrance import entrance
from kernels.mechanisms import CASES, random_state
from multibody.kernels import rotations
from multibody.kernels import vectors as vector_kernels
from multibody.kernels.body_layout import LAYOUTS
from multibody.kernels.state import set_positions, set_velocities

matrix_of_quaternion, turned_quaternion = entrance(rotations.matrix_of_quaternion), entrance(rotations.turned_quaternion)
vectors = SimpleNamespace(**{name: entrance(f) for name, f in vars(vector_kernels).items() if hasattr(f, "py_func")})

Floats = npt.NDArray[np.float64]


def quaternion(seed: int) -> Floats:
    """Return a random unit quaternion, scalar first."""
    p = np.random.default_rng(seed).normal(size=4)
    return np.asarray(p / np.linalg.norm(p))


def scipy_rotation(p: Floats) -> Rotation:
    """Return SciPy's rotation of a quaternion with the scalar first."""
    return Rotation.from_quat([p[1], p[2], p[3], p[0]])


def turned(p: Floats, d: Floats) -> Floats:
    """Return p ∘ exp(½ d)."""
    return np.array(turned_quaternion(p[0], p[1], p[2], p[3], d[0], d[1], d[2]))


def distance(p: Floats, r: Floats) -> float:
    """Return how far two unit quaternions are apart; p and −p are the same rotation."""
    return float(min(np.max(np.abs(p - r)), np.max(np.abs(p + r))))


@pytest.mark.parametrize("seed", range(10))
def test_matrix_of_a_quaternion(seed: int) -> None:
    p = quaternion(seed)
    A = np.array(matrix_of_quaternion(*p)).reshape(3, 3)
    np.testing.assert_allclose(A, scipy_rotation(p).as_matrix(), atol=4e-16)
    np.testing.assert_allclose(A @ A.T, np.eye(3), atol=1e-15)
    np.testing.assert_array_equal(A, np.array(matrix_of_quaternion(*-p)).reshape(3, 3))


def test_a_right_handed_turn_about_z() -> None:
    A = np.array(matrix_of_quaternion(np.cos(0.25), 0.0, 0.0, np.sin(0.25))).reshape(3, 3)
    np.testing.assert_allclose(A @ [1.0, 0.0, 0.0], [np.cos(0.5), np.sin(0.5), 0.0], atol=1e-16)


@pytest.mark.parametrize("size", [3.0, 1.0, 0.1, 1e-3, 1e-6, 2e-8, 0.99e-8, 1e-9, 1e-12, 0.0, 7.0])
def test_a_turn_in_body_axes_multiplies_from_the_right(size: float) -> None:
    rng = np.random.default_rng(5)
    for seed in range(5):
        p, d = quaternion(seed), rng.normal(size=3)
        d *= size / np.linalg.norm(d)
        x, y, z, w = (scipy_rotation(p) * Rotation.from_rotvec(d)).as_quat()
        found = turned(p, d)
        assert distance(found, np.array([w, x, y, z])) < 1e-15
        assert np.linalg.norm(found) == pytest.approx(1.0, abs=3e-16)


def test_a_turn_keeps_the_sign_of_a_quaternion() -> None:
    """Small turns give near quaternions, not their negatives: integrators rely on continuity."""
    p = quaternion(3)
    found = turned(p, np.array([0.01, -0.02, 0.03]))
    assert np.max(np.abs(found - p)) < 0.02


def test_a_turn_normalizes() -> None:
    p, d = quaternion(4), np.array([0.3, 0.2, 0.1])
    np.testing.assert_allclose(turned(1.001 * p, d), turned(p, d), atol=1e-15)


def test_turns_about_one_axis_add() -> None:
    p, d = quaternion(6), np.array([0.3, -0.5, 0.2])
    np.testing.assert_allclose(turned(turned(p, d), 1.7 * d), turned(p, 2.7 * d), atol=1e-15)


def test_vectors_and_matrices() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=3), rng.normal(size=3)
    A, B = rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
    ta, tb, tA, tB = tuple(a), tuple(b), tuple(A.ravel()), tuple(B.ravel())

    def matrix(entries: tuple[float, ...]) -> Floats:
        return np.array(entries).reshape(3, 3)

    def same(found: Any, expected: Any) -> None:
        np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-15)

    same(vectors.dot(ta, tb), a @ b)
    same(vectors.cross(ta, tb), np.cross(a, b))
    same(vectors.add(ta, tb), a + b)
    same(vectors.subtract(ta, tb), a - b)
    same(vectors.scale(1.7, ta), 1.7 * a)
    same(vectors.apply(tA, ta), A @ a)
    same(vectors.apply_transposed(tA, ta), A.T @ a)
    same(matrix(vectors.multiply(tA, tB)), A @ B)
    same(matrix(vectors.transpose(tA)), A.T)
    same(matrix(vectors.tilde(ta)) @ b, np.cross(a, b))
    product = matrix(vectors.tilde(ta)) @ matrix(vectors.tilde(tb))
    same(matrix(vectors.tilde_tilde(ta, tb)), product)


def test_adding_a_block() -> None:
    W = np.arange(40.0)
    B = np.random.default_rng(1).normal(size=(3, 3))
    expected = W.copy()
    expected[5:35].reshape(5, 6)[1:4, 2:5] += 0.5 * B
    vectors.add_block(W, 5, 6, 1, 2, 0.5, tuple(B.ravel()))
    np.testing.assert_allclose(W, expected, atol=1e-15)


# --- states ----------------------------------------------------------------------------------------------------------

STATES = ["cam-2d-roller-moving", "cam-3d-roller-moving"]


@pytest.mark.parametrize("name", STATES)
def test_poses_and_velocities_are_unpacked(name: str) -> None:
    case = next(case for case in CASES if case.name == name)
    system = case.world().system()
    x = random_state(system, case.rng("unpacked"))
    work, d = system.scratch, case.dimension
    set_positions(system.at.model, system.at.scratch, x.q)
    set_velocities(system.at.model, system.at.scratch, x.v)
    poses, twists = (work.planar_pose, work.planar_twist) if d == 2 else (work.spatial_pose, work.spatial_twist)
    pose, twist = (np.asarray(each).view(float).reshape(4, -1) for each in (poses, twists))
    np.testing.assert_array_equal(twist[0], 0.0)
    np.testing.assert_array_equal(pose[0], [0, 0, 0, 1, 0] if d == 2 else [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1])
    for b in range(3):
        q, v = (x.q[3 * b :], x.v[3 * b :]) if d == 2 else (x.q[7 * b :], x.v[6 * b :])
        if d == 2:
            np.testing.assert_allclose(pose[b + 1], [*q[:3], np.cos(q[2]), np.sin(q[2])], atol=1e-15)
            np.testing.assert_array_equal(twist[b + 1], v[:3])
        else:
            A = scipy_rotation(q[3:7]).as_matrix()
            np.testing.assert_allclose(pose[b + 1], [*q[:3], *A.ravel()], atol=1e-15)
            np.testing.assert_allclose(twist[b + 1], [*v[:3], *(A @ v[3:6])], atol=1e-14)  # ω in ground axes
    assert work.extra[0] == x.q[-1]
    np.testing.assert_array_equal(work.velocity, [0.0] * LAYOUTS[d].velocities + list(x.v))


@pytest.mark.parametrize("name", STATES)
def test_displacements(name: str) -> None:
    """Positions and extra coordinates add, orientations turn about body axes; the given q stays as it is."""
    case = next(case for case in CASES if case.name == name)
    system = case.world().system()
    x = random_state(system, case.rng("displaced"))
    before = x.q.copy()
    moved = system.displaced(x.q, x.v, 0.7)
    np.testing.assert_array_equal(x.q, before)
    if case.dimension == 2:
        np.testing.assert_allclose(moved, x.q + 0.7 * x.v, atol=1e-15)
        return
    for b in range(3):
        old, new, d = x.q[7 * b : 7 * b + 7], moved[7 * b : 7 * b + 7], 0.7 * x.v[6 * b : 6 * b + 6]
        np.testing.assert_allclose(new[:3], old[:3] + d[:3], atol=1e-15)
        r = scipy_rotation(old[3:]) * Rotation.from_rotvec(d[3:])
        np.testing.assert_allclose(scipy_rotation(new[3:]).as_matrix(), r.as_matrix(), atol=1e-14)
    assert moved[-1] == pytest.approx(x.q[-1] + 0.7 * x.v[-1], abs=1e-15)
