"""Planar trees against the same trees built in space."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import multibody as mb

SEEDS = range(6)


def trees(seed: int) -> tuple[mb.Model, mb.Model]:
    """Return a random planar tree, and the same one in space: planar joints in place of planar freedom."""
    rng = np.random.default_rng(seed)
    gravity = rng.normal(size=2)
    flat = mb.Model("flat", dimension=2, gravity=gravity)
    deep = mb.Model("deep", gravity=(*gravity, 0.0))
    for k in range(7):
        parent = "ground" if k == 0 else f"b{int(rng.integers(max(0, k - 2), k))}"
        kind = str(rng.choice(["planar", "revolute"])) if k == 0 else str(rng.choice(["revolute", "translational", "fixed"]))
        mass, inertia, com, point = rng.uniform(0.5, 2), rng.uniform(0.3, 0.5), rng.normal(size=2), rng.normal(size=2)
        place, angle, tip = rng.normal(size=2), rng.uniform(-1, 1), rng.normal(size=2)
        direction = rng.normal(size=2)
        for m, z in ((flat, ()), (deep, (0.0,))):
            frames: dict[str, Any] = {"own": (*point, *z), "tip": (*tip, *z)}
            J = inertia if m is flat else (0.2, 0.3, inertia)
            m.body(f"b{k}", mass=mass, inertia=J, com=(*com, *z), frames=frames)
            half = (np.cos(0.5 * angle), 0.0, 0.0, np.sin(0.5 * angle))
            turned = {"at": (*place, *z), **({"angle": angle} if m is flat else {"quaternion": half})}
            body = m.bodies.get(parent)
            if body is None:
                m.frames(**{f"to{k}": turned})
            else:
                m.bodies[parent] = dataclasses.replace(body, frames={**body.frames, **_frame(m, k, turned)})
            ends = [f"{parent}.to{k}", f"b{k}.own"][:: 1 if k % 3 else -1 if kind != "planar" else 1]
            if kind == "translational":
                m.translational(f"j{k}", *ends, axis=(*direction, *z))
            else:
                m.joint("free" if kind == "planar" and m is flat else kind, f"j{k}", *ends)
    return flat, deep


def _frame(m: mb.Model, k: int, data: dict[str, Any]) -> dict[str, Any]:
    from multibody.model.geometry import read_frame

    return {f"to{k}": read_frame(data, m.dimension, "test")}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_planar_tree_is_a_spatial_one(seed: int) -> None:
    flat, deep = (m.robot() for m in trees(seed))
    assert flat.coordinates == deep.coordinates
    rng = np.random.default_rng(seed)
    q = rng.normal(size=(5, flat.nq))
    v, a = rng.normal(size=(2, 5, flat.nv))
    tau = deep.inverse_dynamics(q, v, a)
    scale = np.max(np.abs(tau))
    np.testing.assert_allclose(flat.inverse_dynamics(q, v, a), tau, atol=1e-13 * scale)
    np.testing.assert_allclose(flat.mass_matrix(q), deep.mass_matrix(q), atol=1e-12)
    np.testing.assert_allclose(flat.forward_dynamics(q, v, tau), a, atol=1e-11)
    planar = [0, 1, 5]
    for frame in ("b6.tip", "b3.com", "b0", "ground"):
        np.testing.assert_allclose(flat.frame_jacobian(frame, q), deep.frame_jacobian(frame, q)[:, planar], atol=1e-13)
        np.testing.assert_allclose(
            flat.frame_jacobian_rate(frame, q, v), deep.frame_jacobian_rate(frame, q, v)[:, planar], atol=1e-12
        )
        np.testing.assert_allclose(flat.frame_pose(frame, q)[1], deep.frame_pose(frame, q)[1][:, :2, :2], atol=1e-13)
    np.testing.assert_allclose(flat.reactions(q, v, a), deep.reactions(q, v, a)[..., planar], atol=1e-12 * scale)
    np.testing.assert_allclose(flat.momentum_matrix(q), deep.momentum_matrix(q)[:, planar], atol=1e-12)
    np.testing.assert_allclose(flat.momentum_bias(q, v), deep.momentum_bias(q, v)[:, planar], atol=1e-11)
    np.testing.assert_allclose(flat.center_of_mass(q), deep.center_of_mass(q)[:, :2], atol=1e-13)
    np.testing.assert_allclose(flat.kinetic_energy(q, v), deep.kinetic_energy(q, v), rtol=1e-12)
    np.testing.assert_allclose(flat.potential_energy(q), deep.potential_energy(q), rtol=1e-12)
    equations = flat.equations(q[0], v[0])
    np.testing.assert_allclose(equations.reactions(a[0]), flat.reactions(q[0], v[0], a[0]), atol=1e-12 * scale)


def test_turns_of_planar_bodies_come_back() -> None:
    m = mb.Model("turns", dimension=2)
    m.body("wheel", mass=1.0, inertia=0.1, at=(0, 0), angle=7.0)
    m.revolute("axle", m.ground, "wheel")
    robot = m.robot()
    start = m.assemble()
    assert robot.q0[0] == pytest.approx(start["axle"], abs=1e-12)
    state = robot.state(robot.q0 + 9.0, [0.0])
    assert state["wheel.angle"] == pytest.approx(start["wheel.angle"] + 9.0, abs=1e-12)
    assert state["axle"] == pytest.approx(start["axle"] + 9.0, abs=1e-12)
    assert robot.from_state(state)[0][0] == pytest.approx(start["axle"] + 9.0, abs=1e-12)
