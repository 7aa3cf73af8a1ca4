"""Implicit integration and the problems of the IFToMM library: time to an accuracy, sparse steps, stiff models.

Run: ``python benchmarks/implicit.py [PART ...] [--peer-python PYTHON]``. Parts: andrews, scipy, engine, chain, n-four-bar,
sparse, alpha, stiff; all of them by default. Peers (mujoco, pin, exudyn) are used where PYTHON can import them; put them into
an environment of their own. Times are measured as in ``dynamics.py``: processor time of the integration alone, the shortest of
several, at the coarsest setting from which on all finer ones keep the error.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from common import Point, integration, load, milliseconds, peer, reached, simulation, table, times

import multibody as mb
from multibody.formulations import FORMULATIONS
from multibody.integrators import INTEGRATORS
from multibody.options.methods import VARIANTS

TARGET = 1e-6
TOLERANCES = [10.0 ** (-k / 2) for k in range(6, 25)]
BETA = 15.810771195154  # of Andrews' mechanism at 0.03 s
PISTON = 0.18257160266946568  # of the engine at 1 s: minimal coordinates to 1e-12, as the tips of the chains below
TIPS = {
    10: (-0.8943168523613, -0.1465650647469), 100: (-0.9038753178553, -0.1807869542277),
    1000: (-0.9078515855760, -0.1852117783344),
}  # fmt: skip

PAIRS = (("augmented", "dop853"), ("recursive", "dop853"), ("augmented", "bdf"), ("augmented", "radau"))

Error = Callable[[mb.Run], float]


def best(function: Callable[[], object], repeats: int) -> float:
    """Return the shortest of several processor times [s]."""
    took = []
    for _ in range(repeats):
        begin = time.process_time()
        function()
        took.append(time.process_time() - begin)
    return min(took)


def points_of(
    model: mb.Model, until: float, error: Error, formulation: str, integrator: str, settings: Sequence[float], repeats: int,
    enough: float = TARGET / 30,
) -> list[Point]:  # fmt: skip
    """Return work–precision points from coarse to fine, up to the first error well below the target; none if it is refused.

    Settings are tolerances, or numbers of steps for a method with a fixed step.
    """
    points: list[Point] = []
    for setting in settings:
        adaptive = INTEGRATORS[integrator].adaptive
        how = {"rtol": setting, "atol": setting} if adaptive else {"step": until / setting}
        options: dict[str, Any] = {"formulation": formulation, "integrator": integrator, **how}
        try:
            run = model.run(until, output_step=until, dense=False, **options)
        except mb.ModelError:
            return []
        off = error(run) if run.ok else math.inf
        took, _ = integration(model, until, repeats, **options)
        points.append(Point(setting, took, off, run.statistics["steps"], run.statistics["rhs_evaluations"]))
        if sum(point.error < enough for point in points[-2:]) == 2:
            break
    return points


def steps_for(until: float, order: int) -> list[float]:
    """Return numbers of fixed steps for the sweep of a method of this order."""
    return [float(round(x)) for x in np.geomspace(100, 4_000 if order > 3 else 200_000, 12)]


def row_of(name: str, points: list[Point], rivals: Sequence[float | None], target: float = TARGET) -> list[str]:
    """Return a line of a table: time, ratios to the rivals, setting, error, steps."""
    if not points:
        return [name, "–", *["" for _ in rivals], "", "", ""]
    found = reached(points, target)
    if found is None:
        least = min(points, key=lambda point: point.error)
        return [name, "not reached", *["" for _ in rivals], f"{least.setting:.3g}", f"{least.error:.1e}", str(least.steps)]
    ratios = [times(rival, found.wall) for rival in rivals]
    return [name, milliseconds(found.wall), *ratios, f"{found.setting:.3g}", f"{found.error:.1e}", str(found.steps)]


def peer_time(python: str, name: str, problem: str, settings: Sequence[float], error: Any, **options: Any) -> Point | None:
    """Return what a peer needs for the target."""
    answers = peer(python, name, problem, settings, **options)
    return reached([Point(a["setting"], a["wall"], error(a), a["steps"]) for a in answers], TARGET)


def peers_rows(found: dict[str, Point | None]) -> list[list[str]]:
    """Return the lines of the peers."""
    known = {name: point for name, point in found.items() if point is not None}
    return [
        [name, milliseconds(p.wall), "", "", f"{p.setting:.3g}", f"{p.error:.1e}", str(p.steps)] for name, p in known.items()
    ]


# --- (a) Andrews' mechanism --------------------------------------------------------------------------------------------
def andrews(python: str, repeats: int) -> None:
    """Print the time to 1e-6 of every formulation and integrator."""
    model = mb.load("iftomm-andrews")

    def error(run: mb.Run) -> float:
        return abs(float(run["O"].values[-1]) / BETA - 1.0)

    def off(answer: dict[str, float]) -> float:
        return abs(answer["value"] / BETA - 1.0)

    rivals = {
        "MuJoCo RK4": peer_time(python, "peer_mujoco", "andrews", (100, 200, 300, 600, 1000, 1500, 2000, 3000, 6000), off),
        "Pinocchio RK4": peer_time(python, "peer_pinocchio", "andrews", (100, 300, 600, 1000, 1500, 3000), off, repeats=3),
        "Pinocchio, SciPy DOP853": peer_time(python, "peer_pinocchio", "andrews", (1e-3, 1e-4, 1e-5, 1e-6), off, repeats=3),
    }
    walls = [p.wall if p else None for p in rivals.values()]
    pinocchio = min((wall for wall in walls[1:] if wall), default=None)
    rows = peers_rows(rivals)
    for formulation in (*FORMULATIONS, *VARIANTS):
        for name, kind in INTEGRATORS.items():
            settings = TOLERANCES if kind.adaptive else steps_for(0.03, kind.order)
            points = points_of(model, 0.03, error, formulation, name, settings, repeats)
            rows.append(row_of(f"{formulation}, {name}", points, [walls[0], pinocchio]))
    header = ("method", "time", "MuJoCo / this", "Pinocchio / this", "setting", "error", "steps")
    table(f"Andrews' mechanism, 0.03 s, to a relative error of {TARGET:g} of β ({load()})", header, rows)


def scipy_points(model: mb.Model, until: float, path: Callable[[np.ndarray], float], exact: float, method: str) -> list[Point]:
    """Return work–precision points of SciPy with our compiled right-hand side."""
    from scipy.integrate import solve_ivp

    points = []
    for tolerance in TOLERANCES[:14]:
        sim = simulation(model, "augmented", "dop853", tolerance, tolerance)
        rhs, b = sim.formulation.kernels()[0], sim.bundle
        start = sim.y.copy()

        def slope(t: float, y: np.ndarray, rhs: Any = rhs, b: Any = b) -> np.ndarray:
            out = np.empty_like(y)
            rhs(*b.run, t, np.ascontiguousarray(y), out)
            return out

        took, done = math.inf, None
        for _ in range(3):
            begin = time.process_time()
            done = solve_ivp(
                slope, (0.0, until), start, method, rtol=max(tolerance, 3e-14), atol=tolerance * sim.space.scales()
            )
            took = min(took, time.process_time() - begin)
        off = abs(path(done.y[:, -1]) / exact - 1.0) if done.success else math.inf
        points.append(Point(tolerance, took, off, len(done.t) - 1, done.nfev))
        if sum(point.error < TARGET / 10 for point in points[-2:]) == 2:
            break
    return points


def against_scipy(repeats: int) -> None:
    """Print bdf and radau beside SciPy's implicit methods, which call our compiled right-hand side."""
    model, rows = mb.load("iftomm-andrews"), []
    both: dict[str, list[Point]] = {}
    for method in ("Radau", "BDF"):
        both[f"SciPy {method}"] = scipy_points(model, 0.03, lambda y: float(y[2]), BETA, method)
    for formulation, name in (("augmented", "radau"), ("recursive", "radau"), ("augmented", "bdf"), ("recursive", "bdf")):
        both[f"{formulation}, {name}"] = points_of(
            model, 0.03, lambda run: abs(float(run["O"].values[-1]) / BETA - 1.0), formulation, name, TOLERANCES, repeats
        )
    rival = reached(both["SciPy Radau"], TARGET)
    for method, points in both.items():
        rows.append(row_of(method, points, [rival.wall if rival else None]))
    header = ("method", "time", "SciPy Radau / this", "setting", "error", "steps")
    table(f"Andrews' mechanism, 0.03 s, to {TARGET:g}: SciPy on our right-hand side ({load()})", header, rows)


# --- (b), (c), (d) engines, chains, four-bars --------------------------------------------------------------------------
def engines(python: str, repeats: int) -> None:
    """Print engines of 1, 5 and 20 sets."""
    rows = []

    def off(answer: dict[str, float]) -> float:
        return abs(answer["value"] / PISTON - 1.0)

    for n in (1, 5, 20):
        rivals = {
            f"{n}: MuJoCo RK4": peer_time(python, "peer_mujoco", "engine", (100, 200, 300, 500, 700, 1000, 2000), off, n=n),
            f"{n}: Pinocchio RK4": peer_time(python, "peer_pinocchio", "engine", (100, 200, 500, 1000), off, n=n, repeats=3),
        }
        walls = [p.wall if p else None for p in rivals.values()]
        rows += peers_rows(rivals)
        for size in (2, 3):
            model = mb.load("engine", n=n, data="peer", dimension=size)
            for formulation, integrator in PAIRS:
                points = points_of(
                    model, 1.0, lambda run: abs(float(run["S1"].values[-1]) / PISTON - 1.0), formulation, integrator,
                    TOLERANCES, repeats,
                )  # fmt: skip
                rows.append(row_of(f"{n}: dimension {size}, {formulation}, {integrator}", points, walls))
    header = ("sets: method", "time", "MuJoCo / this", "Pinocchio / this", "setting", "error", "steps")
    table(f"Engine, 1 s, to a relative error of {TARGET:g} of the piston ({load()})", header, rows)


def chains(python: str, repeats: int) -> None:
    """Print chains of 10, 100 and 1000 rods."""
    rows = []
    for n, tip in TIPS.items():

        def off(answer: dict[str, float], tip: tuple[float, float] = tip) -> float:
            return math.hypot(answer["value"] - tip[0], answer["other"] - tip[1])

        def error(run: mb.Run, n: int = n, tip: tuple[float, float] = tip) -> float:
            return math.hypot(*(float(run[f"link{n}.end.{axis}"].values[-1]) - x for axis, x in zip("xy", tip, strict=True)))

        rivals: dict[str, Point | None] = {}
        if n <= 100:  # beyond, Pinocchio's data fill the memory and a step of MuJoCo takes a tenth of a second
            steps = (200, 500, 1000, 2000) if n == 10 else (1000, 2000, 5000, 10_000)
            rivals[f"{n}: MuJoCo RK4"] = peer_time(python, "peer_mujoco", "chain", steps, off, n=n, repeats=3)
            fine = (1e-3, 1e-4, 1e-5, 1e-6)
            rivals[f"{n}: Pinocchio, SciPy DOP853"] = peer_time(python, "peer_pinocchio", "chain", fine, off, n=n, repeats=2)
        walls = [p.wall if p else None for p in rivals.values()] or [None, None]
        rows += peers_rows(rivals)
        model = mb.load("chain", n=n)
        pairs = [("articulated", "dop853"), ("augmented", "dop853"), ("augmented", "bdf"), ("augmented", "radau")]
        for formulation, integrator in pairs if n <= 100 else pairs[:1]:
            settings = TOLERANCES if n <= 100 else TOLERANCES[:6]
            points = points_of(model, 1.0, error, formulation, integrator, settings, repeats if n < 100 else 2)
            rows.append(row_of(f"{n}: {formulation}, {integrator}", points, walls))
    header = ("rods: method", "time", "MuJoCo / this", "Pinocchio / this", "setting", "error", "steps")
    table(f"Chain, 1 s, tip to {TARGET:g} m ({load()})", header, rows)


def four_bars(python: str, repeats: int) -> None:
    """Print forty four-bars, which pass singular positions, to 1e-5 m."""
    model, target, exact = mb.load("iftomm-n-four-bar", n=40), 1e-5, (0.180512226687, 0.983572740582)
    answers = peer(python, "peer_pinocchio", "n-four-bar", (500, 1000), n=40, repeats=1)
    places = [(math.cos(a["value"]), math.sin(a["value"])) for a in answers]
    found = [
        Point(a["setting"], a["wall"], math.dist(place, exact), a["steps"]) for a, place in zip(answers, places, strict=True)
    ]
    rival = reached(found, target)
    rows = [] if rival is None else [row_of("Pinocchio RK4", found, [None], target)]

    def error(run: mb.Run) -> float:
        return math.dist([float(run[f"crank0.end.{axis}"].values[-1]) for axis in "xy"], exact)

    for formulation, integrator in (
        ("augmented", "dop853"), ("augmented", "adams"), ("augmented", "bdf"), ("augmented", "radau"), ("kane", "dop853"),
    ):  # fmt: skip
        points = points_of(model, 10.0, error, formulation, integrator, TOLERANCES[2:14], min(repeats, 3), target / 30)
        rows.append(row_of(f"{formulation}, {integrator}", points, [rival.wall if rival else None], target))
    header = ("method", "time", "Pinocchio / this", "setting", "error", "steps")
    table(f"Forty four-bars, 10 s, the first tip to {target:g} m ({load()})", header, rows)


# --- (e) one sparse step -----------------------------------------------------------------------------------------------
def repeated() -> Any:
    """Return a compiled loop that calls an address many times."""
    import numba

    from multibody.kernels.calls import call

    @numba.njit
    def loop(address, run, t, x, out, count):
        for _ in range(count):
            call(address, run, t, x, out)

    return loop


def sparse_matrices(sim: Any, c: float) -> tuple[Any, Any]:
    """Return the matrices of the accelerations and of an implicit step, from the last linearization, as SciPy has them."""
    from scipy.sparse import block_array, csc_array

    from multibody.formulations.newton import kept_matrices

    M, C, K, P, V = kept_matrices(sim.bundle)
    index1 = csc_array(block_array([[M, P.T], [P, None]]))
    step = csc_array(block_array([[c * M + C + K / c, P.T], [P + V / c, None]]))
    return index1, step


def scipy_costs(sim: Any, c: float, solution: np.ndarray, repeats: int) -> dict[str, float]:
    """Return what SciPy needs for the same linear systems; its solution for a right side of ones must be ours."""
    from scipy.sparse.linalg import splu

    index1, step = sparse_matrices(sim, c)
    side, factors = np.ones(index1.shape[0]), splu(step)
    assert np.allclose(factors.solve(side), solution, rtol=1e-6, atol=1e-8 * np.max(np.abs(solution)))
    return {
        "SciPy splu and solve, accelerations": best(lambda: splu(index1).solve(side), repeats),
        "SciPy splu, step": best(lambda: splu(step), repeats),
        "SciPy solve, step": best(lambda: factors.solve(side), repeats),
    }


def sparse(python: str, repeats: int) -> None:
    """Print what one evaluation, residual, linearization, factorization and solution cost for n four-bars."""
    from multibody.integrators.implicit import FACTOR, LINEARIZE, RESIDUAL, SOLVE

    loop, rows, c = repeated(), [], 500.0
    for n in (100, 1000, 10_000):
        model = mb.load("iftomm-n-four-bar", n=n)
        costs: dict[str, float] = {}
        explicit = simulation(model, "augmented", "dop853")
        b, y = explicit.bundle, explicit.y
        count = max(1, 20_000 // n)

        def cost(address: int, b: Any, x: Any, out: Any, count: int = count) -> float:
            rest = (address, b.run, 0.0, x, out)
            loop(*rest, 1)
            return best(lambda: loop(*rest, count), repeats) / count

        costs["right-hand side"] = cost(explicit.addresses[0], b, y, np.zeros_like(y))
        del explicit
        sim = simulation(model, "augmented", "bdf")
        ops, b = sim.addresses[0], sim.bundle
        nq, nv, m = sim.space.nq, sim.space.nv, len(b.chosen)
        x, r = np.concatenate([sim.y[: nq + nv], np.zeros(nv + m)]), np.zeros(nv + 3 * m + 1)
        coefficients = np.array([c, 0, 1, 0, 1 / c, 0, 1, 0, 1 / c, 0])
        solution = np.zeros(nv + m)
        for name, k, given, out in (
            ("residual", RESIDUAL, x, r), ("linearize", LINEARIZE, x, x), ("factor", FACTOR, coefficients, np.zeros(1)),
            ("solve", SOLVE, np.ones(nv + m), solution),
        ):  # fmt: skip
            costs[name] = cost(int(ops[k]), b, given, out)
        costs |= scipy_costs(sim, c, solution, min(repeats, 5))
        answers = peer(python, "peer_exudyn", "n-four-bar", (10_000,), n=n, repeats=1) if n <= 1000 else []
        costs["Exudyn, one step of generalized-α"] = answers[0]["wall"] / 20 if answers else math.nan
        rows.append([str(n), *(f"{1e3 * value:.3g}" if value == value else "" for value in costs.values())])
        header = ("n", *costs)
    table(f"n four-bars, one evaluation or step in ms ({load()})", header, rows)


# --- (f), (g) ----------------------------------------------------------------------------------------------------------
def alpha(python: str, repeats: int) -> None:
    """Print the four-bar with the generalized-α method beside Exudyn's at equal step, both with ρ = 0.95."""
    from multibody.integrators import Alpha

    model, exact, rows = mb.load("four-bar"), 1.9322768783826, []
    for steps in (500, 1000, 2000, 5000, 10_000):
        answers = peer(python, "peer_exudyn", "four-bar", (steps,))
        method = Alpha(10.0 / steps, rho=0.95)
        run = model.run(10.0, integrator=method, output_step=10.0)
        ours, _ = integration(model, 10.0, repeats, formulation="augmented", integrator=method)
        error = abs(float(run["link2.x"].values[-1]) / exact - 1.0)
        theirs = answers[0]["wall"] if answers else None
        off = f"{abs(answers[0]['value'] / exact - 1.0):.1e}" if answers else ""
        rows.append([f"{10.0 / steps:g}", milliseconds(ours), f"{error:.1e}", milliseconds(theirs), off, times(theirs, ours)])
    table(f"Four-bar, 10 s, generalized-α ({load()})", ("step", "alpha", "error", "Exudyn", "error", "Exudyn / alpha"), rows)


def stiff(repeats: int) -> None:
    """Print steps and times of explicit and implicit methods on stiff models, at a tolerance of 1e-6."""
    rows = []
    for name, until in (("iftomm-flyball", 10.0), ("bushing-suspension", 4.0)):
        model = mb.load(name)
        for integrator in ("bdf", "radau", "dop853", "adams"):
            options: dict[str, Any] = {"formulation": "augmented", "integrator": integrator, "rtol": 1e-6, "atol": 1e-8}
            integration(model, 1e-4 * until, 1, **options)  # what has to be compiled is compiled here
            took, sim = integration(model, until, 1 if integrator in ("dop853", "adams") else repeats, **options)
            counts = sim.statistics()
            work = [str(counts[key]) for key in ("steps", "rhs_evaluations", "jacobian_evaluations", "factorizations")]
            rows.append([name, integrator, milliseconds(took), *work])
    header = ("model", "integrator", "time", "steps", "evaluations", "Jacobians", "factored")
    table(f"Stiff models, rtol 1e-6, atol 1e-8 ({load()})", header, rows)


def main() -> None:
    """Run the parts that were asked for."""
    parts: dict[str, Callable[[str, int], None]] = {
        "andrews": andrews, "scipy": lambda python, repeats: against_scipy(repeats), "engine": engines, "chain": chains,
        "n-four-bar": four_bars, "sparse": sparse, "alpha": alpha, "stiff": lambda python, repeats: stiff(repeats),
    }  # fmt: skip
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(parts))
    parser.add_argument("--peer-python", default=sys.executable, help="interpreter that can import the peers")
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    unknown = set(given.parts) - set(parts)
    if unknown:
        parser.error(f"unknown part {', '.join(sorted(unknown))}; there are {', '.join(parts)}")
    for name in given.parts or parts:
        parts[name](given.peer_python, given.repeats)


if __name__ == "__main__":
    main()
