"""Pinocchio's constrained forward dynamics (proximal, with Baumgarte's feedback) under RK4 written in Python.

Pinocchio has no integrator of its own, so its times hold a loop in Python. A setting is the number of steps, or a tolerance
below 1 for DOP853 of SciPy.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pinocchio as pin
from problems import ANDREWS, CHAIN, ENGINE, LADDER, Task, andrews_hinge, chain_link, ladder_energy, main
from scipy.integrate import solve_ivp


def bar(model: pin.Model, parent: int, at: tuple[float, float], middle: tuple[float, float], name: str) -> int:
    """Add a bar of one meter and one kilogram on a hinge; return its number."""
    place = pin.SE3(np.eye(3), np.array([*at, 0.0]))
    joint = model.addJoint(parent, pin.JointModelRZ(), place, name)
    inertia = pin.Inertia(1.0, np.array([*middle, 0.0]), np.eye(3) / 12)
    model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
    return joint


def closing(model: pin.Model, couplers: list[int], cranks: list[int], h: float) -> list[pin.RigidConstraintModel]:
    """Return the points that close the loops, with feedback of the time constant 2h."""
    loops = []
    for coupler, crank in zip(couplers, cranks[1:], strict=True):
        ends = [pin.SE3(np.eye(3), np.array(p)) for p in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))]
        loop = pin.RigidConstraintModel(
            pin.ContactType.CONTACT_3D, model, coupler, ends[0], crank, ends[1], pin.ReferenceFrame.LOCAL
        )
        loop.setBaumgarteCorrectorParameters(pin.BaumgarteCorrectorParameters((0.5 / h) ** 2, 1.0 / h))
        loops.append(loop)
    return loops


def ladder(setting: float, n: int) -> Task:
    """Return n four-bars side by side, started upright, which pass singular positions."""
    steps = round(setting)
    h = LADDER["until"] / steps
    model = pin.Model()
    model.gravity.linear = np.array([0.0, -LADDER["gravity"], 0.0])
    cranks, couplers = [], []
    for k in range(n + 1):
        cranks.append(bar(model, 0, (float(k), 0.0), (0.0, 0.5), f"crank{k}"))
        if k < n:
            couplers.append(bar(model, cranks[-1], (0.0, 1.0), (0.5, 0.0), f"coupler{k}"))
    loops = closing(model, couplers, cranks, h)
    models = pin.StdVec_RigidConstraintModel(loops)
    datas = pin.StdVec_RigidConstraintData([loop.createData() for loop in loops])
    data, other, settings = model.createData(), model.createData(), pin.ProximalSettings(1e-12, 1e-8, 10)
    pin.initConstraintDynamics(model, data, models, datas)
    nothing = np.zeros(model.nv)

    def acceleration(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.array(pin.constraintDynamics(model, data, q, v, nothing, models, datas, settings))

    def step(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        a1 = acceleration(q, v)
        v2 = v + 0.5 * h * a1
        a2 = acceleration(q + 0.5 * h * v, v2)
        v3 = v + 0.5 * h * a2
        a3 = acceleration(q + 0.5 * h * v2, v3)
        v4 = v + h * a3
        a4 = acceleration(q + h * v3, v4)
        return q + h / 6 * (v + 2 * v2 + 2 * v3 + v4), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)

    rate = LADDER["rate"]
    start = np.zeros(model.nv), np.array([rate, -rate] * n + [rate])

    def run() -> int:
        q, v = start
        for _ in range(steps):
            q, v = step(q, v)
        return steps

    def answer() -> dict[str, float]:
        (q, v), worst, first = start, 0.0, ladder_energy(n)
        for _ in range(steps):
            q, v = step(q, v)
            energy = pin.computeKineticEnergy(model, other, q, v) + pin.computePotentialEnergy(model, other, q)
            worst = max(worst, abs(energy - first))
        return {"energy_error": worst / first, "value": float(q[0] + 0.5 * np.pi)}

    return Task(run, answer)


Acceleration = Callable[[np.ndarray, np.ndarray], np.ndarray]


def integrated(
    acceleration: Acceleration, q0: np.ndarray, v0: np.ndarray, until: float, setting: float
) -> tuple[Callable[[], int], dict[str, np.ndarray]]:
    """Return the function that integrates once, and where it leaves the last positions."""
    n, out = len(q0), {}

    def classical() -> int:
        steps, q, v = round(setting), q0, v0
        h = until / steps
        for _ in range(steps):
            a1 = acceleration(q, v)
            v2 = v + 0.5 * h * a1
            a2 = acceleration(q + 0.5 * h * v, v2)
            v3 = v + 0.5 * h * a2
            a3 = acceleration(q + 0.5 * h * v2, v3)
            v4 = v + h * a3
            a4 = acceleration(q + h * v3, v4)
            q, v = q + h / 6 * (v + 2 * v2 + 2 * v3 + v4), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        out["q"] = q
        return steps

    def adaptive() -> int:
        def slope(_t: float, y: np.ndarray) -> np.ndarray:
            return np.concatenate([y[n:], acceleration(y[:n], y[n:])])

        done = solve_ivp(slope, (0.0, until), np.concatenate([q0, v0]), "DOP853", rtol=setting, atol=1e-2 * setting)
        out["q"] = done.y[:n, -1]
        return len(done.t) - 1

    return (adaptive if setting < 1 else classical), out


def looped(model: pin.Model, pairs: list[tuple], h: float, torque: Callable[[np.ndarray], np.ndarray]) -> Acceleration:
    """Return the accelerations of a tree whose points (joint, place, joint, place) are held together."""
    loops = []
    for first, p, second, q in pairs:
        ends = [pin.SE3(np.eye(3), np.array([*x, 0.0])) for x in (p, q)]
        loop = pin.RigidConstraintModel(
            pin.ContactType.CONTACT_3D, model, first, ends[0], second, ends[1], pin.ReferenceFrame.LOCAL
        )
        loop.setBaumgarteCorrectorParameters(pin.BaumgarteCorrectorParameters((0.5 / h) ** 2, 1.0 / h))
        loops.append(loop)
    models = pin.StdVec_RigidConstraintModel(loops)
    datas = pin.StdVec_RigidConstraintData([loop.createData() for loop in loops])
    data, settings = model.createData(), pin.ProximalSettings(1e-12, 1e-8, 10)
    pin.initConstraintDynamics(model, data, models, datas)
    return lambda q, v: np.array(pin.constraintDynamics(model, data, q, v, torque(q), models, datas, settings))


def attach(model: pin.Model, parent: int, at: tuple, kind: object, inertia: tuple, name: str) -> int:
    """Add a body (mass, center of mass, moment about z) on a joint; return its number."""
    joint = model.addJoint(parent, kind, pin.SE3(np.eye(3), np.array([*at, 0.0])), name)
    mass, center, J = inertia
    model.appendBodyToJoint(joint, pin.Inertia(mass, np.array([*center, 0.0]), J * np.eye(3)), pin.SE3.Identity())
    return joint


def andrews(setting: float, _n: int) -> Task:
    """Return Andrews' mechanism: K1 to K7 as a tree, K2 joined with K3, K4 and K6 in the point E."""
    p, model, joints = ANDREWS, pin.Model(), {0: 0}
    model.gravity.linear = np.zeros(3)
    order = [0, 1, 2, 4, 3, 6, 5]
    for k in order:
        inertia = (p["masses"][k], p["centers"][k], p["inertias"][k])
        joints[k + 1] = attach(model, joints[p["parents"][k]], andrews_hinge(k), pin.JointModelRZ(), inertia, f"K{k}")
    h = p["until"] / setting if setting >= 1 else 1.5e-5
    pairs = [(joints[2], p["E"][1], joints[k + 1], p["E"][k]) for k in (2, 3, 5)]
    place, base = np.array(p["D"]), np.array(p["B"]) - np.array(p["C"])
    torque = np.zeros(7)
    torque[0] = p["torque"]

    def torques(q: np.ndarray) -> np.ndarray:
        c, s = np.cos(q[2]), np.sin(q[2])
        arm = np.array([c * place[0] - s * place[1], s * place[0] + c * place[1]])
        x, y = base + arm
        length = np.hypot(x, y)
        torque[2] = -p["stiffness"] * (length - p["rest"]) / length * (arm[0] * y - arm[1] * x)
        return torque

    start = np.array([p["angles"][k] for k in order])
    run, out = integrated(looped(model, pairs, h, torques), start, np.zeros(7), p["until"], setting)
    return Task(run, lambda: {"value": float(out["q"][0])})


def engine(setting: float, n: int) -> Task:
    """Return n slider-cranks: crank and rod as a chain, the piston apart."""
    p, model, pairs = ENGINE, pin.Model(), []
    model.gravity.linear = np.zeros(3)
    r, rod = p["radius"], p["rod"]
    for k in range(n):
        crank = attach(model, 0, (0, 0), pin.JointModelRZ(), (p["masses"][0], (0, 0), p["inertias"][0]), f"crank{k}")
        bar = attach(model, crank, (r, 0), pin.JointModelRZ(), (p["masses"][1], (rod / 2, 0), p["inertias"][1]), f"rod{k}")
        piston = attach(model, 0, (r + rod, 0), pin.JointModelPX(), (p["masses"][2], (0, 0), 1e-4), f"piston{k}")
        pairs.append((bar, (rod, 0), piston, (0, 0)))
    nothing = np.zeros(model.nv)
    acceleration = looped(model, pairs, p["until"] / setting if setting >= 1 else 5e-4, lambda q: nothing)
    rates = np.array([p["rate"], -p["rate"] * (1.0 + r / rod), 0.0] * n)
    run, out = integrated(acceleration, np.zeros(model.nv), rates, p["until"], setting)
    return Task(run, lambda: {"value": float(out["q"][2]) + r + rod})


def chain(setting: float, n: int) -> Task:
    """Return a chain of n rods by the articulated-body algorithm."""
    length, mass, J = chain_link(n)
    model, joint = pin.Model(), 0
    model.gravity.linear = np.array([0.0, -CHAIN["gravity"], 0.0])
    for k in range(n):
        joint = attach(model, joint, (length if k else 0.0, 0), pin.JointModelRZ(), (mass, (length / 2, 0), J), f"link{k}")
    data, nothing = model.createData(), np.zeros(n)
    run, out = integrated(
        lambda q, v: np.array(pin.aba(model, data, q, v, nothing)), np.zeros(n), np.zeros(n), CHAIN["until"], setting
    )

    def answer() -> dict[str, float]:
        angles = np.cumsum(out["q"])
        return {"value": float(length * np.cos(angles).sum()), "other": float(length * np.sin(angles).sum())}

    return Task(run, answer)


if __name__ == "__main__":
    main({"n-four-bar": ladder, "andrews": andrews, "engine": engine, "chain": chain})
