"""What a Dask cluster costs: a study by one worker process, chunks of about a second, against the same study in this process.

python benchmarks/cluster.py [CHUNKS]
"""

from __future__ import annotations

import sys
import time
from typing import Any

import multibody as mb

SECONDS, REPEATS = 1.0, 3  # length of a chunk; the shortest of so many counts
OUTPUTS = ["max(norm(A.reaction.force))", "final O1"]


def wall(model: mb.Model, samples: int, **ways: Any) -> tuple[float, Any]:
    """Return the time of a study on one thread, and its numbers."""
    begin = time.perf_counter()
    study = model.study({"l0": mb.normal(1.9, 0.004)}, OUTPUTS, samples=samples, method="random", until=1.0, **ways)
    assert study.counts["done"] == samples
    return time.perf_counter() - begin, study.outputs


def main() -> None:
    """Print both times and their ratio."""
    from dask.distributed import Client, LocalCluster

    model, chunks = mb.load("four-bar"), int(sys.argv[1]) if len(sys.argv) > 1 else 6
    wall(model, 64, workers=1)
    size = int(1000 * SECONDS / wall(model, 1000, workers=1)[0])
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        wall(model, 64, executor=client, chunk=32)  # the worker finds its kernels
        here, there = [], []
        for _ in range(REPEATS):
            seconds, wanted = wall(model, chunks * size, workers=1)
            here.append(seconds)
            seconds, found = wall(model, chunks * size, executor=client, chunk=size)
            there.append(seconds)
            assert (wanted == found).all()
    print(f"{chunks} chunks of {size} members: here {min(here):.2f} s, by a Dask worker {min(there):.2f} s")
    print(f"overhead {100 * (min(there) / min(here) - 1):.1f} %")


if __name__ == "__main__":
    main()
