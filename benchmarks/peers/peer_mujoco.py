"""MuJoCo with its RK4: loops closed by connect constraints as stiff as the step allows (solref = 2h, solimp 0.9999).

A setting is the number of steps. Constant loads act through xfrc_applied; one call in C makes all steps.
"""

from __future__ import annotations

import math

import mujoco
from problems import (
    ANDREWS,
    CHAIN,
    DOUBLE_PENDULUM,
    ENGINE,
    FOUR_BAR,
    Task,
    andrews_hinge,
    chain_link,
    four_bar_angles,
    main,
)

HINGE = '<joint type="hinge" axis="0 0 1"{extra}/>'
MASS = '<inertial pos="{at} 0 0" mass="{mass}" diaginertia="{J} {J} {J}"/>'
PAGE = """<mujoco>
<compiler angle="radian" inertiafromgeom="false" boundmass="0" boundinertia="0"/>
<option timestep="{h!r}" integrator="RK4" gravity="0 0 0" solver="Newton" tolerance="1e-14" iterations="50">
  <flag contact="disable" refsafe="disable"/>
</option>
<worldbody>{bodies}</worldbody>
<equality>{loops}</equality>
{rest}
</mujoco>"""


def stepping(page: str, steps: int, until: float, start: dict[str, object]) -> tuple[mujoco.MjModel, mujoco.MjData, object]:
    """Return model, data and the function that makes all steps from the start."""
    model = mujoco.MjModel.from_xml_string(page)
    data = mujoco.MjData(model)

    def run() -> int:
        mujoco.mj_resetData(model, data)
        data.qpos[:] = start["positions"]
        data.qvel[:] = start.get("rates", 0.0)
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
    bodies = link("first", 0.0, p["masses"][0], p["inertias"][0], second)
    page = PAGE.format(h=p["until"] / steps, bodies=bodies, loops="", rest="")
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
    _, data, run = stepping(PAGE.format(h=h, bodies=bodies, loops=loop, rest=""), steps, p["until"], start)

    def answer() -> dict[str, float]:
        a, b = float(data.qpos[0]), float(data.qpos[0] + data.qpos[1])
        return {"value": 2.0 * math.cos(a) + math.cos(b)}

    return Task(run, answer)


def closing(first: str, second: str, h: float) -> str:
    """Return a constraint that joins two sites, as stiff as the step allows."""
    return f'<connect site1="{first}" site2="{second}" solref="{2 * h!r} 1" solimp="0.9999 0.9999 0.001"/>'


def andrews(setting: float, _n: int) -> Task:
    """Return Andrews' mechanism: K1 to K7 as a tree, K2 joined with K3, K4 and K6 in the point E."""
    p, steps = ANDREWS, round(setting)
    h = p["until"] / steps
    order: list[int] = []

    def body(k: int) -> str:
        order.append(k)
        at, center, J, point = andrews_hinge(k), p["centers"][k], p["inertias"][k], p["E"][k]
        sites = f'<site name="E{k}" pos="{point[0]!r} {point[1]!r} 0"/>' if point else ""
        sites += f'<site name="D" pos="{p["D"][0]} {p["D"][1]} 0"/>' if k == 2 else ""
        inertial = f'<inertial pos="{center[0]!r} {center[1]!r} 0" mass="{p["masses"][k]}" diaginertia="{J} {J} {J}"/>'
        inner = "".join(body(j) for j in range(7) if p["parents"][j] == k + 1)
        return f'<body name="K{k}" pos="{at[0]!r} {at[1]!r} 0">{HINGE.format(extra="")}{inertial}{sites}{inner}</body>'

    bodies = f'<site name="C" pos="{p["C"][0]} {p["C"][1]} 0"/>' + "".join(body(k) for k in range(7) if p["parents"][k] == 0)
    loops = "".join(closing("E1", f"E{k}", h) for k in (2, 3, 5))
    spring = f'<spatial stiffness="{p["stiffness"]}" springlength="{p["rest"]}"><site site="C"/><site site="D"/></spatial>'
    page = PAGE.format(h=h, bodies=bodies, loops=loops, rest=f"<tendon>{spring}</tendon>")
    start = {"positions": [p["angles"][k] for k in order], "loads": {1: [0, 0, 0, 0, 0, p["torque"]]}}
    _, data, run = stepping(page, steps, p["until"], start)
    return Task(run, lambda: {"value": float(data.qpos[0])})


def engine(setting: float, n: int) -> Task:
    """Return n slider-cranks: crank and rod as a chain, the piston apart, joined by a connect constraint."""
    p, steps = ENGINE, round(setting)
    h, r, rod, bodies, loops = p["until"] / steps, p["radius"], p["rod"], "", ""
    for k in range(n):
        inner = HINGE.format(extra="") + MASS.format(at=rod / 2, mass=p["masses"][1], J=p["inertias"][1])
        inner = f'<body pos="{r} 0 0">{inner}<site name="r{k}" pos="{rod} 0 0"/></body>'
        outer = HINGE.format(extra="") + MASS.format(at=0, mass=p["masses"][0], J=p["inertias"][0])
        bodies += f'<body pos="0 0 {k}">{outer}{inner}</body>'
        piston = '<joint type="slide" axis="1 0 0"/>' + MASS.format(at=0, mass=p["masses"][2], J=1e-4)
        bodies += f'<body pos="{r + rod} 0 {k}">{piston}<site name="p{k}"/></body>'
        loops += closing(f"r{k}", f"p{k}", h)
    rates = [p["rate"], -p["rate"] * (1.0 + r / rod), 0.0] * n
    start = {"positions": 0.0, "rates": rates, "loads": {}}
    _, data, run = stepping(PAGE.format(h=h, bodies=bodies, loops=loops, rest=""), steps, p["until"], start)
    return Task(run, lambda: {"value": float(data.qpos[2]) + r + rod})


def chain(setting: float, n: int) -> Task:
    """Return a chain of n rods, made by MjSpec since the reader of XML refuses deep trees."""
    steps = round(setting)
    length, mass, J = chain_link(n)
    spec = mujoco.MjSpec()
    spec.option.gravity, spec.option.timestep = [0, -CHAIN["gravity"], 0], CHAIN["until"] / steps
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
    spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    body = spec.worldbody
    for k in range(n):
        place = [length if k else 0, 0, 0]
        body = body.add_body(pos=place, mass=mass, ipos=[length / 2, 0, 0], inertia=[J, J, J], explicitinertial=True)
        body.add_joint(axis=[0, 0, 1])
    model = spec.compile()
    data = mujoco.MjData(model)

    def run() -> int:
        mujoco.mj_resetData(model, data)
        mujoco.mj_step(model, data, nstep=steps)
        if abs(data.time - CHAIN["until"]) > 1e-6:
            raise RuntimeError(f"MuJoCo began anew after a blow-up; its time is {data.time:g}")
        return steps

    def answer() -> dict[str, float]:
        angles = [sum(data.qpos[: k + 1]) for k in range(n)]
        return {"value": length * sum(map(math.cos, angles)), "other": length * sum(map(math.sin, angles))}

    return Task(run, answer)


if __name__ == "__main__":
    main({"double-pendulum": double_pendulum, "four-bar": four_bar, "andrews": andrews, "engine": engine, "chain": chain})
