"""Every library model and random mechanisms in several systems of units with every integrator: same steps, same result.

``python benchmarks/units.py`` runs the whole matrix; ``--models ton,stiff --integrators bdf,radau --systems m-kg,mm-g`` a part.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import multibody as mb
from multibody.library._registry import names
from other_units import SYSTEMS, in_units
from unit_models import flyer, heavy_pair, stiff_arm

UNTIL = {"iftomm-andrews": 0.005, "iftomm-bricard": 0.5, "engine": 0.02, "slider-crank": 0.02, "driven-slider": 0.01}
INTEGRATORS = ("auto", "dop853", "adams", "bdf", "radau", "alpha", "rk4", "ab3")
STEPS = 200  # of the methods with a fixed step


def governor() -> mb.Model:
    """Return the flyball governor with a stiff damper."""
    return mb.load("iftomm-flyball", c=4e5)


OWN: dict[str, Callable[[], mb.Model]] = {"stiff": stiff_arm, "ton": heavy_pair, "flyer": flyer, "governor": governor}


def until_of(name: str, model: mb.Model) -> float:
    """Return how long a model runs."""
    own = UNTIL.get(name, model.defaults.get("run", {}).get("until", 1.0))
    return min(float(own), 1.0) if not isinstance(own, str) else 0.5


def final(run: Any, to: Any) -> Any:
    """Return the last positions and velocities of a run, free of units."""
    tables = run.motion.tables
    q, v = run.motion.q[-1].copy(), run.motion.v[-1].copy()
    bodies, wide, width, d = len(tables.bodies) - 1, 3 if tables.dimension == 2 else 7, tables.width, tables.dimension
    for k in range(d):
        q[k : wide * bodies : wide] /= tables.length
        v[k : width * bodies : width] /= tables.length
    return np.concatenate([q, v * to.time])


def outcome(model: mb.Model, system: str, integrator: str, formulation: str, until: float, rtol: float) -> tuple[Any, ...]:
    """Return status, steps, the last state and the time that a run took."""
    to, begin = SYSTEMS[system], time.time()
    options: dict[str, Any] = {"step": until * to.time / STEPS} if integrator in ("alpha", "rk4", "ab3") else {}
    try:
        run = in_units(model, to).run(
            until * to.time, integrator=integrator, formulation=formulation, rtol=rtol, atol=0.01 * rtol, **options
        )
    except mb.ModelError as error:
        return str(error), 0, None, 0.0, 0.0
    if not run.ok:
        return run.status.message, run.statistics["steps"], None, time.time() - begin, 0.0
    drift = run.certificate.get("energy_drift", 0.0) if run.certificate else 0.0
    return "finished", run.statistics.get("steps", 0), final(run, to), time.time() - begin, drift


def main() -> None:
    """Print a line for every model and integrator; end with the number of those that units change."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", default=",".join([*OWN, *names()]))
    parser.add_argument("--integrators", default=",".join(INTEGRATORS))
    parser.add_argument("--systems", default=",".join(SYSTEMS))
    parser.add_argument("--formulations", default="auto")
    parser.add_argument("--rtol", type=float, default=1e-7)
    given = parser.parse_args()
    bad = count = 0
    for name in given.models.split(","):
        model = OWN[name]() if name in OWN else mb.load(name)
        until = until_of(name, model)
        for formulation in given.formulations.split(","):
            for integrator in given.integrators.split(","):
                first: tuple[Any, ...] = ()
                cells, worst, same = [], 0.0, True
                for system in given.systems.split(","):
                    found = outcome(model, system, integrator, formulation, until, given.rtol)
                    first = first or found
                    count += 1
                    same = same and found[0][:40] == first[0][:40] and abs(found[1] - first[1]) <= 3 + 0.02 * first[1]
                    if found[2] is not None and first[2] is not None:
                        worst = max(worst, float(np.max(np.abs(found[2] - first[2]))))
                    cells.append(f"{found[1]}")
                good = same and worst < 1e3 * given.rtol
                bad += not good
                print(f"{name:22s} {formulation:14s} {integrator:7s} {'' if good else 'BAD'} {first[0][:60]:20s} "
                      f"{' '.join(cells)}  differ {worst:.1e} drift {first[4]:.1e}", flush=True)  # fmt: skip
    print(f"{count} runs, {bad} models with an integrator that units change")


if __name__ == "__main__":
    main()
