"""MuJoCo with its RK4: loops closed by connect constraints as stiff as the step allows (solref = 2h, solimp 0.9999).

A setting is the number of steps. Constant loads act through xfrc_applied; one call in C makes all steps.
"""

from __future__ import annotations

import math

import mujoco
from problems import DOUBLE_PENDULUM, FOUR_BAR, Task, four_bar_angles, main

HINGE = '<joint type="hinge" axis="0 0 1"{extra}/>'
MASS = '<inertial pos="{at} 0 0" mass="{mass}" diaginertia="{J} {J} {J}"/>'
PAGE = """<mujoco>
<compiler angle="radian" inertiafromgeom="false"/>
<option timestep="{h!r}" integrator="RK4" gravity="0 0 0" solver="Newton" tolerance="1e-14" iterations="50">
  <flag contact="disable" refsafe="disable"/>
</option>
<worldbody>{bodies}</worldbody>
<equality>{loops}</equality>
</mujoco>"""


def stepping(page: str, steps: int, until: float, start: dict[str, object]) -> tuple[mujoco.MjModel, mujoco.MjData, object]:
    """Return model, data and the function that makes all steps from the start."""
    model = mujoco.MjModel.from_xml_string(page)
    data = mujoco.MjData(model)

    def run() -> int:
        mujoco.mj_resetData(model, data)
        data.qpos[:] = start["positions"]
        for body, wrench in start["loads"].items():
            data.xfrc_applied[body] = wrench
        mujoco.mj_step(model, data, nstep=steps)
        if abs(data.time - until) > 1e-6 * until:
            raise RuntimeError(f"MuJoCo began anew after a blow-up; its time is {data.time:g}")
        return steps

    return model, data, run


def link(name: str, at: float, mass: float, inertia: float, inner: str = "", extra: str = "") -> str:
    """Return a link of two meters on a hinge, its center of mass in the middle."""
    return (
        f'<body name="{name}" pos="{at} 0 0">' + HINGE.format(extra=extra) + MASS.format(at=1.0, mass=mass, J=inertia)
        + inner + "</body>"
    )  # fmt: skip


def double_pendulum(setting: float, _n: int) -> Task:
    """Return the double pendulum; the force at its end acts on a body welded there that weighs next to nothing."""
    p, steps = DOUBLE_PENDULUM, round(setting)
    tip = '<body name="tip" pos="2 0 0"><inertial pos="0 0 0" mass="1e-12" diaginertia="1e-14 1e-14 1e-14"/></body>'
    second = link("second", p["length"], p["masses"][1], p["inertias"][1], tip)
    page = PAGE.format(h=p["until"] / steps, bodies=link("first", 0.0, p["masses"][0], p["inertias"][0], second), loops="")
    first, last = p["angles"]
    loads = {1: [0, 0, 0, 0, 0, p["torque"]], 3: [*p["force"], 0, 0, 0, 0]}
    _, data, run = stepping(page, steps, p["until"], {"positions": [first, last - first], "loads": loads})
    return Task(run, lambda: {"value": float(data.qpos[0] + data.qpos[1])})


def four_bar(setting: float, _n: int) -> Task:
    """Return the planar four-bar: crank and coupler as a chain, the rocker apart, joined by a connect constraint."""
    p, steps = FOUR_BAR, round(setting)
    h = p["until"] / steps
    spring = f' stiffness="{p["stiffness"]}" springref="{p["rest"]}"'
    coupler = link("coupler", 2.0, p["masses"][1], p["inertias"][1], '<site name="b" pos="2 0 0"/>')
    bodies = link("crank", 0.0, p["masses"][0], p["inertias"][0], coupler, spring)
    bodies += link("rocker", p["ground"], p["masses"][2], p["inertias"][2], '<site name="c" pos="2 0 0"/>')
    loop = f'<connect site1="b" site2="c" solref="{2 * h!r} 1" solimp="0.9999 0.9999 0.001"/>'
    crank, middle, rocker = four_bar_angles()
    start = {"positions": [crank, middle - crank, rocker], "loads": {2: [*p["force"], 0, 0, 0, 0]}}
    _, data, run = stepping(PAGE.format(h=h, bodies=bodies, loops=loop), steps, p["until"], start)

    def answer() -> dict[str, float]:
        a, b = float(data.qpos[0]), float(data.qpos[0] + data.qpos[1])
        return {"value": 2.0 * math.cos(a) + math.cos(b)}

    return Task(run, answer)


if __name__ == "__main__":
    main({"double-pendulum": double_pendulum, "four-bar": four_bar})
