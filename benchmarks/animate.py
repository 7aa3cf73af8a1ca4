"""Films and 3-D files of library models: time to write them, and their sizes.

``python benchmarks/animate.py`` measures all; ``--models slider-crank,rssr --endings .gif,.glb --repeats 3`` a part. Times are
those of the processor (ffmpeg not counted), the least of the repeats after a film that nobody counts: fonts are loaded then.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import multibody as mb

UNTIL: dict[str, Any] = {
    "slider-crank": "2*pi/omega", "cam-roller": 1.0, "planetary": 6.0, "rack-and-pinion": 1.0, "rssr": 1.0, "six-bar": 1.0,
    "chain": 10.0, "four-bar": 10.0, "spatial-four-bar": 10.0, "stewart-platform": 1.0, "engine": 1.0,
}  # fmt: skip
DRIVEN = {"slider-crank", "cam-roller", "planetary", "rack-and-pinion", "rssr", "six-bar"}
SECONDS, FPS = 8.0, 25.0


def run_of(name: str) -> Any:
    """Return a run of a library model."""
    model = mb.load(name)
    return model.kinematics(UNTIL[name]) if name in DRIVEN else model.run(UNTIL[name])


def measure(run: Any, ending: str, repeats: int, folder: Path) -> tuple[float, int]:
    """Return the least time of the processor [s] and the size of a file [bytes]."""
    times, file = [], folder / f"a{ending}"
    for _ in range(repeats):
        begin = time.process_time()
        run.animate(file, seconds=SECONDS, fps=FPS, force=True)
        times.append(time.process_time() - begin)
    return min(times), file.stat().st_size


def minute(folder: Path) -> None:
    """Print the size of a minute of twenty bodies, of the wildest kind."""
    run = mb.load("chain", n=20).run(60.0, output_step=0.02)
    begin = time.perf_counter()
    file = run.animate(folder / "minute.glb")
    print(f"20 bodies, 60 s: {file.stat().st_size / 1e3:.0f} kB of .glb in {time.perf_counter() - begin:.2f} s")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", default=",".join(UNTIL))
    parser.add_argument("--endings", default=".gif,.webp,.mp4,.glb")
    parser.add_argument("--repeats", type=int, default=2)
    chosen = parser.parse_args()
    endings = chosen.endings.split(",")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        mb.load("pendulum").run(1.0).animate(folder / "warm.gif", seconds=0.2)
        print(f"{SECONDS * FPS:.0f} frames: s and kB")
        print(f"{'model':<18}{'bodies':>7}" + "".join(f"{ending:>16}" for ending in endings))
        for name in chosen.models.split(","):
            run = run_of(name)
            cells = [measure(run, ending, chosen.repeats, folder) for ending in endings]
            print(f"{name:<18}{len(run.tables.bodies) - 1:>7}" + "".join(f"{s:>8.2f}{b / 1e3:>8.0f}" for s, b in cells))
        minute(folder)


if __name__ == "__main__":
    main()
