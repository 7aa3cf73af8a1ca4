"""A plain driver of the implicit integrators on the systems of ``systems``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bare_blocks import Bare
from integrators import systems
from integrators.drive import FAILURES, Floats, Motion, _locate
from multibody.integrators import Integrator, contract
from multibody.kernels.calls import address_of


def run(
    method: Integrator,
    system: int,
    y0: Any,
    end: float,
    *,
    start: float = 0.0,
    rtol: float = 1e-6,
    atol: float | None = None,
    accept: Any = systems.accept,
    project: bool = True,
    monitor: Any = None,
    watched: int = 0,
    dense: bool = False,
    limit: int = 1_000_000,
    rows: int = 64,
    F: Any = (),
    active: Any = None,
    cut: bool = False,
    ends: tuple[float, ...] = (),
    ops: Any = systems.OPS,
    ref: Any = (),
    W: Any = None,
    change: Callable[[Floats], None] | None = None,
) -> Motion:
    """Integrate from start through `ends` to end; y0 is (q, v), the work is appended. Events are located, and cut if asked."""
    nq, n, m, *quaternion = systems.SIZES[system]
    y = np.append(np.array(y0, dtype=float), 0.0)
    size = len(y)
    assert size == nq + n + 1
    control, counts = np.zeros(contract.CONTROL_SIZE), np.zeros(contract.COUNTS_SIZE, dtype=np.int64)
    control[contract.T], control[contract.RTOL] = start, rtol
    counts[contract.FRESH], counts[contract.LIMIT], counts[contract.DENSE] = 1, limit, int(dense)
    counts[contract.NQ], counts[contract.NV], counts[contract.NM] = nq, n, m
    method.configure(control, counts)
    reference = np.array(ref, dtype=float)
    arrays = (np.zeros((rows, 2)), np.zeros((rows, method.dense_rows, size)), np.zeros((rows, len(reference))))
    kept: tuple[list[Floats], ...] = ([], [], [])
    counted = np.append(np.ones(nq + n) if active is None else np.array(active), 0.0)
    motion = Motion(0, control, counts, y, method, *arrays, active=counted)
    g, memory = np.zeros((2, watched)), np.full((method.memory_rows, size), np.nan)
    work = np.full(method.work_size(nq, n, m), np.nan)
    addresses = np.array([address_of(kernel, planar=False) for kernel in ops])
    others = [0 if kernel is None else address_of(kernel, planar=False) for kernel in (accept, monitor)]
    I = np.array([system, nq, n, m, *quaternion, int(project), 0, 0])
    numbers, W = np.array(F, dtype=float), np.zeros(systems.W_SIZE) if W is None else W
    block = Bare(I, numbers, W, reference)
    for target in (*ends, end):
        control[contract.END] = target
        while True:
            motion.status = method.advance(
                addresses, *others, block.run, reference, control, counts, y,
                np.full(size, rtol if atol is None else atol), motion.active, memory, g, *arrays, work,
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
