"""Pinocchio's constrained forward dynamics (proximal, with Baumgarte's feedback) under RK4 written in Python.

Pinocchio has no integrator of its own, so its times hold a loop in Python. A setting is the number of steps.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from problems import LADDER, Task, ladder_energy, main


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


if __name__ == "__main__":
    main({"n-four-bar": ladder})
