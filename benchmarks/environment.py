"""A cart-pole from outside: steps a second of environments against Gymnasium's own, and what a step with arrays costs.

Run: ``python benchmarks/environment.py [PART ...]``. Parts: vector, single, arrays; all of them by default. Times are processor
times on one thread, the shortest of several rounds in which all take turns.

Gymnasium's cart-pole has two formulas and one explicit Euler step of 0.02 s; ours is a model of bodies and joints, with one
step of the Runge–Kutta method of order 4.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from common import table

import multibody as mb

MEMBERS, STEPS, ROUNDS = 512, 20, 4
SMALL = (-0.05, 0.05)
CART: dict[str, Any] = {
    "inputs": {"motor.effort": (-10, 10)}, "outputs": ["track", "track.rate", "pivot", "pivot.rate"], "step": 0.02,
    "terminated": "(abs(pivot) > 0.2095) + (abs(track) > 2.4)", "limit": 500,
    "initial": {"track": SMALL, "track.rate": SMALL, "pivot": SMALL, "pivot.rate": SMALL},
}  # fmt: skip


def shortest(functions: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Return the shortest processor time of each [s]; they take turns."""
    found = dict.fromkeys(functions, float("inf"))
    for function in functions.values():
        function()
    for _ in range(ROUNDS):
        for key, function in functions.items():
            start = time.process_time()
            function()
            found[key] = min(found[key], time.process_time() - start)
    return found


def stepped(env: Any, actions: Any) -> Callable[[], object]:
    """Return what makes all steps; episodes begin anew by themselves."""
    env.reset(seed=0)

    def go() -> None:
        for action in actions:
            env.step(action)

    return go


def vector() -> None:
    """Print steps a second of many members: ours, and Gymnasium's in NumPy and one by one."""
    rng = np.random.default_rng(0)
    pushes, choices = rng.uniform(-10, 10, (STEPS, MEMBERS, 1)), rng.integers(0, 2, (STEPS, MEMBERS))
    model = mb.load("inverted-pendulum")
    ways = {"multibody": stepped(model.environment(**CART, members=MEMBERS), pushes)}
    ways["multibody, augmented"] = stepped(model.environment(**CART, members=MEMBERS, formulation="augmented"), pushes)
    for mode in ("vector_entry_point", "sync"):
        peer = gymnasium.make_vec("CartPole-v1", num_envs=MEMBERS, vectorization_mode=mode)
        ways[f"Gymnasium's CartPole-v1, {mode}"] = stepped(peer, choices)
    took = shortest(ways)
    rate = {key: MEMBERS * STEPS / seconds for key, seconds in took.items()}
    peer_rate = rate["Gymnasium's CartPole-v1, sync"]
    rows = [[key, f"{value:.3g}", f"{value / peer_rate:.2f}"] for key, value in rate.items()]
    table(f"{MEMBERS} members, steps a second on one core", ["environment", "steps/s", "over sync"], rows)


def single() -> None:
    """Print steps a second of one environment."""
    rng = np.random.default_rng(0)
    ours, peer = mb.load("inverted-pendulum").environment(**CART), gymnasium.make("CartPole-v1").unwrapped
    pushes, choices = rng.uniform(-10, 10, (500, 1)), rng.integers(0, 2, 500)

    def episodes(env: Any, actions: Any) -> Callable[[], object]:
        def go() -> None:
            env.reset(seed=0)
            for action in actions:
                _, _, ended, cut, _ = env.step(action)
                if ended or cut:
                    env.reset()

        return go

    took = shortest({"multibody": episodes(ours, pushes), "Gymnasium's CartPole-v1": episodes(peer, choices)})
    table("one environment", ["environment", "steps/s"], [[key, f"{500 / seconds:.3g}"] for key, seconds in took.items()])


def arrays() -> None:
    """Print what a controller's period costs with arrays and with names, and the integrator's part of it."""
    model, count = mb.load("inverted-pendulum"), 500
    outputs = ["track", "pivot", "track.rate", "pivot.rate"]
    way: dict[str, Any] = {"formulation": "recursive", "integrator": "rk4", "step": 0.01}
    sim = model.simulator(inputs=["motor.effort"], outputs=outputs, period=0.01, **way)
    named, alone = model.simulator(**way), model.simulator(**way)
    gain = np.array([[-10.0, 70.4, -11.4, 12.8]])

    def with_arrays() -> None:
        y = sim.read()
        for _ in range(count):
            y = sim.step(-gain @ y)

    def with_names() -> None:
        for _ in range(count):
            y = np.array([named[path] for path in outputs])
            named.set("motor.effort", float(-(gain @ y)[0]))
            named.step(0.01)

    def law() -> None:
        y = np.zeros(4)
        for _ in range(count):
            -gain @ y

    took = shortest({"arrays": with_arrays, "names": with_names, "step alone": lambda: [alone.step(0.01) for _ in range(count)],
                     "the controller's product": law})  # fmt: skip
    rows = [[key, f"{1e6 * seconds / count:.1f}"] for key, seconds in took.items()]
    table("a period of a controller, one step of RK4", ["way", "µs"], rows)


def main() -> None:
    """Measure what is asked for."""
    parts = {"vector": vector, "single": single, "arrays": arrays}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*parts, []], default=[])
    for name in parser.parse_args().parts or parts:
        parts[name]()


if __name__ == "__main__":
    main()
