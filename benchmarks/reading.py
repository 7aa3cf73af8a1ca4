"""How long a robot of 30 joints takes from its URDF to a first call of inverse dynamics, in a process that is warm.

Usage: ``python benchmarks/reading.py [--joints 30] [--repeats 10]``. The robot has limits and damping in every joint and no
meshes; Pinocchio reads the same file beside it, where it is installed. Minimum of the repeats, by the processor's time.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "files" / "robots"))

import numpy as np
from robot_texts import tree

import multibody as mb

JOINT = '<limit lower="-2" upper="2" effort="10" velocity="1e9"/><dynamics damping="0.1"/>'


def best(work: Callable[[], object], repeats: int) -> float:
    """Return the least processor time of a call [s], after one that is not counted."""
    work()
    found = []
    for _ in range(repeats):
        begun = time.process_time()
        work()
        found.append(time.process_time() - begun)
    return min(found)


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--joints", type=int, default=30)
    parser.add_argument("--repeats", type=int, default=10)
    given = parser.parse_args()
    zero = np.zeros(given.joints)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "robot.urdf"
        file.write_text(tree(["revolute"] * given.joints, 3).replace('<limit effort="10" velocity="1"/>', JOINT))
        for limits in ("stops", "none"):
            spent = best(
                lambda limits=limits: mb.load(str(file), limits=limits).robot().inverse_dynamics(zero, zero, zero),
                given.repeats,
            )
            print(f"multibody, limits={limits}: {1e3 * spent:.0f} ms")
        try:
            import pinocchio as pin
        except ImportError:
            return

        def peer() -> None:
            model = pin.buildModelFromUrdf(str(file))
            pin.rnea(model, model.createData(), zero, zero, zero)

        print(f"pinocchio: {1e3 * best(peer, given.repeats):.1f} ms")


if __name__ == "__main__":
    main()
