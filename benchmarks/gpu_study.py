"""Studies of many members on an NVIDIA processor against the processor beside it, by ``Model.study`` as everybody calls it.

``python benchmarks/gpu_study.py FOLDER`` runs a hundred thousand four-bars whose lengths have tolerances and asks for the
largest force in a pin, by every integrator that there is code for; a hundred thousand slider-cranks that are driven
(``kinematics`` and ``inverse``); chains in joint coordinates; a stiff four-bar (``elastic alpha``), of which it also tells what
``rk4`` makes of it with the same step; and counts the steps of an arm of seven joints. Both sides are
timed as whole calls with the code at hand, and compared member by member. The code of all cases is made first, in processes
side by side; each case is then measured in a process of its own, which has limited time. Peaks are written to
``FOLDER/peaks.npz``, and drawn by ``python benchmarks/gpu_study.py draw FOLDER``. Names of cases behind the folder choose some
of them.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

import multibody as mb

MEMBERS, FEW = 100_000, 10_000  # of a study; of those that go the ordinary way as well
MAKING, MEASURING = 200.0, 90.0  # seconds in which the code of all cases is to be made, and a case measured
AGREEMENT = 1e-12
TOLERANCE = 0.002  # standard deviation of a length over the nominal one
ARMS, POOL, ARM_STEP, ARM_STEPS = 1 << 19, 1024, 1e-3, 100
FORCE = "max(norm(A.reaction.force))"


@dataclass(frozen=True)
class Case:
    """A study: a model, what varies (value, and what the tolerance is of), what is asked, how; whether ``rk4`` fails."""

    model: str
    varied: dict[str, tuple[float, float]]
    outputs: tuple[str, ...]
    options: dict[str, Any]
    members: int = MEMBERS
    stiff: bool = False


def elastic_four_bar() -> mb.Model:
    """Return the four-bar of the library with a coupler of two halves, which a stiff spring with a damper holds together.

    The damper's rate, c/m, is 2e5 times that of the slow motion: steps of ``rk4`` may have 1e-5 s.
    """
    m = mb.Model("elastic-four-bar", dimension=2)
    ground, size = m.parameter("l0", 1.9, unit="m"), m.parameter("length", 2.0, unit="m")
    stiffness, damping = m.parameter("k", 1e6, unit="N/m"), m.parameter("c", 4e5, unit="N s/m")
    half, end = size / 2, {"end": (size, 0)}
    m.frames(O3=(ground, 0))
    link1 = m.body("link1", mass=5, inertia=10, com=(half, 0), frames=end)
    link3 = m.body("link3", mass=9, inertia=25, com=(half, 0), frames=end)
    near, far = (m.body(name, mass=3.5, inertia=10, com=(half / 2, 0), frames={"end": (half, 0)}) for name in ("near", "far"))
    m.revolute("O1", m.ground, link1)
    m.revolute("A", link1["end"], near)
    m.translational("rod", near["end"], far, axis=(1, 0))
    m.revolute("B", far["end"], link3["end"])
    m.revolute("O3", m.ground["O3"], link3)
    m.effort("spring", "O1", stiffness=100, rest=0.524)
    m.effort("axial", "rod", stiffness=stiffness, damping=damping)
    m.force("load", near["end"], value=(80, 70))
    guess = {"near.angle": 0, "far.angle": 0, "link3.angle": 1.1036}
    m.initial({"O1": 1.1036, "O1.rate": 0, "rod": 0, "rod.rate": 0}, guess=guess)
    return m


BAR = {"l0": (1.9, 1.9), "length": (2.0, 2.0), "load_at": (0.0, 2.0)}
CRANK, PENDULUM = {"l2": (0.15, 0.15), "l3": (0.35, 0.35)}, {"a": (1.0, 10.0)}
EVERY, TURN = {"until": 1.0, "output_step": 1e-2}, {"until": 0.04, "steps": 100}
RK4, TIGHT = {**EVERY, "integrator": "rk4", "step": 2e-3}, {"integrator": "dop853", "rtol": 1e-8, "atol": 1e-10}
ENERGIES = ("max(energy.kinetic)", "final(energy.total)")
CASES = {
    "four-bar rk4": Case("four-bar", BAR, (FORCE,), RK4),
    "four-bar dop853": Case("four-bar", BAR, (FORCE,), {**EVERY, **TIGHT}),
    "four-bar baumgarte": Case("four-bar", BAR, (FORCE,), {**RK4, "formulation": "baumgarte"}, 16384),
    "slider-crank kinematics": Case(
        "slider-crank", CRANK, ("max(S.rate)", "min(S.acceleration)"), {**TURN, "analysis": "kinematics"}
    ),
    "slider-crank inverse": Case("slider-crank", CRANK, ("max(O.effort)", FORCE), {**TURN, "analysis": "inverse"}),
    "pendulum rk4": Case("double-pendulum", PENDULUM, ENERGIES, {**RK4, "formulation": "articulated"}),
    "pendulum dop853": Case(
        "double-pendulum", PENDULUM, ENERGIES, {**EVERY, "integrator": "dop853", "formulation": "articulated"}
    ),
    "four-bar alpha": Case("four-bar", BAR, (FORCE,), {**EVERY, "integrator": "alpha", "step": 5e-3}, 16384),
    "elastic alpha": Case(
        "elastic-four-bar", {"l0": (1.9, 1.9), "length": (2.0, 2.0), "k": (1e6, 1e6)},
        (*ENERGIES, "final(O1)", "min(O3.rate)", "max(norm(A.reaction.force))"),
        {**EVERY, "integrator": "alpha", "step": 2e-3}, 16384, stiff=True,
    ),
}  # fmt: skip
MODELS = {"elastic-four-bar": elastic_four_bar}  # those that the library does not have


def model_of(case: Case) -> mb.Model:
    """Return the model of a case."""
    return MODELS[case.model]() if case.model in MODELS else mb.load(case.model)


def timed(case: Case, count: int, **more: Any) -> tuple[Any, float]:
    """Return a study and the seconds that the whole call took."""
    model, begin = model_of(case), time.perf_counter()
    varied = {name: mb.normal(value, TOLERANCE * size) for name, (value, size) in case.varied.items()}
    told = {**case.options, **more}
    found = model.study(varied, list(case.outputs), samples=count, method="random", seed=11, refine=False, **told)
    return found, time.perf_counter() - begin


def gap(found: Any, wanted: Any) -> str:
    """Tell the differences of two studies over the largest number of an output, over the members that both have."""
    n = min(len(found.outputs), len(wanted.outputs))
    scale = np.max(np.abs(wanted.outputs[:n]), axis=0)
    each = np.max(np.abs(found.outputs[:n] - wanted.outputs[:n]) / scale, axis=1)
    over = np.count_nonzero(~(each <= AGREEMENT))
    return f"{np.max(each):.1e} (median {np.median(each):.1e}, {over} of {n} members above {AGREEMENT:.0e})"


def measure(name: str, folder: pathlib.Path) -> None:
    """Time a case on both sides."""
    case = CASES[name]
    _, first = timed(case, 64, device="cuda")
    print(f"{name}: first call {first:.1f} s", flush=True)
    device, spent = timed(case, case.members, device="cuda")
    print(f"{name}: {case.members} members on the device {spent:.2f} s; {device.statistics}", flush=True)
    timed(case, 64, device="host")
    host, beside = timed(case, case.members, device="host")
    print(
        f"{name}: in specialized code on {os.cpu_count()} cores {beside:.2f} s, {beside / spent:.1f} times as long; largest"
        f" difference {gap(device, host)}; states {sorted(set(device.states))}",
        flush=True,
    )
    timed(case, 64)
    ordinary, seconds = timed(case, FEW)
    whole = seconds * case.members / FEW
    print(
        f"{name}: the ordinary way {whole:.2f} s (from {FEW}), {whole / spent:.1f} times as long; largest difference"
        f" {gap(device, ordinary)}; {ordinary.statistics}",
        flush=True,
    )
    if case.stiff:
        failed = timed(case, 64, integrator="rk4")[0]
        most, usual = (np.nanmax(np.abs(each.outputs), axis=0) for each in (failed, ordinary))
        print(f"{name}: by rk4 with the same step {most}, by alpha {usual}; states {sorted(set(failed.states))}", flush=True)
    if name.startswith("four-bar"):
        kept = dict(np.load(folder / "peaks.npz")) if (folder / "peaks.npz").exists() else {}
        np.savez(folder / "peaks.npz", **{**kept, name: device.outputs[:, 0]})


def arm(count: int = ARMS) -> None:
    """Count the RK4 steps a second of arms of seven joints as they are by default, their masses and starts their own."""
    import common
    from gpu import varied

    from multibody.specialize.image import words_of
    from multibody.specialize.specialized import Specialized

    simulation, random = common.simulation(mb.load("arm7"), "articulated", "rk4", step=ARM_STEP), np.random.default_rng(3)
    code = Specialized(simulation.bundle, simulation.formulation.kernels()[0])
    rows = [varied(simulation, random) for _ in range(POOL)]
    if count == 0:
        code.ptx(), code.host
        return
    numbers, begins = (np.tile(np.array([row[k] for row in rows]), (count // POOL, 1)) for k in (0, 1))
    words = np.repeat(words_of(simulation.bundle)[None], count, axis=0)
    device = code.device()
    for turn in range(4):
        y, left, begin = begins.copy(), words.copy(), time.perf_counter()
        outcome = device.advance(numbers, y, left, 0.0, ARM_STEP, ARM_STEPS, seed=turn)
        print(
            f"arm of seven joints, {count} members, {ARM_STEPS} steps: {count * ARM_STEPS / outcome.seconds:.3e} steps a"
            f" second, level {outcome.level}, {device.modules[0].local} bytes of local memory,"
            f" {device.modules[0].side_by_side} threads at a time, difference {outcome.difference:.1e}, stopped"
            f" {np.count_nonzero(outcome.statuses)}; the whole call {time.perf_counter() - begin:.1f} s; {device.notes}",
            flush=True,
        )


def warm(name: str) -> None:
    """Make the code of a case, for the host and the device."""
    begin = time.perf_counter()
    if name == "arm":
        arm(0)
    else:
        timed(CASES[name], 64, device="host")
        timed(CASES[name], 64)
        from multibody.study.members import prepare
        from multibody.study.specialized import on_device

        case, told = CASES[name], dict(CASES[name].options)
        analysis = told.pop("analysis", "run")
        members = prepare(model_of(case), list(case.varied), list(case.outputs), analysis, told, None, False)
        made = on_device(members, "host", 0)
        made.batch.prepare.code.ptx(), made.batch.prepare.code.reader_ptx(made.batch.asked)
    print(f"{name}: code made in {time.perf_counter() - begin:.0f} s", flush=True)


def draw(folder: pathlib.Path) -> None:
    """Draw how the peaks are distributed."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    peaks = np.load(folder / "peaks.npz")
    figure, axes = pyplot.subplots(figsize=(7.0, 4.0), layout="constrained")
    for name, style in (("rk4", {"alpha": 0.5}), ("dop853", {"histtype": "step", "linewidth": 1.5})):
        axes.hist(peaks[f"four-bar {name}"], bins=120, label=name, **style)
    axes.set(xlabel="largest force in pin A [N]", ylabel="four-bars", title=f"{MEMBERS} four-bars, lengths ±0.2 %")
    axes.legend()
    figure.savefig(folder / "peaks.png", dpi=130)


def tell_modules() -> None:
    """Print what the driver makes of every code."""
    from multibody.specialize import device

    class Told(device.Module):
        def __init__(self, driver: Any, ptx: Any, *given: Any) -> None:
            super().__init__(driver, ptx, *given)
            print(
                f"  {len(ptx) / 1e3:.0f} kB of PTX by the driver's level {self.level} in {self.compile_seconds:.1f} s:"
                f" {self.registers} registers, {self.local} bytes of local memory",
                flush=True,
            )

    device.Module = Told  # type: ignore[misc]


def in_processes(tasks: list[list[str]], seconds: float) -> None:
    """Do some tasks side by side, in limited time."""
    running = [subprocess.Popen([sys.executable, __file__, *task]) for task in tasks]
    begin = time.perf_counter()
    for process, task in zip(running, tasks, strict=True):
        try:
            process.wait(max(1.0, seconds - (time.perf_counter() - begin)))
        except subprocess.TimeoutExpired:
            print(f"{' '.join(task)}: not done in {seconds:.0f} s", flush=True)
            process.kill()


def main() -> None:
    """Do what the command line says."""
    word, *rest = sys.argv[1:]
    if word == "draw":
        draw(pathlib.Path(rest[0]))
    elif word == "warm":
        warm(rest[0])
    elif word == "measure":
        tell_modules()
        arm() if rest[0] == "arm" else measure(rest[0], pathlib.Path(rest[1]))
    else:
        begin, names = time.perf_counter(), rest or [*CASES, "arm"]
        in_processes([["warm", name] for name in names], MAKING)
        for name in names:
            print(f"--- {name}, {time.perf_counter() - begin:.0f} s since the beginning", flush=True)
            in_processes([["measure", name, word]], MEASURING)


if __name__ == "__main__":
    main()
