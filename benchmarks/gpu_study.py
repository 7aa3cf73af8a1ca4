"""Studies of many members on an NVIDIA processor against the processor beside it, by ``Model.study`` as everybody calls it.

``python benchmarks/gpu_study.py FOLDER`` runs a hundred thousand four-bars whose lengths have tolerances, and asks for the
largest force in a pin; then chains in joint coordinates. Both sides are timed as whole calls, once with the code still to be
made and once with it at hand, and compared member by member. Peaks are written to ``FOLDER/peaks.npz``, and drawn by ``python
benchmarks/gpu_study.py draw FOLDER``.
"""

from __future__ import annotations

import os
import pathlib
import sys
import time
from typing import Any

import numpy as np

import multibody as mb

MEMBERS, FEW = 100_000, 10_000  # of the study; of those that go the ordinary way as well
TOLERANCE = 0.002  # standard deviation of a length over the nominal one
NOMINAL = {"l0": (1.9, 1.9), "length": (2.0, 2.0), "load_at": (0.0, 2.0)}  # value, and what the tolerance is of
OUTPUT = "max(norm(A.reaction.force))"
WAYS: dict[str, dict[str, Any]] = {
    "rk4": {"integrator": "rk4", "step": 2e-3, "output_step": 1e-2},
    "dop853": {"integrator": "dop853", "rtol": 1e-8, "atol": 1e-10, "output_step": 1e-2},
}
CHAIN: dict[str, Any] = {"formulation": "articulated", "until": 1.0, "refine": False}


def timed(model: Any, count: int, **options: Any) -> tuple[Any, float]:
    """Return a study and the seconds that the whole call took."""
    begin = time.perf_counter()
    varied = {name: mb.normal(value, TOLERANCE * size) for name, (value, size) in NOMINAL.items()}
    found = model.study(varied, [OUTPUT], samples=count, method="random", seed=11, until=1.0, refine=False, **options)
    return found, time.perf_counter() - begin


def gap(found: Any, wanted: Any) -> float:
    """Return the largest relative difference of two studies, over the members that both have."""
    n = min(len(found.outputs), len(wanted.outputs))
    return float(np.max(np.abs(found.outputs[:n] / wanted.outputs[:n] - 1.0)))


def four_bars(folder: pathlib.Path) -> None:
    """Time the four-bars."""
    kept = {}
    for name, way in WAYS.items():
        model = mb.load("four-bar")
        _, first = timed(model, 64, device="cuda", **way)
        device, spent = timed(model, MEMBERS, device="cuda", **way)
        host, beside = timed(model, MEMBERS, device="host", **way)
        timed(model, 64, **way)
        ordinary, usual = timed(model, FEW, **way)
        print(
            f"four-bar, {name}: code made in {first:.0f} s; {MEMBERS} members on the device {spent:.2f} s, in specialized code"
            f" on {os.cpu_count()} cores {beside:.2f} s, the ordinary way {usual * MEMBERS / FEW:.2f} s (from {FEW});"
            f" the device is {beside / spent:.1f} and {usual * MEMBERS / FEW / spent:.1f} times as fast; largest difference"
            f" {gap(device, host):.1e} and {gap(device, ordinary):.1e}; states {sorted(set(device.states))}",
            flush=True,
        )
        kept[name] = device.outputs[:, 0]
        np.savez(folder / "peaks.npz", **kept)


def chains() -> None:
    """Compare members in joint coordinates."""
    outputs = ["max(energy.kinetic)", "final(energy.total)", "max(norm(O.reaction.force))"]
    model, lengths = mb.load("double-pendulum"), np.linspace(0.8, 1.2, 4096)
    name = next(iter(model.parameters))
    for way, options in WAYS.items():
        found = {}
        for device in ("cuda", "host"):
            begin = time.perf_counter()
            found[device] = model.study({name: list(lengths)}, outputs[:2], method="list", device=device, **CHAIN, **options)
            print(f"double pendulum, articulated, {way}, {device}: {time.perf_counter() - begin:.1f} s", flush=True)
        scale = np.max(np.abs(found["host"].outputs), axis=0)
        print(f"largest difference {np.max(np.abs(found['cuda'].outputs - found['host'].outputs) / scale):.1e}", flush=True)


def draw(folder: pathlib.Path) -> None:
    """Draw how the peaks are distributed."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    peaks = np.load(folder / "peaks.npz")
    figure, axes = pyplot.subplots(figsize=(7.0, 4.0), layout="constrained")
    for name, style in (("rk4", {"alpha": 0.5}), ("dop853", {"histtype": "step", "linewidth": 1.5})):
        axes.hist(peaks[name], bins=120, label=name, **style)
    axes.set(xlabel="largest force in pin A [N]", ylabel="four-bars", title=f"{len(peaks['rk4'])} four-bars, lengths ±0.2 %")
    axes.legend()
    figure.savefig(folder / "peaks.png", dpi=130)


def main() -> None:
    """Do what the command line says."""
    folder = pathlib.Path(sys.argv[-1])
    if sys.argv[1] == "draw":
        draw(folder)
    else:
        four_bars(folder)
        chains()


if __name__ == "__main__":
    main()
