"""A plain driver of the integrators: the loop that drains the output, meets events and ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from bare_blocks import Bare
from multibody.integrators import Integrator, contract
from multibody.kernels.calls import address_of
from multibody.kernels.compile import REGISTRY
from multibody.kernels.objects import ObjectType

Floats = npt.NDArray[np.float64]
FAILURES = {contract.STEP_TOO_SMALL, contract.RHS_FAILED, contract.ACCEPT_FAILED, contract.NOT_FINITE}


@dataclass
class Motion:
    """What came out of a run."""

    status: int
    control: Floats
    counts: npt.NDArray[np.int64]
    y: Floats
    method: Integrator
    steps: Floats
    dense: Floats
    refs: Floats
    active: Floats
    events: list[float] = field(default_factory=list)

    @property
    def t(self) -> float:
        return float(self.control[contract.T])

    @property
    def evaluations(self) -> int:
        return int(self.counts[contract.EVALUATIONS])

    @property
    def mean_order(self) -> float:
        return float(self.counts[contract.ORDER_SUM] / self.counts[contract.STEPS])

    def at(self, times: Floats) -> Floats:
        """Return the states at some times from the dense output, (times, n)."""
        out = np.empty((len(times), len(self.y)))
        ends = self.steps[:, 0] + self.steps[:, 1]
        forwards = self.steps[0, 1] > 0
        for j, t in enumerate(times):
            k = np.searchsorted(ends, t) if forwards else np.searchsorted(-ends, -t)
            k = min(int(k), len(ends) - 1)
            self.method.interpolate(self.dense[k], self.steps[k, 0], self.steps[k, 1], float(t), out[j])
        return out


def run(
    method: Integrator,
    rhs: Any,
    y0: Any,
    end: float,
    *,
    start: float = 0.0,
    rtol: float = 1e-8,
    atol: float | None = None,
    accept: Any = None,
    monitor: Any = None,
    watched: int = 0,
    dense: bool = False,
    limit: int = 1_000_000,
    rows: int = 64,
    F: Any = (),
    ref: Any = (),
    active: Any = None,
    cut: bool = False,
    ends: tuple[float, ...] = (),
    change: Callable[[Floats], None] | None = None,
) -> Motion:
    """Integrate from start through `ends` to end as a driver does; events are located and passed, or cut if asked."""
    y = np.array(y0, dtype=float)
    n = len(y)
    control, counts = np.zeros(contract.CONTROL_SIZE), np.zeros(contract.COUNTS_SIZE, dtype=np.int64)
    control[contract.T], control[contract.RTOL] = start, rtol
    counts[contract.FRESH], counts[contract.LIMIT], counts[contract.DENSE] = 1, limit, int(dense)
    method.configure(control, counts)
    reference = np.array(ref, dtype=float)
    arrays = (np.zeros((rows, 2)), np.zeros((rows, method.dense_rows, n)), np.zeros((rows, len(reference))))
    kept: tuple[list[Floats], ...] = ([], [], [])
    motion = Motion(0, control, counts, y, method, *arrays, active=np.ones(n) if active is None else np.array(active))
    g, memory = np.zeros((2, watched)), np.full((method.memory_rows, n), np.nan)
    addresses = [0 if kernel is None else address_of(kernel, planar=False) for kernel in (rhs, accept, monitor)]
    numbers = np.array(F, dtype=float)
    block = Bare(F=numbers, ref=reference)
    for target in (*ends, end):
        control[contract.END] = target
        while True:
            motion.status = method.advance(
                *addresses, block.run, reference, control, counts, y,
                np.full(n, rtol if atol is None else atol), motion.active,
                memory, g, *arrays,
            )  # fmt: skip
            used = counts[contract.STORED]
            if motion.status == contract.EVENT:
                t = _locate(motion, monitor, numbers, reference, arrays, int(used) - 1, g)
                motion.events.append(t)
                if cut:
                    k = int(used) - 1
                    method.interpolate(arrays[1][k], arrays[0][k, 0], arrays[0][k, 1], t, y)
                    arrays[0][k, 1] = t - arrays[0][k, 0]
                    if change is not None:
                        change(y)
                    control[contract.T], counts[contract.FRESH], control[contract.H] = t, 1, 0.0
            for whole, part in zip(kept, arrays, strict=True):
                whole.append(part[:used].copy())
            counts[contract.STORED] = 0
            if motion.status == contract.DONE or motion.status in FAILURES:
                break
        if motion.status in FAILURES:
            break
    motion.steps, motion.dense, motion.refs = (np.concatenate(whole) for whole in kept)
    return motion


def _locate(motion: Motion, monitor: Any, F: Floats, ref: Floats, arrays: Any, k: int, g: Floats) -> float:
    """Return the first time in step k at which a watched value has changed its sign, by bisection to the far side."""
    t0, h = arrays[0][k]
    out, values, state = np.empty(g.shape[1]), [], np.empty(len(motion.y))
    for j in np.flatnonzero((np.sign(g[0]) != np.sign(g[1])) & (g[0] != 0.0)):
        low, high = 0.0, 1.0
        while high - low > 1e-15:
            middle = 0.5 * (low + high)
            motion.method.interpolate(arrays[1][k], t0, h, t0 + middle * h, state)
            block = Bare(F=F, ref=ref)
            monitor(*block.run, t0 + middle * h, state, out)
            if np.sign(out[j]) == np.sign(g[0, j]):
                low = middle
            else:
                high = middle
        values.append(high)
    return float(t0 + min(values) * h)


def one_specialization_each() -> None:
    """Assert that no integrator was compiled twice for the same objects of kernels, which are known when it is compiled."""
    for made in REGISTRY:
        if made.py_func.__module__.startswith("multibody.integrators"):
            objects = [tuple(kind for kind in each if isinstance(kind, ObjectType)) for each in made.signatures]
            assert len(objects) == len(set(objects)), made.py_func.__name__
