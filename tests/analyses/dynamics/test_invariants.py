"""What mechanics keeps: energy, momentum, the balance of work, time reversal, formed from positions and velocities alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import simpson
from scipy.spatial.transform import Rotation

import multibody as mb
from analyses.dynamics.checks import FORMULATIONS, Floats

J1 = ((0.5, 0.02, 0.03), (0.02, 0.6, -0.04), (0.03, -0.04, 0.7))
J2 = ((0.2, -0.01, 0.02), (-0.01, 0.3, 0.03), (0.02, 0.03, 0.25))
MASSES = {"b1": (1.5, J1), "b2": (0.8, J2)}


def floating(gravity: tuple[float, float, float] | None = None, damping: float = 0.0) -> mb.Model:
    """Return two free bodies joined by a ball joint and an excentric spring, spinning."""
    m = mb.Model("floating", gravity=gravity)
    m.body("b1", mass=1.5, inertia=J1, com=(0.2, -0.1, 0.3), frames={"P": (0.6, 0.3, 0.1)})
    m.body("b2", mass=0.8, inertia=J2, com=(1.1, 0.2, -0.1), frames={"Q": (1.3, -0.4, 0.6)})
    m.spherical("ball", "b1", "b2", at=(0.7, 0.1, 0.2))
    m.spring("spring", "b1.P", "b2.Q", stiffness=40.0, length=0.6, damping=damping)
    m.initial({"b1.x.rate": 0.3, "b1.y.rate": -0.2, "b1.z.rate": 0.1, "b1.omega.x": 1.0, "b1.omega.y": -2.0,
               "b1.omega.z": 0.5, "b2.omega.x": -1.5, "b2.omega.y": 0.4, "b2.omega.z": 2.0})  # fmt: skip
    return m


def momenta(run: mb.Run) -> tuple[Floats, Floats, Floats, Floats]:
    """Return momentum, angular momentum about the origin, kinetic energy and center of mass of b1 and b2 over time."""
    n = len(run.time)
    P, H, T, C = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros(n), np.zeros((n, 3))
    for k, (mass, inertia) in enumerate(MASSES.values()):
        q, v = run.motion.q[:, 7 * k : 7 * k + 7], run.motion.v[:, 6 * k : 6 * k + 6]
        A = Rotation.from_quat(q[:, [4, 5, 6, 3]]).as_matrix()
        spin = np.einsum("tij,jk,tk->ti", A, np.array(inertia), v[:, 3:])
        P += mass * v[:, :3]
        H += np.cross(q[:, :3], mass * v[:, :3]) + spin
        T += 0.5 * mass * np.sum(v[:, :3] ** 2, 1) + 0.5 * np.einsum("ti,ij,tj->t", v[:, 3:], np.array(inertia), v[:, 3:])
        C += mass * q[:, :3] / 2.3
    return P, H, T, C


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_momentum_and_energy_of_two_floating_bodies(formulation: str) -> None:
    run = floating().run(until=3, formulation=formulation, rtol=1e-10, atol=1e-12)
    P, H, T, _ = momenta(run)
    assert np.max(np.abs(P - P[0])) < 1e-9 * np.linalg.norm(P[0])
    assert np.max(np.abs(H - H[0])) < 1e-8 * np.linalg.norm(H[0])
    stretched = np.linalg.norm(run.point("b2.Q").position.values - run.point("b1.P").position.values, axis=1) - 0.6
    E = T + 20.0 * stretched**2
    assert np.max(np.abs(E - E[0])) < 1e-8 * E[0]
    assert np.ptp(T) > 0.1 * E[0]  # it goes to and fro
    assert run["momentum"].values == pytest.approx(P, abs=1e-10)
    assert run["angular_momentum"].values == pytest.approx(H, abs=1e-10)
    assert run["energy.total"].values - run["energy.total"].values[0] == pytest.approx(E - E[0], abs=1e-9)


def test_damping_inside_keeps_momentum() -> None:
    run = floating(damping=3.0).run(until=3, rtol=1e-10, atol=1e-12)
    P, H, _, _ = momenta(run)
    assert np.max(np.abs(P - P[0])) < 1e-9
    assert np.max(np.abs(H - H[0])) < 1e-8
    assert run["energy.total"].values[-1] < run["energy.total"].values[0] - 0.1
    assert run.certificate["energy_drift"] < 1e-9


def test_the_center_of_mass_falls_as_a_stone() -> None:
    g = np.array([0.5, -1.0, -9.81])
    run = floating(gravity=tuple(g)).run(until=2, rtol=1e-10, atol=1e-12)
    P, H, _, C = momenta(run)
    t = run.time[:, None]
    assert np.max(np.abs(P - (P[0] + 2.3 * g * t))) < 1e-8
    assert np.max(np.abs(C - (C[0] + P[0] / 2.3 * t + 0.5 * g * t**2))) < 1e-8
    turned = H[0] + 2.3 * np.cross(C[0] * t + P[0] / 2.3 * t**2 / 2 + g * t**3 / 6, g)
    assert turned == pytest.approx(H, abs=1e-7)


def test_momentum_in_the_plane() -> None:
    m = mb.Model("skaters", dimension=2)
    m.body("a", mass=2.0, inertia=0.3, com=(0.2, 0.1), frames={"P": (0.4, 0.5)})
    m.body("b", mass=1.0, inertia=0.1, com=(0.9, -0.2), frames={"Q": (1.2, 0.4)})
    m.revolute("hands", "a", "b", at=(0.6, 0.1))
    m.spring("spring", "a.P", "b.Q", stiffness=30, length=0.5)
    m.initial({"a.x.rate": 0.5, "a.y.rate": 0.2, "a.angle.rate": 3.0, "b.angle.rate": -1.0})
    run = m.run(until=3, rtol=1e-10, atol=1e-12)
    x, y, w, X, Y, W = run.motion.v.T
    momentum = np.stack([2 * x + X, 2 * y + Y])
    q = run.motion.q.T
    spin = 2 * (q[0] * y - q[1] * x) + 0.3 * w + (q[3] * Y - q[4] * X) + 0.1 * W
    assert np.ptp(momentum, axis=1) == pytest.approx([0, 0], abs=1e-9)
    assert np.ptp(spin) < 1e-8
    assert run["angular_momentum"].values == pytest.approx(spin, abs=1e-10)
    assert run.certificate["energy_drift"] < 1e-9


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize(("name", "until"), [("four-bar", 5.0), ("tilted-four-bar", 2.0), ("chain", 1.0), ("engine", 1.0)])
def test_energy_is_conserved(name: str, until: float, formulation: str) -> None:
    model = mb.load(name, g=9.81) if name == "engine" else mb.load(name)
    run = model.run(until=until, formulation=formulation, rtol=1e-10, atol=1e-12)
    assert run.ok
    assert run.certificate["energy_drift"] < 1e-8
    assert np.ptp(run["energy.kinetic"].values) > 1e-3 * np.max(run["energy.kinetic"].values)


# --- work -------------------------------------------------------------------------------------------------------------


def machine(**parts: bool) -> mb.Model:
    """Return a slider-crank with, as wanted, a motor, a damper, friction, a load and a motion."""
    m = mb.Model("machine", dimension=2, gravity=(0, -9.81))
    m.body("crank", mass=1.0, inertia=0.02, com=(0.05, 0.0), frames={"pin": (0.15, 0)})
    m.body("rod", mass=0.5, inertia=0.01, com=(0.2, 0.02), frames={"small": (0.4, 0)})
    m.body("slider", mass=0.8, inertia=0.001)
    m.revolute("O", "ground", "crank")
    m.revolute("A", "crank.pin", "rod")
    m.revolute("B", "rod.small", "slider")
    m.translational("S", "ground", "slider", axis=(1, 0))
    m.initial({"O": 0.3}, guess={"S": 0.55})
    if parts.get("motion"):
        m.body("ball", mass=0.3, inertia=0.001, com=(0.0, -0.2))
        m.revolute("hook", "slider", "ball")
        m.motion("O", "0.3 + 4*t + 0.5*sin(3*t)")
    else:
        m.initial({"O.rate": 6.0})
    if parts.get("motor"):
        m.effort("motor", "O", value="2 + sin(5*t) - 0.1*O.rate")
    if parts.get("damper"):
        m.effort("damper", "S", damping=4.0)
    if parts.get("friction"):
        m.friction("rub", "S", coulomb=0.3, load=5.0, viscous=0.2)
    if parts.get("load"):
        m.force("load", "rod.small", value=(-3.0, 1.0), moment=0.2, axes="body")
    return m


CASES = {
    "motor": "motor", "damper": "damper", "friction": "friction", "load": "load", "motion": "motion",
    "all": "motor damper friction load", "driven with all": "motion damper friction load",
}  # fmt: skip


def power_by_hand(run: mb.Run, parts: str) -> Floats:
    """Return the power of everything without a potential, from the paths of the run."""
    power = np.zeros(len(run.time))
    if "motor" in parts:
        power += (2 + np.sin(5 * run.time) - 0.1 * run["O.rate"].values) * run["O.rate"].values
    if "damper" in parts:
        power -= 4.0 * run["S.rate"].values ** 2
    if "friction" in parts:
        power += run["rub.effort"].values * run["S.rate"].values
    if "load" in parts:
        angle = run["rod.angle"].values
        force = np.stack([-3 * np.cos(angle) - np.sin(angle), -3 * np.sin(angle) + np.cos(angle)], 1)
        velocity = run.point("rod.small").velocity.values
        power += np.einsum("ti,ti->t", force, velocity) + 0.2 * run["rod.angle.rate"].values
    if "motion" in parts:
        power += run["O.effort"].values * run["O.rate"].values
    return power


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("name", CASES)
def test_work_is_the_change_of_energy(name: str, formulation: str) -> None:
    parts = CASES[name]
    model = machine(**dict.fromkeys(parts.split(), True))
    run = model.run(until=1.0, formulation=formulation, rtol=1e-10, atol=1e-12, output_step=0.0005)
    assert run.ok
    assert run.certificate["energy_drift"] < 1e-7
    E = run["energy.total"].values
    work = simpson(power_by_hand(run, parts), x=run.time)
    assert abs(work) > 0.05
    rough = 5e-6 if "friction" in parts else 1e-8  # of Simpson's rule, where friction turns round
    assert work == pytest.approx(E[-1] - E[0], rel=1e-8, abs=rough)
    assert float(run.motion.dynamics.work[-1]) == pytest.approx(work, rel=1e-8, abs=rough)


# --- time -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize(("name", "until"), [("four-bar", 4.0), ("tilted-four-bar", 1.5), ("floating", 1.5)])
def test_turning_all_velocities_round_leads_back(name: str, until: float, formulation: str) -> None:
    model = floating() if name == "floating" else mb.load(name)
    out = model.run(until=until, formulation=formulation, rtol=1e-11, atol=1e-12)
    there = out.final
    back = model.run(until=2 * until, initial=replace(there, v=-there.v), formulation=formulation, rtol=1e-11, atol=1e-12)
    assert back.ok
    assert back.final.q == pytest.approx(out.motion.q[0], abs=1e-7)
    assert -back.final.v == pytest.approx(out.motion.v[0], abs=1e-7)


@pytest.mark.parametrize("integrator", ["dop853", "adams"])
@pytest.mark.parametrize("name", ["four-bar", "spatial-four-bar"])
def test_running_backwards_in_time_leads_back(name: str, integrator: str) -> None:
    model = mb.load(name)
    out = model.run(until=1.0, integrator=integrator, rtol=1e-11, atol=1e-12)
    back = model.run(until=0.0, initial=out.final, integrator=integrator, rtol=1e-11, atol=1e-12)
    assert back.ok
    assert back.time[0] == 1.0 and back.time[-1] == 0.0
    assert back.final.q == pytest.approx(out.motion.q[0], abs=1e-8)
    assert back.final.v == pytest.approx(out.motion.v[0], abs=1e-8)
