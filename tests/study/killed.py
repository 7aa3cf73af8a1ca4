"""A study on a cluster that loses a worker, and one that loses its parent half-way; the script of a test."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import sys
from typing import Any

ASKED = ["link2.x", "norm(link3.com.rate)"]
VARIED = {"l0": (1.88, 1.92), "initial.O1.rate": (-0.1, 0.1)}
GIVEN: dict[str, Any] = {"samples": 96, "analysis": "assemble", "chunk": 4}


def main(folder: pathlib.Path) -> None:
    """Run both studies on a cluster of two processes."""
    import distributed
    import numpy as np

    import multibody as mb

    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, local_directory=str(folder / "dask"),
    )  # fmt: skip
    with cluster, distributed.Client(cluster) as client:
        pids, calls = list(client.run(os.getpid).values()), list[int]()

        def kill_a_worker(done: int, count: int) -> None:
            calls.append(done)
            if len(calls) == 2:
                os.kill(pids[0], signal.SIGKILL)
                (folder / "worker").write_text(str(pids[0]))

        def kill_the_parent(done: int, count: int) -> None:
            if done >= count // 2:
                (folder / "parent").write_text(json.dumps({"done": done}))
                os.kill(os.getpid(), signal.SIGKILL)

        def study(**more: Any) -> mb.Study:
            return mb.load("four-bar").study(VARIED, ASKED, executor=client, **GIVEN, **more)

        np.save(folder / "first.npy", study(progress=kill_a_worker).outputs)
        study(progress=kill_the_parent, store=folder / "store")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
